#include "ui/text_field.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "ui/text_edit.h"
#include "ui/text_layout.h"
#include "ui/widgets.h"

namespace speclens::ui {

namespace {

constexpr float kPadX = 12, kPadY = 8;

struct Field {
    Ui& ui;
    std::string& text;
    const TextFieldOptions& options;
    Rect view;
    Font font;
    float leading;
    TextEdit& edit;
    TextFieldResult result{};

    [[nodiscard]] float width_of(std::string_view run) const { return ui.canvas.printed_width(drawn(run), font, options.size); }
    void relayout() { lay_out(ui.canvas, text, edit, font, options.size, options.multi_line ? view.w : 0); }
    [[nodiscard]] float caret_x() const {
        const std::size_t start = edit.lines[line_of(edit, edit.caret)];
        return width_of(std::string_view(text).substr(start, edit.caret - start));
    }
    [[nodiscard]] std::size_t place_at(Vec2 mouse) const {
        const float row = std::floor((mouse.y - view.y + edit.scroll_y) / leading);
        const auto last = static_cast<float>(edit.lines.size() - 1);
        const auto n = static_cast<std::size_t>(options.multi_line ? std::clamp(row, 0.0F, last) : 0);
        return edit.lines[n] + offset_at(ui.canvas, line_text(text, edit, n), font, options.size, mouse.x - view.x + edit.scroll_x);
    }
    // Makes a change that can be taken back; `work` says whether there was one.
    template <typename Work>
    void change(TextHistory::Kind kind, bool new_word, const Work& work) {
        std::optional<TextVersion> before;
        if (!edit.history.joins(kind, ui.input.time, edit.caret, edit.caret != edit.anchor, new_word))
            before = TextVersion{text, edit.caret, edit.anchor};
        if (work()) {
            result.changed = true;
            edit.history.changed(std::move(before), kind, ui.input.time, edit.caret);
        }
        relayout();
    }
    void insert(std::string_view foreign, TextHistory::Kind kind = TextHistory::Kind::other) {
        const std::string words = clean(foreign, options.multi_line);
        const bool new_word = !words.empty() && words[0] != ' ' && edit.caret > 0 && text[edit.caret - 1] == ' ';
        change(kind, new_word, [&] { return replace_selection(text, edit, words, options.max_bytes); });
    }
    void remove(Move move, TextHistory::Kind kind = TextHistory::Kind::erased) {
        change(kind, false, [&] { return erase(text, edit, move); });
    }
    bool take_back(bool forward) {
        if (auto version = edit.history.take(forward, {text, edit.caret, edit.anchor})) {
            text = std::move(version->text);
            edit.caret = version->caret;
            edit.anchor = version->anchor;
            edit.wanted_x = -1;
            result.changed = true;
            relayout();
        }
        return true; // also where there is nothing: it was not meant for the run
    }
    void vertical(int by, bool select) {
        const float x = edit.wanted_x >= 0 ? edit.wanted_x : caret_x();
        const auto last = static_cast<std::ptrdiff_t>(edit.lines.size()) - 1;
        const auto n =
            static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(line_of(edit, edit.caret)) + by, 0, last));
        edit.caret = edit.lines[n] + offset_at(ui.canvas, line_text(text, edit, n), font, options.size, x);
        if (!select) edit.anchor = edit.caret;
        edit.wanted_x = x;
    }
    bool shortcut(const KeyPress& k);
    bool key(const KeyPress& k);
    void keys();
    void mouse(const Touch& t);
    void scroll_to_caret();
    void draw(bool focused);
};

// Clipboard, selection, undo: handled before typed text of the same frame.
bool Field::shortcut(const KeyPress& k) {
    if (!k.ctrl) return false;
    switch (k.key) {
    case Key::a:
        edit.anchor = 0;
        edit.caret = text.size();
        return true;
    case Key::x:
    case Key::c: {
        const std::string_view words = selection(text, edit);
        if (words.empty()) return true;
        if (ui.clipboard.set) ui.clipboard.set(std::string(words));
        if (k.key == Key::x) remove(Move::left, TextHistory::Kind::other);
        return true;
    }
    case Key::z: return take_back(k.shift);
    case Key::y: return take_back(true);
    case Key::v:
        if (ui.clipboard.get) insert(ui.clipboard.get());
        return true;
    default: return false;
    }
}

bool Field::key(const KeyPress& k) {
    const auto removed = [&](Move move) {
        remove(move);
        return true;
    };
    const auto move = [&](Move to) {
        move_caret(text, edit, to, k.shift);
        return true;
    };
    switch (k.key) {
    case Key::left: return move(k.ctrl ? Move::word_left : Move::left);
    case Key::right: return move(k.ctrl ? Move::word_right : Move::right);
    case Key::home: return move(k.ctrl ? Move::text_start : Move::line_start);
    case Key::end: return move(k.ctrl ? Move::text_end : Move::line_end);
    case Key::backspace: return removed(k.ctrl ? Move::word_left : Move::left);
    case Key::del: return removed(k.ctrl ? Move::word_right : Move::right);
    case Key::up:
    case Key::down:
        if (!options.multi_line) return false;
        vertical(k.key == Key::up ? -1 : 1, k.shift);
        return true;
    case Key::page_up:
    case Key::page_down: {
        if (!options.multi_line) return false;
        const int page = std::max(1, static_cast<int>(view.h / leading) - 1);
        vertical(k.key == Key::page_up ? -page : page, k.shift);
        return true;
    }
    case Key::enter:
        if (k.composing) return true;
        if (!options.multi_line || k.ctrl || (options.enter_submits && !k.shift))
            result.submitted = true;
        else
            insert("\n");
        return true;
    case Key::escape: result.cancelled = true; return true;
    default: return false;
    }
}

void Field::keys() {
    const std::size_t caret = edit.caret;
    const auto each = [&](auto handle) {
        for (std::size_t i = 0; i < ui.input.keys.size(); ++i)
            if (!ui.keys_used[i] && !ui.input.keys[i].alt && handle(ui.input.keys[i])) ui.keys_used[i] = true;
    };
    each([this](const KeyPress& k) { return shortcut(k); });
    if (!ui.input.typed.empty()) {
        insert(ui.input.typed, TextHistory::Kind::typed);
        ui.typed_used.assign(ui.typed_used.size(), true);
    }
    each([this](const KeyPress& k) { return key(k); });
    if (result.changed || caret != edit.caret) edit.moved_at = ui.input.time;
}

void Field::mouse(const Touch& t) {
    if (t.began) {
        edit.caret = place_at(ui.input.mouse);
        if (!ui.input.shift) edit.anchor = edit.caret;
        if (ui.input.clicks == 2) select_word(text, edit);
        edit.moved_at = ui.input.time;
        edit.wanted_x = -1;
    } else if (t.held && ui.input.clicks < 2) {
        edit.caret = place_at(ui.input.mouse);
    }
    if (t.hovered && options.multi_line && ui.input.wheel != 0 && !ui.wheel_used) {
        ui.wheel_used = true;
        edit.scroll_y -= ui.input.wheel * leading * 2;
    }
}

void Field::scroll_to_caret() {
    const float x = caret_x(), y = static_cast<float>(line_of(edit, edit.caret)) * leading;
    if (!options.multi_line)
        edit.scroll_x = std::clamp(edit.scroll_x, std::max(0.0F, x - view.w + 2), x);
    else
        edit.scroll_y = std::clamp(edit.scroll_y, std::max(0.0F, y + leading - view.h), y);
}

void Field::draw(bool focused) {
    const Theme& theme = ui.theme;
    Canvas& c = ui.canvas;
    if (text.empty() && !options.placeholder.empty())
        fitted_text(c, {view.x, baseline(view.y, leading, options.size)}, options.placeholder, Font::text, options.size, theme.muted,
                    view.w);
    const std::size_t from = std::min(edit.caret, edit.anchor), to = std::max(edit.caret, edit.anchor);
    const std::size_t first = static_cast<std::size_t>(std::max(0.0F, edit.scroll_y / leading));
    for (std::size_t n = first; n < edit.lines.size(); ++n) {
        const float y = view.y + static_cast<float>(n) * leading - edit.scroll_y;
        if (y > view.bottom()) break;
        std::string_view line = line_text(text, edit, n);
        std::size_t start = edit.lines[n];
        float x = view.x - edit.scroll_x;
        if (!options.multi_line && edit.scroll_x > 0) { // skip what is far to the left
            const std::size_t skip = offset_at(c, line, font, options.size, edit.scroll_x - 40);
            x += width_of(line.substr(0, skip));
            start += skip;
            line.remove_prefix(skip);
        }
        if (!options.multi_line) line = line.substr(0, offset_at(c, line, font, options.size, view.w + 80));
        if (focused && from < to && from < start + line.size() + 1 && to > start) {
            const std::size_t a = std::max(from, start) - start, b = std::min(to - start, line.size());
            if (a <= b) {
                const float left = x + width_of(line.substr(0, a));
                const float extra = to > start + line.size() ? 6 : 0; // the line break is selected too
                c.fill({left, y + 1, width_of(line.substr(a, b - a)) + extra, leading - 2}, mix(theme.muted, theme.bg, 0.35F));
            }
        }
        const Color ink = options.disabled.empty() ? theme.ink : theme.muted;
        const Vec2 at{x, baseline(y, leading, options.size)};
        if (focused || options.multi_line)
            c.print(at, drawn(line), font, options.size, ink);
        else
            c.print(at, fit_printed(c, drawn(line), font, options.size, view.w), font, options.size, ink);
    }
    if (!focused) return;
    const double phase = std::fmod(std::max(0.0, ui.input.time - edit.moved_at), 1.0);
    if (!ui.reduced_motion) ui.wake(ui.input.time + (phase < 0.5 ? 0.5 - phase : 1 - phase));
    if (phase >= 0.5 && !ui.reduced_motion) return;
    const float y = view.y + static_cast<float>(line_of(edit, edit.caret)) * leading - edit.scroll_y;
    c.fill({view.x + caret_x() - edit.scroll_x, y + 2, 2, leading - 4}, theme.ink);
}

} // namespace

TextFieldResult text_field(Ui& ui, std::string_view name, Rect rect, std::string& text, const TextFieldOptions& options) {
    const Id id = ui.id(name);
    WidgetState& s = ui.state;
    const bool disabled = !options.disabled.empty();
    const Touch t = touch(ui, id, rect, {.disabled = disabled});
    bool appeared = false;
    if (options.take_focus && !disabled && ui.reachable()) {
        if (s.auto_focus != id) { // the caret stands at the end of its text
            appeared = true;
            s.focus = id;
            s.edit_of = 0;
        }
        s.auto_focus = id;
        ui.auto_focus_seen = ui.focus_seen = true;
    }
    const bool focused = s.focus == id && !disabled && ui.reachable();
    if (focused) ui.text_seen = true;

    TextEdit idle; // of a field without focus: shows its beginning
    if (focused && s.edit_of != id) {
        s.edit = {};
        s.edit.caret = s.edit.anchor = text.size();
        if (appeared && options.select_all) s.edit.anchor = 0;
        s.edit.moved_at = ui.input.time;
        s.edit_of = id;
    }
    const float leading = options.size == 15 ? 22 : line_height(options.size);
    const float pad = options.multi_line ? kPadY : (rect.h - leading) / 2;
    Field field{ui,
                text,
                options,
                {rect.x + kPadX, rect.y + pad, rect.w - 2 * kPadX, rect.h - 2 * pad},
                options.mono ? Font::mono : Font::text,
                leading,
                focused ? s.edit : idle};
    field.edit.caret = std::min(field.edit.caret, text.size());
    field.edit.anchor = std::min(field.edit.anchor, text.size());
    field.relayout();
    if (focused) {
        field.mouse(t);
        const std::size_t caret = field.edit.caret;
        field.keys();
        if (field.result.changed || field.edit.caret != caret || t.held) field.scroll_to_caret();
        const float most = std::max(0.0F, static_cast<float>(field.edit.lines.size()) * leading - field.view.h);
        field.edit.scroll_y = std::clamp(field.edit.scroll_y, 0.0F, most);
    }
    const Theme& theme = ui.theme;
    if (!disabled) ui.canvas.fill(rect, theme.bg, 6);
    const Color edge = focused ? theme.ink : t.hovered ? theme.muted : theme.line;
    ui.canvas.outline(rect, {edge, focused ? 2 : theme.edge_width}, 6);
    ui.push_clip(rect.inset(4, 2));
    field.draw(focused);
    ui.pop_clip();
    if (field.result.cancelled) {
        s.focus = 0;
        ui.text_seen = false;
    }
    tooltip(ui, rect, options.disabled);
    return field.result;
}

} // namespace speclens::ui
