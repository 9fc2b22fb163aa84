// Trees whose siblings were drawn independently, with replacement (SpecInfer's multi-step speculative sampling, Miao
// et al. 2023): every sibling came from the same distribution of the draft, Round::q of the node. A token that comes twice is
// harmless and useless: after its rejection nothing of it is left. Lossless for a shape fixed beforehand.
// The walk is that of tree_wor: the two differ in how the siblings are drawn, and so in the distributions they carry.
#include "engine/rules/tree_walk.h"

namespace speclens {

RuleInfo tree_wr_rule() {
    return rule_named<"tree_wr">({
        .needs_q = true,
        .siblings = Siblings::with,
        .verify = [](const Round& round) { return walk_tree(round, &drawn_with, &without_proposal); },
    });
}

} // namespace speclens
