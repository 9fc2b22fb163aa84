// What the engine thread does when it is told something: one function for each command.
#include <utility>

#include "engine/run/gallery.h"
#include "engine/run/fitting.h"
#include "engine/run/model_names.h"
#include "engine/session/session.h"
#include "kernels/error.h"

namespace speclens {

void Session::apply(const Command& command) {
    if (!models_ && !std::holds_alternative<OpenModel>(command)) {
        // Loading failed or was cancelled: whoever begins anew tries it again.
        const auto* restart = std::get_if<Restart>(&command);
        if (!restart && !std::holds_alternative<StartRace>(command))
            throw Error("no model is loaded", "Try again, or choose a model folder that can be loaded.");
        cancelled_ = false;
        if (closing_) return;
        publish([](Snapshot& p) {
            p.status.state = EngineStatus::State::loading;
            p.status.error.clear();
            p.status.remedy.clear();
            p.status.job = "loading the models";
        });
        load(restart ? *restart : Restart{first_settings_});
        if (restart) return;
    }
    std::visit([this](const auto& order) { obey(order); }, command);
    // A run clears its error where it is shown; a step begins nothing.
    const Job job = job_of(command);
    if (failed_ == job && job != Job::run && !std::holds_alternative<StepRace>(command)) forget_failure();
}

// ---- runs ----

void Session::show_run() {
    // What is known of its passes, before anybody sees it without.
    if (models_->target && run_->settings().timing) times_.time(run_->trace());
    guest_asked_.reset();
    guessed_cycle_.reset();
    failed_.reset();
    const Header& header = *run_->trace().header();
    publish([&](Snapshot& p) {
        p.trace = run_->shared_trace();
        p.forget_run();
        p.settings = run_->settings();
        p.earlier = std::make_shared<const std::vector<EarlierSettings>>(run_->earlier());
        p.runs += 1 + std::exchange(runs_skipped_, 0);
        p.status.state = EngineStatus::State::idle;
        p.status.error.clear();
        p.status.remedy.clear();
        p.status.prompt_too_long = false;
        p.status.notice = header.notice;
        p.status.memory_bytes = run_->memory_bytes();
    });
}

const Run& Session::shown_run() const {
    if (!run_) throw Error("there is no run to look at", "Start a run first.");
    return *run_;
}

// A long prompt: the window shows how far it was read, and whatever ends a run ends it here too.
void Session::show_reading(int read, int all) {
    if (closing_ || mailbox_.ends_run()) throw Error("the prompt was not read to its end", "Start the run again.", Exit::interrupted);
    publish([&](Snapshot& p) {
        p.status.state = EngineStatus::State::running;
        p.status.job = "reading the prompt";
        p.status.job_done = read;
        p.status.job_total = all;
        p.status.job_unit = "tokens";
    });
}

void Session::obey(const Restart& restart) {
    run_ = std::make_unique<Run>(models_, restart.settings);
    run_->on_reading([this](int read, int all) { show_reading(read, all); });
    run_models_ = models_;
    gate_.set(restart.budget); // before anybody sees the run and asks it for a step
    show_run();
    plan_repeats();
}

void Session::obey(const Fork& fork) {
    if (!run_) throw Error("there is no run to fork", "Start a run first.");
    if (!reach(fork.cycle)) {
        ++runs_skipped_; // whoever counts the runs that were asked for does not wait for this one
        return;
    }
    run_ = std::make_unique<Run>(run_models_, *run_, fork);
    gate_.set(fork.budget);
    show_run();
    plan_repeats();
}

// A run that was begun again has to come as far as it had been before it can be forked there.
bool Session::reach(int cycle) {
    std::size_t seen = 0;
    int complete = 0;
    const auto there = [&] {
        for (; seen < run_->trace().size(); ++seen)
            complete += std::holds_alternative<Committed>(run_->trace()[seen]) ? 1 : 0;
        return complete >= cycle;
    };
    while (!there()) {
        if (closing_ || mailbox_.ends_run()) return false;
        if (!run_->step()) break;
    }
    return true;
}

// What goes on ends. Where that is a measurement or a training, a run or a stepped race that stands still has
// nothing to do with it and can be gone on with.
void Session::obey(const Cancel&) {
    const bool aside = asked();
    const bool run_stays = aside && gate_.budget() == 0;
    const bool stepped_stays = aside && stepped_ && stepped_->waiting();
    race_.reset();
    if (!stepped_stays) stepped_.reset();
    if (training_) {
        training_->stop();
        show_training();
        training_.reset();
    }
    publish([&](Snapshot& p) {
        p.cut_race();
        if (!stepped_stays) p.cut_stepped();
        p.cut_guesses();
        p.cut_training();
    });
    cut_studies();
    if (timing_) stop_timing();
    if (advising_) stop_advising();
    guest_asked_.reset();
    guessed_cycle_.reset();
    if (run_stays) return;
    gate_.set(0);
    if (run_) run_->stop("cancelled");
    publish([](Snapshot& p) { p.status.state = EngineStatus::State::stopped; });
}

// ---- models ----

// Beside models that this thread alone touches, others may compute: loading takes no turn, and they take none from it.
class Session::OutOfTurn {
  public:
    explicit OutOfTurn(Turns& turns) : turns_(turns) { turns_.unlock(); }
    ~OutOfTurn() { turns_.lock(); }
    OutOfTurn(const OutOfTurn&) = delete;
    OutOfTurn& operator=(const OutOfTurn&) = delete;

  private:
    Turns& turns_;
};

// Nothing that is there is touched before all of the new models is, and what goes wrong until then is told beside the run.
void Session::obey(const OpenModel& open) {
    // Both models are held for a moment.
    const std::string alone = "Close other programs, or start this one with it alone: --model.";
    const EngineStatus before = published().status;
    cancelled_ = false;
    if (closing_) return;
    const std::string name = open.paths.target.empty() ? "the built-in model" : open.paths.target.filename().string();
    const auto failed = [&](const std::string& what, const std::string& remedy) {
        publish([&](Snapshot& p) {
            p.status.state = before.state;
            p.status.error = before.error;
            p.status.remedy = before.remedy;
            p.status.job = before.job;
            p.status.job_done = before.job_done;
            p.status.job_total = before.job_total;
            p.status.job_unit = before.job_unit;
            ++p.status.opened;
            p.status.open_error = what;
            p.status.open_remedy = remedy;
        });
    };
    publish([&](Snapshot& p) {
        p.status.state = EngineStatus::State::loading;
        p.status.job = "loading " + name;
        p.status.job_done = p.status.job_total = 0;
    });
    const std::string stays = models_ ? " Nothing of " + models_->target_name() + " was lost." : "";
    Models next;
    try {
        const OutOfTurn away(*turns_);
        next = loaded(open.paths);
    } catch (const Cancelled&) {
        return failed("loading " + name + " was cancelled", "Open it again when there is time for it." + stays);
    } catch (const std::bad_alloc&) {
        return failed("out of memory for " + name, alone + stays);
    } catch (const Error& error) {
        const bool memory = std::string(error.what()).find("out of memory") != std::string::npos;
        return failed(error.what(), (memory ? alone : error.remedy()) + stays);
    } catch (const std::exception& error) {
        return failed(error.what(), "Is this the right file?" + stays);
    }
    std::string said; // by a prompt of ids
    if (run_ && models_->tokenizer) said = run_->trace().header()->prompt_text;
    const RunSettings settings = fitting_settings(next, run_ ? run_->settings() : first_settings_, said);
    end_all();
    paths_ = open.paths;
    first_settings_ = settings;
    keep_models(std::move(next));
    publish([&](Snapshot& p) {
        EngineStatus status;
        status.opened = p.status.opened + 1;
        status.opened_as = model_word(open.paths.target.string());
        status.job = p.status.job;
        Snapshot fresh; // nothing that was told of the old ones
        fresh.status = std::move(status);
        fresh.settings = settings;
        fresh.runs = p.runs;
        fresh.revision = p.revision;
        p = std::move(fresh);
    });
    show_models();
    obey(Restart{settings, open.budget});
}

void Session::end_all() {
    race_.reset();
    stepped_.reset();
    repeats_.reset();
    study_run_.reset();
    planned_.clear();
    timing_.reset();
    advising_.reset();
    training_.reset();
    guest_asked_.reset();
    guessed_cycle_.reset();
    run_.reset();
    run_models_.reset();
    times_.clear();
    timed_.clear();
    failed_.reset();
    run_unshown_ = false;
    gate_.set(0);
}

// ---- what is asked about a round of the run ----

void Session::obey(const FetchDistributions& fetch) {
    const Run& run = shown_run();
    auto distributions = std::make_shared<const DistributionPair>(
        full_distributions(run_models_, run.settings_at(fetch.cycle), run.trace(), fetch.cycle, fetch.index));
    publish([&](Snapshot& p) { p.distributions = distributions; });
}

void Session::obey(const FetchReplay& fetch) {
    const Run& run = shown_run();
    auto answer = std::make_shared<const Replay>(
        replay_twin(run_models_, run.settings_at(fetch.cycle), run.trace(), fetch));
    publish([&](Snapshot& p) { (fetch.force_draft ? p.other_guess : p.twin) = answer; });
}

void Session::obey(const FetchOtherDrafterRound& fetch) {
    (void)shown_run();
    guest_asked_ = fetch; // whoever turns pages wants the last one
}

void Session::obey(const CompareDrafters& fetch) {
    const Run& run = shown_run();
    const auto known = published().guesses;
    if (known && known->complete() && known->of == &run.trace() && known->cycle == fetch.cycle) {
        auto changed = std::make_shared<const DrafterComparison>(with_exit_layer(
            run_models_, run.settings_at(fetch.cycle), run.trace(), *known, fetch.exit_layer));
        return publish([&](Snapshot& p) { p.guesses = changed; });
    }
    auto begun = std::make_shared<const DrafterComparison>(no_guesses(*run_models_, run.trace(), fetch));
    guessed_cycle_ = fetch.cycle;
    publish([&](Snapshot& p) { p.guesses = begun; });
}

// ---- what is measured and trained ----

void Session::obey(const RunStudy& study) {
    if (!planned_.empty() && planned_.front().name == study.name) study_run_.reset();
    std::erase_if(planned_, [&](const RunStudy& old) { return old.name == study.name; });
    auto begun = std::make_shared<Study>();
    begun->name = study.name;
    begun->planned = static_cast<int>(study.runs.size());
    if (!study.runs.empty()) planned_.push_back(study);
    publish([&](Snapshot& p) { p.studies[study.name] = begun; });
}

void Session::cut_studies() {
    publish([&](Snapshot& p) {
        for (const RunStudy& plan : planned_) {
            auto cut = std::make_shared<Study>(*p.studies[plan.name]);
            cut->planned = static_cast<int>(cut->points.size());
            p.studies[plan.name] = cut;
        }
    });
    planned_.clear();
    study_run_.reset();
}

void Session::obey(const MeasurePasses& measure) {
    stop_measuring();
    timing_ = std::make_unique<PassPair>(models_, measure,
                                         [this] { return !closing_ && !mailbox_.ends_run(); });
    timing_shown_ = Stopwatch();
    publish([&](Snapshot& p) { p.status.timed_model = timing_->model(); });
}

void Session::obey(const AskAdvice& ask) {
    stop_measuring();
    AdvicePlan plan;
    plan.base = ask.base;
    plan.seconds = ask.seconds;
    plan.prompts = mixed_prompts(load_gallery(held_out_file(assets_folder(), !models_->bundle.empty(), models_->target_name())));
    advising_ = std::make_unique<AdviceMeasurement>(models_, std::move(plan));
    show_advice();
}

void Session::obey(const MeasureLoad& measure) {
    stop_measuring();
    SweepPlan plan = sweep_plan(*models_, measure);
    load_ = std::make_unique<SweepMeasurement>(models_, std::move(plan));
    load_revision_ = -1;
    show_load();
}

void Session::obey(const TrainHeads& heads) {
    training_ = std::make_unique<MedusaTraining>(models_, usual_medusa_plan(heads, models_->chat));
    show_training();
}

// ---- races ----

void Session::obey(const StartRace& start) {
    if (start.settings.stepped) {
        stepped_ = std::make_unique<SteppedRace>(models_, start.settings);
        return show_stepped();
    }
    race_ = std::make_unique<Race>(models_, start.settings, &times_);
    show_race();
}

void Session::obey(const StepRace& step) {
    if (stepped_) stepped_->ask(step.stride);
}

void Session::obey(const EndSteppedRace&) {
    stepped_.reset();
}

// What is under way of the race on the screen: a timed one that waits for the stepped one is not.
void Session::obey(const StopRace&) {
    if (stepped_) {
        if (stepped_->waiting()) return;
        show_stepped();
        stepped_.reset();
        return publish([](Snapshot& p) { p.cut_stepped(); });
    }
    if (!race_) return;
    show_race();
    race_.reset();
    publish([](Snapshot& p) { p.cut_race(); });
}

} // namespace speclens
