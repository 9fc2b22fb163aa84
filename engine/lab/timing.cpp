#include "engine/lab/timing.h"

#include <algorithm>

#include "engine/base/quantile.h"

namespace speclens {

Timing timing_of(const std::vector<double>& ms) {
    const double low = quantile(ms, 0.25);
    return {low, std::max(low, median(ms)), static_cast<int>(ms.size())};
}

bool distinguishable(const Timing& a, const Timing& b) { return a.median < b.ms || b.median < a.ms; }

} // namespace speclens
