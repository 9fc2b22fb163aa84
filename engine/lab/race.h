// Several drafters on the same prompt with the same dice, each a whole generation of its own, one after another so
// that none slows another down, again and again where that is quick; then the same over many prompts, for averages with
// intervals. All lanes are timed by one table (engine/lab/time_table.h). Synchronous: whoever owns a Race calls step(),
// the session's thread or the command line.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/busy.h"
#include "engine/base/clock.h"
#include "engine/lab/samples.h"
#include "engine/lab/time_table.h"
#include "engine/run/race_settings.h"
#include "engine/run/trace.h"

namespace speclens {

class Run;     // engine/run/run.h
struct Models; // engine/models/models.h

// Averages of one lane over prompts.
struct LaneAverage {
    Totals totals;
    Estimate speed_up; // over the lane `none`; value 0 when there is no such lane
    Estimate tokens_per_round;
};

struct RaceLane {
    RunSettings settings;               // of this lane on the race's prompt
    ToldReason problem;                 // why it cannot run; empty: it can
    std::shared_ptr<const Trace> trace; // with the times of all repeats; null until there is one
    bool finished = false;
    std::optional<LaneAverage> average; // over RaceView::prompts_done prompts
};

// What a race shows; a snapshot that never changes.
struct RaceView {
    RaceSettings settings;
    std::vector<RaceLane> lanes;
    double busy_cores = 0;             // that other programs kept busy meanwhile
    int running = -1;                  // lane that is generating now; -1: none
    int warming = -1;                  // lane that only warms up now; -1: none
    int prompts_done = 0, prompts = 0; // of the averages
    int skipped = 0;                   // of prompts_done: longer than a context, so in no lane's averages
    std::string skipped_for;           // the model with the context that the last of them did not fit
    std::string model, backend;
    Precision precision = Precision::f32; // of products with the models
    // Of a stepped race: events of every lane after each step; the first entry: the prompts were read.
    std::vector<std::vector<std::size_t>> steps;
    bool ended_early = false; // it was stopped or failed before it was finished, and goes no further
    [[nodiscard]] bool lanes_finished() const;
    [[nodiscard]] bool lanes_over() const { return ended_early || lanes_finished(); } // nothing more comes of them
    [[nodiscard]] bool finished() const { return lanes_finished() && prompts_done == prompts; }
};

// The lanes of a race, none of which has begun. Throws Error for no lanes or more than kRaceLanes, and for unknown
// names. A lane that these models cannot run gets a problem instead.
[[nodiscard]] RaceView race_lanes(const Models& models, RaceSettings settings);

class Race {
  public:
    // `table`: of these models; null: one of its own. `go_on` is asked between the pieces of a long prompt and the passes of a draft: false
    // leaves the generation there, to be begun again at the next step. Throws Error as race_lanes().
    Race(std::shared_ptr<const Models> models, RaceSettings settings, TimeTable* table = nullptr, std::function<bool()> go_on = {});
    ~Race();

    bool step(); // one phase of one generation; false once everything is done
    void finish() {
        while (step()) {
        }
    }
    [[nodiscard]] const RaceView& view() const { return view_; }
    // Lanes until these are finished, then prompts, as many as there is time for.
    [[nodiscard]] int pieces() const;
    [[nodiscard]] int pieces_done() const;
    // Of them; empty until a lane is done. The first prompt takes what the lanes took.
    [[nodiscard]] std::optional<double> left_seconds() const;
    // Grows when view() has something new: a lane's trace, averages over more prompts; where a phase takes as long as a frame, each.
    [[nodiscard]] std::size_t revision() const { return revision_; }

  private:
    struct Job {
        enum class Kind { warm_up, lane, average } kind = Kind::warm_up;
        int lane = 0;
        int prompt = 0;
    };
    bool next_job();
    void begin(const Job& job);
    void end();
    void leave();
    void skip_prompt();
    [[nodiscard]] double pieces_begun() const; // with what is there of the one under way
    [[nodiscard]] double averaged_ms() const;  // of generations over prompts
    void show_averages();
    void finish_lanes();
    [[nodiscard]] RunSettings settings_of(const Job& job) const;

    std::shared_ptr<const Models> models_;
    RaceView view_;
    std::size_t revision_ = 0;
    Job job_;
    bool started_ = false, again_ = false; // job_ is to be begun; once more
    std::unique_ptr<Run> run_;
    TimeTable own_table_;
    TimeTable* table_;
    std::function<bool()> go_on_;
    BusyMeter busy_;
    int repeat_ = 0;       // of all lanes
    double lanes_ms_ = 0;  // one generation of each
    double pieces_ms_ = 0; // of work, warm-ups aside: on lanes, or on prompts since these are finished
    double prompt_ms_ = 0; // what one prompt takes in all lanes, as the race's own did; 0 until these are finished
    Stopwatch averages_shown_;
    std::vector<std::vector<Sample>> samples_; // lane, prompt
};

// Draft tokens per round where nothing else is asked for: the same in every lane, so that every lane verifies as many rows.
inline constexpr int kRaceDrafts = 7;

// Entries for every drafter that is named, with rules that can judge them; `none` first.
[[nodiscard]] std::vector<RaceEntry> race_entries(const std::vector<std::string>& drafters, const RunSettings& base);
// The usual race with these models: plain decoding against EAGLE-3, DFlash and Domino, or what there is instead.
[[nodiscard]] std::vector<std::string> default_racers(const Models& models);
[[nodiscard]] std::vector<std::string> default_racers(const std::vector<std::string>& ready_drafters);

} // namespace speclens
