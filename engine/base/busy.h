// How busy other programs keep the cores while something is measured: what all cores worked by /proc/stat, without what
// this process did itself. It is started, and asked whenever it is wanted; it never sleeps.
#pragma once

#include <chrono>
#include <istream>

namespace speclens {

// Seconds of core time so far.
struct CoreTime {
    double all = 0; // by everybody, and what other guests of the same host took from this one
    double own = 0; // by this process
    double at = 0;  // of the steady clock
};
// The first line of /proc/stat, in ticks. 0 where it is none.
[[nodiscard]] double worked_ticks(std::istream& stat);
// Cores that others kept busy between the two, on average; at least 0.
[[nodiscard]] double other_cores(const CoreTime& from, const CoreTime& to);

class BusyMeter {
  public:
    BusyMeter(); // starts
    // Cores that other programs kept busy since the start, on average. The kernel counts in hundredths of a second:
    // below a quarter of a second it is 0, unknown. 0 also where there is no /proc.
    [[nodiscard]] double cores() const;

  private:
    CoreTime start_;
};

} // namespace speclens
