// Words of the command line turned into values; every failure names the option, the word and what was
// expected.
#pragma once

#include <string>
#include <vector>

#include "app/cli/options.h"

namespace speclens::cli {

[[nodiscard]] long whole(const std::string& option, const std::string& text, long least, long most);
[[nodiscard]] double real(const std::string& option, const std::string& text, double least, double most);
[[nodiscard]] std::vector<int> whole_list(const std::string& option, const std::string& text, long least,
                                          long most);
[[nodiscard]] std::vector<std::string> split(const std::string& text, char separator);
// "small" or "small=DIR". Throws for an unknown name and for a folder where the drafter takes none.
[[nodiscard]] DrafterChoice drafter_choice(const std::string& text);
[[nodiscard]] std::string one_of(const std::string& option, const std::string& text,
                                 const std::vector<std::string>& known);

} // namespace speclens::cli
