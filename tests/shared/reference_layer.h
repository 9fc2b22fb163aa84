// A decoder layer in double precision, written as plain loops: what drafters made of layers are compared with
// where no public implementation can be run. Operation order as in engine/model/layer_stack.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "engine/model/model.h"
#include "kernels/backend.h"

namespace speclens::test {

using Vec = std::vector<double>;

struct Matrix {
    std::size_t rows = 0, cols = 0;
    Vec values;
    [[nodiscard]] Vec operator*(const Vec& x) const {
        Vec y(rows, 0.0);
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t c = 0; c < cols; ++c) y[r] += values[r * cols + c] * x[c];
        return y;
    }
    [[nodiscard]] Vec row(int r) const {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(cols) * r;
        return {first, first + static_cast<std::ptrdiff_t>(cols)};
    }
};

// Of a weight, in whatever order the backend keeps it; empty for an empty tensor.
inline Matrix read_matrix(Backend& backend, const Tensor& weight) {
    Matrix matrix{static_cast<std::size_t>(weight.rows), static_cast<std::size_t>(weight.cols), {}};
    if (weight.empty()) return matrix;
    std::vector<int> all(matrix.rows);
    std::iota(all.begin(), all.end(), 0);
    Buffer ids(backend, DType::i32, 1, weight.rows), rows(backend, DType::f32, weight.rows, weight.cols);
    backend.upload(ids.view(), all.data());
    backend.embed(weight, ids.view(), rows.view());
    std::vector<float> values(static_cast<std::size_t>(weight.size()));
    backend.download(rows.view(), values.data());
    matrix.values.assign(values.begin(), values.end());
    return matrix;
}

inline Vec read_vector(Backend& backend, const Tensor& tensor) {
    std::vector<float> values(static_cast<std::size_t>(tensor.size()));
    if (!tensor.empty()) backend.download(tensor, values.data());
    return {values.begin(), values.end()};
}

inline Vec rms(const Vec& x, const Vec& weight, double eps) {
    double sum = 0;
    for (const double value : x) sum += value * value;
    const double scale = 1 / std::sqrt(sum / static_cast<double>(x.size()) + eps);
    Vec y(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] * scale * weight[i];
    return y;
}

inline Vec joined(const Vec& a, const Vec& b) {
    Vec both = a;
    both.insert(both.end(), b.begin(), b.end());
    return both;
}

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

inline Vec log_softmax(Vec x) {
    const double largest = *std::ranges::max_element(x);
    double sum = 0;
    for (const double value : x) sum += std::exp(value - largest);
    for (double& value : x) value -= largest + std::log(sum);
    return x;
}

class ReferenceLayer {
  public:
    struct Key {
        Vec k, v; // (K * d)
    };

    ReferenceLayer(Backend& backend, const ModelConfig& config, const LayerWeights& w)
        : c_(config), wq_(read_matrix(backend, w.wq.view())), wk_(read_matrix(backend, w.wk.view())),
          wv_(read_matrix(backend, w.wv.view())), wo_(read_matrix(backend, w.wo.view())), gate_(read_matrix(backend, w.gate.view())),
          up_(read_matrix(backend, w.up.view())), down_(read_matrix(backend, w.down.view())),
          input_norm_(read_vector(backend, w.input_norm.view())), post_norm_(read_vector(backend, w.post_norm.view())),
          q_norm_(read_vector(backend, w.q_norm.view())), k_norm_(read_vector(backend, w.k_norm.view())) {}

    [[nodiscard]] Vec normed(const Vec& x) const { return rms(x, input_norm_, c_.rms_eps); }
    [[nodiscard]] Key key(const Vec& input, int position) const { return {turned(wk_ * input, k_norm_, position), wv_ * input}; }
    // The residual after attention of `input` over `seen` and after the MLP.
    [[nodiscard]] Vec run(Vec residual, const Vec& input, int position, const std::vector<Key>& seen) const {
        const Vec q = turned(wq_ * input, q_norm_, position);
        const auto d = static_cast<std::size_t>(c_.head_dim);
        Vec attended(q.size(), 0.0);
        for (std::size_t head = 0; head < static_cast<std::size_t>(c_.heads); ++head) {
            const std::size_t kv = head / static_cast<std::size_t>(c_.heads / c_.kv_heads);
            Vec scores;
            for (const Key& key : seen) {
                double dot = 0;
                for (std::size_t i = 0; i < d; ++i) dot += q[head * d + i] * key.k[kv * d + i];
                scores.push_back(dot / std::sqrt(static_cast<double>(d)));
            }
            scores = log_softmax(scores);
            for (std::size_t s = 0; s < seen.size(); ++s)
                for (std::size_t i = 0; i < d; ++i) attended[head * d + i] += std::exp(scores[s]) * seen[s].v[kv * d + i];
        }
        add(residual, wo_ * attended);
        const Vec b = rms(residual, post_norm_, c_.rms_eps);
        Vec f = gate_ * b;
        const Vec up = up_ * b;
        for (std::size_t i = 0; i < f.size(); ++i) f[i] *= sigmoid(f[i]) * up[i];
        add(residual, down_ * f);
        return residual;
    }

  private:
    static void add(Vec& to, const Vec& from) {
        for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
    }
    // Heads normed (where there is a norm) and turned to their position, halves as pairs.
    [[nodiscard]] Vec turned(Vec x, const Vec& norm, int position) const {
        const auto d = static_cast<std::size_t>(c_.head_dim);
        for (std::size_t head = 0; head < x.size() / d; ++head) {
            Vec part(x.begin() + static_cast<std::ptrdiff_t>(head * d), x.begin() + static_cast<std::ptrdiff_t>((head + 1) * d));
            if (!norm.empty()) part = rms(part, norm, c_.rms_eps);
            for (std::size_t j = 0; j < d / 2; ++j) {
                const double angle = position * std::pow(c_.rope_theta, -2.0 * static_cast<double>(j) / static_cast<double>(d));
                x[head * d + j] = part[j] * std::cos(angle) - part[j + d / 2] * std::sin(angle);
                x[head * d + j + d / 2] = part[j + d / 2] * std::cos(angle) + part[j] * std::sin(angle);
            }
        }
        return x;
    }

    ModelConfig c_;
    Matrix wq_, wk_, wv_, wo_, gate_, up_, down_;
    Vec input_norm_, post_norm_, q_norm_, k_norm_;
};

} // namespace speclens::test
