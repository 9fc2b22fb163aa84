// A clipped view on taller content: wheel, bar, and Tab brings the focused widget into view.
#include <algorithm>

#include "ui/widgets.h"

namespace speclens::ui {

float begin_scroll(Ui& ui, std::string_view name, Rect view, float content_height) {
    const Id id = ui.id(name);
    float& offset = ui.state.scroll[id];
    const float most = std::max(0.0F, content_height - view.h);
    ui.push_id(name);
    if (most > 0) {
        if (ui.mouse_in(view) && ui.input.wheel != 0 && !ui.wheel_used) {
            offset -= ui.input.wheel * 48;
            ui.wheel_used = true;
        }
        const float length = std::max(24.0F, view.h * view.h / content_height), travel = view.h - length;
        const Rect bar{view.right() - 6, view.y + travel * offset / most, 4, length};
        const Rect hit{view.right() - 12, view.y, 12, view.h};
        const Touch t = touch(ui, ui.id("bar"), hit, {.focusable = false, .grow = false});
        if (t.began) ui.state.grab.y = bar.contains({bar.x, ui.input.mouse.y}) ? ui.input.mouse.y - bar.y : length / 2;
        if (t.held && travel > 0) offset = (ui.input.mouse.y - ui.state.grab.y - view.y) / travel * most;
        offset = std::clamp(offset, 0.0F, most);
        ui.canvas.fill({bar.x, view.y + travel * offset / most, t.hovered || t.held ? 6.0F : 4.0F, length},
                       t.hovered || t.held ? ui.theme.muted : ui.theme.line, 2);
    } else {
        offset = 0;
    }
    ui.push_clip(view);
    ui.scroll_areas.push_back(id);
    return offset;
}

void take_scroll_keys(Ui& ui, std::string_view name, Rect view, float content_height) {
    constexpr float kArrow = 48;
    const float most = std::max(0.0F, content_height - view.h), page = std::max(kArrow, view.h - kArrow);
    float& offset = ui.state.scroll[ui.id(name)];
    const auto by = [&](Key key, float distance) {
        while (ui.take_key(key)) offset = std::clamp(offset + distance, 0.0F, most);
    };
    by(Key::up, -kArrow);
    by(Key::down, kArrow);
    by(Key::page_up, -page);
    by(Key::page_down, page);
    by(Key::home, -most);
    by(Key::end, most);
}

void end_scroll(Ui& ui) {
    ui.scroll_areas.pop_back();
    ui.pop_clip();
    ui.pop_id();
}

} // namespace speclens::ui
