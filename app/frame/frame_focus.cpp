// The keyboard's ways over the window: from region to region, and over a stage that is larger than its
// window.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "app/frame/frame.h"

namespace speclens {
namespace {

constexpr int kParts = 8;

// In the order that F6 goes through them.
std::array<Rect, kParts> parts_of(const FrameLayout& l) {
    return {l.menu, l.rail, l.stage_clip, l.story, l.details, l.controls, l.ribbon, l.timeline};
}

// From the last one: drawers lie on the stage.
int part_at(const std::array<Rect, kParts>& parts, Rect seen) {
    if (seen.w <= 0 || seen.h <= 0) return -1;
    for (int i = kParts; i-- > 0;)
        if (parts[static_cast<std::size_t>(i)].contains(seen.center())) return i;
    return -1;
}

// So that a widget and its ring can be seen, or the beginning of one that is larger than the view.
void reveal(float& pan, float from, float to, float low, float high) {
    constexpr float kRing = 8;
    if (from - kRing < low || to - from + 2 * kRing > high - low)
        pan += from - kRing - low;
    else if (to + kRing > high)
        pan += to + kRing - high;
}

void take_pan(const FrameDraw& d, Rect view) {
    constexpr float kNotch = 48, kStep = 96;
    ui::Vec2& pan = d.state.layout.pan;
    if (d.ui.mouse_in(view) && d.ui.input.wheel != 0 && !d.ui.wheel_used) {
        (d.ui.input.shift ? pan.x : pan.y) -= d.ui.input.wheel * kNotch;
        d.ui.wheel_used = true;
    }
    const auto by = [&](ui::Key key, float dx, float dy) {
        while (d.ui.take_key(key, {.alt = true})) pan.x += dx, pan.y += dy;
    };
    by(ui::Key::left, -kStep, 0);
    by(ui::Key::right, kStep, 0);
    by(ui::Key::up, 0, -kStep);
    by(ui::Key::down, 0, kStep);
    if (!d.ui.came) return;
    const Rect came = *d.ui.came;
    reveal(pan.x, came.x, came.right(), view.x, view.right());
    reveal(pan.y, came.y, came.bottom(), view.y, view.bottom());
    d.ui.wake(d.ui.input.time);
}

} // namespace

void pan_stage(const FrameDraw& d) {
    const FrameLayout& l = d.layout;
    if (l.density != Density::single || l.stage_clip.w <= 0) return;
    const Rect v = l.stage_clip;
    ui::Vec2& pan = d.state.layout.pan;
    take_pan(d, v);
    pan.x = std::clamp(pan.x, 0.0F, l.pan_limit.x);
    pan.y = std::clamp(pan.y, 0.0F, l.pan_limit.y);
    // Thin bars say that there is more, and where.
    const ui::Color bar = d.ui.theme.muted.alpha(0.6F);
    if (l.pan_limit.x > 0) {
        const float w = v.w * v.w / l.stage.w;
        d.ui.canvas.fill({v.x + (v.w - w) * pan.x / l.pan_limit.x, v.bottom() - 5, w, 3}, bar, 1.5F);
    }
    if (l.pan_limit.y > 0) {
        const float h = v.h * v.h / l.stage.h;
        d.ui.canvas.fill({v.right() - 5, v.y + (v.h - h) * pan.y / l.pan_limit.y, 3, h}, bar, 1.5F);
    }
}

void move_between_regions(const FrameDraw& d) {
    if (d.state.jump == 0) return;
    if (!d.ui.reachable()) return d.ui.wake(d.ui.input.time); // the menu that it was chosen from still closes
    const std::array<Rect, kParts> parts = parts_of(d.layout);
    std::array<ui::Id, kParts> first{};
    int at = 0; // without a focus: where Tab begins
    for (const ui::Stop& stop : d.ui.order) {
        const int part = part_at(parts, stop.seen);
        if (part < 0) continue;
        ui::Id& id = first[static_cast<std::size_t>(part)];
        if (id == 0) id = stop.id;
        if (d.ui.focused(stop.id)) at = part;
    }
    // Where one region is shown at a time, the menu bar is none of them.
    if (d.layout.density == Density::single) first[0] = 0;
    const int by = d.state.jump > 0 ? 1 : -1;
    for (int jumps = std::abs(std::exchange(d.state.jump, 0)); jumps > 0; --jumps) {
        int next = at;
        do next = (next + by + kParts) % kParts;
        while (next != at && first[static_cast<std::size_t>(next)] == 0);
        at = next;
    }
    if (const ui::Id id = first[static_cast<std::size_t>(at)]; id != 0) d.ui.move_focus(id);
}

} // namespace speclens
