// What the sampling rules for trees share: multi-round residual rejection (SpecInfer, Miao et al. 2023).
#pragma once

#include "engine/rules/verify.h"

namespace speclens {

// What is left of a goal distribution once a sibling was rejected; an empty distribution when nothing is left in floating point.
using Deplete = Distribution (*)(const Distribution& goal, const Round& round, int node);

// At every node the children are judged in order against a goal r, first the target's distribution p there: a child of token
// y with proposal distribution d stays with probability min(1, r(y) / d(y)), and the walk goes on below it; else r becomes
// `deplete` of r. With no child left the target's own token is drawn from r.
// proposal: d(y) of a node.
[[nodiscard]] Verdict walk_tree(const Round& round, double (*proposal)(const Round& round, int node), Deplete deplete);

// The two above for nodes that were drawn: d = Round::q, r <- normalise(max(r - d, 0)).
[[nodiscard]] double drawn_with(const Round& round, int node);
[[nodiscard]] Distribution without_proposal(const Distribution& goal, const Round& round, int node);

} // namespace speclens
