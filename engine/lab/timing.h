// The one estimator of repeated times: the lower quartile. Whatever disturbs a machine only makes a time longer, so low
// values are near what the work itself takes; the least of all would be luck. The median is as far above it as the
// machine was disturbed.
#pragma once

#include <vector>

namespace speclens {

struct Timing {
    double ms = 0;     // lower quartile
    double median = 0; // ms
    int repeats = 0;   // 0: not timed
    // How far the median lies above the lower quartile, as a share of that. 0 of none.
    [[nodiscard]] double spread() const { return ms > 0 ? (median - ms) / ms : 0; }
};
// Of times in ms, in any order.
[[nodiscard]] Timing timing_of(const std::vector<double>& ms);
// Whether one was the quicker, as far as they were measured: their intervals [ms, median] have nothing in common.
[[nodiscard]] bool distinguishable(const Timing& a, const Timing& b);

inline constexpr double kSteadySpread = 0.15; // a larger spread puts a time in doubt

} // namespace speclens
