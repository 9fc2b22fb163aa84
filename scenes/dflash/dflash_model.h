// One block of DFlash as the picture shows it, a pure function of the trace and of the run's settings; what the scene says of it, and the
// parts of its picture.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/drafters/drafter_info.h"
#include "scenes/shared/example.h"
#include "scenes/shared/head_scene.h"
#include "scenes/shared/measure_charts.h"

namespace speclens {

inline constexpr MessagesOf<"dflash", "masks", "states", "sight", "twice", "times", "conditioning", "long", "list"> dflash_says;
inline constexpr int kDFlashStatesBeat = 1, kDFlashMasksBeat = 2, kDFlashTwiceBeat = 3, kDFlashTimesBeat = 4, kDFlashConditioningBeat = 5,
                     kDFlashLongBeat = 6,
                     kDFlashListBeat = 7; // a guess drawn twice; with and without states; along a long answer; who picks

struct DFlashModel : HeadModel {
    int text = 0;  // positions of the text before the anchor
    int seen = 0;  // of them, those whose states the block is given
    int slots = 0; // rows of the block: the anchor's and the masks'
    bool conditioned = true;
    // The position that the target refused after keeping those before; -1: none.
    [[nodiscard]] int refused() const;
};
// Below this a favourite leaves its place open: one draft in five is another token.
inline constexpr double kOpenPlace = 0.8;
// Whether the block left open what stands right before guess `index`.
[[nodiscard]] bool open_before(const RoundSummary& round, int index);
// A guess that the target refused after keeping those before it, where the block had left open what stands right
// before: what this guess could not know was a matter of chance.
[[nodiscard]] const Criterion& blind_refusal();
[[nodiscard]] DFlashModel dflash_model(const SceneInput& input);
inline constexpr const char* kConditioning = "conditioning"; // a study
[[nodiscard]] RunStudy conditioning_study(const SceneInput& input);
[[nodiscard]] std::vector<AcceptanceSeries> conditioning_series(const SceneInput& input);
// Of the draft times the block's, and those of the drafter beside it that guesses one by one; null: not measured.
[[nodiscard]] const TimeSeries* block_times(const std::vector<TimeSeries>& series);
[[nodiscard]] const TimeSeries* chain_times(const std::vector<TimeSeries>& series);

// Of a round that there is.
[[nodiscard]] StageTitle dflash_title(const SceneInput& input, const DFlashModel& model);
[[nodiscard]] Story dflash_story(const SceneInput& input, const DFlashModel& model);
[[nodiscard]] Message all_slots(const DFlashModel& model);         // "both slots", "all 8 slots"
[[nodiscard]] Message dflash_mask_words(const DFlashModel& model); // what the chosen row sees

// Tokens listed of a distribution: its favourites, and among them always the one that was drafted.
[[nodiscard]] std::vector<int> dflash_tokens(const DraftSlot& slot, int rows);

using DFlashDraw = HeadDraw<DFlashModel>;
// Each returns the y below what it drew.
float draw_dflash_block(const DFlashDraw& d, float y);
[[nodiscard]] float dflash_distributions_top(float y); // of that block: what stands above is its input and its pass
// Two places side by side: what pairs of independent guesses come to, in an example of two cities and in this round.
void draw_dflash_pairs(const DFlashDraw& d, ui::Rect card);
void draw_dflash_masks(const DFlashDraw& d, ui::Rect card); // who sees whom, in the block and in the target's check
void draw_dflash_times(const DFlashDraw& d, ui::Rect card);
// Acceptance by position, with and without states where that was measured.
void draw_dflash_acceptance(const DFlashDraw& d, ui::Rect card);
void draw_dflash_details(const DFlashDraw& d, bool seen = true); // else a guess drawn twice stands there
void draw_dflash_controls(const DFlashDraw& d);

// Tokens of the answer that are put together.
inline constexpr int kStretch = 256;
// Tokens a round by how many of the answer stood before it, over stretches of kStretch tokens; the last one may be shorter.
[[nodiscard]] std::vector<Stretch> stretches_of(const RunView& view);
// Recorded for DFlash; null: nothing.
[[nodiscard]] const LongAnswers* recorded_long_answers(const SceneInput& input);
// Acceptance along a long answer: the run on screen, and what was recorded of a model whose answers are long enough.
void draw_dflash_long(const DFlashDraw& d, ui::Rect card);

// Of one block drafter's run, over the places that were judged: where the target's token stands on the list of the block alone, before
// anything corrects it, and how often it was picked.
struct ListRecall {
    static constexpr int kDeep = 16; // of the list that is looked at
    const DrafterInfo* info = nullptr;
    int places = 0;
    int first = 0, listed = 0; // of them: the target's token is the likeliest, among the first kDeep
    int picked = 0;            // of them: it was drafted
    [[nodiscard]] double share(int count) const { return places > 0 ? static_cast<double>(count) / places : 0; }
    [[nodiscard]] bool corrected() const { return info->causal_head; }
};
[[nodiscard]] ListRecall list_recall(const RunView& view);
inline constexpr const char* kLists = "lists";                               // a study: every loaded block drafter on the prompt, greedy
[[nodiscard]] RunStudy list_study(const SceneInput& input);                  // no runs where DFlash is not loaded
[[nodiscard]] std::vector<ListRecall> list_recalls(const SceneInput& input); // DFlash first; empty until it was measured
[[nodiscard]] Words list_words(const SceneInput& input);
[[nodiscard]] Message list_title(const SceneInput& input);
void draw_dflash_lists(const DFlashDraw& d, ui::Rect card);

} // namespace speclens
