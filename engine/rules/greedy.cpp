// Token-exact verification at temperature 0: keep drafts while they equal the target's most likely token. On a
// tree: the longest path of such tokens (the first of equals), as Medusa and EAGLE do.
#include "engine/rules/verify.h"

namespace speclens {
namespace {

// The end of the longest path on which every token is the target's best one; -1: no first token is.
int longest_match(const Round& round) {
    std::vector<int> depth(round.drafts.size(), 0); // of the nodes that match all the way up; 0: no match
    int best = -1;
    for (int i = 0; i < round.count(); ++i) {
        const int parent = round.parent(i);
        const int above = parent < 0 ? 0 : depth[static_cast<std::size_t>(parent)];
        if (parent >= 0 && above == 0) continue;
        if (round.p_argmax(round.row_of(i)) != round.drafts[static_cast<std::size_t>(i)]) continue;
        depth[static_cast<std::size_t>(i)] = above + 1;
        if (best < 0 || above + 1 > depth[static_cast<std::size_t>(best)]) best = i;
    }
    return best;
}

Verdict verify_greedy(const Round& round) {
    Verdict verdict;
    for (int node = longest_match(round); node >= 0; node = round.parent(node)) verdict.path.insert(verdict.path.begin(), node);
    bool leaf = false;
    for (std::size_t step = 0; step <= verdict.path.size(); ++step) {
        const std::vector<int> children = round.children(step == 0 ? -1 : verdict.path[step - 1]);
        leaf = children.empty();
        for (const int child : children) {
            const bool kept = step < verdict.path.size() && child == verdict.path[step];
            verdict.checks.push_back({.node = child, .threshold = kept ? 1.0 : 0.0, .u = {}, .accepted = kept});
            if (kept) break;
        }
    }
    verdict.from = leaf && round.count() > 0 ? TokenSource::bonus : TokenSource::target;
    verdict.token = round.p_argmax(verdict.row());
    return verdict;
}

} // namespace

RuleInfo greedy_rule() {
    return rule_named<"greedy">({
        .kind = RuleKind::greedy,
        .greedy_only = true,
        .siblings = Siblings::best,
        .verify = verify_greedy,
    });
}

} // namespace speclens
