// The last beat of S10: Medusa heads or an MTP layer that learn here and now: what is asked for, its words, and runs with it.
#include <algorithm>
#include <sstream>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/head_scene.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/words.h"
#include "scenes/training/training_draw.h"
#include "ui/format.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Rect;

constexpr HeadKind kHeads[] = {HeadKind::medusa, HeadKind::mtp};

// What can be asked for of each head: steps to choose from, answers to a prompt.
struct Lengths {
    int steps[3];
    int usual; // of steps
    int still; // steps of a picture, which is of a short training, with one answer to a prompt
};
const Lengths& lengths_of(HeadKind kind) {
    static constexpr Lengths kMedusa{{300, 600, 1500}, 600, 300}, kMtp{{80, 160, 320}, 160, 80};
    return kind == HeadKind::mtp ? kMtp : kMedusa;
}

const HeadTrainingPoint* last_point(const SceneInput& input) {
    return input.training && !input.training->curve.empty() ? &input.training->curve.back() : nullptr;
}
bool learned(const SceneInput& input) {
    const HeadTrainingPoint* point = last_point(input);
    return point && point->step > 0;
}
bool usable(const SceneInput& input) { // a training that was cut leaves what was there
    return input.training && input.training->complete && !input.training->ended_early;
}
std::string tokens_of(const HeadWorth& worth) { return ui::per_round(worth.tokens_per_round); }

std::string why_not_train(const SceneInput& input) {
    const std::string problem = no_models(input);
    if (!problem.empty()) return problem;
    if (input.training && !input.training->complete) return "A training is under way";
    return "";
}

// A run that drafts with what was trained, as it is now.
std::vector<SceneCommand> use_trained(const SceneInput& input) {
    if (!input.settings) return {};
    const HeadPlan& plan = input.training->plan;
    RunSettings settings = with_drafter(*input.settings, name_of(plan.kind));
    settings.k = plan.heads;
    return {Command{Restart{std::move(settings)}}, OpenScene{"loop"}};
}

} // namespace

HeadKind head_to_train(const SceneInput& input, const TrainingState& state) {
    if (state.head) return *state.head;
    const bool mtp = input.settings && input.settings->drafter == name_of(HeadKind::mtp);
    return mtp ? HeadKind::mtp : HeadKind::medusa;
}

HeadKind head_shown(const SceneInput& input, const TrainingState& state) {
    return input.training ? input.training->plan.kind : head_to_train(input, state);
}

TrainHeads training_asked(const SceneInput& input, const TrainingState& state) {
    const HeadKind kind = head_to_train(input, state);
    const Lengths& lengths = lengths_of(kind);
    if (input.still) return {.steps = lengths.still, .texts = 1, .max_tokens = 64, .kind = kind};
    return {.steps = state.steps > 0 ? state.steps : lengths.usual, .texts = 4, .max_tokens = 64, .kind = kind};
}

std::string training_conditions(const HeadTrainingView& view) {
    const HeadTrainingPoint& last = view.curve.back();
    return ui::integer(view.states) + " places in answers to " + std::to_string(view.plan.prompts.size()) + " prompts (" +
           ui::number(view.text_seconds, 1) + " s to write); " + std::to_string(view.plan.batch) + " a step" +
           (last.step > 0 ? ", loss " + ui::number(last.loss, 2) : "") + "; measured on " + ui::integer(view.held_states) + " of " +
           std::to_string(view.plan.held_out.size()) + " others";
}

StageTitle live_training_title(const SceneInput& input, const TrainingState& state) {
    StageTitle title;
    const HeadTrainingView* view = input.training.get();
    const bool layer = head_shown(input, state) == HeadKind::mtp;
    if (!view) {
        title.title = training_says("live.title:none"_t);
        title.subtitle = training_says("live.subtitle:none"_t, "layer"_v = layer);
        return title;
    }
    if (!learned(input)) {
        if (view->ended_early)
            title.title = training_says("live.title:stopped"_t);
        else if (view->curve.empty())
            title.title = training_says("live.title:writing"_t, "layer"_v = layer);
        else
            title.title = training_says("live.title:new"_t, "layer"_v = layer);
        title.subtitle =
            training_says("live.subtitle:answers"_t, "done"_v = view->texts_done, "of"_v = view->texts, "stopped"_v = view->ended_early);
        return title;
    }
    const HeadTrainingPoint& last = view->curve.back();
    const std::string loaded = view->shipped.tokens_per_round > 0 ? tokens_of(view->shipped) : "";
    title.title = training_says("live.title:trained"_t, "seconds"_v = ui::number(last.seconds, 1), "tokens"_v = tokens_of(last.worth));
    if (layer)
        title.subtitle = training_says("live.subtitle:trained_layer"_t, "guesses"_v = last.worth.shares.size(), "step"_v = last.step,
                                       "of"_v = view->plan.steps, "stopped"_v = view->ended_early, "loaded"_v = loaded);
    else
        title.subtitle = training_says("live.subtitle:trained"_t, "heads"_v = last.worth.shares.size(), "step"_v = last.step,
                                       "of"_v = view->plan.steps, "stopped"_v = view->ended_early, "loaded"_v = loaded);
    return title;
}

Words live_training_words(const SceneInput& input, const TrainingState& state) {
    const bool layer = head_shown(input, state) == HeadKind::mtp;
    if (!learned(input)) return layer ? training_says.beat("live:layer_new"_t) : training_says.beat("live:new"_t);
    const HeadTrainingView& view = *input.training;
    const std::vector<double>& shares = view.curve.back().worth.shares;
    const std::string first = ui::percent(shares.front()), furthest = ui::percent(shares.back());
    const auto heads = shares.size();
    const bool told = usable(input), loaded = told && view.shipped.tokens_per_round > 0,
               behind = loaded && view.shipped.tokens_per_round > view.curve.back().worth.tokens_per_round;
    if (layer) {
        const std::string begun = ui::percent(view.curve.front().worth.shares.front());
        if (!told)
            return training_says.beat("live:layer_learning"_t, "first"_v = first, "guesses"_v = heads, "last"_v = furthest,
                                      "begun"_v = begun);
        if (!loaded)
            return training_says.beat("live:layer_own"_t, "first"_v = first, "guesses"_v = heads, "last"_v = furthest, "begun"_v = begun);
        return training_says.beat("live:layer_against"_t, "first"_v = first, "guesses"_v = heads, "last"_v = furthest, "begun"_v = begun,
                                  "behind"_v = behind);
    }
    if (!told) return training_says.beat("live:learning"_t, "first"_v = first, "heads"_v = heads, "last"_v = furthest);
    if (!loaded) return training_says.beat("live:own"_t, "first"_v = first, "heads"_v = heads, "last"_v = furthest);
    return training_says.beat("live:against"_t, "first"_v = first, "heads"_v = heads, "last"_v = furthest, "behind"_v = behind);
}

void finish_live_story(const SceneInput& input, const TrainingState& state, Story& story) {
    if (!models_loaded(input)) return;
    story.task = training_says("live.task"_t, "usable"_v = usable(input));
    story.task_done = false;
    if (usable(input))
        story.on_task = use_trained(input);
    else if (!input.training)
        story.on_task = {Command{training_asked(input, state)}};
}

std::string live_training_lines(const SceneInput& input) {
    const HeadTrainingView* view = input.training.get();
    if (!view || view->curve.empty()) return "";
    std::ostringstream out;
    const char* each = view->plan.kind == HeadKind::mtp ? "guesses" : "heads";
    const auto worth = [&](const HeadWorth& of) {
        out << tokens_of(of) << " tokens per round, " << each;
        for (const double share : of.shares) out << " " << ui::probability(share);
        out << "\n";
    };
    for (const HeadTrainingPoint& point : view->curve) {
        out << "step " << point.step << ": ";
        if (point.step > 0) out << "loss " << ui::number(point.loss, 2) << ", ";
        worth(point.worth);
    }
    const bool loaded = !view->shipped.shares.empty();
    if (loaded) {
        out << (view->plan.kind == HeadKind::mtp ? "the layer that was loaded: " : "heads that were loaded: ");
        worth(view->shipped);
    }
    out << "Guesses that stay when all before them stayed, by place:\n";
    const auto stayed = [&](std::string name, const HeadWorth& of) {
        out << describe_acceptance({std::move(name), of.judged, of.kept, false});
    };
    stayed("trained here", view->curve.back().worth);
    stayed("at step 0", view->curve.front().worth);
    if (loaded) stayed("loaded", view->shipped);
    out << training_conditions(*view) << "\n";
    return out.str();
}

void draw_live_training_controls(const TrainingDraw& d) {
    const Rect r = d.input.controls;
    if (r.w <= 0) return;
    ui::Ui& ui = d.ui;
    const HeadKind kind = head_to_train(d.input, d.state);
    ControlRow row(r);
    std::vector<std::string> names;
    int chosen = 0;
    for (const HeadKind head : kHeads) {
        if (head == kind) chosen = static_cast<int>(names.size());
        names.push_back(method_title(name_of(head)));
    }
    float width = ui::segmented_width(ui.canvas, names);
    if (row.room() > width + 120) {
        const Rect at = row.place(width);
        ui::field_label(ui, at, "What is trained");
        if (const auto pick = ui::segmented(ui, "head", {at.x, at.y}, names, chosen); pick && *pick != chosen)
            d.state.head = kHeads[static_cast<std::size_t>(*pick)], d.state.steps = 0;
    }
    const Lengths& lengths = lengths_of(kind);
    const int steps = d.state.steps > 0 ? d.state.steps : lengths.usual;
    std::vector<std::string> choices;
    chosen = 0;
    for (const int length : lengths.steps) {
        if (length == steps) chosen = static_cast<int>(choices.size());
        choices.push_back(ui::integer(length));
    }
    width = ui::segmented_width(ui.canvas, choices);
    if (row.room() > width + 120) {
        const Rect at = row.place(width);
        ui::field_label(ui, at, "Steps");
        if (const auto pick = ui::segmented(ui, "steps", {at.x, at.y}, choices, chosen))
            d.state.steps = lengths.steps[static_cast<std::size_t>(*pick)];
    }
    Rect at = row.place(std::min(168.0F, row.room()));
    if (at.w < 96) return;
    ui::field_label(ui, at, kind == HeadKind::mtp ? "MTP layer" : "Medusa heads");
    const std::string why = why_not_train(d.input);
    if (d.input.training && !d.input.training->complete) {
        if (ui::button(ui, "train", at, "Stop", {.shortcut = "Esc"})) d.out.push_back(Command{Cancel{}});
    } else if (ui::button(ui, "train", at, "Train", {.shortcut = "M", .disabled = why})) {
        d.out.push_back(Command{training_asked(d.input, d.state)});
    }
    at = row.place(std::min(168.0F, row.room()));
    if (at.w < 96) return;
    const std::string not_yet = usable(d.input) ? "" : "Train first";
    if (ui::button(ui, "use", at, head_shown(d.input, d.state) == HeadKind::mtp ? "Draft with it" : "Draft with them",
                   {.shortcut = "U", .disabled = not_yet}))
        std::ranges::move(use_trained(d.input), std::back_inserter(d.out));
}

void take_live_training_keys(const TrainingDraw& d) {
    const bool can = why_not_train(d.input).empty();
    if (d.ui.take_key(ui::Key::m) && can) d.out.push_back(Command{training_asked(d.input, d.state)});
    if (d.ui.take_key(ui::Key::u) && usable(d.input)) std::ranges::move(use_trained(d.input), std::back_inserter(d.out));
    if (d.input.still && models_loaded(d.input) && !d.input.training) d.out.push_back(Command{training_asked(d.input, d.state)});
}

} // namespace speclens
