// Is this the distribution it should be? Pearson's chi-square with pooled rare cells, its p-value, total variation.
#pragma once

#include <map>
#include <vector>

namespace speclens {

using Counts = std::map<std::vector<int>, long>;              // sequence -> how often it was drawn
using ExactDistribution = std::map<std::vector<int>, double>; // sequence -> its probability

struct DistributionTest {
    double total_variation = 0;
    double chi_square = 0;
    int degrees = 0;
    double p_value = 1;
    double rare = 0; // share of the distribution, or of the draws, in rare cells: only their sum was tested
};

// Draws against a known distribution. A draw that the distribution forbids gives p_value 0.
[[nodiscard]] DistributionTest against_distribution(const Counts& drawn, const ExactDistribution& distribution);
// Two sets of draws: do they come from the same distribution?
[[nodiscard]] DistributionTest against_draws(const Counts& a, const Counts& b);

// The total variation, rare cells taken as one, that such a test would find at least nine times in ten, with
// a p-value below `alarm`. draws: against a distribution, or a * b / (a + b) of two sets. 1: it finds none.
[[nodiscard]] double least_distance(int degrees, double alarm, double draws);

// P(X >= x) of the chi-square distribution with that many degrees of freedom.
[[nodiscard]] double chi_square_tail(double x, int degrees);

} // namespace speclens
