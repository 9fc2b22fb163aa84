// What one pass of the target costs by the number of tokens in it, beside what reading its weights alone
// would take: the reason why checking several guesses at once is cheap. Widths take turns; each timed pass
// follows one of its own width; medians.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "engine/run/models.h"

namespace speclens {

struct PassPlan {
    std::vector<int> rows; // widths, ascending; the first one is 1
    int context = 64;      // tokens before the pass
    int repeats = 20;      // of every width, after some warm-up
    // Stop after so much time: widths that do not fit into it are left out, all but the first two, and what
    // is left is timed at least once. 0: no limit.
    double seconds = 0;
};

struct PassTime {
    int rows = 0;
    double ms = 0, low = 0, high = 0; // median and quartiles
};

struct PassTimes {
    int context = 0, repeats = 0;
    std::vector<PassTime> passes;
    double weight_bytes = 0;  // that a pass reads, however many rows it has
    double multiply_adds = 0; // of the weights with one row
    // Of a plain read of `read_bytes` bytes, 1e9 bytes per second; NaN: unknown, there was no memory for it.
    double bandwidth_gbs = 0;
    double read_bytes = 0;                            // those of the weights, at most kMostReadBytes
    [[nodiscard]] const PassTime* of(int rows) const; // nullptr: not measured
    // A pass that did nothing but read the weights, ms; 0 where the bandwidth is not known.
    [[nodiscard]] double floor_ms() const {
        return bandwidth_gbs > 0 ? weight_bytes / bandwidth_gbs / 1e6 : 0;
    }
};

// The read has memory of its own beside the model: enough that no cache holds it, and little beside the
// weights of a large model. What a small model reads fits into a cache, so there the read is as small.
inline constexpr std::size_t kMostReadBytes = std::size_t{1} << 30;

// `measure` of that many bytes, in GB/s; NaN where it throws Error, as when there is no memory for the read.
[[nodiscard]] double bandwidth_or_unknown(std::size_t bytes,
                                          const std::function<double(std::size_t)>& measure);

// What the window asks for: 1 to 64 tokens as far as the model goes, for about three seconds.
[[nodiscard]] PassPlan window_passes(const Models& models);

// Tokens that mean nothing, for passes that are only timed.
[[nodiscard]] std::vector<int> filler_tokens(int count, int vocab);

// `go_on(done, all)` is asked between rounds of repeats; false ends the measurement with what there is (no
// passes before the first whole round). Needs a model, not a table. Throws Error (memory).
[[nodiscard]] PassTimes measure_passes(const Models& models, const PassPlan& plan,
                                       const std::function<bool(int, int)>& go_on = {});

// Milliseconds of a pass over so many rows: measured, between two widths on a line, beyond the widest with
// the last slope. A pass does all that a narrower one does, and several narrower ones do what it does: where
// one of them was quicker, its time holds. Needs two widths at least.
[[nodiscard]] double pass_ms(const PassTimes& times, double rows);
// Whether a pass of about this width was measured a quarter slower than that.
[[nodiscard]] bool outrun_pass(const PassTimes& times, double rows);

} // namespace speclens
