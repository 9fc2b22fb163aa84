// What the target says of a prompt's tokens, in the words of the servers whose addresses ours has.
#pragma once

#include <span>
#include <vector>

#include "engine/batch/scoring.h"
#include "engine/models/models.h"

namespace speclens {

// For a target whose rows cannot share a pass: with passes of its own. Takes no turn. Throws Error for a prompt that is too long or a
// target that is no checkpoint.
[[nodiscard]] std::vector<ScoredToken> score_alone(const Models& models, const Scoring& scoring);

// vLLM's prompt_logprobs: null, then for every later token of the prompt what was likeliest there, and the token itself.
[[nodiscard]] Json prompt_distributions(const Models& models, std::span<const int> tokens, std::span<const ScoredToken> scores);
// SGLang's meta_info of /generate: input_token_logprobs and input_top_logprobs from place `first` on, of which itself nothing is said.
// `texts`: the tokens as text, too.
[[nodiscard]] Json scoring_meta(const Models& models, std::span<const int> tokens, int first, std::span<const ScoredToken> scores,
                                bool texts);

} // namespace speclens
