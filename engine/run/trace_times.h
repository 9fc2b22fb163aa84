// What the events of a run take when nothing else disturbs them, and how far that is known. The same seed gives the same
// events again, so a run can be timed as often as there is time for: an event's own time is one of those, these are the
// lower quartile of many (engine/lab/time_table.h).
#pragma once

#include <vector>

namespace speclens {

// Milliseconds of one event. `aside`: Drafted::head_ms, Verified::draft_ms, Committed::accept_ms; else 0.
struct EventTimes {
    double ms = 0, aside = 0;
    bool operator==(const EventTimes&) const = default;
};

struct TraceTimes {
    std::vector<EventTimes> events; // by index; events behind the last one have their own times
    double plain_ms = 0;            // plain decoding of these tokens, ms a token; 0: not measured
    // How far repeats of one pass lie apart, (median - lower quartile) ÷ lower quartile, weighted by time: of this run,
    // of plain decoding.
    double spread = 0, plain_spread = 0;
    double busy_cores = 0;  // that other programs kept busy meanwhile
    double to_recorded = 0; // plain_ms by what was recorded on a machine of this name; 0: nothing was
    int repeats = 0;        // at least so many of each pass that makes up most of the time; 0: unknown
    bool operator==(const TraceTimes&) const = default;
};

} // namespace speclens
