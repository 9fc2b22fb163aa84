// The head of a law: what a trace records and a person sees of a vocabulary-wide row.
#pragma once

#include <limits>
#include <vector>

#include "engine/model/law.h"

namespace speclens {

inline constexpr double kLogZero = -std::numeric_limits<double>::infinity();

// The head of a law: its most likely tokens with log-probabilities, and the mass of all others.
struct Top {
    struct Entry {
        int id = 0;
        double logp = kLogZero;
        bool operator==(const Entry&) const = default;
    };
    std::vector<Entry> entries;  // largest first
    double rest = 0;             // probability (not log) of every id that is not listed
    [[nodiscard]] bool empty() const { return entries.empty(); }
    bool operator==(const Top&) const = default;
};
// count < 0: every id with mass.
[[nodiscard]] Top top_of(const Law& law, int count);

// What a trace keeps of one row of logits.
struct Heads {
    Top law;  // the law tokens are drawn from and judged by: after temperature and filters
    Top raw;  // the model's own law, at temperature 1 and unfiltered, where that is another one; else empty
};

}  // namespace speclens
