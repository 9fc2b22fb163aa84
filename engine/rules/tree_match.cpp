// Sample and compare on a tree: draw the target's token with the ordinary sampler, and where a child has it, go on there. Every
// emitted token is a sample of the target, so it is lossless for every tree that was made before the token was drawn; a round goes on
// with the mass that the target gives the children together. The rule of trees out of blocks (DDTree).
#include "engine/rules/verify.h"

namespace speclens {

namespace {

Verdict verify_tree_match(const Round& round) {
    Verdict verdict;
    for (;;) {
        const int row = verdict.row();
        const double u = round.resample_coin(row);
        const int drawn = sample(round.p(row), u);
        const std::vector<int> children = round.children(verdict.path.empty() ? -1 : verdict.path.back());
        int next = -1;
        for (const int child : children) {
            const bool same = drawn == round.drafts[static_cast<std::size_t>(child)];
            verdict.checks.push_back({.node = child, .threshold = same ? 1.0 : 0.0, .u = u, .accepted = same});
            if (!same) continue;
            next = child;
            break;
        }
        if (next >= 0) {
            verdict.path.push_back(next);
            continue;
        }
        verdict.from = round.count() > 0 && children.empty() ? TokenSource::bonus : TokenSource::target;
        verdict.token = drawn;
        verdict.u = u;
        verdict.distribution = round.p(row);
        return verdict;
    }
}

} // namespace

RuleInfo tree_match_rule() {
    return rule_named<"tree_match">({
        .kind = RuleKind::match,
        .siblings = Siblings::best,
        .verify = verify_tree_match,
    });
}

} // namespace speclens
