// A frame in words, and as data: the messages that a scene draws, and those that it tells beside what it draws (ui::Canvas::tell).
#pragma once

#include <string>
#include <vector>

#include "scenes/shared/scene.h"

namespace speclens {

// Of a frame that nobody touches, with room for all that it says. `scene` is a copy: drawing may change it.
[[nodiscard]] std::vector<ui::ToldMessage> told_by(Scene&& scene, SceneInput input);
// A line each, the regions apart: stage, controls, story, details.
[[nodiscard]] std::string in_words(const std::vector<ui::ToldMessage>& told);
// docs/languages.md says what the keys mean. Numbers have a point and full precision in every language.
[[nodiscard]] std::string words_json(const std::string& scene, int beat, const std::vector<ui::ToldMessage>& told);

} // namespace speclens
