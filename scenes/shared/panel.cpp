#include "scenes/shared/panel.h"

#include <algorithm>

#include "ui/text_layout.h"
#include "ui/widgets.h"

namespace speclens {
namespace {

constexpr float kLeading = 20, kLeastList = 140; // of lines; the width of a list

ui::Rect place(ui::Ui& ui, ControlRow& row, const Message& label, float width) {
    const ui::Rect at = row.place(width);
    ui::field_label(ui, at, label);
    return at;
}

} // namespace

void part_head(ui::Ui& ui, ui::Rect part, const Message& title, const std::vector<Message>& ways) {
    ui::fitted_text(ui.canvas, {part.x, part.y + 14}, title, ui::Font::text_bold, 15, ui.theme.ink, part.w);
    if (!ways.empty()) one_of(ui, {part.x, part.y + 34}, part.w, ways, ui.theme.muted);
}

void one_of(ui::Ui& ui, ui::Vec2 at, float width, const std::vector<Message>& ways, ui::Color color) {
    ui::fitted_text(ui.canvas, at, ui::fitting(ui.canvas, ways, ui::Font::text, 14, width), ui::Font::text, 14, color, width);
}

bool choosable(ui::Ui& ui, const std::string& id, ui::Rect box, bool chosen, const Highlight& look) {
    const ui::Touch touch = ui::touch(ui, ui.id(id), box, {.grow = look.grow});
    if (chosen || touch.hovered) ui.canvas.fill(box, ui.theme.raised.alpha(chosen ? look.chosen : look.touched), look.radius);
    if (touch.focused) ui::focus_ring(ui.canvas, ui.theme, box);
    return touch.clicked;
}

void DetailsColumn::title(const Message& words) const {
    ui::fitted_text(ui.canvas, {x(), region.y + 32}, words, ui::Font::text_bold, 15, ui.theme.ink, width());
}

void DetailsColumn::paragraph(const Message& words, ui::Color color, int max_lines) {
    ui::ParagraphStyle style{.size = 14, .color = color, .max_lines = max_lines};
    const int room = static_cast<int>((region.bottom() - y) / kLeading);
    if (room < std::min(2, ui::paragraph_lines(ui.canvas, width(), words, style))) return tell(words); // no first line alone
    style.max_lines = std::min(max_lines, room);
    y = ui::paragraph(ui.canvas, {x(), y}, width(), words, style) + between;
}

void DetailsColumn::line(const Message& words, ui::Color color) {
    if (y + kLeading > region.bottom()) return tell(words);
    ui::fitted_text(ui.canvas, {x(), y}, words, ui::Font::text, 14, color, width());
    y += kLeading;
}

void cell(ui::Ui& ui, ui::Vec2 at, std::string_view printed, float width, const CellStyle& style) {
    ui.canvas.print(at, ui::fit_printed(ui.canvas, printed, style.font, style.size, width), style.font, style.size, style.color,
                    style.align);
}

void pair_row(ui::Ui& ui, ui::Vec2 at, float width, std::string_view name, std::string_view value, const Message& row,
              const PairStyle& style) {
    cell(ui, at, name, width - ui.canvas.printed_width(value, ui::Font::mono, 14) - 14, {style.name, style.size});
    cell(ui, {at.x + width, at.y}, value, width, {style.value, 14, ui::Font::mono, ui::Align::right});
    ui.canvas.tell(row, {at.x, at.y - 15, width, kLeading}, ui::Canvas::Told::drawn);
}

void DetailsColumn::pair(const Message& name, const Message& value, const Message& row) {
    if (y > region.bottom() - 12) return tell(row);
    pair_row(ui, {x(), y}, width(), name, value, row, {14, ui.theme.muted, ui.theme.ink});
    y += kLeading + 6;
}

std::optional<int> segmented(ui::Ui& ui, ControlRow& row, const ControlWords& words, std::span<const Message> choices, int chosen,
                             const Message& off) {
    const float label = ui.canvas.text_width(words.label, ui::Font::text, 14);
    const ui::Rect at = place(ui, row, words.label, std::max(ui::segmented_width(ui.canvas, choices), label));
    if (off.empty()) ui::tooltip(ui, at, words.about);
    return ui::segmented(ui, words.id, {at.x, at.y}, choices, chosen, off);
}

std::optional<int> dropdown(ui::Ui& ui, ControlRow& row, const ControlWords& words, std::span<const Message> choices, int chosen,
                            float most) {
    if (row.room() < kLeastList) return {};
    const ui::Rect at = place(ui, row, words.label, std::min(most, row.room()));
    std::vector<ui::Choice> rows;
    for (const Message& choice : choices) rows.push_back({.label = choice});
    return ui::dropdown(ui, words.id, at, rows, chosen, {.tooltip = words.about});
}

std::optional<int> stepper(ui::Ui& ui, ControlRow& row, const ControlWords& words, const Message& text, int at, int count, float width) {
    if (row.room() < width) return {};
    const auto to = ui::stepper(ui, words.id, place(ui, row, words.label, width), at,
                                {.low = 0, .high = std::max(0.0, count - 1.0), .text = text, .tooltip = words.about});
    return to ? std::optional(static_cast<int>(*to)) : std::nullopt;
}

} // namespace speclens
