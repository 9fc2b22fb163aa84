#include "scenes/accept/accept_flips.h"

#include <cmath>
#include <numeric>

#include "engine/base/rng.h"
#include "engine/base/statistics.h"
#include "engine/rules/verify.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr std::size_t kLargestDistribution = 20000; // above this a thousand flips take too long for one frame

struct Distributions {
    Distribution p, q;
    std::vector<int> bar_of; // id -> bar
};

Distributions distributions_for(const AcceptView& view) {
    Distributions distributions;
    const int bars = static_cast<int>(view.bars.size());
    if (!view.edited && view.source.full && view.source.p.size() <= kLargestDistribution) {
        distributions.p = view.source.p;
        distributions.q = view.source.q;
        distributions.bar_of.assign(distributions.p.size(), bars - 1);
        for (int i = 0; i + 1 < bars; ++i) distributions.bar_of[static_cast<std::size_t>(view.bars[static_cast<std::size_t>(i)].id)] = i;
        return distributions;
    }
    const auto add = [&](double p, double q, int bar) {
        distributions.p.push_back(p);
        distributions.q.push_back(q);
        distributions.bar_of.push_back(bar);
    };
    for (int i = 0; i < bars; ++i) {
        const AcceptBar& bar = view.bars[static_cast<std::size_t>(i)];
        if (bar.id >= 0) {
            add(bar.p, bar.q, i);
        } else { // many tokens, of which one distribution may give the one part and the other distribution another
            add(bar.kept, bar.kept, i);
            add(0, bar.over(), i);
            add(bar.owed(), 0, i);
        }
    }
    return distributions;
}

} // namespace

int FlipCounts::kept_total() const { return std::accumulate(kept.begin(), kept.end(), 0); }

void flip(const AcceptView& view, std::uint64_t seed, int count, FlipCounts& counts) {
    if (view.bars.empty()) return;
    const RuleInfo* rule = find_rule("token");
    CHECK(rule, "the token rule is always there");
    const Distributions distributions = distributions_for(view);
    if (counts.kept.size() != view.bars.size()) {
        counts = {};
        counts.kept.assign(view.bars.size(), 0);
        counts.resampled.assign(view.bars.size(), 0);
    }
    for (int n = 0; n < count; ++n) {
        const auto coin = [&](Purpose purpose) {
            return uniform({.seed = seed, .position = static_cast<std::uint32_t>(counts.flips), .purpose = purpose});
        };
        const int drafts[] = {sample(distributions.q, coin(Purpose::draft))};
        Round round;
        round.drafts = drafts;
        round.p = [&](int) -> const Distribution& { return distributions.p; };
        round.q = [&](int) -> const Distribution& { return distributions.q; };
        round.p_argmax = [&](int) { return argmax(distributions.p); };
        round.accept_coin = [&](int) { return coin(Purpose::accept); };
        round.resample_coin = [&](int) { return coin(Purpose::resample); };
        const Verdict verdict = rule->verify(round);
        const bool accepted = verdict.accepted() == 1;
        const int out = distributions.bar_of[static_cast<std::size_t>(accepted ? drafts[0] : verdict.token)];
        ++(accepted ? counts.kept : counts.resampled)[static_cast<std::size_t>(out)];
        counts.last = {distributions.bar_of[static_cast<std::size_t>(drafts[0])], out, coin(Purpose::accept), accepted};
        ++counts.flips;
    }
}

FlipTest test_flips(const AcceptView& view, const FlipCounts& counts) {
    FlipTest test;
    if (counts.flips == 0 || counts.kept.size() != view.bars.size()) return test;
    double statistic = 0, pooled_expected = 0, pooled_seen = 0;
    int bins = 0;
    const auto add = [&](double seen, double expected) {
        statistic += (seen - expected) * (seen - expected) / expected;
        ++bins;
    };
    for (std::size_t i = 0; i < view.bars.size(); ++i) {
        const double expected = view.bars[i].p * counts.flips, seen = counts.total(i);
        test.tv += std::abs(seen / counts.flips - view.bars[i].p) / 2;
        if (expected >= 5) {
            add(seen, expected);
        } else {
            pooled_expected += expected;
            pooled_seen += seen;
        }
    }
    if (pooled_expected >= 1) add(pooled_seen, pooled_expected);
    test.enough = bins >= 2;
    if (test.enough) test.chi2_p = chi_square_tail(statistic, bins - 1);
    return test;
}

// Regularised upper incomplete gamma function Q(degrees / 2, x / 2): series below a + 1, continued fraction
// above.
} // namespace speclens
