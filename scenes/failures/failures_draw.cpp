// The pictures of S14: the map over requests and draft length, and guesses by the entropy of their judge.
#include <algorithm>
#include <cmath>
#include <ranges>

#include "engine/published/published_words.h"
#include "scenes/failures/failures_model.h"
#include "scenes/failures/loss_bars.h"
#include "scenes/failures/published_load.h"
#include "scenes/failures/roofline.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/panel.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

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
std::vector<Message> map_key(const FailuresModel& m) {
    const auto doubt = "doubt"_v = std::ranges::any_of(m.cells, &LoadCell::in_doubt);
    if (!m.has_measured())
        return {failures_says("load.key:simulated"_t, doubt), failures_says("load.key:simulated_short"_t, doubt),
                failures_says("load.key:simulated_least"_t, doubt)};
    return {failures_says("load.key:batches"_t, doubt), failures_says("load.key:measured"_t, doubt),
            failures_says("load.key:measured_short"_t, doubt), failures_says("load.key:measured_least"_t, doubt)};
}

// Where it was measured, with its interval.
template <StoryLabel Text>
Message cell_message(TextId<Text> text, const LoadCell& cell, bool live) {
    const SweepInterval* interval = cell.measured ? &*cell.measured->speed_up : nullptr;
    return failures_says(text, "requests"_v = cell.requests, "k"_v = cell.k, "perhaps"_v = cell.in_doubt(), "times"_v = cell.speedup,
                         "simulated"_v = live && !cell.measured, "low"_v = interval ? std::optional(interval->low) : std::nullopt,
                         "high"_v = interval ? std::optional(interval->high) : std::nullopt, "doubt"_v = cell.doubt,
                         "outrun"_v = cell.outrun, "beyond"_v = cell.extrapolated);
}

Message row_words(const FailuresModel& m, int row) {
    std::vector<Said> cells;
    for (int column = 0; column < kLoadColumns; ++column)
        cells.push_back(cell_message("load.in_row"_t, m.cell(row, column), m.has_measured()).said);
    return failures_says("load.row"_t, "requests"_v = kRequests[row], "best"_v = m.best_k(row), "cells"_v = cells);
}

// What the colours of the map say: from a third to three times plain decoding.
void draw_map_key(const FailuresDraw& d, Rect r) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    constexpr double kSteps[] = {0.33, 0.6, 0.9, 1.1, 1.7, 3};
    const float left = 42, right = 30, w = (r.w - left - right) / static_cast<float>(std::size(kSteps));
    if (w < 16) return;
    c.print({r.x + left - 6, r.y + 14}, ui::number(0.3, 1) + "×", Font::mono, 14, t.muted, Align::right);
    for (std::size_t i = 0; i < std::size(kSteps); ++i) {
        const Rect box{r.x + left + w * static_cast<float>(i), r.y + 2, w - 2, 14};
        c.fill(box, cell_color(t, kSteps[i] >= 1, kSteps[i] < 1, kSteps[i]), 2);
        if (kSteps[i] < 1) underline(c, t, box);
    }
    c.print({r.right() - right + 4, r.y + 14}, "3×", Font::mono, 14, t.muted);
}

} // namespace

void draw_load_map(const FailuresDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const FailuresModel& m = d.model;
    const bool live = m.has_measured();
    part_head(d.ui, area, failures_says("load.title"_t), map_key(m));
    if (!m.times)
        return ui::slot(canvas, theme, {area.x, area.y + 50, area.w, std::min(180.0F, area.h - 60)},
                        !m.under_way.empty() ? m.under_way : failures_says("load.slot"_t, "untimed"_v = m.untimed));
    const Rect grid{area.x + 68, area.y + 50, area.w - 68, area.h - 50 - 44};
    const float w = grid.w / kLoadColumns, h = grid.h / kLoadRows;
    for (int row = 0; row < kLoadRows; ++row) {
        const float y = grid.y + h * static_cast<float>(row);
        canvas.print({grid.x - 10, y + h / 2 + 5}, std::to_string(kRequests[row]), Font::mono, 14, row == m.row ? theme.ink : theme.muted,
                     Align::right);
        canvas.tell(row_words(m, row), {area.x, y, area.w, h});
        const int best = m.best(row);
        for (int column = 0; column < kLoadColumns; ++column) {
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
                    const bool fits = canvas.printed_width("~" + words, Font::mono, 14) <= box.w - 2;
                    words = "~" + (fits ? words : ui::number(cell.speedup, 1));
                }
                canvas.print({box.center().x, box.center().y + 5}, words, Font::mono, 14, cell.doubt.empty() ? theme.ink : theme.muted,
                             Align::center);
            }
            if (column == best && h > 30) {
                const ui::Vec2 at{box.center().x, box.bottom() - 6};
                if (live && !cell.measured)
                    ui::hollow_icon(canvas, ui::Icon::triangle_up, at, 8, theme.ink);
                else
                    ui::icon(canvas, ui::Icon::triangle_up, at, 8, theme.ink);
            }
            if (d.ui.mouse_in(box)) ui::tooltip(d.ui, box, cell_message("load.cell"_t, cell, live));
        }
    }
    for (int row = 0; row < kLoadRows; ++row)
        ui::plotted(canvas, grid, ui::PlotMark::line, failures_says("load.of"_t, "requests"_v = kRequests[row]),
                    std::views::iota(0, kLoadColumns), [&](int column) {
                        const LoadCell& cell = m.cell(row, column);
                        ui::PlotDatum datum{.x = static_cast<double>(cell.k), .y = cell.speedup};
                        if (cell.measured) datum.low = cell.measured->speed_up->low, datum.high = cell.measured->speed_up->high;
                        return datum;
                    });
    for (int column = 0; column < kLoadColumns; ++column)
        canvas.print({grid.x + w * (static_cast<float>(column) + 0.5F), grid.bottom() + 18}, std::to_string(kGuesses[column]), Font::mono,
                     14, column == m.column ? theme.ink : theme.muted, Align::center);
    canvas.text({grid.center().x, grid.bottom() + 38}, failures_says("load.guesses"_t), Font::text, 14, theme.muted, Align::center);
    ui::fitted_text(canvas, {area.x, grid.bottom() + 38}, failures_says("load.requests"_t), Font::text, 14, theme.muted, 100);
    draw_map_key(d, {grid.right() - std::min(grid.w * 0.62F, 300.0F), area.y, std::min(grid.w * 0.62F, 300.0F), 20});
}

void tell_load_map(const FailuresDraw& d, Rect area) {
    if (!d.model.times) return;
    for (int row = 0; row <= kMostBusy; ++row) d.ui.canvas.tell(row_words(d.model, row), area);
}

Message entropy_words(const EntropyBin& bin) {
    return failures_says("entropy.bin"_t, "low"_v = bin.low, "high"_v = bin.open() ? std::nullopt : std::optional(bin.high),
                         "kept"_v = bin.kept, "judged"_v = bin.judged);
}

void tell_entropy(const FailuresDraw& d, Rect area) {
    for (const EntropyBin& bin : d.model.bins) d.ui.canvas.tell(entropy_words(bin), area);
}

void draw_entropy(const FailuresDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const FailuresModel& m = d.model;
    const std::vector<Message> titles{failures_says("entropy.title:whole"_t), failures_says("entropy.title:short"_t),
                                      failures_says("entropy.title:least"_t)};
    const auto few_guesses = "few"_v = kFewGuesses;
    part_head(d.ui, area, ui::fitting(canvas, titles, Font::text_bold, 15, area.w),
              {failures_says("entropy.key:whole"_t, few_guesses), failures_says("entropy.key:short"_t, few_guesses),
               failures_says("entropy.key:unit"_t, few_guesses), failures_says("entropy.key:least"_t)});
    if (m.bins.empty())
        return ui::slot(canvas, theme, {area.x, area.y + 50, area.w, std::min(120.0F, area.h - 60)}, failures_says("entropy.none"_t));
    const float left = area.x + 84, number = 96, pitch = std::min(34.0F, (area.h - 54) / static_cast<float>(m.bins.size()));
    float y = area.y + 50;
    const auto range = [](const EntropyBin& bin) -> std::string {
        return bin.open() ? failures_says("entropy.over"_t, "low"_v = bin.low).words()
                          : ui::tick_label(bin.low, 1) + "–" + ui::tick_label(bin.high, 1);
    };
    ui::plotted(canvas, {left, y, area.right() - left - number, area.bottom() - y}, ui::PlotMark::rows, {}, m.bins,
                [&](const EntropyBin& bin) {
                    return ui::PlotDatum{.x = bin.judged > 0 ? static_cast<double>(bin.kept) / bin.judged : ui::PlotDatum::kNone,
                                         .label = range(bin)};
                });
    for (const EntropyBin& bin : m.bins) {
        canvas.print({left - 10, y + pitch / 2 + 5}, range(bin), Font::mono, 14, theme.muted, Align::right);
        canvas.tell(entropy_words(bin), {area.x, y, area.w, pitch});
        const double share = bin.judged > 0 ? static_cast<double>(bin.kept) / bin.judged : 0;
        const Rect bar{left, y + pitch / 2 - 6, area.right() - left - number, 12};
        const bool few = bin.judged < kFewGuesses;
        ui::bar(canvas, theme, bar, few ? 0 : share, Role::accepted);
        if (const Rect part{bar.x, bar.y, bar.w * static_cast<float>(share), bar.h}; few && share > 0) {
            canvas.hatch(part, theme.role(Role::accepted).alpha(0.6F), 5);
            canvas.outline(part, {theme.role(Role::accepted), 1}, 2);
        }
        canvas.print({area.right(), y + pitch / 2 + 5}, failures_says("entropy.kept"_t, "kept"_v = bin.kept, "judged"_v = bin.judged),
                     Font::mono, 14, few ? theme.muted : theme.ink, Align::right);
        y += pitch;
    }
}

void draw_failures_details(const FailuresDraw& d) {
    const Rect r = d.input.details;
    const ui::Theme& theme = d.ui.theme;
    DetailsColumn column(d.ui, r);
    if (d.diagnosis != nullptr) {
        column.title(failures_says("details.how"_t));
        return column.paragraph(failures_says("details.reading"_t), theme.ink, 8);
    }
    column.title(failures_says("details.why"_t));
    column.between = 34;
    column.paragraph(tells_in_bars(d.input.beat) ? loss_reason(d.model, loss_of_beat(d.input.beat).value_or(Loss::dear_draft))
                                                 : failure_reason(d.model),
                     theme.ink, 5);
    const float x = r.x + 24, w = r.w - 48;
    float y = column.y;
    constexpr float kRoofline = 196;
    if (shows_map(d.input.beat) && y + kRoofline <= r.bottom())
        if (const std::optional<Roofline> of = roofline(d.input, d.model)) {
            draw_roofline(d, *of, {x, y - 14, w, kRoofline});
            y += kRoofline + 14;
        }
    if (!d.input.figures || y + 60 > r.bottom()) return;
    ui::fitted_text(d.ui.canvas, {x, y}, failures_says("details.published"_t), Font::text_bold, 15, theme.ink, w);
    y += 12;
    for (const char* id : {"eagle3-paper-batch64", "dflash-c32-range-speedup", "eagle3-c32-speedup"}) {
        const PublishedFigure* figure = d.input.figures->find(id);
        if (!figure || y + 40 > r.bottom()) continue;
        const Rect box{x, y + 4, 96, 22};
        d.ui.canvas.hatch(box, theme.role(Role::target).alpha(0.25F));
        d.ui.canvas.outline(box, {theme.role(Role::target), 1}, 3);
        cell(d.ui, {box.right() - 8, y + 20}, message(value_said(*figure)), 84, {theme.ink, 14, Font::mono, Align::right});
        cell(d.ui, {x + 108, y + 20}, method_words(*figure), w - 108, {theme.muted});
        ui::thing(d.ui, {x, y, w, 28}, figure_words(*d.input.figures, *figure));
        y += 30;
    }
}

namespace {

// Which cell of the map is marked, and what it is simulated with.
void draw_map_controls(const FailuresDraw& d, ControlRow& row) {
    const FailuresModel& m = d.model;
    constexpr float kStepper = 112;
    if (const auto to = stepper(d.ui, row, {"requests", failures_says("controls.requests"_t), failures_says("controls.requests_about"_t)},
                                failures_says("controls.at"_t, "at"_v = kRequests[m.row]), m.row, kLoadRows, kStepper))
        d.state.row = *to;
    if (const auto to = stepper(d.ui, row, {"k", failures_says("controls.guesses"_t), {}},
                                failures_says("controls.at"_t, "at"_v = m.guesses()), m.column, kLoadColumns, kStepper))
        d.state.k = kGuesses[*to];
    if (row.room() < 160) return;
    Rect at = row.place(std::min(200.0F, row.room()));
    ui::field_label(d.ui, at, shared_says("words.guess_stays"_t, "alpha"_v = m.levers.alpha));
    if (const auto to = ui::slider(d.ui, "alpha", {at.x, at.y + 8, at.w, 20}, m.levers.alpha, 0, 0.99, {.step = 0.01})) d.state.alpha = *to;
    if (!d.state.alpha || row.room() < 96) return;
    at = row.place(96);
    if (ui::button(d.ui, "own", at, failures_says("controls.own"_t))) d.state.alpha.reset();
}

} // namespace

void draw_failures_controls(const FailuresDraw& d) {
    ui::Ui& ui = d.ui;
    const FailuresModel& m = d.model;
    ControlRow row(d.input.controls);
    const auto map = "map"_v = shows_map(d.input.beat);
    const Message pictures[] = {failures_says("controls.picture:story"_t, map), failures_says("controls.picture:game"_t)};
    if (const auto pick = segmented(ui, row, {"picture", failures_says("controls.shown"_t), failures_says("controls.shown_about"_t, map)},
                                    pictures, d.diagnosis ? 1 : 0)) {
        d.state.game = *pick == 1;
        d.state.beat = d.input.beat;
    }
    if (d.diagnosis != nullptr)
        return measure_button(d.input, ui, {"run", failures_says("controls.set_ups"_t), "M"}, diagnosis_study(d.diagnosis->patients), row,
                              d.out);
    if (shows_map(d.input.beat)) draw_map_controls(d, row);
    if (row.room() < 96) return;
    Rect at = row.place(std::min(136.0F, row.room()));
    ui::field_label(ui, at, failures_says("controls.machine"_t));
    Message off = no_models(d.input);
    if (off.empty() && !m.untimed.empty()) off = failures_says("controls.untimed"_t, "untimed"_v = m.untimed);
    if (!m.under_way.empty()) {
        if (ui::button(ui, "measure", at, shared_says("words.stop"_t), {.shortcut = "Esc", .tooltip = shared_says("words.stop_about"_t)}))
            d.out.push_back(Command{Cancel{}});
    } else if (ui::button(ui, "measure", at, shared_says("words.measure"_t),
                          {.shortcut = "M", .tooltip = failures_says("controls.measure_about"_t), .disabled = off}))
        d.out.push_back(Command{MeasurePasses{}});
    if (row.room() < 96) return;
    at = row.place(std::min(160.0F, row.room()));
    ui::field_label(ui, at, failures_says("controls.batches"_t));
    if (ui::button(ui, "load", at, failures_says("controls.decode"_t),
                   {.shortcut = "B", .tooltip = failures_says("controls.decode_about"_t), .disabled = load_problem(d.input, m)}))
        d.out.push_back(Command{batch_to_decode(d.input)});
}

} // namespace speclens
