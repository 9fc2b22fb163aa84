// The last beat of S10: Medusa heads or an MTP layer that learn here and now: what is asked for, what is said of it, and runs with it.
#include <algorithm>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/run_controls.h"
#include "scenes/training/training_draw.h"
#include "ui/widgets.h"

namespace speclens {
namespace {

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

Message why_not_train(const SceneInput& input) {
    if (Message problem = no_models(input); !problem.empty()) return problem;
    return input.training && !input.training->complete ? training_says("controls.under_way"_t) : Message();
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

StageTitle live_training_title(const SceneInput& input, const TrainingState& state) {
    StageTitle title;
    const HeadTrainingView* view = input.training.get();
    const auto layer = "layer"_v = head_shown(input, state) == HeadKind::mtp;
    if (!view) {
        title.title = training_says("live.title:none"_t);
        title.subtitle = training_says("live.subtitle:none"_t, layer);
        return title;
    }
    const auto stopped = "stopped"_v = view->ended_early;
    if (!learned(input)) {
        if (view->ended_early)
            title.title = training_says("live.title:stopped"_t);
        else
            title.title = view->curve.empty() ? training_says("live.title:writing"_t, layer) : training_says("live.title:new"_t, layer);
        title.subtitle = training_says("live.subtitle:answers"_t, "done"_v = view->texts_done, "of"_v = view->texts, stopped);
        return title;
    }
    const HeadTrainingPoint& last = view->curve.back();
    title.title = training_says("live.title:trained"_t, "seconds"_v = last.seconds, "tokens"_v = last.worth.tokens_per_round);
    const auto trained = [&](auto id) {
        return training_says(id, "guesses"_v = last.worth.shares.size(), "step"_v = last.step, "of"_v = view->plan.steps, stopped,
                             "loaded"_v = if_measured(view->shipped.tokens_per_round));
    };
    title.subtitle = view->plan.kind == HeadKind::mtp ? trained("live.subtitle:trained_layer"_t) : trained("live.subtitle:trained"_t);
    return title;
}

Words live_training_words(const SceneInput& input, const TrainingState& state) {
    const bool layer = head_shown(input, state) == HeadKind::mtp;
    if (!learned(input)) return layer ? training_says.beat("live:layer_new"_t) : training_says.beat("live:new"_t);
    const HeadTrainingView& view = *input.training;
    const HeadWorth &now = view.curve.back().worth, &before = view.curve.front().worth;
    const auto say = [&](auto id) {
        return training_says.beat(id, "first"_v = now.shares.front(), "guesses"_v = now.shares.size(), "last"_v = now.shares.back(),
                                  "begun"_v = before.shares.front(), "behind"_v = view.shipped.tokens_per_round > now.tokens_per_round);
    };
    if (!usable(input)) return layer ? say("live:layer_learning"_t) : say("live:learning"_t);
    if (view.shipped.tokens_per_round <= 0) return layer ? say("live:layer_own"_t) : say("live:own"_t);
    return layer ? say("live:layer_against"_t) : say("live:against"_t);
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

void draw_live_training_controls(const TrainingDraw& d) {
    constexpr float kNext = 120; // stays free for what comes next
    ui::Ui& ui = d.ui;
    const HeadKind kind = head_to_train(d.input, d.state);
    ControlRow row(d.input.controls);
    // What was picked now, and is not chosen yet.
    const auto choice = [&](const ControlWords& words, const std::vector<Message>& choices, auto chosen) -> std::optional<std::ptrdiff_t> {
        if (row.room() <= ui::segmented_width(ui.canvas, choices) + kNext) return {};
        const auto pick = segmented(ui, row, words, choices, static_cast<int>(chosen));
        return pick && *pick != chosen ? pick : std::nullopt;
    };
    std::vector<Message> names, lengths;
    for (const HeadKind head : kHeads)
        names.push_back(training_says("controls.drafter"_t, "drafter"_v = method_title(name_of(head)).words()));
    if (const auto pick = choice({"head", training_says("controls.head"_t), {}}, names, std::ranges::find(kHeads, kind) - kHeads))
        d.state.head = kHeads[*pick], d.state.steps = 0;
    const auto& steps = lengths_of(kind).steps;
    for (const int length : steps) lengths.push_back(training_says("controls.length"_t, "steps"_v = length));
    const int now = d.state.steps > 0 ? d.state.steps : lengths_of(kind).usual;
    if (const auto pick = choice({"steps", training_says("controls.steps"_t), {}}, lengths, std::ranges::find(steps, now) - steps))
        d.state.steps = steps[*pick];
    Rect at = row.place(std::min(168.0F, row.room()));
    if (at.w < 96) return;
    ui::field_label(ui, at, training_says("controls.trained"_t, "layer"_v = kind == HeadKind::mtp));
    if (d.input.training && !d.input.training->complete) {
        if (ui::button(ui, "train", at, shared_says("words.stop"_t), {.shortcut = "Esc"})) d.out.push_back(Command{Cancel{}});
    } else if (ui::button(ui, "train", at, training_says("controls.train"_t), {.shortcut = "M", .disabled = why_not_train(d.input)})) {
        d.out.push_back(Command{training_asked(d.input, d.state)});
    }
    at = row.place(std::min(168.0F, row.room()));
    if (at.w < 96) return;
    const Message use = training_says("controls.use"_t, "layer"_v = head_shown(d.input, d.state) == HeadKind::mtp);
    const Message not_yet = usable(d.input) ? Message() : training_says("controls.first"_t);
    if (ui::button(ui, "use", at, use, {.shortcut = "U", .disabled = not_yet}))
        std::ranges::move(use_trained(d.input), std::back_inserter(d.out));
}

void take_live_training_keys(const TrainingDraw& d) {
    const bool can = why_not_train(d.input).empty();
    if (d.ui.take_key(ui::Key::m) && can) d.out.push_back(Command{training_asked(d.input, d.state)});
    if (d.ui.take_key(ui::Key::u) && usable(d.input)) std::ranges::move(use_trained(d.input), std::back_inserter(d.out));
    if (d.input.still && models_loaded(d.input) && !d.input.training) d.out.push_back(Command{training_asked(d.input, d.state)});
}

} // namespace speclens
