// Accept rules with a deliberate mistake, for showing what a test of losslessness sees and for testing that
// ours does. They are in no list that a run can choose from.
#pragma once

#include <span>

#include "engine/rules/verify.h"

namespace speclens {

// name, title and about as in rules.inc; they judge chains, but for `chosen`.
//   bonus   a replacement at the last position is taken for a bonus: the rejected draft stays in front of it
//   (a published
//           listing does so: its test for "all kept" counts the replacement)
//   redraw  a rejected draft is replaced by another draw from the draft, there is no residual
//   target  a rejected draft is replaced by a draw from the target, not from the residual
//   swapped the ratio upside down: keep with min(1, q / p)
//   chosen  the draft's favourites, which nobody drew, are judged as if they had been drawn: min(1, p / q) (siblings: best; q is the
//           draft's distribution there)
//   mixed   block verification with the token rule's residual, which does not know that the prefix before it was kept for a share
//   fresh   a draft is compared with a fresh sample of the target, and where they differ the text gets another one: the sample
//           that said no is thrown away
//   peek    drafting stops at a token that the draft itself gave little, and that token is thrown away unjudged: whether a place is
//           judged was decided by what was drawn there
[[nodiscard]] std::span<const RuleInfo> wrong_rules();

} // namespace speclens
