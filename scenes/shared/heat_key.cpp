#include "scenes/shared/heat_key.h"

#include <array>

namespace speclens {

void draw_heat_key(const SceneInput& input, ui::Ui& ui, const std::string& subtitle, ui::HeatKind kind) {
    const bool gate = kind == ui::HeatKind::gate;
    const std::string low = gate ? "0" : "below 0", high = gate ? "1" : "above 0";
    const auto width = [&](const std::string& words) { return ui.canvas.text_width(words, ui::Font::text, 14); };
    constexpr float kCells = 90, kGap = 8;
    const float right = input.stage.right() - 24, left = right - width(low) - width(high) - kCells - 2 * kGap, y = input.stage.y + 64;
    if (left < input.stage.x + 24 + width(subtitle) + 24) return;
    std::array<float, 9> cells{};
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const float t = static_cast<float>(i) / static_cast<float>(cells.size() - 1);
        cells[i] = gate ? t : 2 * t - 1;
    }
    ui.canvas.text({left, y}, low, ui::Font::text, 14, ui.theme.muted);
    const ui::Rect strip{left + width(low) + kGap, y - 10, kCells, 10};
    ui::heat_strip(ui.canvas, ui.theme, strip, cells, kind);
    ui::tooltip(ui, strip,
                gate ? "Gates of a recurrent state, from 0 (keep what was) to 1 (take what is new); each cell is the mean of several"
                     : "Values of hidden states: amber above 0, cyan below; each cell is the mean of several, full colour is the largest");
    ui.canvas.text({right, y}, high, ui::Font::text, 14, ui.theme.muted, ui::Align::right);
}

} // namespace speclens
