// The mixture of target and draft that a cascade follows; see cascade.cpp for the criteria.
#pragma once

#include <string_view>

#include "engine/rules/output_distribution.h"
#include "engine/rules/verify.h"

namespace speclens {

// rule: the name of a cascade in rules.inc. Sums to 1 up to rounding.
[[nodiscard]] Distribution cascade_mixture(std::string_view rule, double alpha, const DistributionsOfBoth& at);

} // namespace speclens
