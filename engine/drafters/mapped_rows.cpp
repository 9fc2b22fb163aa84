#include "engine/drafters/mapped_rows.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace speclens {

MappedRows::MappedRows(int draft, int target) : target_(static_cast<std::size_t>(target)) {
    if (draft <= target) return;
    to_target_.resize(static_cast<std::size_t>(draft), -1);
    std::iota(to_target_.begin(), to_target_.begin() + target, 0);
}

MappedRows::MappedRows(std::span<const int> to_target, int target)
    : to_target_(to_target.begin(), to_target.end()), target_(static_cast<std::size_t>(target)) {}

PassRows& MappedRows::of(PassRows& rows) {
    if (to_target_.empty()) return rows;
    rows_ = &rows;
    best_.clear();
    forget_distributions();
    return *this;
}

const std::vector<int>& MappedRows::argmax() {
    if (!best_.empty()) return best_;
    best_ = rows_->argmax();
    for (std::size_t row = 0; row < best_.size(); ++row) {
        if (const int ours = to_target_[static_cast<std::size_t>(best_[row])]; ours >= 0) {
            best_[row] = ours;
            continue;
        }
        const std::vector<float> known = logits(static_cast<int>(row));
        best_[row] = static_cast<int>(std::ranges::max_element(known) - known.begin());
    }
    return best_;
}

std::vector<float> MappedRows::logits(int row) {
    const std::vector<float> theirs = rows_->logits(row);
    std::vector<float> ours(target_, -std::numeric_limits<float>::infinity());
    for_common([&](std::size_t target, std::size_t draft) { ours[target] = theirs[draft]; });
    return ours;
}

void MappedRows::compute_distribution(int row, const Sampling& sampling, Distribution& distribution) {
    const Distribution& theirs = rows_->distribution(row, {.temperature = sampling.temperature});
    distribution.assign(target_, 0.0);
    for_common([&](std::size_t target, std::size_t draft) { distribution[target] = theirs[draft]; });
    // Nothing is left where temperature 0, or one close to it, gave all to an id that the target does not have.
    double mass = std::accumulate(distribution.begin(), distribution.end(), 0.0);
    if (!(mass > 0)) distribution[static_cast<std::size_t>(argmax()[static_cast<std::size_t>(row)])] = mass = 1;
    for (double& p : distribution) p /= mass;
    filter_distribution(distribution, sampling);
}

} // namespace speclens
