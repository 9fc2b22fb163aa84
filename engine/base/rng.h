// The dice. A uniform number is a pure function of what it is for (Philox-4x32-10, Salmon et al. 2011),
// never of what was drawn before it: the same position has the same coin whatever drafter or rule runs.
#pragma once

#include <cstdint>

namespace speclens {

enum class Purpose : std::uint32_t { draft = 0, accept = 1, resample = 2 };

// Names one coin of a run.
struct CoinKey {
    std::uint64_t seed = 0;
    std::uint32_t position = 0; // absolute index of the token that the coin decides
    Purpose purpose = Purpose::draft;
    std::uint32_t lane = 0;    // node index among the siblings of a tree; 0 in a chain
    std::uint32_t attempt = 0; // earlier rounds of this run that already drew for this position and purpose
    std::uint32_t fork = 0;    // 0 on the main line; a reroll from a point on counts up
};

// Uniform in [0, 1), 53 random bits.
[[nodiscard]] double uniform(const CoinKey& key);

} // namespace speclens
