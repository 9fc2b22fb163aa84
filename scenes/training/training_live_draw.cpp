// The pictures of what learns here and now: its loss, what each head or guess names of text it never saw, how often guesses stay, and
// tokens per round.
#include <algorithm>
#include <cmath>
#include <ranges>

#include "scenes/shared/measure_charts.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/words.h"
#include "scenes/training/training_draw.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Vec2;

struct LiveChart {
    Rect plot;
    ui::Scale x, y;
};

bool is_layer(const HeadTrainingView& view) { return view.plan.kind == HeadKind::mtp; }
std::string name_of_guess(const HeadTrainingView& view, std::size_t k) {
    return (is_layer(view) ? "guess " : "head ") + std::to_string(k + 1);
}

LiveChart axes(const TrainingDraw& d, Rect r, double low, double high, float right_room) {
    const HeadTrainingView& view = *d.input.training;
    const Rect plot{r.x + 40, r.y + 50, r.w - 40 - right_room, r.h - 50 - 44};
    const LiveChart chart{plot, {0, static_cast<double>(view.plan.steps), plot.x, plot.right()}, {low, high, plot.bottom(), plot.y}};
    int lines = 5;
    if (r.h <= 220) lines = r.h > 180 ? 3 : 2;
    ui::axis_y(d.ui.canvas, d.ui.theme, chart.y, plot.x, ui::ticks(low, high, lines),
               {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    ui::axis_x(d.ui.canvas, d.ui.theme, chart.x, plot.bottom(), ui::ticks(0, view.plan.steps, 4), {});
    d.ui.canvas.text({plot.center().x, plot.bottom() + 40}, "steps", Font::text, 14, d.ui.theme.muted, Align::center);
    return chart;
}

void draw_loss(const TrainingDraw& d, Rect r) {
    const HeadTrainingView& view = *d.input.training;
    part_head(d.ui, r, "Loss, nats per token", {"on the text it learns from; the nearest counts most"});
    double low = 1e9, high = 0;
    for (const HeadTrainingPoint& point : view.curve)
        if (point.step > 0) low = std::min(low, point.loss), high = std::max(high, point.loss);
    if (high <= 0) return ui::slot(d.ui.canvas, d.ui.theme, {r.x, r.y + 50, r.w, std::max(20.0F, r.h - 60)}, "after the first steps");
    const LiveChart chart = axes(d, r, std::floor(low), std::max(high * 1.02, std::floor(low) + 1), 56);
    ui::plotted(d.ui.canvas, chart.plot, ui::PlotMark::line, "", view.curve, [](const HeadTrainingPoint& point) {
        return ui::PlotDatum{.x = static_cast<double>(point.step), .y = point.step > 0 ? point.loss : ui::PlotDatum::kNone};
    });
    std::vector<Vec2> points;
    for (const HeadTrainingPoint& point : view.curve)
        if (point.step > 0) points.push_back({chart.x(point.step), chart.y(point.loss)});
    d.ui.canvas.polyline(points, {d.ui.theme.ink, 2.5F});
    d.ui.canvas.disc(points.back(), 4, d.ui.theme.ink);
    d.ui.canvas.text({points.back().x + 8, points.back().y + 5}, ui::number(view.curve.back().loss, 2), Font::mono, 14, d.ui.theme.ink);
}

void draw_shares(const TrainingDraw& d, Rect r) {
    const HeadTrainingView& view = *d.input.training;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    part_head(d.ui, r, is_layer(view) ? "What each guess names" : "What each head names",
              {"share of tokens in greedy answers it never saw"});
    double high = 0.5;
    for (const HeadTrainingPoint& point : view.curve)
        for (const double share : point.worth.shares) high = std::max(high, share * 1.1);
    const LiveChart chart = axes(d, r, 0, std::min(1.0, high), 132);
    const std::vector<double>& now = view.curve.back().worth.shares;
    std::vector<float> labels; // baselines: beside their lines, but apart from each other and above the axis
    for (const double share : now) labels.push_back(std::max(chart.y(share) + 5, labels.empty() ? -1e9F : labels.back() + 17));
    for (float below = chart.plot.bottom() - 2; float& label : labels | std::views::reverse) {
        label = std::min(label, below);
        below = label - 17;
    }
    for (std::size_t k = 0; k < now.size(); ++k) {
        ui::plotted(canvas, chart.plot, ui::PlotMark::line, name_of_guess(view, k), view.curve, [&](const HeadTrainingPoint& point) {
            return ui::PlotDatum{.x = static_cast<double>(point.step), .y = point.worth.shares[k]};
        });
        std::vector<Vec2> points;
        for (const HeadTrainingPoint& point : view.curve) points.push_back({chart.x(point.step), chart.y(point.worth.shares[k])});
        const float strength = 1 - 0.2F * static_cast<float>(k);
        canvas.polyline(points, {theme.role(ui::Role::draft).alpha(std::max(0.3F, strength)), 2.5F});
        canvas.text({points.back().x + 8, labels[k]}, name_of_guess(view, k), Font::text, 14, theme.muted);
        canvas.text({points.back().x + 128, labels[k]}, ui::probability(now[k]), Font::mono, 14, theme.ink, Align::right);
    }
}

void draw_tokens(const TrainingDraw& d, Rect r) {
    const HeadTrainingView& view = *d.input.training;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    part_head(d.ui, r, "Tokens per round", {"greedy, through the same answers; 1 is plain decoding"});
    const double shipped = view.shipped.tokens_per_round;
    double high = std::max(2.0, shipped * 1.08);
    for (const HeadTrainingPoint& point : view.curve) high = std::max(high, point.worth.tokens_per_round * 1.08);
    const LiveChart chart = axes(d, r, 1, high, 56);
    if (shipped > 0) {
        const float y = chart.y(shipped);
        canvas.line({chart.plot.x, y}, {chart.plot.right(), y}, {theme.muted, 1.5F, 5, 4});
        canvas.text({chart.plot.x + 6, y - 6}, is_layer(view) ? "the layer that was loaded" : "heads that were loaded", Font::text, 14,
                    theme.muted);
        canvas.text({chart.plot.right() + 8, y + 5}, ui::per_round(shipped), Font::mono, 14, theme.muted);
    }
    ui::plotted(canvas, chart.plot, ui::PlotMark::line, "", view.curve, [](const HeadTrainingPoint& point) {
        return ui::PlotDatum{.x = static_cast<double>(point.step), .y = point.worth.tokens_per_round};
    });
    std::vector<Vec2> points;
    for (const HeadTrainingPoint& point : view.curve) points.push_back({chart.x(point.step), chart.y(point.worth.tokens_per_round)});
    canvas.polyline(points, {theme.ink, 2.5F});
    canvas.disc(points.back(), 4, theme.ink);
    if (shipped <= 0 || std::abs(points.back().y - chart.y(shipped)) > 18)
        canvas.text({points.back().x + 8, points.back().y + 5}, ui::per_round(view.curve.back().worth.tokens_per_round), Font::mono, 14,
                    theme.ink);
}

// Of the greedy rounds over the held-out answers: now, and of what was loaded.
void draw_stays(const TrainingDraw& d, Rect r) {
    const HeadTrainingView& view = *d.input.training;
    part_head(d.ui, r, "Guesses that stay, by place",
              {view.shipped.judged.empty() ? "once all before stayed; in the same answers"
                                           : "dots: trained here; rings: loaded; once all before stayed"});
    std::vector<AcceptanceSeries> series = {{"trained here", view.curve.back().worth.judged, view.curve.back().worth.kept, false}};
    if (!view.shipped.judged.empty()) series.push_back({"loaded", view.shipped.judged, view.shipped.kept, true});
    draw_acceptance(d.ui, {r.x + 6, r.y + 42, r.w - 6, r.h - 60}, series);
    d.ui.canvas.text({r.center().x, r.bottom() - 4}, "position of the guess", Font::text, 14, d.ui.theme.muted, Align::center);
}

} // namespace

void draw_live_training(const TrainingDraw& d) {
    const Rect stage = d.input.stage;
    const float x = stage.x + 24, w = stage.w - 48, top = stage.y + 88, bottom = stage.bottom() - 8;
    const HeadTrainingView* view = d.input.training.get();
    if (!view || view->curve.empty()) {
        const Rect box{x, top, w, std::min(240.0F, bottom - top)};
        const bool layer = head_shown(d.input, d.state) == HeadKind::mtp;
        std::string words = layer ? "what the layer learns will stand here" : "what the heads learn will stand here";
        if (view && !view->ended_early) words = "its answers: " + std::to_string(view->texts_done) + " of " + std::to_string(view->texts);
        ui::slot(d.ui.canvas, d.ui.theme, box, words);
        if (view && !view->ended_early && view->texts > 0)
            ui::bar(d.ui.canvas, d.ui.theme, {x + 24, box.center().y + 24, w - 48, 8}, static_cast<double>(view->texts_done) / view->texts,
                    ui::Role::target);
        return;
    }
    constexpr float kGap = 32, kRowGap = 16, kFoot = 34, kFourCharts = 400;
    const float half = (w - kGap) / 2, charts = bottom - top - kFoot, right = x + half + kGap;
    if (charts >= kFourCharts) {
        const float high = (charts - kRowGap) / 2, second = top + high + kRowGap;
        draw_loss(d, {x, top, half, high});
        draw_shares(d, {right, top, half, high});
        draw_stays(d, {x, second, half, high});
        draw_tokens(d, {right, second, half, high});
    } else if (charts > 130) {
        draw_shares(d, {x, top, half, charts});
        draw_tokens(d, {right, top, half, charts});
    }
    ui::fitted_text(d.ui.canvas, {x, bottom - 10}, training_conditions(*view), Font::text, 14, d.ui.theme.muted, w);
}

void draw_live_training_details(const TrainingDraw& d) {
    const Rect r = d.input.details;
    if (r.w <= 0) return;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    const float x = r.x + 24, w = r.w - 48;
    float y = r.y + 32;
    const auto line = [&](const std::string& words, Font font, ui::Color color, float step) {
        if (y > r.bottom() - 6) return;
        ui::fitted_text(canvas, {x, y}, words, font, font == Font::text_bold ? 15.0F : 14.0F, color, w);
        y += step;
    };
    line("What learns", Font::text_bold, theme.ink, 24);
    if (head_shown(d.input, d.state) == HeadKind::mtp) {
        line("g = layer(W [e ; h]), logits = E g", Font::mono, theme.ink, 22);
        line("h: the target's last state, then g; e: the next token", Font::text, theme.muted, 20);
        line("W began as [0 | 1], the layer as the target's last", Font::text, theme.muted, 20);
        line("W, layer and norms learn; E stays the target's", Font::text, theme.muted, 30);
    } else {
        line("u = h + silu(W h + b), logits = E u", Font::mono, theme.ink, 22);
        line("h: the target's last state; E: its output matrix", Font::text, theme.muted, 20);
        line("W and b learn, one pair a head; the rest is frozen", Font::text, theme.muted, 30);
    }
    const HeadTrainingView* view = d.input.training.get();
    if (!view || view->curve.empty()) return;
    const HeadWorth& now = view->curve.back().worth;
    line("Tokens it names", Font::text_bold, theme.ink, 0);
    canvas.text({x + w - 72, y}, "here", Font::text, 14, theme.muted, Align::right);
    canvas.text({x + w, y}, "loaded", Font::text, 14, theme.muted, Align::right);
    y += 24;
    for (std::size_t k = 0; k < now.shares.size() && y < r.bottom() - 6; ++k, y += 22) {
        canvas.text({x, y}, name_of_guess(*view, k) + ", " + number_word(static_cast<int>(k) + 2) + " places on", Font::text, 14,
                    theme.ink);
        canvas.text({x + w - 72, y}, ui::probability(now.shares[k]), Font::mono, 14, theme.ink, Align::right);
        canvas.text({x + w, y}, k < view->shipped.shares.size() ? ui::probability(view->shipped.shares[k]) : "–", Font::mono, 14,
                    theme.muted, Align::right);
    }
}

} // namespace speclens
