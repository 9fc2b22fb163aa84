#include "engine/drafters/narrow_rows.h"

#include <algorithm>
#include <numeric>

namespace speclens {

PassRows& NarrowRows::of(PassRows& rows) {
    if (!wide_) return rows;
    rows_ = &rows;
    best_.clear();
    forget_distributions();
    return *this;
}

const std::vector<int>& NarrowRows::argmax() {
    if (!best_.empty()) return best_;
    best_ = rows_->argmax();
    for (std::size_t row = 0; row < best_.size(); ++row) {
        if (best_[row] < static_cast<int>(ids_)) continue;
        const std::vector<float> known = logits(static_cast<int>(row));
        best_[row] = static_cast<int>(std::max_element(known.begin(), known.end()) - known.begin());
    }
    return best_;
}

std::vector<float> NarrowRows::logits(int row) {
    std::vector<float> known = rows_->logits(row);
    known.resize(ids_);
    return known;
}

void NarrowRows::compute_distribution(int row, const Sampling& sampling, Distribution& distribution) {
    distribution = rows_->distribution(row, {.temperature = sampling.temperature});
    distribution.resize(ids_);
    // Nothing is left where temperature 0, or one close to it, gave all to an id that the target does not
    // have.
    double mass = std::accumulate(distribution.begin(), distribution.end(), 0.0);
    if (!(mass > 0)) distribution[static_cast<std::size_t>(argmax()[static_cast<std::size_t>(row)])] = mass = 1;
    for (double& p : distribution) p /= mass;
    filter_distribution(distribution, sampling);
}

} // namespace speclens
