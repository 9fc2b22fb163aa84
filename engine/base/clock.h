// Monotonic time for the measured phases.
#pragma once

#include <chrono>

namespace speclens {

class Stopwatch {
  public:
    [[nodiscard]] double ms() const { return now_ms() - start_; }

    // The clock of all watches. Tests of what takes minutes put one in its place that a pass moves on (tests/shared/slow_model.h).
    static inline double (*now_ms)() = [] {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
    };

  private:
    double start_ = now_ms();
};

} // namespace speclens
