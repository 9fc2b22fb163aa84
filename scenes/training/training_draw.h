// The training pictures and their words, and the last beat: Medusa heads or an MTP layer that learn here and now
// (training_live.cpp, training_live_draw.cpp).
#pragma once

#include "scenes/training/training_model.h"
#include "ui/plot.h"

namespace speclens {

inline constexpr int kPrefixBeat = 1, kFadingBeat = 2; // the base loss that fades
inline constexpr int kStepsBeat = 3;                   // EAGLE-3's test-time steps
inline constexpr int kLiveBeat = 7;                    // what is trained here and now
[[nodiscard]] StageTitle training_title(const TrainingModel& model);
[[nodiscard]] StageTitle training_stage_title(const SceneInput& input, const TrainingModel& model); // with what the beat is about
[[nodiscard]] Story training_story(const SceneInput& input, const TrainingModel& model, const TrainingState& state);

struct TrainingDraw : SceneDraw<TrainingModel, TrainingState> {
    bool lines = true; // charts of lines are drawn: they and the rows below have numbers
};
void draw_training_curves(const TrainingDraw& d, ui::Rect area);     // loss against positions trained
void draw_training_acceptance(const TrainingDraw& d, ui::Rect area); // share kept by position
void tell_training_lines(const TrainingDraw& d);                     // what both draw, whether or not there is room for it
void draw_training_arms(const TrainingDraw& d, ui::Rect area);       // tokens per round, an arm a row
void draw_training_details(const TrainingDraw& d);
void draw_training_controls(const TrainingDraw& d);
// With rows as they are best, or as low as they can be read.
[[nodiscard]] float training_arms_height(const TrainingModel& model, bool least = false);

// The axes of a chart of lines below its head: from and to, and how much of y stays free above; `right`: room for names.
struct TrainingChart {
    ui::Rect plot;
    ui::Scale x, y;
};
struct ChartSpan {
    double from, to;
};
[[nodiscard]] TrainingChart training_chart(ui::Ui& ui, ui::Rect area, ChartSpan x, ChartSpan y, const Message& axis, float right = 24,
                                           double above = 1);

// ---- the last beat: what learns here and now: choices, words and keys (training_live.cpp) ----
// What M trains, and with how many steps; and what the picture shows, which may be another head.
[[nodiscard]] HeadKind head_to_train(const SceneInput& input, const TrainingState& state);
[[nodiscard]] HeadKind head_shown(const SceneInput& input, const TrainingState& state);
[[nodiscard]] TrainHeads training_asked(const SceneInput& input, const TrainingState& state);
[[nodiscard]] StageTitle live_training_title(const SceneInput& input, const TrainingState& state);
[[nodiscard]] Words live_training_words(const SceneInput& input, const TrainingState& state);
void finish_live_story(const SceneInput& input, const TrainingState& state, Story& story); // its task
void draw_live_training_controls(const TrainingDraw& d);
void take_live_training_keys(const TrainingDraw& d);
void draw_live_training(const TrainingDraw& d); // the stage under its title (training_live_draw.cpp)
void draw_live_training_details(const TrainingDraw& d);

} // namespace speclens
