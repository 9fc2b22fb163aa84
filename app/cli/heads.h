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

// Which of the target's states an MTP head was trained on, by its first guesses behind a greedy text of the target: nothing in its
// files says so, and the wrong one only makes guesses a little worse.
struct MtpStates {
    double after_norm = 0, before_norm = 0; // share of right first guesses
    int places = 0;
    [[nodiscard]] bool before_is_better() const { return before_norm > after_norm + 0.01; }
};
[[nodiscard]] MtpStates mtp_states(const std::shared_ptr<const Models>& models);

} // namespace speclens::cli
