// How busy other programs are, from the kernel's counts.
#include <gtest/gtest.h>

#include <sstream>

#include "engine/base/busy.h"

namespace speclens {
namespace {

TEST(Busy, CountsWhatOthersWorked) {
    std::istringstream stat("cpu  100 20 30 4000 7 5 3 2 0 0\ncpu0 1 1 1 1\n");
    EXPECT_EQ(worked_ticks(stat), 160) << "not what was idle or waited";
    std::istringstream old("cpu 100 20 30 4000\n"), none("nothing");
    EXPECT_EQ(worked_ticks(old), 150);
    EXPECT_EQ(worked_ticks(none), 0);
    EXPECT_DOUBLE_EQ(other_cores({10, 2, 100}, {16, 5, 102}), 1.5);
    EXPECT_EQ(other_cores({10, 2, 100}, {13, 5.1, 102}), 0) << "ticks are coarse: never below nothing";
    EXPECT_EQ(other_cores({10, 2, 100}, {16, 5, 100}), 0);
    EXPECT_EQ(BusyMeter().cores(), 0) << "too short to tell";
}

} // namespace
} // namespace speclens
