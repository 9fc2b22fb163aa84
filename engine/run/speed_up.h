// How much faster a run wrote its text than plain decoding would have, how far that is known, and whether it may be told.
#pragma once

#include "engine/run/run_view.h"
#include "engine/run/trace.h"
#include "kernels/said.h"

namespace speclens {

// Repeats of a pass that lie farther apart, other programs that keep more of the cores busy: a figure is in doubt.
inline constexpr double kMostSpread = 0.15, kMostBusyCores = 0.3;
inline constexpr int kFewestRepeats = 4;
// A plain pass that takes so much longer than it did on this machine: its caches or its memory are somebody else's now,
// which repeats within a second cannot tell.
inline constexpr double kMostSlower = 1.3;

struct SpeedUp {
    double value = 0;         // 0: not known
    double low = 0, high = 0; // what repeats leave open of it: every time its lower quartile or its median
    enum class Doubt : std::uint8_t {
        none,
        few,        // too few repeats so far
        spread,     // repeats lie too far apart
        busy,       // other programs kept the cores busy
        slower,     // plain passes take longer than what was recorded on this machine
        impossible, // more than tokens per round: then drafting would cost less than nothing
    } doubt = Doubt::none;
    [[nodiscard]] bool known() const { return value > 0; }
    [[nodiscard]] bool sure() const { return known() && doubt == Doubt::none; } // may be told in a headline
};

// Of the rounds that `view` holds, with the times that `trace` has (Trace::times). A recorded run without them has the
// times of its events alone: nothing is known of how far repeats lie apart, and `few` says so.
[[nodiscard]] SpeedUp speed_up(const RunView& view, const Trace& trace);
// The same from its parts. `ms`: of all rounds; `spread`, `plain_spread`: as in TraceTimes.
[[nodiscard]] SpeedUp speed_up(const RunView& view, const TraceTimes& times);

// "other programs kept 1.4 cores busy"; empty: none. The words stand in assets/stories/speedup.toml.
[[nodiscard]] Said doubt_said(const SpeedUp& figure, const TraceTimes* times);

} // namespace speclens
