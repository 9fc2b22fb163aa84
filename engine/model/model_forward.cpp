#include "engine/model/model_forward.h"

#include <algorithm>

#include "kernels/error.h"

namespace speclens {
namespace {

bool contains(std::span<const int> list, int value) { return std::ranges::find(list, value) != list.end(); }

Tensor row_vector(const Buffer& buffer, int cols) { return {buffer.view().data, buffer.view().dtype, 1, cols}; }

int layers_run(const LayerPlan& plan, int layers) { return plan.exit_layer < 0 ? layers : plan.exit_layer; }

} // namespace

bool is_chain(std::span<const int> parents) {
    for (std::size_t i = 0; i < parents.size(); ++i)
        if (parents[i] != static_cast<int>(i) - 1) return false;
    return true;
}

// The children of the cache stand right behind the text.
std::vector<int> row_positions(const PassInput& input, int length) {
    std::vector<int> positions(input.tokens.size());
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const int parent = input.parents.empty() ? static_cast<int>(i) - 1 : input.parents[i];
        positions[i] = !input.positions.empty() ? input.positions[i]
                       : parent < 0             ? length
                                                : positions[static_cast<std::size_t>(parent)] + 1;
    }
    return positions;
}

std::vector<std::uint64_t> ancestor_bits(std::span<const int> parents) {
    const auto rows = parents.size(), words = (rows + 63) / 64;
    std::vector<std::uint64_t> bits(rows * words);
    for (std::size_t i = 0; i < rows; ++i) {
        if (const int parent = parents[i]; parent >= 0)
            std::copy_n(bits.begin() + static_cast<std::ptrdiff_t>(words) * parent, words,
                        bits.begin() + static_cast<std::ptrdiff_t>(words * i));
        bits[i * words + i / 64] |= std::uint64_t{1} << (i % 64);
    }
    return bits;
}

void check_pass(const PassInput& input, const Model& model) {
    const int rows = static_cast<int>(input.tokens.size()), layers = model.config.layers;
    CHECK(input.logits_from >= 0 && input.logits_from <= rows, "logits_from is outside the pass");
    for (const int token : input.tokens) CHECK(token >= 0 && token < model.config.vocab, "token id outside the vocabulary");
    CHECK(input.parents.empty() || static_cast<int>(input.parents.size()) == rows, "one parent per row");
    for (int i = 0; i < static_cast<int>(input.parents.size()); ++i)
        CHECK(input.parents[i] >= -1 && input.parents[i] < i, "a parent must be an earlier row or -1");
    CHECK(input.positions.empty() || static_cast<int>(input.positions.size()) == rows, "one position per row");
    for (const int position : input.positions)
        CHECK(position >= 0 && position < model.cos_sin.view().rows, "position outside the rotary table");
    CHECK(input.plan.exit_layer <= layers, "exit layer behind the last layer");
    const int last = layers_run(input.plan, layers) - 1;
    for (const int tap : input.taps) CHECK(tap >= kTapEmbedding && (tap <= last || tap == layers), "tap on a layer that does not run");
}

ModelForward::ModelForward(std::shared_ptr<const Model> model, LayerStack& stack, int max_rows)
    : model_(std::move(model)), stack_(stack), max_rows_(max_rows),
      rows_(*model_->backend, model_->config.vocab, tokens_of(*model_), model_->name) {
    ids_ = Buffer(backend(), DType::i32, 1, max_rows_);
}

void ModelForward::run(const PassInput& input, LayerStack::Pass& pass) {
    run_layers(input, pass);
    run_head(input, pass);
}

void ModelForward::run_layers(const PassInput& input, LayerStack::Pass& pass) {
    const auto taps = static_cast<std::int64_t>(input.taps.size());
    if (taps_.view().rows < taps * pass.rows) taps_ = Buffer(backend(), DType::f32, taps * max_rows_, pass.residual.cols);
    tapped_layers_.assign(input.taps.begin(), input.taps.end());
    tapped_rows_ = pass.rows;

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
}

void ModelForward::keep_tap(int tap, const Tensor& rows, const PassInput& input) {
    for (std::size_t t = 0; t < input.taps.size(); ++t)
        if (input.taps[t] == tap) backend().copy(rows, taps_.view().slice(static_cast<std::int64_t>(t) * rows.rows, rows.rows));
}

// From one block of rows per tap to one row with all taps side by side, which is what drafters multiply.
std::vector<Tensor> ModelForward::features(std::span<const Part> parts) {
    std::vector<int> order;
    for (const Part& part : parts) {
        CHECK(part.first >= 0 && part.first + part.rows <= tapped_rows_, "features of rows outside the pass");
        for (int row = part.first; row < part.first + part.rows; ++row)
            for (const int tap : part.taps) {
                const auto at = std::ranges::find(tapped_layers_, tap);
                CHECK(at != tapped_layers_.end(), "features of a layer that was not tapped");
                order.push_back(static_cast<int>(at - tapped_layers_.begin()) * tapped_rows_ + row);
            }
    }
    const auto cells = std::ssize(order);
    if (tapped_.view().rows < cells) {
        const std::int64_t room = std::max(cells, std::ssize(tapped_layers_) * max_rows_);
        tapped_ = Buffer(backend(), DType::f32, room, taps_.view().cols);
        tap_order_ = Buffer(backend(), DType::i32, 1, room);
    }
    if (cells > 0) {
        const Tensor indices = row_vector(tap_order_, static_cast<int>(cells));
        backend().upload(indices, order.data());
        backend().gather_rows(taps_.view().slice(0, std::ssize(tapped_layers_) * tapped_rows_), indices, tapped_.view().slice(0, cells));
    }
    std::vector<Tensor> features;
    std::int64_t first = 0;
    for (const Part& part : parts) {
        const auto taps = std::ssize(part.taps);
        const Tensor of = taps == 0 ? Tensor{} : tapped_.view().slice(first, part.rows * taps);
        features.push_back(taps == 0 ? Tensor{} : Tensor{of.data, DType::f32, part.rows, taps * of.cols});
        first += part.rows * taps;
    }
    return features;
}

void ModelForward::run_head(const PassInput& input, LayerStack::Pass& pass) {
    const int count = pass.rows - input.logits_from;
    const std::span<const int> ids = input.head ? std::span<const int>(input.head->ids) : std::span<const int>();
    const Tensor logits = rows_.begin(count, ids);
    if (count == 0) return;
    const auto wanted = [&](const Tensor& rows) { return rows.slice(input.logits_from, count); };
    const Tensor normed = pass.normed.slice(0, count);
    backend().add_norm(wanted(pass.residual), pass.pending.empty() ? Tensor{} : wanted(pass.pending), model_->final_norm.view(),
                       model_->config.rms_eps, normed);
    const Projection head[] = {{input.head ? input.head->weight : model_->head(), {}, logits}};
    backend().matmul(normed, head);
}

} // namespace speclens
