// The pictures of speculation as a system, and their words.
#pragma once

#include <string>

#include "scenes/shared/story.h"
#include "scenes/systems/systems_model.h"

namespace speclens {

[[nodiscard]] StageTitle systems_title(const SceneInput& input, const SystemsModel& model);
[[nodiscard]] Story systems_story(const SceneInput& input, const SystemsModel& model);
[[nodiscard]] std::string systems_description(const SceneInput& input, const SystemsModel& model);

[[nodiscard]] std::string bytes_words(double bytes); // "950 B", "12 kB"

struct SystemsDraw {
    const SceneInput& input;
    const SystemsModel& model;
    SystemsState& state;
    ui::Ui& ui;
    std::vector<SceneCommand>& out;
};
void draw_cache(const SystemsDraw& d, ui::Rect area);
void draw_pages(const SystemsDraw& d, ui::Rect area); // of the round that is shown
void draw_wire(const SystemsDraw& d, ui::Rect area);
void draw_controllers(const SystemsDraw& d, ui::Rect area);
void draw_systems_details(const SystemsDraw& d);
void draw_systems_controls(const SystemsDraw& d);

} // namespace speclens
