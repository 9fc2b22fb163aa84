// The pictures of S18: the ranking with its intervals, one drafter by draft length, a round beside plain decoding, and the
// speed of plain decoding that ends it.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "engine/run/session_commands.h"
#include "scenes/advice/advice_model.h"
#include "scenes/shared/panel.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

void head(const AdviceDraw& d, Rect area, const Message& title, const Message& under) {
    ui::fitted_text(d.ui.canvas, {area.x, area.y + 14}, title, Font::text_bold, 15, d.ui.theme.ink, area.w);
    ui::fitted_text(d.ui.canvas, {area.x, area.y + 34}, under, Font::text, 14, d.ui.theme.muted, area.w);
}

ui::Color color_of(const AdviceDraw& d, const AdviceCell& cell) {
    const ui::Theme& theme = d.ui.theme;
    if (d.model.in_doubt) return theme.muted;
    return cell.low > 1 ? theme.role(Role::accepted) : cell.high < 1 ? theme.role(Role::rejected) : theme.ink;
}

// From where to where the figures of these cells go, 1 among them.
ui::Scale scale_of(const std::vector<const AdviceCell*>& cells, float a, float b) {
    double low = 1, high = 1;
    for (const AdviceCell* cell : cells) low = std::min(low, cell->low), high = std::max(high, cell->high);
    const double room = 0.06 * std::max(0.2, high - low);
    return {std::max(0.0, low - room), high + room, a, b};
}

// The interval as a bar, the figure as a disc: hollow where most of it is worked out from longer drafts.
void interval(const AdviceDraw& d, const AdviceCell& cell, Vec2 low, Vec2 at, Vec2 high) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Color color = color_of(d, cell);
    canvas.line(low, high, {color, 3});
    if (cell.worked_out) {
        canvas.disc(at, 5, d.ui.theme.bg);
        canvas.ring(at, 5, {color, 2});
    } else {
        canvas.disc(at, 5, color);
    }
}

// Names alone, in an order that says nothing: whoever bets first looks at the answer with other eyes.
void draw_advice_bets(const AdviceDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    head(d, area, advice_says("bets.title"_t), advice_says("bets.under"_t));
    std::vector<const AdviceCell*> cells = d.model.best;
    std::ranges::sort(cells, {}, &AdviceCell::drafter);
    constexpr float kLeast = 22, kBelow = 54, kBetween = 24; // of a row, of the words below them, of two columns
    const float top = area.y + 56, room = area.bottom() - top - (d.input.presenter ? 0 : kBelow);
    const std::size_t columns = static_cast<float>(cells.size()) * kLeast <= room ? 1 : 2, rows = (cells.size() + columns - 1) / columns;
    const float pitch = std::min(44.0F, room / static_cast<float>(rows)),
                wide = (area.w - kBetween * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    for (std::size_t i = 0; i < cells.size() && pitch >= 20; ++i) {
        const std::string& name = cells[i]->drafter;
        const Rect row{area.x + (wide + kBetween) * static_cast<float>(i / rows), top + pitch * static_cast<float>(i % rows), wide, pitch};
        const ui::Touch touch = ui::touch(d.ui, d.ui.id("bet " + name), row);
        const bool chosen = d.state.bet == name;
        if (touch.clicked) d.state.bet = name;
        if (chosen || touch.hovered) canvas.fill({row.x, row.y + 2, row.w, row.h - 4}, theme.raised.alpha(chosen ? 0.9F : 0.45F), 4);
        if (touch.focused) ui::focus_ring(canvas, theme, row);
        const float base = row.center().y + 5;
        canvas.text({row.x + 8, base}, advice_says("bets.drafter"_t, "drafter"_v = name), chosen ? Font::text_bold : Font::text, 14,
                    theme.ink);
        canvas.text({row.right() - 8, base}, chosen ? advice_says("bets.yours"_t) : advice_says("bets.open"_t), Font::text, 14,
                    chosen ? theme.ink : theme.muted, Align::right);
    }
}

// "small  K 1", and that it was bet on.
Message ranked_name(const AdviceDraw& d, const AdviceCell& cell) {
    return advice_says("ranking.name"_t, "drafter"_v = cell.drafter, "k"_v = cell.k, "bet"_v = d.state.bet == cell.drafter);
}

// What the bar and the disc of a drafter say.
Message ranked_words(const AdviceDraw& d, const AdviceCell& cell) {
    return advice_says("ranking.bar"_t, "choice"_v = choice_words(cell), "marked"_v = &cell == d.model.marked,
                       "figure"_v = figure_words(d.model, cell.speed_up), "low"_v = cell.low, "high"_v = cell.high,
                       "tokens"_v = cell.tokens_per_round, "draft"_v = cell.draft_ms, "verify"_v = cell.verify_ms,
                       "other"_v = cell.other_ms, "worked_out"_v = cell.worked_out);
}

// Of the marked drafter, where its draft lengths have no picture.
Message lengths_words(const AdviceModel& m) {
    std::vector<Said> figures;
    for (const AdviceCell* cell : m.lengths)
        figures.push_back(advice_says("lengths.figure"_t, "k"_v = cell->k, "figure"_v = figure_words(m, cell->speed_up)).said);
    return advice_says("lengths.all"_t, "drafter"_v = m.marked->drafter, "figures"_v = figures);
}

} // namespace

void draw_advice_ranking(const AdviceDraw& d, Rect area) {
    if (keeps_answer_back(d.input)) return draw_advice_bets(d, area);
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const AdviceModel& m = d.model;
    head(d, area, advice_says("ranking.title"_t), advice_says("ranking.under"_t));
    float name_w = 0;
    for (const AdviceCell* cell : m.best) name_w = std::max(name_w, 20 + canvas.text_width(ranked_name(d, *cell), Font::text_bold, 14));
    name_w = std::min(name_w, area.w * 0.5F);
    const float value_w = 64;
    const float top = area.y + 56, bottom = area.bottom() - 54;
    if (d.input.beat >= kWhyBeat) canvas.tell(lengths_words(m), area);
    canvas.tell(advice_says("ranking.plain"_t, "ms"_v = m.advice->plain_ms), area);
    if (bottom - top < 26) return;
    const auto fits = static_cast<std::size_t>(std::max(1.0F, (bottom - top) / 26));
    const std::size_t shown = std::min(fits, m.best.size());
    const float pitch = std::min(44.0F, (bottom - top) / static_cast<float>(shown));
    const ui::Scale x =
        scale_of({m.best.begin(), m.best.begin() + static_cast<std::ptrdiff_t>(shown)}, area.x + name_w, area.right() - value_w);
    const float end = top + pitch * static_cast<float>(shown);
    ui::plotted(canvas, {x.a, top, x.b - x.a, end - top}, ui::PlotMark::rows, "", m.best, [&](const AdviceCell* cell) {
        return ui::PlotDatum{.x = cell->speed_up, .low = cell->low, .high = cell->high, .label = ranked_name(d, *cell)};
    });
    ui::axis_x(canvas, theme, x, end + 2, ui::ticks(x.lo, x.hi, std::max(2, static_cast<int>((area.w - name_w) / 90))),
               {.unit = "×", .grid_to = top, .grid = true});
    for (std::size_t i = 0; i < shown; ++i) {
        const AdviceCell& cell = *m.best[i];
        const Rect row{area.x, top + pitch * static_cast<float>(i), area.w, pitch};
        const ui::Touch touch = ui::touch(d.ui, d.ui.id("row " + cell.drafter), row, {.focusable = false});
        if (touch.clicked) d.state.marked = cell.drafter;
        if (&cell == m.marked || touch.hovered)
            canvas.fill({row.x, row.y + 2, row.w, row.h - 4}, theme.raised.alpha(&cell == m.marked ? 0.9F : 0.45F), 4);
        const float y = row.center().y;
        ui::fitted_text(canvas, {row.x + 8, y + 5}, ranked_name(d, cell), &cell == m.marked ? Font::text_bold : Font::text, 14, theme.ink,
                        name_w - 16);
        interval(d, cell, {x(cell.low), y}, {x(cell.speed_up), y}, {x(cell.high), y});
        canvas.text({area.right() - 4, y + 5}, figure_words(m, cell.speed_up), Font::mono, 14, theme.ink, Align::right);
        ui::thing(d.ui, row, ranked_words(d, cell));
    }
    canvas.line({x(1), top}, {x(1), end}, {theme.ink, 2});
    for (std::size_t i = shown; i < m.best.size(); ++i) canvas.tell(ranked_words(d, *m.best[i]), area); // for which there is no row
    if (shown < m.best.size())
        ui::fitted_text(canvas, {area.x, area.bottom() - 4}, advice_says("ranking.more"_t, "more"_v = m.best.size() - shown), Font::text,
                        14, theme.muted, area.w);
}

void draw_advice_lengths(const AdviceDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const AdviceModel& m = d.model;
    head(d, area, advice_says("lengths.title"_t, "drafter"_v = m.marked->drafter),
         m.marked->tree ? advice_says("lengths.under:tree"_t) : advice_says("lengths.under:places"_t));
    const Rect plot{area.x + 48, area.y + 64, area.w - 64, std::min(420.0F, area.h - 64 - 52)};
    if (plot.h < 60) return;
    const ui::Scale y = scale_of(m.lengths, plot.bottom(), plot.y);
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(y.lo, y.hi, 5), {.unit = "×", .grid_to = plot.right(), .grid = true, .label_offset = 8});
    int longest = 1;
    for (const AdviceCell* cell : m.lengths) longest = std::max(longest, cell->k);
    const ui::Scale x{0.4, longest + 0.6, plot.x, plot.right()};
    if (y.lo < 1 && y.hi > 1) canvas.line({plot.x, y(1)}, {plot.right(), y(1)}, {theme.ink, 2});
    ui::plotted(canvas, plot, ui::PlotMark::line, m.marked->drafter, m.lengths, [](const AdviceCell* cell) {
        return ui::PlotDatum{.x = static_cast<double>(cell->k), .y = cell->speed_up, .low = cell->low, .high = cell->high};
    });
    std::vector<Vec2> line;
    for (const AdviceCell* cell : m.lengths) line.push_back({x(cell->k), y(cell->speed_up)});
    canvas.polyline(line, {theme.muted, 1.5F});
    for (std::size_t i = 0; i < m.lengths.size(); ++i) {
        const AdviceCell& cell = *m.lengths[i];
        interval(d, cell, {line[i].x, y(cell.low)}, line[i], {line[i].x, y(cell.high)});
        canvas.print({line[i].x, plot.bottom() + 20}, std::to_string(cell.k), Font::mono, 14,
                     cell.k == m.marked->k ? theme.ink : theme.muted, Align::center);
        ui::thing(d.ui, {line[i].x - 10, plot.y, 20, plot.h},
                  advice_says("lengths.bar"_t, "k"_v = cell.k, "figure"_v = figure_words(m, cell.speed_up), "low"_v = cell.low,
                              "high"_v = cell.high, "tokens"_v = cell.tokens_per_round, "round"_v = cell.round_ms(),
                              "worked_out"_v = cell.worked_out));
    }
    canvas.text({plot.center().x, plot.bottom() + 42}, advice_says("lengths.axis"_t), Font::text, 14, theme.muted, Align::center);
}

void draw_advice_round(const AdviceDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const AdviceCell& cell = *d.model.marked;
    const double pass = d.model.advice->plain_ms, tokens = cell.tokens_per_round, plain = tokens * pass, round = cell.round_ms();
    head(d, area, advice_says("round.title"_t),
         advice_says("round.under"_t, "tokens"_v = tokens, "drafter"_v = cell.drafter, "k"_v = cell.k));
    const ui::Scale x{0, 1.04 * std::max(plain, round), area.x, area.right() - 40}; // the unit stands behind the last tick
    const float h = std::clamp(area.h * 0.12F, 34.0F, 60.0F), first = area.y + 92, second = first + h + 56;
    if (second + h + 40 > area.bottom()) return;
    ui::axis_x(canvas, theme, x, second + h + 10, ui::ticks(0, x.hi, 6), {.unit = "ms", .grid_to = first, .grid = true});
    canvas.text({area.x, first - 10}, advice_says("round.one"_t), Font::text, 14, theme.muted);
    canvas.tell(advice_says("round.lane"_t, "draft"_v = cell.draft_ms, "verify"_v = cell.verify_ms, "other"_v = cell.other_ms),
                {area.x, first, x.b - x.a, h});
    const ui::Segment parts[] = {{.start = 0,
                                  .length = cell.draft_ms,
                                  .role = Role::draft,
                                  .label = advice_says("round.draft"_t),
                                  .value = ui::number(cell.draft_ms, 2)},
                                 {.start = cell.draft_ms,
                                  .length = cell.verify_ms,
                                  .role = Role::target,
                                  .label = advice_says("round.verify"_t),
                                  .value = ui::number(cell.verify_ms, 2)},
                                 {.start = cell.draft_ms + cell.verify_ms,
                                  .length = cell.other_ms,
                                  .role = Role::discarded,
                                  .label = advice_says("round.other"_t),
                                  .value = ui::number(cell.other_ms, 2)}};
    (void)ui::gantt_lane(canvas, theme, x, first, h, parts, 2);
    canvas.text({area.x, second - 10}, shared_says("words.plain"_t), Font::text, 14, theme.muted);
    canvas.tell(advice_says("round.plain_lane"_t, "tokens"_v = tokens, "pass"_v = pass, "plain"_v = plain), {area.x, second, x.b - x.a, h});
    std::vector<ui::Segment> passes;
    for (int i = 0; i < static_cast<int>(std::ceil(tokens - 1e-9)); ++i)
        passes.push_back({.start = i * pass,
                          .length = std::min(1.0, tokens - i) * pass,
                          .role = Role::target,
                          .value = i == 0 ? ui::number(pass, 2) : std::string()});
    (void)ui::gantt_lane(canvas, theme, x, second, h, passes, 2);
    const double saved = plain - round;
    if (second + h + 64 > area.bottom()) return;
    const Message figure = figure_words(d.model, plain / round);
    ui::fitted_text(canvas, {area.x, second + h + 64},
                    saved >= 0 ? advice_says("round.saved"_t, "ms"_v = saved, "plain"_v = plain, "round"_v = round, "figure"_v = figure)
                               : advice_says("round.lost"_t, "ms"_v = -saved, "plain"_v = plain, "round"_v = round, "figure"_v = figure),
                    Font::text_bold, 16,
                    d.model.in_doubt ? theme.muted
                    : saved >= 0     ? theme.role(Role::accepted)
                                     : theme.role(Role::rejected),
                    area.w);
    const AdviceDrafter* drafter = d.model.advice->drafter(cell.drafter);
    if (!drafter || second + h + 150 > area.bottom()) return;
    std::vector<Said> places;
    std::string drawn;
    for (std::size_t i = 0; i < drafter->judged.size() && drafter->judged[i] >= 30; ++i) {
        const Message place = advice_says("round.place"_t, "kept"_v = static_cast<double>(drafter->kept[i]) / drafter->judged[i]);
        drawn += (i > 0 ? "  " : "") + place.words();
        places.push_back(place.said);
    }
    if (places.empty()) return;
    ui::fitted_text(canvas, {area.x, second + h + 100}, advice_says("round.chances"_t), Font::text, 14, theme.muted, area.w);
    ui::fitted_text(canvas, {area.x, second + h + 124}, {drawn, advice_says("round.places"_t, "places"_v = places).said}, Font::mono, 14,
                    theme.ink, area.w);
}

namespace {

// The curve at its doublings.
Message curve_words(const AdviceCell& cell, const std::vector<PlainRatePoint>& points) {
    std::vector<Said> said;
    for (std::size_t i = 0; i < points.size(); i += 8)
        said.push_back(advice_says("curve.point"_t, "rate"_v = points[i].rate, "speed_up"_v = points[i].speed_up).said);
    return advice_says("curve.line"_t, "choice"_v = choice_words(cell), "points"_v = said);
}

} // namespace

void draw_advice_change(const AdviceDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const AdviceCell& cell = *d.model.marked;
    const double plain_ms = d.model.advice->plain_ms;
    const std::vector<PlainRatePoint> points = by_plain_rate(cell, plain_ms);
    head(d, area, advice_says("curve.title"_t), advice_says("curve.under"_t, "choice"_v = choice_words(cell)));
    const Rect plot{area.x + 48, area.y + 64, area.w - 64, std::min(420.0F, area.h - 64 - 52)};
    if (plot.h < 60 || points.empty()) return;
    double low = 1, high = 1;
    for (const PlainRatePoint& point : points) low = std::min(low, point.speed_up), high = std::max(high, point.speed_up);
    const ui::Scale y{std::max(0.0, low - 0.1), high + 0.1, plot.bottom(), plot.y},
        x{std::log2(points.front().rate), std::log2(points.back().rate), plot.x, plot.right()};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(y.lo, y.hi, 5), {.unit = "×", .grid_to = plot.right(), .grid = true, .label_offset = 8});
    for (int step = -3; step <= 3; step += plot.w < 460 ? 3 : 1) {
        const double rate = 1000 / plain_ms * std::pow(2.0, step);
        canvas.print({x(std::log2(rate)), plot.bottom() + 20}, ui::integer(std::lround(rate)), Font::mono, 14,
                     step == 0 ? theme.ink : theme.muted, Align::center);
    }
    canvas.tell(curve_words(cell, points), plot);
    ui::fitted_text(canvas, {plot.center().x, plot.bottom() + 42}, advice_says("curve.axis"_t), Font::text, 14, theme.muted, plot.w,
                    Align::center);
    canvas.line({plot.x, y(1)}, {plot.right(), y(1)}, {theme.ink, 2});
    ui::plotted(canvas, plot, ui::PlotMark::line, cell.drafter, points,
                [](const PlainRatePoint& point) { return ui::PlotDatum{.x = point.rate, .y = point.speed_up}; });
    std::vector<Vec2> line;
    for (const PlainRatePoint& point : points) line.push_back({x(std::log2(point.rate)), y(point.speed_up)});
    canvas.polyline(line, {theme.role(Role::draft), 2.5F});
    const Vec2 here{x(std::log2(1000 / plain_ms)), y(cell.tokens_per_round * plain_ms / cell.round_ms())};
    canvas.disc(here, 6, color_of(d, cell));
    const bool right_half = here.x > plot.center().x;
    canvas.text({here.x + (right_half ? -10.0F : 10.0F), here.y - 12}, advice_says("curve.here"_t), Font::text_bold, 14, theme.ink,
                right_half ? Align::right : Align::left);
    const CellBreakEven even = break_even_of(cell, plain_ms);
    if (!even.most_plain_rate || !std::isfinite(*even.most_plain_rate)) return;
    const double at = std::log2(*even.most_plain_rate);
    if (at < x.lo || at > x.hi) return;
    canvas.line({x(at), plot.y}, {x(at), plot.bottom()}, {theme.muted, 1.5F});
    canvas.tell(advice_says("curve.even_line"_t, "rate"_v = *even.most_plain_rate), {x(at), plot.y, 1, plot.h});
    ui::fitted_text(canvas, {x(at) + 8, plot.y + 18}, advice_says("curve.even"_t), Font::text, 14, theme.muted,
                    std::max(40.0F, plot.right() - x(at) - 8));
}

void draw_advice_details(const AdviceDraw& d) {
    const ui::Theme& theme = d.ui.theme;
    DetailsColumn column(d.ui, d.input.details);
    const bool own = d.model.measured() && !keeps_answer_back(d.input);
    // Of a server that is attached, where nothing is shown of this machine, and beside the reasons.
    const bool server = d.model.served && (!own || d.input.beat >= kWhyBeat);
    column.title(server ? advice_says("details.server"_t, "address"_v = d.input.server->address) : advice_says("details.title"_t));
    std::vector<Said> drawn, told;
    if (d.model.served) {
        drawn = advice_findings(*d.model.served);
        drawn.insert(drawn.begin(), verdict_said(*d.model.served));
    }
    if (own) {
        const Advice& advice = *d.model.advice;
        std::vector<Said> found = advice_findings(advice), even = break_even_said(advice);
        if (d.input.beat == kChangeBeat) std::swap(found, even);
        if (!server) std::swap(drawn, found);
        told = std::move(found);
        std::ranges::move(even, std::back_inserter(told));
        told.push_back(verdict_said(advice));
    }
    if (drawn.empty())
        return column.paragraph(d.model.measured() ? advice_says("details.bet_first"_t) : advice_says("details.measure_first"_t),
                                theme.muted, 3);
    for (const Said& sentence : drawn) column.paragraph(message(sentence), theme.ink, 4);
    for (const Said& sentence : told) column.tell(message(sentence)); // what the other beats show: a description is whole
}

namespace {

// How fast the server would be without speculation, which nothing asks it.
void plain_rate_stepper(const AdviceDraw& d, ControlRow& row) {
    if (row.room() < 170) return;
    const Rect at = row.place(200);
    const double rate = d.state.plain_rate;
    ui::field_label(d.ui, at, advice_says("controls.plain"_t));
    if (const auto to = ui::stepper(
            d.ui, "plain", at, rate,
            {.low = 0,
             .high = 100'000,
             .text = rate > 0 ? advice_says("controls.plain_rate"_t, "rate"_v = rate) : advice_says("controls.plain_rate_open"_t),
             .tooltip = advice_says("controls.plain_about"_t)}))
        d.state.plain_rate = rate > 0 ? *to : std::max(1.0, std::round(d.model.served->rate));
}

} // namespace

void draw_advice_controls(const AdviceDraw& d) {
    ui::Ui& ui = d.ui;
    const AdviceModel& m = d.model;
    ControlRow row(d.input.controls);
    Rect at = row.place(150);
    ui::field_label(ui, at, advice_says("controls.machine"_t));
    const Message off = m.impossible.empty() && !d.input.settings ? shared_says("run.none"_t) : m.impossible;
    if (m.under_way) {
        if (ui::button(ui, "measure", at, advice_says("controls.stop"_t),
                       {.shortcut = "Esc", .tooltip = advice_says("controls.stop_about"_t)}))
            d.out.push_back(Command{Cancel{}});
    } else if (ui::button(ui, "measure", at, advice_says("controls.measure"_t),
                          {.shortcut = "M", .tooltip = advice_says("controls.measure_about"_t), .disabled = off})) {
        d.out.push_back(ask_advice(d.input));
    }
    if (m.served) plain_rate_stepper(d, row);
    if (!m.measured() || keeps_answer_back(d.input)) return; // they begin with the best one
    if (row.room() >= 150) {
        at = row.place(std::min(190.0F, row.room()));
        ui::field_label(ui, at, advice_says("controls.drafter"_t));
        const auto here = static_cast<int>(std::ranges::find(m.best, m.marked) - m.best.begin());
        if (const auto to = ui::stepper(ui, "drafter", at, here,
                                        {.low = 0,
                                         .high = static_cast<double>(m.best.size()) - 1,
                                         .text = advice_says("bets.drafter"_t, "drafter"_v = m.marked->drafter)}))
            d.state.marked = m.best[static_cast<std::size_t>(*to)]->drafter;
    }
    if (row.room() < 150 || !d.input.settings) return;
    at = row.place(std::min(220.0F, row.room()));
    ui::field_label(ui, at, advice_says("controls.run"_t));
    if (ui::button(ui, "use", at, advice_says("controls.use"_t, "drafter"_v = m.marked->drafter, "k"_v = m.marked->k),
                   {.disabled = m.impossible}))
        d.out.push_back(run_marked(d.input, m));
}

} // namespace speclens
