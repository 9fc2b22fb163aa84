// The EAGLE-3 picture, what stands beside it, and its words.
#pragma once

#include <string>
#include <vector>

#include "scenes/eagle3/eagle3_model.h"
#include "scenes/shared/story.h"

namespace speclens {

inline constexpr int kEagle3Beats = eagle3_says.size;
[[nodiscard]] StageTitle eagle3_title(const SceneInput& input, const Eagle3Model& model);
[[nodiscard]] Story eagle3_story(const SceneInput& input, const Eagle3Model& model);
[[nodiscard]] std::string eagle3_description(const SceneInput& input, const Eagle3Model& model);
[[nodiscard]] std::string eagle3_empty_words(const Eagle3Model& model);

struct Eagle3Draw {
    const SceneInput& input;
    const Eagle3Model& model;
    ui::Ui& ui;
    std::vector<SceneCommand>& out;
};
float draw_eagle3_steps(const Eagle3Draw& d, float y); // returns the y below
void draw_eagle3_clock(const Eagle3Draw& d, ui::Rect card);
inline constexpr float kEagle3Times = 108; // least height of the draft times
void draw_eagle3_times(const Eagle3Draw& d, ui::Rect card);
void draw_eagle3_errors(const Eagle3Draw& d, ui::Rect card);
void draw_trained_steps(const Eagle3Draw& d, ui::Rect card); // needs trained_steps()
// Of the steps, which end at `end`: all but the target's taps.
[[nodiscard]] ui::Rect eagle3_below_taps(ui::Rect stage, float end);
void draw_eagle3_details(const Eagle3Draw& d);
void draw_eagle3_controls(const Eagle3Draw& d);

} // namespace speclens
