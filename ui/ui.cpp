#include "ui/ui.h"

#include <algorithm>
#include <array>

#include "ui/text_layout.h"

namespace speclens::ui {

namespace {

constexpr float kTipWidth = 320;

Id hash(Id seed, std::string_view name) { // FNV-1a
    Id h = seed ^ 0xCBF29CE484222325U;
    for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
    h = (h ^ 0xFFU) * 0x100000001B3U;
    return h == 0 ? 1 : h;
}

bool is_text_key(const KeyPress& k) {
    if (k.alt || (k.key >= Key::f1 && k.key <= Key::f12) || k.key == Key::escape || k.key == Key::tab || k.key == Key::page_up ||
        k.key == Key::page_down) // the clicker of a presenter goes on working

        return false;
    if (!k.ctrl) return true;
    switch (k.key) {
    case Key::a:
    case Key::c:
    case Key::v:
    case Key::x:
    case Key::y:
    case Key::z:
    case Key::left:
    case Key::right:
    case Key::home:
    case Key::end:
    case Key::backspace:
    case Key::del:
    case Key::enter: return true;
    default: return false;
    }
}

// The first place beside tip_at that has room; where none has, as is for a whole region, below the mouse.
Rect tip_box(const Ui& ui, Vec2 size) {
    constexpr float kEdge = 4, kAway = 8;
    const Rect& at = ui.tip_at;
    const Rect s = ui.screen.inset(kEdge, kEdge);
    const auto across = [](float wish, float low, float high) { return std::max(low, std::min(wish, high)); };
    const float x = across(at.center().x - size.x / 2, s.x, s.right() - size.x), y = across(at.y, s.y, s.bottom() - size.y);
    std::array<Rect, 4> places{{{x, at.bottom() + kAway, size.x, size.y},
                                {x, at.y - kAway - size.y, size.x, size.y},
                                {at.right() + kAway, y, size.x, size.y},
                                {at.x - kAway - size.x, y, size.x, size.y}}};
    if (ui.tip_beside) std::ranges::rotate(places, places.begin() + 2);
    const auto room = [&](const Rect& box) {
        return box.x >= s.x && box.y >= s.y && box.right() <= s.right() && box.bottom() <= s.bottom();
    };
    if (const auto found = std::ranges::find_if(places, room); found != places.end()) return *found;
    constexpr float kPointer = 20;
    return {across(ui.input.mouse.x, s.x, s.right() - size.x), across(ui.input.mouse.y + kPointer, s.y, s.bottom() - size.y), size.x,
            size.y};
}

void draw_tip(Ui& ui) {
    const ParagraphStyle style{.size = 14, .color = ui.theme.ink};
    const auto lines = wrap(ui.canvas, ui.tip, style.font, style.size, kTipWidth);
    float width = 0;
    for (const auto line : lines) width = std::max(width, ui.canvas.printed_width(line, style.font, style.size));
    const Rect box = tip_box(ui, {width + 24, static_cast<float>(lines.size()) * 20 + 12});
    ui.canvas.fill(box, ui.theme.raised, 6);
    ui.canvas.outline(box, {ui.theme.muted, 1}, 6);
    paragraph(ui.canvas, {box.x + 12, box.y + 21}, kTipWidth, ui.tip, style);
}

} // namespace

Rect intersect(Rect a, Rect b) {
    const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
    return {x, y, std::max(0.0F, std::min(a.right(), b.right()) - x), std::max(0.0F, std::min(a.bottom(), b.bottom()) - y)};
}

Ui::Ui(Canvas& on, const Input& in, const Theme& colours, WidgetState& kept, Rect whole)
    : canvas(on), input(in), theme(colours), state(kept), screen(whole), keys_used(in.keys.size(), false),
      typed_used(in.typed.size(), false) {
    state.wake_at = 0;
}

Id Ui::id(std::string_view name) const { return hash(names.empty() ? 0 : names.back(), name); }
void Ui::push_id(std::string_view name) { names.push_back(id(name)); }
void Ui::pop_id() {
    if (!names.empty()) names.pop_back();
}

void Ui::push_clip(Rect rect) {
    canvas.push_clip(rect);
    clips.push_back(clips.empty() ? rect : intersect(rect, clips.back()));
}

void Ui::pop_clip() {
    if (clips.empty()) return;
    clips.pop_back();
    canvas.pop_clip();
}

void Ui::begin_layer() {
    seen_layer = std::max(seen_layer, ++layer);
    if (state.below.size() < static_cast<std::size_t>(layer)) state.below.push_back({state.focus, state.focus_visible});
    // What lies below cannot hold the mouse position or the Tab order of the dialog.
    mouse_used = press_used = wheel_used = false;
}

void Ui::end_layer() {
    if (layer > 0) --layer;
}

bool Ui::mouse_in(Rect rect) const {
    return !covered && reachable() && rect.contains(input.mouse) && (clips.empty() || clips.back().contains(input.mouse));
}

bool Ui::take_press(const KeyPress& wanted, bool even_in_text) {
    if (!reachable()) return false;
    for (std::size_t i = 0; i < input.keys.size(); ++i) {
        const KeyPress& k = input.keys[i];
        if (keys_used[i] || k.key != wanted.key || k.shift != wanted.shift || k.ctrl != wanted.ctrl || k.alt != wanted.alt) continue;
        if (!even_in_text && state.text_focus && is_text_key(k)) continue;
        keys_used[i] = true;
        return true;
    }
    return false;
}

bool Ui::take_key(Key key, Mods mods) { return take_press({.key = key, .shift = mods.shift, .ctrl = mods.ctrl, .alt = mods.alt}, false); }

bool Ui::take_typed(char character) {
    if (!reachable() || state.text_focus) return false;
    for (std::size_t i = 0; i < input.typed.size(); ++i) {
        if (typed_used[i] || input.typed[i] != character) continue;
        typed_used[i] = true;
        return true;
    }
    return false;
}

void Ui::move_focus(Id to) {
    state.focus = to;
    state.focus_visible = state.focus_moved = true;
    state.text_focus = false; // the field sets it when it is drawn
    focus_seen = true;
    wake(input.time);
}

void Ui::defer(std::function<void(Ui&)> draw) { deferred.push_back(std::move(draw)); }

void Ui::wake(double time) {
    if (state.wake_at == 0 || time < state.wake_at) state.wake_at = time;
}

void Ui::finish() {
    while (!clips.empty()) pop_clip();
    names.clear();
    for (std::size_t i = 0; i < deferred.size(); ++i) { // a list may defer in turn
        const std::function<void(Ui&)> draw = std::move(deferred[i]);
        draw(*this);
    }
    deferred.clear();
    if (!tip.empty()) draw_tip(*this);

    state.top_layer = seen_layer;
    layer = seen_layer;
    state.text_focus = text_seen;
    if (!auto_focus_seen) state.auto_focus = 0;
    while (state.below.size() > static_cast<std::size_t>(seen_layer)) {
        state.focus = state.below.back().focus;
        state.focus_visible = state.below.back().visible;
        focus_seen = true; // the next frame shows whether its widget is still there
        state.below.pop_back();
        wake(input.time);
    }
    // Tab walks in the order of the calls; it is asked last, so a text area may keep it for itself.
    const bool forward = take_key(Key::tab), backward = !forward && take_key(Key::tab, {.shift = true});
    if ((forward || backward) && !order.empty()) {
        const auto at = std::find_if(order.begin(), order.end(), [&](const Stop& stop) { return stop.id == state.focus; });
        std::size_t next = forward ? 0 : order.size() - 1;
        if (at != order.end()) {
            const auto i = static_cast<std::size_t>(at - order.begin());
            next = forward ? (i + 1) % order.size() : (i + order.size() - 1) % order.size();
        }
        move_focus(order[next].id);
    }
    if (input.pressed && !press_used) { // a click on empty ground
        state.focus = 0;
        state.focus_visible = state.text_focus = false;
    }
    if (!focus_seen && state.focus != 0) { // its widget is gone
        state.focus = 0;
        state.focus_visible = state.text_focus = false;
    }
    if (!active_seen || !input.down) state.active = 0;
    if (!open_seen) state.open = 0;
    if (hover_seen == 0) state.hover = 0;
}

Touch touch(Ui& ui, Id id, Rect rect, const TouchOptions& options) {
    WidgetState& s = ui.state;
    Touch out;
    Rect hit = rect;
    if (options.grow) {
        const float dx = std::max(0.0F, (ui.target - rect.w) / 2), dy = std::max(0.0F, (ui.target - rect.h) / 2);
        hit = rect.inset(-dx, -dy);
    }
    const bool mine = s.active == id;
    if (mine) ui.active_seen = true;
    if (s.focus == id) ui.focus_seen = true;
    const bool inside = ui.mouse_in(hit);
    out.hovered = inside && (mine || (s.active == 0 && !ui.mouse_used));
    if (out.hovered) ui.mouse_used = true;
    if (options.disabled) {
        if (out.hovered && ui.input.pressed) ui.press_used = true;
        return out;
    }
    const Rect seen = ui.clips.empty() ? rect : intersect(rect, ui.clips.back());
    // No stop where nobody could see it: under a drawer.
    const bool can_be_seen = (seen.w > 0 && seen.h > 0) || ui.pans || !ui.scroll_areas.empty();
    if (options.focusable && options.stop && can_be_seen && ui.reachable()) ui.order.push_back({id, seen});
    if (out.hovered && ui.input.pressed && !ui.press_used) {
        ui.press_used = true;
        s.active = id;
        ui.active_seen = true;
        out.began = true;
        s.focus = options.focusable ? id : 0;
        s.focus_visible = s.text_focus = false;
        ui.focus_seen = true;
    }
    if (s.active == id) {
        out.held = ui.input.down;
        if (ui.input.released) {
            out.released = true;
            out.clicked = inside;
        }
    }
    out.focused = s.focus == id && s.focus_visible && ui.reachable();
    if (out.focused && s.focus_moved) {
        s.focus_moved = false;
        if (!ui.scroll_areas.empty() && !ui.clips.empty()) {
            const Rect view = ui.clips.back();
            float& offset = s.scroll[ui.scroll_areas.back()];
            if (rect.bottom() + 8 > view.bottom()) offset += rect.bottom() + 8 - view.bottom();
            if (rect.y - 8 < view.y) offset -= view.y - rect.y + 8;
            ui.wake(ui.input.time);
        } else {
            ui.came = rect;
        }
    }
    if (out.focused && !s.text_focus && (ui.take_key(Key::enter) || ui.take_key(Key::space))) out.clicked = true;
    return out;
}

std::size_t walk(Ui& ui, std::span<const Id> ids, std::size_t chosen, Key back, Key on) {
    const auto found = std::find(ids.begin(), ids.end(), ui.state.focus);
    if (found == ids.end()) return chosen;
    const auto from = static_cast<std::size_t>(found - ids.begin());
    if (!ui.state.focus_visible) return from; // reached with the pointer: the keys keep their other meaning
    std::size_t at = from;
    while (ui.take_key(on)) at = std::min(at + 1, ids.size() - 1);
    while (ui.take_key(back)) at -= at > 0 ? 1 : 0;
    if (ui.take_key(Key::home)) at = 0;
    if (ui.take_key(Key::end)) at = ids.size() - 1;
    if (at != from) ui.move_focus(ids[at]);
    return at;
}

} // namespace speclens::ui
