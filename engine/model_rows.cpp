#include "engine/model_rows.h"

#include <algorithm>
#include <cmath>

#include "kernels/error.h"

namespace speclens {

Tensor ModelRows::begin(int count) {
    count_ = count;
    temperature_.reset();
    argmax_known_ = false;
    sampling_.reset();
    laws_.assign(static_cast<std::size_t>(count), std::nullopt);
    if (count == 0) return {};
    if (logits_.view().rows < count) {
        const std::int64_t rows = std::max<std::int64_t>(count, 2 * logits_.view().rows);
        logits_ = Buffer(); // give the old one back first
        logits_ = Buffer(*backend_, DType::f32, rows, vocab_);
    }
    return logits_.view().slice(0, count);
}

const std::vector<int>& ModelRows::argmax() {
    if (argmax_known_) return argmax_;
    argmax_.resize(static_cast<std::size_t>(count_));
    if (count_ > 0) {
        if (best_.view().cols < count_) best_ = Buffer(*backend_, DType::i32, 1, logits_.view().rows);
        const Tensor ids{best_.view().data, DType::i32, 1, count_};
        backend_->argmax(logits_.view().slice(0, count_), ids);
        backend_->download(ids, argmax_.data());
    }
    argmax_known_ = true;
    return argmax_;
}

Law ModelRows::law(int row, const Sampling& sampling) {
    CHECK(row >= 0 && row < count_, "no such row of logits in this pass");
    if (sampling_ != sampling) {
        sampling_ = sampling;
        laws_.assign(static_cast<std::size_t>(count_), std::nullopt);
    }
    std::optional<Law>& cached = laws_[static_cast<std::size_t>(row)];
    if (!cached) cached = compute_law(row, sampling);
    return *cached;
}

// Ids that no token has (padding rows of the head, the mask id) keep the probability the head gives them,
// like the reference: masking them would change the law that is compared with other engines.
Law ModelRows::compute_law(int row, const Sampling& sampling) {
    if (sampling.temperature == 0) return one_hot(vocab_, argmax()[static_cast<std::size_t>(row)]);
    if (temperature_ != sampling.temperature) { // all rows in one launch: a round looks at nearly all of them
        if (probabilities_.view().rows < count_)
            probabilities_ = Buffer(*backend_, DType::f32, logits_.view().rows, vocab_);
        backend_->softmax(logits_.view().slice(0, count_), static_cast<float>(sampling.temperature),
                          probabilities_.view().slice(0, count_));
        temperature_ = sampling.temperature;
    }
    const std::vector<float> values = download(probabilities_, row);
    Law law(values.begin(), values.end());
    double sum = 0;
    for (const double value : law) sum += value;
    if (!std::isfinite(sum) || sum <= 0)
        throw Error(model_ + ": the model computed logits that are not finite numbers",
                    "The weights may be damaged: download the checkpoint again.");
    for (double& value : law) value /= sum;
    filter_law(law, sampling);
    return law;
}

std::vector<float> ModelRows::logits(int row) {
    CHECK(row >= 0 && row < count_, "no such row of logits in this pass");
    return download(logits_, row);
}

std::vector<float> ModelRows::download(const Buffer& rows, int row) const {
    std::vector<float> values(static_cast<std::size_t>(vocab_));
    backend_->download(rows.view().slice(row, 1), values.data());
    return values;
}

} // namespace speclens
