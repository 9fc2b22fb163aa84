#include <numeric>

#include "engine/base/rng.h"
#include "engine/rules/verify.h"
#include "kernels/error.h"
#include "scenes/accept/accept_model.h"

namespace speclens {
namespace {

constexpr std::size_t kLargestDistribution = 20000; // above this a thousand flips take too long for one frame

struct Distributions {
    Distribution p, q;
    std::vector<int> bar_of; // id -> bar
};

Distributions distributions_for(const AcceptView& view) {
    const int bars = static_cast<int>(view.bars.size());
    if (!view.edited && view.source.full && view.source.p.size() <= kLargestDistribution) {
        Distributions whole{view.source.p, view.source.q, std::vector<int>(view.source.p.size(), bars - 1)};
        for (int i = 0; i + 1 < bars; ++i) whole.bar_of[static_cast<std::size_t>(view.bars[static_cast<std::size_t>(i)].id)] = i;
        return whole;
    }
    Distributions binned;
    const auto add = [&](double p, double q, int bar) {
        binned.p.push_back(p);
        binned.q.push_back(q);
        binned.bar_of.push_back(bar);
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
    return binned;
}

} // namespace

int FlipCounts::kept_total() const { return std::accumulate(kept.begin(), kept.end(), 0); }

void flip(const AcceptView& view, std::uint64_t seed, int count, FlipCounts& counts) {
    if (view.bars.empty()) return;
    const RuleInfo* rule = find_rule("token");
    CHECK(rule, "the token rule is always there");
    const Distributions of = distributions_for(view);
    if (counts.kept.size() != view.bars.size())
        counts = {.kept = std::vector<int>(view.bars.size(), 0), .resampled = std::vector<int>(view.bars.size(), 0)};
    for (int n = 0; n < count; ++n, ++counts.flips) {
        const auto coin = [&](Purpose purpose) {
            return uniform({.seed = seed, .position = static_cast<std::uint32_t>(counts.flips), .purpose = purpose});
        };
        const int drafts[] = {sample(of.q, coin(Purpose::draft))};
        Round round;
        round.drafts = drafts;
        round.p = [&](int) -> const Distribution& { return of.p; };
        round.q = [&](int) -> const Distribution& { return of.q; };
        round.p_argmax = [&](int) { return argmax(of.p); };
        round.accept_coin = [&](int) { return coin(Purpose::accept); };
        round.resample_coin = [&](int) { return coin(Purpose::resample); };
        const Verdict verdict = rule->verify(round);
        const bool accepted = verdict.accepted() == 1;
        const int out = of.bar_of[static_cast<std::size_t>(accepted ? drafts[0] : verdict.token)];
        ++(accepted ? counts.kept : counts.resampled)[static_cast<std::size_t>(out)];
        counts.draft = of.bar_of[static_cast<std::size_t>(drafts[0])];
        counts.u = coin(Purpose::accept);
    }
}

DistributionTest test_flips(const AcceptView& view, const FlipCounts& counts) {
    if (counts.flips == 0 || counts.kept.size() != view.bars.size()) return {};
    Counts drawn;
    ExactDistribution expected;
    for (std::size_t i = 0; i < view.bars.size(); ++i) {
        if (counts.total(i) > 0) drawn[{static_cast<int>(i)}] = counts.total(i);
        expected[{static_cast<int>(i)}] = view.bars[i].p;
    }
    return against_distribution(drawn, expected);
}

} // namespace speclens
