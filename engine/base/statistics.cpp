#include "engine/base/statistics.h"

#include <algorithm>
#include <cmath>

namespace speclens {

namespace {

constexpr double kLeastExpected = 5; // rarer cells are pooled: the chi-square distribution holds only for filled ones

// Regularised upper incomplete gamma function Q(a, x): series below a + 1, continued fraction above.
double upper_gamma(double a, double x) {
    if (x <= 0) return 1;
    const double front = std::exp(-x + a * std::log(x) - std::lgamma(a));
    if (x < a + 1) {
        double term = 1 / a, sum = term;
        for (int n = 1; n < 10000 && std::abs(term) > std::abs(sum) * 1e-15; ++n) sum += term *= x / (a + n);
        return std::max(0.0, 1 - front * sum);
    }
    constexpr double kTiny = 1e-300;
    double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, h = d;
    for (int n = 1; n < 10000; ++n) {
        const double an = -n * (n - a);
        b += 2;
        d = an * d + b;
        if (std::abs(d) < kTiny) d = kTiny;
        c = b + an / c;
        if (std::abs(c) < kTiny) c = kTiny;
        d = 1 / d;
        const double change = d * c;
        h *= change;
        if (std::abs(change - 1) < 1e-15) break;
    }
    return front * h;
}

// Where `below` turns false, between 0 and the end that is searched for first.
template <typename Below>
double boundary(const Below& below) {
    double low = 0, high = 1;
    while (below(high)) high *= 2;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (below(middle) ? low : high) = middle;
    }
    return high;
}

long sum_of(const Counts& counts) {
    long sum = 0;
    for (const auto& [sequence, count] : counts) sum += count;
    return sum;
}

long count_of(const Counts& counts, const std::vector<int>& sequence) {
    const auto found = counts.find(sequence);
    return found == counts.end() ? 0 : found->second;
}

} // namespace

double chi_square_tail(double x, int degrees) { return degrees <= 0 ? 1 : upper_gamma(degrees / 2.0, x / 2); }

// A difference d adds at least 4 n d² to the mean of chi-square (Cauchy and Schwarz, over the cells). What
// remains is the noise of that sum: taken as normal, it is at its lowest tenth 1.2816 deviations below its
// mean.
double least_distance(int degrees, double alarm, double draws) {
    if (degrees <= 0 || draws <= 0) return 1;
    const double alarmed = boundary([&](double x) { return chi_square_tail(x, degrees) > alarm; });
    const double added = boundary([&](double more) { return degrees + more - 1.2816 * std::sqrt(2 * (degrees + 2 * more)) < alarmed; });
    return std::min(1.0, std::sqrt(added / (4 * draws)));
}

DistributionTest against_distribution(const Counts& drawn, const ExactDistribution& distribution) {
    DistributionTest test;
    const double n = static_cast<double>(sum_of(drawn));
    bool forbidden = false;
    double distance = 0;
    for (const auto& [sequence, count] : drawn) {
        const auto found = distribution.find(sequence);
        if (found != distribution.end() && found->second > 0) continue;
        forbidden = true;
        distance += static_cast<double>(count) / n;
    }
    double pooled_expected = 0, pooled_seen = 0;
    int cells = 0;
    for (const auto& [sequence, p] : distribution) {
        const double seen = static_cast<double>(count_of(drawn, sequence));
        distance += std::abs(seen / n - p);
        if (n * p < kLeastExpected) {
            pooled_expected += n * p;
            test.rare += p;
            pooled_seen += seen;
            continue;
        }
        test.chi_square += (seen - n * p) * (seen - n * p) / (n * p);
        ++cells;
    }
    if (pooled_expected >= kLeastExpected) {
        test.chi_square += (pooled_seen - pooled_expected) * (pooled_seen - pooled_expected) / pooled_expected;
        ++cells;
    }
    test.total_variation = distance / 2;
    test.degrees = std::max(0, cells - 1);
    test.p_value = forbidden ? 0 : chi_square_tail(test.chi_square, test.degrees);
    return test;
}

DistributionTest against_draws(const Counts& a, const Counts& b) {
    DistributionTest test;
    const double na = static_cast<double>(sum_of(a)), nb = static_cast<double>(sum_of(b));
    if (na <= 0 || nb <= 0) return test;
    Counts both = a;
    for (const auto& [sequence, count] : b) both[sequence] += count;
    double pooled_a = 0, pooled_b = 0;
    int cells = 0;
    // What the smaller set is expected to have of them decides, for one cell as for those that are pooled.
    const auto filled = [&](double seen) { return std::min(na, nb) * seen / (na + nb) >= kLeastExpected; };
    const auto cell = [&](double seen_a, double seen_b) {
        const double share = (seen_a + seen_b) / (na + nb);
        test.chi_square +=
            (seen_a - na * share) * (seen_a - na * share) / (na * share) + (seen_b - nb * share) * (seen_b - nb * share) / (nb * share);
        ++cells;
    };
    for (const auto& [sequence, count] : both) {
        const double seen_a = static_cast<double>(count_of(a, sequence)), seen_b = static_cast<double>(count_of(b, sequence));
        test.total_variation += std::abs(seen_a / na - seen_b / nb) / 2;
        if (filled(static_cast<double>(count))) {
            cell(seen_a, seen_b);
            continue;
        }
        pooled_a += seen_a;
        pooled_b += seen_b;
        test.rare += static_cast<double>(count) / (na + nb);
    }
    if (filled(pooled_a + pooled_b)) cell(pooled_a, pooled_b);
    test.degrees = std::max(0, cells - 1);
    test.p_value = chi_square_tail(test.chi_square, test.degrees);
    return test;
}

} // namespace speclens
