// The pictures of S1: memory, bus and arithmetic; the time of a pass by its tokens; one pass against many.
#include <algorithm>
#include <cmath>

#include "engine/published/published_words.h"
#include "scenes/bottleneck/bottleneck_model.h"
#include "scenes/shared/head_scene.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/glyphs.h"
#include "ui/plot.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;
using ui::Vec2;

// Widths on a scale that doubles at every tick.
struct WidthScale {
    ui::Scale scale;
    [[nodiscard]] float operator()(double rows) const { return scale(std::log2(rows)); }
};

struct PassChart {
    Rect plot;
    WidthScale x;
    ui::Scale y;
};

PassChart begin_pass_chart(const BottleneckDraw& d, Rect r, const char* id, const std::string& title,
                           const std::string& words, double high) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const BottleneckModel& m = d.model;
    ui::fitted_text(canvas, {r.x, r.y + 14}, title, Font::text_bold, 15, theme.ink, r.w);
    ui::fitted_text(canvas, {r.x, r.y + 34}, words, Font::text, 14, theme.muted, r.w);
    const Rect plot{r.x + 46, r.y + 54, r.w - 46 - 20, r.h - 54 - 44};
    const double widest = m.times->passes.back().rows;
    const PassChart chart{
        plot, {{-0.35, std::log2(widest) + 0.35, plot.x, plot.right()}}, {0, high, plot.bottom(), plot.y}};
    for (const PassTime& pass : m.times->passes) {
        const float x = chart.x(pass.rows);
        const Rect band{x - 11, plot.y, 22, plot.h};
        const ui::Touch touch = // no stop of Tab: arrows and the stepper choose a width
            ui::touch(d.ui, d.ui.id(id + std::to_string(pass.rows)), band, {.focusable = false});
        if (pass.rows == m.marked || touch.hovered)
            canvas.fill(band, theme.raised.alpha(pass.rows == m.marked ? 0.9F : 0.45F), 4);
        if (touch.clicked) d.state.rows = pass.rows;
    }
    ui::axis_y(canvas, theme, chart.y, plot.x, ui::ticks(0, high, r.h > 220 ? 5 : 3),
               {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    for (int rows = 1; rows <= widest; rows *= 2)
        canvas.text({chart.x(rows), plot.bottom() + 20}, std::to_string(rows), Font::mono, 14,
                    rows == m.marked ? theme.ink : theme.muted, Align::center);
    canvas.text({plot.center().x, plot.bottom() + 40}, "tokens in the pass", Font::text, 14, theme.muted,
                Align::center);
    return chart;
}

// Half of the passes lie between these. What is above the chart ends in an arrow at its edge, with its value
// where that does not reach into the value before it, which ends at `taken`.
void quartiles(const BottleneckDraw& d, const PassChart& chart, const PassTime& pass, double share,
               float& taken) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = chart.x(pass.rows), low = chart.y(pass.low * share), top = chart.plot.y;
    if (pass.high * share <= chart.y.hi)
        return ui::whisker(canvas, theme, x, low, chart.y(pass.high * share));
    canvas.line({x, low}, {x, top}, {theme.ink, 1.5F});
    canvas.line({x - 5, low}, {x + 5, low}, {theme.ink, 1.5F});
    ui::icon(canvas, ui::Icon::triangle_up, {x, top + 5}, 10, theme.ink);
    const std::string words = "to " + ui::number(pass.high * share, pass.high * share < 10 ? 1 : 0);
    const float w = canvas.text_width(words, Font::mono, 14),
                from = x + 8 + w > chart.plot.right() ? x - 8 - w : x + 8;
    if (from < taken) return;
    canvas.text({from, top + 12}, words, Font::mono, 14, theme.muted);
    taken = from + w + 8;
}

void curve(const BottleneckDraw& d, const PassChart& chart, bool per_token) {
    std::vector<Vec2> line;
    for (const PassTime& pass : d.model.times->passes)
        line.push_back({chart.x(pass.rows), chart.y(per_token ? pass.ms / pass.rows : pass.ms)});
    d.ui.canvas.polyline(line, {d.ui.theme.ink, 2});
    float taken = chart.plot.x;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const PassTime& pass = d.model.times->passes[i];
        quartiles(d, chart, pass, per_token ? 1.0 / pass.rows : 1, taken);
        d.ui.canvas.disc(line[i], 4, d.ui.theme.ink);
        ui::tooltip(d.ui, {line[i].x - 8, line[i].y - 8, 16, 16},
                    counted(pass.rows, "token") + ": " + ui::number(pass.ms, 3) + " ms, half of " +
                        std::to_string(d.model.times->repeats) + " passes between " +
                        ui::number(pass.low, 3) + " and " + ui::number(pass.high, 3));
    }
}

} // namespace

void draw_bottleneck_bus(const BottleneckDraw& d, Rect area) {
    const BottleneckModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float box = std::min(240.0F, area.w * 0.3F), h = 58;
    const Rect memory{area.x, area.y, box, h}, units{area.right() - box, area.y, box, h};
    const PassTimes& t = *m.times;
    for (const Rect& r : {memory, units}) {
        canvas.fill(r, theme.panel, 6);
        canvas.outline(r, {theme.role(Role::target), 1.5F}, 6);
    }
    const double one = m.ms(m.marked);
    ui::fitted_text(canvas, {memory.x + 14, memory.y + 24}, "Weights, " + ui::megabytes(t.weight_bytes),
                    Font::text_bold, 15, theme.ink, box - 28);
    ui::fitted_text(canvas, {memory.x + 14, memory.y + 44}, "all read in every pass", Font::text, 14,
                    theme.muted, box - 28);
    ui::fitted_text(canvas, {units.x + 14, units.y + 24}, counted(m.marked, "token") + " at once",
                    Font::text_bold, 15, theme.ink, box - 28);
    const double used = m.rate(m.marked) / m.best_rate();
    ui::fitted_text(canvas, {units.x + 14, units.y + 44}, "arithmetic " + ui::percent(used) + " busy",
                    Font::text, 14, theme.muted, box - 28);
    ui::bar(canvas, theme, {units.x, units.bottom() + 8, units.w, 6}, used, Role::target);
    const float from = memory.right() + 12, to = units.x - 12, y = area.y + h / 2;
    canvas.fill({from, y - 5, to - from - 8, 10}, theme.tint(Role::target), 2);
    ui::arrow(canvas, {from, y}, {to, y}, {theme.role(Role::target), 2}, 8);
    const double reads = t.weight_bytes / one / 1e6;
    ui::fitted_text(canvas, {from + 8, y - 14}, ui::number(reads, 0) + " GB/s of weights", Font::text, 14,
                    theme.ink, to - from - 16);
    if (t.floor_ms() > 0)
        ui::fitted_text(canvas, {from + 8, y + 24}, "a plain read does " + ui::number(t.bandwidth_gbs, 0),
                        Font::text, 14, theme.muted, to - from - 16);
}

void draw_bottleneck_charts(const BottleneckDraw& d, Rect area) {
    const BottleneckModel& m = d.model;
    const ui::Theme& theme = d.ui.theme;
    const float gap = 32, w = (area.w - gap) / 2;
    {
        const PassChart chart = begin_pass_chart(
            d, {area.x, area.y, w, area.h}, "pass ", "Time of a pass, ms",
            m.times->floor_ms() > 0 ? "dashed: as many passes one by one; dotted: reading alone"
                                    : "dashed: as many passes one by one",
            chart_top(*m.times, false));
        std::vector<Vec2> singly;
        for (double rows = 1; rows <= m.times->passes.back().rows; rows *= 1.1)
            singly.push_back({chart.x(rows), chart.y(rows * m.one_ms())});
        d.ui.canvas.push_clip({chart.plot.x, chart.plot.y, chart.plot.w, chart.plot.h});
        d.ui.canvas.polyline(singly, {theme.muted, 1.5F, 5, 4});
        d.ui.canvas.pop_clip();
        const float floor = std::max(chart.y(m.times->floor_ms()), chart.plot.y);
        if (m.times->floor_ms() > 0)
            d.ui.canvas.line({chart.plot.x, floor}, {chart.plot.right(), floor}, {theme.muted, 1, 1, 3});
        curve(d, chart, false);
    }
    const PassChart chart = begin_pass_chart(
        d, {area.x + w + gap, area.y, w, area.h}, "token ", "Time per token, ms",
        "up to " + counted(m.cheap, "token") + " a pass costs less than two", chart_top(*m.times, true));
    curve(d, chart, true);
}

void draw_bottleneck_lanes(const BottleneckDraw& d, Rect area) {
    const BottleneckModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.line({area.x, area.y - 9.5F}, {area.right(), area.y - 9.5F}, theme.hairline());
    ui::fitted_text(canvas, {area.x, area.y + 16}, "The same " + counted(m.marked, "token") + " on one clock",
                    Font::text_bold, 15, theme.ink, area.w);
    const float left = area.x + 92, first = area.y + 30, h = 24;
    const double together = m.ms(m.marked), singly = m.one_ms() * m.marked;
    const ui::Scale x{0, std::max(together, singly) * 1.02, left, area.right() - 8};
    const ui::Segment pass = {.start = 0,
                              .length = together,
                              .role = Role::target,
                              .label = "one pass",
                              .value = ui::number(together, 2)};
    ui::gantt_lane(canvas, theme, x, first, h, std::span(&pass, 1));
    std::vector<ui::Segment> passes;
    for (int i = 0; i < m.marked; ++i)
        passes.push_back(
            {.start = m.one_ms() * i, .length = m.one_ms(), .role = Role::target, .strength = 0.8F});
    ui::gantt_lane(canvas, theme, x, first + 32, h, passes);
    canvas.text({area.x, first + 17}, "at once", Font::text, 14, theme.muted);
    canvas.text({area.x, first + 49}, "one by one", Font::text, 14, theme.muted);
    ui::fitted_text(canvas, {area.x, first + 80},
                    ui::number(together, 2) + " ms against " + std::to_string(m.marked) + " × " +
                        ui::number(m.one_ms(), 2) + " = " + ui::number(singly, 2) +
                        " ms: " + ui::speed_up(singly / together),
                    Font::mono, 14, theme.ink, area.w);
}

void draw_bottleneck_details(const BottleneckDraw& d) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x + 24, w = r.w - 48;
    ui::fitted_text(canvas, {x, r.y + 32}, "What is printed about it", Font::text_bold, 15, theme.ink, w);
    const auto figures = printed_shares(d.input.figures);
    if (figures.empty()) {
        ui::paragraph(canvas, {x, r.y + 64}, w, "The published figures are not at hand.",
                      {.color = theme.muted});
        return;
    }
    ui::fitted_text(canvas, {x, r.y + 54}, "PUBLISHED, a model of 7 billion weights", Font::text, 14,
                    theme.muted, w);
    const ui::ParagraphStyle words{.size = 14, .color = theme.muted, .max_lines = 2};
    const float foot = ui::paragraph_above(canvas, {x, r.bottom() - 20}, w,
                                           d.input.figures->source_of(*figures.front()).title, words);
    float y = r.y + 84;
    for (const PublishedFigure* figure : figures) {
        const float lines = ui::line_height(words.size) *
                            static_cast<float>(ui::paragraph_lines(canvas, w, figure->claim, words));
        if (y + 24 + lines > foot - 24) break;
        const bool wrong = figure->standing == Standing::wrong;
        const Rect box{x, y - 15, 112, 22};
        canvas.hatch(box, theme.role(wrong ? Role::rejected : Role::target).alpha(0.25F));
        canvas.outline(box, {theme.role(wrong ? Role::rejected : Role::target), 1}, 3);
        canvas.text({box.right() - 8, y + 1}, published_value(*figure), Font::mono, 14, theme.ink,
                    Align::right);
        ui::fitted_text(canvas, {x + 124, y + 1},
                        wrong                                   ? "cannot be right"
                        : figure->standing == Standing::derived ? "follows from the rates"
                                                                : "as said",
                        Font::text, 14, theme.muted, w - 124);
        ui::paragraph(canvas, {x, y + 22}, w, figure->claim, words);
        y += 30 + lines;
    }
}

void draw_bottleneck_controls(const BottleneckDraw& d) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    const BottleneckModel& m = d.model;
    ControlRow row(r);
    std::vector<std::string> sayings;
    for (const Saying& saying : kSayings) sayings.emplace_back(saying.words);
    Rect at = row.place(std::max(ui::segmented_width(ui.canvas, sayings), 236.0F));
    ui::field_label(ui, at, "16 tokens at once take … the time?");
    if (const auto pick = ui::segmented(ui, "said", {at.x, at.y}, sayings, d.state.said))
        choose_answer(d, *pick);
    if (m.told && m.measured() && row.room() > 120) {
        at = row.place(108);
        ui::field_label(ui, at, "Tokens N");
        const auto& passes = m.times->passes;
        const auto here = std::ranges::find(passes, m.marked, &PassTime::rows) - passes.begin();
        if (const auto to = ui::stepper(
                ui, "rows", at, static_cast<double>(here),
                {.low = 0, .high = static_cast<double>(passes.size() - 1), .text = std::to_string(m.marked)}))
            d.state.rows = passes[static_cast<std::size_t>(*to)].rows;
    }
    at = row.place(std::min(168.0F, row.room()));
    if (at.w < 96) return;
    ui::field_label(ui, at, "This machine");
    const std::string off = no_models(d.input).empty() ? capital(m.untimed) : no_models(d.input);
    if (ui::button(ui, "measure", at, "Measure", {.shortcut = "M", .disabled = off}))
        d.out.push_back(Command{MeasurePasses{}});
}

} // namespace speclens
