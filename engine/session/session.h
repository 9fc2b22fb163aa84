// The engine thread: loads models, owns the current Run, applies commands at phase boundaries, obeys the gate.
// The window sees it only through Mailbox, Gate and snapshots.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "engine/advice/advice_measurement.h"
#include "engine/batch/sweep.h"
#include "engine/base/clock.h"
#include "engine/lab/medusa_training.h"
#include "engine/lab/pass_pair.h"
#include "engine/lab/race.h"
#include "engine/lab/repeats.h"
#include "engine/lab/stepped_race.h"
#include "engine/lab/study.h"
#include "engine/lab/time_table.h"
#include "engine/run/answers.h"
#include "engine/run/control.h"
#include "engine/run/drafter_comparison.h"
#include "engine/run/other_drafter_round.h"
#include "engine/run/models.h"
#include "engine/run/run.h"
#include "engine/run/trace.h"
#include "engine/run/replay.h"

namespace speclens {

// What the engine shows; one consistent snapshot.
struct Snapshot : Answers {
    std::shared_ptr<const Trace> trace;     // of the current branch; null before the first run
    std::shared_ptr<const RaceView> race;   // the last timed race, finished or not; null before the first
    std::shared_ptr<const RaceView> stepped;  // the last stepped race; null before the first
    EngineStatus status;
    RunSettings settings;                   // of the current run
    std::shared_ptr<const std::vector<EarlierSettings>> earlier;  // of its rounds before a fork; null before the first run
    std::uint64_t runs = 0;                 // begun so far, branches included
    std::function<PromptRoom(const RunSettings&)> prompt_room;  // empty until the models are loaded; any thread
    std::uint64_t revision = 0;             // grows with every change

    // They go no further; what there is of them stays.
    void cut_race();
    void cut_stepped();
    void cut_guesses();
    void cut_training();
    void cut_advice();
};

class Session {
  public:
    // `notify` is called (from the engine thread) after every change, to wake a sleeping window. `repeats`: how long a run
    // that stands still is timed, once for each prompt and settings.
    Session(ModelPaths paths, RunSettings settings, std::function<void()> notify = {}, RepeatPlan repeats = {});
    ~Session();  // stops within one phase

    void send(Command command);          // mailbox and wake-up
    [[nodiscard]] Gate& gate() { return gate_; }
    [[nodiscard]] Snapshot published() const;
    void cancel_loading();  // of the first models, or of those that OpenModel asked for
    // To compute with beside the engine thread, which takes a turn for every phase (engine/run/turns.h). Null before
    // they are loaded; others after OpenModel, and whoever keeps the old ones can go on with them. They are let go of before
    // this object goes. Any thread.
    [[nodiscard]] std::shared_ptr<const Models> models() const;

  private:
    class OutOfTurn; // of others who compute with the same models
    // What can fail without the others; `run` is the one on the screen.
    enum class Job : std::uint8_t { run, times, race, stepped, guest, guesses, studies, passes, advice, load, training };
    [[nodiscard]] static Job job_of(const Command& command);  // that it begins, or begins anew
    void main();
    void give_up(Job job);  // after an error of its own work
    void forget_failure();  // what failed was begun again
    [[nodiscard]] EngineStatus::State run_state() const;
    [[nodiscard]] bool asked() const;     // something other than the run and the races was asked for and has work
    [[nodiscard]] bool measures() const { return asked() || repeats_; }
    void time_run();        // what the run on the screen takes, a few passes of it at a time
    void show_times();      // of what the table knows by now
    void plan_repeats();    // of a run that was not timed yet
    void cut_studies();     // what was measured stays
    void load(const Restart& first);  // the models, then this run
    [[nodiscard]] Models loaded(const ModelPaths& paths);  // and tells how far it is
    void show_models();
    void end_all();  // what was made with the models, before they go
    void keep_models(Models models);
    // Commands (session_commands.cpp).
    void apply(const Command& command);
    void obey(const Restart& restart);
    void obey(const Fork& fork);
    void obey(const FetchDistributions& fetch);
    void obey(const FetchReplay& fetch);
    void obey(const FetchOtherDrafterRound& fetch);
    void obey(const CompareDrafters& fetch);
    void obey(const RunStudy& study);
    void obey(const StartRace& start);
    void obey(const StopRace& stop);
    void obey(const StepRace& step);
    void obey(const EndSteppedRace& end);
    void obey(const MeasurePasses& measure);
    void obey(const AskAdvice& ask);
    void obey(const MeasureLoad& measure);
    void obey(const TrainHeads& heads);
    void obey(const OpenModel& open);
    void obey(const Cancel& cancel);
    void show_run();
    const Run& shown_run() const;  // throws Error where there is none
    // Lets the run go on until this round can begin, or is past its end. False: something else is asked for meanwhile.
    [[nodiscard]] bool reach(int cycle);
    void publish(const std::function<void(Snapshot&)>& change);
    void step_run();
    void show_reading(int read, int all);
    void show_progress();
    void step_race();
    void show_race();
    void step_stepped();
    void show_stepped();
    void study();  // one phase of the studies that are planned
    void draft_as_guest();  // what was asked last
    void guess();  // one drafter of those that are asked
    void time_passes();  // a round of the measurement under way
    void stop_timing();  // what is complete stays
    void advise();  // a few phases of the measurement for an advice
    void show_advice();
    void stop_advising();  // what is whole stays
    void measure_load();  // a few rounds of the batch under way
    void show_load();
    void stop_load();  // what was measured stays
    void stop_measuring();  // whatever uses the clock: there is one
    void train();  // a few steps of the training under way
    void show_training();

    ModelPaths paths_;
    RunSettings first_settings_;
    std::function<void()> notify_;
    Gate gate_;
    Mailbox mailbox_;
    // Third mutex: guards one snapshot copy and models_, held for microseconds, never while drawing.
    mutable std::mutex published_mutex_;
    Snapshot published_;
    std::atomic<bool> closing_{false};
    std::atomic<bool> cancelled_{false};
    const std::shared_ptr<Turns> turns_ = std::make_shared<Turns>(); // of models_, whichever these are
    std::shared_ptr<const Models> models_;                           // written by the engine thread only
    std::unique_ptr<Run> run_;
    RepeatPlan repeat_plan_;
    TimeTable times_;                   // of models_
    std::unique_ptr<Repeats> repeats_;  // of run_; null when it is timed, or cannot be
    std::vector<RunSettings> timed_;    // runs whose times are known well
    std::optional<Job> failed_;  // whose error is shown
    std::shared_ptr<const Models> run_models_;  // that it was made with: heads may have been trained since
    std::unique_ptr<Race> race_;  // null when none is under way
    std::size_t race_shown_ = 0;  // its revision
    Stopwatch run_published_;
    bool run_unshown_ = false; // steps that nobody was told of
    std::uint64_t runs_skipped_ = 0;  // asked for, and given up before they began
    Stopwatch race_published_;
    std::unique_ptr<SteppedRace> stepped_;  // null when none is open; a timed race waits while there is one
    std::size_t stepped_shown_ = 0;
    std::vector<RunStudy> planned_;  // what is left of each; the first run of the first one is under way
    std::unique_ptr<Run> study_run_;
    std::unique_ptr<PassPair> timing_;  // of passes
    Stopwatch timing_shown_;
    std::unique_ptr<AdviceMeasurement> advising_;
    Stopwatch advice_shown_;
    std::unique_ptr<SweepMeasurement> load_;
    Stopwatch load_shown_;
    long load_revision_ = -1;  // that is shown
    std::unique_ptr<MedusaTraining> training_;
    Stopwatch training_shown_;
    std::optional<FetchOtherDrafterRound> guest_asked_;
    std::optional<int> guessed_cycle_;  // drafters are still to be asked about it
    std::thread thread_;
};

}  // namespace speclens
