// UTF-8 in steps of one code point. Broken bytes are reported, never dropped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace speclens::ui {

struct CodePoint {
    char32_t value = 0;
    std::size_t length = 1; // bytes used
    bool valid = true;      // false: one stray byte, value = the byte
};
[[nodiscard]] CodePoint decode(std::string_view utf8, std::size_t at); // at < size
void append(std::string& out, char32_t code_point);
[[nodiscard]] std::size_t next_boundary(std::string_view utf8, std::size_t at);
[[nodiscard]] std::size_t previous_boundary(std::string_view utf8, std::size_t at);
[[nodiscard]] bool is_emoji(char32_t code_point); // or a symbol that may be drawn as one
// Bytes from `at` on that belong to the emoji before them: selectors, skin tones, and what is joined to it. One glyph, that
// of the first part, stands for all of it.
[[nodiscard]] std::size_t emoji_tail(std::string_view utf8, std::size_t at);
[[nodiscard]] std::string hex_mark(char32_t value, int digits); // ⟨E4⟩, ⟨1F600⟩

} // namespace speclens::ui
