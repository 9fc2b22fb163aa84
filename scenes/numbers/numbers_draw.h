// The table of published figures, and what stands beside it.
#pragma once

#include "scenes/numbers/numbers_model.h"
#include "scenes/shared/message_scene.h"

namespace speclens {

inline constexpr MessagesOf<"numbers", "conditions", "counting", "disputed", "wrong", "here"> numbers_says;
inline constexpr int kNumbersBeats = numbers_says.size;
[[nodiscard]] StageTitle numbers_title(const SceneInput& input, const NumbersModel& model, const NumbersState& state);
[[nodiscard]] Story numbers_story(const SceneInput& input, const NumbersModel& model);

struct NumbersDraw {
    const SceneInput& input;
    const NumbersModel& model;
    NumbersState& state;
    ui::Ui& ui;
    bool in_words; // the frame is put into words: every row is told, also those for which there is no room
};
void draw_numbers_table(const NumbersDraw& d, ui::Rect area);
void draw_numbers_details(const NumbersDraw& d);
void draw_numbers_controls(const NumbersDraw& d);
void choose_figure(const NumbersDraw& d, int row);

} // namespace speclens
