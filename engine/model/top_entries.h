// The head of a distribution: what a trace records and a person sees of a vocabulary-wide row.
#pragma once

#include <limits>
#include <vector>

#include "engine/model/distribution.h"

namespace speclens {

inline constexpr double kLogZero = -std::numeric_limits<double>::infinity();

// The head of a distribution: its most likely tokens with log-probabilities, and the mass of all others.
struct TopEntries {
    struct Entry {
        int id = 0;
        double logp = kLogZero;
        bool operator==(const Entry&) const = default;
    };
    std::vector<Entry> entries; // largest first
    double rest = 0;            // probability (not log) of every id that is not listed
    [[nodiscard]] bool empty() const { return entries.empty(); }
    bool operator==(const TopEntries&) const = default;
};
// count < 0: every id with mass.
[[nodiscard]] TopEntries top_of(const Distribution& distribution, int count);

// What a trace keeps of one row of logits.
struct RecordedRow {
    TopEntries distribution; // the distribution tokens are drawn from and judged by: after temperature and filters
    TopEntries raw;          // the model's own distribution, at temperature 1 and unfiltered, where that is another one; else empty
};

} // namespace speclens
