// The mixture of target and draft that a cascade follows; see cascade.cpp for the criteria.
#pragma once

#include <string_view>

#include "engine/rules/emitted.h"
#include "engine/rules/verify.h"

namespace speclens {

// rule: the name of a cascade in rules.inc. Sums to 1 up to rounding.
[[nodiscard]] Law cascade_mixture(std::string_view rule, double alpha, const LawsOfBoth& at);

}  // namespace speclens
