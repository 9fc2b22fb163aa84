#include "engine/base/utf8.h"

#include <algorithm>

namespace speclens {
namespace {

struct Step {
    std::size_t bytes = 0; // length of the character, or of the maximal broken part
    bool valid = false;
    bool unfinished = false; // could become valid with more bytes
};

// One character of UTF-8 (Unicode 15, table 3-7: no overlong forms, no surrogates, at most U+10FFFF).
Step next_character(std::string_view text) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = at(0);
    if (lead < 0x80) return {1, true, false};
    std::size_t need = 0;
    unsigned char low = 0x80, high = 0xBF;
    if (lead >= 0xC2 && lead <= 0xDF)
        need = 1;
    else if (lead >= 0xE0 && lead <= 0xEF) {
        need = 2;
        if (lead == 0xE0) low = 0xA0;
        if (lead == 0xED) high = 0x9F;
    } else if (lead >= 0xF0 && lead <= 0xF4) {
        need = 3;
        if (lead == 0xF0) low = 0x90;
        if (lead == 0xF4) high = 0x8F;
    } else {
        return {1, false, false};
    }
    for (std::size_t i = 1; i <= need; ++i) {
        if (i == text.size()) return {i, false, true};
        if (at(i) < low || at(i) > high) return {i, false, false};
        low = 0x80;
        high = 0xBF;
    }
    return {need + 1, true, false};
}

} // namespace

bool is_valid_utf8(std::string_view text) {
    while (!text.empty()) {
        const Step step = next_character(text);
        if (!step.valid) return false;
        text.remove_prefix(step.bytes);
    }
    return true;
}

std::string valid_utf8(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const Step step = next_character(text);
        if (step.valid)
            result += text.substr(0, step.bytes);
        else
            result += "\xEF\xBF\xBD";
        text.remove_prefix(step.bytes);
    }
    return result;
}

std::size_t complete_utf8_prefix(std::string_view text) {
    // An unfinished character has at most three bytes, so only the tail needs a look.
    for (std::size_t back = std::min<std::size_t>(3, text.size()); back > 0; --back) {
        const std::string_view tail = text.substr(text.size() - back);
        const Step step = next_character(tail);
        if (step.unfinished && step.bytes == back) return text.size() - back;
    }
    return text.size();
}

} // namespace speclens
