// What the colours of a heat strip mean, in the line below a stage's title, where that leaves room: without it a strip is a pattern.
#pragma once

#include <string>

#include "scenes/shared/scene_input.h"
#include "ui/plot.h"

namespace speclens {

// `subtitle`: what stands in that line already.
void draw_heat_key(const SceneInput& input, ui::Ui& ui, const std::string& subtitle, ui::HeatKind kind = ui::HeatKind::signed_values);

} // namespace speclens
