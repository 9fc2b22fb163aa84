#include "app/frame/controller_run.h"

#include <algorithm>
#include <utility>

#include "engine/base/display_name.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

bool asks_about_run(const Command& command) {
    return std::holds_alternative<FetchDistributions>(command) || std::holds_alternative<FetchReplay>(command) ||
           std::holds_alternative<FetchOtherDrafterRound>(command) || std::holds_alternative<CompareDrafters>(command);
}

} // namespace

RunPart::RunPart(ControllerCommon& common, const RunSettings& first) : common_(common), settings_(first) {
    if (!common_.has_engine()) common_.status.state = EngineStatus::State::stopped;
}

bool RunPart::observe(const Snapshot& published, double now) {
    answers_ = published;
    earlier_ = published.earlier;
    saved_status_.ready_drafters = published.status.ready_drafters;
    if (published.status.state == EngineStatus::State::failed) {
        restarts_ = 0;
        // The run that was asked about is still the engine's.
        for (Command& question : std::exchange(questions_, {})) common_.send(std::move(question));
    }
    const auto begun = static_cast<int>(published.runs - std::exchange(runs_seen_, published.runs));
    if (!published.trace || published.trace == live_) return false;
    live_ = published.trace;
    questions_.clear();                     // of the run before; scenes ask again
    if (live_->size() == 0) return !saved_; // what its rounds cost is measured first: it is still to come
    const bool first = !std::exchange(begun_, true);
    // The controls show the newest wish, not a run that another restart will replace at once.
    restarts_ = std::max(0, restarts_ - std::max(1, begun));
    if (saved_) return false;
    if (restarts_ == 0) {
        settings_ = published.settings;
        keep_to_limit(now);
    }
    // Later runs get their budget with the command that starts them.
    if (first && common_.port.set_budget) common_.port.set_budget(common_.first_budget());
    return true;
}

// The run may draft fewer in a row than were asked for: that is all its drafter can do.
void RunPart::keep_to_limit(double now) {
    const Header* run = live_->header();
    if (!run || run->drafter != settings_.drafter || settings_.options.tree_depth > 0) return;
    if (run->k <= 0 || run->k >= settings_.k) return;
    most_in_a_row_[run->drafter] = settings_.k = run->k;
    (void)at_limit(now);
}

bool RunPart::at_limit(double now) const {
    const auto most = most_in_a_row_.find(settings_.drafter);
    if (most == most_in_a_row_.end() || settings_.k < most->second) return false;
    common_.say(frame_says("notice.limit"_t, "drafter"_v = settings_.drafter, "tokens"_v = most->second), now);
    return true;
}

void RunPart::fill(SceneInput& in) const {
    static_cast<Answers&>(in) = answers_;
    in.status = saved_ ? &saved_status_ : &common_.status;
    if (saved_)
        in.forget_run();
    else
        in.earlier = earlier_.get();
}

void RunPart::begin(RunSettings settings, bool measure) {
    settings.internals = true; // scenes show it; lanes of a race and most saved runs have none
    // Lengths of rounds are those of one run: with anything else changed they are chosen anew, by what rounds cost here.
    if (!settings.k_rounds.empty() && settings.k_rounds == settings_.k_rounds && !(settings == settings_)) {
        settings.k_rounds.clear();
        if (settings.k_costs == settings_.k_costs) settings.k_costs.reset();
    }
    settings_ = settings;
    saved_ = nullptr;
    growing_ = false;
    ++restarts_;
    common_.send(Restart{std::move(settings), common_.first_budget(), measure});
}

void RunPart::branch(Fork fork) {
    ++restarts_;
    fork.budget = common_.run_ahead ? kUnlimitedPhases : 40;
    common_.send(std::move(fork));
}

void RunPart::ask(const Command& command, double now) {
    if (saved_ && !suits_saved(command, now)) return;
    // The next run would answer what is asked about this one.
    if (restarts_ > 0 && asks_about_run(command)) return questions_.push_back(command);
    common_.send(command);
}

void RunPart::forget(const RunSettings& settings) {
    saved_ = live_ = nullptr;
    growing_ = begun_ = false;
    settings_ = settings;
    most_in_a_row_.clear();
    questions_.clear();
    restarts_ = 0;
}

// ---- a saved run ----

void RunPart::open(std::shared_ptr<const Trace> trace, const RunSettings& settings, bool growing) {
    saved_ = std::move(trace);
    growing_ = growing;
    settings_ = settings;
    saved_status_.state = EngineStatus::State::stopped;
}

// What another precision changes is known only by running. Of another model's run nothing is expected.
bool RunPart::in_other_precision() const {
    const Header* run = saved_ ? saved_->header() : nullptr;
    return run && common_.has_engine() && called_alike(run->model, common_.status.model) && run->precision != common_.status.precision;
}

bool RunPart::by_other_kernels() const {
    const Header* run = saved_ ? saved_->header() : nullptr;
    const EngineStatus& here = common_.status;
    return run && common_.has_engine() && run->model == here.model && run->precision == here.precision && !here.weights.empty() &&
           (run->weights != here.weights || run->kernels != here.kernels);
}

// The engine holds another run than the saved one on screen.
bool RunPart::suits_saved(const Command& command, double now) const {
    if (std::holds_alternative<RunStudy>(command)) {
        const Header* run = saved_->header();
        if (run && called_alike(run->model, common_.status.model)) return true; // of its settings, with the loaded models
        common_.say(frame_says("notice.other_run"_t, "model"_v = run ? run->model : ""), now);
        return false;
    }
    return !asks_about_run(command);
}

} // namespace speclens
