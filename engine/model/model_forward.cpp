// The forward pass of Llama, Mistral, Qwen3 and Qwen2.5, written once against Backend: embedding, the layers
// (layer_stack.cpp), the taps that drafters ask for, and the head.
#include <algorithm>

#include "engine/model/model_decoder.h"
#include "kernels/error.h"

namespace speclens {
namespace {

bool contains(std::span<const int> list, int value) {
    return std::ranges::find(list, value) != list.end();
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
    for (const int tap : input.taps)
        CHECK(tap >= kTapEmbedding && (tap <= last || tap == layers()), "tap on a layer that does not run");
}

ModelDecoder::Pass ModelDecoder::begin_pass(const PassInput& input) {
    stack_.reserve(length_ + static_cast<int>(input.tokens.size()), length_);
    AttentionMask mask{.prefix = length_, .first_slot = length_, .ancestors = {}};
    if (!is_chain(input.parents)) mask.ancestors = upload_ancestors(input);
    std::vector<int> positions(input.positions.begin(), input.positions.end());
    if (positions.empty()) {
        positions = depths(input);
        for (int& position : positions) position += length_;
    }
    return stack_.begin(positions, mask);
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

Tensor ModelDecoder::upload_ancestors(const PassInput& input) {
    const auto rows = input.tokens.size(), words = (rows + 63) / 64;
    std::vector<std::uint64_t> bits(rows * words);
    for (std::size_t i = 0; i < rows; ++i) {
        if (const int parent = input.parents[i]; parent >= 0)
            std::copy_n(bits.begin() + static_cast<std::ptrdiff_t>(words) * parent, words,
                        bits.begin() + static_cast<std::ptrdiff_t>(words * i));
        bits[i * words + i / 64] |= std::uint64_t{1} << (i % 64);
    }
    const Tensor ancestors = {ancestors_.view().data, DType::i64, static_cast<std::int64_t>(rows),
                              static_cast<std::int64_t>(words)};
    backend().upload(ancestors, bits.data());
    return ancestors;
}

void ModelDecoder::run_layers(const PassInput& input, Pass& pass) {
    const auto taps = static_cast<std::int64_t>(input.taps.size());
    features_ = {};
    if (taps_.view().rows < taps * pass.rows)
        taps_ = Buffer(backend(), DType::f32, taps * max_rows_, pass.residual.cols);

    const Tensor ids = row_vector(ids_, pass.rows);
    backend().upload(ids, input.tokens.data());
    backend().embed(model_->embedding.view(), ids, pass.residual);
    keep_tap(kTapEmbedding, pass.residual, input);
    const int run = layers_run(input.plan, layers());
    // Rows of a prompt have no logits: of the last layer they leave keys and values, and the rest is for nobody.
    const bool read = input.logits_from < pass.rows || contains(input.taps, run - 1) || contains(input.taps, layers());
    for (int layer = 0; layer < run; ++layer) {
        if (!read && layer == run - 1) {
            if (!contains(input.plan.skip_attention, layer)) stack_.store(layer, pass);
            break;
        }
        if (!contains(input.plan.skip_attention, layer)) stack_.run_attention(layer, pass);
        if (!contains(input.plan.skip_mlp, layer)) stack_.run_mlp(layer, pass);
        if (!contains(input.taps, layer)) continue;
        if (!pass.pending.empty()) stack_.add_norm(pass, {}, {}); // the raw residual, also of the last layer
        keep_tap(layer, pass.residual, input);
    }
    if (contains(input.taps, layers())) {
        stack_.add_norm(pass, model_->final_norm.view(), pass.normed);
        keep_tap(layers(), pass.normed, input);
    }
    if (taps > 0) gather_taps(static_cast<int>(taps), pass.rows);
}

void ModelDecoder::keep_tap(int tap, const Tensor& rows, const PassInput& input) {
    for (std::size_t t = 0; t < input.taps.size(); ++t)
        if (input.taps[t] == tap)
            backend().copy(rows, taps_.view().slice(static_cast<std::int64_t>(t) * rows.rows, rows.rows));
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
    const std::span<const int> ids =
        input.head ? std::span<const int>(input.head->ids) : std::span<const int>();
    const Tensor logits = rows_.begin(count, ids);
    if (count == 0) return;
    const auto wanted = [&](const Tensor& rows) { return rows.slice(input.logits_from, count); };
    const Tensor normed = pass.normed.slice(0, count);
    backend().add_norm(wanted(pass.residual), pass.pending.empty() ? Tensor{} : wanted(pass.pending),
                       model_->final_norm.view(), model_->config.rms_eps, normed);
    const Projection head[] = {{input.head ? input.head->weight : model_->head(), {}, logits}};
    backend().matmul(normed, head);
}

} // namespace speclens
