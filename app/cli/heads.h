// What `check` says of a trained head: what was recognised in its folder, and whether rounds with it verify
// as they must.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "engine/models/models.h"

namespace speclens {
class DraftNetwork; // engine/drafters/draft_network.h
}
namespace speclens::cli {

// "LlamaForCausalLMEagle3, 1 layer, 1536 of 4096 ids, hidden states after layers 1 5 9, 1.2 MB".
[[nodiscard]] std::string describe_head(const DraftNetwork& network);

// Feeds the target's own greedy continuation through `drafter` as its draft tokens: all of them must be accepted,
// twice in a row, whatever the head thinks of them. Empty when they were, else what went wrong.
[[nodiscard]] std::string head_problem(const std::shared_ptr<const Models>& models, const std::string& drafter);

// Which of the target's states an MTP head was trained on, by its first draft tokens behind every token of greedy texts of the target:
// nothing in its files says so, and the wrong one only makes draft tokens a little worse.
struct MtpStates {
    enum class Wants { after_norm, before_norm, unknown };
    int places = 0;
    int both = 0, only_after = 0, only_before = 0; // draft tokens that were right with both states, or with one of them
    [[nodiscard]] double after_norm() const { return share(both + only_after); }
    [[nodiscard]] double before_norm() const { return share(both + only_before); }
    // Unknown: the two are less than a hundredth of the places apart, or no farther than places where only one is right would be by
    // chance one time in twenty.
    [[nodiscard]] Wants wants() const;
    [[nodiscard]] double share(int right) const { return places > 0 ? static_cast<double>(right) / places : 0; }
};
inline constexpr int kMtpPlaces = 512;
// At so many places of texts that ready-made prompts ask for, fewer where they end before. `progress` is told how many are done of both
// states.
[[nodiscard]] MtpStates mtp_states(const std::shared_ptr<const Models>& models, const std::function<void(int places)>& progress = {});
// "first guesses right: …: it wants …", and what to do about it.
[[nodiscard]] std::pair<std::string, std::string> mtp_verdict(const MtpStates& states);

} // namespace speclens::cli
