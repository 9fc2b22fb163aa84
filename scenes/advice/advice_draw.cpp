// The pictures of S18: the ranking with its intervals, one drafter by draft length, a round beside plain decoding, and the
// speed of plain decoding that ends it.
#include <algorithm>
#include <cmath>

#include "scenes/advice/advice_model.h"
#include "scenes/shared/head_scene.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;
using ui::Vec2;

void head(const AdviceDraw& d, Rect area, const std::string& title, const std::string& under) {
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
    head(d, area, "Which would you bet on?", "click one; the answer comes with the next beat");
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
        canvas.text({row.x + 8, base}, name, chosen ? Font::text_bold : Font::text, 14, theme.ink);
        canvas.text({row.right() - 8, base}, chosen ? "your bet" : "?", Font::text, 14, chosen ? theme.ink : theme.muted, Align::right);
    }
}

// "small  K 1", and that it was bet on.
std::string ranked_name(const AdviceDraw& d, const AdviceCell& cell) {
    return cell.drafter + "  K " + std::to_string(cell.k) + (d.state.bet == cell.drafter ? " · your bet" : "");
}

} // namespace

void draw_advice_ranking(const AdviceDraw& d, Rect area) {
    if (keeps_answer_back(d.input)) return draw_advice_bets(d, area);
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const AdviceModel& m = d.model;
    head(d, area, "Every drafter at its best", "plain time ÷ speculative time; the line is plain decoding");
    float name_w = 0;
    for (const AdviceCell* cell : m.best) name_w = std::max(name_w, 20 + canvas.text_width(ranked_name(d, *cell), Font::text_bold, 14));
    name_w = std::min(name_w, area.w * 0.5F);
    const float value_w = 64;
    const float top = area.y + 56, bottom = area.bottom() - 54;
    if (bottom - top < 26) return;
    const auto fits = static_cast<std::size_t>(std::max(1.0F, (bottom - top) / 26));
    const std::size_t shown = std::min(fits, m.best.size());
    const float pitch = std::min(44.0F, (bottom - top) / static_cast<float>(shown));
    const ui::Scale x =
        scale_of({m.best.begin(), m.best.begin() + static_cast<std::ptrdiff_t>(shown)}, area.x + name_w, area.right() - value_w);
    const float end = top + pitch * static_cast<float>(shown);
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
        ui::tooltip(d.ui, row,
                    cell.drafter + " with K = " + std::to_string(cell.k) + ": " + range_words(cell) + ", " +
                        ui::number(cell.tokens_per_round, 2) + " tokens a round");
    }
    canvas.line({x(1), top}, {x(1), end}, {theme.ink, 2});
    if (shown < m.best.size())
        ui::fitted_text(canvas, {area.x, area.bottom() - 4}, std::to_string(m.best.size() - shown) + " more do worse", Font::text, 14,
                        theme.muted, area.w);
}

void draw_advice_lengths(const AdviceDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const AdviceModel& m = d.model;
    head(d, area, m.marked->drafter + " by draft length",
         m.marked->tree ? "a tree is measured with its usual depth only" : "hollow: places of longer drafts say what it would keep");
    const Rect plot{area.x + 48, area.y + 64, area.w - 64, std::min(420.0F, area.h - 64 - 52)};
    if (plot.h < 60) return;
    const ui::Scale y = scale_of(m.lengths, plot.bottom(), plot.y);
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(y.lo, y.hi, 5), {.unit = "×", .grid_to = plot.right(), .grid = true, .label_offset = 8});
    int longest = 1;
    for (const AdviceCell* cell : m.lengths) longest = std::max(longest, cell->k);
    const ui::Scale x{0.4, longest + 0.6, plot.x, plot.right()};
    if (y.lo < 1 && y.hi > 1) canvas.line({plot.x, y(1)}, {plot.right(), y(1)}, {theme.ink, 2});
    std::vector<Vec2> line;
    for (const AdviceCell* cell : m.lengths) line.push_back({x(cell->k), y(cell->speed_up)});
    canvas.polyline(line, {theme.muted, 1.5F});
    for (std::size_t i = 0; i < m.lengths.size(); ++i) {
        const AdviceCell& cell = *m.lengths[i];
        interval(d, cell, {line[i].x, y(cell.low)}, line[i], {line[i].x, y(cell.high)});
        canvas.text({line[i].x, plot.bottom() + 20}, std::to_string(cell.k), Font::mono, 14,
                    cell.k == m.marked->k ? theme.ink : theme.muted, Align::center);
        ui::tooltip(d.ui, {line[i].x - 10, plot.y, 20, plot.h},
                    "K = " + std::to_string(cell.k) + ": " + range_words(cell) + ", " + ui::number(cell.tokens_per_round, 2) +
                        " tokens a round in " + ui::number(cell.round_ms(), 2) + " ms");
    }
    canvas.text({plot.center().x, plot.bottom() + 42}, "guesses K in a round", Font::text, 14, theme.muted, Align::center);
}

void draw_advice_round(const AdviceDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const AdviceCell& cell = *d.model.marked;
    const double pass = d.model.advice->plain_ms, tokens = cell.tokens_per_round, plain = tokens * pass, round = cell.round_ms();
    head(d, area, "The same tokens, twice",
         ui::number(tokens, 2) + " of them: a round of " + cell.drafter + ", K = " + std::to_string(cell.k) + ", and plain decoding; ms");
    const ui::Scale x{0, 1.04 * std::max(plain, round), area.x, area.right() - 40}; // the unit stands behind the last tick
    const float h = std::clamp(area.h * 0.12F, 34.0F, 60.0F), first = area.y + 92, second = first + h + 56;
    if (second + h + 40 > area.bottom()) return;
    ui::axis_x(canvas, theme, x, second + h + 10, ui::ticks(0, x.hi, 6), {.unit = "ms", .grid_to = first, .grid = true});
    canvas.text({area.x, first - 10}, "one round", Font::text, 14, theme.muted);
    const ui::Segment parts[] = {
        {.start = 0, .length = cell.draft_ms, .role = Role::draft, .label = "draft", .value = ui::number(cell.draft_ms, 2)},
        {.start = cell.draft_ms, .length = cell.verify_ms, .role = Role::target, .label = "verify", .value = ui::number(cell.verify_ms, 2)},
        {.start = cell.draft_ms + cell.verify_ms,
         .length = cell.other_ms,
         .role = Role::discarded,
         .label = "other",
         .value = ui::number(cell.other_ms, 2)}};
    (void)ui::gantt_lane(canvas, theme, x, first, h, parts, 2);
    canvas.text({area.x, second - 10}, "plain decoding", Font::text, 14, theme.muted);
    std::vector<ui::Segment> passes;
    for (int i = 0; i < static_cast<int>(std::ceil(tokens - 1e-9)); ++i)
        passes.push_back({.start = i * pass,
                          .length = std::min(1.0, tokens - i) * pass,
                          .role = Role::target,
                          .value = i == 0 ? ui::number(pass, 2) : std::string()});
    (void)ui::gantt_lane(canvas, theme, x, second, h, passes, 2);
    const double saved = plain - round;
    if (second + h + 64 > area.bottom()) return;
    ui::fitted_text(canvas, {area.x, second + h + 64},
                    std::string(saved >= 0 ? "saved " : "lost ") + ui::number(std::abs(saved), 2) + " ms a round: " + ui::number(plain, 2) +
                        " ÷ " + ui::number(round, 2) + " = " + figure_words(d.model, plain / round),
                    Font::text_bold, 16,
                    d.model.in_doubt ? theme.muted
                    : saved >= 0     ? theme.role(Role::accepted)
                                     : theme.role(Role::rejected),
                    area.w);
    const AdviceDrafter* drafter = d.model.advice->drafter(cell.drafter);
    if (!drafter || second + h + 150 > area.bottom()) return;
    std::string places;
    for (std::size_t i = 0; i < drafter->judged.size() && drafter->judged[i] >= 30; ++i)
        places += (i > 0 ? "  " : "") + ui::probability(static_cast<double>(drafter->kept[i]) / drafter->judged[i]);
    if (places.empty()) return;
    ui::fitted_text(canvas, {area.x, second + h + 100}, "Chance that guess 1, 2, 3 … stays, once all before it did:", Font::text, 14,
                    theme.muted, area.w);
    ui::fitted_text(canvas, {area.x, second + h + 124}, places, Font::mono, 14, theme.ink, area.w);
}

void draw_advice_change(const AdviceDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const AdviceCell& cell = *d.model.marked;
    const double plain_ms = d.model.advice->plain_ms;
    const std::vector<PlainRatePoint> points = by_plain_rate(cell, plain_ms);
    head(d, area, "If plain decoding were slower or faster",
         cell.drafter + ", K = " + std::to_string(cell.k) + ": same acceptance, drafting takes as long as here");
    const Rect plot{area.x + 48, area.y + 64, area.w - 64, std::min(420.0F, area.h - 64 - 52)};
    if (plot.h < 60 || points.empty()) return;
    double low = 1, high = 1;
    for (const PlainRatePoint& point : points) low = std::min(low, point.speed_up), high = std::max(high, point.speed_up);
    const ui::Scale y{std::max(0.0, low - 0.1), high + 0.1, plot.bottom(), plot.y},
        x{std::log2(points.front().rate), std::log2(points.back().rate), plot.x, plot.right()};
    ui::axis_y(canvas, theme, y, plot.x, ui::ticks(y.lo, y.hi, 5), {.unit = "×", .grid_to = plot.right(), .grid = true, .label_offset = 8});
    for (int step = -3; step <= 3; step += plot.w < 460 ? 3 : 1) {
        const double rate = 1000 / plain_ms * std::pow(2.0, step);
        canvas.text({x(std::log2(rate)), plot.bottom() + 20}, ui::integer(std::lround(rate)), Font::mono, 14,
                    step == 0 ? theme.ink : theme.muted, Align::center);
    }
    ui::fitted_text(canvas, {plot.center().x, plot.bottom() + 42}, "tokens a second of plain decoding, on a scale of doublings", Font::text,
                    14, theme.muted, plot.w, Align::center);
    canvas.line({plot.x, y(1)}, {plot.right(), y(1)}, {theme.ink, 2});
    std::vector<Vec2> line;
    for (const PlainRatePoint& point : points) line.push_back({x(std::log2(point.rate)), y(point.speed_up)});
    canvas.polyline(line, {theme.role(Role::draft), 2.5F});
    const Vec2 here{x(std::log2(1000 / plain_ms)), y(cell.tokens_per_round * plain_ms / cell.round_ms())};
    canvas.disc(here, 6, color_of(d, cell));
    const bool right_half = here.x > plot.center().x;
    canvas.text({here.x + (right_half ? -10.0F : 10.0F), here.y - 12}, "here", Font::text_bold, 14, theme.ink,
                right_half ? Align::right : Align::left);
    const CellBreakEven even = break_even_of(cell, plain_ms);
    if (!even.most_plain_rate || !std::isfinite(*even.most_plain_rate)) return;
    const double at = std::log2(*even.most_plain_rate);
    if (at < x.lo || at > x.hi) return;
    canvas.line({x(at), plot.y}, {x(at), plot.bottom()}, {theme.muted, 1.5F});
    ui::fitted_text(canvas, {x(at) + 8, plot.y + 18}, "breaks even", Font::text, 14, theme.muted,
                    std::max(40.0F, plot.right() - x(at) - 8));
}

void draw_advice_details(const AdviceDraw& d) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x + 24, w = r.w - 48;
    ui::fitted_text(canvas, {x, r.y + 32}, "What stands out", Font::text_bold, 15, theme.ink, w);
    if (!d.model.measured()) {
        ui::paragraph(canvas, {x, r.y + 58}, w, "Measure first: what stands out among drafters and draft lengths is told here.",
                      {.size = 14, .color = theme.muted, .max_lines = 3});
        return;
    }
    if (keeps_answer_back(d.input)) {
        ui::paragraph(canvas, {x, r.y + 58}, w, "Bet first: the next beat says how every drafter did, and what stands out.",
                      {.size = 14, .color = theme.muted, .max_lines = 3});
        return;
    }
    float y = r.y + 58;
    std::vector<std::string> sentences = advice_findings(*d.model.advice);
    if (d.input.beat == kChangeBeat) sentences = break_even_words(*d.model.advice);
    for (const std::string& sentence : sentences) {
        if (y + 40 > r.bottom()) break;
        y = ui::paragraph(canvas, {x, y}, w, sentence, {.size = 14, .color = theme.ink, .max_lines = 4}) + 14;
    }
}

void draw_advice_controls(const AdviceDraw& d) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    const AdviceModel& m = d.model;
    ControlRow row(r);
    Rect at = row.place(150);
    ui::field_label(ui, at, "This machine");
    std::string off = m.impossible;
    if (m.under_way)
        off = "Measuring: Esc ends it";
    else if (off.empty() && !d.input.settings)
        off = "There is no run yet";
    if (ui::button(ui, "measure", at, "Measure",
                   {.shortcut = "M", .tooltip = "Runs every drafter on held-out prompts, here", .disabled = off}))
        d.out.push_back(ask_advice(d.input));
    if (!m.measured() || keeps_answer_back(d.input)) return; // they begin with the best one
    if (row.room() >= 150) {
        at = row.place(std::min(190.0F, row.room()));
        ui::field_label(ui, at, "Drafter");
        const auto here = static_cast<int>(std::ranges::find(m.best, m.marked) - m.best.begin());
        if (const auto to =
                ui::stepper(ui, "drafter", at, here, {.low = 0, .high = static_cast<double>(m.best.size()) - 1, .text = m.marked->drafter}))
            d.state.marked = m.best[static_cast<std::size_t>(*to)]->drafter;
    }
    if (row.room() < 150 || !d.input.settings) return;
    at = row.place(std::min(220.0F, row.room()));
    ui::field_label(ui, at, "The run on the screen");
    if (ui::button(ui, "use", at, "Use " + m.marked->drafter + ", K " + std::to_string(m.marked->k), {.disabled = m.impossible}))
        d.out.push_back(run_marked(d.input, m));
}

} // namespace speclens
