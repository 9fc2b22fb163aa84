// Readings of one server over time: what happened between two of them. Counters only grow, so a smaller one
// means that the server began anew: of the readings before only the sum is kept.
#pragma once

#include <deque>
#include <optional>

#include "remote/reading/length_drift.h"
#include "remote/reading/server_reading.h"

namespace speclens {

// Between two readings. Everything is server-wide: other people's requests are in it.
struct WatchInterval {
    double seconds = 0;
    SpecCounts counts;
    std::optional<double> tokens_per_second; // generated, all requests together
    std::optional<double> rounds_per_second;
    std::optional<double> first_token_ms, between_tokens_ms; // means over what ended in it
};

class Watch {
  public:
    static constexpr std::size_t kMostReadings = 3600;

    void add(double seconds, ServerReading reading); // a clock that never runs backwards
    [[nodiscard]] bool empty() const { return readings_.empty(); }
    [[nodiscard]] std::size_t size() const { return readings_.size(); }
    [[nodiscard]] int restarts() const { return restarts_; }
    [[nodiscard]] const ServerReading& last() const { return readings_.back().reading; }
    [[nodiscard]] double last_seconds() const { return readings_.back().seconds; }
    [[nodiscard]] double seconds(std::size_t i) const { return readings_[i].seconds; } // of reading i, from 0
    // The last `seconds` (at least the last two readings); absent with fewer than two.
    [[nodiscard]] std::optional<WatchInterval> recent(double seconds) const;
    // Since the first reading, restarts and forgotten readings included: seconds and counts alone. What a
    // server did between its last reading and its end is in no counter.
    [[nodiscard]] WatchInterval whole() const;
    // Whether the acceptance length changed over hours, of the readings that are kept. Absent: less than two hours.
    [[nodiscard]] std::optional<LengthDrift> drift() const;
    // Between reading i-1 and i, for a curve; i from 1.
    [[nodiscard]] WatchInterval step(std::size_t i) const;

  private:
    struct At {
        double seconds;
        ServerReading reading;
    };
    static WatchInterval between(const At& from, const At& to);
    std::deque<At> readings_;
    SpecCounts before_; // of readings that are not kept
    double began_ = 0;
    int restarts_ = 0;
};

} // namespace speclens
