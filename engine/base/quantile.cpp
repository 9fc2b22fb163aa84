#include "engine/base/quantile.h"

#include <algorithm>
#include <cmath>

namespace speclens {
namespace {

double at_rank(std::vector<double>& values, std::size_t rank) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

} // namespace

double quantile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
    return at_rank(values, std::clamp<std::size_t>(rank, 1, values.size()) - 1);
}

double median(std::vector<double> values) { return values.empty() ? 0 : at_rank(values, values.size() / 2); }

} // namespace speclens
