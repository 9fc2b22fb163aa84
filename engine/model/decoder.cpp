#include "engine/model/decoder.h"

#include <algorithm>
#include <utility>

#include "kernels/error.h"

namespace speclens {

void PassRows::forget_laws() {
    sampling_.reset();
    laws_.resize(std::max(laws_.size(), static_cast<std::size_t>(count())));
}

const Law& PassRows::law(int row, const Sampling& sampling) {
    CHECK(row >= 0 && row < count(), "no such row of logits in this pass");
    if (sampling_ != sampling) {
        for (Cached& cached : laws_) cached.known = false;
        sampling_ = sampling;
    }
    Cached& cached = laws_[static_cast<std::size_t>(row)];
    if (!cached.known) compute_law(row, sampling, cached.law);
    cached.known = true;
    return cached.law;
}

Law PassRows::take_law(int row, const Sampling& sampling) {
    (void)law(row, sampling);
    Cached& cached = laws_[static_cast<std::size_t>(row)];
    cached.known = false;
    return std::move(cached.law);
}

}  // namespace speclens
