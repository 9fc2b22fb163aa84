// Domino's causal head (arXiv 2605.29707): a GRU reads the anchor and the draft tokens so
// far, and its state with a row of the block gives a low-rank correction of the row's logits:
//   final = base + W₂·silu(W_row·row + W_state·state)
// What does not depend on a draft token is done for all rows at once (W_row·row), what depends on one token alone
// is looked up where the network keeps a table of it (W_ih·embedding), and what reads the state is one
// launch: the recurrent part of the next step and W_state·state.
//
// With a candidate pool only some ids are corrected: the `size` whose best base logit of the corrected rows
// is largest, one pool for the whole block. The other ids have probability 0, which is lossless like any
// draft distribution.
#pragma once

#include <span>
#include <vector>

#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/model/model_rows.h"
#include "kernels/backend.h"

namespace speclens {

class DominoHead {
  public:
    // `head`: what ranked the base logits, whole or cut. `pool`: ids that are corrected; 0: all.
    DominoHead(const DrafterArgs& args, const OutputHead& head, int pool);

    // W_row·row of a block of `rows` rows, for who multiplies them anyway, before begin(), which does it else.
    [[nodiscard]] Projection of_rows(std::int64_t rows);
    // Begins a block: rows (k, h) and their base logits (k, columns of the head), valid until its last
    // correction. Nothing is read yet. `corrected`: the first row that will be.
    void begin(const Tensor& rows, const Tensor& base, int corrected);
    // One more token for the state. The work is done when it is needed: correct() or catch_up().
    void read(int token) { unread_.push_back(token); }
    // Logits of row `index` after the tokens read so far, as row 0 of the result; valid until the next call.
    [[nodiscard]] ModelRows& correct(int index);

    // Whether draft_length() can be used: every id that the head ranks is corrected.
    [[nodiscard]] bool whole() const { return pool_size_ == 0; }
    // The likeliest tokens of a block of `rows` rows, the first `prefix` of them from base logits alone: what
    // correct() and read() would choose one by one, without a look at a token in between, so that a device is
    // asked once and answers once.
    [[nodiscard]] std::vector<int> draft_tokens(const Tensor& rows, const Tensor& base, int prefix, int anchor);

    // Goes on from a state that was copied from state(): for the branches of a tree.
    void resume(const Tensor& state);

    // ---- for the internals ----
    [[nodiscard]] ModelRows& rows() { return corrected_; } // of the last correction
    void catch_up();
    void keep_gates() { keep_gates_ = true; }                           // from the next begin() on they are kept for gates()
    [[nodiscard]] const Tensor& state() const { return state_.view(); } // (1, G)
    [[nodiscard]] const Tensor& gates() const { return gates_.view(); } // (1, 3G): r, z, n of the last step
    [[nodiscard]] const Tensor& mixed() const { return mixed_.view(); } // (1, E): what W₂ was multiplied with

  private:
    [[nodiscard]] Backend& backend() const { return network_.backend(); }
    // W_ih·embedding of a token, (1, 3G); of the token of a column of the head that only the device knows.
    [[nodiscard]] Tensor input_of(int token);
    [[nodiscard]] Tensor input_of_column(const Tensor& column);
    [[nodiscard]] Tensor input_of_id(const Tensor& id); // (1, 1)
    // One more token for the state.
    void step(const Tensor& input, const Tensor& gates);
    [[nodiscard]] Tensor correct_row(int index, const Tensor& weight, const Tensor& base, std::span<const int> ids);
    void choose_pool(const Tensor& base, int first);

    const DraftNetwork& network_;
    OutputHead correction_; // W₂, of the ids that the head ranks
    Buffer column_ids_;     // (columns, 1) i32: their ids, where those are some of the target's
    int pool_size_;
    ModelRows corrected_;
    std::vector<int> unread_;
    bool rows_known_ = false;   // from_rows_ is of the next block
    bool hidden_known_ = false; // hidden_ is W_hh of the current state
    bool keep_gates_ = false;

    Tensor base_;             // (k, columns)
    Buffer id_;               // (1, 1) i32
    Buffer drafted_;          // (1, B) i32: the draft tokens, as columns of the head
    Buffer embedded_, input_; // (1, h), (1, 3G)
    Buffer hidden_, gates_;   // (1, 3G)
    Buffer state_, mixed_;    // (1, G), (1, E)
    Buffer from_rows_;        // (B, E)

    std::vector<int> pool_ids_;                    // ids of the pool, ascending
    int pool_first_ = 0;                           // row of base_ that row 0 of pool_base_ belongs to
    Buffer pool_base_, pool_correction_;           // (B, pool), (pool, E) f32
    Buffer pool_best_, pool_chosen_, pool_values_; // (1, columns), (1, pool) i32, (1, pool)
    std::vector<float> host_base_, best_, host_pool_;
    std::vector<float> zeros_; // a state at its beginning
};

} // namespace speclens
