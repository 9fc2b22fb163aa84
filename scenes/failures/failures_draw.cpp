// The pictures of S14: the map over requests and draft length, and guesses by the entropy of their judge.
#include <algorithm>
#include <cmath>

#include "engine/published/published_words.h"
#include "scenes/failures/failures_model.h"
#include "scenes/failures/loss_bars.h"
#include "scenes/failures/roofline.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/head_scene.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;

// One decimal, two where one would hide on which side of 1 a cell is, or that it is more than nothing.
std::string cell_words(const LoadCell& cell, float room) {
    const bool fine = std::abs(cell.speedup - 1) < 0.095 || cell.speedup < 0.095;
    return ui::number(cell.speedup, fine && room >= 38 ? 2 : 1);
}

ui::Color cell_color(const ui::Theme& theme, bool pays, bool loses, double speedup) {
    const float strength = std::clamp(static_cast<float>(std::abs(std::log(speedup)) / std::log(3.0)), 0.08F, 0.85F);
    const ui::Color color = pays ? theme.role(Role::accepted) : loses ? theme.role(Role::rejected) : theme.muted;
    return color.alpha(strength * (loses ? 0.5F : 1.0F));
}

// Slower than plain decoding, for who does not tell the colours apart.
void underline(ui::Canvas& canvas, const ui::Theme& theme, Rect cell) {
    canvas.fill({cell.x + 3, cell.bottom() - 4, cell.w - 6, 2}, theme.role(Role::rejected), 1);
}

// How cells are marked, as fully as there is room for. Hatched is what is simulated beside what was measured, and nothing else.
std::vector<std::string> map_key_words(const FailuresModel& m) {
    const bool doubt = std::ranges::any_of(m.cells, &LoadCell::in_doubt);
    if (m.has_measured() && doubt)
        return {"framed: measured; hatched: simulated; underlined: slower than plain; ▲ best; hollow: simulated; ~ in doubt",
                "framed: measured; hatched: simulated; underlined: slower; ▲ best; ~ in doubt",
                "framed: measured; hatched: simulated; ~ in doubt"};
    if (m.has_measured())
        return {"framed: measured, that many texts at once; hatched: simulated; underlined: slower than plain; ▲ best; hollow: simulated",
                "framed: measured; hatched: simulated; underlined: slower than plain; ▲ best; hollow: simulated",
                "framed: measured; hatched: simulated; underlined: slower; ▲ best", "framed: measured; hatched: simulated; ▲ best"};
    if (doubt)
        return {"underlined: slower; ▲ best; dotted: not measured; ~ other passes were quicker",
                "underlined: slower; ▲ best; ~ other passes were quicker", "underlined: slower; ▲ best; ~ in doubt"};
    return {"underlined: slower than plain; ▲ best; dotted: beyond the measured widths",
            "underlined: slower than plain; ▲ best; dotted: not measured", "underlined: slower; ▲ best"};
}

std::string cell_tooltip(const LoadCell& cell, bool live) {
    std::string words = counted(cell.requests, "request") + ", " + counted(cell.k, "guess") + ": " + (cell.in_doubt() ? "~" : "") +
                        ui::speed_up(cell.speedup) +
                        (cell.measured ? ", measured"
                         : live        ? ", simulated"
                                       : "");
    if (cell.measured)
        words += "; 90 %: " + ui::number(cell.measured->speed_up->low, 2) + " to " + ui::number(cell.measured->speed_up->high, 2);
    if (!cell.doubt.empty()) words += "; in doubt: " + cell.doubt;
    if (cell.outrun)
        words += "; the timing cannot be trusted here: a pass took longer than a wider one, or than several narrower ones, whose time is "
                 "taken instead";
    return words;
}

// What the colours of the map say: from a third to three times plain decoding.
void draw_map_key(const FailuresDraw& d, Rect r) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    constexpr double kSteps[] = {0.33, 0.6, 0.9, 1.1, 1.7, 3};
    const float left = 42, right = 30, w = (r.w - left - right) / static_cast<float>(std::size(kSteps));
    if (w < 16) return;
    c.text({r.x + left - 6, r.y + 14}, "0.3×", Font::mono, 14, t.muted, Align::right);
    for (std::size_t i = 0; i < std::size(kSteps); ++i) {
        const Rect box{r.x + left + w * static_cast<float>(i), r.y + 2, w - 2, 14};
        c.fill(box, cell_color(t, kSteps[i] >= 1, kSteps[i] < 1, kSteps[i]), 2);
        if (kSteps[i] < 1) underline(c, t, box);
    }
    c.text({r.right() - right + 4, r.y + 14}, "3×", Font::mono, 14, t.muted);
}

} // namespace

void draw_load_map(const FailuresDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const FailuresModel& m = d.model;
    ui::fitted_text(canvas, {area.x, area.y + 14}, "Speed-up by load", Font::text_bold, 15, theme.ink, area.w);
    const bool live = m.has_measured();
    ui::fitted_text(canvas, {area.x, area.y + 34}, ui::fitting(canvas, map_key_words(m), Font::text, 14, area.w), Font::text, 14,
                    theme.muted, area.w);
    if (!m.times) {
        ui::slot(canvas, theme, {area.x, area.y + 50, area.w, std::min(180.0F, area.h - 60)},
                 !m.under_way.empty() ? m.under_way
                 : m.untimed.empty()  ? "time passes first: M"
                                      : m.untimed + ": there is no map of it");
        return;
    }
    constexpr int kRows = static_cast<int>(std::size(kRequests)), kColumns = static_cast<int>(std::size(kGuesses));
    const Rect grid{area.x + 68, area.y + 50, area.w - 68, area.h - 50 - 44};
    const float w = grid.w / kColumns, h = grid.h / kRows;
    for (int row = 0; row < kRows; ++row) {
        const float y = grid.y + h * static_cast<float>(row);
        canvas.text({grid.x - 10, y + h / 2 + 5}, std::to_string(kRequests[row]), Font::mono, 14, row == m.row ? theme.ink : theme.muted,
                    Align::right);
        const int best = m.best(row);
        for (int column = 0; column < kColumns; ++column) {
            const LoadCell& cell = m.cell(row, column);
            const Rect box{grid.x + w * static_cast<float>(column), y, w - 2, h - 2};
            canvas.fill(box, cell.doubt.empty() ? cell_color(theme, cell.pays(), cell.loses(), cell.speedup) : theme.muted.alpha(0.12F), 2);
            if (live && !cell.measured) canvas.hatch(box, theme.muted.alpha(0.5F));
            if (cell.loses()) underline(canvas, theme, box);
            if (cell.measured) canvas.outline({box.x + 1, box.y + 1, box.w - 2, box.h - 2}, {theme.muted, 1}, 2);
            if (cell.extrapolated) canvas.outline(box, {theme.muted, 1, 1, 3}, 2);
            const ui::Touch touch = // two steppers choose it too
                ui::touch(d.ui, d.ui.id("cell " + std::to_string(row) + " " + std::to_string(cell.k)), box, {.focusable = false});
            if (touch.clicked) d.state.row = row, d.state.k = cell.k;
            if (row == m.row && column == m.column) canvas.outline(box, {theme.ink, 2}, 2);
            if (w > 34 && h > 20) {
                std::string words = cell_words(cell, w);
                if (cell.in_doubt()) {
                    const bool fits = canvas.text_width("~" + words, Font::mono, 14) <= box.w - 2;
                    words = "~" + (fits ? words : ui::number(cell.speedup, 1));
                }
                canvas.text({box.center().x, box.center().y + 5}, words, Font::mono, 14, cell.doubt.empty() ? theme.ink : theme.muted,
                            Align::center);
            }
            if (column == best && h > 30) {
                const ui::Vec2 at{box.center().x, box.bottom() - 6};
                if (live && !cell.measured)
                    ui::hollow_icon(canvas, ui::Icon::triangle_up, at, 8, theme.ink);
                else
                    ui::icon(canvas, ui::Icon::triangle_up, at, 8, theme.ink);
            }
            ui::tooltip(d.ui, box, cell_tooltip(cell, live));
        }
    }
    for (int column = 0; column < kColumns; ++column)
        canvas.text({grid.x + w * (static_cast<float>(column) + 0.5F), grid.bottom() + 18}, std::to_string(kGuesses[column]), Font::mono,
                    14, column == m.column ? theme.ink : theme.muted, Align::center);
    canvas.text({grid.center().x, grid.bottom() + 38}, "guesses K", Font::text, 14, theme.muted, Align::center);
    ui::fitted_text(canvas, {area.x, grid.bottom() + 38}, "requests", Font::text, 14, theme.muted, 100); // of the rows
    draw_map_key(d, {grid.right() - std::min(grid.w * 0.62F, 300.0F), area.y, std::min(grid.w * 0.62F, 300.0F), 20});
}

void draw_entropy(const FailuresDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const FailuresModel& m = d.model;
    const std::vector<std::string> titles{"Guesses kept, by the target's entropy", "Kept, by the target's entropy", "Kept, by entropy"};
    ui::fitted_text(canvas, {area.x, area.y + 14}, ui::fitting(canvas, titles, Font::text_bold, 15, area.w), Font::text_bold, 15, theme.ink,
                    area.w);
    const std::vector<std::string> key{"of this run, nats at T = 1; hatched: fewer than 10", "nats at T = 1; hatched: fewer than 10",
                                       "nats; hatched: fewer than 10", "nats"};
    ui::fitted_text(canvas, {area.x, area.y + 34}, ui::fitting(canvas, key, Font::text, 14, area.w), Font::text, 14, theme.muted, area.w);
    if (m.bins.empty()) {
        ui::slot(canvas, theme, {area.x, area.y + 50, area.w, std::min(120.0F, area.h - 60)}, "no judged guesses with distributions");
        return;
    }
    const float left = area.x + 84, number = 96, pitch = std::min(34.0F, (area.h - 54) / static_cast<float>(m.bins.size()));
    float y = area.y + 50;
    for (const EntropyBin& bin : m.bins) {
        const std::string range = bin.high > 50 ? "over " + ui::tick_label(bin.low, bin.low < 1 ? 1 : 0)
                                                : ui::tick_label(bin.low, 1) + "–" + ui::tick_label(bin.high, 1);
        canvas.text({left - 10, y + pitch / 2 + 5}, range, Font::mono, 14, theme.muted, Align::right);
        const double share = bin.judged > 0 ? static_cast<double>(bin.kept) / bin.judged : 0;
        const Rect bar{left, y + pitch / 2 - 6, area.right() - left - number, 12};
        const bool few = bin.judged < kFewGuesses;
        ui::bar(canvas, theme, bar, few ? 0 : share, Role::accepted);
        if (const Rect part{bar.x, bar.y, bar.w * static_cast<float>(share), bar.h}; few && share > 0) {
            canvas.hatch(part, theme.role(Role::accepted).alpha(0.6F), 5);
            canvas.outline(part, {theme.role(Role::accepted), 1}, 2);
        }
        canvas.text({area.right(), y + pitch / 2 + 5},
                    bin.judged > 0 ? std::to_string(bin.kept) + " of " + std::to_string(bin.judged) : "none", Font::mono, 14,
                    few ? theme.muted : theme.ink, Align::right);
        y += pitch;
    }
}

void draw_failures_details(const FailuresDraw& d) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const FailuresModel& m = d.model;
    const float x = r.x + 24, w = r.w - 48;
    if (d.diagnosis != nullptr) {
        ui::fitted_text(canvas, {x, r.y + 32}, "How to read it", Font::text_bold, 15, theme.ink, w);
        ui::paragraph(canvas, {x, r.y + 58}, w,
                      "Tokens per round say how well the guesses are, speed-up what they are worth. Drafting that "
                      "takes "
                      "longer than verifying is a price too high. A fall along the positions, or a low start, says "
                      "where guesses go wrong.",
                      {.size = 14, .color = theme.ink, .max_lines = 8});
        return;
    }
    ui::fitted_text(canvas, {x, r.y + 32}, "Why", Font::text_bold, 15, theme.ink, w);
    const bool bars = tells_in_bars(d.input.beat);
    float y = ui::paragraph(canvas, {x, r.y + 58}, w,
                            bars ? loss_reason(m, loss_of_beat(d.input.beat).value_or(Loss::dear_draft)) : failure_reason(m),
                            {.size = 14, .color = theme.ink, .max_lines = 5}) +
              34;
    constexpr float kRoofline = 196;
    if (shows_map(d.input.beat) && y + kRoofline <= r.bottom())
        if (const std::optional<Roofline> of = roofline(d.input, m)) {
            draw_roofline(d, *of, {x, y - 14, w, kRoofline});
            y += kRoofline + 14;
        }
    if (!d.input.figures || y + 60 > r.bottom()) return;
    ui::fitted_text(canvas, {x, y}, "PUBLISHED, with many requests", Font::text_bold, 15, theme.ink, w);
    y += 12;
    for (const char* id : {"eagle3-paper-batch64", "dflash-c32-range-speedup", "eagle3-c32-speedup"}) {
        const PublishedFigure* figure = d.input.figures->find(id);
        if (!figure || y + 40 > r.bottom()) continue;
        const Rect box{x, y + 4, 96, 22};
        canvas.hatch(box, theme.role(Role::target).alpha(0.25F));
        canvas.outline(box, {theme.role(Role::target), 1}, 3);
        ui::fitted_text(canvas, {box.right() - 8, y + 20}, published_value(*figure), Font::mono, 14, theme.ink, 84, Align::right);
        ui::fitted_text(canvas, {x + 108, y + 20},
                        figure->method + (figure->batch ? ", " + std::to_string(*figure->batch) + " requests" : ""), Font::text, 14,
                        theme.muted, w - 108);
        ui::tooltip(d.ui, {x, y, w, 28},
                    figure->claim + ", " + published_conditions(*figure) + "; " +
                        published_citation(*figure, d.input.figures->source_of(*figure)));
        y += 30;
    }
}

namespace {

// Which cell of the map is marked, and what it is simulated with. False: no room for all of them.
bool draw_map_controls(const FailuresDraw& d, ControlRow& row) {
    ui::Ui& ui = d.ui;
    const FailuresModel& m = d.model;
    if (row.room() < 112) return false;
    Rect at = row.place(112);
    ui::field_label(ui, at, "Requests");
    if (const auto to = ui::stepper(ui, "requests", at, m.row,
                                    {.low = 0,
                                     .high = static_cast<double>(std::size(kRequests)) - 1,
                                     .text = std::to_string(kRequests[m.row]),
                                     .tooltip = "How many texts are decoded at once"}))
        d.state.row = static_cast<int>(*to);
    if (row.room() < 112) return false;
    at = row.place(112);
    ui::field_label(ui, at, "Guesses K");
    if (const auto to = ui::stepper(ui, "k", at, m.column,
                                    {.low = 0, .high = static_cast<double>(std::size(kGuesses)) - 1, .text = std::to_string(m.guesses())}))
        d.state.k = kGuesses[static_cast<int>(*to)];
    if (row.room() < 160) return false;
    at = row.place(std::min(200.0F, row.room()));
    ui::field_label(ui, at, "A guess stays: " + ui::probability(m.levers.alpha));
    if (const auto to = ui::slider(ui, "alpha", {at.x, at.y + 8, at.w, 20}, m.levers.alpha, 0, 0.99, {.step = 0.01})) d.state.alpha = *to;
    if (d.state.alpha && row.room() >= 96) {
        at = row.place(96);
        if (ui::button(ui, "own", at, "The run's")) d.state.alpha.reset();
    }
    return true;
}

} // namespace

void draw_failures_controls(const FailuresDraw& d) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    const FailuresModel& m = d.model;
    ControlRow row(r);
    const bool map = shows_map(d.input.beat);
    const std::string pictures[] = {map ? "load map" : "bars", "diagnosis"};
    Rect at = row.place(ui::segmented_width(ui.canvas, pictures));
    ui::field_label(ui, at, "Picture");
    ui::tooltip(ui, at,
                map ? "The map of load and length, or set-ups with one thing wrong each"
                    : "The bars of this step, or set-ups with one thing wrong each");
    if (const auto pick = ui::segmented(ui, "picture", {at.x, at.y}, pictures, d.diagnosis ? 1 : 0)) {
        d.state.game = *pick == 1;
        d.state.beat = d.input.beat;
    }
    if (d.diagnosis != nullptr)
        return measure_button(d.input, ui, {"run", "The set-ups", "M"}, diagnosis_study(d.diagnosis->patients), row, d.out);
    if (shows_map(d.input.beat) && !draw_map_controls(d, row)) return;
    if (row.room() < 96) return;
    at = row.place(std::min(136.0F, row.room()));
    ui::field_label(ui, at, "This machine");
    const std::string off = no_models(d.input).empty() ? capital(m.untimed) : no_models(d.input);
    if (d.input.status && !d.input.status->timed_model.empty()) {
        if (ui::button(ui, "measure", at, "Stop", {.shortcut = "Esc", .tooltip = "end what is measured; what is there stays"}))
            d.out.push_back(Command{Cancel{}});
    } else if (ui::button(ui, "measure", at, "Measure", {.shortcut = "M", .tooltip = "Times passes of this machine", .disabled = off}))
        d.out.push_back(Command{MeasurePasses{}});
    if (row.room() < 96) return;
    at = row.place(std::min(160.0F, row.room()));
    ui::field_label(ui, at, "Batches");
    const std::string why = load_problem(d.input, m);
    if (ui::button(ui, "load", at, "Decode",
                   {.shortcut = "B", .tooltip = "Decodes several texts at once, with and without guesses", .disabled = why}))
        d.out.push_back(Command{batch_to_decode(d.input)});
}

} // namespace speclens
