// Schedules of random bytes, the same in every run; a fuzzer looks for others (fuzz_batch.cpp).
#include <gtest/gtest.h>

#include "tests/engine/batch/schedule.h"

namespace speclens::test {

TEST(BatchSchedule, NoBytesChangeAText) {
    Schedule schedule(micro_models(2));
    int preempted = 0, cancelled = 0, done = 0, judged = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        std::vector<std::uint8_t> bytes(20 + random() % 100);
        for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
        if (seed % 2 == 0) bytes[1] = 0; // the smallest pool
        ASSERT_EQ(schedule.play(bytes), "");
        preempted += schedule.preempted;
        cancelled += schedule.cancelled;
        done += schedule.done;
        judged += schedule.judged;
    }
    EXPECT_GT(preempted, 20);
    EXPECT_GT(cancelled, 20);
    EXPECT_GT(done, 200);
    EXPECT_GT(judged, 100);
}

TEST(BatchSchedule, NoBytesAreAScheduleToo) {
    Schedule schedule(micro_models(1));
    EXPECT_EQ(schedule.play({}), "");
}

} // namespace speclens::test
