// Added tokens: texts that are one token wherever they stand.
#include <algorithm>

#include "engine/text/tokenizer_parts.h"

namespace speclens {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The character of valid UTF-8 that begins at `at`, and the one that ends there.
std::string_view character_after(std::string_view text, std::size_t at) {
    std::size_t end = at + 1;
    while (end < text.size() && continues(text[end])) ++end;
    return text.substr(at, end - at);
}
std::string_view character_before(std::string_view text, std::size_t at) {
    std::size_t begin = at - 1;
    while (begin > 0 && continues(text[begin])) --begin;
    return text.substr(begin, at - begin);
}

// Unicode's White_Space, PropList.txt.
bool is_white(std::string_view character) {
    static constexpr std::string_view kWhite[] = {
        "\t",           "\n",           "\v",           "\f",           "\r",           " ",
        "\xc2\x85",     "\xc2\xa0",     "\xe1\x9a\x80", "\xe2\x80\x80", "\xe2\x80\x81", "\xe2\x80\x82",
        "\xe2\x80\x83", "\xe2\x80\x84", "\xe2\x80\x85", "\xe2\x80\x86", "\xe2\x80\x87", "\xe2\x80\x88",
        "\xe2\x80\x89", "\xe2\x80\x8a", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\x9f",
        "\xe3\x80\x80"};
    return std::ranges::find(kWhite, character) != std::end(kWhite);
}

// \w as Unicode's technical standard 18 defines it, annex C.
bool is_word(std::string_view character) {
    static const Pattern word(R"([\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\x{200c}\x{200d}])", "added tokens");
    Pattern::Effort effort(character.size());
    return word.spans(character, effort).front().match;
}

bool is_single_word(std::string_view text, std::size_t begin, std::size_t end) {
    return (begin == 0 || !is_word(character_before(text, begin))) && (end == text.size() || !is_word(character_after(text, end)));
}

} // namespace

void AddedTokens::add(const AddedToken& token) {
    auto& list = by_first_byte_[static_cast<unsigned char>(token.content.front())];
    const auto longer = [](const AddedToken& a, const AddedToken& b) { return a.content.size() > b.content.size(); };
    list.insert(std::ranges::upper_bound(list, token, longer), token);
}

std::optional<AddedTokens::Hit> AddedTokens::next(std::string_view text, Cursor& cursor, const Passed& passed) const {
    for (std::size_t at = cursor.searched; at < text.size(); ++at) {
        const auto& list = by_first_byte_[static_cast<unsigned char>(text[at])];
        const auto token = std::ranges::find_if(list, [&](const AddedToken& one) {
            return text.substr(at).starts_with(one.content) && !(passed && passed(one.id, at, at + one.content.size()));
        });
        if (token == list.end()) continue;
        Hit hit{at, at + token->content.size(), token->id};
        cursor.searched = hit.end;
        if (token->single_word && !is_single_word(text, hit.begin, hit.end)) {
            at = hit.end - 1; // the library looks on behind it, too
            continue;
        }
        while (token->lstrip && hit.begin > cursor.end && is_white(character_before(text, hit.begin)))
            hit.begin -= character_before(text, hit.begin).size();
        if (token->rstrip) {
            hit.end = std::max(hit.end, cursor.white_end);
            while (hit.end < text.size() && is_white(character_after(text, hit.end))) hit.end += character_after(text, hit.end).size();
            cursor.white_end = hit.end;
        }
        cursor.end = hit.end;
        return hit;
    }
    cursor.searched = text.size();
    return std::nullopt;
}

} // namespace speclens
