#include "ui/plot.h"

#include <algorithm>
#include <cmath>

#include "ui/format.h"

namespace speclens::ui {

Ticks ticks(double lo, double hi, int n, bool binary) {
    Ticks out;
    if (!(hi > lo) || !std::isfinite(lo) || !std::isfinite(hi) || n < 1) {
        out.values = {lo};
        return out;
    }
    const double rough = (hi - lo) / n;
    constexpr double kSeconds = 1000; // of milliseconds: from there on 8 192 says less than 8 000
    if (binary && rough > 1 && hi < kSeconds) {
        out.step = std::exp2(std::round(std::log2(rough)));
    } else {
        const double power = std::pow(10.0, std::floor(std::log10(rough)));
        const double lead = rough / power;
        out.step = power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
    }
    out.decimals = std::max(0, -static_cast<int>(std::floor(std::log10(out.step) + 1e-9)));
    // Whole multiples, so 0 is exactly 0 and sums do not drift.
    const double slack = 1e-9 * (hi - lo) / out.step;
    const auto first = static_cast<std::int64_t>(std::ceil(lo / out.step - slack));
    const auto last = static_cast<std::int64_t>(std::floor(hi / out.step + slack));
    for (std::int64_t i = first; i <= last; ++i) out.values.push_back(static_cast<double>(i) * out.step);
    return out;
}

std::string tick_label(double value, int decimals) {
    std::string text = number(value, decimals);
    if (decimals == 0) return text;
    if (value == 0) return "0";
    // Axes of fractions write .4, as probabilities do everywhere; a whole number loses its zeros.
    if (std::abs(value) < 1)
        if (const std::size_t zero = text.find("0."); zero != std::string::npos) text.erase(zero, 1);
    if (std::abs(value - std::round(value)) < 1e-9) text = number(value, 0);
    return text;
}

float Scale::operator()(double value) const {
    if (hi == lo) return a;
    return static_cast<float>(static_cast<double>(a) + (value - lo) / (hi - lo) * static_cast<double>(b - a));
}

double Scale::inverse(float pixel) const {
    if (a == b) return lo;
    return lo + static_cast<double>(pixel - a) / static_cast<double>(b - a) * (hi - lo);
}

float Scale::length(double amount) const { return std::abs((*this)(lo + amount) - a); }

bool has_room(const Rect& box, const Rect& bounds, std::span<const Rect> taken) {
    return box.x >= bounds.x && box.right() <= bounds.right() && box.y >= bounds.y && box.bottom() <= bounds.bottom() &&
           std::ranges::none_of(
               taken, [&](const Rect& r) { return r.x < box.right() && box.x < r.right() && r.y < box.bottom() && box.y < r.bottom(); });
}

} // namespace speclens::ui
