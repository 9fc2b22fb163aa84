// The limit of typical acceptance; see typical.cpp.
#pragma once

#include "engine/law.h"
#include "engine/rule_params.h"

namespace speclens {

// min(epsilon, delta * exp(-H(p))), H in nats.
[[nodiscard]] double typical_limit(const Law& p, const RuleParams& params);

}  // namespace speclens
