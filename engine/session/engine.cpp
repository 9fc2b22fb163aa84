#include "engine/session/engine.h"

#include <algorithm>
#include <utility>

#include "engine/drafters/draft_network.h"
#include "kernels/backend.h"
#include "kernels/error.h"
#include "kernels/process_memory.h"

namespace speclens {

const Run& Desk::shown_run() const {
    if (!run) throw Error("there is no run to look at", "Start a run first.");
    return *run;
}

Engine::Engine(EngineHost& host, ModelPaths paths, RunSettings settings, RepeatPlan repeats)
    : host_(host), paths_(std::move(paths)), first_settings_(std::move(settings)), turns_(std::make_shared<Turns>()),
      repeat_plan_(repeats) {
    shown_.settings = first_settings_;
    shown_.status.job = {EngineJob::What::models};
}

Engine::Engine(EngineHost& host, std::shared_ptr<const Models> models, RepeatPlan repeats)
    : host_(host), turns_(models->turns), given_(true), models_(std::move(models)), repeat_plan_(repeats) {
    shown_.status.state = EngineStatus::State::idle;
    publish([this](Snapshot& s) { show_models(s); });
}

void Engine::publish(const std::function<void(Snapshot&)>& change) {
    change(shown_);
    if (!at(Slot::measurement)) shown_.status.timed_model.clear(), shown_.status.timed = 0;
    shown_.status.work = work_shown();
    ++shown_.revision;
    host_.published(shown_);
}

void Engine::forget_answers() {
    publish([](Snapshot& s) { static_cast<Answers&>(s) = {}; });
}

void Engine::obey(const Command& command) {
    const std::lock_guard turn(*turns_);
    guarded(slot_of(command), "", [&] { apply(command); });
}

// Others may compute with the same models between two steps.
bool Engine::step() {
    const std::lock_guard turn(*turns_);
    const bool run_waits = gate_.work_first() && next(Turn::before_run);
    if (later_ && !run_waits) {
        const Restart restart = *std::exchange(later_, {});
        guarded(Slot::run, "", [&] { carry_out(restart); });
        return true;
    }
    if (!run_waits && step_run()) return true;
    if (run_waits && run_unshown_) show_progress(); // where it stands meanwhile
    const Place* const due = next(run_waits ? Turn::before_run : Turn::any);
    if (!due) return false;
    Place& place = jobs_[static_cast<std::size_t>(due - jobs_.data())];
    guarded(place.order.slot, place.order.name, [&] { work(place); });
    return true;
}

// ---- what fails ----

// Ends here, as a line of the status: the run and the other jobs go on.
void Engine::guarded(Slot slot, const std::string& name, const std::function<void()>& work) {
    const std::string whose = name; // the job goes
    try {
        return work();
    } catch (const Error& error) {
        failed(slot, whose, error.what(), error.remedy(), error.kind());
    } catch (const Cancelled&) {
        failed(slot, whose, "loading was cancelled", "Try again to load the models.", ErrorKind::cancelled);
    } catch (const std::bad_alloc&) {
        failed(slot, whose, "out of memory", "Use a shorter prompt, fewer new tokens or a smaller model.", ErrorKind::out_of_memory);
    } catch (const std::exception& error) {
        failed(slot, whose, error.what(), "Restart the run; if it happens again, please report it.");
    }
}

void Engine::failed(Slot slot, const std::string& name, const std::string& what, const std::string& remedy, ErrorKind kind) {
    failure_ = std::current_exception();
    gate_.set(0); // whatever failed: the run waits until it was read
    run_unshown_ = false;
    failed_ = slot;
    publish([&](Snapshot& s) {
        std::erase_if(jobs_, [&](const Place& place) {
            if (place.order.slot != slot || place.order.name != name) return false;
            place.job->end_early(s);
            return true;
        });
        s.status.state = EngineStatus::State::failed;
        s.status.error = what;
        s.status.remedy = remedy;
        s.status.error_kind = kind;
        s.status.job = {};
    });
}

void Engine::rethrow() {
    if (const std::exception_ptr failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

void Engine::clear_error(Snapshot& shown) {
    failed_.reset();
    failure_ = nullptr;
    shown.status.error.clear();
    shown.status.remedy.clear();
    shown.status.error_kind = ErrorKind::other;
}

Slot Engine::slot_of(const Command& command) {
    return std::visit(
        []<typename C>(const C& order) {
            if constexpr (BeginsJob<C>) return order_of(order).slot;
            return std::is_same_v<C, StepRace> ? Slot::stepped : Slot::run;
        },
        command);
}

// ---- jobs ----

Desk Engine::desk() {
    const auto keep = [this](const std::string& drafter, std::shared_ptr<const DraftNetwork> network) {
        Models changed = *models_;
        changed.networks[drafter] = std::move(network);
        changed.shipped.erase(drafter);
        keep_models(std::move(changed));
        publish([&](Snapshot& s) { s.status.ready_drafters = models_->ready_drafters(); });
    };
    return {models_,
            run_.get(),
            run_models_,
            times_,
            shown_,
            [this] { return !called(EngineHost::Call::end_of_job); },
            given_ ? nullptr : decltype(Desk::keep)(keep)};
}

Engine::Place* Engine::at(Slot slot) {
    const auto found = std::ranges::find_if(jobs_, [&](const Place& place) { return place.order.slot == slot; });
    return found == jobs_.end() ? nullptr : &*found;
}

void Engine::begin(JobOrder order) {
    cancel([&](const Place& place) { return place.order.slot == order.slot && place.order.name == order.name; });
    Place place{std::move(order), nullptr, ++begun_};
    place.job = std::exchange(place.order.make, nullptr)(desk());
    const auto later = [](Slot slot, const Place& other) { return slot < other.order.slot; };
    const auto begun = jobs_.insert(std::upper_bound(jobs_.begin(), jobs_.end(), place.order.slot, later), std::move(place));
    publish([&](Snapshot& s) {
        if (failed_ == begun->order.slot) {
            clear_error(s);
            s.status.state = run_state();
        }
        show(s, *begun);
    });
}

void Engine::cancel(const std::function<bool(const Place&)>& which) {
    if (std::ranges::none_of(jobs_, which)) return;
    publish([&](Snapshot& s) {
        for (Place& place : jobs_) {
            if (!which(place)) continue;
            place.job->stop();
            show(s, place);
            place.job->end_early(s);
        }
        std::erase_if(jobs_, which);
    });
    give_back_memory();
}

void Engine::show(Snapshot& shown, Place& place) {
    place.shown = place.job->revision();
    place.since = Stopwatch();
    place.job->show(shown);
    if (place.order.slot != Slot::measurement) return;
    shown.status.timed_model = place.job->timed();
    shown.status.timed = place.job->done();
}

// A timed race waits while a stepped one is open, and for everything else.
const Engine::Place* Engine::next(Turn turn) const {
    const auto of_the_run = [](Slot slot) { return slot >= Slot::other_round && slot <= Slot::times; };
    for (const Place& place : jobs_) {
        if (place.job->waits() || (turn == Turn::before_run && of_the_run(place.order.slot))) continue;
        return place.order.slot == Slot::race && jobs_.front().order.slot == Slot::stepped ? nullptr : &place;
    }
    return nullptr;
}

// The first that is counted, whoever's turn it is: who asked for it wants to know. A race behind a stepped one is not under way.
Work Engine::work_shown() const {
    for (const Place& place : jobs_) {
        if (place.order.slot == Slot::race && jobs_.front().order.slot == Slot::stepped) continue;
        Work work = place.job->work();
        if (work.total <= 0) continue;
        work.number = place.number;
        const double done = place.job->done();
        if (!work.left && work.done > 0 && done > 0) work.left = place.worked_ms / 1000 * (1 - done) / done;
        return work;
    }
    return {};
}

// A window that draws would be in the times: it is told when there is something to see, and seldom; of long work how far it is.
void Engine::work(Place& place) {
    constexpr double kShowMs = 150, kTellMs = 1000;
    const Stopwatch own;
    const bool more = place.job->step();
    place.worked_ms += own.ms();
    const bool tells = place.since.ms() >= kTellMs && place.job->work().total > 0;
    if (more && !tells && (place.job->revision() == place.shown || (!place.job->waits() && place.since.ms() < kShowMs))) return;
    publish([&](Snapshot& s) {
        show(s, place);
        if (!more) std::erase_if(jobs_, [&](const Place& other) { return &other == &place; });
    });
    if (!more) give_back_memory(); // weights in other forms, caches of lanes
}

std::string Engine::doing() const {
    const Place* place = run_state() == EngineStatus::State::running ? nullptr : next();
    return place ? place->order.words : "";
}

double Engine::done() const {
    const Place* place = next();
    return place ? place->job->done() : 0;
}

// ---- the run ----

EngineStatus::State Engine::run_state() const {
    if (!run_) return EngineStatus::State::idle;
    return run_->stopped() ? EngineStatus::State::stopped : gate_.budget() > 0 ? EngineStatus::State::running : EngineStatus::State::idle;
}

// Between two publications the window draws nothing new: its work would show up in the times that are measured. So a run
// that goes on by itself is not shown step by step.
bool Engine::step_run() {
    constexpr double kPublishMs = 40;
    if (!run_ || run_->stopped()) {
        gate_.set(0);
        return false;
    }
    const bool goes_on = gate_.try_take();
    guarded(Slot::run, "", [&] {
        if (goes_on) {
            run_unshown_ = true;
            if (!run_->step()) gate_.set(0);
        }
        if (run_unshown_ && (gate_.budget() == 0 || run_published_.ms() > kPublishMs)) show_progress();
    });
    return goes_on;
}

void Engine::show_progress() {
    run_unshown_ = false;
    run_published_ = Stopwatch();
    if (!at(Slot::times)) time_shown();
    publish([&](Snapshot& s) {
        s.status.state = run_state();
        s.status.job = {};
    });
}

void Engine::end_questions() {
    std::erase_if(jobs_, [](const Place& place) { return place.order.slot >= Slot::other_round && place.order.slot <= Slot::times; });
}

void Engine::show_run() {
    end_questions();
    time_shown(); // before anybody sees it without
    publish([&](Snapshot& s) {
        clear_error(s);
        s.trace = run_->shared_trace();
        s.forget_run();
        s.settings = run_->settings();
        s.earlier = std::make_shared<const std::vector<EarlierSettings>>(run_->earlier());
        s.runs += 1 + std::exchange(runs_skipped_, 0);
        s.status.state = EngineStatus::State::idle;
        s.status.job = {};
        s.status.notice = run_->trace().header()->notice;
        const std::size_t held = run_models_->backend ? run_models_->backend->held_memory() : 0; // of draft model and heads, too
        s.status.memory_bytes = std::max(run_->memory_bytes(), held);
        s.status.timing = false;
        s.status.plain_ms_per_token = run_->trace().plain_ms();
    });
    plan_repeats();
}

// A long prompt: the window shows how far it was read, and whatever ends a run ends it here too.
void Engine::show_reading(int read, int all) {
    if (called(EngineHost::Call::end_of_run)) throw Error("the prompt was not read to its end", "Start the run again.", Exit::interrupted);
    publish([&](Snapshot& s) {
        s.status.state = EngineStatus::State::running;
        s.status.job = {EngineJob::What::reading, "", static_cast<double>(read), static_cast<double>(all)};
    });
}

// K auto measures first what rounds cost, which takes seconds on a large model: a run of other settings would pass for this one.
void Engine::show_costs(const RunSettings& settings, int done, int all) {
    if (called(EngineHost::Call::end_of_run))
        throw Error("what rounds cost was not measured to its end", "Start the run again.", Exit::interrupted);
    if (run_) {
        end_questions();
        run_.reset();
    }
    publish([&](Snapshot& s) {
        if (!s.trace || s.trace->size() > 0) {
            clear_error(s);
            s.trace = std::make_shared<Trace>(models_->texts());
            s.forget_run();
        }
        s.settings = settings;
        s.status.state = EngineStatus::State::running;
        s.status.job = {EngineJob::What::costs, "", static_cast<double>(done), static_cast<double>(all)};
    });
    if (called(EngineHost::Call::end_of_job)) throw RaceWaits{}; // the run before is gone all the same
}

void Engine::time_shown() {
    if (models_->target && run_->settings().timing) times_.time(run_->trace());
}

// A table costs nothing to ask, and nobody's server is asked again and again to be timed.
void Engine::plan_repeats() {
    const RunSettings& settings = run_->settings();
    if (!models_->target || models_->scorer || !settings.timing || repeat_plan_.generations == 0) return;
    if (std::ranges::find(timed_, settings) != timed_.end()) return;
    begin(times_of_run(repeat_plan_, [this](const RunSettings& known) {
        constexpr std::size_t kMostKept = 200;
        if (timed_.size() == kMostKept) timed_.erase(timed_.begin());
        timed_.push_back(known);
    }));
}

// A run that was begun again has to come as far as it had been before it can be forked there.
bool Engine::reach(int round) {
    std::size_t seen = 0;
    int complete = 0;
    const auto there = [&] {
        for (; seen < run_->trace().size(); ++seen) complete += std::holds_alternative<Committed>(run_->trace()[seen]) ? 1 : 0;
        return complete >= round;
    };
    while (!there()) {
        if (called(EngineHost::Call::end_of_run)) return false;
        if (!run_->step()) break;
    }
    return true;
}

// ---- models ----

void Engine::load() {
    const std::lock_guard turn(*turns_);
    guarded(Slot::run, "", [&] { load(Restart{first_settings_}); });
}

void Engine::load(const Restart& first) {
    try {
        keep_models(loaded(paths_));
        times_.clear();
        timed_.clear();
    } catch (...) {
        host_.models_missing();
        throw;
    }
    publish([this](Snapshot& s) { show_models(s); });
    carry_out(first);
}

Models Engine::loaded(const ModelPaths& paths) {
    Progress progress;
    progress.cancelled = &cancelled_;
    progress.report = [this](const std::string& what, double done, double total, const std::string&) {
        publish([&](Snapshot& s) { s.status.job = {EngineJob::What::weights, what, done, total}; });
    };
    return load_models(paths, progress);
}

void Engine::keep_models(Models models) {
    models.turns = turns_;
    models_ = std::make_shared<const Models>(std::move(models));
}

void Engine::show_models(Snapshot& shown) const {
    shown.status.backend = models_->backend->description();
    shown.status.model = models_->target_name();
    shown.status.draft_model = models_->draft_name();
    shown.status.weights = models_->weights();
    shown.status.precision = models_->precision();
    shown.status.kernels = models_->kept_kernels();
    shown.status.ready_drafters = models_->ready_drafters();
    shown.status.built_in = !models_->bundle.empty();
    shown.status.chats = models_->bundle.empty() && models_->tokenizer && models_->chat.problem.empty();
    shown.prompt_room = prompt_counter(*models_);
}

} // namespace speclens
