// k-SEQ (SpecTr, Sun et al. 2023): the k siblings at a node were drawn independently from q, each is kept with
// probability min(1, p / (rho q)), and when none is, the own token comes from one residual for them all. With
// beta = sum of min(q, p / rho) over the vocabulary, a node keeps one of its children with probability 1 - (1-beta)^k and
//   residual = (p - min(q, p/rho) (1 - (1-beta)^k) / beta) / (1-beta)^k.
// Lossless where rho beta >= 1 - (1-beta)^k, which rho = k always satisfies; a smaller rho that does not satisfy it at a
// node is replaced by k there. Siblings that did not come from one distribution (a draft at temperature 0 proposes its favourites)
// are judged one after another, as by tree_wr.
#include <algorithm>
#include <cmath>

#include "engine/rules/tree_walk.h"

namespace speclens {
namespace {

// What a node of k siblings does: how far each is held back, and the distribution when none is kept.
struct Node {
    double rho = 1;
    double beta = 0;   // that one sibling is kept
    double missed = 1; // that none is
};

Node node_for(const Distribution& p, const Distribution& q, int k, double rho) {
    Node node{rho, 0, 1};
    for (std::size_t v = 0; v < p.size(); ++v) node.beta += std::min(q[v], p[v] / rho);
    node.beta = std::min(node.beta, 1.0);
    node.missed = std::pow(1 - node.beta, k);
    return node;
}

Distribution residual_of(const Distribution& p, const Distribution& q, const Node& node) {
    const double scale = node.beta > 0 ? (1 - node.missed) / node.beta : 0;
    Distribution distribution(p.size());
    double mass = 0;
    for (std::size_t v = 0; v < p.size(); ++v) mass += distribution[v] = std::max(p[v] - scale * std::min(q[v], p[v] / node.rho), 0.0);
    if (mass < 1e-12) return {};
    for (double& value : distribution) value /= mass;
    return distribution;
}

bool drawn_independently(const Round& round) {
    std::vector<int> first(static_cast<std::size_t>(round.count()) + 1, -1); // child of each node, of -1 at 0
    for (int node = 0; node < round.count(); ++node) {
        int& sibling = first[static_cast<std::size_t>(round.parent(node) + 1)];
        if (sibling < 0)
            sibling = node;
        else if (round.q(sibling) != round.q(node))
            return false;
    }
    return true;
}

Verdict verify_tree_kseq(const Round& round) {
    if (!drawn_independently(round)) return walk_tree(round, &drawn_with, &without_proposal);
    Verdict verdict;
    for (;;) {
        const int row = verdict.row();
        const std::vector<int> children = round.children(verdict.path.empty() ? -1 : verdict.path.back());
        const Distribution& p = round.p(row);
        if (children.empty()) {
            verdict.from = round.count() == 0 ? TokenSource::target : TokenSource::bonus;
            verdict.distribution = p;
        } else {
            const Distribution& q = round.q(children[0]);
            const int k = static_cast<int>(children.size());
            const double asked = round.params.rho > 0 ? std::min<double>(std::max(round.params.rho, 1.0), k) : k;
            Node node = node_for(p, q, k, asked);
            if (asked < k && asked * node.beta < (1 - node.missed) * (1 - 1e-12)) node = node_for(p, q, k, k);
            int accepted = -1;
            for (const int child : children) {
                const std::size_t token = static_cast<std::size_t>(round.drafts[static_cast<std::size_t>(child)]);
                const double held = node.rho * q[token], u = round.accept_coin(child);
                const bool stays = held > 0 && u * held < p[token];
                verdict.checks.push_back(
                    {.node = child, .threshold = held > 0 ? std::min(1.0, p[token] / held) : 0.0, .u = u, .accepted = stays});
                if (!stays) continue;
                accepted = child;
                break;
            }
            if (accepted >= 0) {
                verdict.path.push_back(accepted);
                continue;
            }
            verdict.distribution = residual_of(p, q, node);
            verdict.from = TokenSource::residual;
            verdict.residual_fallback = verdict.distribution.empty();
            if (verdict.distribution.empty()) verdict.distribution = p;
        }
        verdict.u = round.resample_coin(row);
        verdict.token = sample(verdict.distribution, *verdict.u);
        return verdict;
    }
}

} // namespace

RuleInfo tree_kseq_rule() {
    return rule_named<"tree_kseq">({
        .kind = RuleKind::kseq,
        .needs_q = true,
        .siblings = Siblings::with,
        .parameters = {{"rho", rule_said("parameter.rho"_t),
                        "0 takes the number of siblings, which is always valid; smaller values of 1 or more keep more", &RuleParams::rho, 0,
                        64, 8}},
        .verify = verify_tree_kseq,
    });
}

} // namespace speclens
