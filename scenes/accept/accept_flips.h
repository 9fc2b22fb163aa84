// Thrown coins: the production rule (engine/rules/verify.h) with the production dice (engine/base/rng.h) on the two distributions
// of the sandbox, counted. And the test whether the counts look like the target.
#pragma once

#include <cstdint>
#include <vector>

#include "scenes/accept/accept_model.h"

namespace speclens {

struct Flip {
    int draft = 0; // bar that was proposed
    int out = 0;   // bar that came out
    double u = 0;  // accept coin
    bool accepted = false;
};

struct FlipCounts {
    std::vector<int> kept, resampled; // per bar
    int flips = 0;
    Flip last;
    [[nodiscard]] int total(std::size_t bar) const { return kept[bar] + resampled[bar]; }
    [[nodiscard]] int kept_total() const;
};

// Continues the same sequence of dice: flip n always uses position n. With full distributions every token counts for
// itself and is binned afterwards; else "other" is one token.
void flip(const AcceptView& view, std::uint64_t seed, int count, FlipCounts& counts);

struct FlipTest {
    double tv = 0;       // total variation distance between counts and target
    double chi2_p = 1;   // probability of counts at least this far off, if the rule is exact
    bool enough = false; // two bins with 5 expected counts at least
};
[[nodiscard]] FlipTest test_flips(const AcceptView& view, const FlipCounts& counts);

} // namespace speclens
