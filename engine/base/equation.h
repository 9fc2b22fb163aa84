// Printed equations that hold as printed. For the window and the command line alike.
#pragma once

#include <cmath>

namespace speclens {

// Decimals, from `least` on, with which the printed numbers of tokens × pass ÷ (draft + verify) come to the
// result that is printed with two.
[[nodiscard]] inline int equation_decimals(double tokens, double pass, double draft, double verify, int least) {
    constexpr int kMost = 6;
    const auto shown = [](double value, int decimals) {
        const double digit = std::pow(10, decimals);
        return std::round(value * digit) / digit;
    };
    const double result = shown(tokens * pass / (draft + verify), 2);
    int decimals = least;
    const auto printed = [&] {
        return shown(tokens, decimals) * shown(pass, decimals) / (shown(draft, decimals) + shown(verify, decimals));
    };
    while (decimals < kMost && !(std::abs(printed() - result) < 0.005)) ++decimals;
    return decimals;
}

} // namespace speclens
