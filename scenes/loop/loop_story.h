// Words of the loop scene: title, conditions, story text of every phase, and the whole frame as text.
#pragma once

#include <string>

#include "scenes/loop/loop_model.h"
#include "scenes/shared/story.h"

namespace speclens {

[[nodiscard]] std::string loop_title(const LoopModel& model);
// Of the selected column: "Position 3"; the places of a tree have no order, there it is "Guess 3".
[[nodiscard]] std::string place_words(const LoopModel& model);
[[nodiscard]] std::string loop_subtitle(const SceneInput& input, const LoopModel& model);
[[nodiscard]] Story loop_story(const SceneInput& input, const LoopModel& model);
[[nodiscard]] std::string loop_description(const SceneInput& input, const LoopModel& model);

// "9.0 ms saved, 1.60×" or "2.1 ms lost, .82×", of one token "1.6 ms later than a plain token" or "drafting
// took 1.6 ms"; empty while the round is open or a time is missing.
[[nodiscard]] std::string saving_words(const LoopModel& model);
// What the coin row compares, for the gutter.
[[nodiscard]] std::string coin_caption(const LoopModel& model);

} // namespace speclens
