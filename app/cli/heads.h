// What `check` says of a trained head: what was recognised in its folder, and whether rounds with it verify
// as they must.
#pragma once

#include <memory>
#include <string>

#include "engine/drafters/draft_network.h"
#include "engine/run/models.h"

namespace speclens::cli {

// "LlamaForCausalLMEagle3, 1 layer, 1536 of 4096 ids, hidden states after layers 1 5 9, 1.2 MB".
[[nodiscard]] std::string describe_head(const DraftNetwork& network);

// Feeds the target's own greedy continuation through `drafter` as its guesses: all of them must be accepted,
// twice in a row, whatever the head thinks of them. Empty when they were, else what went wrong.
[[nodiscard]] std::string head_problem(const std::shared_ptr<const Models>& models,
                                       const std::string& drafter);

} // namespace speclens::cli
