// By which rule a llama.cpp server keeps drafts at T > 0, found out by asking: it tells that at none of its addresses (b11549).
//
// It drafts no further than a text may go, so a text that ends where a draft was kept has the target's own token in that place. Where a
// draft is kept because it equals the token that the target drew (--spec-draft-sampling greedy, the default), that is the same token at the
// same seed: the text is plain decoding's. Where drafts are drawn and kept with min(1, target ÷ draft) (probabilistic, pull request 27694),
// other dice decide there.
#pragma once

#include "remote/client/served_text.h"

namespace speclens {

// Asks for a few short texts of this prompt, at most kTexts + kMostCuts. Throws what send_request throws.
inline constexpr int kTexts = 3, kMostCuts = 12;
[[nodiscard]] KeepRule find_keep_rule(const Endpoint& endpoint, const ServerFacts& facts, const RequestSettings& request,
                                      const HttpSettings& settings);
// Where llama.cpp drafted for this answer at T > 0: finds its rule and notes it. What goes wrong meanwhile leaves the answer as it is.
void tell_keep_rule(ServedText& served, const Endpoint& endpoint, const ServerFacts& facts, const RequestSettings& request,
                    const HttpSettings& settings);

} // namespace speclens
