// What one position writes under a rule, in closed form, when its draft is drawn from q and judged alone: how often the
// draft stays, and the law of the token that stands there in the end. For pictures of what a relaxed rule gives away;
// the rules themselves are in engine/rules/.
#pragma once

#include "engine/model/law.h"
#include "engine/rules/rule_params.h"

namespace speclens {

struct RuleInfo;  // engine/rules/verify.h

// The laws of one position: target p and draft q as they are sampled, and at temperature 1, unfiltered.
struct LawsOfBoth {
    Law p, q, p_raw, q_raw;
};

struct Emitted {
    Law law;          // of the token that is written
    double kept = 0;  // probability that the draft stays
};
// Of a rule that samples and judges chains only (Siblings::none). A lossless rule writes p.
[[nodiscard]] Emitted emitted_at(const RuleInfo& rule, const RuleParams& params, const LawsOfBoth& at);

// Sum over ids of max(p - q, 0): the total variation distance of two laws.
[[nodiscard]] double distance(const Law& p, const Law& q);

}  // namespace speclens
