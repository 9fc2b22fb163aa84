// Acceptance along a long answer: the run on screen, and what was recorded of a model whose answers are long enough.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "scenes/dflash/dflash_draw.h"

namespace speclens {

// Tokens of the answer that are put together.
inline constexpr int kStretch = 256;

// Tokens a round by how many of the answer stood before it, over stretches of kStretch tokens; the last one may be shorter.
[[nodiscard]] std::vector<Stretch> stretches_of(const RunView& view);
// Recorded for DFlash; null: nothing.
[[nodiscard]] const LongAnswers* recorded_long_answers(const SceneInput& input);
void draw_dflash_long(const DFlashDraw& d, ui::Rect card);
[[nodiscard]] std::string describe_long_answers(const SceneInput& input);

} // namespace speclens
