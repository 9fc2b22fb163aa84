#include "engine/lab/medusa_gradient.h"

#include <algorithm>
#include <cmath>

#include "engine/lab/output_matrix.h"
#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens {
namespace {

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

} // namespace

MedusaGradient::MedusaGradient(std::shared_ptr<const Model> target, int rows)
    : target_(std::move(target)), hidden_(target_->config.hidden), vocab_(target_->config.vocab),
      most_(std::min(rows, backend().max_rows())) {
    const auto of = [&](std::int64_t r, std::int64_t c) { return Buffer(backend(), DType::f32, r, c); };
    states_ = of(most_, hidden_);
    linear_ = of(hidden_, hidden_);
    bias_ = of(1, hidden_);
    product_ = of(most_, hidden_);
    u_ = of(most_, hidden_);
    logits_ = of(most_, vocab_);
    ids_ = Buffer(backend(), DType::i32, 1, most_);
    labels_ = Buffer(backend(), DType::i32, 1, most_);
    picked_ = of(most_, 1);
    from_labels_ = of(most_, hidden_);
    left_ = of(hidden_, most_);
    right_ = of(hidden_, most_);
    outer_ = of(hidden_, hidden_);
    head_transposed_ = transposed_head(*target_);
}

void MedusaGradient::upload(const MedusaWeights& head) {
    backend().upload(linear_.view(), head.matrix.data());
    backend().upload(bias_.view(), head.bias.data());
}

void MedusaGradient::forward(const Tensor& weight, const Tensor& bias, std::span<const float> states) {
    const auto rows = static_cast<std::int64_t>(states.size()) / hidden_;
    CHECK(rows >= 1 && rows <= most_, "more states than a batch may have");
    const Tensor x = states_.view().slice(0, rows), pre = product_.view().slice(0, rows), u = u_.view().slice(0, rows);
    backend().upload(x, states.data());
    const Projection first[] = {{weight, bias, pre}};
    backend().matmul(x, first);
    pre_.resize(states.size());
    backend().download(pre, pre_.data());
    backend().silu(pre);
    backend().copy(x, u);
    backend().add_norm(u, pre, {}, 0, {});
    const Projection out[] = {{target_->head(), {}, logits_.view().slice(0, rows)}};
    backend().matmul(u, out);
}

double MedusaGradient::loss(std::span<const MedusaWeights> heads, const MedusaBatch& batch, std::vector<MedusaWeights>& gradient) {
    CHECK(heads.size() == batch.labels.size(), "labels for every head");
    const auto h = static_cast<std::size_t>(hidden_), rows = batch.states.size() / h;
    const auto count = static_cast<std::int64_t>(rows);
    double total = 0, sum = 0, factor = 1;
    for (const std::vector<int>& labels : batch.labels) {
        total += factor * static_cast<double>(std::ranges::count_if(labels, [](int id) { return id >= 0; }));
        factor *= kMedusaDecay;
    }
    gradient.assign(heads.size(), {std::vector<float>(h * h, 0), std::vector<float>(h, 0)});
    if (total == 0) return 0;
    factor = 1;
    std::vector<int> index(rows), label(rows);
    std::vector<float> picked(rows), du(rows * h), truth(rows * h), left(h * rows), right(h * rows);
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < h; ++j) right[j * rows + i] = batch.states[i * h + j];
    const auto flat = [&](const Buffer& buffer) { // (h, rows) at the front of a larger buffer
        return Tensor{buffer.view().data, DType::f32, hidden_, count};
    };
    const Tensor labels_view = {labels_.view().data, DType::i32, 1, count}, ids_view = {ids_.view().data, DType::i32, 1, count};
    for (std::size_t k = 0; k < heads.size(); ++k, factor *= kMedusaDecay) {
        upload(heads[k]);
        forward(linear_.view(), bias_.view(), batch.states);
        const Tensor p = logits_.view().slice(0, count), u = u_.view().slice(0, count);
        backend().softmax(p, 1, p);
        for (std::size_t i = 0; i < rows; ++i) {
            label[i] = std::max(0, batch.labels[k][i]);
            index[i] = static_cast<int>(i) * vocab_ + label[i];
        }
        backend().upload(ids_view, index.data());
        backend().upload(labels_view, label.data());
        const Tensor column = {p.data, DType::f32, count * vocab_, 1}, chosen = picked_.view().slice(0, count);
        backend().gather_rows(column, ids_view, chosen);
        backend().download(chosen, picked.data());
        const Projection back[] = {{head_transposed_.view(), {}, u}}; // Σ_v p_v E_v
        backend().matmul(p, back);
        const Tensor of_labels = from_labels_.view().slice(0, count);
        backend().embed(target_->head(), labels_view, of_labels);
        backend().download(u, du.data());
        backend().download(of_labels, truth.data());
        for (std::size_t i = 0; i < rows; ++i) {
            const bool counts = batch.labels[k][i] >= 0;
            const auto share = static_cast<float>(counts ? factor / total : 0);
            if (counts) sum -= factor / total * std::log(std::max(1e-38, static_cast<double>(picked[i])));
            for (std::size_t j = 0; j < h; ++j) {
                const float x = pre_[i * h + j], s = sigmoid(x);
                const float d = share * (du[i * h + j] - truth[i * h + j]) * (s + x * s * (1 - s));
                left[j * rows + i] = d;
                gradient[k].bias[j] += d;
            }
        }
        backend().upload(flat(left_), left.data());
        backend().upload(flat(right_), right.data());
        for (int first = 0; first < hidden_; first += backend().max_rows()) {
            const int some = std::min(backend().max_rows(), hidden_ - first);
            const Projection outer[] = {{flat(right_), {}, outer_.view().slice(first, some)}};
            backend().matmul(flat(left_).slice(first, some), outer);
        }
        backend().download(outer_.view(), gradient[k].matrix.data());
    }
    return sum;
}

std::vector<int> MedusaGradient::predictions(const MedusaWeights& head, std::span<const float> states) {
    upload(head);
    return predictions(linear_.view(), bias_.view(), states);
}

std::vector<int> MedusaGradient::predictions(const Tensor& weight, const Tensor& bias, std::span<const float> states) {
    const auto h = static_cast<std::size_t>(hidden_), most = static_cast<std::size_t>(most_);
    std::vector<int> all;
    for (std::size_t first = 0; first * h < states.size(); first += most) {
        const std::size_t rows = std::min(most, states.size() / h - first);
        forward(weight, bias, states.subspan(first * h, rows * h));
        const auto count = static_cast<std::int64_t>(rows);
        const Tensor ids = {ids_.view().data, DType::i32, 1, count};
        backend().argmax(logits_.view().slice(0, count), ids);
        std::vector<int> some(rows);
        backend().download(ids, some.data());
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

} // namespace speclens
