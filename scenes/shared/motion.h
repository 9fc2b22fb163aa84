// Steps that are still moving on screen. What moves is an event of the run, so a token keeps its identity (round, place) from
// the draft to the output, and a step that is taken before the last one is at rest lets both go on.
#pragma once

#include "scenes/shared/scene_input.h"

namespace speclens {

// How far the motion of an event of the trace is, 0 to 1 by the clock; 1: at rest, as in every picture. `event` points into
// the trace (Drafted, Checked, …); null: at rest.
[[nodiscard]] float moved(const SceneInput& input, const void* event);
// A part of a motion, slower towards its end: 0 before `from`, 1 after `to`.
[[nodiscard]] float eased(float t, float from = 0, float to = 1);
// On the way from one place to another.
[[nodiscard]] ui::Rect between(ui::Rect from, ui::Rect to, float t);

// The name of a token in SceneInput::places.
[[nodiscard]] ui::Id place_of(Position position);

// How long the motion that an event brings takes, in seconds.
[[nodiscard]] double motion_seconds(const Event& event, bool reduced);

} // namespace speclens
