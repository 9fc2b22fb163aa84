// Text between added tokens, before byte pair encoding: normalisation, then the steps of the pre-tokenizer.
#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <deque>

#include "engine/text/tokenizer_parts.h"
#include "kernels/error.h"

namespace speclens {
namespace {

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
        const auto length =
            utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()), &c);
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

std::string replaced(std::string_view text, std::string_view pattern, std::string_view content) {
    std::string result;
    while (true) {
        const std::size_t at = text.find(pattern);
        result += text.substr(0, at);
        if (at == std::string_view::npos) return result;
        result += content;
        text.remove_prefix(at + pattern.size());
    }
}

// A part of a text on its way through the steps; the text belongs to whoever began.
struct Piece {
    std::string_view text;
    bool at_start = false;
};

// What the spans of a pattern make of a text; may hold empty pieces.
std::vector<Pattern::Span> delimited(const std::vector<Pattern::Span>& spans, Delimiter delimiter, bool invert) {
    std::vector<Pattern::Span> result;
    bool last = false;    // the span before is a match
    bool pending = false; // the last piece is a match that waits for the text behind it
    for (Pattern::Span span : spans) {
        span.match = span.match != invert;
        const bool join_back = (delimiter == Delimiter::contiguous && span.match == last) ||
                               (delimiter == Delimiter::merged_with_previous && span.match && !last);
        const bool join = join_back || (delimiter == Delimiter::merged_with_next && pending && !span.match);
        if (join && !result.empty()) {
            result.back().end = span.end;
        } else if (delimiter != Delimiter::removed || !span.match) {
            result.push_back(span);
        }
        pending = last = span.match;
    }
    return result;
}

} // namespace

std::string nfc(std::string_view text) {
    const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
    if (std::ranges::all_of(text, ascii)) return std::string(text);
    const std::string ordered = with_ordered_marks(text);
    utf8proc_uint8_t* composed = nullptr;
    const utf8proc_ssize_t length =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(ordered.data()), static_cast<utf8proc_ssize_t>(ordered.size()), &composed,
                     static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
    CHECK(length >= 0, std::string("utf8proc: ") + utf8proc_errmsg(length));
    return {reinterpret_cast<const char*>(composed), static_cast<std::size_t>(length)};
}

std::string normalized(std::string_view text, const std::vector<NormalStep>& steps) {
    std::string result(text);
    for (const NormalStep& step : steps) switch (step.kind) {
        case NormalStep::Kind::nfc: result = nfc(result); break;
        case NormalStep::Kind::prepend:
            if (!result.empty()) result.insert(0, step.content);
            break;
        case NormalStep::Kind::replace: result = replaced(result, step.pattern, step.content); break;
        }
    return result;
}

void split_text(std::string_view text, bool at_start, const std::vector<SplitStep>& steps,
                const std::function<void(std::string_view)>& piece) {
    std::vector<Piece> pieces{{text, at_start}}, next;
    std::deque<std::string> changed; // texts that are no longer a part of the given one
    for (const SplitStep& step : steps) {
        next.clear();
        Pattern::Effort effort(text.size());
        for (Piece part : pieces) {
            const auto change = [&](std::string to) { part.text = changed.emplace_back(std::move(to)); };
            if (!step.blank.empty() && part.text.find(' ') != std::string_view::npos) change(replaced(part.text, " ", step.blank));
            if (!step.prepend.empty() && !part.text.starts_with(step.prepend) && (part.at_start || !step.first_only))
                change(step.prepend + std::string(part.text));
            if (!step.pattern) {
                next.push_back(part);
                continue;
            }
            for (const Pattern::Span& span : delimited(step.pattern->spans(part.text, effort), step.delimiter, step.invert))
                if (span.end > span.begin)
                    next.push_back({part.text.substr(span.begin, span.end - span.begin), part.at_start && span.begin == 0});
        }
        pieces.swap(next);
    }
    for (const Piece& part : pieces) piece(part.text);
}

SplitStep split_digits(bool individual, const std::string& file) {
    SplitStep step;
    step.pattern.emplace("\\p{N}", file);
    step.delimiter = individual ? Delimiter::isolated : Delimiter::contiguous;
    return step;
}

SplitStep split_like_gpt2(const std::string& file) {
    SplitStep step;
    step.pattern.emplace(R"('(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)", file);
    return step;
}

} // namespace speclens
