// Buttons, segmented switches, check boxes: what is pressed.
#include <algorithm>

#include "ui/stories/story_book.h"
#include "ui/text_layout.h"
#include "ui/widgets.h"

namespace speclens::ui {

namespace {

constexpr float kIcon = 12, kGap = 8, kShortcutGap = 12;

struct Look {
    Color ground, edge, ink;
    bool filled = true;
};

Look look_of(const Theme& t, ButtonKind kind, const Touch& touch, bool disabled) {
    const bool pressed = touch.held && touch.hovered;
    if (disabled) return {t.raised, t.line, t.muted, false};
    if (kind == ButtonKind::primary) {
        const Color ground = pressed ? mix(t.bg, t.ink, 0.25F) : touch.hovered ? mix(t.bg, t.ink, 0.1F) : t.ink;
        return {ground, ground, t.bg};
    }
    const Color ink = kind == ButtonKind::quiet && !touch.hovered ? t.muted : t.ink;
    if (pressed) return {t.active(), t.line, ink};
    if (touch.hovered) return {mix(t.active(), t.raised, 0.5F), t.muted, ink};
    return {t.raised, t.line, ink, kind == ButtonKind::normal};
}

} // namespace

Message key_words(std::string_view keys) {
    constexpr SaidOf<"shared"> said;
    static const std::pair<std::string_view, Said> kNamed[] = {{"Space", said("key.space"_t)},
                                                               {"Home", said("key.home"_t)},
                                                               {"End", said("key.end"_t)},
                                                               {"Del", said("key.del"_t)},
                                                               {"PageDown", said("key.down"_t)},
                                                               {"PageUp", said("key.up"_t)},
                                                               {"Ctrl+PageDown", said("key.ctrl_down"_t)},
                                                               {"Ctrl+PageUp", said("key.ctrl_up"_t)}};
    for (const auto& [name, words] : kNamed)
        if (name == keys) return message(words);
    return keys;
}

float button_width(const Canvas& canvas, const Message& label, const ButtonOptions& o) {
    if (label.empty()) return 36;
    const Font font = o.kind == ButtonKind::primary ? Font::text_bold : Font::text;
    float width = canvas.text_width(label, font, 15) + 32;
    if (o.icon != Icon::none) width += kIcon + kGap;
    if (!o.shortcut.empty()) width += canvas.text_width(key_words(o.shortcut), Font::mono, 14) + kShortcutGap;
    return width;
}

bool button(Ui& ui, std::string_view name, Rect rect, const Message& label, const ButtonOptions& o) {
    const bool disabled = !o.disabled.empty();
    const Touch t = touch(ui, ui.id(name), rect, {.disabled = disabled});
    const Look look = look_of(ui.theme, o.kind, t, disabled);
    Canvas& c = ui.canvas;
    if (look.filled) c.fill(rect, look.ground, 6);
    const bool quiet = o.kind == ButtonKind::quiet && !look.filled;
    if (o.kind != ButtonKind::primary && !(quiet && !disabled)) c.outline(rect, {look.edge, ui.theme.edge_width}, 6);
    if (disabled && o.kind == ButtonKind::primary) c.outline(rect, {look.edge, ui.theme.edge_width}, 6);
    if (o.selected) c.outline(rect, {ui.theme.ink, 2}, 6);

    const Font font = o.kind == ButtonKind::primary ? Font::text_bold : Font::text;
    const float size = rect.h >= 40 ? 17 : 15;
    if (label.empty()) {
        icon(c, o.icon, rect.center(), 13, look.ink);
    } else {
        const float shortcut = o.shortcut.empty() ? 0 : c.text_width(key_words(o.shortcut), Font::mono, 14) + kShortcutGap;
        const float mark = o.icon == Icon::none ? 0 : kIcon + kGap;
        const std::string words = fit(c, label, font, size, rect.w - 16 - shortcut - mark);
        const float width = c.printed_width(words, font, size);
        float x = rect.x + (rect.w - width - shortcut - mark) / 2;
        if (mark > 0) icon(c, o.icon, {x + kIcon / 2, rect.center().y}, kIcon, look.ink);
        x += mark;
        c.print({x, baseline(rect.y, rect.h, size)}, words, font, size, look.ink);
        c.tell(label, rect, Canvas::Told::drawn);
        if (shortcut > 0)
            c.print({x + width + kShortcutGap, baseline(rect.y, rect.h, 14)}, key_words(o.shortcut), Font::mono, 14,
                    o.kind == ButtonKind::primary ? look.ink : ui.theme.muted);
    }
    if (t.focused) focus_ring(c, ui.theme, rect, 6);
    tooltip(ui, rect, disabled ? o.disabled : o.tooltip, t.focused);
    return t.clicked;
}

float segmented_width(const Canvas& canvas, std::span<const Message> choices) {
    float width = 0;
    for (const Message& choice : choices) width += std::max(44.0F, canvas.text_width(choice, Font::text, 15) + 28);
    return width;
}

std::optional<int> segmented(Ui& ui, std::string_view name, Vec2 at, std::span<const Message> choices, int chosen,
                             const Message& disabled) {
    const Rect whole{at.x, at.y, segmented_width(ui.canvas, choices), 36};
    Canvas& c = ui.canvas;
    const bool off = !disabled.empty();
    if (!off) c.fill(whole, ui.theme.raised, 6);
    c.outline(whole, ui.theme.hairline(), 6);
    std::optional<int> out;
    ui.push_id(name);
    float x = at.x;
    bool focused = false;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const bool on = static_cast<int>(i) == chosen;
        const Rect cell{x, at.y, std::max(44.0F, c.text_width(choices[i], Font::text, 15) + 28), 36};
        // One stop for Tab; arrows choose.
        const Touch t = touch(ui, ui.id(choices[i]), cell, {.focusable = on || (chosen < 0 && i == 0), .disabled = off});
        if (t.clicked && !on) out = static_cast<int>(i);
        if (t.focused) focused = true;
        if (on)
            c.fill(cell, off ? ui.theme.line : t.held ? mix(ui.theme.bg, ui.theme.ink, 0.15F) : ui.theme.ink, 6);
        else if (t.hovered && !off)
            c.fill(cell.inset(1, 1), mix(ui.theme.active(), ui.theme.raised, 0.6F), 5);
        const Color ink = off ? ui.theme.muted : on ? ui.theme.bg : t.hovered ? ui.theme.ink : ui.theme.muted;
        c.text({cell.center().x, baseline(cell.y, cell.h, 15)}, choices[i], Font::text, 15, ink, Align::center);
        x += cell.w;
    }
    const int last = static_cast<int>(choices.size()) - 1;
    if (focused) {
        int to = chosen;
        if (ui.take_key(Key::right) || ui.take_key(Key::down)) to = std::min(last, chosen + 1);
        if (ui.take_key(Key::left) || ui.take_key(Key::up)) to = std::max(0, chosen - 1);
        if (to != chosen) {
            out = to;
            ui.state.focus = ui.id(choices[static_cast<std::size_t>(to)]); // focus follows the choice
            ui.focus_seen = true;
        }
        focus_ring(c, ui.theme, whole, 6);
    }
    ui.pop_id();
    tooltip(ui, whole, disabled);
    return out;
}

namespace {

bool toggle(Ui& ui, std::string_view name, Rect rect, Rect box, const Message& label, bool on, bool disabled) {
    const Touch t = touch(ui, ui.id(name), rect, {.disabled = disabled});
    Canvas& c = ui.canvas;
    const Color edge = t.hovered && !disabled ? ui.theme.ink : disabled ? ui.theme.line : ui.theme.muted;
    if (on) {
        c.fill(box, disabled ? ui.theme.line : ui.theme.ink, 3);
        icon(c, Icon::check, box.center(), 10, ui.theme.bg);
    } else {
        c.outline(box, {edge, 1.5F}, 3);
    }
    const float x = box.right() + 12;
    fitted_text(c, {x, baseline(rect.y, rect.h, 15)}, label, Font::text, 15, disabled ? ui.theme.muted : ui.theme.ink, rect.right() - x);
    if (t.focused) focus_ring(c, ui.theme, rect, 6);
    return t.clicked;
}

} // namespace

bool checkbox(Ui& ui, std::string_view name, Rect rect, const Message& label, bool checked, const Message& disabled) {
    const bool out = toggle(ui, name, rect, {rect.x, rect.center().y - 8, 16, 16}, label, checked, !disabled.empty());
    tooltip(ui, rect, disabled);
    return out;
}

bool task_card(Ui& ui, std::string_view name, Rect rect, const Message& label, bool done) {
    ui.canvas.fill(rect, ui.theme.raised, 6);
    if (ui.theme.edge_width > 1) ui.canvas.outline(rect, ui.theme.hairline(), 6);
    return toggle(ui, name, rect, {rect.x + 14, rect.center().y - 8, 16, 16}, label, done, false);
}

} // namespace speclens::ui
