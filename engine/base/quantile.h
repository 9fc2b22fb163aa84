// Order statistics of measured times.
#pragma once

#include <vector>

namespace speclens {

// The smallest value that at least `share` (0 … 1) of the values do not exceed. No interpolation: it is one of the values.
// 0 of none.
[[nodiscard]] double quantile(std::vector<double> values, double share);
// The upper one of two; 0 of none.
[[nodiscard]] double median(std::vector<double> values);

} // namespace speclens
