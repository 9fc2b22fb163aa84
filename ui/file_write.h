// Writes a whole file or nothing (files/atomic_file.h). What exists and is no file (a pipe, a device) is written to
// where it is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace speclens::ui {

// Throws Error naming the file and the reason; the old file is then still there.
void write_file(const std::string& path, std::span<const std::uint8_t> bytes);
void write_file(const std::string& path, std::string_view text);

} // namespace speclens::ui
