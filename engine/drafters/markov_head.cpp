#include "engine/drafters/markov_head.h"

#include <vector>

namespace speclens {
namespace {

using Markov = DraftConfig::Markov;

} // namespace

// Backend::gru computes (1 − σ(z)) ⊙ tanh(n) + σ(z) ⊙ state when its products with the state are zero, which
// is all the arithmetic that the gated and the recurrent head need. Its input is stacked r, z, n: rows 0 to 2
// of `gates_`, or 1 to 3; r is multiplied with those zeros and only has to be finite.
MarkovHead::MarkovHead(const DraftNetwork& network) : network_(network), rank_(network.config.markov_rank) {
    const auto matrix = [&](int rows, int cols) { return Buffer(backend(), DType::f32, rows, cols); };
    id_ = Buffer(backend(), DType::i32, 1, 1);
    previous_ = matrix(1, rank_);
    if (network.config.markov == Markov::vanilla) return;
    e_ = matrix(1, rank_);
    gates_ = matrix(4, rank_);
    zero_ = matrix(1, 3 * rank_);
    low_ = matrix(1, rank_);
    state_ = matrix(1, rank_);
    from_rows_ = matrix(network.config.block, network.config.markov == Markov::gated ? rank_ : 3 * rank_);
    const std::vector<float> zeros(static_cast<std::size_t>(4 * rank_), 0.0f);
    const std::vector<float> low(static_cast<std::size_t>(rank_), -80.0f); // σ vanishes beside 1 in f32
    backend().upload(gates_.view(), zeros.data());
    backend().upload(zero_.view(), zeros.data());
    backend().upload(low_.view(), low.data());
}

void MarkovHead::begin(const Tensor& rows) {
    if (network_.config.markov == Markov::vanilla) return;
    const bool gated = network_.config.markov == Markov::gated;
    const Projection part[] = {{(gated ? network_.gate_row : network_.joint_row).view(),
                                (gated ? network_.gate_bias : network_.joint_bias).view(), from_rows_.view().slice(0, rows.rows)}};
    backend().matmul(rows, part);
    const std::vector<float> zeros(static_cast<std::size_t>(rank_), 0.0f);
    backend().upload(state_.view(), zeros.data());
}

Tensor MarkovHead::step(int index, int token) {
    backend().upload(id_.view(), &token);
    backend().embed(network_.markov_in.view(), id_.view(), previous_.view());
    switch (network_.config.markov) {
    case Markov::gated: return gated(index);
    case Markov::rnn: return rnn(index);
    case Markov::vanilla: break;
    }
    return previous_.view();
}

Tensor MarkovHead::gated(int index) {
    const Projection gate[] = {{network_.gate_prev.view(), from_rows_.view().slice(index, 1), gates_.view().slice(1, 1)}};
    backend().matmul(previous_.view(), gate);
    const Tensor in = {gates_.view().data, DType::f32, 1, 3 * rank_}; // tanh(0) leaves the gated part only
    backend().gru(in, zero_.view(), previous_.view(), e_.view(), {});
    return e_.view();
}

Tensor MarkovHead::rnn(int index) {
    const Tensor joint = {gates_.view().slice(1, 3).data, DType::f32, 1, 3 * rank_}; // g, c, o
    const Projection from_state[] = {{network_.joint_state.view(), from_rows_.view().slice(index, 1), joint}};
    backend().matmul(state_.view(), from_state);
    const Projection from_token[] = {{network_.joint_prev.view(), joint, joint}};
    backend().matmul(previous_.view(), from_token);
    const Tensor update = {gates_.view().data, DType::f32, 1, 3 * rank_}; // r, g, c
    backend().gru(update, zero_.view(), state_.view(), state_.view(), {});
    backend().copy(low_.view(), gates_.view().slice(2, 1)); // now g, a gate that is shut, o: tanh(o) alone
    backend().gru(joint, zero_.view(), state_.view(), e_.view(), {});
    return e_.view();
}

} // namespace speclens
