// What one pass of the target costs by the number of tokens in it, beside what reading its weights alone would take, and
// the product kernel's peak: the reason why checking several draft tokens at once is cheap, or is not. Everything takes
// turns; each time is the lower quartile of its repeats (engine/lab/timing.h).
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/told_reason.h"
#include "engine/lab/timing.h"
#include "kernels/said.h"
#include "kernels/types.h"

namespace speclens {

class Backend;      // kernels/backend.h
struct ModelConfig; // engine/model/config.h
struct Models;      // engine/models/models.h

struct PassPlan {
    std::vector<int> rows; // widths, ascending; the first one is 1
    int context = 64;      // tokens before the pass
    int repeats = 20;      // of everything, after some warm-up
    // Stop after so much time, of which everything that is timed gets an equal share: quick passes are repeated more
    // often. Widths that do not fit into it are left out, all but the first two, and what is left is timed at least
    // once. 0: no limit.
    double seconds = 0;
};

struct PassTime : Timing {
    int rows = 0;
};

struct PassTimes {
    std::string model;                    // that was measured
    bool random_weights = false;          // of its shape: the speed is right, the text would mean nothing
    DType form = DType::bf16;             // of its matrices in memory, of most of their bytes
    Precision precision = Precision::f32; // of products with them
    ToldReason problem;                   // why there are no passes of it, a sentence; empty: there are, or nobody measured
    int context = 0;                      // tokens before the pass
    int repeats = 0;                      // of the width that had the fewest
    std::vector<PassTime> passes;
    double weight_bytes = 0;   // that a pass reads, however many rows it has
    double cache_bytes = 0;    // of keys and values of the context, read at least once by a pass
    double multiply_adds = 0;  // of the weights with one row
    double attention_adds = 0; // multiply-adds of one row with the context
    // Of the quickest plain read of `read_bytes` bytes by all threads, 1e9 bytes per second; NaN: unknown, there was no memory for it.
    double bandwidth_gbs = 0;
    double read_bytes = 0; // those of the weights where a cache may hold them, else kLargeRead
    double read_spread = 0;
    // Of a plain read of four times those bytes in the same run, where a cache may hold the weights; NaN: not measured.
    double far_gbs = std::numeric_limits<double>::quiet_NaN();
    // The product kernel of this form and precision with a matrix that stays in cache (kernels/product_probe.h), 1e9
    // multiply-adds per second with the number of rows that it does best; NaN: unknown.
    double product_rate = std::numeric_limits<double>::quiet_NaN();
    double product_spread = 0;
    double cache_limit = 0; // bytes of the machine's largest cache; 0: unknown
    double other_cores = 0; // that other programs kept busy meanwhile
    bool stopped = false;   // somebody ended it before everything was timed: passes of the widths that there are

    [[nodiscard]] const PassTime* of(int rows) const; // nullptr: not measured
    // A pass that did nothing but read weights and cache, ms; 0 where the bandwidth is not known.
    [[nodiscard]] double floor_ms() const { return bandwidth_gbs > 0 ? (weight_bytes + cache_bytes) / bandwidth_gbs / 1e6 : 0; }
    // What a pass over so many rows takes at least, ms: its bytes at the bandwidth or its products at the kernel's peak,
    // whichever takes longer. 0: one of the two is not known.
    [[nodiscard]] double bound_ms(int rows) const;
    // Of the bandwidth, and of the product kernel's peak, what a pass reaches; 0: unknown.
    [[nodiscard]] double read_share(const PassTime& pass) const;
    [[nodiscard]] double arithmetic_share(const PassTime& pass) const;
    // Why the times are not to be relied on, after "because": "other programs kept 1.2 cores busy". Empty: they are. The words stand in
    // assets/stories/bottleneck.toml.
    [[nodiscard]] Said in_doubt() const;
};
inline constexpr double kQuietCores = 0.3; // more, kept busy by others, puts times in doubt
// A pass that reaches more than this share of what reads or products alone can do puts times in doubt: they were of another minute.
inline constexpr double kWholeBound = 1.05;

// The read has memory of its own beside the model. What a small model reads fits into a cache, so there the read is as small;
// else it is large enough that no cache holds a part worth mentioning, whatever the model.
inline constexpr std::size_t kLargeRead = std::size_t{1} << 30;

// What the window asks for: 1 to 64 tokens as far as the model goes, for two seconds and a half.
[[nodiscard]] PassPlan window_passes(const Models& models);

// Multiply-adds of a pass over one row: as many as the matrices of this shape have weights.
[[nodiscard]] double multiply_adds_of(const ModelConfig& config);

// Tokens that mean nothing, for passes that are only timed.
[[nodiscard]] std::vector<int> filler_tokens(int count, int vocab);

// A measurement that goes on step by step, so that something else can be done in between.
class PassMeasurement {
  public:
    // Needs a model, not a table. Throws Error (memory; a context that does not fit: usage), and what `reading` throws, which is told
    // how much of the context was read. Keeps what it needs of `models`.
    PassMeasurement(const Models& models, PassPlan plan, const std::function<void(int)>& reading = {});
    ~PassMeasurement();
    PassMeasurement(const PassMeasurement&) = delete;
    PassMeasurement& operator=(const PassMeasurement&) = delete;

    bool step();                                         // one pass, read or product; false: complete, and nothing was done
    [[nodiscard]] bool between_rounds() const;           // everything had as many turns
    [[nodiscard]] double done() const;                   // 0 … 1
    [[nodiscard]] std::optional<double> left_ms() const; // empty: until every width had its turn, and where there is no limit of time
    [[nodiscard]] int widths() const;
    [[nodiscard]] int widths_done() const;  // that are timed by now
    [[nodiscard]] PassTimes result() const; // so far; no passes before two widths are timed

  private:
    struct Work;
    std::unique_ptr<Work> work_;
};

// All of it at once. `go_on(done)` is asked between rounds with the share that is done; false ends the measurement with
// what there is.
[[nodiscard]] PassTimes measure_passes(const Models& models, const PassPlan& plan, const std::function<bool(double)>& go_on = {});

// Milliseconds of a plain read of so many bytes, as every other time; nothing timed where there is no memory for it.
[[nodiscard]] Timing time_reads(Backend& backend, std::size_t bytes, int repeats);

// Milliseconds of a pass over so many rows: measured, between two widths on a line, beyond the widest with
// the last slope. A pass does all that a narrower one does, and several narrower ones do what it does: where
// one of them was quicker, its time holds. Needs two widths at least.
[[nodiscard]] double pass_ms(const PassTimes& times, double rows);
// Whether a pass of about this width was measured a quarter slower than that.
[[nodiscard]] bool outrun_pass(const PassTimes& times, double rows);

} // namespace speclens
