// A TOML file of the program's own texts.
#pragma once

#include <filesystem>
#include <string>

#include <toml++/toml.h>

namespace speclens {

// Throws Error for a file that cannot be read or is larger than 1 MB, with `restore` as what to try, and for one that is no TOML, with its
// line and what the file looks like: `form`.
[[nodiscard]] toml::table read_toml(const std::filesystem::path& file, const std::string& restore, const std::string& form);

} // namespace speclens
