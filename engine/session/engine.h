// The engine without a thread: models, the run on the screen, and the jobs beside it. Whoever drives it tells it something
// (obey), lets it work (step) and is shown what there is: the window's thread (session.h), a command line, a test.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/base/clock.h"
#include "engine/run/session_commands.h"
#include "engine/session/gate.h"
#include "engine/session/jobs.h"

namespace speclens {

// Whoever drives an engine; asked and told in the middle of obey() and step().
class EngineHost {
  public:
    virtual ~EngineHost() = default;
    enum class Call : std::uint8_t { none, end_of_job, end_of_run, close };
    [[nodiscard]] virtual Call called() const { return Call::none; } // what long work is to be left for; any thread
    virtual void published(const Snapshot&) {}                       // after every change
    virtual void models_missing() {}                                 // they could not be loaded: what waits for them is not asked any more
};

class Engine {
  public:
    // Models are loaded by load(). `repeats`: how long a run that stands still is timed, once for each prompt and settings;
    // no generations: not at all.
    Engine(EngineHost& host, ModelPaths paths, RunSettings settings, RepeatPlan repeats = {});
    // Models that were given stay as they are, also where heads are trained for them.
    Engine(EngineHost& host, std::shared_ptr<const Models> models, RepeatPlan repeats = {});

    void load();                       // the models, then the first run
    void obey(const Command& command); // between two steps; a job that it begins is done by step()
    // One phase of the run, which goes first as long as the gate has budget for it (unless Gate::work_first), or a piece of a job.
    // False: nothing is to be done until something is told.
    bool step();
    // What failed, in obey() or step(), is told in the status; whoever wants it whole gets it thrown. Once.
    void rethrow();
    void cancel_loading() { cancelled_ = true; } // any thread; of the first models, or of those that OpenModel asked for
    void forget_answers();                       // all of them

    [[nodiscard]] Gate& gate() { return gate_; } // any thread
    [[nodiscard]] const Snapshot& shown() const { return shown_; }
    [[nodiscard]] const std::shared_ptr<const Models>& models() const { return models_; } // null before they are loaded
    [[nodiscard]] const Run* run() const { return run_.get(); }                           // on the screen; null: none
    [[nodiscard]] TimeTable& times() { return times_; }
    // Which job goes on, for a bar. Empty: none.
    [[nodiscard]] std::string doing() const;
    [[nodiscard]] double done() const; // 0 … 1, of that

  private:
    class OutOfTurn; // of others who compute with the same models
    struct Place {
        JobOrder order;
        std::unique_ptr<Job> job;
        int number = 0;        // of those that were begun
        std::size_t shown = 0; // revision
        Stopwatch since = {};
        double worked_ms = 0; // in its own turns
    };
    // The beginning and the end of all jobs.
    void begin(JobOrder order);
    void cancel(const std::function<bool(const Place&)>& which); // what there is of them stays to be seen
    [[nodiscard]] Place* at(Slot slot);
    enum class Turn : std::uint8_t { any, before_run }; // before_run: what was asked for, and is no question about the run
    [[nodiscard]] const Place* next(Turn turn = Turn::any) const;
    [[nodiscard]] Work work_shown() const;
    void work(Place& place);
    void show(Snapshot& shown, Place& place);

    void guarded(Slot slot, const std::string& name, const std::function<void()>& work);
    void failed(Slot slot, const std::string& name, const std::string& what, const std::string& remedy, ErrorKind kind = ErrorKind::other);
    void clear_error(Snapshot& shown);
    [[nodiscard]] static Slot slot_of(const Command& command); // whose error it is
    [[nodiscard]] bool called(EngineHost::Call call) const { return host_.called() >= call; }
    void publish(const std::function<void(Snapshot&)>& change);
    [[nodiscard]] Desk desk();

    // The run.
    bool step_run();
    void show_run();
    void show_progress();
    void show_reading(int read, int all);
    void show_costs(const RunSettings& settings, int done, int all); // of the run to come; the one before is gone
    struct RaceWaits {};                                             // that was asked for while rounds are timed for a run that nobody sees
    void end_questions();                                            // about the run that goes
    void time_shown();                                               // what the table knows by now
    void plan_repeats();                                             // of a run that was not timed yet
    [[nodiscard]] const Run& shown_run() { return desk().shown_run(); }
    [[nodiscard]] EngineStatus::State run_state() const;
    // Lets the run go on until this round can begin, or is past its end. False: something else is asked for meanwhile.
    [[nodiscard]] bool reach(int round);

    // Models.
    void load(const Restart& first);
    [[nodiscard]] Models loaded(const ModelPaths& paths); // and tells how far it is
    void keep_models(Models models);
    void show_models(Snapshot& shown) const;
    void end_all(); // what was made with the models, before they go

    // Commands that begin no job (engine_commands.cpp).
    void apply(const Command& command);
    void carry_out(const Restart& restart);
    void carry_out(const Fork& fork);
    void carry_out(const Cancel& cancel);
    void carry_out(const FetchDistributions& fetch);
    void carry_out(const FetchReplay& fetch);
    void carry_out(const EndStudy& end);
    void carry_out(const StopRace& stop);
    void carry_out(const StepRace& step);
    void carry_out(const EndSteppedRace& end);
    void carry_out(const OpenModel& open);
    void carry_out(const LoadHeads& load);

    EngineHost& host_;
    ModelPaths paths_;
    RunSettings first_settings_;
    Gate gate_;
    Snapshot shown_;
    std::atomic<bool> cancelled_{false};
    const std::shared_ptr<Turns> turns_; // of models_, whichever these are
    const bool given_ = false;           // models_ are others' as well
    std::shared_ptr<const Models> models_;
    ModelPaths beside_paths_;
    std::shared_ptr<const Models> beside_; // that were there before and stay in memory (OpenModel::keep); null: none
    TimeTable times_;                      // of models_
    RepeatPlan repeat_plan_;
    std::vector<RunSettings> timed_; // runs whose times are known well
    std::unique_ptr<Run> run_;
    std::shared_ptr<const Models> run_models_; // that it was made with: heads may have been trained since
    Stopwatch run_published_;
    std::optional<Restart> later_;   // of which the costs are still to be measured
    bool run_unshown_ = false;       // steps that nobody was told of
    std::uint64_t runs_skipped_ = 0; // asked for, and given up before they began
    std::vector<Place> jobs_;        // in the order of their turns
    int begun_ = 0;                  // jobs
    std::optional<Slot> failed_;     // whose error is shown
    std::exception_ptr failure_;     // for rethrow()
};

} // namespace speclens
