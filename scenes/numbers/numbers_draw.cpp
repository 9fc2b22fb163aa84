// The table of S16 and what is known of one figure.
#include "scenes/numbers/numbers_draw.h"

#include <algorithm>

#include "engine/published/published_words.h"
#include "scenes/shared/head_scene.h"
#include "scenes/shared/kin_words.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/text_field.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;

constexpr float kFigureRow = 28, kTallRow = 48, kSearch = 40; // the second: above the table, with the space below it

ui::Role standing_role(const PublishedFigure& figure) { return figure.standing == Standing::wrong ? Role::rejected : Role::target; }

// A published value: hollow and hatched, as in every chart. Beside what would be right, a list is told in
// full where it fits.
void value_box(const NumbersDraw& d, Rect box, const PublishedFigure& figure) {
    const ui::Color color = d.ui.theme.role(standing_role(figure));
    d.ui.canvas.hatch(box, color.alpha(0.25F));
    d.ui.canvas.outline(box, {color, 1}, 3);
    const std::string whole = whole_value(figure);
    const bool fits = d.state.filter == FigureFilter::wrong && d.ui.canvas.text_width(whole, Font::mono, 14) <= box.w - 14;
    ui::fitted_text(d.ui.canvas, {box.right() - 8, box.y + 16}, fits ? whole : published_value(figure), Font::mono, 14, d.ui.theme.ink,
                    box.w - 14, Align::right);
}

// As many of the items between commas as there is room for: a room reads no half one, and the details have all.
std::string whole_parts(const ui::Canvas& canvas, const std::string& list, float room) {
    std::string shown = list;
    while (canvas.text_width(shown, Font::text, 14) > room) {
        const std::size_t comma = shown.rfind(", ");
        if (comma == std::string::npos) break;
        shown.resize(comma);
    }
    return shown;
}

// Claims begin alike and end with what tells them apart: what does not fit is left out before the end.
void claim_text(const NumbersDraw& d, ui::Vec2 at, const std::string& claim, float room) {
    const auto width = [&](const std::string& words) { return d.ui.canvas.text_width(words, Font::text, 14); };
    constexpr std::string_view kUnit = "Tokens per round "; // which the value beside it says
    if (width(claim) > room && claim.starts_with(kUnit))
        if (const std::string shorter = "… " + claim.substr(kUnit.size()); width(shorter) <= room) {
            ui::fitted_text(d.ui.canvas, at, shorter, Font::text, 14, d.ui.theme.ink, room);
            return;
        }
    std::string words = claim;
    std::size_t tail = claim.rfind(' ');
    if (tail != std::string::npos && tail > 0) tail = claim.rfind(' ', tail - 1);
    if (width(claim) > room && tail != std::string::npos)
        for (std::size_t head = claim.rfind(' ', tail - 1); head != std::string::npos && head > 0; head = claim.rfind(' ', head - 1))
            if (const std::string shorter = claim.substr(0, head) + " …" + claim.substr(tail); width(shorter) <= room) {
                words = shorter;
                break;
            }
    ui::fitted_text(d.ui.canvas, at, words, Font::text, 14, d.ui.theme.ink, room);
}

// Where the columns of the table begin. Wrong figures stand beside what is right, and why.
struct Columns {
    float mark, value, value_w, right, method, claim, last;
    bool wrong, wide; // wide: with a last column
};

Columns columns_of(const NumbersDraw& d, Rect area) {
    Columns c{};
    c.wrong = d.state.filter == FigureFilter::wrong;
    c.wide = area.w > (c.wrong ? 980 : 760);
    c.mark = area.x + 4, c.value = area.x + 24;
    c.value_w = c.wrong && area.w > 760 ? 216 : 128; // of five values in full
    c.right = c.value + c.value_w + 12;
    c.method = c.right;
    c.claim = c.wrong ? c.right + c.value_w + 12 : c.method + 96;
    c.last = !c.wide ? area.right() + 16 : c.wrong ? c.claim + (area.right() - c.claim) * 0.45F : area.x + area.w * 0.64F;
    return c;
}

// A head that sorts by its column when it is clicked, and shows which way.
void sort_head(const NumbersDraw& d, ui::Vec2 at, const char* words, FigureSort sort) {
    const bool here = d.state.sort == sort;
    const std::string text = std::string(words) + (!here ? "" : d.state.falling ? " ↓" : " ↑");
    const Rect box{at.x - 4, at.y - 15, d.ui.canvas.text_width(text, Font::text, 14) + 8, 20};
    const ui::Touch touch = ui::touch(d.ui, d.ui.id(std::string("sort by ") + words), box, {.grow = false});
    d.ui.canvas.text(at, text, Font::text, 14, here || touch.hovered ? d.ui.theme.ink : d.ui.theme.muted);
    if (touch.focused) ui::focus_ring(d.ui.canvas, d.ui.theme, box);
    if (touch.clicked) choose_sort(d.state, sort);
    ui::tooltip(d.ui, box, "sort by this column; again: the other way round, then as the sources print them");
}

// How much of the table is above and below what is seen.
void draw_bar(const NumbersDraw& d, Rect rows, int first, int fits, int total) {
    if (total <= fits) return;
    const float all = static_cast<float>(total), length = std::max(24.0F, rows.h * static_cast<float>(fits) / all);
    const float travel = rows.h - length, most = static_cast<float>(total - fits);
    const Rect hit{rows.right() - 4, rows.y, 12, rows.h};
    const ui::Touch touch = ui::touch(d.ui, d.ui.id("bar"), hit, {.focusable = false, .grow = false});
    const float y = rows.y + travel * static_cast<float>(first) / most;
    if (touch.held) {
        const float to = std::clamp((d.ui.input.mouse.y - length / 2 - rows.y) / travel, 0.0F, 1.0F) * most;
        choose_figure(d, static_cast<int>(to) + (to > static_cast<float>(first) ? fits - 1 : 0));
    }
    d.ui.canvas.fill({rows.right() + 2, y, 4, length}, touch.hovered || touch.held ? d.ui.theme.muted : d.ui.theme.line, 2);
}

} // namespace

void choose_figure(const NumbersDraw& d, int row) {
    const int last = static_cast<int>(d.model.rows.size()) - 1;
    if (last < 0) return;
    d.state.selected = d.model.rows[static_cast<std::size_t>(std::clamp(row, 0, last))]->id;
}

void draw_numbers_search(const NumbersDraw& d, Rect box) {
    ui::text_field(d.ui, "search", box, d.state.query,
                   {.size = 14, .max_bytes = 200, .placeholder = "Search method, claim, condition, source   /"});
    if (d.ui.take_key(ui::Key::slash)) d.ui.move_focus(d.ui.id("search")); // after it was drawn: the key is no text of it
}

void draw_numbers_table(const NumbersDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const NumbersModel& m = d.model;
    const int total = static_cast<int>(m.rows.size());
    if (m.figures && !d.input.presenter) {
        draw_numbers_search(d, {area.x, area.y - 4, std::min(420.0F, area.w), 32});
        area.y += kSearch, area.h -= kSearch;
    }
    if (total == 0) {
        ui::slot(canvas, theme, {area.x, area.y, area.w, std::min(160.0F, area.h)},
                 m.figures ? "no figure fits this search and these filters" : "the published figures are not at hand");
        return;
    }
    const Columns at = columns_of(d, area);
    const bool roomy = at.wide && static_cast<float>(total) * kTallRow <= area.h - 30; // a few figures stand there in full
    const float pitch = roomy ? kTallRow : kFigureRow;
    const int fits = std::max(1, static_cast<int>((area.h - 30) / pitch));
    d.state.first = std::clamp(d.state.first, std::max(0, m.selected - fits + 1),
                               m.selected); // the chosen one is in sight
    d.state.first = std::clamp(d.state.first, 0, std::max(0, total - fits));
    if (d.ui.input.wheel != 0 && d.ui.mouse_in(area) && !d.ui.wheel_used) {
        d.ui.wheel_used = true;
        choose_figure(d, m.selected + (d.ui.input.wheel < 0 ? 3 : -3));
    }
    const auto head = [&](float x, const char* words) { canvas.text({x, area.y + 14}, words, Font::text, 14, theme.muted); };
    const float base = area.y + 14;
    sort_head(d, {at.value, base}, at.wrong ? "as printed" : "value", FigureSort::value);
    if (at.wrong)
        head(at.right, "what follows");
    else
        sort_head(d, {at.method, base}, "method", FigureSort::method);
    sort_head(d, {at.claim, base}, "claim", FigureSort::claim);
    if (at.wide && at.wrong) head(at.last, "why it is wrong");
    if (at.wide && !at.wrong) sort_head(d, {at.last, base}, "conditions", FigureSort::conditions);
    draw_bar(d, {area.x, area.y + 24, area.w, pitch * static_cast<float>(fits)}, d.state.first, fits, total);
    for (int i = 0; i < std::min(fits, total - d.state.first); ++i) {
        const int row = d.state.first + i;
        const PublishedFigure& figure = *m.rows[static_cast<std::size_t>(row)];
        const float y = area.y + 24 + pitch * static_cast<float>(i);
        const Rect box{area.x - 8, y, area.w + 16, pitch};
        const ui::Touch touch = ui::touch(d.ui, d.ui.id("row " + figure.id), box);
        if (row == m.selected || touch.hovered) canvas.fill(box, theme.raised.alpha(row == m.selected ? 0.9F : 0.45F), 4);
        if (row < m.told) canvas.fill({box.x, box.y, 3, box.h}, theme.ink); // what the beat is about
        if (row + 1 == m.told) canvas.line({box.x, box.bottom() - 0.5F}, {box.right(), box.bottom() - 0.5F}, theme.hairline());
        if (touch.focused) ui::focus_ring(canvas, theme, box);
        if (touch.clicked) choose_figure(d, row);
        if (figure.standing == Standing::wrong)
            ui::icon(canvas, ui::Icon::cross, {at.mark + 6, y + 14}, 10, theme.role(Role::rejected));
        else if (!figure.conflicts.empty())
            canvas.text({at.mark + 3, y + 19}, "!", Font::text_bold, 15, theme.role(Role::draft));
        value_box(d, {at.value, y + 3, at.value_w, 22}, figure);
        const PublishedFigure* right = at.wrong ? right_figure(*m.figures, figure) : nullptr;
        if (right)
            value_box(d, {at.right, y + 3, at.value_w, 22}, *right);
        else if (at.wrong)
            canvas.text({at.right + at.value_w - 8, y + 19}, "–", Font::mono, 14, theme.muted, Align::right);
        else
            ui::fitted_text(canvas, {at.method, y + 19}, figure.method, Font::text, 14, theme.muted, 88);
        const auto in_full = [&](float x, const std::string& words, float room, ui::Color color) {
            ui::paragraph(canvas, {x, y + 19}, room, words, {.size = 14, .color = color, .max_lines = 2});
        };
        if (roomy)
            in_full(at.claim, figure.claim, at.last - at.claim - 16, theme.ink);
        else
            claim_text(d, {at.claim, y + 19}, figure.claim, at.last - at.claim - 16);
        if (at.wide) {
            const float room = area.right() - at.last;
            const std::string last = at.wrong ? figure.reason : published_conditions(figure);
            if (roomy)
                in_full(at.last, last, room, theme.muted);
            else
                ui::fitted_text(canvas, {at.last, y + 19}, d.input.presenter ? whole_parts(canvas, last, room) : last, Font::text, 14,
                                theme.muted, room);
        }
        if (at.wrong) ui::tooltip(d.ui, box, capital(figure.reason));
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
        ui::paragraph(canvas, {x, r.y + 58}, w, "Choose a row to see where a figure comes from and what speaks against it.",
                      {.size = 14, .color = theme.muted, .max_lines = 3});
        return;
    }
    value_box(d, {x, r.y + 14, 128, 24}, *figure);
    ui::fitted_text(canvas, {x + 142, r.y + 31}, figure->method + (figure->variant.empty() ? "" : ", " + figure->variant), Font::text_bold,
                    15, theme.ink, w - 142);
    float y = r.y + 64;
    const auto say = [&](const std::string& words, ui::Color color, int lines) {
        if (words.empty() || y + 20 > r.bottom()) return;
        const int room = std::max(1, static_cast<int>((r.bottom() - y) / 20));
        y = ui::paragraph(canvas, {x, y}, w, words, {.size = 14, .color = color, .max_lines = std::min(lines, room)}) + 26;
    };
    say(figure->claim + ".", theme.ink, 3);
    say(published_series(*figure), theme.ink, 2);
    const std::string conditions = published_conditions(*figure);
    say(conditions.empty() ? "The source gives no conditions." : conditions, theme.muted, 2);
    say(published_citation(*figure, d.model.figures->source_of(*figure)), theme.muted, 2);
    if (figure->standing != Standing::as_published) say(capital(published_standing(*figure)) + ".", theme.role(standing_role(*figure)), 4);
    for (const PublishedConflict& conflict : figure->conflicts) {
        const PublishedFigure& other = *d.model.figures->find(conflict.with);
        say("Against " + published_value(other) + " (" + other.id + "): " + conflict.why, theme.ink, 5);
    }
    if (const DrafterInfo* const drafter = drafter_of_figures(figure->method)) // what the method is
        for (const std::string& words : kin_words(drafter->kin)) {
            if (y + 20 > r.bottom()) break;
            ui::fitted_text(canvas, {x, y}, words, Font::text, 14, theme.muted, w);
            y += 20;
        }
}

void draw_numbers_controls(const NumbersDraw& d) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    ControlRow row(r);
    const std::string filters[] = {"all", "pairs", "disputed", "wrong"};
    Rect at = row.place(ui::segmented_width(ui.canvas, filters));
    ui::field_label(ui, at, "Figures");
    ui::tooltip(ui, at, "All figures, telling pairs, those that disagree, or those that cannot be right");
    if (const auto pick = ui::segmented(ui, "filter", {at.x, at.y}, filters, static_cast<int>(d.state.filter)))
        choose_filter(d.state, static_cast<FigureFilter>(*pick));
    if (row.room() < 140 || !d.model.figures) return;
    at = row.place(std::min(180.0F, row.room()));
    ui::field_label(ui, at, "Method");
    std::vector<ui::Choice> choices{{"all", "", ""}};
    int chosen = 0;
    for (const std::string& method : d.model.figures->methods()) {
        if (method == d.state.method) chosen = static_cast<int>(choices.size());
        choices.push_back({method, "", ""});
    }
    if (const auto pick = ui::dropdown(ui, "method", at, choices, chosen, {.tooltip = "Figures of one method only"});
        pick && *pick != chosen)
        d.state.method = *pick == 0 ? std::string() : choices[static_cast<std::size_t>(*pick)].label;
    if (row.room() < 176) return;
    at = row.place(176);
    ui::field_label(ui, at, "Figure");
    const int total = static_cast<int>(d.model.rows.size());
    const std::string words = total == 0 ? "none" : std::to_string(d.model.selected + 1) + " of " + std::to_string(total);
    if (const auto to = ui::stepper(ui, "figure", at, d.model.selected,
                                    {.low = 0,
                                     .high = std::max(0.0, total - 1.0),
                                     .text = words,
                                     .tooltip = "Which row is marked; its source and conditions stand in the details"}))
        choose_figure(d, static_cast<int>(*to));
}

} // namespace speclens
