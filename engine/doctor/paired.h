// Is one reading of a head better than another on the same texts? Differences are summed text by text, because what happens at
// neighbouring places of a text is not independent; Student's t over the texts, and Holm's step-down over everything that was tried
// (Holm 1979, Scand. J. Statist. 6, 65–70).
#pragma once

#include <span>
#include <vector>

namespace speclens {

struct PairedDifference {
    double mean = 0; // of b - a, for a place
    double low = 0;  // and the ends of its 95 % interval
    double high = 0;
    double error = 0;   // its standard error
    double p_value = 1; // of the hypothesis that b is not better, one-sided
    int texts = 0;
    // The smallest mean that a test at `level` finds nine times in ten.
    [[nodiscard]] double least_told(double level) const;
};
// a, b: sums over the places of each text; places: how many there are. Fewer than two texts tell nothing: p_value 1.
[[nodiscard]] PairedDifference paired_difference(std::span<const double> a, std::span<const double> b, std::span<const int> places);

// Which of the hypotheses are rejected so that at most `level` of all families have a false one among them. `untried`: more that were
// looked at and given up, which count as not rejected.
[[nodiscard]] std::vector<bool> holm_rejects(std::span<const double> p_values, double level, int untried = 0);

// P(T >= t) of Student's distribution with `degrees` > 0 of freedom; and the t of which that is `tail`, 0 < tail <= 1/2.
[[nodiscard]] double student_tail(double t, double degrees);
[[nodiscard]] double student_quantile(double tail, double degrees);

} // namespace speclens
