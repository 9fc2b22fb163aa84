// Synthetic runs for the scene tests: a toy language model with known distributions, judged by the real rules with the
// real dice. Small, deterministic, and no model files needed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/run/trace.h"

namespace speclens::fixtures {

struct Toy {
    std::string name;
    std::string rule = "token";
    std::string drafter = "small";
    int k = 4;
    int cycles = 6;
    double temperature = 1;
    double noise = 0.5; // 0: the draft equals the target, 1: it claims other tokens only
    int top = 64;       // entries of recorded distributions; 0: fast mode
    bool timing = true;
    int held_up = -1; // this round takes ten times as long as the others
    int cut = 0;      // drop so many events at the end: a run in the middle of a cycle
    bool stop = true;
    std::string failure = {}; // ends with Failed instead
    int nodes = 0;            // > 0: guesses form trees of so many nodes, two children each, k levels at most
    std::string tier = {};    // of the data; empty: LIVE
};
[[nodiscard]] std::shared_ptr<Trace> toy_run(const Toy& toy);
// Runs of the trained heads in assets/traces, with a lens; each is named after the scene that is made for it.
inline constexpr const char* kRecorded[] = {"domino", "dflash", "eagle3", "mtp"};
[[nodiscard]] const std::vector<Toy>& toys();         // those kept as files in assets/traces
[[nodiscard]] inline std::shared_ptr<Trace> mixed() { // the first of them: some guesses stay, some do not
    return toy_run(toys().front());
}
[[nodiscard]] std::shared_ptr<Trace> long_run(int events); // fast mode, for timings

} // namespace speclens::fixtures
