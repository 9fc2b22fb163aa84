#include "engine/session/session.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/lab/fault_study.h"
#include "kernels/error.h"

namespace speclens {
namespace {

void cut(std::shared_ptr<const RaceView>& race) {
    if (!race || race->cut || race->finished()) return;
    auto changed = std::make_shared<RaceView>(*race);
    changed->cut = true;
    changed->running = -1;
    race = std::move(changed);
}

} // namespace

void Snapshot::cut_race() {
    cut(race);
}

void Snapshot::cut_stepped() {
    cut(stepped);
}

void Snapshot::cut_guesses() {
    if (!guesses || guesses->complete()) return;
    auto cut = std::make_shared<DrafterComparison>(*guesses);
    cut->planned = static_cast<int>(cut->rows.size());
    guesses = std::move(cut);
}

void Snapshot::cut_training() {
    if (!training || training->complete) return;
    auto cut = std::make_shared<MedusaView>(*training);
    cut->complete = cut->cut = true;
    training = std::move(cut);
}

void Snapshot::cut_advice() {
    if (!advice || advice->complete) return;
    auto cut = std::make_shared<Advice>(*advice);
    cut->complete = true;
    advice = std::move(cut);
}

Session::Session(ModelPaths paths, RunSettings settings, std::function<void()> notify, RepeatPlan repeats)
    : paths_(std::move(paths)), first_settings_(std::move(settings)), notify_(std::move(notify)),
      repeat_plan_(repeats) {
    published_.settings = first_settings_;
    published_.status.job = "loading the models";
    thread_ = std::thread([this] { main(); });
}

Session::~Session() {
    closing_ = true;
    cancelled_ = true;
    gate_.close();
    thread_.join();
}

void Session::send(Command command) {
    mailbox_.push(std::move(command));
    gate_.wake();
}

Snapshot Session::published() const {
    const std::lock_guard lock(published_mutex_);
    return published_;
}

std::shared_ptr<const Models> Session::models() const {
    const std::lock_guard lock(published_mutex_);
    return models_;
}

void Session::keep_models(Models models) {
    models.turns = turns_;
    auto kept = std::make_shared<const Models>(std::move(models));
    const std::lock_guard lock(published_mutex_);
    models_.swap(kept);
}

void Session::cancel_loading() {
    cancelled_ = true;
}

void Session::publish(const std::function<void(Snapshot&)>& change) {
    {
        const std::lock_guard lock(published_mutex_);
        change(published_);
        ++published_.revision;
    }
    if (notify_) notify_();
}

// What fails on the engine thread ends here, as a line of the status: the window and the other jobs go on.
void Session::main() {
    const auto guarded = [&](Job job, const std::function<void()>& work) {
        const auto failed = [&](const std::string& what, const std::string& remedy, bool too_long = false) {
            gate_.set(0); // whatever failed: the run waits until it was read
            run_unshown_ = false;
            give_up(job);
            failed_ = job;
            publish([&](Snapshot& p) {
                p.status.state = EngineStatus::State::failed;
                p.status.error = what;
                p.status.remedy = remedy;
                p.status.prompt_too_long = too_long;
                p.status.job.clear();
            });
        };
        try {
            work();
        } catch (const Error& error) {
            failed(error.what(), error.remedy(), dynamic_cast<const PromptTooLong*>(&error) != nullptr);
        } catch (const Cancelled&) {
            failed("loading was cancelled", "Try again to load the models.");
        } catch (const std::bad_alloc&) {
            failed("out of memory", "Use a shorter prompt, fewer new tokens or a smaller model.");
        } catch (const std::exception& error) {
            failed(error.what(), "Restart the run; if it happens again, please report it.");
        }
    };
    {
        const std::lock_guard turn(*turns_);
        guarded(Job::run, [&] { load(Restart{first_settings_}); });
    }
    // A race goes on whenever the run has nothing to do: both on this thread, so that they never share the
    // cores. A timed one also waits for what is measured or trained: between its pieces the caches are cold.
    const auto racing = [&] { return stepped_ ? !stepped_->waiting() : race_ && !measures(); };
    while (!closing_ && (racing() || gate_.wait())) {
        const std::lock_guard turn(*turns_); // of one phase: others may compute with the same models
        for (const Command& command : mailbox_.take()) guarded(job_of(command), [&] { apply(command); });
        const bool idle = !run_ || run_->stopped() || gate_.budget() == 0;
        const bool races = idle && racing();
        bool stepped = false;
        guarded(!races ? Job::run : stepped_ ? Job::stepped : Job::race, [&] {
            if (races) return stepped_ ? step_stepped() : step_race();
            if (!run_ || run_->stopped()) {
                gate_.set(0);
                return;
            }
            if (!gate_.try_take()) {
                if (run_unshown_) show_progress();
                return;
            }
            stepped = true;
            step_run();
        });
        // The run on the screen goes first; what is measured would only be disturbed by it.
        if (stepped) {
            if (measures()) gate_.wake(); // its turn comes when the run stands still
            continue;
        }
        if (guest_asked_)
            guarded(Job::guest, [&] { draft_as_guest(); });
        else if (guessed_cycle_)
            guarded(Job::guesses, [&] { guess(); });
        else if (repeats_)
            guarded(Job::times, [&] { time_run(); });
        else if (!planned_.empty())
            guarded(Job::studies, [&] { study(); });
        else if (timing_)
            guarded(Job::passes, [&] { time_passes(); });
        else if (advising_)
            guarded(Job::advice, [&] { advise(); });
        else if (load_)
            guarded(Job::load, [&] { measure_load(); });
        else if (training_)
            guarded(Job::training, [&] { train(); });
    }
}

bool Session::asked() const {
    return guest_asked_ || guessed_cycle_ || !planned_.empty() || timing_ || advising_ || load_ || training_;
}

Session::Job Session::job_of(const Command& command) {
    if (const auto* race = std::get_if<StartRace>(&command))
        return race->settings.stepped ? Job::stepped : Job::race;
    if (std::holds_alternative<StepRace>(command)) return Job::stepped;
    if (std::holds_alternative<FetchOtherDrafterRound>(command)) return Job::guest;
    if (std::holds_alternative<CompareDrafters>(command)) return Job::guesses;
    if (std::holds_alternative<RunStudy>(command)) return Job::studies;
    if (std::holds_alternative<MeasurePasses>(command)) return Job::passes;
    if (std::holds_alternative<AskAdvice>(command)) return Job::advice;
    if (std::holds_alternative<MeasureLoad>(command)) return Job::load;
    if (std::holds_alternative<TrainHeads>(command)) return Job::training;
    return Job::run;
}

void Session::give_up(Job job) {
    switch (job) {
    case Job::run: // its trace stays to be read, and goes on where it can
        return;
    case Job::times: // the run has the times that it was recorded with
        repeats_.reset();
        return publish([](Snapshot& p) { p.status.timing = false; });
    case Job::race:
        race_.reset();
        return publish([](Snapshot& p) { p.cut_race(); });
    case Job::stepped:
        stepped_.reset();
        return publish([](Snapshot& p) { p.cut_stepped(); });
    case Job::guest:
        return guest_asked_.reset();
    case Job::guesses:
        guessed_cycle_.reset();
        return publish([](Snapshot& p) { p.cut_guesses(); });
    case Job::studies:
        return cut_studies();
    case Job::passes:
        return stop_timing();
    case Job::advice:
        return stop_advising();
    case Job::load:
        return stop_load();
    case Job::training:
        training_.reset();
        return publish([](Snapshot& p) { p.cut_training(); });
    }
}

void Session::forget_failure() {
    failed_.reset();
    publish([&](Snapshot& p) {
        p.status.state = run_state();
        p.status.error.clear();
        p.status.remedy.clear();
        p.status.prompt_too_long = false;
    });
}

EngineStatus::State Session::run_state() const {
    if (!run_) return EngineStatus::State::idle;
    return run_->stopped()      ? EngineStatus::State::stopped
           : gate_.budget() > 0 ? EngineStatus::State::running
                                : EngineStatus::State::idle;
}

Models Session::loaded(const ModelPaths& paths) {
    Progress progress;
    progress.cancelled = &cancelled_;
    progress.report = [this](const std::string& what, double done, double total, const std::string& unit) {
        publish([&](Snapshot& p) {
            p.status.job = what;
            p.status.job_done = done;
            p.status.job_total = total;
            p.status.job_unit = unit;
        });
    };
    return load_models(paths, progress);
}

void Session::show_models() {
    publish([&](Snapshot& p) {
        p.status.backend = models_->backend->description();
        p.status.model = models_->target_name();
        p.status.draft_model = models_->draft_name();
        p.status.precision = models_->precision();
        p.status.ready_drafters = models_->ready_drafters();
        p.status.built_in = !models_->bundle.empty();
        p.prompt_room = prompt_counter(*models_);
    });
}

void Session::load(const Restart& first) {
    try {
        keep_models(loaded(paths_));
        times_.clear();
        timed_.clear();
    } catch (...) {
        for (Command& command : mailbox_.take()) // what was asked of models that are not there now
            if (std::holds_alternative<OpenModel>(command)) mailbox_.push(std::move(command));
        throw;
    }
    show_models();
    obey(first);
}

void Session::plan_repeats() {
    repeats_.reset();
    const RunSettings& settings = run_->settings();
    // A table costs nothing to ask, and nobody's server is asked again and again to be timed.
    if (!models_->target || models_->scorer || !settings.timing) return;
    show_times(); // what is known from runs before it
    if (std::ranges::find(timed_, settings) != timed_.end()) return;
    repeats_ = std::make_unique<Repeats>(run_models_, settings, times_, repeat_plan_);
    gate_.wake();
    publish([&](Snapshot& p) { p.status.timing = true; });
}

void Session::time_run() {
    gate_.wake(); // the next passes, even when the run on the screen stands still
    if (repeats_->step()) return;
    repeats_.reset();
    show_times();
    const std::shared_ptr<const TraceTimes> times = run_->trace().times();
    // In doubt: the next run like it is timed again.
    if (times && times->busy_cores <= repeat_plan_.most_busy_cores) {
        constexpr std::size_t kMostKept = 200;
        if (timed_.size() == kMostKept) timed_.erase(timed_.begin());
        timed_.push_back(run_->settings());
    }
}

// The window redraws once: its work would be in the times.
void Session::show_times() {
    if (models_->target && run_->settings().timing) times_.time(run_->trace());
    publish([&](Snapshot& p) {
        p.status.timing = repeats_ != nullptr;
        p.status.plain_ms_per_token = run_->trace().plain_ms();
    });
}

// Between two publications the window draws nothing new: its work would show up in the times that are
// measured. So a run that goes on by itself is not shown step by step.
void Session::step_run() {
    constexpr double kPublishMs = 40;
    run_unshown_ = true;
    if (!run_->step()) gate_.set(0);
    if (gate_.budget() == 0 || run_published_.ms() > kPublishMs) show_progress();
}

void Session::show_progress() {
    run_unshown_ = false;
    run_published_ = Stopwatch();
    if (!repeats_ && models_->target && run_->settings().timing) times_.time(run_->trace());
    publish([&](Snapshot& p) {
        p.status.state = run_state();
        p.status.job.clear();
        p.status.job_total = 0;
    });
}

// As a run.
void Session::step_race() {
    constexpr double kPublishMs = 150;
    const bool more = race_->step();
    if (!more || (race_->revision() != race_shown_ && race_published_.ms() > kPublishMs)) show_race();
    if (!more) race_.reset();
}

void Session::show_race() {
    auto view = std::make_shared<const RaceView>(race_->view());
    race_shown_ = race_->revision();
    race_published_ = Stopwatch();
    publish([&](Snapshot& p) { p.race = std::move(view); });
}

void Session::step_stepped() {
    (void)stepped_->step();
    if (stepped_->revision() != stepped_shown_) show_stepped();
}

void Session::show_stepped() {
    auto view = std::make_shared<const RaceView>(stepped_->view());
    stepped_shown_ = stepped_->revision();
    publish([&](Snapshot& p) { p.stepped = std::move(view); });
}

void Session::draft_as_guest() {
    const FetchOtherDrafterRound fetch = *std::exchange(guest_asked_, std::nullopt);
    if (asked()) gate_.wake(); // the turn of others comes next
    auto answer =
        std::make_shared<const OtherDrafterRound>(guess_as(run_models_, run_->settings_at(fetch.cycle), run_->trace(), fetch));
    publish([&](Snapshot& p) { p.guest = std::move(answer); });
}

// One drafter at a time, so that commands are obeyed in between. A round is short, also on a large target.
void Session::guess() {
    gate_.wake(); // the next drafter, even when the run on the screen stands still
    auto grown = std::make_shared<DrafterComparison>(*published().guesses);
    grown->rows.push_back(
        next_guess(run_models_, run_->settings_at(grown->cycle), run_->trace(), *grown));
    if (grown->complete()) guessed_cycle_.reset();
    publish([&](Snapshot& p) { p.guesses = std::move(grown); });
}

// One phase at a time, so that commands are obeyed in between.
void Session::study() {
    RunStudy& plan = planned_.front();
    const RunSettings settings = plan.runs.front();
    gate_.wake(); // the next phase, even when the run on the screen stands still
    StudyPoint point;
    try {
        if (!study_run_) study_run_ = study_run(models_, settings, plan.name);
        if (study_run_->step()) return;
        if (models_->target && !models_->scorer && fault_of_study(plan.name) == PlantedFault::none) times_.add(study_run_->trace());
        point = summary_of(settings, study_run_->trace());
        point.trace = study_run_->shared_trace();
    } catch (const std::exception& error) { // of one run: the others may do
        point.settings = settings;
        point.problem = error.what();
    }
    study_run_.reset();
    const std::string name = plan.name;
    plan.runs.erase(plan.runs.begin());
    if (plan.runs.empty()) planned_.erase(planned_.begin());
    publish([&](Snapshot& p) {
        auto grown = std::make_shared<Study>(*p.studies[name]);
        grown->points.push_back(point);
        if (models_->target && !models_->scorer) time_study(*grown, times_);
        p.studies[name] = grown;
    });
}

// Round by round, so that commands are obeyed in between. A window that draws would be in the times: it is told seldom.
void Session::time_passes() {
    constexpr double kPublishMs = 150;
    gate_.wake(); // the next round, even when the run on the screen stands still
    const bool more = timing_->step();
    const Snapshot shown = published();
    const bool news = (timing_->own() && timing_->own() != shown.passes) ||
                      (timing_->beside() && timing_->beside() != shown.passes_beside) ||
                      (timing_->forms() && timing_->forms() != shown.passes_forms);
    if (more && !news && timing_shown_.ms() < kPublishMs) return;
    timing_shown_ = Stopwatch();
    publish([&](Snapshot& p) {
        if (timing_->own()) p.passes = timing_->own();
        if (timing_->beside()) p.passes_beside = timing_->beside();
        if (timing_->forms()) p.passes_forms = timing_->forms();
        p.status.timed_model = timing_->model();
        p.status.timed = timing_->done();
    });
    if (!more) stop_timing();
}

void Session::stop_timing() {
    timing_.reset();
    publish([](Snapshot& p) {
        p.status.timed_model.clear();
        p.status.timed = 0;
    });
}

// A few phases at a time, so that commands are obeyed in between.
void Session::advise() {
    constexpr double kBetweenCommandsMs = 25, kShowMs = 150;
    gate_.wake(); // the next phases, even when the run on the screen stands still
    const std::size_t shown = advising_->revision();
    const Stopwatch watch;
    bool more = true;
    while (more && watch.ms() < kBetweenCommandsMs && !closing_) more = advising_->step();
    if (more && shown == advising_->revision() && advice_shown_.ms() < kShowMs) return;
    show_advice();
    if (!more) stop_advising();
}

void Session::show_advice() {
    advice_shown_ = Stopwatch();
    publish([&](Snapshot& p) {
        p.advice = advising_->advice();
        p.status.timed_model = models_->target_name();
        p.status.timed = advising_->done();
    });
}

void Session::stop_advising() {
    advising_.reset();
    publish([](Snapshot& p) {
        p.cut_advice();
        p.status.timed_model.clear();
        p.status.timed = 0;
    });
}

// A few rounds at a time, so that commands are obeyed in between.
void Session::measure_load() {
    constexpr double kBetweenCommandsMs = 25, kShowMs = 150;
    gate_.wake(); // the next rounds, even when the run on the screen stands still
    const Stopwatch watch;
    bool more = true;
    while (more && watch.ms() < kBetweenCommandsMs && !closing_) more = load_->step();
    if (more && load_revision_ == load_->revision() && load_shown_.ms() < kShowMs) return;
    show_load();
    if (!more) stop_load();
}

void Session::show_load() {
    load_shown_ = Stopwatch();
    const bool changed = std::exchange(load_revision_, load_->revision()) != load_->revision();
    auto sweep = changed ? std::make_shared<const Sweep>(load_->sweep()) : nullptr;
    publish([&](Snapshot& p) {
        if (sweep) p.load = std::move(sweep);
        p.status.timed_model = models_->target_name();
        p.status.timed = load_->done();
    });
}

void Session::stop_load() {
    load_.reset();
    publish([](Snapshot& p) {
        p.status.timed_model.clear();
        p.status.timed = 0;
    });
}

void Session::stop_measuring() {
    if (timing_) stop_timing();
    if (advising_) stop_advising();
    if (load_) stop_load();
}

// A few steps at a time, so that commands are obeyed in between.
void Session::train() {
    constexpr double kBetweenCommandsMs = 25, kShowMs = 120;
    gate_.wake(); // the next steps, even when the run on the screen stands still
    const Stopwatch watch;
    while (training_->step() && watch.ms() < kBetweenCommandsMs && !closing_) {
    }
    const bool complete = training_->view().complete;
    if (!complete && training_shown_.ms() < kShowMs) return;
    if (complete) { // runs under way keep the models they began with
        Models changed = *models_;
        changed.networks["medusa"] = training_->network();
        keep_models(std::move(changed));
    }
    show_training();
    if (complete) training_.reset();
}

void Session::show_training() {
    training_shown_ = Stopwatch();
    auto view = std::make_shared<const MedusaView>(training_->view());
    publish([&](Snapshot& p) {
        p.training = std::move(view);
        p.status.ready_drafters = models_->ready_drafters();
    });
}

} // namespace speclens
