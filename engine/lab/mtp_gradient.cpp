#include "engine/lab/mtp_gradient.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/drafters/draft_network.h"
#include "engine/lab/output_matrix.h"
#include "engine/model/model_parts.h"
#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens {
namespace {

using Values = std::vector<float>;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Values transposed(std::span<const float> x, std::size_t cols) {
    const std::size_t rows = x.size() / cols;
    Values out(x.size());
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = 0; j < cols; ++j) out[j * rows + i] = x[i * cols + j];
    return out;
}

void add(std::span<const float> from, std::span<float> to) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

// In eight sums, so that it can be done eight at a time; always in the same order.
float dot(const float* a, const float* b, std::size_t n) {
    std::array<float, 8> sums{};
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (std::size_t j = 0; j < 8; ++j) sums[j] += a[i + j] * b[i + j];
    for (; i < n; ++i) sums[i % 8] += a[i] * b[i];
    return std::accumulate(sums.begin(), sums.end(), 0.0F);
}

// y = x · weight / rms(x) for every `width` values; an empty weight leaves x as it is.
Values normed(const Values& x, const Values& weight, float eps) {
    if (weight.empty()) return x;
    Values y(x.size());
    const std::size_t width = weight.size();
    for (std::size_t first = 0; first < x.size(); first += width) {
        const float scale = 1 / std::sqrt(dot(&x[first], &x[first], width) / static_cast<float>(width) + eps);
        for (std::size_t j = 0; j < width; ++j) y[first + j] = x[first + j] * scale * weight[j];
    }
    return y;
}
// The slope at x; that of the weight is added.
Values normed_back(const Values& x, const Values& weight, float eps, const Values& dy, Values& weight_slope) {
    if (weight.empty()) return dy;
    Values dx(x.size());
    const std::size_t width = weight.size();
    for (std::size_t first = 0; first < x.size(); first += width) {
        const float* const row = &x[first];
        const float scale = 1 / std::sqrt(dot(row, row, width) / static_cast<float>(width) + eps);
        float along = 0;
        for (std::size_t j = 0; j < width; ++j) {
            weight_slope[j] += dy[first + j] * row[j] * scale;
            along += dy[first + j] * weight[j] * row[j];
        }
        const float share = along * scale * scale * scale / static_cast<float>(width);
        for (std::size_t j = 0; j < width; ++j) dx[first + j] = scale * weight[j] * dy[first + j] - share * row[j];
    }
    return dx;
}

float logistic(float x) { return 1 / (1 + std::exp(-x)); }

Values read_rows(Backend& backend, const Tensor& weight, const std::vector<int>& ids) {
    const auto rows = static_cast<std::int64_t>(ids.size());
    Values out(ids.size() * static_cast<std::size_t>(weight.cols));
    const std::int64_t most = std::min<std::int64_t>(rows, backend.max_rows());
    if (rows == 0) return out;
    const Buffer index(backend, DType::i32, 1, most), found(backend, DType::f32, most, weight.cols);
    for (std::int64_t first = 0; first < rows; first += most) {
        const std::int64_t some = std::min(most, rows - first);
        const Tensor which = {index.view().data, DType::i32, 1, some};
        backend.upload(which, ids.data() + first);
        backend.embed(weight, which, found.view().slice(0, some));
        backend.download(found.view().slice(0, some), out.data() + first * weight.cols);
    }
    return out;
}
Values read_matrix(Backend& backend, const Tensor& weight) {
    std::vector<int> all(static_cast<std::size_t>(weight.rows));
    std::iota(all.begin(), all.end(), 0);
    return read_rows(backend, weight, all);
}
Values read_vector(Backend& backend, const Tensor& tensor) {
    Values out(static_cast<std::size_t>(tensor.empty() ? 0 : tensor.size()));
    if (!tensor.empty()) backend.download(tensor, out.data());
    return out;
}

void read_layer(Backend& backend, const LayerWeights& layer, MtpWeights& to) {
    to.input_norm = read_vector(backend, layer.input_norm.view());
    to.q = read_matrix(backend, layer.wq.view());
    to.k = read_matrix(backend, layer.wk.view());
    to.v = read_matrix(backend, layer.wv.view());
    to.o = read_matrix(backend, layer.wo.view());
    to.q_norm = read_vector(backend, layer.q_norm.view());
    to.k_norm = read_vector(backend, layer.k_norm.view());
    to.post_norm = read_vector(backend, layer.post_norm.view());
    to.gate = read_matrix(backend, layer.gate.view());
    to.up = read_matrix(backend, layer.up.view());
    to.down = read_matrix(backend, layer.down.view());
}

} // namespace

std::array<MtpTensor, 15> mtp_tensors(const ModelConfig& c) {
    const std::int64_t h = c.hidden, f = c.ffn, d = c.head_dim, q = c.heads * d, kv = c.kv_heads * d;
    return {{{"input_proj", {h, 2 * h}},
             {"token_layernorm", {h}},
             {"hidden_layernorm", {h}},
             {"input_layernorm", {h}},
             {"self_attn.q_proj", {q, h}},
             {"self_attn.k_proj", {kv, h}},
             {"self_attn.v_proj", {kv, h}},
             {"self_attn.o_proj", {h, q}},
             {"self_attn.q_norm", {d}},
             {"self_attn.k_norm", {d}},
             {"post_attention_layernorm", {h}},
             {"mlp.gate_proj", {f, h}},
             {"mlp.up_proj", {f, h}},
             {"mlp.down_proj", {h, f}},
             {"final_layernorm", {h}}}};
}

ModelConfig mtp_shape(const ModelConfig& target) {
    ModelConfig shape = target;
    shape.layers = 1;
    shape.qkv_bias = false;
    shape.rope_scaling = ModelConfig::RopeScaling::none; // what config.json of such a head can say
    shape.rope_factor = shape.rope_attention = 1;
    return shape;
}

MtpWeights mtp_start(const Model& target) {
    const std::size_t h = at(target.config.hidden);
    MtpWeights weights;
    read_layer(*target.backend, target.layer.back(), weights);
    weights.join.assign(h * 2 * h, 0);
    for (std::size_t i = 0; i < h; ++i) weights.join[i * 2 * h + h + i] = 1;
    weights.token_norm.assign(h, 1);
    weights.hidden_norm.assign(h, 1);
    weights.norm = read_vector(*target.backend, target.final_norm.view());
    return weights;
}

MtpWeights mtp_weights(const DraftNetwork& head) {
    MtpWeights weights;
    read_layer(head.backend(), head.layer.front(), weights);
    weights.join = read_matrix(head.backend(), head.fc.view());
    weights.token_norm = read_vector(head.backend(), head.token_norm.view());
    weights.hidden_norm = read_vector(head.backend(), head.hidden_norm.view());
    weights.norm = read_vector(head.backend(), head.norm.view());
    return weights;
}

// One depth over all rows of all texts, with what its backward pass reads again.
struct MtpGradient::Depth {
    // Of a row: its text; its place t; the row of the depth below that it continues; whether its draft token counts.
    std::vector<int> text, place, below;
    std::vector<char> counts;
    std::vector<int> tokens;                     // that are read
    Values embedded, state, pair, joined, input; // (rows, h) … (rows, 2h) …
    Values q_raw, k_raw, q, k, v, mixed;         // before and after norm and rotation
    std::vector<std::size_t> weights_at;         // of a row's attention weights, all heads
    Values attention;
    Values after_attention, mlp_input, gate, up, gated, out, g;
    Values g_slope, k_slope, v_slope; // k_slope: after norm and rotation
    [[nodiscard]] std::size_t rows() const { return place.size(); }
};

struct MtpGradient::Pass {
    const MtpWeights& weights;
    std::span<const MtpText* const> texts;
    std::vector<Depth> depths;
    std::vector<int> first_row; // of each text at depth 0
    MtpWeights* slope = nullptr;
};

MtpGradient::MtpGradient(std::shared_ptr<const Model> target, ModelConfig shape)
    : target_(std::move(target)), shape_(std::move(shape)), head_transposed_(transposed_head(*target_)),
      angles_(read_vector(backend(), make_cos_sin(backend(), shape_).view())) {}

MtpGradient::~MtpGradient() = default;

Values MtpGradient::product(std::span<const float> a, std::span<const float> b, std::size_t k) {
    const auto m = static_cast<std::int64_t>(a.size() / k), n = static_cast<std::int64_t>(b.size() / k),
               inner = static_cast<std::int64_t>(k);
    Values out(static_cast<std::size_t>(m * n));
    if (out.empty()) return out;
    const std::int64_t most = std::min<std::int64_t>(m, backend().max_rows());
    const auto room = [&](Buffer& buffer, std::int64_t rows, std::int64_t cols) {
        if (buffer.empty() || buffer.view().size() < rows * cols) buffer = Buffer(backend(), DType::f32, 1, rows * cols);
        return Tensor{buffer.view().data, DType::f32, rows, cols};
    };
    const Tensor right = room(right_, n, inner);
    backend().upload(right, b.data());
    for (std::int64_t first = 0; first < m; first += most) {
        const std::int64_t some = std::min(most, m - first);
        const Tensor left = room(left_, some, inner), to = room(out_, some, n);
        backend().upload(left, a.data() + first * inner);
        const Projection parts[] = {{right, {}, to}};
        backend().matmul(left, parts);
        backend().download(to, out.data() + first * n);
    }
    return out;
}

// (rows, V)
Values MtpGradient::logits(std::span<const float> states) {
    const std::int64_t h = target_->config.hidden, v = target_->config.vocab, rows = static_cast<std::int64_t>(states.size()) / h;
    Values out(static_cast<std::size_t>(rows * v));
    const std::int64_t most = std::min<std::int64_t>(rows, backend().max_rows());
    if (rows == 0) return out;
    const Buffer left(backend(), DType::f32, most, h), to(backend(), DType::f32, most, v);
    for (std::int64_t first = 0; first < rows; first += most) {
        const std::int64_t some = std::min(most, rows - first);
        backend().upload(left.view().slice(0, some), states.data() + first * h);
        const Projection parts[] = {{target_->head(), {}, to.view().slice(0, some)}};
        backend().matmul(left.view().slice(0, some), parts);
        backend().download(to.view().slice(0, some), out.data() + first * v);
    }
    return out;
}

namespace {

// Turns every head of every row by the angles of its position; `back` turns it the other way.
void rotate(Values& x, std::size_t heads, std::size_t dim, const std::vector<int>& places, int shift, const Values& angles, bool back) {
    const std::size_t half = dim / 2;
    for (std::size_t row = 0; row < places.size(); ++row) {
        const float* const angle = &angles[at(places[row] + shift) * dim];
        for (std::size_t head = 0; head < heads; ++head) {
            float* const value = &x[(row * heads + head) * dim];
            for (std::size_t j = 0; j < half; ++j) {
                const float a = value[j], b = value[half + j], cosine = angle[j], sine = back ? -angle[half + j] : angle[half + j];
                value[j] = a * cosine - b * sine;
                value[half + j] = b * cosine + a * sine;
            }
        }
    }
}

// Pairs (rows, 2h) of two halves.
Values pairs_of(const Values& left, const Values& right, std::size_t h) {
    Values out(left.size() * 2);
    for (std::size_t row = 0; row * h < left.size(); ++row) {
        std::copy_n(&left[row * h], h, &out[row * 2 * h]);
        std::copy_n(&right[row * h], h, &out[row * 2 * h + h]);
    }
    return out;
}

} // namespace

void MtpGradient::forward(Pass& pass) {
    const ModelConfig& c = shape_;
    const MtpWeights& w = pass.weights;
    const std::size_t h = at(c.hidden), d = at(c.head_dim), heads = at(c.heads), kv = at(c.kv_heads), group = heads / kv;
    const float scale = 1 / std::sqrt(static_cast<float>(d));
    for (std::size_t i = 0; i < pass.depths.size(); ++i) {
        Depth& depth = pass.depths[i];
        const Depth* const below = i > 0 ? &pass.depths[i - 1] : nullptr;
        for (std::size_t row = 0; row < depth.rows(); ++row) {
            const MtpText& text = *pass.texts[at(depth.text[row])];
            depth.tokens.push_back(text.tokens[at(depth.place[row]) + 1 + i]);
            const float* const from = below ? &below->g[at(depth.below[row]) * h] : &text.states[at(depth.place[row]) * h];
            depth.state.insert(depth.state.end(), from, from + h);
        }
        depth.embedded = read_rows(backend(), target_->embedding.view(), depth.tokens);
        depth.pair = pairs_of(normed(depth.embedded, w.token_norm, c.rms_eps), normed(depth.state, w.hidden_norm, c.rms_eps), h);
        depth.joined = product(depth.pair, w.join, 2 * h);
        depth.input = normed(depth.joined, w.input_norm, c.rms_eps);
        depth.q_raw = product(depth.input, w.q, h);
        depth.k_raw = product(depth.input, w.k, h);
        depth.v = product(depth.input, w.v, h);
        depth.q = normed(depth.q_raw, w.q_norm, c.rms_eps);
        depth.k = normed(depth.k_raw, w.k_norm, c.rms_eps);
        rotate(depth.q, heads, d, depth.place, static_cast<int>(i), angles_, false);
        rotate(depth.k, kv, d, depth.place, static_cast<int>(i), angles_, false);

        depth.mixed.assign(depth.q.size(), 0);
        std::vector<const float*> keys, values;
        for (std::size_t row = 0; row < depth.rows(); ++row) {
            keys.clear(), values.clear();
            const auto see = [&](const Depth& of, std::size_t which) {
                keys.push_back(&of.k[which * kv * d]);
                values.push_back(&of.v[which * kv * d]);
            };
            const int first = pass.first_row[at(depth.text[row])];
            for (int place = 0; place <= depth.place[row]; ++place) see(pass.depths[0], at(first + place));
            std::size_t which = row; // its own chain, the newest row last
            for (std::size_t j = i; j > 0; which = at(pass.depths[j].below[which]), --j) see(pass.depths[j], which);
            depth.weights_at.push_back(depth.attention.size());
            for (std::size_t head = 0; head < heads; ++head) {
                const std::size_t part = head / group * d;
                const float* const q = &depth.q[(row * heads + head) * d];
                const std::size_t begin = depth.attention.size();
                float most = -INFINITY, sum = 0;
                for (const float* key : keys)
                    depth.attention.push_back(scale * dot(q, key + part, d)), most = std::max(most, depth.attention.back());
                for (std::size_t s = begin; s < depth.attention.size(); ++s)
                    sum += depth.attention[s] = std::exp(depth.attention[s] - most);
                float* const to = &depth.mixed[(row * heads + head) * d];
                for (std::size_t s = 0; s < keys.size(); ++s) {
                    const float share = depth.attention[begin + s] /= sum;
                    for (std::size_t j = 0; j < d; ++j) to[j] += share * values[s][part + j];
                }
            }
        }
        depth.after_attention = product(depth.mixed, w.o, heads * d);
        add(depth.joined, depth.after_attention);
        depth.mlp_input = normed(depth.after_attention, w.post_norm, c.rms_eps);
        depth.gate = product(depth.mlp_input, w.gate, h);
        depth.up = product(depth.mlp_input, w.up, h);
        depth.gated.resize(depth.gate.size());
        for (std::size_t j = 0; j < depth.gate.size(); ++j) depth.gated[j] = depth.gate[j] * logistic(depth.gate[j]) * depth.up[j];
        depth.out = product(depth.gated, w.down, at(c.ffn));
        add(depth.after_attention, depth.out);
        depth.g = normed(depth.out, w.norm, c.rms_eps);
    }
}

// Cross-entropy of every depth against the target's own distribution, and each depth's g_slope.
double MtpGradient::head_loss(Pass& pass) {
    const std::size_t h = at(target_->config.hidden), v = at(target_->config.vocab);
    double total = 0, factor = 1, loss = 0;
    for (std::size_t i = 0; i < pass.depths.size(); ++i, factor *= kMtpDecay) total += factor;
    factor = 1;
    // The target's rows that say what is to be learned, once for all depths: row t + 1 + i of a text for place t at depth i.
    Values truth_states;
    std::vector<std::ptrdiff_t> truth_at;
    for (const MtpText* text : pass.texts) {
        const auto count = text->tokens.size() - 1, from = at(text->first) + 1;
        truth_at.push_back(static_cast<std::ptrdiff_t>(truth_states.size() / h) - static_cast<std::ptrdiff_t>(from));
        if (from < count)
            truth_states.insert(truth_states.end(), text->states.begin() + static_cast<std::ptrdiff_t>(from * h), text->states.end());
    }
    Values truth = logits(truth_states);
    for (std::size_t row = 0; row * v < truth.size(); ++row) {
        float* const p = &truth[row * v];
        const float most = *std::max_element(p, p + v);
        double sum = 0;
        for (std::size_t j = 0; j < v; ++j) sum += p[j] = std::exp(p[j] - most);
        for (std::size_t j = 0; j < v; ++j) p[j] = static_cast<float>(p[j] / sum);
    }
    for (std::size_t i = 0; i < pass.depths.size(); ++i, factor *= kMtpDecay) {
        Depth& depth = pass.depths[i];
        depth.g_slope.assign(depth.g.size(), 0);
        std::vector<std::size_t> counted;
        Values states;
        for (std::size_t row = 0; row < depth.rows(); ++row)
            if (depth.counts[row]) {
                counted.push_back(row);
                states.insert(states.end(), &depth.g[row * h], &depth.g[row * h] + h);
            }
        if (counted.empty()) continue;
        Values q = logits(states);
        const double share = factor / total / static_cast<double>(counted.size());
        for (std::size_t n = 0; n < counted.size(); ++n) {
            const std::size_t row = counted[n];
            const float* const p =
                &truth[static_cast<std::size_t>(truth_at[at(depth.text[row])] + depth.place[row] + 1 + static_cast<int>(i)) * v];
            float* const logit = &q[n * v];
            const float most = *std::max_element(logit, logit + v);
            double sum = 0, expected = 0;
            for (std::size_t j = 0; j < v; ++j) {
                expected += static_cast<double>(p[j]) * logit[j];
                sum += logit[j] = std::exp(logit[j] - most);
            }
            loss += share * (std::log(sum) + most - expected);
            for (std::size_t j = 0; j < v; ++j) logit[j] = static_cast<float>(share * (logit[j] / sum - p[j]));
        }
        const Values back = through_head(*target_, head_transposed_, q); // Σ_v (q_v − p_v) E_v
        for (std::size_t n = 0; n < counted.size(); ++n) std::copy_n(&back[n * h], h, &depth.g_slope[counted[n] * h]);
    }
    return loss;
}

void MtpGradient::backward(Pass& pass) {
    const ModelConfig& c = shape_;
    const MtpWeights& w = pass.weights;
    MtpWeights& slope = *pass.slope;
    const std::size_t h = at(c.hidden), f = at(c.ffn), d = at(c.head_dim), heads = at(c.heads), kv = at(c.kv_heads), group = heads / kv;
    const float scale = 1 / std::sqrt(static_cast<float>(d));
    // of y = x · matrixᵀ: the slope at x; that of the matrix is added
    const auto product_back = [&](const Values& x, std::size_t cols, const Values& matrix, const Values& dy, Values& matrix_slope) {
        const std::size_t out = matrix.size() / cols;
        add(product(transposed(dy, out), transposed(x, cols), dy.size() / out), matrix_slope);
        return product(dy, transposed(matrix, cols), out);
    };
    for (Depth& depth : pass.depths) {
        depth.k_slope.assign(depth.k.size(), 0);
        depth.v_slope.assign(depth.v.size(), 0);
    }
    for (std::size_t i = pass.depths.size(); i-- > 0;) {
        Depth& depth = pass.depths[i];
        if (depth.rows() == 0) continue;
        const Values out_slope = normed_back(depth.out, w.norm, c.rms_eps, depth.g_slope, slope.norm);
        // feed-forward
        const Values gated_slope = product_back(depth.gated, f, w.down, out_slope, slope.down);
        Values gate_slope(gated_slope.size()), up_slope(gated_slope.size());
        for (std::size_t j = 0; j < gated_slope.size(); ++j) {
            const float x = depth.gate[j], s = logistic(x);
            gate_slope[j] = gated_slope[j] * depth.up[j] * (s + x * s * (1 - s));
            up_slope[j] = gated_slope[j] * x * s;
        }
        Values mlp_slope = product_back(depth.mlp_input, h, w.gate, gate_slope, slope.gate);
        add(product_back(depth.mlp_input, h, w.up, up_slope, slope.up), mlp_slope);
        Values stream = normed_back(depth.after_attention, w.post_norm, c.rms_eps, mlp_slope, slope.post_norm);
        add(out_slope, stream);
        // attention
        const Values mixed_slope = product_back(depth.mixed, heads * d, w.o, stream, slope.o);
        Values q_slope(depth.q.size(), 0);
        std::vector<std::size_t> seen_depth, seen_row;
        Values share_slope;
        for (std::size_t row = 0; row < depth.rows(); ++row) {
            seen_depth.clear(), seen_row.clear();
            const int first = pass.first_row[at(depth.text[row])];
            for (int place = 0; place <= depth.place[row]; ++place) seen_depth.push_back(0), seen_row.push_back(at(first + place));
            std::size_t which = row;
            for (std::size_t j = i; j > 0; which = at(pass.depths[j].below[which]), --j) seen_depth.push_back(j), seen_row.push_back(which);
            for (std::size_t head = 0; head < heads; ++head) {
                const std::size_t part = head / group * d, own = (row * heads + head) * d;
                const float* const share = &depth.attention[depth.weights_at[row] + head * seen_row.size()];
                share_slope.resize(seen_row.size());
                float mean = 0;
                for (std::size_t s = 0; s < seen_row.size(); ++s) {
                    Depth& from = pass.depths[seen_depth[s]];
                    const std::size_t key = seen_row[s] * kv * d + part;
                    share_slope[s] = dot(&mixed_slope[own], &from.v[key], d);
                    mean += share_slope[s] * share[s];
                    for (std::size_t j = 0; j < d; ++j) from.v_slope[key + j] += share[s] * mixed_slope[own + j];
                }
                for (std::size_t s = 0; s < seen_row.size(); ++s) {
                    Depth& from = pass.depths[seen_depth[s]];
                    const std::size_t key = seen_row[s] * kv * d + part;
                    const float score = scale * share[s] * (share_slope[s] - mean);
                    for (std::size_t j = 0; j < d; ++j) {
                        q_slope[own + j] += score * from.k[key + j];
                        from.k_slope[key + j] += score * depth.q[own + j];
                    }
                }
            }
        }
        // All that looks at this depth's keys is at it or above, so their slopes are whole now.
        rotate(q_slope, heads, d, depth.place, static_cast<int>(i), angles_, true);
        rotate(depth.k_slope, kv, d, depth.place, static_cast<int>(i), angles_, true);
        Values input_slope =
            product_back(depth.input, h, w.q, normed_back(depth.q_raw, w.q_norm, c.rms_eps, q_slope, slope.q_norm), slope.q);
        add(product_back(depth.input, h, w.k, normed_back(depth.k_raw, w.k_norm, c.rms_eps, depth.k_slope, slope.k_norm), slope.k),
            input_slope);
        add(product_back(depth.input, h, w.v, depth.v_slope, slope.v), input_slope);
        add(normed_back(depth.joined, w.input_norm, c.rms_eps, input_slope, slope.input_norm), stream);
        // the pair
        const Values pair_slope = product_back(depth.pair, 2 * h, w.join, stream, slope.join);
        Values token_half(depth.rows() * h), state_half(depth.rows() * h);
        for (std::size_t row = 0; row < depth.rows(); ++row) {
            std::copy_n(&pair_slope[row * 2 * h], h, &token_half[row * h]);
            std::copy_n(&pair_slope[row * 2 * h + h], h, &state_half[row * h]);
        }
        (void)normed_back(depth.embedded, w.token_norm, c.rms_eps, token_half, slope.token_norm);
        const Values state_slope = normed_back(depth.state, w.hidden_norm, c.rms_eps, state_half, slope.hidden_norm);
        if (i == 0) continue;
        Depth& below = pass.depths[i - 1];
        for (std::size_t row = 0; row < depth.rows(); ++row)
            for (std::size_t j = 0; j < h; ++j) below.g_slope[at(depth.below[row]) * h + j] += state_slope[row * h + j];
    }
}

// Which rows there are: at depth 0 all of a text whose draft token the text can judge, since they are seen; behind it those that count.
MtpGradient::Pass MtpGradient::plan(const MtpWeights& weights, std::span<const MtpText* const> texts, int depths) {
    CHECK(depths >= 1 && depths <= 8, "so many depths");
    Pass pass{weights, texts, std::vector<Depth>(at(depths)), {}, nullptr};
    std::vector<int> below(texts.size()), here(texts.size()); // the row that place 0 of a text would be
    for (int i = 0; i < depths; ++i) {
        Depth& depth = pass.depths[at(i)];
        for (std::size_t n = 0; n < texts.size(); ++n) {
            const MtpText& text = *texts[n];
            const int first = i == 0 ? 0 : text.first;
            here[n] = static_cast<int>(depth.rows()) - first;
            for (int place = first; place < static_cast<int>(text.tokens.size()) - 2 - i; ++place) {
                depth.text.push_back(static_cast<int>(n));
                depth.place.push_back(place);
                depth.below.push_back(below[n] + place);
                depth.counts.push_back(place >= text.first);
            }
        }
        if (i == 0) pass.first_row = here;
        below = here;
    }
    return pass;
}

double MtpGradient::loss(const MtpWeights& weights, std::span<const MtpText* const> texts, int depths, MtpWeights& gradient) {
    Pass pass = plan(weights, texts, depths);
    pass.slope = &gradient;
    const auto from = weights.all();
    const auto to = gradient.all();
    for (std::size_t i = 0; i < from.size(); ++i) to[i]->assign(from[i]->size(), 0);
    forward(pass);
    const double loss = head_loss(pass);
    backward(pass);
    return loss;
}

std::vector<std::vector<int>> MtpGradient::predictions(const MtpWeights& weights, const MtpText& text, int depths) {
    const MtpText* const one[] = {&text};
    Pass pass = plan(weights, one, depths);
    forward(pass);
    const std::size_t h = at(target_->config.hidden), v = at(target_->config.vocab);
    std::vector<std::vector<int>> out;
    for (const Depth& depth : pass.depths) {
        const auto skipped = static_cast<std::size_t>(std::ranges::count(depth.counts, 0));
        const Values rows = logits(std::span(depth.g).subspan(skipped * h));
        out.emplace_back();
        for (std::size_t row = 0; row < rows.size(); row += v) {
            const auto first = rows.begin() + static_cast<std::ptrdiff_t>(row);
            out.back().push_back(static_cast<int>(std::max_element(first, first + static_cast<std::ptrdiff_t>(v)) - first));
        }
    }
    return out;
}

} // namespace speclens
