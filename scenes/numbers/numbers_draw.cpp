// The table of S16 and what is known of one figure.
#include "scenes/numbers/numbers_draw.h"

#include <algorithm>

#include "engine/published/published_words.h"
#include "scenes/shared/kin_words.h"
#include "scenes/shared/panel.h"
#include "ui/text_field.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

constexpr float kFigureRow = 28, kTallRow = 48, kSearch = 40; // the second: above the table, with the space below it

ui::Role standing_role(const PublishedFigure& figure) { return figure.standing == Standing::wrong ? Role::rejected : Role::target; }

// A published value: hollow and hatched, as in every chart.
void value_box(const NumbersDraw& d, Rect box, const PublishedFigure& figure, std::string_view value) {
    const ui::Color color = d.ui.theme.role(standing_role(figure));
    d.ui.canvas.hatch(box, color.alpha(0.25F));
    d.ui.canvas.outline(box, {color, 1}, 3);
    d.ui.canvas.print({box.right() - 8, box.y + 16}, ui::fit_printed(d.ui.canvas, value, Font::mono, 14, box.w - 14), Font::mono, 14,
                      d.ui.theme.ink, Align::right);
}

// A row is one message; what stands in its cells is printed. Beside what would be right, a list is told in full where it fits.
void value_cell(const NumbersDraw& d, Rect box, const PublishedFigure& figure) {
    std::string shown = message(value_said(figure)).words();
    if (d.state.filter == FigureFilter::wrong && figure.form == Form::list)
        if (std::string whole = whole_value(figure); d.ui.canvas.printed_width(whole, Font::mono, 14) <= box.w - 14)
            shown = std::move(whole);
    value_box(d, box, figure, shown);
}

struct CellStyle {
    ui::Color color;
    float room;
    bool tall = false; // in two lines, where rows have room for them
};
void print_cell(const NumbersDraw& d, ui::Vec2 at, std::string_view words, const CellStyle& style) {
    const auto print = [&](float y, std::string_view line) {
        d.ui.canvas.print({at.x, y}, ui::fit_printed(d.ui.canvas, line, Font::text, 14, style.room), Font::text, 14, style.color);
    };
    if (!style.tall) return print(at.y, words);
    const std::vector<std::string_view> lines = ui::wrap(d.ui.canvas, words, Font::text, 14, style.room);
    print(at.y, lines[0]);
    if (lines.size() > 1) print(at.y + 20, words.substr(static_cast<std::size_t>(lines[1].data() - words.data())));
}

// As many items of a list as there is room for, perhaps none: a room reads no half one, and the details have all.
std::string whole_items(const ui::Canvas& canvas, const Message& list, float room) {
    std::vector<std::string> ways = shorter_and_shorter(list, Seam::item);
    ways.emplace_back();
    return ui::fitting(canvas, ways, Font::text, 14, room);
}

// Claims begin alike and end with what tells them apart: what does not fit is left out before the end.
std::string fitted_claim(const ui::Canvas& canvas, const PublishedFigure& figure, float room) {
    const Message claim = message(claim_said(figure));
    const auto fits = [&](const std::string& words) { return canvas.printed_width(words, Font::text, 14) <= room; };
    if (fits(claim)) return claim;
    if (const std::vector<Said> rest = claim_behind_unit_said(figure); !rest.empty()) // the value beside it says the unit
        if (Message shorter = numbers_says("table.claim"_t, "claim"_v = rest); fits(shorter)) return shorter;
    return ui::fit_between(canvas, claim, Font::text, 14, room);
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
void sort_head(const NumbersDraw& d, ui::Vec2 at, const Message& column, FigureSort sort) {
    const bool here = d.state.sort == sort;
    const Message words = here ? numbers_says("table.sorted"_t, "column"_v = column, "falling"_v = d.state.falling) : column;
    const Rect box{at.x - 4, at.y - 15, d.ui.canvas.text_width(words, Font::text, 14) + 8, 20};
    const ui::Touch touch = ui::touch(d.ui, d.ui.id("sort by " + column), box, {.grow = false});
    d.ui.canvas.text(at, words, Font::text, 14, here || touch.hovered ? d.ui.theme.ink : d.ui.theme.muted);
    if (touch.focused) ui::focus_ring(d.ui.canvas, d.ui.theme, box);
    if (touch.clicked) choose_sort(d.state, sort);
    ui::tooltip(d.ui, box, numbers_says("table.sort_about"_t));
}

void draw_heads(const NumbersDraw& d, const Columns& at, float y) {
    const auto head = [&](float x, const Message& words) { d.ui.canvas.text({x, y}, words, Font::text, 14, d.ui.theme.muted); };
    sort_head(d, {at.value, y}, at.wrong ? numbers_says("column.printed"_t) : numbers_says("column.value"_t), FigureSort::value);
    if (at.wrong)
        head(at.right, numbers_says("column.right"_t));
    else
        sort_head(d, {at.method, y}, numbers_says("column.method"_t), FigureSort::method);
    sort_head(d, {at.claim, y}, numbers_says("column.claim"_t), FigureSort::claim);
    if (at.wide && at.wrong) head(at.last, numbers_says("column.reason"_t));
    if (at.wide && !at.wrong) sort_head(d, {at.last, y}, numbers_says("column.conditions"_t), FigureSort::conditions);
}

// All that a row says, of which its cells may have room for less.
Message row_message(const NumbersDraw& d, int row) {
    const PublishedFigure& figure = *d.model.rows[static_cast<std::size_t>(row)];
    const auto marked = "marked"_v = row == d.model.selected;
    const auto of_beat = "of_beat"_v = row < d.model.of_beat;
    const auto value = "value"_v = value_said(figure);
    const auto method = "method"_v = figure.method;
    const auto claim = "claim"_v = claim_said(figure);
    const auto conditions = "conditions"_v = conditions_said(figure);
    if (figure.standing != Standing::wrong)
        return numbers_says("table.row:as_printed"_t, marked, of_beat, value, method, claim, conditions,
                            "disputed"_v = !figure.conflicts.empty());
    const PublishedFigure* right = right_figure(*d.model.figures, figure);
    return numbers_says("table.row:wrong"_t, marked, of_beat, value, method, claim, conditions, "reason"_v = reason_said(figure),
                        "printed"_v = values_said(figure), "right"_v = right ? values_said(*right) : std::vector<Said>());
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

void draw_row(const NumbersDraw& d, const Columns& at, Rect box, int row) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const NumbersModel& m = d.model;
    const PublishedFigure& figure = *m.rows[static_cast<std::size_t>(row)];
    const float y = box.y, base = y + 19, end = box.right() - 8;
    const bool tall = box.h > kFigureRow;
    const ui::Touch touch = ui::touch(d.ui, d.ui.id("row " + figure.id), box);
    if (row == m.selected || touch.hovered) canvas.fill(box, theme.raised.alpha(row == m.selected ? 0.9F : 0.45F), 4);
    if (row < m.of_beat) canvas.fill({box.x, box.y, 3, box.h}, theme.ink); // what the beat is about
    if (row + 1 == m.of_beat) canvas.line({box.x, box.bottom() - 0.5F}, {box.right(), box.bottom() - 0.5F}, theme.hairline());
    if (touch.focused) ui::focus_ring(canvas, theme, box);
    if (touch.clicked) choose_figure(d, row);
    if (figure.standing == Standing::wrong)
        ui::icon(canvas, ui::Icon::cross, {at.mark + 6, y + 14}, 10, theme.role(Role::rejected));
    else if (!figure.conflicts.empty())
        canvas.print({at.mark + 3, base}, "!", Font::text_bold, 15, theme.role(Role::draft));
    value_cell(d, {at.value, y + 3, at.value_w, 22}, figure);
    const PublishedFigure* right = at.wrong ? right_figure(*m.figures, figure) : nullptr;
    if (right)
        value_cell(d, {at.right, y + 3, at.value_w, 22}, *right);
    else if (at.wrong)
        canvas.print({at.right + at.value_w - 8, base}, "–", Font::mono, 14, theme.muted, Align::right);
    else
        print_cell(d, {at.method, base}, figure.method, {theme.muted, 88});
    const float claim_w = at.last - at.claim - 16;
    print_cell(d, {at.claim, base}, tall ? message(claim_said(figure)) : fitted_claim(canvas, figure, claim_w), {theme.ink, claim_w, tall});
    if (at.wide) {
        const Message words = at.wrong ? numbers_says("table.why"_t, "reason"_v = reason_said(figure))
                                       : numbers_says("table.conditions"_t, "conditions"_v = conditions_said(figure));
        print_cell(d, {at.last, base}, d.input.presenter && !tall ? whole_items(canvas, words, end - at.last) : words.words(),
                   {theme.muted, end - at.last, tall});
    }
    if (at.wrong) ui::tooltip(d.ui, box, numbers_says("table.reason"_t, "reason"_v = reason_said(figure)));
}

} // namespace

void choose_figure(const NumbersDraw& d, int row) {
    const int last = static_cast<int>(d.model.rows.size()) - 1;
    if (last < 0) return;
    d.state.selected = d.model.rows[static_cast<std::size_t>(std::clamp(row, 0, last))]->id;
}

void draw_numbers_table(const NumbersDraw& d, Rect area) {
    const NumbersModel& m = d.model;
    const int total = static_cast<int>(m.rows.size());
    if (m.figures && !d.input.presenter) {
        ui::text_field(d.ui, "search", {area.x, area.y - 4, std::min(420.0F, area.w), 32}, d.state.query,
                       {.size = 14, .max_bytes = 200, .placeholder = numbers_says("table.search"_t)});
        if (d.ui.take_key(ui::Key::slash)) d.ui.move_focus(d.ui.id("search")); // after it was drawn: the key is no text of it
        area.y += kSearch, area.h -= kSearch;
    }
    if (total == 0) {
        ui::slot(d.ui.canvas, d.ui.theme, {area.x, area.y, area.w, std::min(160.0F, area.h)},
                 m.figures ? numbers_says("table.empty:filtered"_t) : shared_says("figures.none"_t));
        return;
    }
    const Columns at = columns_of(d, area);
    const bool tall = at.wide && static_cast<float>(total) * kTallRow <= area.h - 30; // a few figures stand there in full
    const float pitch = tall ? kTallRow : kFigureRow;
    const int fits = std::max(1, static_cast<int>((area.h - 30) / pitch));
    d.state.first = std::clamp(d.state.first, std::max(0, m.selected - fits + 1), m.selected); // the chosen one is in sight
    d.state.first = std::clamp(d.state.first, 0, std::max(0, total - fits));
    if (d.ui.input.wheel != 0 && d.ui.mouse_in(area) && !d.ui.wheel_used) {
        d.ui.wheel_used = true;
        choose_figure(d, m.selected + (d.ui.input.wheel < 0 ? 3 : -3));
    }
    draw_heads(d, at, area.y + 14);
    draw_bar(d, {area.x, area.y + 24, area.w, pitch * static_cast<float>(fits)}, d.state.first, fits, total);
    const int first = d.state.first, end = std::min(first + fits, total); // a click on a row changes the state
    const auto box = [&](int row) { return Rect{area.x - 8, area.y + 24 + pitch * static_cast<float>(row - first), area.w + 16, pitch}; };
    for (int row = first; row < end; ++row) draw_row(d, at, box(row), row);
    for (int row = 0; d.in_words && row < total; ++row)
        if (first <= row && row < end)
            d.ui.canvas.tell(row_message(d, row), box(row), ui::Canvas::Told::drawn);
        else
            d.ui.canvas.tell(row_message(d, row), area);
}

void draw_numbers_details(const NumbersDraw& d) {
    const Rect r = d.input.details;
    const ui::Theme& theme = d.ui.theme;
    DetailsColumn column(d.ui, r);
    const PublishedFigure* figure = d.model.chosen();
    if (!figure) {
        column.title(numbers_says("details.title"_t));
        return column.paragraph(numbers_says("details.choose"_t), theme.muted, 3);
    }
    const Rect box{r.x + 24, r.y + 14, 128, 24};
    const Message value = message(value_said(*figure));
    value_box(d, box, *figure, value);
    d.ui.canvas.tell(value, box, ui::Canvas::Told::drawn);
    ui::fitted_text(d.ui.canvas, {box.x + 142, r.y + 31},
                    numbers_says("details.method"_t, "method"_v = figure->method, "variant"_v = variant_said(*figure)), Font::text_bold, 15,
                    theme.ink, r.w - 190);
    column.y += 6; // below the box
    column.paragraph(numbers_says("details.claim"_t, "claim"_v = claim_said(*figure)), theme.ink, 3);
    if (figure->form == Form::list) column.paragraph(message(series_said(*figure)), theme.ink, 2);
    column.paragraph(numbers_says("details.conditions"_t, "conditions"_v = conditions_said(*figure)), theme.muted, 2);
    column.paragraph(message(citation_said(*figure, d.model.figures->source_of(*figure))), theme.muted, 2);
    const Message standing = message(standing_said(*figure));
    if (figure->standing == Standing::as_published)
        column.tell(standing);
    else
        column.paragraph(standing, theme.role(standing_role(*figure)), 4);
    for (const PublishedConflict& conflict : figure->conflicts)
        column.paragraph(numbers_says("details.against"_t, "value"_v = value_said(*d.model.figures->find(conflict.with)),
                                      "id"_v = conflict.with, "why"_v = conflict_said(conflict)),
                         theme.ink, 5);
    const DrafterInfo* const drafter = drafter_of_figures(figure->method); // what the method is
    if (!drafter) return;
    column.tell(shared_says("kin.drafter"_t, "drafter"_v = drafter->title));
    for (const Message& words : kin_words(drafter->kin)) column.line(words, theme.muted);
}

void draw_numbers_controls(const NumbersDraw& d) {
    ControlRow row(d.input.controls);
    const Message filters[] = {numbers_says("controls.filter:all"_t), numbers_says("controls.filter:pairs"_t),
                               numbers_says("controls.filter:disputed"_t), numbers_says("controls.filter:wrong"_t)};
    if (const auto pick = segmented(d.ui, row, {"filter", numbers_says("controls.figures"_t), numbers_says("controls.figures_about"_t)},
                                    filters, static_cast<int>(d.state.filter)))
        choose_filter(d.state, static_cast<FigureFilter>(*pick));
    if (!d.model.figures) return;
    const std::vector<std::string> methods = d.model.figures->methods();
    std::vector<Message> choices{numbers_says("controls.all_methods"_t)};
    for (const std::string& method : methods) choices.push_back(numbers_says("controls.one_method"_t, "method"_v = method));
    const auto found = std::ranges::find(methods, d.state.method); // of all methods: none
    const int chosen = found == methods.end() ? 0 : static_cast<int>(found - methods.begin()) + 1;
    if (const auto pick =
            dropdown(d.ui, row, {"method", numbers_says("controls.method"_t), numbers_says("controls.method_about"_t)}, choices, chosen))
        d.state.method = *pick == 0 ? "" : methods[static_cast<std::size_t>(*pick - 1)];
    const int total = static_cast<int>(d.model.rows.size());
    const Message position = total == 0 ? numbers_says("controls.position:none"_t)
                                        : numbers_says("controls.position:one"_t, "at"_v = d.model.selected + 1, "of"_v = total);
    if (const auto to = stepper(d.ui, row, {"figure", numbers_says("controls.figure"_t), numbers_says("controls.figure_about"_t)}, position,
                                d.model.selected, total))
        choose_figure(d, *to);
}

} // namespace speclens
