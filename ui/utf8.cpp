#include "ui/utf8.h"

namespace speclens::ui {

namespace {

unsigned byte_at(std::string_view s, std::size_t i) { return static_cast<unsigned char>(s[i]); }
bool continues(std::string_view s, std::size_t i) { return i < s.size() && (byte_at(s, i) & 0xC0U) == 0x80U; }

} // namespace

CodePoint decode(std::string_view s, std::size_t at) {
    const unsigned lead = byte_at(s, at);
    if (lead < 0x80) return {lead, 1, true};
    const CodePoint stray{lead, 1, false};
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4) return stray;
    char32_t value = lead & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if (!continues(s, at + i)) return stray;
        value = (value << 6U) | (byte_at(s, at + i) & 0x3FU);
    }
    const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
    const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
    if (overlong || surrogate || value > 0x10FFFF) return stray;
    return {value, length, true};
}

void append(std::string& out, char32_t c) {
    const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
    if (c < 0x80) {
        put(c);
    } else if (c < 0x800) {
        put(0xC0 | (c >> 6U));
        put(0x80 | (c & 0x3FU));
    } else if (c < 0x10000) {
        put(0xE0 | (c >> 12U));
        put(0x80 | ((c >> 6U) & 0x3FU));
        put(0x80 | (c & 0x3FU));
    } else {
        put(0xF0 | (c >> 18U));
        put(0x80 | ((c >> 12U) & 0x3FU));
        put(0x80 | ((c >> 6U) & 0x3FU));
        put(0x80 | (c & 0x3FU));
    }
}

std::size_t next_boundary(std::string_view s, std::size_t at) { return at >= s.size() ? s.size() : at + decode(s, at).length; }

std::size_t previous_boundary(std::string_view s, std::size_t at) {
    if (at == 0) return 0;
    // A valid sequence that ends here, else the single byte before.
    for (std::size_t back = 2; back <= 4 && back <= at; ++back) {
        const CodePoint c = decode(s, at - back);
        if (c.valid && c.length == back) return at - back;
    }
    return at - 1;
}

bool is_emoji(char32_t c) { return (c >= 0x1F000 && c <= 0x1FAFF) || (c >= 0x2600 && c <= 0x27BF) || (c >= 0x2B00 && c <= 0x2BFF); }

std::size_t emoji_tail(std::string_view s, std::size_t at) {
    constexpr char32_t kJoiner = 0x200D;
    std::size_t end = at;
    while (end < s.size()) {
        const CodePoint c = decode(s, end);
        const bool changes = (c.value >= 0xFE00 && c.value <= 0xFE0F) || (c.value >= 0x1F3FB && c.value <= 0x1F3FF) || c.value == 0x20E3;
        if (c.valid && changes) {
            end += c.length;
        } else if (c.valid && c.value == kJoiner && end + c.length < s.size() && is_emoji(decode(s, end + c.length).value)) {
            end += c.length;
            end += decode(s, end).length;
        } else {
            break;
        }
    }
    return end - at;
}

std::string hex_mark(char32_t value, int digits) {
    std::string hex;
    for (int shift = 28; shift >= 0; shift -= 4) {
        const unsigned digit = (value >> static_cast<unsigned>(shift)) & 0xFU;
        if (digit != 0 || !hex.empty() || shift < digits * 4) hex.push_back("0123456789ABCDEF"[digit]);
    }
    return "\u27E8" + hex + "\u27E9";
}

} // namespace speclens::ui
