// The table of S16 and what is known of one figure.
#include <algorithm>

#include "app/ui/format.h"
#include "app/ui/text_layout.h"
#include "engine/published_words.h"
#include "scenes/head_scene.h"
#include "scenes/numbers_model.h"
#include "scenes/words.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;

constexpr float kFigureRow = 28;

ui::Role standing_role(const PublishedFigure& figure) {
    return figure.standing == Standing::wrong ? Role::rejected : Role::target;
}

// A published value: hollow and hatched, as in every chart.
void value_box(const NumbersDraw& d, Rect box, const PublishedFigure& figure) {
    const ui::Color color = d.ui.theme.role(standing_role(figure));
    d.ui.canvas.hatch(box, color.alpha(0.25F));
    d.ui.canvas.outline(box, {color, 1}, 3);
    ui::fitted_text(d.ui.canvas, {box.right() - 8, box.y + 16}, published_value(figure), Font::mono, 14,
                    d.ui.theme.ink, box.w - 14, Align::right);
}

} // namespace

void choose_figure(const NumbersDraw& d, int row) {
    const int last = static_cast<int>(d.model.rows.size()) - 1;
    if (last < 0) return;
    d.state.selected = d.model.rows[static_cast<std::size_t>(std::clamp(row, 0, last))]->id;
}

void draw_numbers_table(const NumbersDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const NumbersModel& m = d.model;
    const int total = static_cast<int>(m.rows.size());
    if (total == 0) {
        ui::slot(canvas, theme, {area.x, area.y, area.w, std::min(160.0F, area.h)},
                 m.figures ? "no figure fits these filters" : "the published figures are not at hand");
        return;
    }
    const int fits = std::max(1, static_cast<int>((area.h - 30) / kFigureRow));
    d.state.first = std::clamp(d.state.first, std::max(0, m.selected - fits + 1),
                               m.selected); // the chosen one is in sight
    d.state.first = std::clamp(d.state.first, 0, std::max(0, total - fits));
    if (d.ui.input.wheel != 0 && d.ui.mouse_in(area) && !d.ui.wheel_used) {
        d.ui.wheel_used = true;
        choose_figure(d, m.selected + (d.ui.input.wheel < 0 ? 3 : -3));
    }
    const float mark = area.x + 4, value = area.x + 24, method = value + 140, claim = method + 96;
    const bool wide = area.w > 760;
    const float conditions = wide ? area.x + area.w * 0.64F : area.right() + 16;
    const auto head = [&](float x, const char* words) {
        canvas.text({x, area.y + 14}, words, Font::text, 14, theme.muted);
    };
    head(value, "value");
    head(method, "method");
    head(claim, "claim");
    if (wide) head(conditions, "conditions");
    for (int i = 0; i < std::min(fits, total - d.state.first); ++i) {
        const int row = d.state.first + i;
        const PublishedFigure& figure = *m.rows[static_cast<std::size_t>(row)];
        const float y = area.y + 24 + kFigureRow * static_cast<float>(i);
        const Rect box{area.x - 8, y, area.w + 16, kFigureRow};
        const ui::Touch touch = ui::touch(d.ui, d.ui.id("row " + figure.id), box);
        if (row == m.selected || touch.hovered)
            canvas.fill(box, theme.raised.alpha(row == m.selected ? 0.9F : 0.45F), 4);
        if (touch.focused) ui::focus_ring(canvas, theme, box);
        if (touch.clicked) choose_figure(d, row);
        if (figure.standing == Standing::wrong)
            ui::icon(canvas, ui::Icon::cross, {mark + 6, y + 14}, 10, theme.role(Role::rejected));
        else if (!figure.conflicts.empty())
            canvas.text({mark + 3, y + 19}, "!", Font::text_bold, 15, theme.role(Role::draft));
        value_box(d, {value, y + 3, 128, 22}, figure);
        ui::fitted_text(canvas, {method, y + 19}, figure.method, Font::text, 14, theme.muted, 88);
        ui::fitted_text(canvas, {claim, y + 19}, figure.claim, Font::text, 14, theme.ink,
                        conditions - claim - 16);
        if (wide)
            ui::fitted_text(canvas, {conditions, y + 19}, published_conditions(figure), Font::text, 14,
                            theme.muted, area.right() - conditions);
    }
}

void draw_numbers_details(const NumbersDraw& d) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x + 24, w = r.w - 48;
    const PublishedFigure* figure = d.model.chosen();
    if (!figure) {
        ui::fitted_text(canvas, {x, r.y + 32}, "One figure", Font::text_bold, 15, theme.ink, w);
        ui::paragraph(canvas, {x, r.y + 58}, w,
                      "Choose a row to see where a figure comes from and what speaks against it.",
                      {.size = 14, .color = theme.muted, .max_lines = 3});
        return;
    }
    value_box(d, {x, r.y + 14, 128, 24}, *figure);
    ui::fitted_text(canvas, {x + 142, r.y + 31},
                    figure->method + (figure->variant.empty() ? "" : ", " + figure->variant), Font::text_bold,
                    15, theme.ink, w - 142);
    float y = r.y + 64;
    const auto say = [&](const std::string& words, ui::Color color, int lines) {
        if (words.empty() || y + 20 > r.bottom()) return;
        const int room = std::max(1, static_cast<int>((r.bottom() - y) / 20));
        y = ui::paragraph(canvas, {x, y}, w, words,
                          {.size = 14, .color = color, .max_lines = std::min(lines, room)}) +
            26;
    };
    say(figure->claim + ".", theme.ink, 3);
    say(published_series(*figure), theme.ink, 2);
    const std::string conditions = published_conditions(*figure);
    say(conditions.empty() ? "The source gives no conditions." : conditions, theme.muted, 2);
    say(published_citation(*figure, d.model.figures->source_of(*figure)), theme.muted, 2);
    if (figure->standing != Standing::as_published)
        say(capital(published_standing(*figure)) + ".", theme.role(standing_role(*figure)), 4);
    for (const PublishedConflict& conflict : figure->conflicts) {
        const PublishedFigure& other = *d.model.figures->find(conflict.with);
        say("Against " + published_value(other) + " (" + other.id + "): " + conflict.why, theme.ink, 5);
    }
}

void draw_numbers_controls(const NumbersDraw& d) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    ControlRow row(r);
    const std::string filters[] = {"all", "disputed", "wrong"};
    Rect at = row.place(ui::segmented_width(ui.canvas, filters));
    ui::field_label(ui, at, "Figures");
    if (const auto pick =
            ui::segmented(ui, "filter", {at.x, at.y}, filters, static_cast<int>(d.state.filter)))
        d.state.filter = static_cast<FigureFilter>(*pick);
    if (row.room() < 140 || !d.model.figures) return;
    at = row.place(std::min(180.0F, row.room()));
    ui::field_label(ui, at, "Method");
    std::vector<ui::Choice> choices{{"all", "", ""}};
    int chosen = 0;
    for (const std::string& method : d.model.figures->methods()) {
        if (method == d.state.method) chosen = static_cast<int>(choices.size());
        choices.push_back({method, "", ""});
    }
    if (const auto pick = ui::dropdown(ui, "method", at, choices, chosen); pick && *pick != chosen)
        d.state.method = *pick == 0 ? std::string() : choices[static_cast<std::size_t>(*pick)].label;
    if (row.room() < 176) return;
    at = row.place(176);
    ui::field_label(ui, at, "Figure");
    const int total = static_cast<int>(d.model.rows.size());
    const std::string words =
        total == 0 ? "none" : std::to_string(d.model.selected + 1) + " of " + std::to_string(total);
    if (const auto to = ui::stepper(ui, "figure", at, d.model.selected,
                                    {.low = 0, .high = std::max(0.0, total - 1.0), .text = words}))
        choose_figure(d, static_cast<int>(*to));
}

} // namespace speclens
