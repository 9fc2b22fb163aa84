// The pictures of the lossless scene and its words.
#pragma once

#include <string>
#include <vector>

#include "scenes/lossless/lossless_model.h"
#include "scenes/shared/story.h"

namespace speclens {

[[nodiscard]] StageTitle lossless_title(const LosslessModel& model);
[[nodiscard]] StageTitle greedy_title(const SceneInput& input);
// Of what the stage shows at this beat: texts on the table, greedy texts, or a planted fault.
[[nodiscard]] StageTitle lossless_stage_title(const SceneInput& input, const LosslessModel& model);
[[nodiscard]] Story lossless_story(const SceneInput& input, const LosslessModel& model);
[[nodiscard]] std::string lossless_description(const SceneInput& input, const LosslessModel& model, const LosslessState& state);

struct LosslessDraw {
    const SceneInput& input;
    const LosslessModel& model;
    LosslessState& state;
    ui::Ui& ui;
    std::vector<SceneCommand>& out;
};
void draw_lossless_texts(const LosslessDraw& d, ui::Rect area);
void draw_lossless_looks(const LosslessDraw& d, ui::Rect area);
void draw_lossless_proof(const LosslessDraw& d, ui::Rect area);
void draw_lossless_greedy(const LosslessDraw& d, ui::Rect area);
void draw_lossless_details(const LosslessDraw& d);
void draw_lossless_controls(const LosslessDraw& d);
void more_texts(const LosslessDraw& d, long count);

} // namespace speclens
