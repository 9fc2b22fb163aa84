#include "engine/drafters/eagle3_head.h"

#include <algorithm>
#include <numeric>

#include "kernels/error.h"

namespace speclens {

Eagle3Head::Eagle3Head(std::shared_ptr<const DraftNetwork> network, int capacity)
    : network_(std::move(network)),
      capacity_(std::min(capacity, static_cast<int>(network_->cos_sin.view().rows))),
      stack_(network_->backend(), network_->config.layer, network_->layer, network_->cos_sin.view(),
             capacity_, network_->backend().max_rows()),
      rows_(network_->backend(), network_->config.draft_vocab, network_->name) {
    const int rows = backend().max_rows(), hidden = network_->config.layer.hidden;
    const auto matrix = [&](int count) { return Buffer(backend(), DType::f32, count, hidden); };
    ids_ = Buffer(backend(), DType::i32, 1, rows);
    order_ = Buffer(backend(), DType::i32, 1, 2 * rows);
    features_ = matrix(rows);
    kept_ = matrix(rows);
    pairs_ = matrix(2 * rows);
    joined_ = matrix(2 * rows);
    normed_ = matrix(rows);
}

void Eagle3Head::absorb(const Tensor& features, std::span<const int> next_tokens) {
    const int rows = static_cast<int>(features.rows);
    CHECK(static_cast<int>(next_tokens.size()) == rows, "one token for every feature");
    if (length_ + rows > capacity_) return; // draft() will see that the columns are incomplete
    const Tensor g = features_.view().slice(0, rows);
    const Projection fuse[] = {{network_->fc.view(), {}, g}};
    backend().matmul(features, fuse);
    std::vector<int> positions(next_tokens.size());
    std::iota(positions.begin(), positions.end(), length_);
    const Tensor outputs =
        run(next_tokens, g, positions, {.prefix = length_, .first_slot = length_, .ancestors = {}});
    length_ += rows;
    outputs_ = kept_.view().slice(0, 1);
    backend().copy(outputs.slice(rows - 1, 1), outputs_);
}

Tensor Eagle3Head::step(std::span<const int> tokens, std::span<const int> from, int depth, int slot) {
    const int rows = static_cast<int>(tokens.size());
    CHECK(rows == 1, "a chain is drafted column by column");
    const Tensor g = features_.view().slice(0, rows);
    backend().copy(outputs_.slice(from[0], 1), g);
    const std::vector<int> positions(tokens.size(), length_ + depth);
    const Tensor outputs =
        run(tokens, g, positions, {.prefix = length_ + slot, .first_slot = length_ + slot, .ancestors = {}});
    outputs_ = kept_.view().slice(0, rows);
    backend().copy(outputs, outputs_);
    return outputs_;
}

// features (rows, h) are the columns' g; overwritten. Returns the layer's raw outputs, valid until the next
// run.
Tensor Eagle3Head::run(std::span<const int> tokens, const Tensor& features, std::span<const int> positions,
                       const AttentionMask& mask) {
    const int rows = static_cast<int>(tokens.size());
    const float eps = network_->config.layer.rms_eps;
    stack_.reserve(mask.first_slot + rows, mask.prefix);
    LayerStack::Pass pass = stack_.begin(positions, mask);

    const Tensor ids = {ids_.view().data, DType::i32, 1, rows};
    backend().upload(ids, tokens.data());
    const Tensor embedded = normed_.view().slice(0, rows);
    backend().embed(network_->target->embedding.view(), ids, embedded);
    const Tensor normed_features = pairs_.view().slice(rows, rows);
    backend().add_norm(embedded, {}, network_->layer[0].input_norm.view(), eps, pairs_.view().slice(0, rows));
    backend().add_norm(features, {}, network_->hidden_norm.view(), eps, normed_features);

    // the embedding first, then the feature, side by side in rows of width 2h
    std::vector<int> order;
    for (int i = 0; i < rows; ++i) {
        order.push_back(i);
        order.push_back(rows + i);
    }
    Tensor joined = pairs_.view().slice(0, 2 * rows);
    if (rows > 1) { // one row already is
        const Tensor indices = {order_.view().data, DType::i32, 1, 2 * rows};
        backend().upload(indices, order.data());
        joined = joined_.view().slice(0, 2 * rows);
        backend().gather_rows(pairs_.view().slice(0, 2 * rows), indices, joined);
    }
    joined = {joined.data, DType::f32, rows, 2 * joined.cols};

    backend().copy(network_->config.norm_before_residual ? normed_features : features, pass.residual);
    stack_.attend(0, joined, pass);
    stack_.run_mlp(0, pass);
    stack_.add_norm(pass, {}, {});
    return pass.residual;
}

void Eagle3Head::predict() {
    const int rows = static_cast<int>(outputs_.rows);
    Tensor states = outputs_;
    if (network_->config.norm_output) {
        states = normed_.view().slice(0, rows);
        backend().add_norm(outputs_, {}, network_->norm.view(), network_->config.layer.rms_eps, states);
    }
    const Projection head[] = {{network_->lm_head.view(), {}, rows_.begin(rows)}};
    backend().matmul(states, head);
}

Law Eagle3Head::widened(const Law& law) const {
    Law wide(static_cast<std::size_t>(network_->config.layer.vocab), 0.0);
    for (std::size_t i = 0; i < law.size(); ++i)
        wide[static_cast<std::size_t>(target_id(static_cast<int>(i)))] = law[i];
    return wide;
}

Top Eagle3Head::widened(Top top) const {
    for (Top::Entry& entry : top.entries) entry.id = target_id(entry.id);
    return top;
}

} // namespace speclens
