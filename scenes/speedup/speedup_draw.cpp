// The pictures of S5: tokens per round and speed-up against the draft length, and one round on a clock.
#include "scenes/speedup/speedup_draw.h"

#include <algorithm>
#include <ranges>

#include "engine/drafters/drafter_info.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/words.h"
#include "scenes/speedup/printed_table.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/widgets.h"

namespace speclens {
namespace {

constexpr double kReference[] = {0.5, 0.7, 0.9}; // curves of one α behind the picture

struct Chart {
    const SpeedupDraw& d;
    Rect plot;
    ui::Scale x, y;
    [[nodiscard]] Vec2 at(int k, double value) const { return {x(k), std::clamp(y(value), plot.y, plot.bottom())}; }
    template <class Value>
    void curve(const Value& value, const ui::Stroke& stroke, int last = kLongestDraft, std::string_view name = {}) const {
        if (!name.empty())
            ui::plotted(d.ui.canvas, plot, ui::PlotMark::line, name, std::views::iota(1, last + 1),
                        [&](int k) { return ui::PlotDatum{.x = static_cast<double>(k), .y = value(k)}; });
        std::vector<Vec2> line;
        for (int k = 1; k <= last; ++k) line.push_back({x(k), y(value(k))});
        d.ui.canvas.push_clip({plot.x, plot.y - 2, plot.w + 2, plot.h + 4});
        d.ui.canvas.polyline(line, stroke);
        d.ui.canvas.pop_clip();
    }
};

// Axes, the band of the marked draft length, and the choice of another one by a click; of `words` the first
// that fit.
Chart begin_chart(const SpeedupDraw& d, Rect r, const char* id, const Message& title, const std::vector<Message>& words, double low,
                  double high) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    part_head(d.ui, r, title, words);
    const Rect plot{r.x + 34, r.y + 54, r.w - 34 - 46, r.h - 54 - 44};
    const Chart chart{d, plot, {0.5, kLongestDraft + 0.5, plot.x, plot.right()}, {low, high, plot.bottom(), plot.y}};
    const float column = chart.x.length(1);
    for (int k = 1; k <= kLongestDraft; ++k) {
        const Rect band{chart.x(k) - column / 2, plot.y, column, plot.h};
        const ui::Touch touch = ui::touch(d.ui, d.ui.id(id + std::to_string(k)), band, {.focusable = false}); // ↑ ↓ mark it too
        if (k == d.model.marked || touch.hovered) canvas.fill(band, theme.raised.alpha(k == d.model.marked ? 0.9F : 0.45F), 4);
        if (touch.clicked) d.state.k = k;
    }
    ui::axis_y(canvas, theme, chart.y, plot.x, ui::ticks(low, high, r.h > 220 ? 5 : 3),
               {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    for (const int k : {1, 2, 4, 6, 8, 12, 16})
        canvas.print({chart.x(k), plot.bottom() + 20}, std::to_string(k), Font::mono, 14, k == d.model.marked ? theme.ink : theme.muted,
                     Align::center);
    canvas.text({plot.center().x, plot.bottom() + 40}, speedup_says("chart.axis"_t), Font::text, 14, theme.muted, Align::center);
    return chart;
}

// Chance leaves so much open that a whisker would only fill the chart.
bool wide(const SpeedupPoint& p) { return p.low <= 0 || p.high > 3 * p.low; }

// A ring where few rounds are behind it.
void dots(const Chart& chart, double SpeedupPoint::*value, auto text) {
    ui::plotted(chart.d.ui.canvas, chart.plot, ui::PlotMark::points, speedup_says("chart.dots"_t), chart.d.model.points,
                [&](const SpeedupPoint& p) {
                    const bool interval = value == &SpeedupPoint::speedup && chart.d.model.measured() && !wide(p);
                    return ui::PlotDatum{.x = static_cast<double>(p.k),
                                         .y = p.*value,
                                         .low = interval ? p.low : ui::PlotDatum::kNone,
                                         .high = interval ? p.high : ui::PlotDatum::kNone};
                });
    for (const SpeedupPoint& p : chart.d.model.points) {
        if (p.k > kLongestDraft) continue;
        const Vec2 at = chart.at(p.k, p.*value);
        chart.d.ui.canvas.disc(at, 5, chart.d.ui.theme.bg);
        const ui::Color ink = chart.d.model.measured() ? chart.d.ui.theme.ink : chart.d.ui.theme.muted;
        if (p.few() || (value == &SpeedupPoint::speedup && wide(p)))
            chart.d.ui.canvas.ring(at, 3.5F, {ink, 1.5F});
        else
            chart.d.ui.canvas.disc(at, 4, ink);
        ui::tooltip(chart.d.ui, {at.x - 8, at.y - 8, 16, 16}, speedup_says(text, "k"_v = p.k, "value"_v = p.*value, "rounds"_v = p.rounds));
    }
}

// At the end of its curve: beside the plot, or within it where the curve leaves it at the top.
void name_reference(const Chart& chart, double alpha) {
    const std::string name = "α " + ui::probability(alpha);
    const auto y = [&](int k) { return chart.y(expected_tokens(alpha, k)); };
    int last = kLongestDraft;
    while (last > 1 && y(last) < chart.plot.y) --last;
    const bool beside = last == kLongestDraft;
    const Vec2 at = beside ? Vec2{chart.plot.right() + 6, y(last) + 5} : Vec2{chart.x(last) - 4, chart.plot.y + 14};
    chart.d.ui.canvas.print(at, name, Font::mono, 14, chart.d.ui.theme.muted, beside ? Align::left : Align::right);
}

void tokens_chart(const SpeedupDraw& d, Rect r) {
    const SpeedupModel& m = d.model;
    const ui::Theme& theme = d.ui.theme;
    double high = 4;
    for (const double tokens : m.tokens) high = std::max(high, tokens * 1.1);
    for (const SpeedupPoint& p : m.points) high = std::max(high, p.tokens * 1.1);
    const bool few = std::ranges::any_of(m.points, &SpeedupPoint::few);
    const auto alpha = "alpha"_v = m.levers.alpha;
    const auto share = "share"_v = share_words(m.levers);
    const auto none = "share"_v = Message();
    const auto rounds = "rounds"_v = kEnoughRounds;
    std::vector<Message> key;
    if (!m.measured())
        key = {speedup_says("chart.key:line"_t, alpha, share), speedup_says("chart.key:line"_t, alpha, none)};
    else if (few) // who does not know what a ring is takes its place for a finding
        key = {speedup_says("chart.key:rings"_t, rounds, alpha, share), speedup_says("chart.key:rings_short"_t, rounds, alpha),
               speedup_says("chart.key:rings_least"_t, rounds)};
    else
        key = {speedup_says("chart.key:dots"_t, alpha, share), speedup_says("chart.key:dots_short"_t, alpha, share),
               speedup_says("chart.key:dots_least"_t, alpha)};
    const Chart chart = begin_chart(d, r, "tokens", shared_says("words.tokens_title"_t), key, 1, high);
    for (int k = 1; k <= kLongestDraft; ++k)
        if (m.known(k)) d.ui.canvas.tell(length_words(m, k), chart.plot);
    if (!m.stays.empty()) d.ui.canvas.tell(stays_words(m), chart.plot);
    for (const double reference : kReference) {
        chart.curve([&](int k) { return expected_tokens(reference, k); }, {theme.muted.alpha(0.5F), 1}, kLongestDraft,
                    "α " + ui::probability(reference));
        name_reference(chart, reference);
    }
    if (m.measured())
        chart.curve([&](int k) { return m.levers.tokens(k); }, {theme.muted, 1.5F, 5, 4}, kLongestDraft,
                    "α " + ui::probability(m.levers.alpha));
    const auto tokens = [&](int k) { return m.tokens[static_cast<std::size_t>(k - 1)]; };
    chart.curve(tokens, {theme.ink, 1}, static_cast<int>(m.tokens.size()), speedup_says("chart.formula"_t));
    int sure = static_cast<int>(m.tokens.size()); // thin from the first position that few rounds reached
    for (std::size_t i = m.judged.size(); m.measured() && i-- > 0;)
        if (m.judged[i] < kEnoughRounds) sure = static_cast<int>(i);
    chart.curve(tokens, {theme.ink, 2}, sure);
    dots(chart, &SpeedupPoint::tokens, "chart.tokens_at"_t);
}

void speedup_chart(const SpeedupDraw& d, Rect r) {
    const SpeedupModel& m = d.model;
    const ui::Theme& theme = d.ui.theme;
    double high = 1.5;
    for (const double s : m.speedup) high = std::max(high, s * 1.12);
    for (const SpeedupPoint& p : m.points) high = std::max(high, p.speedup * 1.12);
    if (m.measured()) // room for the noise of all but a wild one
        for (const SpeedupPoint& p : m.points) high = std::max(high, std::min(p.high * 1.05, high * 1.5));
    const auto times = "times"_v = m.speedup_at(m.best);
    const auto lengths = "lengths"_v = as_fast_words(m);
    const Message found = m.as_fast.size() < 2 ? speedup_says("chart.found:best"_t, "k"_v = m.best, times)
                          : m.alike            ? speedup_says("chart.found:alike"_t, lengths, times)
                                               : speedup_says("chart.found:close"_t, lengths);
    const auto short_key = "found"_v = found;
    const Message key = std::ranges::any_of(m.points, wide) ? speedup_says("chart.found_key:wide"_t, short_key)
                        : m.as_fast.size() > 1              ? speedup_says("chart.found_key:chance"_t, short_key)
                                                            : speedup_says("chart.found_key:below"_t, short_key);
    const Chart chart = begin_chart(d, r, "speed", speedup_says("chart.speed"_t), {key, found}, 0, high);
    d.ui.canvas.line({chart.plot.x, chart.y(1)}, {chart.plot.right(), chart.y(1)}, {theme.ink, 1, 3, 3});
    d.ui.canvas.print({chart.plot.right() + 6, chart.y(1) + 5}, "1×", Font::mono, 14, theme.muted);
    if (m.measured())
        chart.curve([&](int k) { return m.levers.speedup(k); }, {theme.muted, 1.5F, 5, 4}, kLongestDraft,
                    "α " + ui::probability(m.levers.alpha));
    chart.curve([&](int k) { return m.speedup[static_cast<std::size_t>(k - 1)]; }, {theme.ink, 2}, static_cast<int>(m.speedup.size()),
                speedup_says("chart.formula"_t));
    if (m.measured())
        for (const SpeedupPoint& p : m.points)
            if (p.k <= kLongestDraft && !wide(p))
                ui::whisker(d.ui.canvas, theme, chart.x(p.k), chart.at(p.k, p.low).y, chart.at(p.k, p.high).y);
    dots(chart, &SpeedupPoint::speedup, "chart.speed_at"_t);
    const Vec2 best = chart.at(m.best, 0);
    ui::icon(d.ui.canvas, ui::Icon::triangle_up, {best.x, chart.plot.bottom() - 8}, 9, theme.ink);
}

Message row_words(const PrintedTable& table, const PrintedRow& row) {
    std::vector<Said> cells;
    for (std::size_t c = 0; c < row.printed.size(); ++c)
        cells.push_back(
            speedup_says("table.cell"_t, "k"_v = table.columns[c], "printed"_v = row.printed[c],
                         "formula"_v = same_printed(row.printed[c], row.formula[c]) ? std::nullopt : std::optional(row.formula[c]))
                .said);
    return speedup_says("table.row"_t, "alpha"_v = row.alpha, "cells"_v = cells);
}

Message source_words(SpeedupModel::Source source) {
    switch (source) {
    case SpeedupModel::Source::study: return speedup_says("details.source:study"_t);
    case SpeedupModel::Source::run: return speedup_says("details.source:run"_t);
    case SpeedupModel::Source::hand: return speedup_says("details.source:hand"_t);
    default: return speedup_says("details.source:assumed"_t);
    }
}

} // namespace

void draw_speedup_formula(const SpeedupDraw& d, ui::Vec2 at, float width) {
    const SpeedupFormula words = speedup_formula(d.input, d.model);
    if (words.formula.empty()) return;
    const bool room = d.input.presenter;
    const auto line = [&](float y, const std::vector<Message>& ways, Font font, float size, ui::Color color) {
        ui::fitted_text(d.ui.canvas, {at.x, at.y + y}, ui::fitting(d.ui.canvas, ways, font, size, width), font, size, color, width);
    };
    line(16, words.formula, Font::mono, room ? 20 : 16, d.ui.theme.ink);
    line(38, words.assumption, Font::text, room ? 17 : 14, d.ui.theme.muted);
}

void draw_speedup_charts(const SpeedupDraw& d, Rect area) {
    const float gap = 40, w = (area.w - gap) / 2;
    tokens_chart(d, {area.x, area.y, w, area.h});
    speedup_chart(d, {area.x + w + gap, area.y, w, area.h});
}

void draw_speedup_round(const SpeedupDraw& d, Rect area) {
    const SpeedupModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const SpeedupPoint* point = m.measured() ? m.point(m.marked) : nullptr;
    canvas.line({area.x, area.y - 9.5F}, {area.right(), area.y - 9.5F}, theme.hairline());
    part_head(d.ui, {area.x, area.y + 2, area.w, area.h}, speedup_says("round.title"_t, "k"_v = m.marked));
    const double draft = m.draft_cost(m.marked), verify = m.verify_cost(m.marked);
    const double head = point ? point->head / m.plain_ms : 0, tokens = m.tokens_at(m.marked);
    const float left = area.x + 92;
    const ui::Scale x{0, std::max(draft + verify, tokens) * 1.02, left, area.right() - 8};
    const SpeedupSum sum = speedup_sum(m);
    const auto length = [&](double passes) { return ui::number(m.in_ms() ? passes * m.plain_ms : passes, sum.decimals); };
    std::vector<ui::Segment> round = {
        {.start = 0, .length = draft - head, .role = Role::draft, .label = speedup_says("round.draft"_t), .value = length(draft - head)}};
    if (head > 0)
        round.push_back(
            {.start = draft - head, .length = head, .role = Role::draft, .label = speedup_says("round.head"_t), .strength = 0.55F});
    round.push_back({.start = draft,
                     .length = verify,
                     .role = Role::target,
                     .label = shared_says("words.verify_rows"_t, "rows"_v = m.marked + 1),
                     .value = length(verify)});
    std::vector<ui::Segment> plain;
    for (double start = 0; start < tokens - 1e-9; ++start)
        plain.push_back({.start = start, .length = std::min(1.0, tokens - start), .role = Role::target, .strength = 0.8F});
    const float first = area.y + 30, h = 26;
    ui::gantt_lane(canvas, theme, x, first, h, round);
    ui::gantt_lane(canvas, theme, x, first + 34, h, plain);
    canvas.text({area.x, first + 18}, speedup_says("round.speculative"_t), Font::text, 14, theme.muted);
    canvas.text({area.x, first + 52}, speedup_says("round.plain"_t), Font::text, 14, theme.muted);
    ui::fitted_text(canvas, {area.x, first + 84}, sum.words, Font::mono, 14, theme.ink, area.w);
}

void draw_printed_table(const SpeedupDraw& d, Rect r) {
    const PrintedTable table = printed_table(d.input.figures);
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x, w = r.w;
    ui::fitted_text(canvas, {x, r.y + 32}, speedup_says("table.title"_t), Font::text_bold, 15, theme.ink, w);
    if (table.rows.empty()) {
        ui::paragraph(canvas, {x, r.y + 64}, w, no_figures(), {.color = theme.muted});
        return;
    }
    ui::fitted_text(canvas, {x, r.y + 54}, speedup_says("table.under"_t), Font::text, 14, theme.muted, w);
    const ui::ParagraphStyle words{.size = 14, .color = theme.muted, .max_lines = 2};
    const float foot =
        ui::paragraph_above(canvas, {x, r.bottom() - 20}, w, speedup_says("table.source"_t, "title"_v = table.source), words);
    const float head = 40, cell = (w - head) / static_cast<float>(table.columns.size()), top = r.y + 84;
    const float pitch = std::clamp((foot - 72 - top) / static_cast<float>(table.rows.size()), 24.0F, 44.0F);
    const bool both = pitch >= 36, beside = !both && cell >= 104; // the formula's value, below or at the left of the printed one
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        canvas.print({x + head + cell * static_cast<float>(c + 1) - 10, top}, std::to_string(table.columns[c]), Font::mono, 14, theme.muted,
                     Align::right);
    float y = top + 8;
    for (const PrintedRow& row : table.rows) { // a message; what stands in its cells is printed
        canvas.tell(row_words(table, row), {x, y, w, pitch});
        if (y + pitch > foot - 64) continue;
        canvas.print({x, y + (both ? 16 : 17)}, ui::probability(row.alpha), Font::mono, 14, theme.muted);
        for (std::size_t c = 0; c < row.printed.size(); ++c) {
            const Rect box{x + head + cell * static_cast<float>(c) + 4, y + 2, cell - 8, pitch - 4};
            const bool fits = same_printed(row.printed[c], row.formula[c]);
            if (!fits) {
                canvas.hatch(box, theme.role(Role::rejected).alpha(0.25F));
                canvas.outline(box, {theme.role(Role::rejected), 1}, 3);
            }
            canvas.print({box.right() - 6, y + (both ? 16 : 17)}, ui::number(row.printed[c], 2), Font::mono, 14,
                         fits ? theme.muted : theme.ink, Align::right);
            if (beside && !fits) canvas.print({box.x + 8, y + 17}, ui::number(row.formula[c], 2), Font::mono, 14, theme.muted);
            if (both && !fits)
                canvas.print({box.right() - 6, y + std::min(34.0F, pitch - 6)}, ui::number(row.formula[c], 2), Font::mono, 14, theme.muted,
                             Align::right);
        }
        y += pitch;
    }
    ui::paragraph(canvas, {x, foot - 42}, w,
                  speedup_says("table.wrong"_t, "wrong"_v = table.wrong, "cells"_v = table.cells, "below"_v = both, "beside"_v = beside),
                  words);
}

// What goes into the formula, and where each number is from.
void draw_speedup_details(const SpeedupDraw& d) {
    const Rect r = d.input.details;
    const ui::Theme& t = d.ui.theme;
    const Levers& levers = d.model.levers;
    DetailsColumn column(d.ui, r);
    column.title(speedup_says("details.title"_t));
    column.line(source_words(d.model.source), t.muted);
    column.y = r.y + 84;
    const auto chance = [](double value) { return speedup_says("details.chance"_t, "value"_v = value); };
    const auto passes = [](double value) { return speedup_says("details.passes"_t, "value"_v = value); };
    const auto row = [&](const Message& name, const Message& value) {
        column.pair(name, value, speedup_says("details.row"_t, "name"_v = name, "value"_v = value));
    };
    row(speedup_says("details.name:alpha"_t), chance(levers.alpha));
    if (levers.drafts < 1) row(speedup_says("details.name:drafts"_t), chance(levers.drafts));
    if (levers.block > 0) row(speedup_says("details.name:block"_t), passes(levers.block));
    if (levers.draft > 0 || levers.block <= 0) row(speedup_says("details.name:draft"_t), passes(levers.draft));
    row(speedup_says("details.name:verify"_t), passes(levers.verify));
    if (d.model.plain_ms > 0) row(speedup_says("details.name:plain"_t), speedup_says("details.ms"_t, "value"_v = d.model.plain_ms));
    row(speedup_says("details.name:k"_t), speedup_says("details.count"_t, "value"_v = d.model.marked));
}

namespace {

// Whom the next measurement is about: the run starts again with it.
void choose_drafter(const SpeedupDraw& d, Rect at) {
    ui::field_label(d.ui, at, speedup_says("controls.drafter"_t));
    std::vector<ui::Choice> choices;
    int chosen = -1;
    for (const DrafterInfo& info : drafter_list()) {
        const std::string name = info.name;
        if (name == kNoDrafter || info.tree) continue;
        if (name == d.model.drafter) chosen = static_cast<int>(choices.size());
        choices.push_back({name, "", drafter_ready(d.input, name) ? Message() : speedup_says("controls.not_loaded"_t)});
    }
    const auto pick = ui::dropdown(d.ui, "drafter", at, choices, chosen, {.disabled = no_models(d.input)});
    if (pick && *pick != chosen && d.input.settings)
        d.out.push_back(Command{Restart{with_drafter(*d.input.settings, choices[static_cast<std::size_t>(*pick)].label)}});
}

} // namespace

void draw_speedup_controls(const SpeedupDraw& d) {
    ui::Ui& ui = d.ui;
    ControlRow row(d.input.controls);
    const SpeedupModel& m = d.model;
    const Message choices[] = {speedup_says("controls.measured"_t), speedup_says("controls.by_hand"_t)};
    const bool study = study_named(d.input, kSpeedupStudy) != nullptr;
    Rect at = row.place(ui::segmented_width(ui.canvas, choices));
    ui::field_label(ui, at, speedup_says("controls.numbers"_t));
    if (const auto pick = ui::segmented(ui, "source", {at.x, at.y}, choices, d.state.by_hand ? 1 : 0,
                                        study || d.state.by_hand ? Message() : speedup_says("controls.measure_first"_t))) {
        d.state.by_hand = *pick == 1;
        if (d.state.by_hand) d.state.levers = m.levers;
    }
    constexpr float kLever = 108, kStepper = 96, kDrafter = 128, kMeasure = 112, kGap = 16;
    float spare = row.room() - 3 * (kLever + kGap) - kMeasure; // what there is no room for stays out, last first
    const auto fits = [&](float width) {
        if (spare < width + kGap) return false;
        spare -= width + kGap;
        return true;
    };
    const bool length = fits(kStepper), drafter = fits(kDrafter);
    if (drafter) choose_drafter(d, row.place(kDrafter));
    const float w = kLever + std::clamp(spare / 3, 0.0F, 24.0F);
    const auto lever = [&](const char* id, const Message& label, double Levers::*value, double high, double step) {
        if (row.room() < w) return;
        const Rect place = row.place(w);
        ui::field_label(ui, place, label);
        if (const auto to = ui::slider(ui, id, {place.x, place.y + 8, place.w, 20}, m.levers.*value, 0, high, {.step = step})) {
            if (!d.state.by_hand) d.state.levers = m.levers;
            d.state.by_hand = true;
            d.state.levers.*value = *to;
        }
    };
    lever("alpha", speedup_says("controls.alpha"_t, "value"_v = m.levers.alpha), &Levers::alpha, 0.99, 0.01);
    if (drafts_at_once(m.drafter))
        lever("block", speedup_says("controls.block"_t, "value"_v = m.levers.block), &Levers::block, 1, 0.01);
    else
        lever("draft", speedup_says("controls.draft"_t, "value"_v = m.levers.draft), &Levers::draft, 1, 0.01);
    lever("verify", speedup_says("controls.verify"_t, "value"_v = m.levers.verify), &Levers::verify, 1, 0.01);
    if (length) {
        at = row.place(kStepper);
        ui::field_label(ui, at, speedup_says("controls.k"_t));
        if (const auto k = ui::stepper(ui, "k", at, m.marked, {.low = 1, .high = kLongestDraft})) d.state.k = static_cast<int>(*k);
    }
    measure_button(d.input, ui, {"measure", speedup_says("controls.machine"_t), "M"}, speedup_study(d.input), row, d.out);
}

} // namespace speclens
