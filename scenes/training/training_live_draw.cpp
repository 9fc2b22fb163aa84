// The pictures of what learns here and now: its loss, what each head or guess names of text it never saw, how often guesses stay, and
// tokens per round.
#include <algorithm>
#include <cmath>
#include <functional>
#include <ranges>

#include "scenes/shared/measure_charts.h"
#include "scenes/shared/panel.h"
#include "scenes/training/training_draw.h"
#include "ui/format.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

auto is_layer(const HeadTrainingView& view) { return "layer"_v = view.plan.kind == HeadKind::mtp; }
Message name_of_guess(const HeadTrainingView& view, std::size_t k) {
    return training_says("learning.guess"_t, is_layer(view), "k"_v = k + 1);
}

TrainingChart step_chart(const TrainingDraw& d, Rect r, double low, double high, float right) {
    const double steps = d.input.training->plan.steps;
    const TrainingChart chart = training_chart(d.ui, r, {0, steps}, {low, high}, training_says("learning.axis"_t), right);
    ui::axis_x(d.ui.canvas, d.ui.theme, chart.x, chart.plot.bottom(), ui::ticks(0, steps, 4), {});
    return chart;
}

// The line of a number that each step has; none: it has not. Where it ends.
using NumberOf = std::function<std::optional<double>(const HeadTrainingPoint&)>;
Vec2 step_line(const TrainingDraw& d, const TrainingChart& chart, const std::string& name, ui::Color color, const NumberOf& y) {
    std::vector<Vec2> points;
    ui::plotted(d.ui.canvas, chart.plot, ui::PlotMark::line, name, d.input.training->curve, [&](const HeadTrainingPoint& point) {
        return ui::PlotDatum{.x = static_cast<double>(point.step), .y = y(point).value_or(ui::PlotDatum::kNone)};
    });
    for (const HeadTrainingPoint& point : d.input.training->curve)
        if (const auto value = y(point)) points.push_back({chart.x(point.step), chart.y(*value)});
    d.ui.canvas.polyline(points, {color, 2.5F});
    return points.back();
}

std::optional<double> loss_of(const HeadTrainingPoint& point) { return point.step > 0 ? std::optional(point.loss) : std::nullopt; }

// All that a step has: a row of what the charts draw as lines.
void tell_steps(const TrainingDraw& d) {
    const HeadTrainingView& view = *d.input.training;
    const auto shares = [&](const HeadWorth& worth) {
        return each_said(std::views::iota(std::size_t{0}, worth.shares.size()), [&](std::size_t k) {
            return training_said("learning.share"_t, "guess"_v = name_of_guess(view, k), "share"_v = worth.shares[k]);
        });
    };
    for (const HeadTrainingPoint& point : view.curve)
        d.ui.canvas.tell(training_says("learning.step"_t, "step"_v = point.step, "loss"_v = loss_of(point),
                                       "tokens"_v = point.worth.tokens_per_round, "shares"_v = shares(point.worth)),
                         d.input.stage);
    if (!view.shipped.shares.empty())
        d.ui.canvas.tell(training_says("learning.loaded_worth"_t, is_layer(view), "tokens"_v = view.shipped.tokens_per_round,
                                       "shares"_v = shares(view.shipped)),
                         d.input.stage);
}

void draw_loss(const TrainingDraw& d, Rect r) {
    part_head(d.ui, r, training_says("loss.title"_t), {training_says("learning.loss_under"_t)});
    double low = 1e9, high = 0;
    for (const HeadTrainingPoint& point : d.input.training->curve)
        if (const auto loss = loss_of(point)) low = std::min(low, *loss), high = std::max(high, *loss);
    if (high <= 0)
        return ui::slot(d.ui.canvas, d.ui.theme, {r.x, r.y + 50, r.w, std::max(20.0F, r.h - 60)}, training_says("learning.no_loss"_t));
    const TrainingChart chart = step_chart(d, r, std::floor(low), std::max(high * 1.02, std::floor(low) + 1), 56);
    const Vec2 end = step_line(d, chart, "", d.ui.theme.ink, loss_of);
    d.ui.canvas.disc(end, 4, d.ui.theme.ink);
    d.ui.canvas.print({end.x + 8, end.y + 5}, ui::number(d.input.training->curve.back().loss, 2), Font::mono, 14, d.ui.theme.ink);
}

void draw_names(const TrainingDraw& d, Rect r) {
    const HeadTrainingView& view = *d.input.training;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    part_head(d.ui, r, training_says("learning.names"_t, is_layer(view)), {training_says("learning.names_under"_t)});
    double high = 0.5;
    for (const HeadTrainingPoint& point : view.curve)
        for (const double share : point.worth.shares) high = std::max(high, share * 1.1);
    const TrainingChart chart = step_chart(d, r, 0, std::min(1.0, high), 132);
    const std::vector<double>& now = view.curve.back().worth.shares;
    std::vector<float> labels; // baselines: beside their lines
    for (const double share : now) labels.push_back(chart.y(share) + 5);
    labels = labels_apart(std::move(labels), 17, chart.plot.bottom() - 2);
    for (std::size_t k = 0; k < now.size(); ++k) {
        const Message name = name_of_guess(view, k);
        const float strength = 1 - 0.2F * static_cast<float>(k);
        const Vec2 end = step_line(d, chart, name, theme.role(ui::Role::draft).alpha(std::max(0.3F, strength)),
                                   [k](const HeadTrainingPoint& point) { return std::optional(point.worth.shares[k]); });
        canvas.print({end.x + 8, labels[k]}, name.words(), Font::text, 14, theme.muted);
        canvas.print({end.x + 128, labels[k]}, ui::probability(now[k]), Font::mono, 14, theme.ink, Align::right);
    }
}

void draw_tokens(const TrainingDraw& d, Rect r) {
    const HeadTrainingView& view = *d.input.training;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    part_head(d.ui, r, shared_says("words.tokens_title"_t), {training_says("learning.tokens_under"_t)});
    const double shipped = view.shipped.tokens_per_round;
    double high = std::max(2.0, shipped * 1.08);
    for (const HeadTrainingPoint& point : view.curve) high = std::max(high, point.worth.tokens_per_round * 1.08);
    const TrainingChart chart = step_chart(d, r, 1, high, 56);
    if (shipped > 0) {
        const float y = chart.y(shipped);
        canvas.line({chart.plot.x, y}, {chart.plot.right(), y}, {theme.muted, 1.5F, 5, 4});
        canvas.text({chart.plot.x + 6, y - 6}, training_says("learning.loaded"_t, is_layer(view)), Font::text, 14, theme.muted);
        canvas.print({chart.plot.right() + 8, y + 5}, ui::per_round(shipped), Font::mono, 14, theme.muted);
    }
    const Vec2 end =
        step_line(d, chart, "", theme.ink, [](const HeadTrainingPoint& point) { return std::optional(point.worth.tokens_per_round); });
    canvas.disc(end, 4, theme.ink);
    if (shipped <= 0 || std::abs(end.y - chart.y(shipped)) > 18)
        canvas.print({end.x + 8, end.y + 5}, ui::per_round(view.curve.back().worth.tokens_per_round), Font::mono, 14, theme.ink);
}

// Of the greedy rounds over the held-out answers: now, and of what was loaded. Before the first step is only told.
void draw_stays(const TrainingDraw& d, Rect r) {
    const HeadTrainingView& view = *d.input.training;
    const bool loaded = !view.shipped.judged.empty();
    part_head(d.ui, r, training_says("learning.stays"_t), {training_says("learning.stays_under"_t, "loaded"_v = loaded)});
    const auto series = [](const Message& name, const HeadWorth& worth, bool hollow = false) {
        return AcceptanceSeries{name, worth.judged, worth.kept, hollow};
    };
    std::vector<AcceptanceSeries> drawn = {series(training_says("learning.series:here"_t), view.curve.back().worth)};
    if (loaded) drawn.push_back(series(training_says("learning.series:loaded"_t), view.shipped, true));
    draw_acceptance(d.ui, {r.x + 6, r.y + 42, r.w - 6, r.h - 60}, drawn);
    tell_acceptance(d.ui, r, series(training_says("learning.series:begun"_t), view.curve.front().worth));
    d.ui.canvas.text({r.center().x, r.bottom() - 4}, training_says("kept.axis"_t), Font::text, 14, d.ui.theme.muted, Align::center);
}

// What was learned from and measured on.
Message conditions(const HeadTrainingView& view) {
    return training_says("learning.conditions"_t, "states"_v = view.states, "prompts"_v = view.plan.prompts.size(),
                         "seconds"_v = view.text_seconds, "batch"_v = view.plan.batch, "loss"_v = loss_of(view.curve.back()),
                         "held_states"_v = view.held_states, "held_out"_v = view.plan.held_out.size());
}

void draw_waiting(const TrainingDraw& d, Rect box) {
    const HeadTrainingView* view = d.input.training.get();
    const bool writes = view && !view->ended_early;
    ui::slot(d.ui.canvas, d.ui.theme, box,
             writes ? training_says("learning.answers"_t, "done"_v = view->texts_done, "of"_v = view->texts)
                    : training_says("learning.awaited"_t, "layer"_v = head_shown(d.input, d.state) == HeadKind::mtp));
    if (writes && view->texts > 0)
        ui::bar(d.ui.canvas, d.ui.theme, {box.x + 24, box.center().y + 24, box.w - 48, 8},
                static_cast<double>(view->texts_done) / view->texts, ui::Role::target);
}

} // namespace

void draw_live_training(const TrainingDraw& d) {
    const Rect stage = d.input.stage;
    const float x = stage.x + 24, w = stage.w - 48, top = stage.y + 88, bottom = stage.bottom() - 8;
    const HeadTrainingView* view = d.input.training.get();
    if (!view || view->curve.empty()) return draw_waiting(d, {x, top, w, std::min(240.0F, bottom - top)});
    constexpr float kGap = 32, kRowGap = 16, kFoot = 34, kFourCharts = 400;
    const float half = (w - kGap) / 2, charts = bottom - top - kFoot, right = x + half + kGap;
    tell_steps(d);
    if (charts >= kFourCharts) {
        const float high = (charts - kRowGap) / 2, second = top + high + kRowGap;
        draw_loss(d, {x, top, half, high});
        draw_names(d, {right, top, half, high});
        draw_stays(d, {x, second, half, high});
        draw_tokens(d, {right, second, half, high});
    } else if (charts > 130) {
        draw_names(d, {x, top, half, charts});
        draw_tokens(d, {right, top, half, charts});
    }
    ui::fitted_text(d.ui.canvas, {x, bottom - 10}, conditions(*view), Font::text, 14, d.ui.theme.muted, w);
}

void draw_live_training_details(const TrainingDraw& d) {
    const Rect r = d.input.details;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x + 24, w = r.w - 48;
    const auto layer = "layer"_v = head_shown(d.input, d.state) == HeadKind::mtp;
    DetailsColumn column(d.ui, r);
    column.title(training_says("learns.title"_t));
    ui::fitted_text(canvas, {x, r.y + 56}, training_says("learns.formula"_t, layer), Font::mono, 14, theme.ink, w);
    column.y = r.y + 78;
    column.line(training_says("learns.reads"_t, layer), theme.muted);
    if (layer.value.there()) column.line(training_says("learns.began"_t), theme.muted);
    column.line(training_says("learns.rest"_t, layer), theme.muted);
    const HeadTrainingView* view = d.input.training.get();
    if (!view || view->curve.empty()) return;
    const HeadWorth& now = view->curve.back().worth;
    float y = column.y + 10;
    ui::fitted_text(canvas, {x, y}, training_says("names.title"_t), Font::text_bold, 15, theme.ink, w);
    canvas.text({x + w - 72, y}, training_says("names.here"_t), Font::text, 14, theme.muted, Align::right);
    canvas.text({x + w, y}, training_says("names.loaded"_t), Font::text, 14, theme.muted, Align::right);
    y += 24;
    for (std::size_t k = 0; k < now.shares.size(); ++k, y += 22) {
        const std::optional<double> loaded = k < view->shipped.shares.size() ? std::optional(view->shipped.shares[k]) : std::nullopt;
        const Message name = training_says("names.guess"_t, "guess"_v = name_of_guess(*view, k), "places"_v = k + 2);
        canvas.tell(training_says("names.row"_t, "name"_v = name, "here"_v = now.shares[k], "loaded"_v = loaded), {x, y - 15, w, 20});
        if (y >= r.bottom() - 6) continue;
        cell(d.ui, {x, y}, name, w - 72 - 48, {theme.ink});
        canvas.print({x + w - 72, y}, ui::probability(now.shares[k]), Font::mono, 14, theme.ink, Align::right);
        canvas.print({x + w, y}, loaded ? ui::probability(*loaded) : "–", Font::mono, 14, theme.muted, Align::right);
    }
}

} // namespace speclens
