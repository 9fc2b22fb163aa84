// Where the columns of the loop picture are, and how far a motion has come.
#include <algorithm>
#include <cmath>

#include "scenes/loop/loop_draw.h"
#include "scenes/shared/words.h"
#include "ui/tokens.h"

namespace speclens {

float loop_chip_width(const ui::Canvas& canvas, const SceneInput& input, const LoopModel& model) {
    float widest = 0;
    const auto fit = [&](int token) {
        widest = std::max(widest, ui::chip_width(canvas, label_of(*input.trace, token), 36));
    };
    if (model.selected < static_cast<int>(model.columns.size()))
        if (const Drafted* draft = model.columns[static_cast<std::size_t>(model.selected)].draft)
            fit(draft->token);
    if (model.own) fit(model.own->token);
    return widest;
}

LoopGrid loop_grid(ui::Rect stage, const LoopModel& model, float chip) {
    // Below this a comparison like ".42 < 1.00" no longer stands on one line.
    constexpr float kNarrowest = 92, kOfMany = 124, kWidestOfMany = 168;
    constexpr float kMost = 280; // beyond it a bar is so long that its number no longer belongs to it
    LoopGrid grid;
    grid.y = stage.y;
    grid.gutter = stage.x + 24;
    grid.left = stage.x + 128;
    grid.limit = stage.right() - 36;
    grid.total = static_cast<int>(model.columns.size()) + 1;
    const float room = grid.limit - grid.left + 12;
    grid.count = grid.total;
    if (room / static_cast<float>(grid.total) < kNarrowest) { // some of them, wide enough for whole words
        const float least = std::clamp(chip + 12, kOfMany, kWidestOfMany);
        grid.count = std::clamp(static_cast<int>(room / least), 1, grid.total);
    }
    grid.pitch = std::clamp(std::floor(room / static_cast<float>(grid.count) / 4) * 4, 84.0F, kMost);
    grid.width = grid.pitch - (grid.pitch >= 110 ? 12.0F : 8.0F);
    if (grid.count < grid.total)
        grid.first = std::clamp(model.selected - grid.count / 2, 0, grid.total - grid.count);
    grid.right = grid.x(grid.first + grid.count - 1) + grid.width;
    return grid;
}

float LoopDraw::motion(Phase phase) const {
    if (model.phase != phase || input.t >= 1) return 1;
    const float rest = 1 - std::clamp(input.t, 0.0F, 1.0F);
    return 1 - rest * rest * rest;
}

} // namespace speclens
