// The pictures of S1: memory, bus and arithmetic; the time of a pass by its tokens; one pass against many.
#include <algorithm>
#include <cmath>

#include "engine/published/published_words.h"
#include "scenes/bottleneck/bottleneck_model.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/glyphs.h"
#include "ui/plot.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

Message standing_words(const PublishedFigure& figure) {
    if (figure.standing == Standing::wrong) return bottleneck_says("details.standing:wrong"_t);
    return figure.standing == Standing::derived ? bottleneck_says("details.standing:derived"_t)
                                                : bottleneck_says("details.standing:as_said"_t);
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
    const bool forms = !m.forms.empty();
    part_head(d.ui, r, bottleneck_says("chart.title"_t, "bits"_v = forms ? bits_of(m.forms.front()->form) : 0),
              {bottleneck_says("chart.key"_t, "grey"_v = forms), bottleneck_says("chart.key_short"_t, "grey"_v = forms)});
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
        canvas.print({plot.x - 8, y + 5}, std::to_string(times) + "×", Font::mono, 14, theme.muted, Align::right);
    }
    for (int rows = 1; rows <= widest; rows *= 2)
        canvas.print({chart.x(rows), plot.bottom() + 20}, std::to_string(rows), Font::mono, 14, rows == m.marked ? theme.ink : theme.muted,
                     Align::center);
    canvas.text({plot.center().x, plot.bottom() + 40}, bottleneck_says("chart.axis"_t), Font::text, 14, theme.muted, Align::center);
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
    const Message name = d.model.forms.empty() ? Message(of.model) : bottleneck_says("lanes.bits"_t, "bits"_v = bits_of(of.form));
    ui::plotted(d.ui.canvas, chart.plot, ui::PlotMark::line, name, of.passes, [&](const PassTime& pass) {
        return ui::PlotDatum{.x = static_cast<double>(pass.rows), .y = pass.ms / one, .low = pass.ms / one, .high = pass.median / one};
    });
    for (std::size_t i = 0; i < line.size(); ++i) {
        const PassTime& pass = of.passes[i];
        const float top = std::max(chart.plot.y, chart.y(pass.median / one)); // up to the median: how much it varied
        d.ui.canvas.line({line[i].x, line[i].y}, {line[i].x, top}, {color_of(d, of), 1.5F});
        mark(d, of, line[i]);
        ui::thing(d.ui, {line[i].x - 8, line[i].y - 8, 16, 16}, pass_words(d.model, of, pass));
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
    const auto line = [&](const Rect& r, float y, const Message& words, bool head) {
        ui::fitted_text(canvas, {r.x + 14, r.y + y}, words, head ? Font::text_bold : Font::text, head ? 15 : 14,
                        head ? theme.ink : theme.muted, box - 28);
    };
    const double used = m.rate(m.marked) / m.best_rate(), reads = t.weight_bytes / m.ms(m.marked) / 1e6;
    line(memory, 24, bottleneck_says("bus.weights"_t, "size"_v = t.weight_bytes), true);
    line(memory, 44, bottleneck_says("bus.read"_t), false);
    line(units, 24, bottleneck_says("bus.tokens"_t, "tokens"_v = m.marked), true);
    line(units, 44, bottleneck_says("bus.busy"_t, "share"_v = used), false);
    ui::bar(canvas, theme, {units.x, units.bottom() + 8, units.w, 6}, used, Role::target);
    const float from = memory.right() + 12, to = units.x - 12, y = area.y + h / 2, room = to - from - 16;
    canvas.fill({from, y - 5, to - from - 8, 10}, theme.tint(Role::target), 2);
    ui::arrow(canvas, {from, y}, {to, y}, {theme.role(Role::target), 2}, 8);
    const auto rate = "rate"_v = reads;
    one_of(d.ui, {from + 8, y - 14}, room,
           {bottleneck_says("bus.rate"_t, "model"_v = t.model, rate), bottleneck_says("bus.rate_short"_t, rate)}, theme.ink);
    if (t.floor_ms() > 0)
        ui::fitted_text(canvas, {from + 8, y + 24},
                        bottleneck_says("bus.plain"_t, "rate"_v = t.bandwidth_gbs, "cached"_v = reads > kWholeBandwidth * t.bandwidth_gbs),
                        Font::text, 14, theme.muted, room);
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
    bool room = true;
    for (const PassTimes* of : models) {
        const bool form = !m.forms.empty() || std::ranges::find(m.formless, of) != m.formless.end();
        const std::vector<Message> lines = form ? form_facts(m, *of) : model_facts(*of, m.marked);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const ui::ParagraphStyle style{.font = i == 0 ? Font::text_bold : Font::text,
                                           .size = i == 0 ? 15.0F : 14.0F,
                                           .color = i == 0 ? theme.ink : theme.muted,
                                           .leading = 20,
                                           .max_lines = 2};
            room = room && y + 20 * static_cast<float>(ui::paragraph_lines(canvas, w, lines[i], style) - 1) <= area.bottom() - 4;
            if (!room) {
                canvas.tell(lines[i], area);
                continue;
            }
            if (i == 0 && of->passes.size() >= 2) {
                canvas.line({area.x, y - 5}, {area.x + 18, y - 5}, stroke_of(d, *of));
                mark(d, *of, {area.x + 9, y - 5});
            }
            y = ui::paragraph(canvas, {x, y}, w, lines[i], style);
        }
        for (const Message& words : rate_facts(*of)) canvas.tell(words, area);
        y += 14;
    }
    for (const PassTimes* of : {m.beside, m.times}) { // no curve among the forms
        if (!of || std::ranges::find(models, of) != models.end()) continue;
        for (const Message& words : model_facts(*of, m.marked)) canvas.tell(words, area);
        for (const Message& words : rate_facts(*of)) canvas.tell(words, area);
        for (const PassTime& pass : of->passes) canvas.tell(pass_words(m, *of, pass), area);
    }
}

void draw_bottleneck_lanes(const BottleneckDraw& d, Rect area) {
    const BottleneckModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.line({area.x, area.y - 9.5F}, {area.right(), area.y - 9.5F}, theme.hairline());
    part_head(d.ui, {area.x, area.y + 2, area.w, area.h},
              bottleneck_says("lanes.title"_t, "tokens"_v = m.marked, "model"_v = m.focus->model));
    const float left = area.x + 92, first = area.y + 30, h = 24;
    const double together = m.ms(m.marked), singly = m.one_ms() * m.marked;
    const ui::Scale x{0, std::max(together, singly) * 1.02, left, area.right() - 8};
    const ui::Segment pass = {
        .start = 0, .length = together, .role = Role::target, .label = bottleneck_says("lanes.pass"_t), .value = ui::number(together, 2)};
    ui::gantt_lane(canvas, theme, x, first, h, std::span(&pass, 1));
    std::vector<ui::Segment> passes;
    for (int i = 0; i < m.marked; ++i)
        passes.push_back({.start = m.one_ms() * i, .length = m.one_ms(), .role = Role::target, .strength = 0.8F});
    ui::gantt_lane(canvas, theme, x, first + 32, h, passes);
    canvas.text({area.x, first + 17}, bottleneck_says("lanes.together"_t), Font::text, 14, theme.muted);
    canvas.text({area.x, first + 49}, bottleneck_says("lanes.singly"_t), Font::text, 14, theme.muted);
    const bool doubtful = !doubt(*m.focus, m.marked).empty();
    const double gain = singly / together;
    const Message times = bottleneck_says("words.figure"_t, "doubt"_v = doubtful,
                                          "times"_v = doubtful ? std::clamp(gain, 1.0, std::max<double>(1, m.marked)) : gain);
    ui::fitted_text(canvas, {area.x, first + 80},
                    bottleneck_says("lanes.sum"_t, "ms"_v = together, "tokens"_v = m.marked, "one"_v = m.one_ms(), "singly"_v = singly,
                                    "gain"_v = times),
                    Font::mono, 14, theme.ink, area.w);
}

void draw_bottleneck_forms(const BottleneckDraw& d, Rect area) {
    const BottleneckModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.line({area.x, area.y - 9.5F}, {area.right(), area.y - 9.5F}, theme.hairline());
    part_head(d.ui, {area.x, area.y + 2, area.w, area.h},
              bottleneck_says("lanes.forms"_t, "tokens"_v = m.marked > 1 ? m.marked : 0, "model"_v = m.forms.front()->model));
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
            {.start = 0, .length = std::min(one, many), .role = Role::target, .label = bottleneck_says("lanes.one"_t)},
            {.start = one, .length = std::max(many - one, 0.0), .role = Role::target, .strength = 0.55F}};
        ui::gantt_lane(canvas, theme, x, y, kHeight, std::span(parts).first(many > one ? 2 : 1));
        canvas.text({area.x, y + 17}, bottleneck_says("lanes.bits"_t, "bits"_v = bits_of(of->form)), Font::text, 14, theme.muted);
        canvas.text({area.right(), y + 17},
                    bottleneck_says("lanes.form"_t, "one"_v = one,
                                    "many"_v = of->of(m.marked) && m.marked > 1 ? std::optional(many) : std::nullopt,
                                    "times"_v = factor_words(*of, m.marked)),
                    Font::mono, 14, theme.ink, Align::right);
        y += kPitch;
    }
}

void draw_bottleneck_details(const BottleneckDraw& d) {
    const Rect r = d.input.details;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x + 24, w = r.w - 48;
    DetailsColumn column(d.ui, r);
    column.title(bottleneck_says("details.title"_t));
    const auto figures = printed_shares(d.input.figures);
    if (figures.empty()) return column.paragraph(no_figures(), theme.muted, 2);
    column.line(bottleneck_says("details.under"_t), theme.muted);
    const ui::ParagraphStyle style{.size = 14, .color = theme.muted, .max_lines = 2};
    const Message source = bottleneck_says("details.source"_t, "title"_v = d.input.figures->source_of(*figures.front()).title);
    const float foot = ui::paragraph_above(canvas, {x, r.bottom() - 20}, w, source, style);
    float y = r.y + 84;
    for (const PublishedFigure* figure : figures) { // a message; what stands in its lines is printed
        const Message value = message(value_said(*figure)), standing = standing_words(*figure), claimed = message(claim_said(*figure));
        const Message whole = bottleneck_says("details.figure"_t, "claim"_v = claimed, "value"_v = value, "standing"_v = standing);
        const std::vector<std::string_view> claim = ui::wrap(canvas, claimed, Font::text, 14, w);
        const float lines = ui::line_height(14) * static_cast<float>(std::min<std::size_t>(2, claim.size()));
        const bool room = y + 24 + lines <= foot - 24;
        canvas.tell(whole, {x, y - 15, w, 30 + lines}, room ? ui::Canvas::Told::drawn : ui::Canvas::Told::of_a_thing);
        if (!room) continue;
        const ui::Color color = theme.role(figure->standing == Standing::wrong ? Role::rejected : Role::target);
        const Rect box{x, y - 15, 112, 22};
        canvas.hatch(box, color.alpha(0.25F));
        canvas.outline(box, {color, 1}, 3);
        canvas.print({box.right() - 8, y + 1}, value, Font::mono, 14, theme.ink, Align::right);
        canvas.print({x + 124, y + 1}, ui::fit_printed(canvas, standing, Font::text, 14, w - 124), Font::text, 14, theme.muted);
        for (std::size_t i = 0; i < std::min<std::size_t>(2, claim.size()); ++i) {
            const std::string_view rest = i == 0 ? claim[0] : std::string_view(claim[1].data(), claim.back().end());
            canvas.print({x, y + 22 + 20 * static_cast<float>(i)}, ui::fit_printed(canvas, rest, Font::text, 14, w), Font::text, 14,
                         theme.muted);
        }
        y += 30 + lines;
    }
}

void draw_bottleneck_controls(const BottleneckDraw& d) {
    ui::Ui& ui = d.ui;
    const BottleneckModel& m = d.model;
    ControlRow row(d.input.controls);
    std::vector<Message> sayings;
    for (const int times : kSayings) sayings.push_back(bottleneck_says("controls.times"_t, "times"_v = times));
    const auto asked = "tokens"_v = kAsked;
    if (const auto pick =
            segmented(ui, row, {"said", bottleneck_says("controls.said"_t, asked), bottleneck_says("controls.said_about"_t, asked)},
                      sayings, d.state.said))
        choose_answer(d, *pick);
    if (m.shown && m.measured()) {
        const auto& passes = m.focus->passes;
        const auto here = static_cast<int>(std::ranges::find(passes, m.marked, &PassTime::rows) - passes.begin());
        if (const auto to =
                stepper(ui, row, {"rows", bottleneck_says("controls.tokens"_t), bottleneck_says("controls.tokens_about"_t)},
                        bottleneck_says("controls.marked"_t, "tokens"_v = m.marked), here, static_cast<int>(passes.size()), 108))
            d.state.rows = passes[static_cast<std::size_t>(*to)].rows;
    }
    Rect at = row.place(std::min(168.0F, row.room()));
    if (at.w < 96) return;
    ui::field_label(ui, at, bottleneck_says("controls.machine"_t));
    if (!m.under_way.empty()) {
        if (ui::button(ui, "measure", at, bottleneck_says("controls.stop"_t), {.shortcut = "Esc"})) d.out.push_back(Command{Cancel{}});
        return;
    }
    Message off = no_models(d.input);
    if (off.empty() && !m.untimed.empty()) off = bottleneck_says("controls.untimed"_t, "untimed"_v = m.untimed);
    if (ui::button(ui, "measure", at, bottleneck_says("controls.measure"_t),
                   {.shortcut = "M", .tooltip = bottleneck_says("controls.measure_about"_t), .disabled = off}))
        d.out.push_back(measure_both());
    if (!m.shown || row.room() < 168) return;
    at = row.place(168);
    ui::field_label(ui, at, bottleneck_says("controls.shape"_t));
    if (off.empty() && !m.timed_here()) off = bottleneck_says("controls.first"_t);
    if (ui::button(ui, "forms", at, bottleneck_says("controls.forms"_t), {.shortcut = "B", .disabled = off})) measure_and_show_forms(d.out);
}

} // namespace speclens
