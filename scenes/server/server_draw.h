// The picture of a server and its words.
#pragma once

#include <string>
#include <vector>

#include "scenes/server/server_model.h"
#include "scenes/shared/story.h"

namespace speclens {

inline constexpr StoryOf<"server", "elsewhere", "counters", "names", "places", "tokens"> server_says;
inline constexpr int kServerBeats = server_says.size;
[[nodiscard]] StageTitle server_title(const ServerModel& model);
[[nodiscard]] Story server_story(const SceneInput& input, const ServerModel& model);
[[nodiscard]] std::string server_description(const SceneInput& input, const ServerModel& model);

struct ServerDraw {
    const SceneInput& input;
    const ServerModel& model;
    ServerState& state;
    ui::Ui& ui;
    std::vector<SceneCommand>& out;
};
void draw_server_stage(const ServerDraw& d, ui::Rect area);
void draw_server_details(const ServerDraw& d);
void draw_server_controls(const ServerDraw& d);

} // namespace speclens
