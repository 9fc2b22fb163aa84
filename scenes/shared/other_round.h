// What a scene about one head shows in a run that drafts with somebody else: the round of the cursor, as that head
// would draft it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenes/shared/scene.h"
#include "scenes/shared/told.h"

namespace speclens {

class OtherRound {
  public:
    OtherRound(const SceneInput& input, const char* drafter); // which must outlive it
    OtherRound(const OtherRound&) = delete;
    OtherRound& operator=(const OtherRound&) = delete;
    [[nodiscard]] bool here() const { return here_; }
    // Not the round of the cursor, whose answer is still to come: its guesses cannot be chosen.
    void keep_place(std::vector<SceneCommand>& out) const;
    // The run itself, or a run of that one round.
    [[nodiscard]] const SceneInput& seen() const { return here_ ? alone_ : input_; }
    // What the engine is to be asked; nothing where the answer is there or nobody could give one.
    [[nodiscard]] std::optional<FetchOtherDrafterRound> wish() const;

  private:
    const SceneInput& input_;
    const char* drafter_;
    SceneInput alone_;
    RunView round_;
    bool here_ = false;
};

// Each round once.
class OtherRoundAsker {
  public:
    void ask(const OtherRound& round, const SceneInput& input, std::vector<SceneCommand>& out);

  private:
    std::optional<int> asked_;
    const Trace* asked_of_ = nullptr; // only compared
};

// Whom the head stands in for, where `seen` is such a round; else "".
[[nodiscard]] std::string instead_of(const SceneInput& seen);

// "round 3 cannot be shown: it has no guess there. Choose another round.": what the engine answered about the round of
// the cursor; "" where it can be shown or was not asked.
[[nodiscard]] Message no_other_round(const SceneInput& run, const std::string& drafter);

} // namespace speclens
