// Handles in the menu bar: what this layout keeps out of sight, and the key that shows it. Large windows show
// everything and have none.
#include <vector>

#include "app/frame/frame.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;

struct Handle {
    std::string label, key;
    Action action;
    bool on = false;
};

std::vector<Handle> handles_of(const FrameDraw& d) {
    const FrameLayout& l = d.layout;
    if (l.density == Density::compact && l.rail.w > 0) // scenes that take the whole window have no drawers
        return {{"Controls", "Shift+I", Action::controls, l.controls.w > 0},
                {"Details", "I", Action::details, l.details.w > 0}};
    if (l.density != Density::single) return {};
    static constexpr const char* kNames[kRegions] = {"Picture", "Story", "Details", "Controls", "Output"};
    const int at = static_cast<int>(d.state.layout.region);
    const std::string place = std::to_string(at + 1) + " of " + std::to_string(kRegions);
    constexpr float kRoomy = 800; // below, the menus need the place
    return {{l.menu.w < kRoomy ? place : kNames[at] + (", " + place), "F6", Action::next_region}};
}

} // namespace

float draw_handles(const FrameDraw& d) {
    constexpr float kPad = 10, kGap = 8;
    const Rect bar = d.layout.menu;
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const std::vector<Handle> handles = handles_of(d);
    const auto width = [&](const Handle& h) {
        return 3 * kPad + c.text_width(h.label, Font::text, 14) + c.text_width(h.key, Font::mono, 14);
    };
    float whole = 0;
    for (const Handle& h : handles) whole += kGap + width(h);
    float x = bar.right() - whole;
    for (const Handle& h : handles) {
        const Rect box{x, bar.y + 2, width(h), bar.h - 5};
        // Not on the way of Tab: they have keys.
        const ui::Touch touched =
            ui::touch(d.ui, d.ui.id("handle " + h.key), box, {.focusable = false, .grow = false});
        c.fill(box, touched.hovered ? t.line : t.raised, 4);
        c.outline(box, h.on ? ui::Stroke{t.ink, 2} : ui::Stroke{t.line, t.edge_width}, 4);
        const float base = bar.y + bar.h / 2 + 5;
        c.text({box.x + kPad, base}, h.label, Font::text, 14, t.ink);
        c.text({box.right() - kPad, base}, h.key, Font::mono, 14, t.muted, Align::right);
        if (touched.clicked) d.pick(h.action);
        x = box.right() + kGap;
    }
    return whole;
}

} // namespace speclens
