// Stepper, slider and the invisible handle: numbers that are dragged or stepped.
#include <algorithm>
#include <cmath>

#include "ui/format.h"
#include "ui/text_layout.h"
#include "ui/widgets.h"

namespace speclens::ui {
namespace {

// With an arrow: ten steps at once. Not Page Up and Page Down, which are the keys of a presenter's clicker.
constexpr Mods kLeap{.shift = true};

} // namespace

std::optional<double> stepper(Ui& ui, std::string_view name, Rect rect, double value, const StepperOptions& o) {
    const bool disabled = !o.disabled.empty();
    const Theme& theme = ui.theme;
    Canvas& c = ui.canvas;
    if (!disabled) c.fill(rect, theme.bg, 6);
    c.outline(rect, theme.hairline(), 6);
    // Steps count from `low`, so 0.1 added ten times is 1 and not 0.9999. A value from elsewhere may lie
    // outside: from there it comes back step by step.
    const auto stepped = [&](double by) {
        const double at = std::round((value - o.low) / o.step + by);
        return std::clamp(o.low + at * o.step, std::min(o.low, value), std::max(o.high, value));
    };
    double to = value;
    ui.push_id(name);
    const Touch middle = touch(ui, ui.id("value"), {rect.x + 32, rect.y, rect.w - 64, rect.h}, {.disabled = disabled});
    for (const int sign : {-1, 1}) {
        const Rect cell{sign < 0 ? rect.x : rect.right() - 32, rect.y, 32, rect.h};
        const bool can = !disabled && (sign < 0 ? value > o.low + 1e-9 : value < o.high - 1e-9);
        const Touch t = touch(ui, ui.id(sign < 0 ? "-" : "+"), cell, {.focusable = false, .disabled = !can});
        if (t.hovered && can) c.fill(cell.inset(1, 1), t.held ? theme.active() : theme.raised, 5);
        const Color ink = !can ? theme.line : t.hovered ? theme.ink : theme.muted;
        c.text({cell.center().x, baseline(rect.y, rect.h, 15)}, sign < 0 ? "−" : "+", Font::text, 15, ink, Align::center);
        if (t.clicked) to = stepped(sign);
    }
    ui.pop_id();
    c.line({rect.x + 32.5F, rect.y + 8}, {rect.x + 32.5F, rect.bottom() - 8}, theme.hairline());
    c.line({rect.right() - 31.5F, rect.y + 8}, {rect.right() - 31.5F, rect.bottom() - 8}, theme.hairline());
    const Message words = o.text.empty() ? Message(number(value, o.decimals)) : o.text;
    fitted_text(c, {rect.center().x, baseline(rect.y, rect.h, 15)}, words, Font::mono, 15, disabled ? theme.muted : theme.ink, rect.w - 68,
                Align::center);
    if (middle.hovered && !disabled && ui.input.wheel != 0 && !ui.wheel_used) {
        to = stepped(ui.input.wheel > 0 ? 1 : -1);
        ui.wheel_used = true;
    }
    if (middle.focused) {
        if (ui.take_key(Key::right) || ui.take_key(Key::up)) to = stepped(1);
        if (ui.take_key(Key::left) || ui.take_key(Key::down)) to = stepped(-1);
        if (ui.take_key(Key::right, kLeap) || ui.take_key(Key::up, kLeap)) to = stepped(10);
        if (ui.take_key(Key::left, kLeap) || ui.take_key(Key::down, kLeap)) to = stepped(-10);
        if (ui.take_key(Key::home)) to = o.low;
        if (ui.take_key(Key::end)) to = o.high < 1e8 ? std::max(o.high, value) : value;
        focus_ring(c, theme, rect, 6);
    }
    tooltip(ui, rect, disabled ? o.disabled : o.tooltip, middle.focused);
    return to != value ? std::optional(to) : std::nullopt;
}

std::optional<double> slider(Ui& ui, std::string_view name, Rect rect, double value, double low, double high, const SliderOptions& o) {
    const bool disabled = !o.disabled.empty();
    const Id id = ui.id(name);
    const Touch t = touch(ui, id, rect, {.disabled = disabled});
    const double range = high - low, step = o.step > 0 ? o.step : range / 100;
    const float knob = 7, left = rect.x + knob, length = std::max(1.0F, rect.w - 2 * knob);
    const auto place = [&](double v) { return left + length * static_cast<float>(std::clamp((v - low) / range, 0.0, 1.0)); };
    double to = value;
    if (t.began) { // grabbed at the knob: keep the distance; elsewhere: jump there
        const float from_knob = ui.input.mouse.x - place(value);
        ui.state.grab.x = std::abs(from_knob) <= 14 ? from_knob : 0;
    }
    if (t.held || t.released) {
        to = low + range * std::clamp(static_cast<double>((ui.input.mouse.x - ui.state.grab.x - left) / length), 0.0, 1.0);
        if (o.step > 0) to = low + std::round((to - low) / step) * step;
    }
    if (t.focused) {
        if (ui.take_key(Key::right) || ui.take_key(Key::up)) to = value + step;
        if (ui.take_key(Key::left) || ui.take_key(Key::down)) to = value - step;
        if (ui.take_key(Key::right, kLeap) || ui.take_key(Key::up, kLeap)) to = value + 10 * step;
        if (ui.take_key(Key::left, kLeap) || ui.take_key(Key::down, kLeap)) to = value - 10 * step;
        if (ui.take_key(Key::home)) to = low;
        if (ui.take_key(Key::end)) to = high;
        to = std::clamp(to, low, high);
    }
    const Theme& theme = ui.theme;
    const float y = std::round(rect.center().y), x = place(to);
    const Color ink = disabled ? theme.line : theme.ink;
    ui.canvas.fill({rect.x, y - 2, rect.w, 4}, theme.line, 2);
    if (!disabled) ui.canvas.fill({rect.x, y - 2, x - rect.x, 4}, theme.muted, 2);
    ui.canvas.disc({x, y}, knob + 2, theme.panel);
    ui.canvas.disc({x, y}, t.hovered || t.held ? knob + 1 : knob, ink);
    if (t.focused) focus_ring(ui.canvas, theme, {x - knob - 2, y - knob - 2, 2 * knob + 4, 2 * knob + 4}, knob + 5);
    tooltip(ui, rect, o.disabled);
    return to != value ? std::optional(to) : std::nullopt;
}

Handle drag_handle(Ui& ui, std::string_view name, Vec2 center, float arrow_step, Rect hit) {
    if (hit.w <= 0) hit = {center.x - ui.target / 2, center.y - ui.target / 2, ui.target, ui.target};
    Handle out{touch(ui, ui.id(name), hit), {}};
    const Vec2 mouse = ui.input.mouse;
    if (out.touch.began) ui.state.grab = {mouse.x - center.x, mouse.y - center.y};
    if ((out.touch.held && !out.touch.began) || out.touch.released) {
        const Vec2 to{mouse.x - ui.state.grab.x, mouse.y - ui.state.grab.y};
        if (to.x != center.x || to.y != center.y) out.moved = to;
    }
    if (out.touch.focused) {
        Vec2 to = center;
        if (ui.take_key(Key::right)) to.x += arrow_step;
        if (ui.take_key(Key::left)) to.x -= arrow_step;
        if (ui.take_key(Key::down)) to.y += arrow_step;
        if (ui.take_key(Key::up)) to.y -= arrow_step;
        if (to.x != center.x || to.y != center.y) out.moved = to;
        focus_ring(ui.canvas, ui.theme, {center.x - 8, center.y - 8, 16, 16}, 11);
    }
    return out;
}

} // namespace speclens::ui
