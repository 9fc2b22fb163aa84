// Standard speculative sampling (Leviathan et al. 2023, algorithm 1; Chen et al. 2023): keep a draft with
// probability min(1, p/q); on the first rejection draw from normalise(max(p - q, 0)); if all pass, one more
// token from the last row. The output has exactly the target's distribution, whatever the draft claimed.
#include <algorithm>

#include "engine/rules/token_walk.h"

namespace speclens {

Verdict walk_tokens(const Round& round, double scale) {
    Verdict verdict;
    const int k = static_cast<int>(round.drafts.size());
    for (int i = 0; i < k; ++i) {
        const std::size_t x = static_cast<std::size_t>(round.drafts[static_cast<std::size_t>(i)]);
        const double p = round.p(i)[x];
        const double q = round.q(i)[x], scaled = scale * q;
        const double u = round.accept_coin(i);
        // No division decides: q may be tiny. A token that the draft gave no mass is rejected.
        const bool accepted = q > 0 && u * scaled < p;
        const double threshold = !(q > 0) || !(p > 0) ? 0.0 : scaled > 0 ? std::min(1.0, p / scaled) : 1.0;
        verdict.checks.push_back({.node = i, .threshold = threshold, .u = u, .accepted = accepted});
        if (accepted) {
            verdict.path.push_back(i);
            continue;
        }
        Residual left = residual(round.p(i), round.q(i));
        verdict.residual_fallback = left.distribution.empty();
        verdict.distribution = left.distribution.empty() ? round.p(i) : std::move(left.distribution);
        verdict.from = TokenSource::residual;
        verdict.u = round.resample_coin(i);
        verdict.token = sample(verdict.distribution, *verdict.u);
        return verdict;
    }
    verdict.from = k > 0 ? TokenSource::bonus : TokenSource::target;
    verdict.distribution = round.p(k);
    verdict.u = round.resample_coin(k);
    verdict.token = sample(verdict.distribution, *verdict.u);
    return verdict;
}

RuleInfo token_rule() {
    return rule_named<"token">({
        .needs_q = true,
        .verify = [](const Round& round) { return walk_tokens(round, 1); },
    });
}

} // namespace speclens
