#include "engine/drafters/domino_head.h"

#include <algorithm>

#include "engine/drafters/block.h"
#include "kernels/error.h"

namespace speclens {

DominoHead::DominoHead(const DrafterArgs& args, const OutputHead& head, int pool)
    : network_(*args.network), correction_(ranking_head(args, network_.correction.view())), pool_size_(pool),
      corrected_(backend(), network_.config.layer.vocab, tokens_of(*network_.target), network_.name) {
    const DraftConfig& c = network_.config;
    const auto row = [&](int cols) { return Buffer(backend(), DType::f32, 1, cols); };
    id_ = Buffer(backend(), DType::i32, 1, 1);
    drafted_ = Buffer(backend(), DType::i32, 1, c.block);
    embedded_ = row(c.layer.hidden);
    zeros_.resize(static_cast<std::size_t>(3 * c.gru));
    input_ = row(3 * c.gru);
    hidden_ = row(3 * c.gru);
    gates_ = row(3 * c.gru);
    state_ = row(c.gru);
    mixed_ = row(c.rank);
    from_rows_ = Buffer(backend(), DType::f32, c.block, c.rank);
    if (correction_.reduced()) {
        column_ids_ = Buffer(backend(), DType::i32, static_cast<std::int64_t>(correction_.ids.size()), 1);
        backend().upload(column_ids_.view(), correction_.ids.data());
    }
    if (pool_size_ == 0) return;
    const auto columns = static_cast<int>(head.weight.rows);
    if (pool_size_ >= columns)
        throw Error("--head-pool " + std::to_string(pool_size_) + " keeps all " + std::to_string(columns) + " ids",
                    "Give a smaller number, or leave the option out.", Exit::usage);
    pool_base_ = Buffer(backend(), DType::f32, c.block, pool_size_);
    pool_correction_ = Buffer(backend(), DType::f32, pool_size_, c.rank);
    pool_best_ = row(columns);
    pool_chosen_ = Buffer(backend(), DType::i32, 1, pool_size_);
    pool_values_ = row(pool_size_);
}

Projection DominoHead::of_rows(std::int64_t rows) {
    rows_known_ = true;
    return {network_.mix_row.view(), {}, from_rows_.view().slice(0, rows)};
}

void DominoHead::begin(const Tensor& rows, const Tensor& base, int corrected) {
    base_ = base;
    unread_.clear();
    if (corrected < rows.rows && !rows_known_) {
        const Projection half[] = {of_rows(rows.rows)};
        backend().matmul(rows, half);
    }
    rows_known_ = false;
    if (corrected >= rows.rows) return; // nothing to correct
    backend().upload(state_.view(), zeros_.data());
    backend().upload(hidden_.view(), zeros_.data()); // of a state that is zero
    hidden_known_ = true;
    if (pool_size_ > 0) choose_pool(base, corrected);
}

// Of the tokens that the head ranks there may be a table; the anchor and a forced token may be others.
Tensor DominoHead::input_of(int token) {
    if (!network_.gru_table.empty()) {
        const std::vector<int>& ids = network_.target_id;
        if (ids.empty()) return network_.gru_table.view().slice(token, 1);
        const auto found = std::ranges::lower_bound(ids, token);
        if (found != ids.end() && *found == token) return network_.gru_table.view().slice(found - ids.begin(), 1);
    }
    backend().upload(id_.view(), &token);
    return input_of_id(id_.view());
}

Tensor DominoHead::input_of_id(const Tensor& id) {
    backend().embed(network_.target->embedding.view(), id, embedded_.view());
    const Projection input[] = {{network_.gru_input.view(), {}, input_.view()}};
    backend().matmul(embedded_.view(), input);
    return input_.view();
}

// The table has a row for each id that the network ranks, which are the columns unless --fr-spec cut them.
Tensor DominoHead::input_of_column(const Tensor& column) {
    const bool reduced = correction_.reduced() && network_.target_id.empty();
    Tensor row = column;
    if (reduced || (correction_.reduced() && network_.gru_table.empty())) {
        backend().gather_rows(column_ids_.view(), column, id_.view());
        row = id_.view();
    }
    if (network_.gru_table.empty()) return input_of_id(row);
    backend().gather_rows(network_.gru_table.view(), row, input_.view());
    return input_.view();
}

void DominoHead::step(const Tensor& input, const Tensor& gates) {
    if (!hidden_known_) {
        const Projection hidden[] = {{network_.gru_hidden.view(), {}, hidden_.view()}};
        backend().matmul(state_.view(), hidden);
    }
    backend().gru(input, hidden_.view(), state_.view(), state_.view(), gates);
    hidden_known_ = false;
}

void DominoHead::catch_up() {
    for (const int token : unread_) step(input_of(token), keep_gates_ ? gates_.view() : Tensor{});
    unread_.clear();
}

void DominoHead::resume(const Tensor& state) {
    unread_.clear();
    backend().copy(state, state_.view());
    hidden_known_ = false;
}

ModelRows& DominoHead::correct(int index) {
    catch_up();
    if (pool_size_ > 0)
        (void)correct_row(index, pool_correction_.view(), pool_base_.view().slice(index - pool_first_, 1), pool_ids_);
    else
        (void)correct_row(index, correction_.weight, base_.slice(index, 1), correction_.ids);
    return corrected_;
}

// Logits of row `index` from the state, in corrected_; and, but for the last row, the recurrent part of the next step in
// hidden_.
Tensor DominoHead::correct_row(int index, const Tensor& weight, const Tensor& base, std::span<const int> ids) {
    const Projection of_state[] = {{network_.mix_state.view(), from_rows_.view().slice(index, 1), mixed_.view()},
                                   {network_.gru_hidden.view(), {}, hidden_.view()}};
    hidden_known_ = index + 1 < base_.rows;
    backend().matmul(state_.view(), std::span(of_state).first(hidden_known_ ? 2 : 1));
    backend().silu(mixed_.view());
    const Tensor logits = corrected_.begin(1, ids);
    const Projection add[] = {{weight, base, logits}};
    backend().matmul(mixed_.view(), add);
    return logits;
}

std::vector<int> DominoHead::draft_tokens(const Tensor& rows, const Tensor& base, int prefix, int anchor) {
    CHECK(whole(), "only some ids are corrected");
    const auto count = static_cast<int>(rows.rows);
    const auto place = [&](int index) { // of draft token `index`
        return Tensor{static_cast<std::int32_t*>(drafted_.view().data) + index, DType::i32, 1, 1};
    };
    begin(rows, base, prefix);
    prefix = std::min(prefix, count);
    if (prefix > 0) backend().argmax(base.slice(0, prefix), {drafted_.view().data, DType::i32, 1, prefix});
    for (int i = 0; i < count && prefix < count; ++i) {
        step(i == 0 ? input_of(anchor) : input_of_column(place(i - 1)), {});
        if (i >= prefix) backend().argmax(correct_row(i, correction_.weight, base.slice(i, 1), correction_.ids), place(i));
    }
    std::vector<int> tokens(static_cast<std::size_t>(count));
    backend().download({drafted_.view().data, DType::i32, 1, count}, tokens.data());
    if (correction_.reduced())
        for (int& token : tokens) token = correction_.ids[static_cast<std::size_t>(token)];
    return tokens;
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
    if (correction_.reduced())
        for (int& id : pool_ids_) id = correction_.ids[static_cast<std::size_t>(id)];
}

} // namespace speclens
