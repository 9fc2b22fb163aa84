// Controls. Every function draws, reacts and returns what the user did; the value itself stays with the
// caller. Ids need to be unique inside the pushed names only. A non-empty `disabled` text disables and says
// why.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ui/glyphs.h"
#include "ui/ui.h"

namespace speclens::ui {

// ---- buttons ----
enum class ButtonKind : std::uint8_t { normal, primary, quiet }; // raised, ink, text only (rail, menu)
struct ButtonOptions {
    ButtonKind kind = ButtonKind::normal;
    Icon icon = Icon::none;      // before the label; alone when the label is empty
    std::string_view shortcut{}; // "C", muted mono after the label
    bool selected = false;       // 2 px ink edge
    Message tooltip{};
    Message disabled{};
};
[[nodiscard]] Message key_words(std::string_view keys); // "Space" as the language calls it; another key as it is
bool button(Ui& ui, std::string_view id, Rect rect, const Message& label, const ButtonOptions& options = {});
[[nodiscard]] float button_width(const Canvas& canvas, const Message& label, const ButtonOptions& options = {});

// ---- values ----
struct StepperOptions {
    double low = 0, high = 1e9, step = 1;
    int decimals = 0;
    Message text{}; // shown instead of the number: "2 of 4"
    Message tooltip{};
    Message disabled{};
};
std::optional<double> stepper(Ui& ui, std::string_view id, Rect rect, double value, const StepperOptions& options = {});

struct Choice {
    Message label{};
    Message detail{};   // muted, right aligned
    Message disabled{}; // not choosable, and why
};
struct DropdownOptions {
    Message tooltip{};
    Message disabled{};
    Message placeholder{}; // where none is chosen; empty: "choose…"
    int max_rows = 12;     // then the list scrolls
};
// `chosen` may be -1. Returns the row that was chosen now.
std::optional<int> dropdown(Ui& ui, std::string_view id, Rect rect, std::span<const Choice> choices, int chosen,
                            const DropdownOptions& options = {});

// Side by side, one chosen, ink fill. Cells take the width of their words.
std::optional<int> segmented(Ui& ui, std::string_view id, Vec2 at, std::span<const Message> choices, int chosen,
                             const Message& disabled = {});
[[nodiscard]] float segmented_width(const Canvas& canvas, std::span<const Message> choices);

// 16 px box and words; true when it was toggled. The card is the task of a beat (raised, h 44).
bool checkbox(Ui& ui, std::string_view id, Rect rect, const Message& label, bool checked, const Message& disabled = {});
bool task_card(Ui& ui, std::string_view id, Rect rect, const Message& label, bool done);

// Horizontal slider; arrows move by `step` (default 1 % of the range) when focused, with Shift by ten.
struct SliderOptions {
    double step = 0;
    Message disabled{};
};
std::optional<double> slider(Ui& ui, std::string_view id, Rect rect, double value, double low, double high,
                             const SliderOptions& options = {});

// Invisible handle for marks that a chart draws itself. Returns the new centre while it is dragged or moved
// by arrow keys (`arrow_step` px). The hit area is 28 px whatever the mark's size, `hit` where others are
// near.
struct Handle {
    Touch touch{};
    std::optional<Vec2> moved{};
};
Handle drag_handle(Ui& ui, std::string_view id, Vec2 center, float arrow_step = 1, Rect hit = {});

// ---- labels ----
// Muted 14 px caption above a control: baseline 12 px above rect.y.
void field_label(Ui& ui, Rect control, const Message& words);
enum class Tier : std::uint8_t { live, recorded, table, sim, published, remote };
// Pill of height 24 (36 in presenter) whose right end is `right`. Returns its rectangle.
Rect badge(Canvas& canvas, const Theme& theme, float right, float y, Tier tier, std::string_view words = {}, float height = 24);
// After 300 ms over `rect` until it was read, or at once when `show` (focus). Drawn above everything, beside what it explains: below,
// else above, else at a side.
void tooltip(Ui& ui, Rect rect, const Message& text, bool show = false);
// Of words that are made only where they may be shown.
template <std::invocable Words>
void tooltip(Ui& ui, Rect rect, const Words& words) {
    if (ui.hover_seen == 0 && ui.mouse_in(rect)) tooltip(ui, rect, words());
}
void tooltip_beside(Ui& ui, Rect rect, const Message& text); // at its right, where others stand below: the rows of a list
// What is drawn at `rect` and not written, in a message of its own: told, and shown while the mouse is there.
void thing(Ui& ui, Rect rect, const Message& message);

// ---- states ----
// 2 px ink bar along the top edge of a region and "1.4 of 3.4 GB" below it. done/total, total 0 = unknown.
void progress(Ui& ui, Rect region, double done, double total, const Message& words);
void focus_ring(Canvas& canvas, const Theme& theme, Rect rect, float radius = 6);
// Raised panel with hairline, radius 6.
void card(Canvas& canvas, const Theme& theme, Rect rect, bool selected = false);

// ---- scrolling ----
// Clips to `view` and returns by how much the content moves up. Pair with end_scroll.
float begin_scroll(Ui& ui, std::string_view id, Rect view, float content_height);
void end_scroll(Ui& ui);
// Before begin_scroll, with the same words: arrows, Page, Home and End scroll, where they have no other use.
void take_scroll_keys(Ui& ui, std::string_view id, Rect view, float content_height);

} // namespace speclens::ui
