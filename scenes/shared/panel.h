// Parts of a picture, details and controls of a scene that is made of messages, laid out by one set of rules.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "scenes/shared/head_scene.h"

namespace speclens {

// A scene's title and its picture, within what nothing covers; neither where the stage is hidden.
template <class Picture>
void draw_titled(const SceneInput& input, ui::Ui& ui, const StageTitle& title, const Picture& picture) {
    if (input.stage.w <= 0) return;
    ui.push_clip(input.stage_clip);
    draw_stage_title(input, ui, title);
    picture();
    ui.pop_clip();
}

// Above a chart or another part of a picture: its title, and below it the first of several ways to say how to read it that has room.
void part_head(ui::Ui& ui, ui::Rect part, const Message& title, const std::vector<Message>& ways = {});
// Where the part keeps one line for it.
void one_of(ui::Ui& ui, ui::Vec2 at, float width, const std::vector<Message>& ways, ui::Color color);

// The measures of a key of marks.
struct KeyStyle {
    float mark = 12, rise = 11; // the side of a mark, and its top above the baseline
    float word = 17, gap = 14;  // where its words begin, and what follows them
};
inline constexpr KeyStyle kSmallKey = {.mark = 10, .rise = 9, .word = 16, .gap = 12};
// What the marks of a picture mean, side by side above the baseline `at`, as many as have room before `right`. `entries` are pairs of words
// and of what `mark` draws into a box. Returns where the next one would stand.
template <class Entries, class Mark>
float marks_key(ui::Ui& ui, ui::Vec2 at, float right, const Entries& entries, const Mark& mark, const KeyStyle& style = {}) {
    for (const auto& [words, what] : entries) {
        const float end = at.x + style.word + ui.canvas.text_width(words, ui::Font::text, 14);
        if (end > right) break;
        mark(ui::Rect{at.x, at.y - style.rise, style.mark, style.mark}, what);
        ui.canvas.text({at.x + style.word, at.y}, words, ui::Font::text, 14, ui.theme.muted);
        at.x = end + style.gap;
    }
    return at.x;
}

// What stands in a cell of a row, which is told as a whole; shortened where it is too long.
struct CellStyle {
    ui::Color color;
    float size = 14;
    ui::Font font = ui::Font::text;
    ui::Align align = ui::Align::left;
};
void cell(ui::Ui& ui, ui::Vec2 at, std::string_view printed, float width, const CellStyle& style);
// A name, and its value in numbers at the right; both are told as `row`.
struct PairStyle {
    float size; // of the name
    ui::Color name, value;
};
void pair_row(ui::Ui& ui, ui::Vec2 at, float width, std::string_view name, std::string_view value, const Message& row,
              const PairStyle& style);

// A row or a column that can be chosen: how it is while it is chosen, touched, focused. True: it was chosen now.
struct Highlight {
    float chosen = 1, touched = 1, radius = 4; // the strength of its ground
    bool grow = true;                          // to the least pointer target
};
inline constexpr Highlight kGuessColumn{0.75F, 0.35F, 6}, kTableRow{1, 0.45F, 6, false};
[[nodiscard]] bool choosable(ui::Ui& ui, const std::string& id, ui::Rect box, bool chosen, const Highlight& look = {});

// Messages below one another as far as the region goes. Those for which there is no room are told all the same.
struct DetailsColumn {
    ui::Ui& ui;
    ui::Rect region;
    float y;            // baseline of the next one
    float between = 14; // more than a line, below a paragraph
    DetailsColumn(ui::Ui& of, ui::Rect details) : ui(of), region(details), y(details.y + 58) {}
    void title(const Message& words) const;
    void paragraph(const Message& words, ui::Color color, int max_lines);
    void line(const Message& words, ui::Color color); // shortened where it is too long
    void pair(const Message& name, const Message& value, const Message& row);
    void tell(const Message& words) const { ui.canvas.tell(words, region); }

  private:
    [[nodiscard]] float x() const { return region.x + 24; }
    [[nodiscard]] float width() const { return region.w - 48; }
};

// A control below its label, with what it is for. Nothing where the row has no room for it.
struct ControlWords {
    std::string_view id;
    Message label, about;
};
[[nodiscard]] std::optional<int> segmented(ui::Ui& ui, ControlRow& row, const ControlWords& words, std::span<const Message> choices,
                                           int chosen, const Message& off = {});
[[nodiscard]] std::optional<int> dropdown(ui::Ui& ui, ControlRow& row, const ControlWords& words, std::span<const Message> choices,
                                          int chosen, float most = 180);
// Through `count` things of which `at` (from 0) is shown, by a text that says so.
[[nodiscard]] std::optional<int> stepper(ui::Ui& ui, ControlRow& row, const ControlWords& words, const Message& text, int at, int count,
                                         float width = 176);

} // namespace speclens
