// What is told of every token of an answer: log-probabilities in the formats of OpenAI's completions and chats, and, in a field of ours,
// where each token came from.
#pragma once

#include <span>
#include <string>

#include "engine/account/token_account.h"
#include "engine/base/json_read.h"
#include "engine/models/models.h"

namespace speclens {

// `pieces`: the text of each token as it is sent, so that they join to the text; `offset`: characters of text before the first of them.
struct ToldTokens {
    const Models& models;
    std::span<const std::string> pieces;
    std::span<const TokenAccount> accounts; // one for each piece
    std::size_t offset = 0;
};
// Log-probabilities are the model's, at temperature 1 and unfiltered; -9999 stands for a probability of 0, as vLLM writes it.
// `top`: of so many likeliest tokens. `ids`: tokens are called "token_id:N" (return_tokens_as_token_ids).
[[nodiscard]] Json completion_logprobs(const ToldTokens& told, int top, bool ids);
[[nodiscard]] Json chat_logprobs(const ToldTokens& told, int top, bool ids);
// {"token_id", "source", "round", "place", "draft_logprob", "target_logprob", "refused"}: null where it is not told.
[[nodiscard]] Json token_sources(std::span<const TokenAccount> accounts);

[[nodiscard]] double sent_logprob(double logp);
[[nodiscard]] std::size_t characters(const std::string& text); // of UTF-8

} // namespace speclens
