#include "scenes/shared/story_text.h"

#include <algorithm>

#include "kernels/error.h"

namespace speclens {
namespace {

// Small and large letters of ASCII; those of other scripts stay.
std::string with_capital(std::string words) {
    if (!words.empty() && words[0] >= 'a' && words[0] <= 'z') words[0] = static_cast<char>(words[0] - 'a' + 'A');
    return words;
}

bool part_of_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

// Behind the brace that belongs to the one in front of `text`; npos: there is none.
std::size_t closing(std::string_view text) {
    int open = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
        open += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
        if (open == 0) return i;
    }
    return std::string_view::npos;
}

std::vector<std::string_view> split_at_bars(std::string_view text) {
    std::vector<std::string_view> parts;
    int open = 0;
    std::size_t from = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        open += text[i] == '{' ? 1 : text[i] == '}' ? -1 : 0;
        if (text[i] != '|' || open > 0) continue;
        parts.push_back(text.substr(from, i - from));
        from = i + 1;
    }
    parts.push_back(text.substr(from));
    return parts;
}

[[noreturn]] void wrong(const std::string& what) { throw Error(what, "docs/stories.md says what may stand in braces."); }

} // namespace

StoryText::StoryText(std::string_view text) : source_(text) {
    pieces_ = parse(text, Within::text); // which fills names_ too
}

std::vector<StoryText::Piece> StoryText::parse(std::string_view text, Within within) {
    std::vector<Piece> pieces;
    const auto plain = [&](char c) {
        if (pieces.empty() || pieces.back().kind != Kind::plain) pieces.push_back({});
        pieces.back().words += c;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool twice = within == Within::text && i + 1 < text.size() && text[i + 1] == text[i];
        if (text[i] == '}' && !twice) wrong("a } without its {");
        if (text[i] != '{' || twice) {
            plain(text[i]);
            if (text[i] == '{' || text[i] == '}') ++i;
            continue;
        }
        const std::size_t length = closing(text.substr(i + 1));
        if (length == std::string_view::npos) wrong("a { without its }");
        pieces.push_back(parse_braces(text.substr(i + 1, length), within));
        i += length + 1;
    }
    return pieces;
}

StoryText::Piece StoryText::parse_braces(std::string_view body, Within within) {
    const std::size_t length = static_cast<std::size_t>(std::ranges::find_if_not(body, part_of_name) - body.begin());
    Piece piece{Kind::value, std::string(body.substr(0, length))};
    if (length == 0) wrong("{" + std::string(body) + "} begins with no name of a value");
    if (std::ranges::find(names_, piece.words) == names_.end()) names_.push_back(piece.words);
    if (length == body.size()) return piece;
    const std::string_view rest = body.substr(length + 1);
    switch (body[length]) {
    case ':':
        if (rest == "word")
            piece.kind = Kind::number;
        else if (rest == "Word")
            piece.kind = Kind::capital_number;
        else if (rest == "Capital")
            piece.kind = Kind::capital;
        else
            wrong("{" + std::string(body) + "}: behind the colon stands word, Word or Capital");
        return piece;
    case '|': {
        const auto forms = split_at_bars(rest);
        if (forms.size() != 2) wrong("{" + std::string(body) + "}: a plural has two forms, for one and for more");
        if (within == Within::plural) wrong("{" + std::string(body) + "}: a plural inside a plural");
        piece.kind = Kind::plural;
        piece.first = parse(forms[0], Within::plural);
        piece.second = parse(forms[1], Within::plural);
        return piece;
    }
    case '?': {
        const auto ways = split_at_bars(rest);
        if (ways.size() > 2) wrong("{" + std::string(body) + "}: a choice has two ways at most");
        if (within != Within::text) wrong("{" + std::string(body) + "}: a choice inside a choice or a plural; make it two texts");
        piece.kind = Kind::choice;
        piece.first = parse(ways[0], Within::choice);
        if (ways.size() == 2) piece.second = parse(ways[1], Within::choice);
        return piece;
    }
    default: wrong("{" + std::string(body) + "}: behind the name of a value stands }, :, | or ?");
    }
}

std::string StoryText::fill(std::span<const StoryValue> values, std::span<const std::string> numbers) const {
    std::string out;
    add(out, pieces_, values, numbers);
    return out;
}

void StoryText::add(std::string& out, const std::vector<Piece>& pieces, std::span<const StoryValue> values,
                    std::span<const std::string> numbers) {
    for (const Piece& piece : pieces) {
        if (piece.kind == Kind::plain) {
            out += piece.words;
            continue;
        }
        const auto found = std::ranges::find(values, piece.words, &StoryValue::name);
        CHECK(found != values.end(), "a story asks for a value that was not checked when it was read");
        const StoryValue& value = *found;
        const auto in_words = [&] {
            const bool listed = value.number && *value.number >= 0 && *value.number < std::ssize(numbers);
            return listed ? numbers[static_cast<std::size_t>(*value.number)] : value.words;
        };
        switch (piece.kind) {
        case Kind::number: out += in_words(); break;
        case Kind::capital_number: out += with_capital(in_words()); break;
        case Kind::capital: out += with_capital(value.words); break;
        case Kind::plural: add(out, value.number == 1 ? piece.first : piece.second, values, numbers); break;
        case Kind::choice: add(out, value.there() ? piece.first : piece.second, values, numbers); break;
        default: out += value.words;
        }
    }
}

} // namespace speclens
