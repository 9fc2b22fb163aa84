#include "engine/drafters/domino_head.h"

#include <algorithm>

#include "kernels/error.h"

namespace speclens {

DominoHead::DominoHead(const DrafterArgs& args, const OutputHead& head, int pool)
    : network_(*args.network), correction_(args.output_head(backend(), network_.correction.view())),
      pool_size_(pool), corrected_(backend(), network_.config.layer.vocab, network_.name) {
    const DraftConfig& c = network_.config;
    const auto row = [&](int cols) { return Buffer(backend(), DType::f32, 1, cols); };
    id_ = Buffer(backend(), DType::i32, 1, 1);
    if (network_.gru_table.empty()) {
        embedded_ = row(c.layer.hidden);
        input_ = row(3 * c.gru);
    }
    hidden_ = row(3 * c.gru);
    gates_ = row(3 * c.gru);
    state_ = row(c.gru);
    mixed_ = row(c.rank);
    from_rows_ = Buffer(backend(), DType::f32, c.block, c.rank);
    if (pool_size_ == 0) return;
    const auto columns = static_cast<int>(head.weight.rows);
    if (pool_size_ >= columns)
        throw Error("--head-pool " + std::to_string(pool_size_) + " keeps all " + std::to_string(columns) +
                        " ids",
                    "Give a smaller number, or leave the option out.", Exit::usage);
    pool_base_ = Buffer(backend(), DType::f32, c.block, pool_size_);
    pool_correction_ = Buffer(backend(), DType::f32, pool_size_, c.rank);
    pool_best_ = row(columns);
    pool_chosen_ = Buffer(backend(), DType::i32, 1, pool_size_);
    pool_values_ = row(pool_size_);
}

void DominoHead::begin(const Tensor& rows, const Tensor& base, int corrected) {
    base_ = base;
    unread_.clear();
    if (corrected >= rows.rows) return; // nothing to correct
    const Projection half[] = {{network_.mix_row.view(), {}, from_rows_.view().slice(0, rows.rows)}};
    backend().matmul(rows, half);
    const std::vector<float> zeros(static_cast<std::size_t>(3 * network_.config.gru), 0.0f);
    backend().upload(state_.view(), zeros.data());
    backend().upload(hidden_.view(), zeros.data()); // of a state that is zero
    hidden_known_ = true;
    if (pool_size_ > 0) choose_pool(base, corrected);
}

// W_ih·embedding of the token.
Tensor DominoHead::input_of(int token) {
    if (!network_.gru_table.empty()) return network_.gru_table.view().slice(token, 1);
    backend().upload(id_.view(), &token);
    backend().embed(network_.target->embedding.view(), id_.view(), embedded_.view());
    const Projection input[] = {{network_.gru_input.view(), {}, input_.view()}};
    backend().matmul(embedded_.view(), input);
    return input_.view();
}

void DominoHead::catch_up() {
    for (const int token : unread_) {
        if (!hidden_known_) {
            const Projection hidden[] = {{network_.gru_hidden.view(), {}, hidden_.view()}};
            backend().matmul(state_.view(), hidden);
        }
        backend().gru(input_of(token), hidden_.view(), state_.view(), state_.view(),
                      keep_gates_ ? gates_.view() : Tensor{});
        hidden_known_ = false;
    }
    unread_.clear();
}

ModelRows& DominoHead::correct(int index) {
    catch_up();
    const Tensor from_row = from_rows_.view().slice(index, 1);
    const Projection of_state[] = {{network_.mix_state.view(), from_row, mixed_.view()},
                                   {network_.gru_hidden.view(), {}, hidden_.view()}};
    backend().matmul(state_.view(), of_state);
    hidden_known_ = true;
    backend().silu(mixed_.view());
    const bool pooled = pool_size_ > 0;
    const Tensor logits = corrected_.begin(1, pooled ? pool_ids_ : correction_.ids);
    const Tensor base = pooled ? pool_base_.view().slice(index - pool_first_, 1) : base_.slice(index, 1);
    const Projection add[] = {{pooled ? pool_correction_.view() : correction_.weight, base, logits}};
    backend().matmul(mixed_.view(), add);
    return corrected_;
}

void DominoHead::choose_pool(const Tensor& base, int first) {
    const auto columns = static_cast<std::size_t>(base.cols), size = static_cast<std::size_t>(pool_size_);
    const auto rows = static_cast<std::size_t>(base.rows) - static_cast<std::size_t>(first);
    host_base_.resize(rows * columns);
    backend().download(base.slice(first, static_cast<std::int64_t>(rows)), host_base_.data());
    best_.assign(host_base_.begin(), host_base_.begin() + static_cast<std::ptrdiff_t>(columns));
    for (std::size_t row = 1; row < rows; ++row) {
        const float* const values = host_base_.data() + row * columns;
        for (std::size_t i = 0; i < columns; ++i) best_[i] = std::max(best_[i], values[i]);
    }
    const Tensor best = {pool_best_.view().data, DType::f32, 1, base.cols};
    backend().upload(best, best_.data());
    backend().top_k(best, pool_size_, pool_chosen_.view(),
                    pool_values_.view()); // ties: the lower id, like argmax
    pool_ids_.resize(size);
    backend().download(pool_chosen_.view(), pool_ids_.data());
    std::ranges::sort(pool_ids_);
    backend().upload(pool_chosen_.view(), pool_ids_.data());

    host_pool_.resize(rows * size);
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < size; ++i)
            host_pool_[row * size + i] = host_base_[row * columns + static_cast<std::size_t>(pool_ids_[i])];
    pool_first_ = first;
    backend().upload(pool_base_.view().slice(0, static_cast<std::int64_t>(rows)), host_pool_.data());
    backend().embed(correction_.weight, pool_chosen_.view(), pool_correction_.view());
    if (correction_.cut())
        for (int& id : pool_ids_) id = correction_.ids[static_cast<std::size_t>(id)];
}

} // namespace speclens
