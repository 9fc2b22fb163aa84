// UTF-8 checks for text that may begin or end inside a character.
#pragma once

#include <string>
#include <string_view>

namespace speclens {

[[nodiscard]] bool is_valid_utf8(std::string_view text);
// The text with every maximal broken part replaced by U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);
// Length of the longest prefix that ends on a character boundary; the rest may be an unfinished character.
[[nodiscard]] std::size_t complete_utf8_prefix(std::string_view text);

} // namespace speclens
