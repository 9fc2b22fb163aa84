// What the rules share that judge a chain one token at a time against p / q.
#pragma once

#include "engine/rules/verify.h"

namespace speclens {

// Keeps node i with probability min(1, p / (scale q)), 0 where q is 0; at the first rejection draws from
// normalise(max(p - q, 0)), behind the last node from p. scale 1: the token rule.
[[nodiscard]] Verdict walk_tokens(const Round& round, double scale);

} // namespace speclens
