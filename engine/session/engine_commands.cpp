// What the engine does when it is told something that begins no job: one function for each command.
#include <algorithm>
#include <utility>

#include "engine/models/model_names.h"
#include "engine/run/drafter_comparison.h"
#include "engine/run/fitting.h"
#include "engine/run/full_distributions.h"
#include "engine/run/measured_costs.h"
#include "engine/run/replay.h"
#include "engine/session/engine.h"
#include "kernels/error.h"
#include "kernels/process_memory.h"

namespace speclens {

void Engine::apply(const Command& command) {
    if (!models_ && std::holds_alternative<LoadHeads>(command)) return; // whoever loads the models loads these as well
    if (!models_ && !std::holds_alternative<OpenModel>(command)) {
        // Loading failed or was cancelled: whoever begins anew tries it again.
        const auto* restart = std::get_if<Restart>(&command);
        if (!restart && !std::holds_alternative<StartRace>(command))
            throw Error("no model is loaded", "Try again, or choose a model folder that can be loaded.");
        cancelled_ = false;
        if (called(EngineHost::Call::close)) return;
        publish([&](Snapshot& s) {
            clear_error(s);
            s.status.state = EngineStatus::State::loading;
            s.status.job = {EngineJob::What::models};
        });
        load(restart ? *restart : Restart{first_settings_});
        if (restart) return;
    }
    std::visit(
        [this]<typename C>(const C& order) {
            if constexpr (BeginsJob<C>)
                begin(order_of(order));
            else
                carry_out(order);
        },
        command);
}

// ---- runs ----

void Engine::carry_out(const Restart& restart) {
    if (restart.measure) forget_costs(*models_, restart.settings.drafter);
    later_.reset();
    try {
        measure_costs(models_, restart.settings, [&](int done, int all) { show_costs(restart.settings, done, all); });
    } catch (const RaceWaits&) { // the race goes first, where the window wants it so
        later_ = restart;
        return publish([](Snapshot& s) {
            s.status.state = EngineStatus::State::idle;
            s.status.job = {};
        });
    }
    run_ = std::make_unique<Run>(models_, restart.settings);
    run_->on_reading([this](int read, int all) { show_reading(read, all); });
    run_models_ = models_;
    gate_.set(restart.budget); // before anybody sees the run and asks it for a step
    show_run();
}

void Engine::carry_out(const Fork& fork) {
    if (!run_) throw Error("there is no run to fork", "Start a run first.");
    if (!reach(fork.round)) {
        ++runs_skipped_; // whoever counts the runs that were asked for does not wait for this one
        return;
    }
    run_ = std::make_unique<Run>(run_models_, *run_, fork);
    gate_.set(fork.budget);
    show_run();
}

// What goes on ends. Where that is a measurement or a training, a run or a stepped race that stands still has
// nothing to do with it and can be gone on with.
void Engine::carry_out(const Cancel&) {
    const bool aside = std::ranges::any_of(jobs_, [](const Place& place) {
        return place.order.slot != Slot::stepped && place.order.slot != Slot::times && place.order.slot != Slot::race;
    });
    const bool run_stays = aside && gate_.budget() == 0;
    cancel([&](const Place& place) {
        const bool stays = aside && place.order.slot == Slot::stepped && place.job->waits();
        return !stays && place.order.slot != Slot::times;
    });
    if (run_stays) return;
    later_.reset();
    gate_.set(0);
    if (run_) run_->stop(Stopped::kCancelled);
    publish([](Snapshot& s) { s.status.state = EngineStatus::State::stopped; });
}

// ---- models ----

// Beside models that this thread alone touches, others may compute: loading takes no turn, and they take none from it.
class Engine::OutOfTurn {
  public:
    explicit OutOfTurn(Turns& turns) : turns_(turns) { turns_.unlock(); }
    ~OutOfTurn() { turns_.lock(); }
    OutOfTurn(const OutOfTurn&) = delete;
    OutOfTurn& operator=(const OutOfTurn&) = delete;

  private:
    Turns& turns_;
};

// Nothing that is there is touched before all of the new models is, and what goes wrong until then is told beside the run.
void Engine::carry_out(const OpenModel& open) {
    // Both models are held for a moment.
    const std::string alone = "Close other programs, or start this one with it alone: --model.";
    const EngineStatus before = shown_.status;
    cancelled_ = false;
    if (called(EngineHost::Call::close)) return;
    const std::string name = open.paths.target.empty() ? "the built-in model" : open.paths.target.filename().string();
    const auto failed = [&](ErrorKind kind, const std::string& what, const std::string& remedy) {
        publish([&](Snapshot& s) {
            s.status.state = before.state;
            s.status.error = before.error;
            s.status.remedy = before.remedy;
            s.status.job = before.job;
            ++s.status.opened;
            s.status.open_error = what;
            s.status.open_remedy = remedy;
            s.status.open_error_kind = kind;
        });
    };
    const std::string stays = models_ ? " Nothing of " + models_->target_name() + " was lost." : "";
    std::shared_ptr<const Models> next = beside_ && beside_paths_.same_as(open.paths) ? beside_ : nullptr;
    try {
        if (!next) {
            publish([&](Snapshot& s) {
                s.status.state = EngineStatus::State::loading;
                s.status.job = {EngineJob::What::opening, open.paths.target.filename().string()};
            });
            const OutOfTurn away(*turns_);
            Models made = loaded(open.paths);
            made.turns = turns_;
            next = std::make_shared<const Models>(std::move(made));
        }
    } catch (const Cancelled&) {
        return failed(ErrorKind::cancelled, "loading " + name + " was cancelled", "Open it again when there is time for it." + stays);
    } catch (const std::bad_alloc&) {
        return failed(ErrorKind::out_of_memory, "out of memory for " + name, alone + stays);
    } catch (const Error& error) {
        return failed(error.kind(), error.what(), (error.kind() == ErrorKind::out_of_memory ? alone : error.remedy()) + stays);
    } catch (const std::exception& error) {
        return failed(ErrorKind::other, error.what(), "Is this the right file?" + stays);
    }
    std::string said; // by a prompt of ids
    if (run_ && models_->tokenizer) said = run_->trace().header()->prompt_text;
    const RunSettings settings = fitting_settings(*next, run_ ? run_->settings() : first_settings_, said);
    end_all();
    beside_ = open.keep ? models_ : nullptr;
    beside_paths_ = paths_;
    paths_ = open.paths;
    first_settings_ = settings;
    models_ = std::move(next);
    publish([&](Snapshot& s) {
        EngineStatus status;
        status.opened = s.status.opened + 1;
        status.opened_as = model_word(open.paths.target.string());
        status.job = s.status.job;
        Snapshot fresh; // nothing that was told of the old ones
        fresh.status = std::move(status);
        fresh.settings = settings;
        fresh.runs = s.runs;
        fresh.revision = s.revision;
        show_models(fresh);
        s = std::move(fresh);
    });
    give_back_memory(); // of the old ones
    carry_out(Restart{settings, open.budget});
}

// The models of what goes on stay as they are: nothing of it is measured anew. The run on the screen can be asked about them.
void Engine::carry_out(const LoadHeads&) {
    if (given_) return;
    auto came = heads_that_came(*models_);
    if (came.empty()) return;
    const auto with_them = [&](const Models& models) {
        auto changed = std::make_shared<Models>(models);
        for (const auto& [drafter, network] : came)
            if (changed->networks.emplace(drafter, network).second) changed->shipped.insert(drafter);
        return changed;
    };
    const bool same = run_models_ == models_;
    models_ = with_them(*models_);
    if (run_models_) run_models_ = same ? models_ : with_them(*run_models_);
    const auto comparison = shown_.comparison;
    publish([&](Snapshot& s) {
        s.status.ready_drafters = models_->ready_drafters();
        s.comparison.reset(); // else its rows are kept
    });
    if (comparison && run_ && comparison->of == run_->shared_trace().get())
        begin(order_of(CompareDrafters{comparison->round, comparison->exit_layer}));
}

void Engine::end_all() {
    jobs_.clear();
    later_.reset();
    run_.reset();
    run_models_.reset();
    times_.clear();
    timed_.clear();
    failed_.reset();
    failure_ = nullptr;
    run_unshown_ = false;
    gate_.set(0);
}

// ---- what is asked about a round of the run ----

void Engine::carry_out(const FetchDistributions& fetch) {
    const Run& run = shown_run();
    auto distributions = std::make_shared<const DistributionPair>(
        full_distributions(run_models_, run.settings_at(fetch.round), run.trace(), fetch.round, fetch.index));
    publish([&](Snapshot& s) { s.distributions = distributions; });
}

void Engine::carry_out(const FetchReplay& fetch) {
    const Run& run = shown_run();
    auto answer = std::make_shared<const Replay>(replay_round(run_models_, run.settings_at(fetch.round), run.trace(), fetch));
    publish([&](Snapshot& s) { (fetch.force_draft ? s.other_draft : s.replayed) = answer; });
}

// ---- studies and races ----

void Engine::carry_out(const EndStudy& end) {
    const auto which = [&](const Place& place) { return place.order.slot == Slot::studies && place.order.name == end.name; };
    if (std::erase_if(jobs_, which) == 0) return;
    give_back_memory();
    publish([&](Snapshot& s) { s.studies.erase(end.name); });
}

void Engine::carry_out(const StepRace& step) {
    if (Place* race = at(Slot::stepped)) ask_stepped(*race->job, step.stride);
}

void Engine::carry_out(const EndSteppedRace&) {
    if (std::erase_if(jobs_, [](const Place& place) { return place.order.slot == Slot::stepped; }) > 0) give_back_memory();
}

// What is under way of the race on the screen: a timed one that waits for the stepped one is not.
void Engine::carry_out(const StopRace&) {
    const Place* stepped = at(Slot::stepped);
    if (stepped && stepped->job->waits()) return;
    cancel([&](const Place& place) { return place.order.slot == (stepped ? Slot::stepped : Slot::race); });
}

} // namespace speclens
