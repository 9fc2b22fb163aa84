#include "engine/base/written_text.h"

#include <algorithm>

namespace speclens {
namespace {

constexpr double kTiny = 1e-9;

// part ÷ whole of a rising part: both ends. Absent where the whole reaches 0.
std::optional<Between> over_the_rest(double part, Between taken) {
    if (!(part - taken.high > kTiny)) return {};
    return Between{part / (part - taken.low), part / (part - taken.high)};
}

} // namespace

TextShares text_shares(const TextTotals& t) {
    TextShares out;
    if (!(t.tokens > 0) || t.accepted < 0) return out;
    const double most_tokens = t.tokens + t.tokens_off;
    // First tokens that no round wrote: none is sure where nobody says how many answers there were.
    const double first = t.first_apart ? t.answers.value_or(0) : 0;
    Between k{0, t.accepted};
    if (t.cut)
        k.low = k.high = t.accepted - *t.cut;
    else if (t.answers && t.most)
        k.low = t.accepted - *t.answers * *t.most;
    if (t.rounds) k.high = std::min(k.high, most_tokens - *t.rounds - first); // every round delivers a token of its own, too
    const bool counted = t.plain && t.rounds && (t.answers || !t.first_apart) && !t.cut;
    if (counted) { // all passes: the rest was guessed
        const double rest = t.tokens - first - *t.rounds - *t.plain;
        k.low = std::max(k.low, rest - t.tokens_off);
        k.high = std::min(k.high, rest + t.tokens_off);
    }
    k.low = std::max(0.0, k.low);
    if (k.low > k.high + kTiny) {
        out.wrong = SaidOf<"server">()("text.wrong"_t, "tokens"_v = t.tokens, "rounds"_v = t.rounds, "accepted"_v = t.accepted,
                                       "answers"_v = t.answers);
        return out;
    }
    k.high = std::max(k.high, k.low);
    out.least_told = t.cut || (t.answers && t.most) || k.exact();
    // Passes count what is missing of a round with the target's own token, which stands last and is missing with the first
    // of its drafts; of the drafts one fewer is.
    Between own{0, t.answers.value_or(t.accepted)};
    if (t.cut) own = {*t.cut > 0 ? 1.0 : 0.0, std::min(t.answers.value_or(*t.cut), *t.cut)};
    Between drafts{std::min(t.accepted, k.low + own.low), std::min(t.accepted, k.high + own.high)};
    if (t.delivered) drafts = {*t.delivered, *t.delivered};
    out.delivered = drafts;
    out.share = Between{drafts.low / most_tokens, std::min(1.0, drafts.high / std::max(kTiny, t.tokens - t.tokens_off))};
    out.passes = Between{t.tokens - k.high, t.tokens - k.low};
    out.per_pass = over_the_rest(t.tokens, k);
    if (t.rounds) {
        out.plain = Between{std::max(0.0, t.tokens - t.tokens_off - first - *t.rounds - k.high),
                            std::max(0.0, most_tokens - first - *t.rounds - k.low)};
        if (t.plain) out.plain = Between{*t.plain, *t.plain};
        out.plain_holds_first = t.first_apart && !t.answers && !t.plain;
    }
    out.of_whole_answers = t.first_apart && !t.answers;
    out.most_speed_up = over_the_rest(t.tokens - first, counted ? k : drafts); // no pass is quicker than a plain one
    return out;
}

} // namespace speclens
