// A field with a list. The list is drawn last, above everything, and takes all input while it is open.
#include <algorithm>
#include <cmath>

#include "ui/stories/story_book.h"
#include "ui/text_layout.h"
#include "ui/widgets.h"

namespace speclens::ui {

namespace {

constexpr float kRow = 32, kPad = 4, kScrollBar = 6;

struct List {
    Rect field;
    std::vector<Choice> choices; // owned: drawn after the caller's data may be gone
    int chosen;
    int max_rows;
};

// First choosable row from `from` in direction `by`, or -1.
int next_row(std::span<const Choice> choices, int from, int by) {
    for (int i = from; i >= 0 && i < static_cast<int>(choices.size()); i += by)
        if (choices[static_cast<std::size_t>(i)].disabled.empty()) return i;
    return -1;
}

float list_width(const Canvas& c, const List& list) {
    float width = list.field.w;
    for (const Choice& choice : list.choices) {
        float row = c.text_width(choice.label, Font::text, 15) + 48;
        if (!choice.detail.empty()) row += c.text_width(choice.detail, Font::text, 14) + 16;
        width = std::max(width, row);
    }
    return width;
}

// Rows that are visible and the box around them; above the field when there is no room below.
Rect list_box(const Ui& ui, const List& list, int& rows) {
    const float below = ui.screen.bottom() - list.field.bottom() - 8, above = list.field.y - ui.screen.y - 8;
    const auto fitting = [](float room) { return std::max(1, static_cast<int>((room - 2 * kPad) / kRow)); };
    const int wanted = std::min(list.max_rows, static_cast<int>(list.choices.size()));
    const bool up = fitting(below) < wanted && above > below;
    rows = std::min(wanted, fitting(up ? above : below));
    const float h = static_cast<float>(rows) * kRow + 2 * kPad;
    const float w = std::min(list_width(ui.canvas, list), ui.screen.w - 8);
    const float x = std::max(ui.screen.x + 4, std::min(list.field.x, ui.screen.right() - 4 - w));
    return {x, up ? list.field.y - 4 - h : list.field.bottom() + 4, w, h};
}

// What happened in the open list. Runs where the widget is called; drawing comes later.
std::optional<int> drive(Ui& ui, const List& list, bool& close) {
    WidgetState& s = ui.state;
    int rows = 0;
    const Rect box = list_box(ui, list, rows);
    const int count = static_cast<int>(list.choices.size());
    const float most = static_cast<float>(count - rows);
    const auto keep_visible = [&](int row) {
        s.open_scroll = std::clamp(s.open_scroll, static_cast<float>(row - rows + 1), static_cast<float>(row));
    };
    const auto go = [&](int from, int by) {
        if (const int row = next_row(list.choices, std::clamp(from, 0, count - 1), by); row >= 0) {
            s.open_row = row;
            keep_visible(row);
        }
    };
    if (ui.take_key(Key::down)) go(s.open_row + 1, 1);
    if (ui.take_key(Key::up)) go(s.open_row - 1, -1);
    if (ui.take_key(Key::page_down)) go(s.open_row + rows, 1);
    if (ui.take_key(Key::page_up)) go(s.open_row - rows, -1);
    if (ui.take_key(Key::home)) go(0, 1);
    if (ui.take_key(Key::end)) go(count - 1, -1);
    if (box.contains(ui.input.mouse) && ui.input.wheel != 0) s.open_scroll -= std::round(ui.input.wheel);
    s.open_scroll = std::clamp(s.open_scroll, 0.0F, std::max(0.0F, most));
    if (ui.take_key(Key::escape)) close = true;
    if (ui.take_key(Key::enter) || ui.take_key(Key::space) || ui.take_key(Key::tab)) {
        close = true;
        if (s.open_row >= 0 && s.open_row < count && list.choices[static_cast<std::size_t>(s.open_row)].disabled.empty()) return s.open_row;
        return {};
    }
    for (int i = 0; i < rows; ++i) {
        const Rect row{box.x, box.y + kPad + kRow * static_cast<float>(i), box.w, kRow};
        const int index = i + static_cast<int>(s.open_scroll);
        if (!row.contains(ui.input.mouse) || !list.choices[static_cast<std::size_t>(index)].disabled.empty()) continue;
        s.open_row = index;
        if (ui.input.pressed) {
            close = true;
            return index;
        }
    }
    if (ui.input.pressed && !box.contains(ui.input.mouse)) close = true;
    return {};
}

void draw_list(Ui& ui, const List& list) {
    ui.begin_layer();
    Canvas& c = ui.canvas;
    const Theme& t = ui.theme;
    int rows = 0;
    const Rect box = list_box(ui, list, rows);
    c.fill(box, t.raised, 6);
    c.outline(box, {t.muted, t.edge_width}, 6);
    const int count = static_cast<int>(list.choices.size()), first = static_cast<int>(ui.state.open_scroll);
    const bool scrolls = count > rows;
    for (int i = 0; i < rows; ++i) {
        const int index = i + first;
        const Choice& choice = list.choices[static_cast<std::size_t>(index)];
        const Rect row{box.x + kPad, box.y + kPad + kRow * static_cast<float>(i), box.w - 2 * kPad, kRow};
        if (index == ui.state.open_row) c.fill(row, t.active(), 4);
        const bool off = !choice.disabled.empty();
        float right = row.right() - 8 - (scrolls ? kScrollBar : 0);
        if (index == list.chosen) icon(c, Icon::check, {row.x + 12, row.center().y}, 10, t.ink);
        if (!choice.detail.empty()) {
            c.text({right, baseline(row.y, row.h, 14)}, choice.detail, Font::text, 14, t.muted, Align::right);
            right -= c.text_width(choice.detail, Font::text, 14) + 12;
        }
        fitted_text(c, {row.x + 26, baseline(row.y, row.h, 15)}, choice.label, Font::text, 15, off ? t.muted : t.ink, right - row.x - 26);
        if (off) tooltip(ui, row, choice.disabled);
    }
    if (scrolls) {
        const float track = box.h - 2 * kPad, part = static_cast<float>(rows) / static_cast<float>(count);
        const float top = box.y + kPad + track * static_cast<float>(first) / static_cast<float>(count);
        c.fill({box.right() - kPad - kScrollBar, top, kScrollBar - 2, track * part}, t.muted, 2);
    }
    ui.end_layer();
}

} // namespace

std::optional<int> dropdown(Ui& ui, std::string_view name, Rect rect, std::span<const Choice> choices, int chosen,
                            const DropdownOptions& o) {
    const Id id = ui.id(name);
    WidgetState& s = ui.state;
    const bool disabled = !o.disabled.empty() || choices.empty();
    const bool was_open = s.open == id && !disabled;
    const List list{rect, {choices.begin(), choices.end()}, chosen, o.max_rows};

    std::optional<int> out;
    if (was_open) {
        // The list is the top layer: its owner answers for it.
        const int layer = ui.layer;
        ui.layer = s.top_layer;
        bool close = false;
        out = drive(ui, list, close);
        ui.press_used = true;
        ui.layer = layer;
        if (close) {
            s.open = 0;
            ui.wake(ui.input.time);
        }
    }
    const Touch t = touch(ui, id, rect, {.disabled = disabled});
    if (s.focus == id) ui.focus_seen = true;
    bool open_now = t.clicked && !was_open;
    if (t.focused && !was_open && (ui.take_key(Key::down) || ui.take_key(Key::up))) open_now = true;
    if (open_now) {
        s.open = id;
        s.open_row = chosen >= 0 ? chosen : next_row(choices, 0, 1);
        int rows = 0;
        list_box(ui, list, rows);
        s.open_scroll = std::clamp(static_cast<float>(chosen - rows / 2), 0.0F,
                                   std::max(0.0F, static_cast<float>(static_cast<int>(choices.size()) - rows)));
    }
    if (s.open == id) {
        ui.open_seen = true;
        ui.defer([list](Ui& later) { draw_list(later, list); });
    }

    const Theme& theme = ui.theme;
    Canvas& c = ui.canvas;
    const bool lit = t.hovered || s.open == id;
    if (!disabled) c.fill(rect, lit ? theme.raised : theme.bg, 6);
    c.outline(rect, {lit && !disabled ? theme.muted : theme.line, theme.edge_width}, 6);
    const bool valid = chosen >= 0 && chosen < static_cast<int>(choices.size());
    const Message words = valid                   ? choices[static_cast<std::size_t>(chosen)].label
                          : o.placeholder.empty() ? message(SaidOf<"shared">()("words.choose"_t))
                                                  : o.placeholder;
    fitted_text(c, {rect.x + 12, baseline(rect.y, rect.h, 15)}, words, Font::text, 15, valid && !disabled ? theme.ink : theme.muted,
                rect.w - 12 - 30);
    icon(c, s.open == id ? Icon::chevron_up : Icon::chevron_down, {rect.right() - 16, rect.center().y}, 12,
         disabled ? theme.line : theme.muted);
    if (t.focused) focus_ring(c, theme, rect, 6);
    if (s.open != id) tooltip(ui, rect, o.disabled.empty() ? o.tooltip : o.disabled, t.focused);
    return out && *out != chosen ? out : std::nullopt;
}

} // namespace speclens::ui
