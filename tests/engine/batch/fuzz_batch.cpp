// libFuzzer target: any bytes as a schedule of a batch (schedule.h). How to build and run it: tests/fuzz.cmake.
#include <cstdio>
#include <cstdlib>

#include "tests/engine/batch/schedule.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t kMost = 200; // longer ones take seconds, and break nothing else
    static speclens::test::Schedule schedule(speclens::test::micro_models(1));
    const std::string problem = schedule.play({data, std::min(size, kMost)});
    if (problem.empty()) return 0;
    std::fprintf(stderr, "%s\n", problem.c_str());
    std::abort();
}
