// One clock for the whole run: from a cursor to its time and back. Without recorded times every event
// counts 1.
#pragma once

#include <cstdint>

#include "engine/run/run_view.h"

namespace speclens {

class RunClock {
  public:
    enum class Unit : std::uint8_t { ms, rounds }; // rounds: every round has length 1, its phases their shares
    RunClock(const Trace& trace, const RunView& whole, Unit unit = Unit::ms);
    [[nodiscard]] bool timed() const { return timed_; }
    [[nodiscard]] double total() const { return total_; }
    // Time at which the first `cursor` events are over.
    [[nodiscard]] double at(std::size_t cursor) const;
    // Number of events that are over or running at `time`.
    [[nodiscard]] std::size_t cursor(double time) const;
    struct Span {
        double start = 0, draft = 0, verify = 0, rest = 0;
        [[nodiscard]] double end() const { return start + draft + verify + rest; }
    };
    [[nodiscard]] Span span(const RoundSummary& round) const;

  private:
    [[nodiscard]] Span raw(const RoundSummary& round) const;     // in ms, or events
    [[nodiscard]] double scale(const RoundSummary& round) const; // of a length in it to the unit of the clock
    // Of one event of a round, ms or 1.
    [[nodiscard]] double length(const RoundSummary& round, std::size_t event) const;
    const Trace& trace_;
    const RunView& whole_;
    Unit unit_;
    bool timed_ = false;
    double total_ = 0;
};

} // namespace speclens
