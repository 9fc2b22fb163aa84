// Reading other people's JSON: files to text, text to a tree, every failure as an Error that names the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <string>
#include <string_view>

#include "engine/base/json.h"
#include "kernels/error.h"

namespace speclens {

// "folder/config.json" as the messages write it: the last folder and the file name, never a machine path.
[[nodiscard]] std::string short_name(const std::filesystem::path& file);
// What is wrong with a path that is not `expected`, "a file" or "a folder": whole and as it was given,
// because the mistake may be in any part of it. A ~ that nobody expanded is named.
[[nodiscard]] Error wrong_path(const std::filesystem::path& path, const std::string& expected, const std::string& remedy);
// Throws Error when the file is missing, is a folder, cannot be read, or is larger than `limit` bytes.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& file, std::size_t limit);
// All of a stream, for files that may be pipes or devices without end. Throws Error beyond `limit` bytes.
[[nodiscard]] std::string read_at_most(std::istream& in, std::size_t limit, const std::string& name);
// Brackets within brackets, outside strings: what prints or walks a tree recurses that deep.
inline constexpr int kDeepestJson = 256;
[[nodiscard]] bool too_deep(std::string_view json_text);
// Text from elsewhere as a tree: discarded (neither object nor anything else) when it is broken or nested too
// deeply.
[[nodiscard]] Json parse_foreign_json(std::string_view text);
// Of two equal keys of one object the last one counts, as for most readers, or the text is refused.
enum class EqualKeys : std::uint8_t { last_counts, refused };
// Throws Error("NAME: not valid JSON …") unless `text` is one JSON object, or Cancelled.
[[nodiscard]] Json parse_json_object(std::string_view text, const std::string& name, const std::string& remedy,
                                     EqualKeys equal = EqualKeys::last_counts, const Progress& progress = {});
// A value in a message: at most 40 characters of its JSON text, "an array" or "an object".
[[nodiscard]] std::string shown(const Json& value);
// For a small text file that stands where `git lfs pull` would put `name`.
[[nodiscard]] Error lfs_pointer(const std::string& name);

} // namespace speclens
