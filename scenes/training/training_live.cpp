// The last beat of S10: Medusa heads that learn here and now, what they name of text they never saw, and runs
// with them.
#include <algorithm>
#include <ranges>
#include <sstream>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/head_scene.h"
#include "scenes/shared/run_controls.h"
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

constexpr int kLengths[] = {300, 600, 1500}; // steps to choose from

const HeadTrainingPoint* last_point(const SceneInput& input) {
    return input.training && !input.training->curve.empty() ? &input.training->curve.back() : nullptr;
}
bool learned(const SceneInput& input) {
    const HeadTrainingPoint* point = last_point(input);
    return point && point->step > 0;
}
bool usable(const SceneInput& input) { // a training that was cut leaves the heads that were there
    return input.training && input.training->complete && !input.training->cut;
}
std::string tokens_of(const HeadWorth& worth) {
    return ui::per_round(worth.tokens_per_round);
}

std::string why_not_train(const SceneInput& input) {
    const std::string problem = no_models(input);
    if (!problem.empty()) return problem;
    if (input.training && !input.training->complete) return "Heads are learning now";
    return "";
}
TrainHeads asked(const TrainingDraw& d) {
    return {d.state.steps, 4, 64};
}
// A run that drafts with the heads as they are now.
void use_heads(const TrainingDraw& d) {
    if (!d.input.settings) return;
    RunSettings settings = with_drafter(*d.input.settings, "medusa");
    settings.k = d.input.training->plan.heads;
    d.out.push_back(Command{Restart{std::move(settings)}});
    d.out.push_back(OpenScene{"loop"});
}

struct LiveChart {
    Rect plot;
    ui::Scale x, y;
};
LiveChart axes(const TrainingDraw& d, Rect r, double high, float right_room) {
    const HeadTrainingView& view = *d.input.training;
    const Rect plot{r.x + 40, r.y + 50, r.w - 40 - right_room, r.h - 50 - 44};
    const LiveChart chart{plot,
                          {0, static_cast<double>(view.plan.steps), plot.x, plot.right()},
                          {high > 1.01 ? 1.0 : 0.0, high, plot.bottom(), plot.y}};
    ui::axis_y(d.ui.canvas, d.ui.theme, chart.y, plot.x, ui::ticks(chart.y.lo, high, r.h > 220 ? 5 : 3),
               {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    ui::axis_x(d.ui.canvas, d.ui.theme, chart.x, plot.bottom(), ui::ticks(0, view.plan.steps, 4), {});
    d.ui.canvas.text({plot.center().x, plot.bottom() + 40}, "steps", Font::text, 14, d.ui.theme.muted,
                     Align::center);
    return chart;
}

void draw_shares(const TrainingDraw& d, Rect r) {
    const HeadTrainingView& view = *d.input.training;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    training_chart_title(d, r, "What each head names", "share of tokens in greedy answers it never saw");
    double high = 0.5;
    for (const HeadTrainingPoint& point : view.curve)
        for (const double share : point.worth.shares) high = std::max(high, share * 1.1);
    const LiveChart chart = axes(d, r, std::min(1.0, high), 96);
    const std::vector<double>& now = view.curve.back().worth.shares;
    std::vector<float> labels; // baselines: beside their lines, but apart from each other and above the axis
    for (const double share : now)
        labels.push_back(std::max(chart.y(share) + 5, labels.empty() ? -1e9F : labels.back() + 17));
    for (float below = chart.plot.bottom() - 2; float& label : labels | std::views::reverse) {
        label = std::min(label, below);
        below = label - 17;
    }
    for (std::size_t k = 0; k < now.size(); ++k) {
        std::vector<Vec2> points;
        for (const HeadTrainingPoint& point : view.curve)
            points.push_back({chart.x(point.step), chart.y(point.worth.shares[k])});
        const float strength = 1 - 0.2F * static_cast<float>(k);
        canvas.polyline(points, {theme.role(ui::Role::draft).alpha(std::max(0.3F, strength)), 2.5F});
        canvas.text({points.back().x + 8, labels[k]}, "head " + std::to_string(k + 1), Font::text, 14,
                    theme.muted);
        canvas.text({points.back().x + 92, labels[k]}, ui::probability(now[k]), Font::mono, 14, theme.ink,
                    Align::right);
    }
}

void draw_tokens(const TrainingDraw& d, Rect r) {
    const HeadTrainingView& view = *d.input.training;
    ui::Canvas& canvas = d.ui.canvas;
    const ui::Theme& theme = d.ui.theme;
    training_chart_title(d, r, "Tokens per round", "greedy, through the same answers; 1 is plain decoding");
    const double shipped = view.shipped.tokens_per_round;
    double high = std::max(2.0, shipped * 1.08);
    for (const HeadTrainingPoint& point : view.curve) high = std::max(high, point.worth.tokens_per_round * 1.08);
    const LiveChart chart = axes(d, r, high, 56);
    if (shipped > 0) {
        const float y = chart.y(shipped);
        canvas.line({chart.plot.x, y}, {chart.plot.right(), y}, {theme.muted, 1.5F, 5, 4});
        canvas.text({chart.plot.x + 6, y - 6}, "heads that were loaded", Font::text, 14, theme.muted);
        canvas.text({chart.plot.right() + 8, y + 5}, ui::per_round(shipped), Font::mono, 14, theme.muted);
    }
    std::vector<Vec2> points;
    for (const HeadTrainingPoint& point : view.curve)
        points.push_back({chart.x(point.step), chart.y(point.worth.tokens_per_round)});
    canvas.polyline(points, {theme.ink, 2.5F});
    canvas.disc(points.back(), 4, theme.ink);
    if (shipped <= 0 || std::abs(points.back().y - chart.y(shipped)) > 18)
        canvas.text({points.back().x + 8, points.back().y + 5}, tokens_of(view.curve.back().worth),
                    Font::mono, 14, theme.ink);
}

// What was learned from and measured on: one line under the charts.
std::string conditions(const HeadTrainingView& view) {
    const HeadTrainingPoint& last = view.curve.back();
    return ui::integer(view.states) + " places in answers to " + std::to_string(view.plan.prompts.size()) +
           " prompts (" + ui::number(view.text_seconds, 1) + " s to write); " +
           std::to_string(view.plan.batch) + " a step" +
           (last.step > 0 ? ", loss " + ui::number(last.loss, 2) : "") + "; measured on " +
           ui::integer(view.held_states) + " of " + std::to_string(view.plan.held_out.size()) + " others";
}

} // namespace

StageTitle live_training_title(const SceneInput& input) {
    StageTitle title;
    const HeadTrainingView* view = input.training.get();
    if (!view) {
        title.title = training_says("live.title:none"_t);
        title.subtitle = training_says("live.subtitle:none"_t);
        return title;
    }
    if (!learned(input)) {
        title.title = view->cut            ? training_says("live.title:stopped"_t)
                      : view->curve.empty() ? training_says("live.title:writing"_t)
                                            : training_says("live.title:new"_t);
        title.subtitle = training_says("live.subtitle:answers"_t, "done"_v = view->texts_done, "of"_v = view->texts, "stopped"_v = view->cut);
        return title;
    }
    const HeadTrainingPoint& last = view->curve.back();
    title.title = training_says("live.title:trained"_t, "seconds"_v = ui::number(last.seconds, 1), "tokens"_v = tokens_of(last.worth));
    title.subtitle = training_says("live.subtitle:trained"_t, "heads"_v = last.worth.shares.size(), "step"_v = last.step,
                                   "of"_v = view->plan.steps, "stopped"_v = view->cut,
                                   "loaded"_v = view->shipped.tokens_per_round > 0 ? tokens_of(view->shipped) : "");
    return title;
}

Words live_training_words(const SceneInput& input) {
    if (!learned(input)) return training_says.beat("live:new"_t);
    const HeadTrainingPoint& last = last_point(input) ? *last_point(input) : HeadTrainingPoint{};
    const std::vector<double>& shares = last.worth.shares;
    const std::string first = ui::percent(shares.front()), furthest = ui::percent(shares.back());
    const auto heads = shares.size();
    if (!usable(input)) return training_says.beat("live:learning"_t, "first"_v = first, "heads"_v = heads, "last"_v = furthest);
    const double loaded = input.training->shipped.tokens_per_round;
    if (loaded <= 0) return training_says.beat("live:own"_t, "first"_v = first, "heads"_v = heads, "last"_v = furthest);
    return training_says.beat("live:against"_t, "first"_v = first, "heads"_v = heads, "last"_v = furthest,
                              "behind"_v = loaded > last.worth.tokens_per_round);
}

void finish_live_story(const SceneInput& input, Story& story) {
    if (!models_loaded(input)) return;
    story.task = training_says("live.task"_t, "usable"_v = usable(input));
    story.task_done = false;
    if (!usable(input)) {
        if (!input.training) story.on_task = {Command{TrainHeads{}}};
        return;
    }
    if (!input.settings) return;
    RunSettings settings = with_drafter(*input.settings, "medusa");
    settings.k = input.training->plan.heads;
    story.on_task = {Command{Restart{std::move(settings)}}, OpenScene{"loop"}};
}

std::string live_training_lines(const SceneInput& input) {
    const HeadTrainingView* view = input.training.get();
    if (!view || view->curve.empty()) return "";
    std::ostringstream out;
    for (const HeadTrainingPoint& point : view->curve) {
        out << "step " << point.step << ": ";
        if (point.step > 0) out << "loss " << ui::number(point.loss, 2) << ", ";
        out << tokens_of(point.worth) << " tokens per round, heads";
        for (const double share : point.worth.shares) out << " " << ui::probability(share);
        out << "\n";
    }
    if (!view->shipped.shares.empty()) {
        out << "heads that were loaded: " << tokens_of(view->shipped) << " tokens per round, heads";
        for (const double share : view->shipped.shares) out << " " << ui::probability(share);
        out << "\n";
    }
    out << conditions(*view) << "\n";
    return out.str();
}

void draw_live_training(const TrainingDraw& d) {
    const Rect stage = d.input.stage;
    const float x = stage.x + 24, w = stage.w - 48, top = stage.y + 88, bottom = stage.bottom() - 8;
    const HeadTrainingView* view = d.input.training.get();
    if (!view || view->curve.empty()) {
        const Rect box{x, top, w, std::min(240.0F, bottom - top)};
        ui::slot(d.ui.canvas, d.ui.theme, box,
                 view && !view->cut ? "its answers: " + std::to_string(view->texts_done) + " of " +
                                          std::to_string(view->texts)
                                    : std::string("what the heads learn will stand here"));
        if (view && !view->cut && view->texts > 0)
            ui::bar(d.ui.canvas, d.ui.theme, {x + 24, box.center().y + 24, w - 48, 8},
                    static_cast<double>(view->texts_done) / view->texts, ui::Role::target);
        return;
    }
    const float gap = 32, half = (w - gap) / 2, foot = 34, charts = bottom - top - foot;
    if (charts > 130) {
        draw_shares(d, {x, top, half, charts});
        draw_tokens(d, {x + half + gap, top, half, charts});
    }
    ui::fitted_text(d.ui.canvas, {x, bottom - 10}, conditions(*view), Font::text, 14, d.ui.theme.muted, w);
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
    line("u = h + silu(W h + b), logits = E u", Font::mono, theme.ink, 22);
    line("h: the target's last state; E: its output matrix", Font::text, theme.muted, 20);
    line("W and b learn, one pair a head; the rest is frozen", Font::text, theme.muted, 30);
    const HeadTrainingView* view = d.input.training.get();
    if (!view || view->curve.empty()) return;
    const HeadWorth& now = view->curve.back().worth;
    line("Tokens it names", Font::text_bold, theme.ink, 0);
    canvas.text({x + w - 72, y}, "here", Font::text, 14, theme.muted, Align::right);
    canvas.text({x + w, y}, "loaded", Font::text, 14, theme.muted, Align::right);
    y += 24;
    for (std::size_t k = 0; k < now.shares.size() && y < r.bottom() - 6; ++k, y += 22) {
        canvas.text({x, y},
                    "head " + std::to_string(k + 1) + ", " + number_word(static_cast<int>(k) + 2) +
                        " places on",
                    Font::text, 14, theme.ink);
        canvas.text({x + w - 72, y}, ui::probability(now.shares[k]), Font::mono, 14, theme.ink, Align::right);
        canvas.text({x + w, y},
                    k < view->shipped.shares.size() ? ui::probability(view->shipped.shares[k]) : "–",
                    Font::mono, 14, theme.muted, Align::right);
    }
}

void draw_live_training_controls(const TrainingDraw& d) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    ControlRow row(r);
    std::vector<std::string> lengths;
    int chosen = 0;
    for (std::size_t i = 0; i < std::size(kLengths); ++i) {
        lengths.push_back(ui::integer(kLengths[i]));
        if (kLengths[i] == d.state.steps) chosen = static_cast<int>(i);
    }
    const float width = ui::segmented_width(ui.canvas, lengths);
    if (row.room() > width + 120) {
        const Rect at = row.place(width);
        ui::field_label(ui, at, "Steps");
        if (const auto pick = ui::segmented(ui, "steps", {at.x, at.y}, lengths, chosen))
            d.state.steps = kLengths[static_cast<std::size_t>(*pick)];
    }
    Rect at = row.place(std::min(168.0F, row.room()));
    if (at.w < 96) return;
    ui::field_label(ui, at, "Medusa heads");
    const std::string why = why_not_train(d.input);
    if (d.input.training && !d.input.training->complete) {
        if (ui::button(ui, "train", at, "Stop", {.shortcut = "Esc"})) d.out.push_back(Command{Cancel{}});
    } else if (ui::button(ui, "train", at, "Train", {.shortcut = "M", .disabled = why})) {
        d.out.push_back(Command{asked(d)});
    }
    at = row.place(std::min(168.0F, row.room()));
    if (at.w < 96) return;
    const std::string not_yet = usable(d.input) ? "" : "Train them first";
    if (ui::button(ui, "use", at, "Draft with them", {.shortcut = "U", .disabled = not_yet})) use_heads(d);
}

void take_live_training_keys(const TrainingDraw& d) {
    const bool can = why_not_train(d.input).empty();
    if (d.ui.take_key(ui::Key::m) && can) d.out.push_back(Command{asked(d)});
    if (d.ui.take_key(ui::Key::u) && usable(d.input)) use_heads(d);
    // A picture is of a short training.
    if (d.input.still && models_loaded(d.input) && !d.input.training)
        d.out.push_back(Command{TrainHeads{300, 1, 64}});
}

} // namespace speclens
