// The speed-up picture and its words.
#pragma once

#include <vector>

#include "scenes/shared/message_scene.h"
#include "scenes/shared/speedup_model.h"

namespace speclens {

inline constexpr MessagesOf<"speedup", "levers", "tokens", "cost", "best", "places", "printed"> speedup_says;
inline constexpr int kSpeedupBeats = speedup_says.size; // the last one: the printed table
inline constexpr int kSpeedupTokensBeat = 1, kSpeedupCostBeat = 2, kSpeedupBestBeat = 3, kSpeedupPlacesBeat = 4;
[[nodiscard]] StageTitle speedup_title(const SceneInput& input, const SpeedupModel& model);
// "2 to 5 guesses", "1 and 8 guesses", "4 of the lengths": those that cannot be told from the best.
[[nodiscard]] Message as_fast_words(const SpeedupModel& model);
[[nodiscard]] Story speedup_story(const SceneInput& input, const SpeedupModel& model);
// "4.31 tokens × 0.26 ms ÷ (0.11 + 0.39 ms) = 2.22×", of the marked draft length; in passes without a clock.
// With as many decimals as it takes for the printed numbers to come to the printed result.
struct SpeedupSum {
    Message words;
    double result = 0; // with which they end
    int decimals = 2;
};
[[nodiscard]] SpeedupSum speedup_sum(const SpeedupModel& model);

// The formula that the beat is about with the numbers of the marked length, and what it assumes; both stay when numbers
// are measured. Empty: the beat is about the printed table.
struct SpeedupFormula {
    std::vector<Message> formula, assumption; // the same, longest first: the first that fits is drawn
};
[[nodiscard]] SpeedupFormula speedup_formula(const SceneInput& input, const SpeedupModel& model);
// The draft length for which one chance for all places and the places themselves differ most, and by how much of the
// latter; k 0: nothing was measured.
struct OneNumberMiss {
    int k = 0;
    double by = 0;
    [[nodiscard]] bool matters() const { return by > 0.02; }
};
[[nodiscard]] OneNumberMiss one_number_miss(const SpeedupModel& model);
// What is known of a draft length: by the curves, and as it was measured.
[[nodiscard]] Message length_words(const SpeedupModel& model, int k);
// Of each place, how many of the draft tokens judged there stayed. Needs a study.
[[nodiscard]] Message stays_words(const SpeedupModel& model);

using SpeedupDraw = SceneDraw<SpeedupModel, SpeedupState>;
void draw_speedup_formula(const SpeedupDraw& d, ui::Vec2 at, float width); // two lines, kFormulaHeight
inline constexpr float kFormulaHeight = 52;
void draw_speedup_charts(const SpeedupDraw& d, ui::Rect area);
void draw_speedup_round(const SpeedupDraw& d, ui::Rect area); // the marked draft length on one clock
void draw_printed_table(const SpeedupDraw& d, ui::Rect area);
void draw_speedup_details(const SpeedupDraw& d);
void draw_speedup_controls(const SpeedupDraw& d);

} // namespace speclens
