#include "engine/rules/tree_walk.h"

#include <algorithm>

namespace speclens {

Verdict walk_tree(const Round& round, double (*proposal)(const Round& round, int node), Deplete deplete) {
    Verdict verdict;
    for (;;) {
        const int row = verdict.row();
        const std::vector<int> children = round.children(verdict.path.empty() ? -1 : verdict.path.back());
        Distribution goal; // empty: nothing was rejected here yet, the goal is the target's distribution
        int accepted = -1;
        for (const int child : children) {
            const std::size_t token = static_cast<std::size_t>(round.drafts[static_cast<std::size_t>(child)]);
            const double r = goal.empty() ? round.p(row)[token] : goal[token];
            const double d = proposal(round, child);
            const double u = round.accept_coin(child);
            // No division decides: d may be tiny. A token that its proposal gave no mass is rejected.
            const bool stays = d > 0 && u * d < r;
            verdict.checks.push_back({.node = child,
                                      .threshold = d > 0 ? std::min(1.0, r / d) : 0.0,
                                      .u = u,
                                      .accepted = stays,
                                      .sibling_residual = goal.empty() ? std::nullopt : std::optional<double>(r)});
            if (stays) {
                accepted = child;
                break;
            }
            goal = deplete(goal.empty() ? round.p(row) : goal, round, child);
            if (goal.empty()) { // only rounding rejects a child whose acceptance was certain
                verdict.residual_fallback = true;
                break;
            }
        }
        if (accepted >= 0) {
            verdict.path.push_back(accepted);
            continue;
        }
        verdict.from = round.count() == 0 ? TokenSource::target : children.empty() ? TokenSource::bonus : TokenSource::residual;
        verdict.distribution = goal.empty() ? round.p(row) : std::move(goal);
        verdict.u = round.resample_coin(row);
        verdict.token = sample(verdict.distribution, *verdict.u);
        return verdict;
    }
}

double drawn_with(const Round& round, int node) {
    return round.q(node)[static_cast<std::size_t>(round.drafts[static_cast<std::size_t>(node)])];
}

Distribution without_proposal(const Distribution& goal, const Round& round, int node) { return residual(goal, round.q(node)).distribution; }

} // namespace speclens
