// Typical acceptance (Medusa, Cai et al. 2024, §3.3): keep a draft while the target gives it more than
// min(epsilon, delta * exp(-H)), H the entropy of the target's distribution there in nats; then one token of the target. No
// coins and no residual: the output is biased to whatever likely token the draft offers. Not lossless.
#include "engine/rules/typical.h"

#include <algorithm>
#include <cmath>

#include "engine/rules/verify.h"

namespace speclens {
namespace {

double entropy(const Distribution& distribution) {
    double sum = 0;
    for (const double p : distribution)
        if (p > 0) sum -= p * std::log(p);
    return sum;
}

} // namespace

double typical_limit(const Distribution& p, const RuleParams& params) {
    return std::min(params.epsilon, params.delta * std::exp(-entropy(p)));
}

namespace {

Verdict verify_typical(const Round& round) {
    Verdict verdict;
    const int k = round.count();
    int row = 0;
    for (; row < k; ++row) {
        const Distribution& p = round.p(row);
        const double limit = typical_limit(p, round.params);
        const bool kept = p[static_cast<std::size_t>(round.drafts[static_cast<std::size_t>(row)])] > limit;
        verdict.checks.push_back({.node = row, .threshold = kept ? 1.0 : 0.0, .u = {}, .accepted = kept, .typical_threshold = limit});
        if (!kept) break;
        verdict.path.push_back(row);
    }
    verdict.from = k > 0 && row == k ? TokenSource::bonus : TokenSource::target;
    verdict.distribution = round.p(row);
    verdict.u = round.resample_coin(row);
    verdict.token = sample(verdict.distribution, *verdict.u);
    return verdict;
}

} // namespace

RuleInfo typical_rule() {
    return rule_named<"typical">({
        .kind = RuleKind::typical,
        .guarantee = Guarantee::nothing,
        .parameters = {{"epsilon", rule_said("parameter.epsilon"_t), "a token above this probability is always kept", &RuleParams::epsilon,
                        0, 1, 1},
                       {"delta", rule_said("parameter.delta"_t),
                        "scales the limit where the target is unsure: delta times exp of minus its entropy", &RuleParams::delta, 0,
                        kAnyNumber, 1}},
        .verify = verify_typical,
    });
}

} // namespace speclens
