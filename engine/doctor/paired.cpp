#include "engine/doctor/paired.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/error.h"

namespace speclens {
namespace {

// The continued fraction of the incomplete beta function by Lentz's method (DLMF 8.17.22).
double beta_fraction(double a, double b, double x) {
    constexpr double kTiny = 1e-300, kEnough = 3e-14;
    constexpr int kMost = 1000;
    const auto off_zero = [](double value) { return std::abs(value) < kTiny ? kTiny : value; };
    double c = 1, d = 1 / off_zero(1 - (a + b) * x / (a + 1)), fraction = d;
    for (int m = 1; m < kMost; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double step = 1;
        for (const double term : {even, odd}) {
            d = 1 / off_zero(1 + term * d);
            c = off_zero(1 + term / c);
            step = c * d;
            fraction *= step;
        }
        if (std::abs(step - 1) < kEnough) break;
    }
    return fraction;
}

// I_x(a, b), 0 <= x <= 1.
double incomplete_beta(double a, double b, double x) {
    if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
    const double log_front = std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x);
    const double front = std::exp(log_front);
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

} // namespace

double student_tail(double t, double degrees) {
    if (std::isinf(t)) return t > 0 ? 0 : 1;
    const double half = incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t)) / 2;
    return t >= 0 ? half : 1 - half;
}

double student_quantile(double tail, double degrees) {
    double low = 0, high = 1;
    while (student_tail(high, degrees) > tail && high < 1e9) high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
        const double middle = (low + high) / 2;
        (student_tail(middle, degrees) > tail ? low : high) = middle;
    }
    return high;
}

double PairedDifference::least_told(double level) const {
    if (texts < 2) return std::numeric_limits<double>::infinity();
    const double degrees = texts - 1;
    return (student_quantile(level, degrees) + student_quantile(0.1, degrees)) * error;
}

PairedDifference paired_difference(std::span<const double> a, std::span<const double> b, std::span<const int> places) {
    CHECK(a.size() == b.size() && a.size() == places.size(), "other texts");
    PairedDifference found;
    found.texts = static_cast<int>(places.size());
    const double all = std::accumulate(places.begin(), places.end(), 0.0);
    if (all <= 0) return found;
    for (std::size_t i = 0; i < a.size(); ++i) found.mean += (b[i] - a[i]) / all;
    found.low = found.high = found.mean;
    if (found.texts < 2) return found;
    double squares = 0; // of a ratio of sums, by text (Cochran 1977, 6.13)
    for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(b[i] - a[i] - found.mean * places[i], 2);
    const double texts = found.texts, degrees = texts - 1;
    found.error = std::sqrt(squares * texts / degrees) / all;
    const double t = found.error > 0 ? found.mean / found.error : found.mean > 0 ? std::numeric_limits<double>::infinity() : 0;
    found.p_value = found.mean > 0 ? student_tail(t, degrees) : 1;
    const double width = student_quantile(0.025, degrees) * found.error;
    found.low = found.mean - width;
    found.high = found.mean + width;
    return found;
}

std::vector<bool> holm_rejects(std::span<const double> p_values, double level, int untried) {
    std::vector<std::size_t> order(p_values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return p_values[i]; });
    std::vector<bool> rejected(p_values.size(), false);
    double left = static_cast<double>(p_values.size()) + untried;
    for (const std::size_t i : order) {
        if (p_values[i] > level / left) break;
        rejected[i] = true;
        --left;
    }
    return rejected;
}

} // namespace speclens
