#include "engine/model/layer_stack.h"

#include <algorithm>

#include "engine/base/lists.h"
#include "engine/model/model_memory.h"
#include "kernels/error.h"

namespace speclens {
namespace {

HeadShape heads_of(const ModelConfig& c) { return {c.heads, c.kv_heads, c.head_dim}; }

// Of the products with these layers, which decides what their cache holds.
Precision precision_of(std::span<const LayerWeights> layers) {
    return layers.empty() ? Precision::f32 : layers.front().wq.view().precision;
}

} // namespace

LayerStack::LayerStack(Backend& backend, const ModelConfig& config, std::span<const LayerWeights> layers, const Tensor& cos_sin,
                       int capacity, int max_rows)
    : backend_(backend), config_(config), layers_(layers), cos_sin_(cos_sin), capacity_(capacity),
      cache_dtype_(backend.cache_dtype(precision_of(layers))), cache_(layers.size()) {
    // engine/model/model_memory.cpp foretells the sizes of these
    const auto rows = [&](int cols) { return Buffer(backend_, DType::f32, max_rows, cols); };
    positions_ = Buffer(backend_, DType::i32, 1, max_rows);
    residual_ = rows(config.hidden);
    normed_ = rows(config.hidden);
    delta_ = rows(config.hidden);
    q_ = rows(config.heads * config.head_dim);
    attended_ = rows(config.heads * config.head_dim);
    k_ = rows(config.kv_heads * config.head_dim);
    v_ = rows(config.kv_heads * config.head_dim);
    ffn_ = rows(config.ffn);
}

// Grows by doubling, layer by layer, so that the old and the new cache exist twice for one layer only.
void LayerStack::reserve(int slots, int used) {
    CHECK(slots <= capacity_, "more slots than the cache may have");
    if (slots <= slots_) return;
    const int grown = std::min(capacity_, std::max({slots, 2 * slots_, kFirstSlots}));
    const int cols = config_.kv_heads * config_.head_dim;
    for (LayerCache& layer : cache_) {
        LayerCache larger{Buffer(backend_, cache_dtype_, grown, cols), Buffer(backend_, cache_dtype_, grown, cols)};
        if (used > 0) {
            backend_.copy(layer.k.view().slice(0, used), larger.k.view().slice(0, used));
            backend_.copy(layer.v.view().slice(0, used), larger.v.view().slice(0, used));
            backend_.sync(); // the old buffers are released next
        }
        if (poisoned_) fill_with_nan(larger, used, grown - used);
        layer = std::move(larger);
    }
    slots_ = grown;
}

void LayerStack::move_slots(std::span<const int> from, std::span<const int> to) {
    for (const LayerCache& layer : cache_) backend_.move_slots(layer.view(), from, to);
}

void LayerStack::poison(int first) {
    poisoned_ = true;
    if (first >= slots_) return;
    for (const LayerCache& layer : cache_) fill_with_nan(layer, first, slots_ - first);
}

void LayerStack::poison(int first, int count) {
    for (const LayerCache& layer : cache_) fill_with_nan(layer, first, count);
}

void LayerStack::fill_with_nan(const LayerCache& cache, int first, int count) {
    // all bits set is a NaN in f32, f16 and bf16
    const std::vector<std::uint8_t> nan(cache.k.view().slice(first, count).bytes(), 0xFF);
    backend_.upload(cache.k.view().slice(first, count), nan.data());
    backend_.upload(cache.v.view().slice(first, count), nan.data());
}

std::size_t LayerStack::cache_bytes() const {
    return sum_over<std::size_t>(cache_, [](const LayerCache& layer) { return layer.k.bytes() + layer.v.bytes(); });
}

LayerStack::Pass LayerStack::begin(std::span<const int> positions, const AttentionMask& mask) {
    Pass pass;
    pass.rows = static_cast<int>(positions.size());
    CHECK(pass.rows >= 1 && pass.rows <= residual_.view().rows, "a pass with more rows than there is room for");
    pass.positions = {positions_.view().data, DType::i32, 1, pass.rows};
    backend_.upload(pass.positions, positions.data());
    pass.mask = mask;
    pass.residual = residual_.view().slice(0, pass.rows);
    pass.normed = normed_.view().slice(0, pass.rows);
    pass.delta = delta_.view().slice(0, pass.rows);
    return pass;
}

void LayerStack::run(int layer, Pass& pass) {
    run_attention(layer, pass);
    run_mlp(layer, pass);
}

void LayerStack::run_attention(int layer, Pass& pass) {
    add_norm(pass, layers_[static_cast<std::size_t>(layer)].input_norm.view(), pass.normed);
    attend(layer, pass.normed, pass);
}

void LayerStack::attend(int layer, const Tensor& input, Pass& pass) {
    const LayerWeights& w = layers_[static_cast<std::size_t>(layer)];
    const KvLayer cache = cache_[static_cast<std::size_t>(layer)].view();
    const auto scratch = [&](const Buffer& buffer) { return buffer.view().slice(0, pass.rows); };
    const Tensor q = scratch(q_), k = scratch(k_), v = scratch(v_), attended = scratch(attended_);
    CHECK(pass.pending.empty(), "a sub-layer's output was not added");

    const Projection qkv[] = {{w.wq.view(), w.bq.view(), q}, {w.wk.view(), w.bk.view(), k}, {w.wv.view(), w.bv.view(), v}};
    backend_.matmul(input, qkv);
    rope_store(layer, q, k, v, pass);
    if (!pass.texts.texts.empty())
        backend_.attention_paged(heads_of(config_), q, cache, pass.texts, attended);
    else if (pass.ranges.empty())
        backend_.attention(heads_of(config_), q, cache, pass.mask, attended);
    else
        attend_ranges(cache, q, attended, pass);
    const Projection out[] = {{w.wo.view(), {}, pass.delta}};
    backend_.matmul(attended, out);
    pass.pending = pass.delta;
}

void LayerStack::rope_store(int layer, const Tensor& q, const Tensor& k, const Tensor& v, const Pass& pass) {
    const LayerWeights& w = layers_[static_cast<std::size_t>(layer)];
    const KvLayer cache = cache_[static_cast<std::size_t>(layer)].view();
    const Tensor q_norm = q.empty() ? Tensor{} : w.q_norm.view();
    if (pass.texts.texts.empty())
        backend_.rope_store(heads_of(config_), q, k, v, q_norm, w.k_norm.view(), config_.rms_eps, cos_sin_, pass.positions, cache,
                            pass.mask.first_slot);
    else
        backend_.rope_store_paged(heads_of(config_), q, k, v, q_norm, w.k_norm.view(), config_.rms_eps, cos_sin_, pass.positions, cache,
                                  pass.texts);
}

// One row at a time, over the part of the cache that it sees: its last slot counts as the row's own.
void LayerStack::attend_ranges(const KvLayer& cache, const Tensor& q, const Tensor& attended, const Pass& pass) {
    for (int row = 0; row < pass.rows; ++row) {
        const auto [first, end] = pass.ranges[static_cast<std::size_t>(row)];
        CHECK(first >= 0 && first < end && end <= cache.k.rows, "a row must see at least one slot");
        const KvLayer part = {cache.k.slice(first, end - first), cache.v.slice(first, end - first)};
        const AttentionMask mask = {.prefix = end - first - 1, .first_slot = end - first - 1, .ancestors = {}};
        backend_.attention(heads_of(config_), q.slice(row, 1), part, mask, attended.slice(row, 1));
    }
}

void LayerStack::store_context(int layer, const Tensor& context, const Tensor& positions, int first_slot) {
    const LayerWeights& w = layers_[static_cast<std::size_t>(layer)];
    const Tensor k = k_.view().slice(0, context.rows), v = v_.view().slice(0, context.rows);
    const Projection kv[] = {{w.wk.view(), w.bk.view(), k}, {w.wv.view(), w.bv.view(), v}};
    backend_.matmul(context, kv);
    backend_.rope_store(heads_of(config_), {}, k, v, {}, w.k_norm.view(), config_.rms_eps, cos_sin_, positions,
                        cache_[static_cast<std::size_t>(layer)].view(), first_slot);
}

void LayerStack::store(int layer, Pass& pass) {
    const LayerWeights& w = layers_[static_cast<std::size_t>(layer)];
    add_norm(pass, w.input_norm.view(), pass.normed);
    const Tensor k = k_.view().slice(0, pass.rows), v = v_.view().slice(0, pass.rows);
    const Projection kv[] = {{w.wk.view(), w.bk.view(), k}, {w.wv.view(), w.bv.view(), v}};
    backend_.matmul(pass.normed, kv);
    rope_store(layer, {}, k, v, pass);
}

void LayerStack::run_mlp(int layer, Pass& pass) {
    add_norm(pass, layers_[static_cast<std::size_t>(layer)].post_norm.view(), pass.normed);
    feed_forward(layer, pass.normed, pass);
}

void LayerStack::feed_forward(int layer, const Tensor& input, Pass& pass) {
    const LayerWeights& w = layers_[static_cast<std::size_t>(layer)];
    const Tensor ffn = ffn_.view().slice(0, pass.rows);
    CHECK(pass.pending.empty(), "a sub-layer's output was not added");
    backend_.matmul_swiglu(input, w.gate.view(), w.up.view(), ffn);
    const Projection down[] = {{w.down.view(), {}, pass.delta}};
    backend_.matmul(ffn, down);
    pass.pending = pass.delta;
}

void LayerStack::add_norm(Pass& pass, const Tensor& weight, const Tensor& out) {
    backend_.add_norm(pass.residual, pass.pending, weight, config_.rms_eps, out);
    pass.pending = {};
}

} // namespace speclens
