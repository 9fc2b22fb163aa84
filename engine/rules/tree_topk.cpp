// Trees whose nodes were chosen, not drawn: the draft's most likely tokens (EAGLE-2, Li et al. 2024; Medusa, Cai et al.
// 2024). A proposal counts as certain whatever the draft gave it: it stays with probability r(y), else y is struck
// out of r and the rest is scaled to 1. Lossless for every tree whose shape and tokens do not depend on what the target
// says here; dividing by the draft's probability instead would not be.
#include <numeric>

#include "engine/rules/tree_walk.h"

namespace speclens {
namespace {

double certain(const Round&, int) { return 1; }

Distribution strike_out(const Distribution& goal, const Round& round, int node) {
    Distribution left = goal;
    left[static_cast<std::size_t>(round.drafts[static_cast<std::size_t>(node)])] = 0;
    const double mass = std::accumulate(left.begin(), left.end(), 0.0);
    if (mass < 1e-12) return {};
    for (double& value : left) value /= mass;
    return left;
}

} // namespace

RuleInfo tree_topk_rule() {
    return rule_named<"tree_topk">({
        .kind = RuleKind::certain,
        .siblings = Siblings::best,
        .verify = [](const Round& round) { return walk_tree(round, &certain, &strike_out); },
    });
}

} // namespace speclens
