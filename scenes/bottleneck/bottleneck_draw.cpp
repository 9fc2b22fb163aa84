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

std::string_view standing_words(Standing standing) {
    if (standing == Standing::wrong) return "cannot be right";
    return standing == Standing::derived ? "follows from the rates" : "as said";
}

// Both axes double at every tick.
struct Doubling {
    ui::Scale scale;
    [[nodiscard]] float operator()(double value) const { return scale(std::log2(value)); }
};

struct CostChart {
    Rect plot;
    Doubling x, y;
};

CostChart begin_chart(const BottleneckDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const BottleneckModel& m = d.model;
    const std::string in_bits = m.forms.empty() ? std::string() : " in " + bits_words(m.forms.front()->form);
    ui::fitted_text(canvas, {r.x, r.y + 14}, "Time of a pass, by that of one token" + in_bits, Font::text_bold, 15, theme.ink, r.w);
    const std::string singly = std::string(in_bits.empty() ? "dashed" : "grey") + ": as many passes one by one";
    ui::fitted_text(canvas, {r.x, r.y + 34},
                    ui::fitting(canvas, {"both axes double at every tick; " + singly, singly}, Font::text, 14, r.w), Font::text, 14,
                    theme.muted, r.w);
    const Rect plot{r.x + 46, r.y + 54, r.w - 46 - 20, r.h - 54 - 44};
    int widest = 1;
    for (const PassTimes* of : m.curves()) widest = std::max(widest, of->passes.back().rows);
    const CostRange range = cost_range(m);
    const CostChart chart{plot,
                          {{-0.35, std::log2(widest) + 0.35, plot.x, plot.right()}},
                          {{std::log2(range.low), std::log2(range.high), plot.bottom(), plot.y}}};
    for (const PassTime& pass : m.focus->passes) {
        const float x = chart.x(pass.rows);
        const Rect band{x - 11, plot.y, 22, plot.h};
        const ui::Touch touch = // no stop of Tab: arrows and the stepper choose a width
            ui::touch(d.ui, d.ui.id("pass " + std::to_string(pass.rows)), band, {.focusable = false});
        if (pass.rows == m.marked || touch.hovered) canvas.fill(band, theme.raised.alpha(pass.rows == m.marked ? 0.9F : 0.45F), 4);
        if (touch.clicked) d.state.rows = pass.rows;
    }
    const float doubled = chart.y(1) - chart.y(2);
    const int step = doubled >= 18 ? 2 : doubled >= 9 ? 4 : 16;
    for (int times = 1; times <= range.high; times *= step) {
        const float y = std::round(chart.y(times)) + 0.5F;
        canvas.line({plot.x, y}, {plot.right(), y}, theme.hairline());
        canvas.text({plot.x - 8, y + 5}, std::to_string(times) + "×", Font::mono, 14, theme.muted, Align::right);
    }
    for (int rows = 1; rows <= widest; rows *= 2)
        canvas.text({chart.x(rows), plot.bottom() + 20}, std::to_string(rows), Font::mono, 14, rows == m.marked ? theme.ink : theme.muted,
                    Align::center);
    canvas.text({plot.center().x, plot.bottom() + 40}, "tokens in the pass", Font::text, 14, theme.muted, Align::center);
    return chart;
}

// Another form than the one that is measured first.
bool other_form(const BottleneckDraw& d, const PassTimes& of) { return !d.model.forms.empty() && &of != d.model.all().front(); }

ui::Color color_of(const BottleneckDraw& d, const PassTimes& of) {
    return &of == d.model.beside || other_form(d, of) ? d.ui.theme.role(Role::target) : d.ui.theme.ink;
}

// Fewer bits, shorter dashes; unbroken but for other forms.
ui::Stroke stroke_of(const BottleneckDraw& d, const PassTimes& of) {
    ui::Stroke stroke{color_of(d, of), 2};
    if (!other_form(d, of)) return stroke;
    stroke.dash = !is_quantised(of.form) ? 14 : of.form == DType::q8_0 ? 8 : 3;
    stroke.gap = 4;
    return stroke;
}

// The loaded model has full marks, the real shape rings, other forms have corners: hue alone would not tell them apart.
void mark(const BottleneckDraw& d, const PassTimes& of, Vec2 at) {
    ui::Canvas& canvas = d.ui.canvas;
    if (other_form(d, of)) {
        std::vector<Vec2> corners = {{at.x, at.y - 5}, {at.x + 5, at.y}, {at.x, at.y + 5}, {at.x - 5, at.y}};
        if (of.form == DType::q8_0)
            corners = {{at.x - 4, at.y - 4}, {at.x + 4, at.y - 4}, {at.x + 4, at.y + 4}, {at.x - 4, at.y + 4}};
        else if (is_quantised(of.form))
            corners = {{at.x, at.y - 5}, {at.x + 5, at.y + 4}, {at.x - 5, at.y + 4}};
        return canvas.fill_convex(corners, color_of(d, of));
    }
    if (&of != d.model.beside) return canvas.disc(at, 4, color_of(d, of));
    canvas.disc(at, 4.5F, d.ui.theme.bg);
    canvas.ring(at, 4.5F, {color_of(d, of), 2});
}

void curve(const BottleneckDraw& d, const CostChart& chart, const PassTimes& of) {
    const double one = d.model.clock(of);
    std::vector<Vec2> line;
    for (const PassTime& pass : of.passes) line.push_back({chart.x(pass.rows), chart.y(pass.ms / one)});
    d.ui.canvas.polyline(line, stroke_of(d, of));
    for (std::size_t i = 0; i < line.size(); ++i) {
        const PassTime& pass = of.passes[i];
        const float top = std::max(chart.plot.y, chart.y(pass.median / one)); // up to the median: how much it varied
        d.ui.canvas.line({line[i].x, line[i].y}, {line[i].x, top}, {color_of(d, of), 1.5F});
        mark(d, of, line[i]);
        ui::tooltip(d.ui, {line[i].x - 8, line[i].y - 8, 16, 16},
                    of.model + (other_form(d, of) ? " in " + bits_words(of.form) : std::string()) + ", " + counted(pass.rows, "token") +
                        ": " + ui::number(pass.ms, 3) + " ms, lower quartile of " + std::to_string(pass.repeats) + " passes, median " +
                        ui::number(pass.median, 3));
    }
}

} // namespace

void draw_bottleneck_bus(const BottleneckDraw& d, Rect area) {
    const BottleneckModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float box = std::min(240.0F, area.w * 0.3F), h = 58;
    const Rect memory{area.x, area.y, box, h}, units{area.right() - box, area.y, box, h};
    const PassTimes& t = *m.focus;
    for (const Rect& r : {memory, units}) {
        canvas.fill(r, theme.panel, 6);
        canvas.outline(r, {theme.role(Role::target), 1.5F}, 6);
    }
    const double one = m.ms(m.marked);
    ui::fitted_text(canvas, {memory.x + 14, memory.y + 24}, "Weights, " + ui::megabytes(t.weight_bytes), Font::text_bold, 15, theme.ink,
                    box - 28);
    ui::fitted_text(canvas, {memory.x + 14, memory.y + 44}, "all read in every pass", Font::text, 14, theme.muted, box - 28);
    ui::fitted_text(canvas, {units.x + 14, units.y + 24}, counted(m.marked, "token") + " at once", Font::text_bold, 15, theme.ink,
                    box - 28);
    const double used = m.rate(m.marked) / m.best_rate();
    ui::fitted_text(canvas, {units.x + 14, units.y + 44}, "arithmetic " + ui::percent(used) + " busy", Font::text, 14, theme.muted,
                    box - 28);
    ui::bar(canvas, theme, {units.x, units.bottom() + 8, units.w, 6}, used, Role::target);
    const float from = memory.right() + 12, to = units.x - 12, y = area.y + h / 2;
    canvas.fill({from, y - 5, to - from - 8, 10}, theme.tint(Role::target), 2);
    ui::arrow(canvas, {from, y}, {to, y}, {theme.role(Role::target), 2}, 8);
    const double reads = t.weight_bytes / one / 1e6;
    const std::string rate = ui::number(reads, 0) + " GB/s of weights";
    ui::fitted_text(canvas, {from + 8, y - 14}, ui::fitting(canvas, {t.model + ": " + rate, rate}, Font::text, 14, to - from - 16),
                    Font::text, 14, theme.ink, to - from - 16);
    if (t.floor_ms() > 0)
        ui::fitted_text(canvas, {from + 8, y + 24},
                        "a plain read does " + ui::number(t.bandwidth_gbs, 0) + " GB/s" +
                            (reads > kWholeBandwidth * t.bandwidth_gbs ? ": some is in the cache" : ""),
                        Font::text, 14, theme.muted, to - from - 16);
}

void draw_bottleneck_chart(const BottleneckDraw& d, Rect area) {
    const CostChart chart = begin_chart(d, area);
    const ui::Theme& theme = d.ui.theme;
    const double widest = std::exp2(chart.x.scale.hi);
    d.ui.canvas.push_clip(chart.plot);
    d.ui.canvas.line({chart.x(1), chart.y(1)}, {chart.x(widest), chart.y(widest)}, {theme.muted, 1.5F, 5, 4});
    d.ui.canvas.pop_clip();
    for (const PassTimes* of : d.model.curves()) curve(d, chart, *of);
}

void draw_bottleneck_facts(const BottleneckDraw& d, Rect area) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const BottleneckModel& m = d.model;
    std::vector<const PassTimes*> models = m.curves();
    models.insert(models.end(), m.formless.begin(), m.formless.end());
    if (m.forms.empty() && m.formless.empty() && models.size() < 2 && m.beside)
        models.insert(models.begin(), m.beside); // why it is not measured
    const float x = area.x + 28, w = area.w - 28;
    float y = area.y + 14;
    for (const PassTimes* of : models) {
        const bool form = !m.forms.empty() || std::ranges::find(m.formless, of) != m.formless.end();
        const std::vector<std::string> lines = form ? form_facts(m, *of) : model_facts(*of, m.marked);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const ui::ParagraphStyle style{.font = i == 0 ? Font::text_bold : Font::text,
                                           .size = i == 0 ? 15.0F : 14.0F,
                                           .color = i == 0 ? theme.ink : theme.muted,
                                           .leading = 20,
                                           .max_lines = 2};
            if (y + 20 * static_cast<float>(ui::paragraph_lines(canvas, w, lines[i], style) - 1) > area.bottom() - 4) return;
            if (i == 0 && of->passes.size() >= 2) {
                canvas.line({area.x, y - 5}, {area.x + 18, y - 5}, stroke_of(d, *of));
                mark(d, *of, {area.x + 9, y - 5});
            }
            y = ui::paragraph(canvas, {x, y}, w, lines[i], style);
        }
        y += 14;
    }
}

void draw_bottleneck_lanes(const BottleneckDraw& d, Rect area) {
    const BottleneckModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.line({area.x, area.y - 9.5F}, {area.right(), area.y - 9.5F}, theme.hairline());
    ui::fitted_text(canvas, {area.x, area.y + 16}, "The same " + counted(m.marked, "token") + " on one clock, " + m.focus->model,
                    Font::text_bold, 15, theme.ink, area.w);
    const float left = area.x + 92, first = area.y + 30, h = 24;
    const double together = m.ms(m.marked), singly = m.one_ms() * m.marked;
    const ui::Scale x{0, std::max(together, singly) * 1.02, left, area.right() - 8};
    const ui::Segment pass = {.start = 0, .length = together, .role = Role::target, .label = "one pass", .value = ui::number(together, 2)};
    ui::gantt_lane(canvas, theme, x, first, h, std::span(&pass, 1));
    std::vector<ui::Segment> passes;
    for (int i = 0; i < m.marked; ++i)
        passes.push_back({.start = m.one_ms() * i, .length = m.one_ms(), .role = Role::target, .strength = 0.8F});
    ui::gantt_lane(canvas, theme, x, first + 32, h, passes);
    canvas.text({area.x, first + 17}, "at once", Font::text, 14, theme.muted);
    canvas.text({area.x, first + 49}, "one by one", Font::text, 14, theme.muted);
    const bool sure = doubt(*m.focus, m.marked).empty();
    const double gain = singly / together;
    ui::fitted_text(canvas, {area.x, first + 80},
                    ui::number(together, 2) + " ms against " + std::to_string(m.marked) + " × " + ui::number(m.one_ms(), 2) + " = " +
                        ui::number(singly, 2) +
                        " ms: " + (sure ? ui::speed_up(gain) : "~" + ui::speed_up(std::clamp(gain, 1.0, std::max<double>(1, m.marked)))),
                    Font::mono, 14, theme.ink, area.w);
}

void draw_bottleneck_forms(const BottleneckDraw& d, Rect area) {
    const BottleneckModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.line({area.x, area.y - 9.5F}, {area.right(), area.y - 9.5F}, theme.hairline());
    ui::fitted_text(canvas, {area.x, area.y + 16},
                    (m.marked > 1 ? "One token, and " + counted(m.marked, "token") + " at once," : std::string("One token")) +
                        " on one clock, " + m.forms.front()->model,
                    Font::text_bold, 15, theme.ink, area.w);
    constexpr float kPitch = 32, kHeight = 24, kValues = 216;
    const float left = area.x + 92, first = area.y + 28;
    const auto took = [&](const PassTimes& of) {
        const PassTime* pass = of.of(m.marked);
        return pass ? pass->ms : of.passes.front().ms;
    };
    double longest = 0;
    for (const PassTimes* of : m.forms) longest = std::max({longest, took(*of), of->passes.front().ms});
    const ui::Scale x{0, longest, left, area.right() - kValues};
    float y = first;
    for (const PassTimes* of : m.forms) {
        if (y + kHeight > area.bottom() + 4) break;
        const double one = of->passes.front().ms, many = took(*of);
        const std::vector<ui::Segment> parts = {
            {.start = 0, .length = std::min(one, many), .role = Role::target, .label = "1 token"},
            {.start = one, .length = std::max(many - one, 0.0), .role = Role::target, .strength = 0.55F}};
        ui::gantt_lane(canvas, theme, x, y, kHeight, std::span(parts).first(many > one ? 2 : 1));
        canvas.text({area.x, y + 17}, bits_words(of->form), Font::text, 14, theme.muted);
        canvas.text({area.right(), y + 17},
                    ui::number(one, 2) +
                        (of->of(m.marked) && m.marked > 1 ? " → " + ui::number(many, 2) + " ms, " + factor_words(*of, m.marked) : " ms"),
                    Font::mono, 14, theme.ink, Align::right);
        y += kPitch;
    }
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
        ui::paragraph(canvas, {x, r.y + 64}, w, "The published figures are not at hand.", {.color = theme.muted});
        return;
    }
    ui::fitted_text(canvas, {x, r.y + 54}, "PUBLISHED, a model of 7 billion weights", Font::text, 14, theme.muted, w);
    const ui::ParagraphStyle words{.size = 14, .color = theme.muted, .max_lines = 2};
    const float foot = ui::paragraph_above(canvas, {x, r.bottom() - 20}, w, d.input.figures->source_of(*figures.front()).title, words);
    float y = r.y + 84;
    for (const PublishedFigure* figure : figures) {
        const float lines = ui::line_height(words.size) * static_cast<float>(ui::paragraph_lines(canvas, w, figure->claim, words));
        if (y + 24 + lines > foot - 24) break;
        const bool wrong = figure->standing == Standing::wrong;
        const Rect box{x, y - 15, 112, 22};
        canvas.hatch(box, theme.role(wrong ? Role::rejected : Role::target).alpha(0.25F));
        canvas.outline(box, {theme.role(wrong ? Role::rejected : Role::target), 1}, 3);
        canvas.text({box.right() - 8, y + 1}, published_value(*figure), Font::mono, 14, theme.ink, Align::right);
        ui::fitted_text(canvas, {x + 124, y + 1}, standing_words(figure->standing), Font::text, 14, theme.muted, w - 124);
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
    ui::tooltip(ui, at, "How much longer 16 tokens take: say it before you measure");
    if (const auto pick = ui::segmented(ui, "said", {at.x, at.y}, sayings, d.state.said)) choose_answer(d, *pick);
    if (m.told && m.measured() && row.room() > 120) {
        at = row.place(108);
        ui::field_label(ui, at, "Tokens N");
        const auto& passes = m.focus->passes;
        const auto here = std::ranges::find(passes, m.marked, &PassTime::rows) - passes.begin();
        if (const auto to = ui::stepper(ui, "rows", at, static_cast<double>(here),
                                        {.low = 0, .high = static_cast<double>(passes.size() - 1), .text = std::to_string(m.marked)}))
            d.state.rows = passes[static_cast<std::size_t>(*to)].rows;
    }
    at = row.place(std::min(168.0F, row.room()));
    if (at.w < 96) return;
    ui::field_label(ui, at, "This machine");
    if (!m.under_way.empty()) {
        if (ui::button(ui, "measure", at, "Stop", {.shortcut = "Esc"})) d.out.push_back(Command{Cancel{}});
        return;
    }
    const std::string off = no_models(d.input).empty() ? capital(m.untimed) : no_models(d.input);
    if (ui::button(ui, "measure", at, "Measure", {.shortcut = "M", .tooltip = "Times passes over 1 to 64 tokens", .disabled = off}))
        d.out.push_back(measure_both());
    if (!m.told || row.room() < 168) return;
    at = row.place(168);
    ui::field_label(ui, at, "The same shape");
    if (ui::button(ui, "forms", at, "In fewer bytes",
                   {.shortcut = "B", .disabled = off.empty() && !m.timed_here() ? "Measure first: M" : off}))
        measure_and_show_forms(d.out);
}

} // namespace speclens
