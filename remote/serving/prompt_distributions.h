// What our server's target says of the tokens of a prompt, in the form of vLLM's `prompt_logprobs`.
#pragma once

#include <span>

#include "engine/base/json_read.h"
#include "engine/run/models.h"

namespace speclens {

// A list with one entry per token: null for the first, then {"id": {"logprob", "rank", "decoded_token"}} of
// the `top` likeliest tokens of its place and of the token itself. Throws Error for tables and for prompts
// beyond the context.
[[nodiscard]] Json prompt_distributions(const Models& models, std::span<const int> tokens, int top);

} // namespace speclens
