// The EAGLE-3 head (Li et al. 2025, arXiv 2503.01840 §3): one decoder layer that continues the
// target's features. A column is a feature and the embedding of the token after it; the layer's raw output, or the
// final norm's where EAGLE-3.1 says so (norm_output), is the next feature, and predicts the token after that one. Columns made of true
// features stay in the cache, columns made of the head's own outputs are dropped when the target has spoken. DART's head is the same layer
// with columns that stand for places still to be drafted (Liu et al. 2026, arXiv 2601.19278).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/model/layer_stack.h"
#include "engine/model/model_rows.h"
#include "engine/model/waiting_states.h"

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

    // DART: the same, and `masks` columns of the trained mask behind the newest one, in one pass. outputs() are the
    // newest column's and theirs. The masks leave nothing behind. No features: those known are still the newest.
    void absorb_ahead(const Tensor& features, std::span<const int> next_tokens, int masks);

    // One own column behind the true ones and the `own` columns already there: the newest output, followed by
    // `token`.
    void extend(int token, int own);

    // A tree of own columns. begin_tree() forgets them; grow() adds columns that hang from earlier own
    // columns (index, -1: the last true column) and runs the tree so far in one pass: a pass sees selected
    // rows of itself only, and the same rows give the same bits again. outputs() are those of the new
    // columns.
    void begin_tree();
    void grow(std::span<const int> tokens, std::span<const int> parents);
    [[nodiscard]] int tree_size() const { return static_cast<int>(tree_tokens_.size()); }

    // The newest outputs, (rows, h): of absorb() and extend() one row, of absorb_ahead() 1 + masks, of grow() one per
    // token.
    [[nodiscard]] const Tensor& outputs() const { return outputs_; }
    // The fused features g of `features` (rows, taps * h), on the host: (rows * h). Overwrites scratch only.
    [[nodiscard]] std::vector<float> fused(const Tensor& features);

    // Logits over the draft vocabulary of the newest outputs, into rows that distribution() and heads() read.
    void predict();
    [[nodiscard]] ModelRows& rows() { return rows_; }
    [[nodiscard]] int target_id(int row) const { return network_->target_id[static_cast<std::size_t>(row)]; }
    // A distribution and a head over the draft vocabulary as ones over the target's.
    [[nodiscard]] Distribution widened(const Distribution& distribution) const;
    [[nodiscard]] TopEntries widened(TopEntries top) const;

  private:
    [[nodiscard]] Backend& backend() const { return network_->backend(); }
    // g (rows, h) = fc of the features, each tap or all of them normed where the head has norms for that.
    void fuse(const Tensor& features, const Tensor& g);
    // features (rows, h) are the columns' g, `masks` more columns follow. What the columns behind
    // them go on from, valid until the next run.
    Tensor run(std::span<const int> tokens, const Tensor& features, int masks, std::span<const int> positions, const AttentionMask& mask);

    std::shared_ptr<const DraftNetwork> network_;
    int capacity_;
    int length_ = 0;
    LayerStack stack_;
    ModelRows rows_;
    Tensor outputs_;

    Buffer ids_, order_;    // (1, rows), (1, 2 * rows) i32
    Buffer features_;       // (rows, h): g
    Buffer newest_;         // (1, h): output of absorb() and extend()
    Buffer masks_;          // DART: (2 * masks, h), the two halves of the mask again and again
    Buffer mask_residuals_; // DART: (masks, h), the first half
    Buffer ahead_;          // DART: (1 + masks, h), output of absorb_ahead()
    Buffer pairs_, joined_; // (2 * rows, h): normed embeddings, then normed features; and side by side
    Buffer normed_;         // (rows, h)
    Buffer by_tap_;         // (taps * rows, h): features tap by tap, for fc_norm
    Buffer joined_taps_;    // (rows, taps * h): normed features, for norm_before_fc
    Buffer tap_order_;      // (1, taps * rows) i32

    std::vector<int> tree_tokens_, tree_parents_;
    Buffer root_;         // (1, h): the last true output, which a tree starts from
    Buffer tree_outputs_; // (rows, h): of all own columns, after the root's
    Buffer ancestors_;    // (rows, words) i64
};

// What the chain and the tree share: the columns of true features, fed when the next draft starts, because
// they are a part of its cost (the prompt's at once).
class Eagle3Drafter : public Drafter {
  public:
    explicit Eagle3Drafter(const DrafterArgs& args);
    [[nodiscard]] std::vector<int> taps() const override { return head_.network().config.taps; }
    void begin(std::span<const int> sequence) override;
    void observe(const Observation& observation) override;
    void put_off() override { waiting_.put_off(head_.network().backend()); }

  protected:
    // Feeds what waits, and `masks` columns behind it. False when the text is past the head's positions, or when there
    // is nothing to continue.
    [[nodiscard]] bool catch_up(std::span<const int> sequence, bool internals = false, int masks = 0);
    [[nodiscard]] Eagle3Head& head() { return head_; }
    // For the internals: what the target tapped at the newest true position, (1, taps * h), empty before the
    // first; and what it tapped in the last round, (rows, taps * h), valid between observe() and the next
    // draft.
    [[nodiscard]] Tensor newest_taps() const { return taps_known_ ? newest_taps_.view() : Tensor{}; }
    [[nodiscard]] const Tensor& observed() const { return waiting_.newest(); }

  private:
    void absorb(const Tensor& features, int first, std::span<const int> sequence, int masks = 0);
    void keep_taps(const Tensor& features);

    Eagle3Head head_;
    WaitingStates waiting_;
    Buffer newest_taps_; // (1, taps * h)
    bool taps_known_ = false;
};

} // namespace speclens
