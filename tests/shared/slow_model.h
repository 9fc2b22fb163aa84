// A large model for tests, without its weights: the built-in one, asleep for as long over each group of rows as a pair of
// Qwen2.5-Coder would compute, and with what that says of itself: names, sizes, 151 936 ids, a chat format, no heads.
#pragma once

#include <atomic>
#include <memory>

#include "engine/models/models.h"

namespace speclens::test {

struct SlowPace {
    double target_ms = 60, draft_ms = 15; // of a group of rows
    int group = 8;                        // rows
};

struct SlowModels {
    std::shared_ptr<const Models> models;
    std::shared_ptr<const std::atomic<double>> slept_ms; // by all passes so far: a time that no load of the machine changes
};
[[nodiscard]] SlowModels slow_models(SlowPace pace = {});

// As long as it lives nobody sleeps: a pass moves the clock on by which the engine measures (Stopwatch), and nothing else does. What is
// told of time is then the same on every machine, however busy.
class SkippedTime {
  public:
    SkippedTime();
    ~SkippedTime();
    SkippedTime(const SkippedTime&) = delete;
    SkippedTime& operator=(const SkippedTime&) = delete;

  private:
    double (*clock_)();
};

} // namespace speclens::test
