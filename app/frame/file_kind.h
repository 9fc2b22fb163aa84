// What a file is, by its first bytes: for whoever opened one that is no run.
#pragma once

#include <filesystem>
#include <string>

namespace speclens {

// "a PNG picture", "a folder", "an empty file"; empty: JSON, which a run may be, or nothing that is there.
[[nodiscard]] std::string file_kind(const std::filesystem::path& file);

} // namespace speclens
