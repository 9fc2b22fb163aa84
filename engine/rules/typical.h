// The limit of typical acceptance; see typical.cpp.
#pragma once

#include "engine/model/distribution.h"
#include "engine/rules/rule_params.h"

namespace speclens {

// min(epsilon, delta * exp(-H(p))), H in nats.
[[nodiscard]] double typical_limit(const Distribution& p, const RuleParams& params);

} // namespace speclens
