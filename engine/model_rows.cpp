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
    compute_probabilities(sampling.temperature);
    const std::vector<float> values = download(probabilities_, row);
    Law law(values.size());
    double sum = 0;
    for (std::size_t i = 0; i < law.size(); ++i) sum += law[i] = static_cast<double>(values[i]);
    if (!std::isfinite(sum) || sum <= 0) not_finite();
    for (double& value : law) value /= sum;
    if (sampling.top_k > 0 || sampling.top_p < 1) filter_law(law, sampling);
    return law;
}

// All rows in one launch: a round looks at nearly all of them.
void ModelRows::compute_probabilities(double temperature) {
    if (temperature_ == temperature) return;
    if (probabilities_.view().rows < count_)
        probabilities_ = Buffer(*backend_, DType::f32, logits_.view().rows, vocab_);
    backend_->softmax(logits_.view().slice(0, count_), static_cast<float>(temperature),
                      probabilities_.view().slice(0, count_));
    temperature_ = temperature;
}

void ModelRows::not_finite() const {
    throw Error(model_ + ": the model computed logits that are not finite numbers",
                "The weights may be damaged: download the checkpoint again.");
}

// Selected on the device: only the head is downloaded, not a row as wide as the vocabulary.
Top ModelRows::raw_top(int row, int entries) {
    CHECK(row >= 0 && row < count_, "no such row of logits in this pass");
    if (entries < 0) return PassRows::raw_top(row, entries);
    const int count = std::min(entries, vocab_);
    Top top;
    if (count == 0) return top;
    compute_probabilities(1);
    if (top_ids_.view().cols != count) {
        top_ids_ = Buffer(*backend_, DType::i32, 1, count);
        top_values_ = Buffer(*backend_, DType::f32, 1, count);
    }
    backend_->top_k(probabilities_.view().slice(row, 1), count, top_ids_.view(), top_values_.view());
    std::vector<std::int32_t> ids(static_cast<std::size_t>(count));
    std::vector<float> values(static_cast<std::size_t>(count));
    backend_->download(top_ids_.view(), ids.data());
    backend_->download(top_values_.view(), values.data());
    if (!(values.front() > 0)) not_finite();
    double mass = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (values[i] <= 0) break;
        top.entries.push_back({ids[i], std::log(static_cast<double>(values[i]))});
        mass += static_cast<double>(values[i]);
    }
    top.rest = count == vocab_ ? 0 : std::max(0.0, 1 - mass);
    return top;
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
