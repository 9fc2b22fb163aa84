// What one position writes under a rule, in closed form, when its draft is drawn from q and judged alone: how often the
// draft stays, and the distribution of the token that stands there in the end. For pictures of what a relaxed rule gives away;
// the rules themselves are in engine/rules/.
#pragma once

#include "engine/model/distribution.h"
#include "engine/rules/rule_params.h"

namespace speclens {

struct RuleInfo; // engine/rules/verify.h

// The distributions of one position: target p and draft q as they are sampled, and at temperature 1, unfiltered.
struct DistributionsOfBoth {
    Distribution p, q, p_raw, q_raw;
};

struct OutputDistribution {
    Distribution distribution; // of the token that is written
    double kept = 0;           // probability that the draft stays
};
// Of a rule that samples and judges chains only (Siblings::none). A lossless rule writes p.
[[nodiscard]] OutputDistribution output_distribution_at(const RuleInfo& rule, const RuleParams& params, const DistributionsOfBoth& at);

// Sum over ids of max(p - q, 0): the total variation distance of two distributions.
[[nodiscard]] double distance(const Distribution& p, const Distribution& q);

} // namespace speclens
