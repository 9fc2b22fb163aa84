#include "scenes/shared/typical_time.h"

#include <vector>

#include "engine/base/quantile.h"
#include "engine/lab/study.h"

namespace speclens {

double typical_ms(const RunView& whole, const RoundSummary& round, PhaseTime time) {
    constexpr std::size_t kFew = 4;
    constexpr double kUntypical = 3;
    std::vector<double> others;
    for (const RoundSummary& c : whole.round_list)
        if (c.complete() && c.round != round.round && c.drafts.size() == round.drafts.size()) others.push_back(time(c));
    if (others.size() < kFew) return 0;
    const double typical = median(std::move(others));
    return typical > 0 && time(round) > kUntypical * typical ? typical : 0;
}

Message timed_words(const RunView& whole, const RoundSummary& round, PhaseTime time) {
    const double typical = typical_ms(whole, round, time);
    return shared_says("words.timed"_t, "ms"_v = time(round), "usual"_v = if_measured(typical));
}

} // namespace speclens
