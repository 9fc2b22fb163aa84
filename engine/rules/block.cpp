// Block verification (Sun et al. 2024, arXiv 2403.10444, algorithm 2): a coefficient runs along the draft,
//   P_0 = 1,  P_i = min(1, P_{i-1} p(x_i) / q(x_i)),
// the prefix of i tokens is kept if the coin of position i falls below
//   h_i = R_i / (R_i + 1 - P_i),  R_i = sum over v of max(P_i p_i(v) - q_i(v), 0);  h_K = P_K,
// and the longest such prefix counts: a later success rescues an earlier failure. The next token comes from
// normalise(max(P_tau p_tau - q_tau, 0)). It never keeps fewer tokens in expectation than the token rule, from the
// same drafts, and the output has exactly the target's distribution. With K = 1, or one-hot drafts, it is the token rule.
#include <algorithm>

#include "engine/rules/verify.h"

namespace speclens {
namespace {

// h_i for a prefix with coefficient `joint`, followed by the rows p and q.
double keep_prefix(double joint, const Distribution& p, const Distribution& q) {
    double left = 0;
    for (std::size_t v = 0; v < p.size(); ++v) left += std::max(joint * p[v] - q[v], 0.0);
    const double lost = 1 - joint;
    return left + lost > 0 ? left / (left + lost) : 1; // 0/0: identical rows, nothing can be lost
}

Verdict verify_block(const Round& round) {
    Verdict verdict;
    const int k = round.count();
    std::vector<double> joint{1}; // P_0 … P_K
    int kept = 0;
    for (int i = 0; i < k; ++i) {
        const std::size_t x = static_cast<std::size_t>(round.drafts[static_cast<std::size_t>(i)]);
        const double p = round.p(i)[x], q = round.q(i)[x], u = round.accept_coin(i);
        // A token that the draft gave no mass ends what can be kept, as in the token rule.
        joint.push_back(q > 0 ? std::min(1.0, joint.back() * p / q) : 0.0);
        const double threshold = i + 1 == k ? joint.back() : keep_prefix(joint.back(), round.p(i + 1), round.q(i + 1));
        verdict.checks.push_back({.node = i, .threshold = threshold, .u = u, .accepted = false, .prefix_coefficient = joint.back()});
        if (u < threshold) kept = i + 1;
    }
    for (int i = 0; i < kept; ++i) {
        verdict.path.push_back(i);
        verdict.checks[static_cast<std::size_t>(i)].accepted = true;
    }
    if (kept < k) {
        Residual left = residual(round.p(kept), round.q(kept), joint[static_cast<std::size_t>(kept)]);
        verdict.residual_fallback = left.distribution.empty();
        verdict.distribution = left.distribution.empty() ? round.p(kept) : std::move(left.distribution);
        verdict.from = TokenSource::residual;
    } else {
        verdict.distribution = round.p(k);
        verdict.from = k > 0 ? TokenSource::bonus : TokenSource::target;
    }
    verdict.u = round.resample_coin(kept);
    verdict.token = sample(verdict.distribution, *verdict.u);
    return verdict;
}

} // namespace

RuleInfo block_rule() {
    return rule_named<"block">({
        .kind = RuleKind::block,
        .needs_q = true,
        .verify = verify_block,
    });
}

} // namespace speclens
