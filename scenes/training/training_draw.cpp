// The pictures of S10: losses of short runs, acceptance by position, what every arm was worth, and the
// weights.
#include "scenes/training/training_draw.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "engine/published/published_words.h"
#include "scenes/shared/panel.h"
#include "ui/format.h"
#include "ui/text_layout.h"
#include "ui/widgets.h"

namespace speclens {
namespace {

constexpr float kBarRow = 26, kLowBarRow = 17, kArmGap = 6, kArmsHead = 44;

// Lines of all arms, the chosen one last and strong.
template <class Draw>
void in_turn(const TrainingModel& m, const Draw& draw) {
    for (int i = 0; i < static_cast<int>(m.arms.size()); ++i)
        if (i != m.arm) draw(m.arms[static_cast<std::size_t>(i)], false);
    draw(m.chosen(), true);
}

int number_of(const TrainingModel& m, const TrainingArm& arm) { return static_cast<int>(&arm - m.arms.data()) + 1; }

// Numbers of the arms at the ends of their lines; their rows below have the same ones.
struct LineEnd {
    Vec2 at;
    int arm = 0;
    bool chosen = false, dashed = false;
};
void number_lines(const TrainingDraw& d, Rect plot, std::vector<LineEnd> ends) {
    constexpr float kHigh = 14, kWide = 12;
    if (static_cast<float>(ends.size()) * kHigh > plot.h + kHigh) std::erase_if(ends, [](const LineEnd& end) { return end.dashed; });
    std::ranges::sort(ends, {}, [](const LineEnd& end) { return end.at.y; });
    std::vector<Vec2> taken;
    const auto free = [&](Vec2 at) {
        return std::ranges::none_of(taken,
                                    [&](Vec2 other) { return std::abs(other.x - at.x) < kWide && std::abs(other.y - at.y) < kHigh; });
    };
    for (const LineEnd& end : ends) {
        Vec2 at = {end.at.x + 6, std::clamp(end.at.y + 5, plot.y + 9, plot.bottom())};
        while (!free(at) && at.y < plot.bottom()) at.y += 1;
        while (!free(at) && at.y > plot.y + 9) at.y -= 1;
        if (!free(at)) continue;
        taken.push_back(at);
        d.ui.canvas.print(at, std::to_string(end.arm), end.chosen ? Font::mono_medium : Font::mono, 14,
                          end.chosen ? d.ui.theme.ink : d.ui.theme.muted);
    }
}

Message series_words(const TrainingArm& arm, bool base) { return training_says("loss.series"_t, "arm"_v = arm.name, "base"_v = base); }

Message point_words(const TrainingArm& arm, std::size_t k) {
    return training_says("kept.point"_t, "position"_v = k + 1, "share"_v = arm.conditional[k], "judged"_v = arm.judged[k],
                         "few"_v = arm.few(k));
}

} // namespace

TrainingChart training_chart(ui::Ui& ui, Rect r, ChartSpan x, ChartSpan y, const Message& axis, float right, double above) {
    const Rect plot{r.x + 40, r.y + 50, r.w - 40 - right, r.h - 50 - 44};
    const TrainingChart chart{plot, {x.from, x.to, plot.x, plot.right()}, {y.from, y.to * above, plot.bottom(), plot.y}};
    int lines = 5;
    if (r.h <= 220) lines = r.h > 180 ? 3 : 2;
    ui::axis_y(ui.canvas, ui.theme, chart.y, plot.x, ui::ticks(y.from, y.to, lines),
               {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    ui.canvas.text({plot.center().x, plot.bottom() + 40}, axis, Font::text, 14, ui.theme.muted, Align::center);
    return chart;
}

void tell_training_lines(const TrainingDraw& d) {
    for (const TrainingArm& arm : d.model.arms) {
        const auto chosen = "chosen"_v = &arm == &d.model.chosen();
        for (const bool base : {false, true}) {
            const std::vector<double>& curve = base ? arm.base_loss : arm.loss;
            const std::size_t known = std::min(curve.size(), arm.positions.size());
            if (known > 0)
                d.ui.canvas.tell(training_says("loss.curve"_t, "series"_v = series_words(arm, base), chosen, "from"_v = curve.front(),
                                               "to"_v = curve.back(), "millions"_v = arm.positions[known - 1] / 1e6),
                                 d.input.stage);
        }
        if (!arm.conditional.empty())
            d.ui.canvas.tell(training_says("kept.curve"_t, "arm"_v = arm.name, chosen,
                                           "points"_v = each_said(std::views::iota(std::size_t{0}, arm.conditional.size()),
                                                                  [&](std::size_t k) { return point_words(arm, k); })),
                             d.input.stage);
    }
}

void draw_training_curves(const TrainingDraw& d, Rect r) {
    const TrainingModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    std::vector<Message> ways = {training_says("loss.under"_t, "arm"_v = m.chosen().name, "base"_v = false)};
    if (!m.chosen().base_loss.empty()) ways.insert(ways.begin(), training_says("loss.under"_t, "arm"_v = m.chosen().name, "base"_v = true));
    part_head(d.ui, r, training_says("loss.title"_t), ways);
    double most = 1, low = 1e9, high = 0;
    for (const TrainingArm& arm : m.arms)
        for (const std::vector<double>* curve : {&arm.loss, &arm.base_loss})
            for (std::size_t i = 0; i < std::min(curve->size(), arm.positions.size()); ++i) {
                most = std::max(most, arm.positions[i]);
                low = std::min(low, (*curve)[i]);
                // The first steps are off the scale: what matters happens later.
                if (i >= curve->size() / 8) high = std::max(high, (*curve)[i]);
            }
    if (high <= 0) return;
    const TrainingChart chart =
        training_chart(d.ui, r, {0, most / 1e6}, {std::floor(low * 4) / 4, high}, training_says("loss.axis"_t), 24, 1.02);
    const Rect plot = chart.plot;
    ui::axis_x(canvas, theme, chart.x, plot.bottom(), ui::ticks(0, most / 1e6, 4), {});
    std::vector<LineEnd> ends;
    canvas.push_clip({plot.x, plot.y - 2, plot.w + 2, plot.h + 4});
    in_turn(m, [&](const TrainingArm& arm, bool chosen) {
        const ui::Color color = chosen ? theme.ink : theme.muted.alpha(0.6F);
        const auto line = [&](const std::vector<double>& curve, bool dashed) {
            const std::size_t known = std::min(curve.size(), arm.positions.size());
            ui::plotted(canvas, plot, ui::PlotMark::line, series_words(arm, dashed), std::views::iota(std::size_t{0}, known),
                        [&](std::size_t i) { return ui::PlotDatum{.x = arm.positions[i] / 1e6, .y = curve[i]}; });
            std::vector<Vec2> points;
            for (std::size_t i = 0; i < known; ++i) points.push_back({chart.x(arm.positions[i] / 1e6), chart.y(curve[i])});
            canvas.polyline(points, dashed ? ui::Stroke{color, chosen ? 2.0F : 1.0F, 5, 4} : ui::Stroke{color, chosen ? 2.5F : 1.0F});
            if (!points.empty()) ends.push_back({points.back(), number_of(m, arm), chosen, dashed});
        };
        line(arm.loss, false);
        line(arm.base_loss, true);
    });
    canvas.pop_clip();
    number_lines(d, plot, ends);
    if (!m.losses) return;
    const float here = chart.x(d.state.progress * most / 1e6); // what the details speak of; to be dragged
    canvas.line({here, plot.y}, {here, plot.bottom()}, {theme.ink, 1, 3, 3});
    const ui::Handle handle = ui::drag_handle(d.ui, "progress", {here, plot.bottom()}, plot.w / 50);
    canvas.disc({here, plot.bottom()}, 6, theme.ink);
    if (handle.touch.focused) ui::focus_ring(canvas, theme, {here - 8, plot.bottom() - 8, 16, 16});
    if (handle.moved) d.state.progress = std::clamp(chart.x.inverse(handle.moved->x) * 1e6 / most, 0.0, 1.0);
}

void draw_training_acceptance(const TrainingDraw& d, Rect r) {
    const TrainingModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const auto arm_name = "arm"_v = m.chosen().name;
    const auto temperature = "temperature"_v = at_temperature(m);
    const auto enough = "enough"_v = kEnoughRounds;
    part_head(d.ui, r, training_says("kept.title"_t),
              {training_says("kept.under:all"_t, arm_name, temperature, enough),
               training_says("kept.under:served"_t, arm_name, temperature, enough), training_says("kept.under:arm"_t, arm_name, enough),
               training_says("kept.under:rings"_t, enough)});
    std::size_t longest = 2;
    for (const TrainingArm& arm : m.arms) longest = std::max(longest, arm.conditional.size());
    const TrainingChart chart = training_chart(d.ui, r, {0.6, static_cast<double>(longest) + 0.4}, {0, 1}, training_says("kept.axis"_t));
    const Rect plot = chart.plot;
    for (std::size_t k = 1; k <= longest; k += longest > 9 ? 2 : 1)
        canvas.print({chart.x(static_cast<double>(k)), plot.bottom() + 20}, std::to_string(k), Font::mono, 14, theme.muted, Align::center);
    std::vector<LineEnd> ends;
    in_turn(m, [&](const TrainingArm& arm, bool chosen) {
        ui::plotted_by_place(canvas, plot, ui::PlotMark::line, arm.name, arm.conditional);
        std::vector<Vec2> points, sure; // the line ends where few guesses were judged
        for (std::size_t k = 0; k < arm.conditional.size(); ++k) {
            points.push_back({chart.x(static_cast<double>(k + 1)), chart.y(arm.conditional[k])});
            if (sure.size() == k && !arm.few(k)) sure.push_back(points.back());
        }
        canvas.polyline(sure, {chosen ? theme.ink : theme.muted.alpha(0.6F), chosen ? 2.5F : 1.0F});
        if (!sure.empty()) ends.push_back({sure.back(), number_of(m, arm), chosen, false});
        if (chosen)
            for (std::size_t k = 0; k < points.size(); ++k) {
                if (arm.few(k))
                    canvas.ring(points[k], 3.5F, {theme.muted, 1.5F});
                else
                    canvas.disc(points[k], 4, theme.ink);
                ui::tooltip(d.ui, {points[k].x - 8, points[k].y - 8, 16, 16}, point_words(arm, k));
            }
    });
    number_lines(d, plot, ends);
}

namespace {

Message guesses_words(const TrainingArm::Bar& bar) {
    return training_says("arm.guesses"_t, "base"_v = bar.base_only, "guesses"_v = bar.drafts);
}

Message bar_words(const TrainingArm::Bar& bar) {
    std::vector<Said> seeds;
    if (bar.seeds.size() > 1) seeds = each_said(bar.seeds, [](double tokens) { return training_said("arm.seed"_t, "tokens"_v = tokens); });
    return training_says("arm.bar"_t, "guesses"_v = guesses_words(bar), "tokens"_v = bar.tokens, "low"_v = bar.low, "high"_v = bar.high,
                         "seeds"_v = seeds);
}

float bar_rows(const TrainingModel& m) {
    std::size_t rows = 0;
    for (const TrainingArm& arm : m.arms) rows += std::max<std::size_t>(1, arm.bars.size());
    return static_cast<float>(rows);
}

} // namespace

float training_arms_height(const TrainingModel& m, bool least) {
    return kArmsHead + (least ? kLowBarRow : kBarRow) * bar_rows(m) + kArmGap * static_cast<float>(m.arms.size());
}

void draw_training_arms(const TrainingDraw& d, Rect area) {
    const TrainingModel& m = d.model;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    canvas.line({area.x, area.y - 9.5F}, {area.right(), area.y - 9.5F}, theme.hairline());
    ui::fitted_text(canvas, {area.x, area.y + 16}, training_says("served.title"_t, "temperature"_v = at_temperature(m)), Font::text_bold,
                    15, theme.ink, area.w * 0.6F);
    const bool dots = std::ranges::any_of(m.arms, [](const TrainingArm& arm) {
        return std::ranges::any_of(arm.bars, [](const TrainingArm::Bar& bar) { return bar.seeds.size() > 1; });
    });
    canvas.text({area.right(), area.y + 16}, training_says("served.key"_t, "seeds"_v = dots), Font::text, 14, theme.muted, Align::right);
    double most = 1;
    for (const TrainingArm& arm : m.arms)
        for (const TrainingArm::Bar& bar : arm.bars) most = std::max(most, bar.high);
    const float name = std::min(230.0F, area.w * 0.28F), detail = 150, number = 56;
    const float left = area.x + name + detail, right = area.right() - number;
    const ui::Scale x{0, most * 1.02, left, right};
    for (const TrainingArm& arm : m.arms)
        ui::plotted(canvas, {left, area.y + 30, right - left, area.h - 30}, ui::PlotMark::rows, arm.name, arm.bars,
                    [&](const TrainingArm::Bar& bar) {
                        const Message label = training_says("arm.label"_t, "arm"_v = arm.name, "guesses"_v = guesses_words(bar));
                        return ui::PlotDatum{.x = bar.tokens, .low = bar.low, .high = bar.high, .label = label};
                    });
    // Every arm has its row: the title may name any of them.
    constexpr float kRoomRow = 32; // of a presenter
    const float row_height =
        std::min(d.input.presenter ? kRoomRow : kBarRow, (area.h - kArmsHead - kArmGap * static_cast<float>(m.arms.size())) / bar_rows(m));
    const float middle = row_height / 2;
    float y = area.y + 30;
    for (int i = 0; i < static_cast<int>(m.arms.size()); ++i) {
        const TrainingArm& arm = m.arms[static_cast<std::size_t>(i)];
        const float h = row_height * static_cast<float>(std::max<std::size_t>(1, arm.bars.size()));
        const Rect box{area.x - 8, y, area.w + 16, h};
        if (choosable(d.ui, "arm " + arm.arm->name, box, i == m.arm, {0.9F, 0.45F})) d.state.choose(i);
        const ui::Color ink = i == m.arm ? theme.ink : theme.muted;
        const float indent = d.lines ? 18 : 0;
        if (d.lines) canvas.print({area.x, y + middle + 5}, std::to_string(i + 1), i == m.arm ? Font::mono_medium : Font::mono, 14, ink);
        cell(d.ui, {area.x + indent, y + middle + 5}, arm.name, name - 8 - indent, {ink, 15});
        canvas.tell(training_says("arm.row"_t, "arm"_v = arm.name, "chosen"_v = i == m.arm, "bars"_v = each_said(arm.bars, bar_words)), box,
                    ui::Canvas::Told::drawn);
        float row = y;
        for (const TrainingArm::Bar& bar : arm.bars) {
            cell(d.ui, {area.x + name, row + middle + 5}, guesses_words(bar), detail - 10, {theme.muted});
            ui::bar(canvas, theme, {left, row + middle - 5, right - left, 10}, bar.tokens / x.hi, Role::draft, bar.base_only ? 0.5F : 1);
            canvas.line({x(bar.low), row + middle}, {x(bar.high), row + middle}, {theme.ink, 1.5F});
            if (bar.seeds.size() > 1)
                for (const double tokens : bar.seeds) canvas.disc({x(tokens), row + middle}, 3, theme.ink);
            canvas.print({area.right(), row + middle + 5}, ui::per_round(bar.tokens), Font::mono, 14, theme.ink, Align::right);
            row += row_height;
        }
        y += h + kArmGap;
    }
}

namespace {

void published_bars(const TrainingDraw& d, Rect r) {
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    ui::fitted_text(canvas, {r.x, r.y + 14}, training_says("published.title"_t), Font::text, 14, theme.muted, r.w);
    float y = r.y + 26;
    if (!d.input.figures) return;
    const std::pair<const char*, Message> rows[] = {{"domino-train-ttt-tokens", training_says("published.prefix:own"_t)},
                                                    {"domino-train-tf-tokens", training_says("published.prefix:text"_t)},
                                                    {"domino-train-curriculum-tokens", training_says("published.prefix:fading"_t)},
                                                    {"domino-train-dflash-tokens", training_says("published.prefix:dflash"_t)}};
    for (const auto& [id, words] : rows) {
        const PublishedFigure* figure = d.input.figures->find(id);
        if (!figure) continue;
        const Message row = training_says("published.row"_t, "claim"_v = claim_said(*figure), "value"_v = value_said(*figure),
                                          "source"_v = citation_said(*figure, d.input.figures->source_of(*figure)));
        if (y + 22 > r.bottom()) {
            canvas.tell(row, r);
            continue;
        }
        const Rect bar{r.x + 150, y + 5, (r.w - 150 - 48) * static_cast<float>(figure->values.front() / 5), 12};
        canvas.hatch(bar, theme.role(Role::draft));
        canvas.outline(bar, {theme.role(Role::draft), 1}, 2);
        ui::fitted_text(canvas, {r.x, y + 16}, words, Font::text, 14, theme.muted, 142);
        canvas.print({r.right(), y + 16}, ui::number(figure->values.front(), 2), Font::mono, 14, theme.ink, Align::right);
        ui::thing(d.ui, {r.x, y, r.w, 22}, row);
        y += 24;
    }
}

// How the positions are weighed; told also where the bars have no room.
void weight_bars(const TrainingDraw& d, Rect r) {
    constexpr float kLeast = 76;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const PositionWeights& weights = d.model.weights;
    const auto by_step = "by_step"_v = weights.by_step;
    const Message title = training_says("weights.title"_t, by_step, "way"_v = weights_words(weights), "own"_v = d.model.own_weights);
    if (!weights.by_block)
        canvas.tell(training_says("weights.bars"_t, by_step,
                                  "weights"_v =
                                      each_said(std::views::iota(1, weights.positions + 1),
                                                [&](int k) { return training_said("weights.bar"_t, "k"_v = k, "weight"_v = weights(k)); })),
                    r);
    if (r.h < kLeast) return canvas.tell(title, r);
    ui::fitted_text(canvas, {r.x, r.y + 14}, title, Font::text, 14, theme.muted, r.w);
    if (weights.by_block) return;
    const float column = r.w / 15, floor = r.bottom() - 18, tall = floor - r.y - 26;
    for (int k = 1; k <= weights.positions; ++k) {
        const float left = r.x + column * static_cast<float>(k - 1), h = tall * static_cast<float>(weights(k));
        canvas.fill({left + 2, floor - h, column - 4, h}, theme.role(Role::draft).alpha(0.85F), 2);
        if (k % 2 == 1) canvas.print({left + column / 2, floor + 16}, std::to_string(k), Font::mono, 14, theme.muted, Align::center);
    }
}

} // namespace

void draw_training_details(const TrainingDraw& d) {
    const Rect r = d.input.details;
    DetailsColumn column(d.ui, r);
    const float x = r.x + 24, w = r.w - 48;
    float y = r.y + 46;
    if (const auto& losses = d.model.losses) {
        const auto formula = [&](float below, const Message& words) {
            ui::fitted_text(d.ui.canvas, {x, r.y + below}, words, Font::mono, 14, d.ui.theme.ink, w);
        };
        const auto weight = "weight"_v = losses->weight;
        column.title(training_says("details.after"_t, "progress"_v = d.state.progress));
        formula(56, training_says("details.sum"_t, weight));
        formula(78, training_says("details.numbers"_t, "rest"_v = 1 - losses->weight, "final"_v = losses->final_loss, weight,
                                  "base"_v = losses->base_loss, "total"_v = losses->total()));
        y = r.y + 110;
    } else {
        column.title(training_says("details.title"_t));
    }
    const float rest = r.bottom() - 12 - y, weights = std::clamp(rest - 128, 0.0F, 120.0F);
    weight_bars(d, {x, y, w, weights});
    if (weights >= 76) y += weights + 14;
    published_bars(d, {x, y, w, r.bottom() - 8 - y});
}

void draw_training_controls(const TrainingDraw& d) {
    ui::Ui& ui = d.ui;
    const TrainingModel& m = d.model;
    ControlRow row(d.input.controls);
    const Rect at = row.place(std::min(240.0F, row.room()));
    ui::field_label(ui, at, training_says("controls.study"_t));
    std::vector<ui::Choice> studies;
    for (const AblationStudy* study : m.studies) studies.push_back({.label = study_words(*study)});
    const auto chosen = std::ranges::find(m.studies, m.study) - m.studies.begin();
    const Message none = studies.empty() ? training_says("controls.no_study"_t) : Message();
    if (const auto pick = ui::dropdown(ui, "study", at, studies, studies.empty() ? -1 : static_cast<int>(chosen), {.disabled = none});
        pick && *pick != chosen) {
        const AblationStudy& study = *m.studies[static_cast<std::size_t>(*pick)];
        d.state.study = study.name;
        d.state.target = study.target;
        d.state.choose(0);
        d.state.decay.reset();
    }
    const Message served[] = {training_says("words.temperature"_t, "temperature"_v = 0.0),
                              training_says("words.temperature"_t, "temperature"_v = kServedSampled)};
    if (row.room() > ui::segmented_width(ui.canvas, served)) {
        const ControlWords words{"served", training_says("controls.served"_t), training_says("controls.served_about"_t)};
        if (const auto pick = segmented(ui, row, words, served, d.state.sampled ? 1 : 0)) d.state.sampled = *pick == 1;
    }
    const auto slider = [&](const char* id, const Message& label, double& value, double high, double step) {
        if (row.room() < 120) return;
        const Rect place = row.place(std::min(160.0F, row.room()));
        ui::field_label(ui, place, label);
        if (const auto to = ui::slider(ui, id, {place.x, place.y + 8, place.w, 20}, value, 0, high, {.step = step})) value = *to;
    };
    if (m.losses) slider("progress bar", training_says("controls.progress"_t, "progress"_v = d.state.progress), d.state.progress, 1, 0.01);
    if (!m.study || !m.weights.can_decay()) return;
    double decay = m.weights.decay;
    slider("decay", training_says("controls.decay"_t, "g"_v = if_measured(decay)), decay, 16, 0.5);
    if (decay != m.weights.decay) d.state.decay = decay;
}

} // namespace speclens
