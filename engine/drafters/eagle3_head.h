// The EAGLE-3 head (Li et al. 2025, arXiv 2503.01840 §3; formats §4): one decoder layer that continues the
// target's features. A column is a feature and the embedding of the token after it; the layer's raw output is
// the next feature, and predicts the token after that one. Columns made of true features stay in the cache,
// columns made of the head's own outputs are dropped when the target has spoken.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/draft_network.h"
#include "engine/drafter.h"
#include "engine/layer_stack.h"
#include "engine/model_rows.h"

namespace speclens {

class Eagle3Head {
  public:
    Eagle3Head(std::shared_ptr<const DraftNetwork> network, int capacity);

    [[nodiscard]] const DraftNetwork& network() const { return *network_; }
    void begin() { length_ = 0; }
    // Columns of true features, and of how many positions.
    [[nodiscard]] int length() const { return length_; }
    // Positions the rotary table and the cache have room for.
    [[nodiscard]] int capacity() const { return capacity_; }

    // Appends true columns: features (rows, taps * h) of the positions length() …, and the token after each.
    // The last output is kept for outputs().
    void absorb(const Tensor& features, std::span<const int> next_tokens);

    // One level of drafting on top of the true columns: row i continues output row `from[i]` of the level
    // before (level 0: the last true column) with `tokens[i]`. `slot`: own columns already written in this
    // draft. `parents[i]`: own column that row i hangs from, -1 for none; empty: a chain. Returns outputs
    // (rows, h).
    Tensor step(std::span<const int> tokens, std::span<const int> from, int depth, int slot);

    // The newest outputs, (rows, h): of absorb() one row, of step() one per token.
    [[nodiscard]] const Tensor& outputs() const { return outputs_; }
    // Logits over the draft vocabulary of the newest outputs, into rows that law() and heads() read.
    void predict();
    [[nodiscard]] ModelRows& rows() { return rows_; }
    [[nodiscard]] int target_id(int row) const { return network_->target_id[static_cast<std::size_t>(row)]; }
    // A law and a head over the draft vocabulary as ones over the target's.
    [[nodiscard]] Law widened(const Law& law) const;
    [[nodiscard]] Top widened(Top top) const;

  private:
    [[nodiscard]] Backend& backend() const { return network_->backend(); }
    Tensor run(std::span<const int> tokens, const Tensor& features, std::span<const int> positions,
               const AttentionMask& mask);

    std::shared_ptr<const DraftNetwork> network_;
    int capacity_;
    int length_ = 0;
    LayerStack stack_;
    ModelRows rows_;
    Tensor outputs_;

    Buffer ids_, order_;    // (1, rows), (1, 2 * rows) i32
    Buffer features_;       // (rows, h): g
    Buffer kept_;           // (rows, h): outputs that the next level continues
    Buffer pairs_, joined_; // (2 * rows, h): normed embeddings, then normed features; and side by side
    Buffer normed_;         // (rows, h)
};

} // namespace speclens
