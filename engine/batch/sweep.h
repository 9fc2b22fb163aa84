// Where does speculation stop paying? Every drafter at every number of texts in flight, beside plain batched decoding of the
// same run, and the number at which its speed-up crosses 1.
//
// A cell is measured in slices of time that take turns with those of all other cells, so that what else the machine does hits
// them alike. In a slice the seats are always taken: a text that ends makes room for the next of the list. Nothing counts until
// every seat decodes. A text that ended is compared with its run alone.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/busy.h"
#include "engine/base/clock.h"
#include "engine/batch/adaptive_study.h"
#include "engine/batch/batch_round.h"
#include "engine/batch/ratio.h"

namespace speclens {

struct MeasureLoad; // engine/run/session_commands.h

class BlockFilmRecorder;
class Run;     // engine/run/run.h
struct Models; // engine/models/models.h
struct BlockFilm;
struct PoolFilm;

struct SweepMethod {
    std::string drafter, rule;
    int k = 0;
    [[nodiscard]] bool plain() const { return k == 0; }
};

struct SweepPlan {
    std::vector<RunSettings> texts;   // prompts with their dice; drafter, rule and k are the methods'. Taken in order, again and again
    std::vector<SweepMethod> methods; // the first is plain decoding
    std::vector<int> concurrency;     // texts in flight, ascending; none: only what `film` and `adaptive` ask for
    int repeats = 3;                  // slices of every cell
    double seconds = 180;             // for all slices
    double proof_seconds = 60;        // for the runs alone
    int prompt_rows = 64;             // as in BatchSettings
    int blocks = 0;                   // of the pool; 0: no text is ever preempted
    bool share = true;
    std::optional<AdaptivePlan> adaptive; // in the end: K as one goes
    bool film = false;                    // first record a small batch that shows what happens to blocks (block_film.h)
    bool in_time = false; // `seconds` hold the film too, and behind them no second slice of a cell begins; a run alone ends with its time
};

// What MeasureLoad asks for: ready-made prompts, the drafter with each draft length that it can. Throws Error where the drafter
// cannot run.
[[nodiscard]] SweepPlan sweep_plan(const Models& models, const MeasureLoad& measure);
// The same where the target is elsewhere: what its draft workers do (worker_pool.h), as many as `measure` has texts at most, else four.
[[nodiscard]] std::vector<RunSettings> pool_plan(const Models& models, const MeasureLoad& measure);

// One slice, or the sum of some.
struct SweepSlice {
    double ms = 0, draft_ms = 0, pass_ms = 0;
    long tokens = 0, rounds = 0, rows = 0;           // rounds and rows: of the passes
    long text_rounds = 0, drafted = 0, accepted = 0; // of all texts
    struct OfText {
        long rounds = 0, tokens = 0;
    };
    std::vector<OfText> by_text; // of each of the plan's
    int ended = 0, preempted = 0;
    std::vector<double> first_ms;   // from arrival to the first token
    std::vector<double> between_ms; // a token's share of the time since the one before; those of a round share it evenly
    void add(const SweepSlice& other);
    [[nodiscard]] double tokens_per_second() const { return ms > 0 ? 1000 * static_cast<double>(tokens) / ms : 0; }
};

struct SweepCell {
    SweepMethod method;
    int concurrency = 0;
    std::vector<SweepSlice> slices;
    SweepSlice sum;                        // of all slices
    std::optional<SweepInterval> speed_up; // over plain batched decoding with as many texts; none: that was not measured
    bool in_doubt = false;          // the speed-up: other programs kept cores busy, or its slices lie too far apart (docs/measuring.md)
    std::vector<BatchRound> rounds; // some of the last slice, one after the other
    int compared = 0, equal = 0;    // texts that ended, with their runs alone
    [[nodiscard]] bool measured() const { return !slices.empty(); }
    [[nodiscard]] bool texts_equal() const { return compared > 0 && equal == compared; }
};

// Between which numbers of texts a speed-up falls through 1; interpolated over the logarithm of both.
struct SweepCrossing {
    enum class Where { below, at, above } where = Where::at; // below: already under 1 with the fewest texts; above: over 1 with the most
    SweepInterval texts;                      // at: value, and the interval as far as the repeats lie inside of what was measured
    bool open_low = false, open_high = false; // the interval goes on below the fewest or above the most texts
};

struct Sweep {
    std::vector<SweepCell> cells;                        // by concurrency, then by method
    std::vector<std::optional<SweepCrossing>> crossings; // of each method; none: not known, or plain decoding
    bool complete = false;                               // nobody ended it before its time
    std::size_t left_out = 0;                            // slices that there was no time for, which the table tells
    double busy_cores = 0;                               // that other programs kept busy while the cells were measured
    [[nodiscard]] bool busy() const;                     // so many that every figure of time is in doubt
    std::shared_ptr<const BlockFilm> film;               // of SweepPlan::film; grows
    std::shared_ptr<const AdaptiveResult> adaptive;      // of SweepPlan::adaptive; grows
    std::shared_ptr<const PoolFilm> pool;                // of draft workers on a target elsewhere, instead of all else; grows
    [[nodiscard]] const SweepCell* cell(std::size_t method, int concurrency) const;
};

// Measures step by step, so that who asked may do something else in between.
class SweepMeasurement {
  public:
    // Throws Error as BatchEngine does.
    SweepMeasurement(std::shared_ptr<const Models> models, SweepPlan plan);
    ~SweepMeasurement();

    bool step(); // one round of a batch, or a part of a run alone; false: all is done, or it was stopped. Throws Error
    void stop(); // ends with what is there
    [[nodiscard]] double done() const;                                  // 0 … 1
    [[nodiscard]] bool filming() const { return recorder_ != nullptr; } // before the first of these
    [[nodiscard]] std::size_t batches_done() const { return turn_; }
    [[nodiscard]] std::size_t batches() const { return slices(); } // of all cells
    [[nodiscard]] std::string doing() const;                       // "eagle3, 4 texts"
    [[nodiscard]] const SweepPlan& plan() const { return plan_; }
    [[nodiscard]] Sweep sweep() const;                        // of what was measured so far
    [[nodiscard]] long revision() const { return revision_; } // grows with what sweep() has

  private:
    class Slice;
    struct Ended { // a text, under its number in the plan, and what was written
        std::size_t text = 0;
        std::vector<int> sequence;
    };
    void begin_film();
    void record();
    void study();
    void measure();
    void begin_slice();
    void take_slice();
    void prove();
    [[nodiscard]] double measured_part() const; // of cells and proofs, 0 … 1
    [[nodiscard]] bool next_proof();            // to the next text of a cell; false: there is none
    [[nodiscard]] std::size_t slices() const { return sweep_.cells.size() * static_cast<std::size_t>(plan_.repeats); }
    [[nodiscard]] std::size_t cell_of(std::size_t turn) const;

    std::shared_ptr<const Models> models_;
    SweepPlan plan_;
    Sweep sweep_;
    std::vector<std::vector<Ended>> ended_; // of each cell
    std::vector<double> filling_ms_;        // what a slice of it took beside the time that counts, the last time
    int capacity_ = 0;                      // positions of the longest text
    long revision_ = 0;
    Stopwatch clock_;                             // of the slices
    BusyMeter busy_;                              // of them too
    std::unique_ptr<BlockFilmRecorder> recorder_; // before them

    std::size_t turn_ = 0;         // slices that are over
    std::unique_ptr<Slice> slice_; // under way
    Stopwatch slice_clock_;

    // Runs alone: the texts of them, by number and method. At temperature 0 one holds for all drafters: it is plain decoding's.
    std::map<std::pair<std::size_t, std::size_t>, std::vector<int>> alone_;
    std::unique_ptr<Run> proof_;              // under way
    std::optional<Stopwatch> proof_clock_;    // of them all
    std::size_t proved_ = 0, proof_cell_ = 0; // the next: text of that number among those that ended, of that cell
    std::unique_ptr<AdaptiveStudy> study_;    // after all
    bool proven_ = false, over_ = false;
};

// Speed-ups, doubts and crossings of what was measured; `busy_cores` is read. As many crossings as methods, the first plain decoding.
void judge_cells(Sweep& sweep);
// From the slices of two cells: the ratio of their tokens a second. The interval is a bootstrap over slices.
[[nodiscard]] SweepInterval speed_up_of(const SweepCell& cell, const SweepCell& plain);
// `cells` and `plain`: of one method and of plain decoding, for each number of texts, ascending. None where fewer than two were measured.
[[nodiscard]] std::optional<SweepCrossing> crossing_of(const std::vector<const SweepCell*>& cells,
                                                       const std::vector<const SweepCell*>& plain);

} // namespace speclens
