// The training pictures and their words, and the last beat: Medusa heads that learn here and now (training_live.cpp).
#pragma once

#include <string>
#include <vector>

#include "scenes/shared/story.h"
#include "scenes/shared/words.h"
#include "scenes/training/training_model.h"

namespace speclens {

inline constexpr int kLiveBeat = 7; // heads that are trained here and now
[[nodiscard]] StageTitle training_title(const TrainingModel& model);
[[nodiscard]] Story training_story(const SceneInput& input, const TrainingModel& model);
[[nodiscard]] std::string training_description(const SceneInput& input, const TrainingModel& model,
                                               const TrainingState& state);

struct TrainingDraw {
    const SceneInput& input;
    const TrainingModel& model;
    TrainingState& state;
    ui::Ui& ui;
    std::vector<SceneCommand>& out;
};
void training_chart_title(const TrainingDraw& d, ui::Rect r, const std::string& title,
                          const std::string& words);
void draw_training_curves(const TrainingDraw& d, ui::Rect area);     // loss against positions trained
void draw_training_acceptance(const TrainingDraw& d, ui::Rect area); // share kept by position
void draw_training_arms(const TrainingDraw& d, ui::Rect area);       // tokens per round, an arm a row
void draw_training_details(const TrainingDraw& d);
void draw_training_controls(const TrainingDraw& d);
// With rows as they are best, or as low as they can be read.
[[nodiscard]] float training_arms_height(const TrainingModel& model, bool least = false);

// ---- the last beat: Medusa heads that learn here and now (training_live.cpp) ----
[[nodiscard]] StageTitle live_training_title(const SceneInput& input);
[[nodiscard]] Words live_training_words(const SceneInput& input);
void finish_live_story(const SceneInput& input, Story& story); // its task
[[nodiscard]] std::string live_training_lines(const SceneInput& input);
void draw_live_training(const TrainingDraw& d); // the stage under its title
void draw_live_training_details(const TrainingDraw& d);
void draw_live_training_controls(const TrainingDraw& d);
void take_live_training_keys(const TrainingDraw& d);

} // namespace speclens
