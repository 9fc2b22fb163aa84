// Sample and compare: draw the target's token at every position with the ordinary sampler and keep drafts
// while they equal it. Every emitted token is a sample of the target, so it is lossless by construction; a
// draft survives with probability p(x), less often than under the token rule.
#include "engine/rules/verify.h"

namespace speclens {

namespace {

Verdict verify_match(const Round& round) {
    Verdict verdict;
    const int k = static_cast<int>(round.drafts.size());
    for (int i = 0;; ++i) {
        const double u = round.resample_coin(i);
        const int drawn = sample(round.p(i), u);
        if (i < k) {
            const bool same = drawn == round.drafts[static_cast<std::size_t>(i)];
            verdict.checks.push_back({.node = i, .threshold = same ? 1.0 : 0.0, .u = u, .accepted = same});
            if (same) {
                verdict.path.push_back(i);
                continue;
            }
        }
        verdict.from = k > 0 && i == k ? TokenSource::bonus : TokenSource::target;
        verdict.token = drawn;
        verdict.u = u;
        verdict.distribution = round.p(i);
        return verdict;
    }
}

} // namespace

RuleInfo match_rule() {
    return rule_named<"match">({
        .kind = RuleKind::match,
        .verify = verify_match,
    });
}

} // namespace speclens
