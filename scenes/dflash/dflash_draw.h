// The DFlash picture, what stands beside it, and its words.
#pragma once

#include <string>
#include <vector>

#include "scenes/dflash/dflash_model.h"
#include "scenes/shared/story.h"

namespace speclens {

inline constexpr int kDFlashBeats = dflash_says.size;
inline constexpr int kDFlashStatesBeat = 1, kDFlashMasksBeat = 2, kDFlashTimesBeat = 4, kDFlashConditioningBeat = 5,
                     kDFlashLongBeat = 6;  // with and without states; along a long answer
inline constexpr int kDFlashTwiceBeat = 3; // a guess drawn twice
[[nodiscard]] StageTitle dflash_title(const SceneInput& input, const DFlashModel& model);
[[nodiscard]] Story dflash_story(const SceneInput& input, const DFlashModel& model);
[[nodiscard]] std::string dflash_description(const SceneInput& input, const DFlashModel& model);
[[nodiscard]] std::string all_slots(const DFlashModel& model);         // "both slots", "all 8 slots"
[[nodiscard]] std::string dflash_mask_words(const DFlashModel& model); // what the chosen row sees
[[nodiscard]] std::string dflash_empty_words(const DFlashModel& model);

// Tokens listed of a distribution: its favourites, and among them always the one that was drafted.
[[nodiscard]] std::vector<int> dflash_tokens(const DraftSlot& slot, int rows);

struct DFlashDraw {
    const SceneInput& input;
    const DFlashModel& model;
    ui::Ui& ui;
    std::vector<SceneCommand>& out;
};
// Each returns the y below what it drew.
float draw_dflash_block(const DFlashDraw& d, float y);
[[nodiscard]] float dflash_distributions_top(float y); // of that block: what stands above is its input and its pass
// Two places side by side: what pairs of independent guesses come to, in an example of two cities and in this round.
void draw_dflash_pairs(const DFlashDraw& d, ui::Rect card);
void draw_dflash_masks(const DFlashDraw& d,
                       ui::Rect card); // who sees whom, in the block and in the target's check
void draw_dflash_times(const DFlashDraw& d, ui::Rect card);
// Acceptance by position, with and without states where that was measured; returns the most rounds of a
// point.
int draw_dflash_acceptance(const DFlashDraw& d, ui::Rect card);
void draw_dflash_details(const DFlashDraw& d);
void draw_dflash_controls(const DFlashDraw& d);

} // namespace speclens
