// What a backend says is free, where a machine has more than addresses reach: also compiled to WebAssembly, whose have 32 bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

#include "kernels/backend.h"

namespace speclens {
namespace {

TEST(FreeMemory, IsThatOfTheMachineOrAllThatAddressesReach) {
    std::ifstream file("/proc/meminfo");
    std::string key, unit;
    std::uint64_t kib = 0;
    while (file >> key >> kib && key != "MemAvailable:") std::getline(file, unit);
    ASSERT_EQ(key, "MemAvailable:");
    constexpr std::uint64_t kMost = std::numeric_limits<std::size_t>::max();
    const auto backend = make_backend("cpu", {.threads = 1});
    EXPECT_GE(backend->free_memory(), std::min(kib * 1024, kMost) / 2) << kib << " KiB a moment ago";
}

} // namespace
} // namespace speclens
