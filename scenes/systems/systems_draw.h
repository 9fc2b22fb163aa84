// The pictures of speculation as a system, and what they say.
#pragma once

#include "scenes/systems/systems_model.h"

namespace speclens {

[[nodiscard]] StageTitle systems_title(const SceneInput& input, const SystemsModel& model);
[[nodiscard]] Story systems_story(const SceneInput& input, const SystemsModel& model);

[[nodiscard]] Message bytes_words(double bytes); // "950 B", "12 kB"

void draw_cache(const SystemsDraw& d, ui::Rect area);
void draw_pages(const SystemsDraw& d, ui::Rect area); // of the round that is shown
void draw_wire(const SystemsDraw& d, ui::Rect area);
void draw_controllers(const SystemsDraw& d, ui::Rect area);
void tell_run(const SystemsDraw& d); // rounds, wire and controllers of K in numbers, whichever of them the beat draws
void draw_systems_details(const SystemsDraw& d);
void draw_systems_controls(const SystemsDraw& d);

} // namespace speclens
