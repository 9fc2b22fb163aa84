#include "app/frame/overlay.h"

#include <cmath>

namespace speclens {
namespace {

constexpr float kLight = 110;     // radius of the light
constexpr float kEdge = 4;        // around it
constexpr float kPen = 5;         // width of a stroke
constexpr float kNextPoint = 1.5; // px that the pen moves before a stroke grows

void shade(const ui::Ui& ui) {
    const ui::Rect& screen = ui.screen;
    const ui::Vec2 at = ui.input.mouse;
    const ui::Color shadow = ui::Color{0, 0, 0}.alpha(0.62F);
    if (!screen.contains(at)) return ui.canvas.fill(screen, shadow);
    const float width = 2 * (screen.w + screen.h); // the ring reaches beyond every corner
    ui.canvas.ring(at, kLight + width / 2, {shadow, width});
    ui.canvas.ring(at, kLight, {ui.theme.ink.alpha(0.8F), kEdge});
}

// Edged with the ground of the theme, so that a stroke is seen on every colour.
void stroke(const ui::Ui& ui, const std::vector<ui::Vec2>& points) {
    for (const auto& [color, width] : {std::pair{ui.theme.bg, kPen + 4}, std::pair{ui.theme.pen, kPen}}) {
        if (points.size() > 1) ui.canvas.polyline(points, {color, width});
        for (const ui::Vec2 end : {points.front(), points.back()}) ui.canvas.disc(end, width / 2, color);
    }
}

} // namespace

bool begin_overlay(Overlay& overlay, ui::Ui& ui, const std::string& place) {
    if (overlay.black) {
        overlay.black = ui.input.keys.empty() && !ui.input.pressed;
        ui.canvas.fill(ui.screen, {0, 0, 0});
        ui.focus_seen = true; // its widget is only not drawn
        ui.finish();
        return false;
    }
    if (overlay.place != place) overlay.strokes.clear();
    overlay.place = place;
    if (!overlay.pen || !ui.reachable()) return true;
    if (ui.take_key(ui::Key::escape)) {
        overlay.pen = false;
        overlay.strokes.clear();
        return true;
    }
    const ui::Vec2 at = ui.input.mouse;
    if (ui.input.pressed) {
        overlay.strokes.push_back({at});
    } else if (ui.input.down && !overlay.strokes.empty()) {
        const ui::Vec2 last = overlay.strokes.back().back();
        if (std::hypot(at.x - last.x, at.y - last.y) >= kNextPoint) overlay.strokes.back().push_back(at);
    }
    ui.covered = true;
    return true;
}

void draw_overlay(const Overlay& overlay, const ui::Ui& ui) {
    for (const std::vector<ui::Vec2>& points : overlay.strokes) stroke(ui, points);
    if (overlay.light) shade(ui);
}

} // namespace speclens
