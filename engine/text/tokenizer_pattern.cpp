// The regular expressions of tokenizer.json, with the library that they are written for (Oniguruma), so that
// \s, \p{L}, (?i:…) and whatever a file may hold mean what they mean there. What a search may cost is
// bounded.
#include <oniguruma.h>
#include <time.h>

#include <algorithm>

#include "engine/text/tokenizer_parts.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr unsigned long kFirstTry = 1'000;          // steps back in one search
constexpr unsigned long kDeepestStack = 10'000'000; // remembered places, some 40 bytes each
// A step back may be followed by as many steps forward as there is text: those are bounded by time. Patterns
// of models take a hundredth of it.
constexpr double kSeconds = 2, kSecondsPerByte = 1e-4; // of this thread's processor time
const char* const kPatternRemedy = "Is this the unchanged tokenizer.json of the model?";

const OnigUChar* units(const char* text) { return reinterpret_cast<const OnigUChar*>(text); }

std::string onig_message(int code, OnigErrorInfo* info = nullptr) {
    OnigUChar text[ONIG_MAX_ERROR_MESSAGE_LEN] = {};
    const int length = info == nullptr ? onig_error_code_to_str(text, code) : onig_error_code_to_str(text, code, info);
    return {reinterpret_cast<const char*>(text), static_cast<std::size_t>(std::max(length, 0))};
}

double thread_seconds() {
    timespec time = {};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Once in a process, before the first pattern.
void start_oniguruma() {
    static const int started = [] {
        OnigEncoding encodings[] = {ONIG_ENCODING_UTF8};
        return onig_initialize(encodings, 1);
    }();
    CHECK(started == ONIG_NORMAL, "Oniguruma: " + onig_message(started));
}

// The searches of one pattern in one text.
class Searches {
  public:
    Searches(OnigRegex regex, std::string_view text, const std::string& file, Pattern::Effort& effort)
        : regex_(regex), text_(text), file_(&file), effort_(&effort), limits_(onig_new_match_param(), &onig_free_match_param),
          region_(onig_region_new(), [](OnigRegion* region) { onig_region_free(region, 1); }) {
        CHECK(limits_ && region_, "no memory for matching");
        onig_initialize_match_param(limits_.get());
        onig_set_match_stack_limit_size_of_match_param(limits_.get(), kDeepestStack);
    }
    // The first match that begins at `from` or later.
    [[nodiscard]] std::optional<Pattern::Span> next(std::size_t from) {
        // Most searches need a few steps. Those that need more begin again with more, from a store that is
        // shared by all searches of the text: so the whole takes time linear in its length, whatever the
        // pattern does.
        for (unsigned long steps = kFirstTry;; steps = std::min(4 * steps, effort_->steps)) {
            if (steps > kFirstTry) effort_->steps -= steps;
            if ((steps > kFirstTry || ++searches_ % 64 == 0) && thread_seconds() > effort_->until) fail("it takes too long");
            const int found = search(from, steps);
            if (found >= 0)
                return Pattern::Span{static_cast<std::size_t>(region_->beg[0]), static_cast<std::size_t>(region_->end[0]), true};
            if (found == ONIG_MISMATCH) return std::nullopt;
            const bool more = found == ONIGERR_RETRY_LIMIT_IN_MATCH_OVER || found == ONIGERR_RETRY_LIMIT_IN_SEARCH_OVER;
            if (!more || effort_->steps <= kFirstTry) fail(onig_message(found));
        }
    }

  private:
    [[noreturn]] void fail(const std::string& why) const {
        throw Error(*file_ + ": the split pattern failed on this text (" + why + ")",
                    "Use a shorter prompt, or the unchanged tokenizer.json of the model.");
    }
    int search(std::size_t from, unsigned long steps) {
        onig_set_retry_limit_in_match_of_match_param(limits_.get(), steps);
        onig_set_retry_limit_in_search_of_match_param(limits_.get(), steps);
        const OnigUChar *begin = units(text_.data()), *end = begin + text_.size();
        return onig_search_with_param(regex_, begin, end, begin + from, end, region_.get(), ONIG_OPTION_NONE, limits_.get());
    }

    OnigRegex regex_;
    std::string_view text_;
    const std::string* file_;
    Pattern::Effort* effort_;
    unsigned long searches_ = 0;
    std::unique_ptr<OnigMatchParam, decltype(&onig_free_match_param)> limits_;
    std::unique_ptr<OnigRegion, void (*)(OnigRegion*)> region_;
};

std::size_t character_at(std::string_view text, std::size_t at) {
    std::size_t end = at + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) ++end;
    return end - at;
}

} // namespace

Pattern::Pattern(const std::string& regex, const std::string& file) : file_(file) {
    start_oniguruma();
    OnigRegex compiled = nullptr;
    OnigErrorInfo info = {};
    const int code = onig_new(&compiled, units(regex.data()), units(regex.data() + regex.size()), ONIG_OPTION_NONE, ONIG_ENCODING_UTF8,
                              ONIG_SYNTAX_RUBY, &info);
    if (code != ONIG_NORMAL)
        throw Error(file + ": pre_tokenizer has a pattern that is not a valid regular expression (" + onig_message(code, &info) + ")",
                    kPatternRemedy);
    code_ = std::shared_ptr<void>(compiled, [](void* p) { onig_free(static_cast<OnigRegex>(p)); });
}

Pattern Pattern::of_text(const std::string& text, const std::string& file) {
    std::string regex;
    for (const char c : text) {
        if (std::string_view("\\.+*?()|[]{}^$#&-~/ ").find(c) != std::string_view::npos) regex += '\\';
        regex += c;
    }
    return {regex, file};
}

Pattern::Effort::Effort(std::size_t bytes)
    : steps(10'000'000 + 64 * bytes), until(thread_seconds() + kSeconds + kSecondsPerByte * static_cast<double>(bytes)) {}

std::vector<Pattern::Span> Pattern::spans(std::string_view text, Effort& effort) const {
    std::vector<Span> result;
    Searches searches(static_cast<OnigRegex>(code_.get()), text, file_, effort);
    std::size_t end = 0; // of the last match
    std::size_t from = 0;
    bool any = false;
    while (from <= text.size()) {
        const std::optional<Span> match = searches.next(from);
        if (!match) break;
        const bool behind = any && match->end == end; // where the last one ended
        if (match->begin == match->end && behind) {
            from += from < text.size() ? character_at(text, from) : 1;
            continue;
        }
        if (match->begin > end) result.push_back({end, match->begin, false});
        result.push_back(*match);
        end = from = match->end;
        any = true;
    }
    if (end < text.size()) result.push_back({end, text.size(), false});
    return result;
}

} // namespace speclens
