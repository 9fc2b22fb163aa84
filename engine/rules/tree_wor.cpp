// Trees whose siblings were drawn without replacement (EAGLE, Li et al. 2024; Sequoia, Chen et al. 2024; recursive
// rejection sampling, Jeon et al. 2024): each sibling came from the draft's distribution without the ones before it, and that
// distribution, Round::q of the node, is what the goal is compared with and loses. Lossless for a shape fixed beforehand.
#include "engine/rules/tree_walk.h"

namespace speclens {

RuleInfo tree_wor_rule() {
    return rule_named<"tree_wor">({
        .needs_q = true,
        .siblings = Siblings::without,
        .verify = [](const Round& round) { return walk_tree(round, &drawn_with, &without_proposal); },
    });
}

} // namespace speclens
