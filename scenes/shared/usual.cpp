#include "scenes/shared/usual.h"

#include <vector>

#include "engine/base/quantile.h"
#include "engine/lab/study.h"
#include "scenes/shared/told.h"
#include "ui/format.h"

namespace speclens {

double usual_ms(const CycleView& whole, const CycleSummary& cycle, PhaseTime time) {
    constexpr std::size_t kFew = 4;
    constexpr double kUnusual = 3;
    std::vector<double> others;
    for (const CycleSummary& c : whole.cycles)
        if (c.complete() && c.cycle != cycle.cycle && c.drafts.size() == cycle.drafts.size())
            others.push_back(time(c));
    if (others.size() < kFew) return 0;
    const double usual = median(std::move(others));
    return usual > 0 && time(cycle) > kUnusual * usual ? usual : 0;
}

std::string timed_words(const CycleView& whole, const CycleSummary& cycle, PhaseTime time, int decimals) {
    const double usual = usual_ms(whole, cycle, time);
    return shared_says("words.timed"_t, "ms"_v = ui::number(time(cycle), decimals), "usual"_v = usual > 0 ? ui::number(usual, decimals) : "");
}

} // namespace speclens
