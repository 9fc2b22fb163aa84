#include "scenes/shared/panel.h"

#include <algorithm>

#include "ui/choices.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

constexpr float kLeading = 20, kBetween = 14; // of lines; more below a paragraph
constexpr float kLeastList = 140, kMostList = 180;

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

void DetailsColumn::title(const Message& words) const {
    ui::fitted_text(ui.canvas, {x(), region.y + 32}, words, ui::Font::text_bold, 15, ui.theme.ink, width());
}

void DetailsColumn::paragraph(const Message& words, ui::Color color, int max_lines) {
    ui::ParagraphStyle style{.size = 14, .color = color, .max_lines = max_lines};
    const int room = static_cast<int>((region.bottom() - y) / kLeading);
    if (room < std::min(2, ui::paragraph_lines(ui.canvas, width(), words, style))) return tell(words); // no first line alone
    style.max_lines = std::min(max_lines, room);
    y = ui::paragraph(ui.canvas, {x(), y}, width(), words, style) + kBetween;
}

void DetailsColumn::line(const Message& words, ui::Color color) {
    if (y + kLeading > region.bottom()) return tell(words);
    ui::fitted_text(ui.canvas, {x(), y}, words, ui::Font::text, 14, color, width());
    y += kLeading;
}

void DetailsColumn::pair(const Message& name, const Message& value, const Message& row) {
    const bool room = y <= region.bottom() - 12;
    ui.canvas.tell(row, {x(), y - 15, width(), kLeading}, room ? ui::Canvas::Told::drawn : ui::Canvas::Told::of_a_thing);
    if (!room) return;
    const float taken = ui.canvas.printed_width(value.words(), ui::Font::mono, 14) + kBetween;
    ui.canvas.print({x(), y}, ui::fit_printed(ui.canvas, name.words(), ui::Font::text, 14, width() - taken), ui::Font::text, 14,
                    ui.theme.muted);
    ui.canvas.print({x() + width(), y}, value.words(), ui::Font::mono, 14, ui.theme.ink, ui::Align::right);
    y += kLeading + 6;
}

std::optional<int> segmented(ui::Ui& ui, ControlRow& row, const ControlWords& words, std::span<const Message> choices, int chosen) {
    const float label = ui.canvas.text_width(words.label, ui::Font::text, 14);
    const ui::Rect at = place(ui, row, words.label, std::max(ui::segmented_width(ui.canvas, choices), label));
    ui::tooltip(ui, at, words.about);
    return ui::segmented(ui, words.id, {at.x, at.y}, choices, chosen);
}

std::optional<int> dropdown(ui::Ui& ui, ControlRow& row, const ControlWords& words, std::span<const Message> choices, int chosen) {
    if (row.room() < kLeastList) return {};
    const ui::Rect at = place(ui, row, words.label, std::min(kMostList, row.room()));
    std::vector<ui::MessageChoice> rows;
    for (const Message& choice : choices) rows.push_back({.label = choice});
    return ui::dropdown(ui, words.id, at, rows, chosen, words.about);
}

std::optional<int> stepper(ui::Ui& ui, ControlRow& row, const ControlWords& words, const Message& text, int at, int count, float width) {
    if (row.room() < width) return {};
    const auto to = ui::stepper(ui, words.id, place(ui, row, words.label, width), at,
                                {.low = 0, .high = std::max(0.0, count - 1.0), .text = text, .tooltip = words.about});
    return to ? std::optional(static_cast<int>(*to)) : std::nullopt;
}

} // namespace speclens
