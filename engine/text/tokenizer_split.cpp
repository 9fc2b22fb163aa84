// Cutting text before byte pair encoding: added tokens, Unicode normalisation, the split pattern (PCRE2).
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <utf8proc.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <initializer_list>
#include <limits>

#include "engine/text/tokenizer_parts.h"
#include "kernels/error.h"

namespace speclens {
namespace {

// The Unicode property White_Space. PCRE2's own \s also takes U+180E, which left that property in 2013.
const char* const kSpace = "\\x09-\\x0d\\x20\\x{85}\\p{Z}";

std::string with_unicode_space(std::string_view regex) {
    std::string result;
    bool in_class = false;
    for (std::size_t i = 0; i < regex.size(); ++i) {
        const char c = regex[i];
        if (c != '\\' || i + 1 == regex.size()) {
            if (c == '[') in_class = true;
            if (c == ']') in_class = false;
            result += c;
            continue;
        }
        const char escaped = regex[++i];
        if (escaped == 's') {
            result += in_class ? kSpace : std::string("[") + kSpace + "]";
        } else if (escaped == 'S' && !in_class) {
            result += std::string("[^") + kSpace + "]";
        } else {
            result += {c, escaped};
        }
    }
    return result;
}

// The length of a quantifier such as {1,3} at the front of `rest`; 0 where there is none.
std::size_t counted_repeat(std::string_view rest) {
    const std::size_t end = rest.find_first_not_of("0123456789,", 1);
    return rest.starts_with('{') && end > 1 && end < rest.size() && rest[end] == '}' ? end + 1 : 0;
}

// The first piece of a pattern that Oniguruma, which tokenizer.json is written for, reads in another way than
// PCRE2 does: \h is a hexadecimal digit there, ^ and $ stand at every line, {1,3}+ is not possessive, a class
// may hold classes. Empty: both read all of it alike.
std::string read_in_two_ways(std::string_view regex) {
    static constexpr std::string_view kAlike = "sSdDpPnrtfx"; // letters behind a backslash
    bool in_class = false;
    for (std::size_t i = 0; i < regex.size(); ++i) {
        const std::string_view rest = regex.substr(i);
        const auto begins = [&](std::initializer_list<std::string_view> pieces) {
            return std::ranges::any_of(pieces,
                                       [&](std::string_view piece) { return rest.starts_with(piece); });
        };
        if (rest[0] == '\\' && rest.size() > 1) {
            const auto c = static_cast<unsigned char>(rest[1]);
            if (std::isalnum(c) && kAlike.find(rest[1]) == std::string_view::npos)
                return std::string(rest.substr(0, 2));
            ++i;
            if (begins({"\\p{", "\\P{", "\\x{"})) i += std::min(rest.find('}'), rest.size()) - 1;
        } else if (in_class) {
            if (rest[0] == '[') return "a class within a class";
            if (begins({"&&"})) return "&&";
            if (rest[0] == ']') in_class = false;
        } else if (rest[0] == '[') {
            in_class = true;
            if (begins({"[^]", "[]"})) return "an empty class";
        } else if (rest[0] == '^' || rest[0] == '$') {
            return std::string(rest.substr(0, 1));
        } else if (begins({"(*"})) {
            return "(*";
        } else if (begins({"(?"})) {
            if (!begins({"(?:", "(?!", "(?=", "(?>", "(?<", "(?i:", "(?-i:"}))
                return std::string(rest.substr(0, 3));
        } else if (const std::size_t length = counted_repeat(rest); length > 0) {
            if (rest.substr(length).starts_with('+')) return std::string(rest.substr(0, length + 1));
            i += length - 1;
        }
    }
    return "";
}

std::string pcre_message(int code) {
    PCRE2_UCHAR text[256] = {};
    pcre2_get_error_message(code, text, sizeof text);
    return reinterpret_cast<const char*>(text);
}

// utf8proc orders combining marks by exchanging neighbours, which takes quadratic time for hostile runs of
// them. Long runs are put into that order here; the normal form stays the same, because it begins with this
// very sort.
constexpr std::size_t kLongRun = 30; // no real text has more marks on one letter (Unicode annex 15)

std::string with_ordered_marks(std::string_view text) {
    struct Mark {
        int order;
        std::string_view bytes;
    };
    std::string result;
    std::vector<Mark> run;
    const auto flush = [&] {
        if (run.size() > kLongRun) std::ranges::stable_sort(run, {}, &Mark::order);
        for (const Mark& mark : run) result += mark.bytes;
        run.clear();
    };
    while (!text.empty()) {
        utf8proc_int32_t c = 0;
        const auto length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                             static_cast<utf8proc_ssize_t>(text.size()), &c);
        CHECK(length > 0, "text for normalisation must be valid UTF-8");
        const std::string_view bytes = text.substr(0, static_cast<std::size_t>(length));
        const int order = utf8proc_get_property(c)->combining_class;
        if (order == 0) {
            flush();
            result += bytes;
        } else {
            run.push_back({order, bytes});
        }
        text.remove_prefix(bytes.size());
    }
    flush();
    return result;
}

PCRE2_SPTR units(std::string_view text) {
    return reinterpret_cast<PCRE2_SPTR>(text.data());
}

} // namespace

void AddedTokens::add(const AddedToken& token) {
    auto& list = by_first_byte_[static_cast<unsigned char>(token.content.front())];
    const auto longer = [](const AddedToken& a, const AddedToken& b) {
        return a.content.size() > b.content.size();
    };
    list.insert(std::ranges::upper_bound(list, token, longer), token);
}

std::optional<AddedTokens::Hit> AddedTokens::next(std::string_view text, std::size_t from) const {
    for (std::size_t at = from; at < text.size(); ++at)
        for (const AddedToken& token : by_first_byte_[static_cast<unsigned char>(text[at])])
            if (text.substr(at).starts_with(token.content)) return Hit{at, token.content.size(), token.id};
    return std::nullopt;
}

std::string nfc(std::string_view text) {
    const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    if (std::ranges::all_of(text, ascii)) return std::string(text);
    const std::string ordered = with_ordered_marks(text);
    utf8proc_uint8_t* composed = nullptr;
    const utf8proc_ssize_t length =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(ordered.data()),
                     static_cast<utf8proc_ssize_t>(ordered.size()), &composed,
                     static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
    CHECK(length >= 0, std::string("utf8proc: ") + utf8proc_errmsg(length));
    return {reinterpret_cast<const char*>(composed), static_cast<std::size_t>(length)};
}

SplitPattern::SplitPattern(const std::string& regex, const std::string& file) : file_(file) {
    if (const std::string piece = read_in_two_ways(regex); !piece.empty())
        throw Error(file + ": pre_tokenizer has a pattern with " + piece +
                        ", which is not supported: it would cut text in other places here",
                    "Is this an unchanged tokenizer.json of a Qwen2 or Qwen3 model?");
    const std::string pattern = with_unicode_space(regex);
    int code = 0;
    PCRE2_SIZE place = 0;
    pcre2_code* compiled =
        pcre2_compile(units(pattern), pattern.size(), PCRE2_UTF | PCRE2_UCP, &code, &place, nullptr);
    if (compiled == nullptr)
        throw Error(file + ": pre_tokenizer has a pattern that is not a valid regular expression (" +
                        pcre_message(code) + " at " + std::to_string(place) + ")",
                    "Is this an unchanged tokenizer.json of a Qwen2 or Qwen3 model?");
    code_ = std::shared_ptr<void>(compiled, [](void* p) { pcre2_code_free(static_cast<pcre2_code*>(p)); });
}

void SplitPattern::split(std::string_view text, std::vector<std::string_view>& pieces) const {
    const auto* code = static_cast<const pcre2_code*>(code_.get());
    const std::unique_ptr<pcre2_match_data, decltype(&pcre2_match_data_free)> data(
        pcre2_match_data_create_from_pattern(code, nullptr), &pcre2_match_data_free);
    const std::unique_ptr<pcre2_match_context, decltype(&pcre2_match_context_free)> limits(
        pcre2_match_context_create(nullptr), &pcre2_match_context_free);
    CHECK(data && limits, "no memory for matching");
    // Linear patterns stay far below this, also for a run of blanks as long as the text; a pattern that
    // explodes ends with an Error instead of a hang.
    const std::size_t steps =
        std::min<std::size_t>(10'000'000 + 16 * text.size(), std::numeric_limits<int>::max());
    pcre2_set_match_limit(limits.get(), static_cast<std::uint32_t>(steps));

    std::size_t start = 0, search = 0; // first byte not yet in a piece; where to look for the next match
    while (search < text.size()) {
        const int found =
            pcre2_match(code, units(text), text.size(), search, PCRE2_NO_UTF_CHECK, data.get(), limits.get());
        if (found == PCRE2_ERROR_NOMATCH) break;
        if (found < 0)
            throw Error(file_ + ": the split pattern failed on this text (" + pcre_message(found) + ")",
                        "Use a shorter prompt, or an unchanged tokenizer.json of a Qwen2 or Qwen3 model.");
        const PCRE2_SIZE* range = pcre2_get_ovector_pointer(data.get());
        if (range[1] <= range[0]) { // an empty match cuts nothing; go on behind the next character
            search = std::max(search, range[0]);
            do ++search;
            while (search < text.size() && (static_cast<unsigned char>(text[search]) & 0xC0) == 0x80);
            continue;
        }
        if (range[0] > start) pieces.push_back(text.substr(start, range[0] - start));
        pieces.push_back(text.substr(range[0], range[1] - range[0]));
        start = search = range[1];
    }
    if (start < text.size()) pieces.push_back(text.substr(start));
}

} // namespace speclens
