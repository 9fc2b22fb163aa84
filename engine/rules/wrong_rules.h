// Accept rules with a deliberate mistake, for showing what a test of losslessness sees and for testing that
// ours does. They are in no list that a run can choose from.
#pragma once

#include <span>

#include "engine/rules/verify.h"

namespace speclens {

// name, title and about as in rules.inc; they judge chains, but for the last one.
//   bonus   a replacement at the last position is taken for a bonus: the rejected draft stays in front of it
//   (a published
//           listing does so: its test for "all kept" counts the replacement)
//   redraw  a rejected draft is replaced by another draw from the draft, there is no residual
//   target  a rejected draft is replaced by a draw from the target, not from the residual
//   swapped the ratio upside down: keep with min(1, q / p)
//   chosen  the draft's favourites, which nobody drew, are judged as if they had been drawn: min(1, p / q) (siblings: best; q is the
//           draft's distribution there)
[[nodiscard]] std::span<const RuleInfo> wrong_rules();

} // namespace speclens
