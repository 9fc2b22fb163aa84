// DSpark's Markov head (DeepSeek 2026): a low-rank correction of a block's row by the token
// before it.
//   vanilla  e = w1[token]
//   gated    e = σ(W·[row; w1[token]] + b) ⊙ w1[token]
//   rnn      [g, c, o] = W·[state; w1[token]; row] + b,  state ← σ(g) ⊙ state + (1 − σ(g)) ⊙ tanh(c),  e =
//   tanh(o)
// The row's logits then gain w2·e. The state of the rnn starts at zero in every block.
#pragma once

#include "engine/drafters/draft_network.h"
#include "kernels/backend.h"

namespace speclens {

class MarkovHead {
  public:
    // `network` outlives this object and has a Markov head.
    explicit MarkovHead(const DraftNetwork& network);

    // Begins a block: rows (k, h), valid until its last step.
    void begin(const Tensor& rows);
    // e (1, ρ) of row `index` after `token`; rows in order, each once.
    [[nodiscard]] Tensor step(int index, int token);
    // For the branches of a tree: what the recurrent head keeps from step to step, (1, ρ), and going on from a copy of it.
    [[nodiscard]] bool keeps_state() const { return network_.config.markov == DraftConfig::Markov::rnn; }
    [[nodiscard]] const Tensor& state() const { return state_.view(); }
    void resume(const Tensor& state) { backend().copy(state, state_.view()); }
    // w1[token] of the last step, (1, ρ).
    [[nodiscard]] const Tensor& previous() const { return previous_.view(); }

  private:
    [[nodiscard]] Backend& backend() const { return network_.backend(); }
    [[nodiscard]] Tensor gated(int index);
    [[nodiscard]] Tensor rnn(int index);

    const DraftNetwork& network_;
    int rank_;
    Buffer id_;                 // (1, 1) i32
    Buffer previous_, e_;       // (1, ρ)
    Buffer from_rows_;          // (B, ρ) or (B, 3ρ): what the rows add, of all rows at once
    Buffer gates_, zero_, low_; // gates of a step, (4, ρ); (1, 3ρ) zeros; (1, ρ) so low that σ is 0
    Buffer state_;              // (1, ρ)
};

} // namespace speclens
