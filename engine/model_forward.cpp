// The forward pass of Qwen3 and Qwen2.5, written once against Backend. Operation order follows transformers
// modeling_qwen3: norm, attention, add, norm, MLP, add. Activations and the residual stream are f32.
// An add and the following norm are one operation, so a sub-layer leaves its output in `pending`.
#include <algorithm>

#include "engine/model_decoder.h"
#include "kernels/error.h"

namespace speclens {
namespace {

bool contains(std::span<const int> list, int value) {
    return std::ranges::find(list, value) != list.end();
}

// Row 0 … rows-1 of a scratch buffer.
Tensor top(const Buffer& buffer, int rows) {
    return buffer.view().slice(0, rows);
}
Tensor row_vector(const Buffer& buffer, int cols) {
    return {buffer.view().data, buffer.view().dtype, 1, cols};
}

int layers_run(const LayerPlan& plan, int layers) {
    return plan.exit_layer < 0 ? layers : plan.exit_layer;
}

bool is_chain(std::span<const int> parents) {
    for (std::size_t i = 0; i < parents.size(); ++i)
        if (parents[i] != static_cast<int>(i) - 1) return false;
    return true;
}

} // namespace

PassRows& ModelDecoder::forward(const PassInput& input) {
    check_input(input);
    Pass pass = begin_pass(input);
    run_layers(input, pass);
    run_head(input, pass);
    length_ += pass.rows;
    return rows_;
}

void ModelDecoder::check_input(const PassInput& input) const {
    const int rows = static_cast<int>(input.tokens.size());
    CHECK(rows >= 1 && rows <= max_rows_, "a pass must have 1 … max_rows() tokens");
    CHECK(length_ + rows <= capacity_, "the pass does not fit into the cache");
    CHECK(input.logits_from >= 0 && input.logits_from <= rows, "logits_from is outside the pass");
    for (const int token : input.tokens)
        CHECK(token >= 0 && token < vocab(), "token id outside the vocabulary");
    CHECK(input.parents.empty() || static_cast<int>(input.parents.size()) == rows, "one parent per row");
    for (int i = 0; i < static_cast<int>(input.parents.size()); ++i)
        CHECK(input.parents[i] >= -1 && input.parents[i] < i, "a parent must be an earlier row or -1");
    CHECK(input.positions.empty() || static_cast<int>(input.positions.size()) == rows,
          "one position per row");
    for (const int position : input.positions)
        CHECK(position >= 0 && position < model_->cos_sin.view().rows, "position outside the rotary table");
    CHECK(input.plan.exit_layer <= layers(), "exit layer behind the last layer");
    const int last = layers_run(input.plan, layers()) - 1;
    for (const int tap : input.taps) CHECK(tap >= 0 && tap <= last, "tap on a layer that does not run");
}

ModelDecoder::Pass ModelDecoder::begin_pass(const PassInput& input) {
    const int rows = static_cast<int>(input.tokens.size());
    reserve_slots(length_ + rows);
    Pass pass;
    pass.rows = rows;
    pass.ids = row_vector(ids_, rows);
    pass.positions = row_vector(positions_, rows);
    pass.residual = top(residual_, rows);
    pass.normed = top(normed_, rows);
    pass.delta = top(delta_, rows);

    backend().upload(pass.ids, input.tokens.data());
    if (!input.positions.empty()) {
        backend().upload(pass.positions, input.positions.data());
    } else {
        std::vector<int> positions = depths(input);
        for (int& position : positions) position += length_;
        backend().upload(pass.positions, positions.data());
    }
    pass.mask = {.prefix = length_, .first_slot = length_, .ancestors = {}};
    if (!is_chain(input.parents)) upload_ancestors(input, pass);
    return pass;
}

// Distance of each row from the committed text: 0 for the children of the cache.
std::vector<int> ModelDecoder::depths(const PassInput& input) const {
    std::vector<int> depth(input.tokens.size());
    for (std::size_t i = 0; i < depth.size(); ++i) {
        const int parent = input.parents.empty() ? static_cast<int>(i) - 1 : input.parents[i];
        depth[i] = parent < 0 ? 0 : depth[static_cast<std::size_t>(parent)] + 1;
    }
    return depth;
}

void ModelDecoder::upload_ancestors(const PassInput& input, Pass& pass) {
    const auto rows = static_cast<std::size_t>(pass.rows), words = (rows + 63) / 64;
    std::vector<std::uint64_t> bits(rows * words);
    for (std::size_t i = 0; i < rows; ++i) {
        if (const int parent = input.parents[i]; parent >= 0)
            std::copy_n(bits.begin() + static_cast<std::ptrdiff_t>(words) * parent, words,
                        bits.begin() + static_cast<std::ptrdiff_t>(words * i));
        bits[i * words + i / 64] |= std::uint64_t{1} << (i % 64);
    }
    pass.mask.ancestors = {ancestors_.view().data, DType::i64, pass.rows, static_cast<std::int64_t>(words)};
    backend().upload(pass.mask.ancestors, bits.data());
}

void ModelDecoder::run_layers(const PassInput& input, Pass& pass) {
    const auto taps = static_cast<std::int64_t>(input.taps.size());
    features_ = {};
    if (taps_.view().rows < taps * pass.rows)
        taps_ = Buffer(backend(), DType::f32, taps * max_rows_, residual_.view().cols);

    backend().embed(model_->embedding.view(), pass.ids, pass.residual);
    const int run = layers_run(input.plan, layers());
    for (int layer = 0; layer < run; ++layer) {
        if (!contains(input.plan.skip_attention, layer)) run_attention(layer, pass);
        if (!contains(input.plan.skip_mlp, layer)) run_mlp(layer, pass);
        keep_tap(layer, input, pass);
    }
    if (taps > 0) gather_taps(static_cast<int>(taps), pass.rows);
}

void ModelDecoder::run_attention(int layer, Pass& pass) {
    const ModelConfig& c = model_->config;
    const LayerWeights& w = model_->layer[static_cast<std::size_t>(layer)];
    const HeadShape heads{c.heads, c.kv_heads, c.head_dim};
    const KvLayer cache = cache_[static_cast<std::size_t>(layer)].view();
    const Tensor q = top(q_, pass.rows), k = top(k_, pass.rows), v = top(v_, pass.rows);
    const Tensor attended = top(attended_, pass.rows);

    add_norm(pass, w.input_norm.view(), pass.normed);
    const Projection qkv[] = {
        {w.wq.view(), w.bq.view(), q}, {w.wk.view(), w.bk.view(), k}, {w.wv.view(), w.bv.view(), v}};
    backend().matmul(pass.normed, qkv);
    backend().rope_store(heads, q, k, v, w.q_norm.view(), w.k_norm.view(), c.rms_eps, model_->cos_sin.view(),
                         pass.positions, cache, pass.mask.first_slot);
    backend().attention(heads, q, cache, pass.mask, attended);
    const Projection out[] = {{w.wo.view(), {}, pass.delta}};
    backend().matmul(attended, out);
    pass.pending = pass.delta;
}

void ModelDecoder::run_mlp(int layer, Pass& pass) {
    const LayerWeights& w = model_->layer[static_cast<std::size_t>(layer)];
    const Tensor ffn = top(ffn_, pass.rows);
    add_norm(pass, w.post_norm.view(), pass.normed);
    backend().matmul_swiglu(pass.normed, w.gate.view(), w.up.view(), ffn);
    const Projection down[] = {{w.down.view(), {}, pass.delta}};
    backend().matmul(ffn, down);
    pass.pending = pass.delta;
}

void ModelDecoder::add_norm(Pass& pass, const Tensor& weight, const Tensor& out) {
    backend().add_norm(pass.residual, pass.pending, weight, model_->config.rms_eps, out);
    pass.pending = {};
}

// A tap is the raw residual after the layer (formats §1.5), also for the last layer.
void ModelDecoder::keep_tap(int layer, const PassInput& input, Pass& pass) {
    if (!contains(input.taps, layer)) return;
    if (!pass.pending.empty()) add_norm(pass, {}, {});
    for (std::size_t t = 0; t < input.taps.size(); ++t)
        if (input.taps[t] == layer)
            backend().copy(pass.residual,
                           taps_.view().slice(static_cast<std::int64_t>(t) * pass.rows, pass.rows));
}

// From one block of rows per tap to one row with all taps side by side, which is what drafters multiply.
void ModelDecoder::gather_taps(int taps, int rows) {
    const std::int64_t cells = std::int64_t{taps} * rows;
    if (tapped_.view().rows < cells) {
        tapped_ = Buffer(backend(), DType::f32, std::int64_t{taps} * max_rows_, taps_.view().cols);
        tap_order_ = Buffer(backend(), DType::i32, 1, std::int64_t{taps} * max_rows_);
    }
    std::vector<int> order;
    for (int row = 0; row < rows; ++row)
        for (int tap = 0; tap < taps; ++tap) order.push_back(tap * rows + row);
    const Tensor indices = row_vector(tap_order_, static_cast<int>(cells));
    backend().upload(indices, order.data());
    backend().gather_rows(taps_.view().slice(0, cells), indices, tapped_.view().slice(0, cells));
    features_ = {tapped_.view().data, DType::f32, rows, taps * taps_.view().cols};
}

void ModelDecoder::run_head(const PassInput& input, Pass& pass) {
    const int count = pass.rows - input.logits_from;
    const Tensor logits = rows_.begin(count);
    if (count == 0) return;
    const auto wanted = [&](const Tensor& rows) { return rows.slice(input.logits_from, count); };
    const Tensor normed = pass.normed.slice(0, count);
    backend().add_norm(wanted(pass.residual), pass.pending.empty() ? Tensor{} : wanted(pass.pending),
                       model_->final_norm.view(), model_->config.rms_eps, normed);
    const Projection head[] = {{model_->head(), {}, logits}};
    backend().matmul(normed, head);
}

} // namespace speclens
