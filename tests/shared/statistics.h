// Chi-square goodness of fit for counted outcomes against exact probabilities.
#pragma once

#include <cmath>
#include <map>
#include <string>

namespace speclens::test {

// Upper tail of the chi-square distribution: the regularised incomplete gamma function Q(k/2, x/2)
// (series below the mean, continued fraction above it).
inline double chi_square_tail(double x, int degrees) {
    if (degrees <= 0) return 1;
    const double a = degrees / 2.0, z = x / 2;
    if (z <= 0) return 1;
    const double scale = std::exp(a * std::log(z) - z - std::lgamma(a));
    if (z < a + 1) {
        double sum = 1 / a, term = sum;
        for (int n = 1; n < 10000 && std::fabs(term) > std::fabs(sum) * 1e-15; ++n) sum += term *= z / (a + n);
        return 1 - sum * scale;
    }
    double b = z + 1 - a, c = 1e300, d = 1 / b, h = d;
    for (int i = 1; i < 10000; ++i) {
        const double an = -i * (i - a);
        b += 2;
        d = 1 / (an * d + b);
        c = b + an / c;
        h *= d * c;
        if (std::fabs(d * c - 1) < 1e-15) break;
    }
    return h * scale;
}

struct Fit {
    double p_value = 1;
    double total_variation = 0;
    long impossible = 0; // samples of outcomes that have probability zero
};

// Outcomes expected fewer than five times are pooled into one cell.
inline Fit fit(const std::map<std::string, double>& expected, const std::map<std::string, long>& counted, long samples) {
    Fit result;
    double statistic = 0, pooled_expected = 0;
    long pooled = 0;
    int cells = 0;
    for (const auto& [key, probability] : expected) {
        const auto found = counted.find(key);
        const long count = found == counted.end() ? 0 : found->second;
        const double want = probability * static_cast<double>(samples);
        result.total_variation += std::fabs(static_cast<double>(count) - want) / static_cast<double>(samples) / 2;
        if (probability <= 1e-15) {
            result.impossible += count;
        } else if (want < 5) {
            pooled_expected += want;
            pooled += count;
        } else {
            statistic += (static_cast<double>(count) - want) * (static_cast<double>(count) - want) / want;
            ++cells;
        }
    }
    for (const auto& [key, count] : counted)
        if (!expected.count(key)) result.impossible += count;
    if (pooled_expected > 1) {
        statistic += (static_cast<double>(pooled) - pooled_expected) * (static_cast<double>(pooled) - pooled_expected) / pooled_expected;
        ++cells;
    }
    result.p_value = result.impossible ? 0 : chi_square_tail(statistic, cells - 1);
    return result;
}

} // namespace speclens::test
