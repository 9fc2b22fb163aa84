#include "engine/text/chat_template.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace speclens {
namespace {

void add_utf8(std::string& out, std::uint32_t c) {
    const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((c >> shift) & 0x3F)); };
    if (c < 0x80) {
        out += static_cast<char>(c);
    } else if (c < 0x800) {
        out += static_cast<char>(0xC0 | (c >> 6));
        tail(0);
    } else if (c < 0x10000) {
        out += static_cast<char>(0xE0 | (c >> 12));
        tail(6), tail(0);
    } else {
        out += static_cast<char>(0xF0 | (c >> 18));
        tail(12), tail(6), tail(0);
    }
}

// A string literal without its quotes, its escapes read as Jinja reads them, which is as Python does.
std::string decoded(std::string_view literal) {
    static constexpr std::string_view kLetters = "abfnrtv\\'\"", kMean = "\a\b\f\n\r\t\v\\'\"";
    std::string out;
    for (std::size_t i = 0; i < literal.size(); ++i) {
        if (literal[i] != '\\' || i + 1 == literal.size()) {
            out += literal[i];
            continue;
        }
        const char c = literal[++i];
        const auto number = [&](std::size_t from, std::size_t most, int base) { // bytes read
            std::uint32_t value = 0;
            const char* begin = literal.data() + from;
            const auto read =
                std::from_chars(begin, begin + std::min(most, literal.size() - from), value, base);
            const auto length = static_cast<std::size_t>(read.ptr - begin);
            if (read.ec != std::errc() || (base == 16 && length != most) || value > 0x10FFFF)
                return std::size_t{0};
            add_utf8(out, value);
            return length;
        };
        if (const std::size_t at = kLetters.find(c); at != std::string_view::npos) {
            out += kMean[at];
        } else if (c == '\n') { // a line that goes on
        } else if (c == 'x' || c == 'u' || c == 'U') {
            const std::size_t length = number(i + 1, c == 'x' ? 2 : c == 'u' ? 4 : 8, 16);
            if (length == 0) (out += '\\') += c;
            i += length;
        } else if (c >= '0' && c <= '7') {
            i += number(i, 3, 8) - 1;
        } else {
            (out += '\\') += c;
        }
    }
    return out;
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Behind the quote that closes the one at `at`.
std::size_t literal_end(std::string_view source, std::size_t at) {
    const char quote = source[at++];
    while (at < source.size() && source[at] != quote) at += source[at] == '\\' ? 2 : 1;
    return std::min(at + 1, source.size());
}

// Of the source of a tag: a literal, or a name with all its fields ("messages[0]['content']"), or one other
// character.
struct Part {
    enum class Kind { literal, name, mark } kind;
    std::string_view source;
};
std::vector<Part> parts_of(std::string_view source) {
    std::vector<Part> parts;
    for (std::size_t at = 0; at < source.size();) {
        const std::size_t begin = at;
        const char c = source[at];
        if (c == '\'' || c == '"') {
            at = literal_end(source, at);
            const bool closed = at - begin >= 2 && source[at - 1] == c;
            parts.push_back({Part::Kind::literal, source.substr(begin + 1, at - begin - (closed ? 2 : 1))});
        } else if (is_word(c)) {
            int depth = 0;
            while (at < source.size() &&
                   (depth > 0 || is_word(source[at]) || source[at] == '.' || source[at] == '[')) {
                if (source[at] == '[') ++depth;
                if (source[at] == ']') --depth;
                at =
                    depth > 0 && (source[at] == '\'' || source[at] == '"') ? literal_end(source, at) : at + 1;
            }
            parts.push_back({Part::Kind::name, source.substr(begin, at - begin)});
        } else {
            if (!std::isspace(static_cast<unsigned char>(c)))
                parts.push_back({Part::Kind::mark, source.substr(at, 1)});
            ++at;
        }
    }
    return parts;
}

// The first word of a statement: if, else, endif, set …
std::string_view keyword(const TemplatePiece& piece) {
    const auto parts =
        piece.kind == TemplatePiece::Kind::statement ? parts_of(piece.source) : std::vector<Part>();
    return parts.empty() ? std::string_view() : parts.front().source;
}

// Whether a condition asks for tools: yes, no, or that there are none.
enum class Asks { nothing, tools, no_tools };
Asks asks(const TemplatePiece& piece) {
    const std::vector<Part> parts = parts_of(piece.source);
    const auto at = std::ranges::find(parts, std::string_view("tools"), &Part::source);
    if (at == parts.end()) return Asks::nothing;
    const bool none = parts.end() - at > 2 && at[1].source == "is" &&
                      (at[2].source == "none" || at[2].source == "None" || at[2].source == "undefined");
    return none || (at != parts.begin() && at[-1].source == "not") ? Asks::no_tools : Asks::tools;
}

// Which pieces stand in branches for tools.
void mark_tools(std::vector<TemplatePiece>& pieces) {
    struct Branch {
        bool inside, otherwise; // otherwise: in its else
    };
    std::vector<Branch> open;
    for (TemplatePiece& piece : pieces) {
        const std::string_view word = keyword(piece);
        if (word == "if") {
            open.push_back({asks(piece) == Asks::tools, asks(piece) == Asks::no_tools});
        } else if (word == "elif" && !open.empty()) {
            open.back().inside = asks(piece) == Asks::tools;
        } else if (word == "else" && !open.empty()) {
            open.back().inside = open.back().otherwise;
        } else if (word == "endif" && !open.empty()) {
            open.pop_back();
        }
        piece.for_tools = std::ranges::any_of(open, &Branch::inside);
    }
}

// The literal that a variable is set to somewhere, where the chat gives it none.
std::optional<std::string> literal_value(const std::vector<TemplatePiece>& pieces, std::string_view name) {
    for (const TemplatePiece& piece : pieces) {
        if (keyword(piece) != "set") continue;
        const std::vector<Part> parts = parts_of(piece.source);
        if (parts.size() == 4 && parts[1].source == name && parts[3].kind == Part::Kind::literal)
            return decoded(parts[3].source);
    }
    return {};
}

// Gathers a system turn from what is written behind its opening, up to its end.
struct SystemTurn {
    std::string own;    // literals
    bool given = false; // the turn of the chat is written
    bool known = true, ended = false;

    void add(std::string_view text) {
        const std::size_t end = text.find("<|im_end|>");
        own += text.substr(0, end);
        ended = ended || end != std::string_view::npos;
    }
    // What an expression writes from its part `from` on.
    void add(const std::vector<TemplatePiece>& pieces, const std::vector<Part>& parts, std::size_t from) {
        bool filter = false;
        for (std::size_t i = from; i < parts.size() && !ended; ++i) {
            const Part& part = parts[i];
            if (part.kind == Part::Kind::literal) add(decoded(part.source));
            if (part.kind == Part::Kind::name && !filter) {
                if (part.source.find("content") != std::string_view::npos) {
                    given = true;
                } else if (const auto value = literal_value(pieces, part.source)) {
                    add(*value);
                } else {
                    known = false;
                }
            }
            filter = part.source == "|";
        }
    }
};

} // namespace

std::string TemplatePiece::written() const {
    if (kind == Kind::statement) return "";
    if (kind == Kind::text) return std::string(source);
    std::string out;
    for (const Part& part : parts_of(source))
        if (part.kind == Part::Kind::literal) out += decoded(part.source);
    return out;
}

bool TemplatePiece::names(std::string_view word) const {
    if (kind == Kind::text) return false;
    return std::ranges::any_of(parts_of(source), [&](const Part& part) {
        if (part.kind != Part::Kind::name) return false;
        for (std::size_t at = part.source.find(word); at != std::string_view::npos;
             at = part.source.find(word, at + 1)) {
            const std::size_t end = at + word.size();
            if ((at == 0 || !is_word(part.source[at - 1])) &&
                (end == part.source.size() || !is_word(part.source[end])))
                return true;
        }
        return false;
    });
}

std::vector<TemplatePiece> template_pieces(std::string_view text) {
    using Kind = TemplatePiece::Kind;
    std::vector<TemplatePiece> pieces;
    while (!text.empty()) {
        std::size_t open = 0; // of "{{", "{%" or "{#"
        while (open < text.size() &&
               (text[open] != '{' || open + 1 == text.size() || !std::strchr("{%#", text[open + 1])))
            ++open;
        if (open > 0) pieces.push_back({Kind::text, text.substr(0, open)});
        if (open == text.size()) break;
        const char kind = text[open + 1];
        const std::string_view close = kind == '{' ? "}}" : kind == '%' ? "%}" : "#}";
        text.remove_prefix(open + 2);
        TemplatePiece piece{kind == '{' ? Kind::expression : Kind::statement, {}};
        std::size_t at = 0;
        while (at < text.size() && !text.substr(at).starts_with(close)) {
            const bool literal = kind != '#' && (text[at] == '\'' || text[at] == '"');
            at = literal ? literal_end(text, at) : at + 1;
        }
        piece.source = text.substr(0, at);
        if (piece.source.starts_with('-')) piece.source.remove_prefix(1);
        if (piece.source.ends_with('-')) piece.source.remove_suffix(1);
        if (kind != '#') pieces.push_back(std::move(piece));
        text.remove_prefix(std::min(text.size(), at + close.size()));
    }
    mark_tools(pieces);
    return pieces;
}

std::optional<AnswerOpening> answer_opening(const std::vector<TemplatePiece>& pieces) {
    const auto last = std::find_if(pieces.rbegin(), pieces.rend(), [](const TemplatePiece& piece) {
        return piece.names("add_generation_prompt");
    });
    AnswerOpening opening;
    if (last == pieces.rend()) {
        opening.always = "<|im_start|>assistant\n";
        return opening;
    }
    if (last->kind == TemplatePiece::Kind::expression) { // 'x' if add_generation_prompt else ''
        opening.always = last->written();
        return opening;
    }
    int depth = 1;
    bool thinking = false; // of the branch within
    for (auto piece = last.base(); piece != pieces.end() && depth > 0; ++piece) {
        const std::string_view word = keyword(*piece);
        if (word == "if") {
            const bool odd = piece->source.find("is not") != std::string_view::npos; // true of two answers
            if (++depth > 2 || opening.asks || odd || !piece->names("enable_thinking")) return {};
            opening.asks = true;
            thinking = !piece->names("not") && !piece->names("false") && !piece->names("False");
        } else if (word == "else") {
            if (depth != 2) return {};
            thinking = !thinking;
        } else if (word == "endif") {
            --depth;
        } else if (piece->kind == TemplatePiece::Kind::statement) {
            return {};
        } else {
            const std::string text = piece->written();
            const bool blank = text.find_first_not_of(" \n") == std::string::npos;
            if (piece->kind == TemplatePiece::Kind::text && blank) continue; // the template's own lines
            const bool told = piece->kind == TemplatePiece::Kind::text ||
                              std::ranges::none_of(parts_of(piece->source), [](const Part& part) {
                                  return part.kind == Part::Kind::name;
                              });
            if (!told || (depth == 1 && opening.asks)) return {};
            (depth == 1 ? opening.always : thinking ? opening.thinking : opening.silent) += text;
        }
    }
    return opening;
}

std::optional<std::string> own_system(const std::vector<TemplatePiece>& pieces) {
    constexpr std::string_view kOpen = "<|im_start|>system\n";
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (pieces[i].for_tools || pieces[i].kind == TemplatePiece::Kind::statement) continue;
        const bool plain = pieces[i].kind == TemplatePiece::Kind::text;
        const std::vector<Part> parts = plain ? std::vector<Part>() : parts_of(pieces[i].source);
        SystemTurn turn;
        bool opened = false;
        if (plain) {
            const std::string_view text = pieces[i].source;
            if (const std::size_t at = text.find(kOpen); at != std::string_view::npos) {
                opened = true;
                turn.add(text.substr(at + kOpen.size()));
            }
        }
        for (std::size_t part = 0; part < parts.size() && !opened; ++part) {
            if (parts[part].kind != Part::Kind::literal) continue;
            const std::string text = decoded(parts[part].source);
            const std::size_t at = text.find(kOpen);
            if (at == std::string::npos) continue;
            opened = true;
            turn.add(std::string_view(text).substr(at + kOpen.size()));
            turn.add(pieces, parts, part + 1);
        }
        if (!opened) continue;
        for (std::size_t next = i + 1; next < pieces.size() && !turn.ended; ++next) {
            if (pieces[next].kind == TemplatePiece::Kind::text) {
                const std::string_view text = pieces[next].source;
                if (text.find_first_not_of(" \n") != std::string_view::npos) turn.add(text);
            } else if (pieces[next].kind == TemplatePiece::Kind::expression) {
                turn.add(pieces, parts_of(pieces[next].source), 0);
            }
        }
        if (!turn.known || !turn.ended || (turn.given && !turn.own.empty())) return {};
        if (!turn.own.empty()) return turn.own;
    }
    return "";
}

} // namespace speclens
