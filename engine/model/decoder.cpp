#include "engine/model/decoder.h"

#include <algorithm>
#include <utility>

#include "kernels/error.h"

namespace speclens {

void PassRows::forget_distributions() {
    sampling_.reset();
    distributions_.resize(std::max(distributions_.size(), static_cast<std::size_t>(count())));
}

const Distribution& PassRows::distribution(int row, const Sampling& sampling) {
    CHECK(row >= 0 && row < count(), "no such row of logits in this pass");
    if (sampling_ != sampling) {
        for (Cached& cached : distributions_) cached.known = false;
        sampling_ = sampling;
    }
    Cached& cached = distributions_[static_cast<std::size_t>(row)];
    if (!cached.known) compute_distribution(row, sampling, cached.distribution);
    cached.known = true;
    return cached.distribution;
}

Distribution PassRows::take_distribution(int row, const Sampling& sampling) {
    (void)distribution(row, sampling);
    Cached& cached = distributions_[static_cast<std::size_t>(row)];
    cached.known = false;
    return std::move(cached.distribution);
}

} // namespace speclens
