// Where does speculation stop paying? Every drafter at every number of texts in flight, beside plain batched decoding of the
// same run, and the number at which its speed-up crosses 1.
//
// A cell is measured in slices of time that take turns with those of all other cells, so that what else the machine does hits
// them alike. In a slice the seats are always taken: a text that ends makes room for the next of the list. Nothing counts until
// every seat decodes. A text that ended is compared with its run alone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/batch/batch_engine.h"

namespace speclens {

struct SweepMethod {
    std::string drafter, rule;
    int k = 0;
    [[nodiscard]] bool plain() const { return k == 0; }
};

struct SweepPlan {
    std::vector<RunSettings> texts;  // prompts with their dice; drafter, rule and k are the methods'. Taken in order, again and again
    std::vector<SweepMethod> methods; // the first is plain decoding
    std::vector<int> concurrency;    // texts in flight, ascending
    int repeats = 3;                 // slices of every cell
    double seconds = 180;            // for all slices
    double proof_seconds = 60;       // for the runs alone
    int prompt_rows = 64;            // as in BatchSettings
    int blocks = 0;                  // of the pool; 0: no text is ever preempted
    bool share = true;
};

// One slice, or the sum of some.
struct SweepSlice {
    double ms = 0, draft_ms = 0, pass_ms = 0;
    long tokens = 0, rounds = 0, rows = 0;                   // rounds and rows: of the passes
    long text_rounds = 0, drafted = 0, accepted = 0;         // of all texts
    int ended = 0, preempted = 0;
    std::vector<double> first_ms;                            // from arrival to the first token
    std::vector<double> between_ms;                          // a token's share of the time since the one before; those of a round share it evenly
    void add(const SweepSlice& other);
    [[nodiscard]] double tokens_per_second() const { return ms > 0 ? 1000 * static_cast<double>(tokens) / ms : 0; }
};

struct SweepInterval {
    double value = 0, low = 0, high = 0; // 90 %
};

struct SweepCell {
    SweepMethod method;
    int concurrency = 0;
    std::vector<SweepSlice> slices;
    SweepSlice sum;                 // of them
    std::optional<SweepInterval> speed_up; // over plain batched decoding with as many texts; none: that was not measured
    int compared = 0, equal = 0;    // texts that ended, with their runs alone
    [[nodiscard]] bool measured() const { return !slices.empty(); }
    [[nodiscard]] bool texts_equal() const { return compared > 0 && equal == compared; }
};

// Between which numbers of texts a speed-up falls through 1; interpolated over the logarithm of both.
struct SweepCrossing {
    enum class Where { below, at, above } where = Where::at; // below: already under 1 with the fewest texts; above: over 1 with the most
    SweepInterval texts; // at: value, and the interval as far as the repeats lie inside of what was measured
    bool open_low = false, open_high = false; // the interval goes on below the fewest or above the most texts
};

struct Sweep {
    std::vector<SweepCell> cells;  // by concurrency, then by method
    std::vector<std::optional<SweepCrossing>> crossings; // of each method; none: not known, or plain decoding
    bool complete = false;         // nobody ended it before its time
    [[nodiscard]] const SweepCell* cell(std::size_t method, int concurrency) const;
};

// Told before every slice and every proof: what is done, of 1. False ends the sweep with what is there.
using SweepMonitor = std::function<bool(const std::string& what, double done)>;
// Throws Error as BatchEngine does.
[[nodiscard]] Sweep run_sweep(const std::shared_ptr<const Models>& models, const SweepPlan& plan, const SweepMonitor& monitor);

// From the slices of two cells: the ratio of their tokens a second. The interval is a bootstrap over slices.
[[nodiscard]] SweepInterval speed_up_of(const SweepCell& cell, const SweepCell& plain);
// `cells` and `plain`: of one method and of plain decoding, for each number of texts, ascending. None where fewer than two were measured.
[[nodiscard]] std::optional<SweepCrossing> crossing_of(const std::vector<const SweepCell*>& cells, const std::vector<const SweepCell*>& plain);

} // namespace speclens
