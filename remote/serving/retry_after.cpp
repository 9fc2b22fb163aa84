#include "remote/serving/retry_after.h"

#include <algorithm>
#include <cmath>

namespace speclens {

void RetryAfter::took(double seconds) {
    constexpr double kShare = 0.2;
    mean_ = any_ ? mean_ + kShare * (seconds - mean_) : seconds;
    any_ = true;
}

int RetryAfter::seconds(int at_once) const {
    return static_cast<int>(std::clamp(std::ceil(mean_ / std::max(1, at_once)), 1.0, static_cast<double>(kMost)));
}

} // namespace speclens
