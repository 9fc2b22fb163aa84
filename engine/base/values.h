// Words that somebody typed turned into values; every failure names the option, the word and what was expected.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace speclens {

// Throw Error (usage).
// Not long: that has 32 bits in WebAssembly, and a seed has more.
[[nodiscard]] long long whole(const std::string& option, const std::string& text, long long least, long long most);
[[nodiscard]] double real(const std::string& option, const std::string& text, double least, double most);
[[nodiscard]] std::vector<int> whole_list(const std::string& option, const std::string& text, long long least, long long most);
[[nodiscard]] std::vector<std::string> split(const std::string& text, char separator);
[[nodiscard]] std::string_view trimmed(std::string_view text); // without the blanks at both ends
// Shortest digits that read back as the same number.
[[nodiscard]] std::string shortest(double value);

} // namespace speclens
