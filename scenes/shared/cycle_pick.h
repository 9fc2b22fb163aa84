// Which round a picture of a drafter is about, and what stands around it.
#pragma once

#include <algorithm>
#include <functional>

#include "engine/drafters/drafter_info.h"
#include "scenes/shared/scene.h"
#include "scenes/shared/told.h"

namespace speclens {

// The round of the cursor, as complete as the run knows it; nullptr: there is none.
[[nodiscard]] const RoundSummary* shown_round(const SceneInput& input);
// What the run committed of `round`, also where it is not shown that far; nullptr: nothing yet.
[[nodiscard]] const Committed* commit_of(const RunView& whole, const RoundSummary& round);
// The text ended with a kept guess: the token that the target added behind it is not in the text.
[[nodiscard]] bool drops_own_token(const Committed& commit);
// What that round was made with: the settings on the screen, or those from before a fork behind it. Needs
// input.settings.
[[nodiscard]] const RunSettings& round_settings(const SceneInput& input, int round);
// The token before the first guess of `round`; -1: unknown.
[[nodiscard]] int anchor_of(const RunView& whole, const RoundSummary& round);
// The draft distribution at temperature 1.
[[nodiscard]] const TopEntries& at_one(const Drafted& draft);
[[nodiscard]] int favourite(const TopEntries& top);          // -1: empty
[[nodiscard]] Message word(const SceneInput& input, int id); // “is”; "a token" where there is none

// A scene that is made for one drafter and sees another: the words, and the button that switches.
struct OtherDrafter {
    const char* drafter; // its name
    Message title;       // "DFlash"
    Message words;       // why there is nothing to see
    bool can_switch = true;
};
// A run that makes no guess, and who could make some; can_switch: somebody is loaded.
[[nodiscard]] bool drafts_nothing(const SceneInput& input);
[[nodiscard]] OtherDrafter drafter_instead(const SceneInput& input);
[[nodiscard]] std::string first_ready_drafter(const SceneInput& input);                    // of chains; empty: none is loaded
[[nodiscard]] SceneCommand draft_with(const RunSettings& now, const std::string& drafter); // the same run anew
void draw_other_drafter(const SceneInput& input, ui::Ui& ui, const OtherDrafter& other, std::vector<SceneCommand>& out);
// Whether this model lacks what `drafter` drafts with and the built-in one, which has all heads, can be opened in its place.
[[nodiscard]] bool built_in_has_it(const SceneInput& input, const std::string& drafter);
[[nodiscard]] bool models_loaded(const SceneInput& input);
[[nodiscard]] bool drafter_ready(const SceneInput& input, const std::string& drafter);
// The first of the list that is ready and of which `fits` holds; empty: none is.
template <class Fits>
[[nodiscard]] std::string ready_drafter(const SceneInput& input, const Fits& fits) {
    const auto found = std::ranges::find_if(
        drafter_list(), [&](const DrafterInfo& info) { return std::invoke(fits, info) && drafter_ready(input, info.name); });
    return found == drafter_list().end() ? "" : found->name;
}

// Batches of the run's drafter, of 1, 2, 4 … texts at once; and why they cannot be decoded: empty, they can.
[[nodiscard]] MeasureLoad batch_to_decode(const SceneInput& input);
[[nodiscard]] Message batch_problem(const SceneInput& input);

} // namespace speclens
