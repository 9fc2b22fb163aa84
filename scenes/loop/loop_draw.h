// The picture of the loop: where its columns are, the strip of the own token, and the whole stage.
#pragma once

#include <optional>
#include <vector>

#include "scenes/loop/loop_model.h"
#include "scenes/shared/scene.h"

namespace speclens {

// Tops of the bands, but baselines of `number` (over the columns) and `words` (below a coin).
struct LoopRows {
    float number, draft, verify, said, says, coin, words, outcome, own, bottom;
    float chip; // height of its chips and of the bar of the pass
};
// Where the columns are. With many drafts the columns get narrower, and then a window of wider ones is shown.
struct LoopGrid {
    float left = 0;  // x of the first visible column
    float right = 0; // right end of the last visible column
    float limit = 0; // right end of the stage content
    float pitch = 140, width = 128;
    LoopRows rows{};
    float gutter = 0; // x of the row names
    int total = 1;    // drafts and the own token
    int first = 0, count = 1;
    [[nodiscard]] bool visible(int column) const { return column >= first && column < first + count; }
    [[nodiscard]] float x(int column) const { return left + pitch * static_cast<float>(column - first); }
    [[nodiscard]] float middle(int column) const { return x(column) + width / 2; }
    [[nodiscard]] bool roomy() const { return width >= 100; }
};
// `chip`: what the chips of the selected guess and of the own token want.
[[nodiscard]] LoopGrid loop_grid(ui::Rect stage, const LoopModel& model, float chip);
[[nodiscard]] float loop_chip_width(const ui::Canvas& canvas, const SceneInput& input, const LoopModel& model);

// Part of the strip of the own token's distribution.
struct Share {
    int id = -1; // -1: tokens that are not named
    double p = 0, from = 0;
};
// The distribution as the coin counts it, from the lowest id up: the likeliest tokens, and between them all others. Of
// the mass that was not recorded only the coin tells where it lies, before or behind the drawn token: it
// stands there.
[[nodiscard]] std::vector<Share> shares_of(const TopEntries& distribution, int chosen, std::optional<double> u);

// Draws the stage: title, bands, and the clock card where it has room. Clicks on a column go to `out`.
void draw_loop(const SceneInput& input, const LoopModel& model, ui::Ui& ui, std::vector<SceneCommand>& out);
void draw_loop_distributions(const SceneInput& input, const LoopModel& model, ui::Ui& ui); // the details

} // namespace speclens
