// Heat strips of a lens, and what their colours mean, in the line below a stage's title, where that leaves room: without it a strip is a
// pattern.
#pragma once

#include <initializer_list>

#include "scenes/shared/head_scene.h"
#include "ui/plot.h"

namespace speclens {

// `subtitle`: what stands in that line already.
void draw_heat_key(const SceneInput& input, ui::Ui& ui, const Message& subtitle);

// The largest |cell| of the round's strips of these names, which all of them are drawn against.
[[nodiscard]] double strip_scale(const HeadModel& model, std::initializer_list<const char*> names);
// `what` it is of is told with its numbers; null: a place for it. `scale` 0: its own.
void draw_strip(ui::Ui& ui, ui::Rect rect, const Internals::Strip* strip, double scale, const Message& what,
                ui::HeatKind kind = ui::HeatKind::signed_values);
// The target's hidden states that the head was given, each on a scale of its own, in one box.
void draw_taps(ui::Ui& ui, ui::Rect box, const HeadModel& model);
[[nodiscard]] int layer_of(const Internals::Strip& tap);

} // namespace speclens
