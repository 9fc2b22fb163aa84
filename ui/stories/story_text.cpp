#include "ui/stories/story_text.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "kernels/error.h"
#include "ui/chance.h"
#include "ui/format.h"

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

constexpr int kAsManyAsItHas = -1, kFine = -2, kThree = -3; // decimals; of a chance: one digit at least, three digits

std::string decimals(double value, int count) {
    if (count != kAsManyAsItHas) return ui::number(value, count);
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed);
    if (end.ec != std::errc()) return ui::short_number(value);
    const char* const point = std::find(digits, end.ptr, '.');
    return ui::number(value, std::max(0, static_cast<int>(end.ptr - point) - 1));
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
    case ':': read_form(piece, body, rest); return piece;
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

void StoryText::read_form(Piece& piece, std::string_view body, std::string_view form) {
    constexpr std::pair<std::string_view, Kind> kForms[] = {
        {"word", Kind::number},   {"Word", Kind::capital_number}, {"Capital", Kind::capital}, {"percent", Kind::percent},
        {"chance", Kind::chance}, {"short", Kind::shortened},     {"tenths", Kind::tenths},   {"exact", Kind::decimals},
        {"bytes", Kind::bytes},   {"fine", Kind::chance},         {"three", Kind::chance}};
    const auto known = std::ranges::find(kForms, form, &std::pair<std::string_view, Kind>::first);
    if (known != std::end(kForms)) {
        piece.kind = known->second;
        piece.decimals = form == "fine" ? kFine : form == "three" ? kThree : kAsManyAsItHas;
    } else if (form.size() == 1 && form[0] >= '0' && form[0] <= '9') {
        piece.kind = Kind::decimals;
        piece.decimals = form[0] - '0';
    } else if (!form.empty() && std::ranges::all_of(form, part_of_name)) {
        piece.kind = Kind::form;
        piece.form = form;
        if (std::ranges::find(forms_, piece.form) == forms_.end()) forms_.push_back(piece.form);
    } else {
        wrong("{" + std::string(body) +
              "}: behind the colon stands word, Word, Capital, percent, chance, fine, three, short, tenths, exact, bytes, a number of "
              "decimals "
              "or the name of a form");
    }
}

void StoryText::check(std::string_view name, ValueKind kind) const { check(pieces_, name, kind); }

void StoryText::check(const std::vector<Piece>& pieces, std::string_view name, ValueKind kind) {
    for (const Piece& piece : pieces) {
        check(piece.first, name, kind);
        check(piece.second, name, kind);
        if (piece.kind == Kind::plain || piece.words != name) continue;
        const std::string braces = "{" + piece.words + "}";
        const bool number = kind == ValueKind::whole || kind == ValueKind::real;
        switch (piece.kind) {
        case Kind::value:
        case Kind::capital:
            if (kind == ValueKind::real) wrong(braces + " was measured: say how it is written, as {" + piece.words + ":2}");
            break;
        case Kind::number:
        case Kind::capital_number:
        case Kind::plural:
            if (kind == ValueKind::real) wrong(braces + " is no count");
            break;
        case Kind::decimals:
        case Kind::percent:
        case Kind::chance:
        case Kind::shortened:
        case Kind::tenths:
        case Kind::bytes:
            if (!number) wrong(braces + " is no number");
            break;
        case Kind::form:
            if (kind != ValueKind::said) wrong("{" + piece.words + ":" + piece.form + "}: only a text of its own has forms");
            break;
        case Kind::plain:
        case Kind::choice: break;
        }
    }
}

struct StoryText::Filling {
    std::span<const SaidValue> values;
    std::span<const std::string> numbers;
    const SayInner& inner;
    Seam seam;

    void add_plain(std::string& out, std::string_view words) const {
        constexpr std::string_view kPart = " · ";
        if (seam != Seam::sentence && seam != Seam::part) {
            out += words;
            return;
        }
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (seam == Seam::part && words.substr(i).starts_with(kPart)) out += kSeam;
            out += words[i];
            if (seam == Seam::sentence && words[i] == '.') out += kSeam;
        }
    }
    [[nodiscard]] std::string words(const SaidValue& value, std::string_view form = {}) const {
        if (const auto* whole = std::get_if<std::int64_t>(&value.is)) return std::to_string(*whole);
        if (const auto* said = std::get_if<std::string>(&value.is)) return *said;
        const auto* texts = std::get_if<std::vector<Said>>(&value.is);
        if (!texts) return "";
        std::vector<std::string> items;
        for (const Said& one : *texts) items.push_back(inner(one, form));
        const bool commas = std::ranges::any_of(items, [](const std::string& item) { return item.find(',') != std::string::npos; });
        std::string list;
        for (const std::string& item : items) {
            if (!list.empty()) list += (seam == Seam::item ? std::string(1, kSeam) : "") + (commas ? "; " : ", ");
            list += item;
        }
        return list;
    }
    [[nodiscard]] std::string in_words(const SaidValue& value) const {
        const auto* whole = std::get_if<std::int64_t>(&value.is);
        const bool listed = whole && *whole >= 0 && *whole < std::ssize(numbers);
        return listed ? numbers[static_cast<std::size_t>(*whole)] : words(value);
    }
    [[nodiscard]] static double number(const SaidValue& value) {
        if (const auto* whole = std::get_if<std::int64_t>(&value.is)) return static_cast<double>(*whole);
        const auto* real = std::get_if<double>(&value.is);
        return real ? *real : std::numeric_limits<double>::quiet_NaN(); // not there: a dash
    }
};

std::string StoryText::fill(std::span<const SaidValue> values, std::span<const std::string> numbers, const SayInner& inner,
                            Seam seam) const {
    std::string out;
    add(out, pieces_, {values, numbers, inner, seam});
    return out;
}

void StoryText::add(std::string& out, const std::vector<Piece>& pieces, const Filling& with) {
    for (const Piece& piece : pieces) {
        if (piece.kind == Kind::plain) {
            with.add_plain(out, piece.words);
            continue;
        }
        const auto found = std::ranges::find(with.values, piece.words, &SaidValue::name);
        CHECK(found != with.values.end(), "a story asks for a value that was not checked when it was read");
        const SaidValue& value = *found;
        const auto* whole = std::get_if<std::int64_t>(&value.is);
        switch (piece.kind) {
        case Kind::plain:
        case Kind::value: out += with.words(value); break;
        case Kind::number: out += with.in_words(value); break;
        case Kind::capital_number: out += with_capital(with.in_words(value)); break;
        case Kind::capital: out += with_capital(with.words(value)); break;
        case Kind::decimals: out += decimals(Filling::number(value), piece.decimals); break;
        case Kind::percent: out += ui::percent(Filling::number(value)); break;
        case Kind::chance:
            out += piece.decimals == kFine    ? ui::fine_probability(Filling::number(value))
                   : piece.decimals == kThree ? ui::three_digits(Filling::number(value))
                                              : ui::probability(Filling::number(value));
            break;
        case Kind::shortened: out += ui::short_number(Filling::number(value)); break;
        case Kind::tenths: out += ui::tenths(Filling::number(value)); break;
        case Kind::bytes: out += value.there() ? ui::megabytes(Filling::number(value)) : "–"; break;
        case Kind::form: out += with.words(value, piece.form); break;
        case Kind::plural: add(out, whole && *whole == 1 ? piece.first : piece.second, with); break;
        case Kind::choice: add(out, value.there() ? piece.first : piece.second, with); break;
        }
    }
}

} // namespace speclens
