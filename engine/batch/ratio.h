// The ratio of two rates that were measured by turns, and how sure it is.
#pragma once

#include <vector>

namespace speclens {

struct SweepInterval {
    double value = 0, low = 0, high = 0; // 90 %
    [[nodiscard]] double spread() const; // from the value to the farther end, as a share; 0 of nothing
};

// The geometric mean of with[i] ÷ without[i] over the turns that both have; the interval is the middle 90 % of a bootstrap over them.
[[nodiscard]] SweepInterval ratio_of(const std::vector<double>& with, const std::vector<double>& without);

} // namespace speclens
