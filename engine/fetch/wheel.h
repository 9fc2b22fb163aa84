// One file out of a zip archive, by its exact name. No path of the archive is ever used as a path: the caller says
// where the bytes go. Format: PKWARE APPNOTE 6.3; read by libzip.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace speclens {

// Calls `take` with the bytes of `member`, in order, a megabyte at most at a time; what it throws ends it. Throws Error
// when the archive cannot be read, has no such member, more than one, or one that is encrypted, packed in a way other
// than stored or deflated, damaged, or larger than `limit` bytes, whatever its header says.
void read_member(const std::filesystem::path& archive, const std::string& member, std::uint64_t limit,
                 const std::function<void(std::string_view bytes)>& take);

} // namespace speclens
