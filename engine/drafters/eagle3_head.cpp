#include "engine/drafters/eagle3_head.h"

#include <algorithm>
#include <numeric>

#include "kernels/error.h"

namespace speclens {

Eagle3Head::Eagle3Head(std::shared_ptr<const DraftNetwork> network, int capacity)
    : network_(std::move(network)), capacity_(std::min(capacity, static_cast<int>(network_->cos_sin.view().rows))),
      stack_(network_->backend(), network_->config.layer, network_->layer, network_->cos_sin.view(), capacity_,
             network_->backend().max_rows()),
      rows_(network_->backend(), network_->config.draft_vocab,
            static_cast<int>(std::ranges::lower_bound(network_->target_id, tokens_of(*network_->target)) - network_->target_id.begin()),
            network_->name) {
    const int rows = backend().max_rows(), hidden = network_->config.layer.hidden;
    const auto matrix = [&](int count) { return Buffer(backend(), DType::f32, count, hidden); };
    ids_ = Buffer(backend(), DType::i32, 1, rows);
    order_ = Buffer(backend(), DType::i32, 1, 2 * rows);
    features_ = matrix(rows);
    newest_ = matrix(1);
    root_ = matrix(1);
    tree_outputs_ = matrix(rows + 1);
    ancestors_ = Buffer(backend(), DType::i64, rows, (rows + 63) / 64);
    pairs_ = matrix(2 * rows);
    joined_ = matrix(2 * rows);
    normed_ = matrix(rows);
    if (const int masks = network_->config.masks; masks > 0) {
        CHECK(masks < rows, "more masks than rows of a pass");
        masks_ = matrix(2 * masks);
        mask_residuals_ = matrix(masks);
        ahead_ = matrix(1 + masks);
        const Tensor mask = network_->mask.view();
        const Tensor halves = {mask.data, mask.dtype, 2, hidden};
        for (int i = 0; i < masks; ++i) {
            backend().copy(halves, masks_.view().slice(2 * i, 2));
            backend().copy(halves.slice(0, 1), mask_residuals_.view().slice(i, 1));
        }
    }
}

void Eagle3Head::absorb(const Tensor& features, std::span<const int> next_tokens) {
    const int rows = static_cast<int>(features.rows);
    CHECK(static_cast<int>(next_tokens.size()) == rows, "one token for every feature");
    if (length_ + rows > capacity_) return; // draft() will see that the columns are incomplete
    const Tensor g = features_.view().slice(0, rows);
    fuse(features, g);
    std::vector<int> positions(next_tokens.size());
    std::iota(positions.begin(), positions.end(), length_);
    const Tensor outputs = run(next_tokens, g, 0, positions, {.prefix = length_, .first_slot = length_, .ancestors = {}});
    length_ += rows;
    outputs_ = newest_.view();
    backend().copy(outputs.slice(rows - 1, 1), outputs_);
}

void Eagle3Head::absorb_ahead(const Tensor& features, std::span<const int> next_tokens, int masks) {
    if (const int rows = static_cast<int>(features.rows); rows + masks > backend().max_rows()) {
        absorb(features, next_tokens);
        return absorb_ahead({}, {}, masks);
    }
    const int rows = static_cast<int>(features.rows);
    CHECK(static_cast<int>(next_tokens.size()) == rows, "one token for every feature");
    CHECK(rows > 0 || length_ > 0, "masks behind nothing");
    if (length_ + rows > capacity_) return; // draft() will see that the columns are incomplete
    masks = std::min(masks, capacity_ - length_ - rows);
    const Tensor g = features_.view().slice(0, rows);
    if (rows > 0) fuse(features, g);
    outputs_ = ahead_.view().slice(0, 1 + masks);
    if (rows + masks > 0) {
        std::vector<int> positions(static_cast<std::size_t>(rows + masks));
        std::iota(positions.begin(), positions.end(), length_);
        const Tensor outputs = run(next_tokens, g, masks, positions, {.prefix = length_, .first_slot = length_, .ancestors = {}});
        if (rows > 0) backend().copy(outputs.slice(rows - 1, 1), newest_.view());
        if (masks > 0) backend().copy(outputs.slice(rows, masks), outputs_.slice(1, masks));
    }
    length_ += rows;
    backend().copy(newest_.view(), outputs_.slice(0, 1));
}

void Eagle3Head::fuse(const Tensor& features, const Tensor& g) {
    Tensor joined = features;
    if (!network_->input_norm.empty()) {
        if (joined_taps_.empty()) joined_taps_ = Buffer(backend(), DType::f32, backend().max_rows(), features.cols);
        joined = joined_taps_.view().slice(0, features.rows);
        backend().add_norm(features, {}, network_->input_norm.view(), network_->config.layer.rms_eps, joined);
    }
    if (const auto taps = static_cast<std::int64_t>(network_->fc_norm.size()); taps > 0) {
        // one block of rows per tap, because each tap has its own weight; then side by side again
        const std::int64_t rows = features.rows, hidden = g.cols, cells = taps * rows;
        if (by_tap_.view().rows < 2 * cells) {
            by_tap_ = Buffer(backend(), DType::f32, 2 * taps * backend().max_rows(), hidden);
            tap_order_ = Buffer(backend(), DType::i32, 1, taps * backend().max_rows());
        }
        const Tensor order = {tap_order_.view().data, DType::i32, 1, cells};
        const Tensor blocks = by_tap_.view().slice(0, cells), back = by_tap_.view().slice(cells, cells);
        std::vector<int> from;
        for (std::int64_t tap = 0; tap < taps; ++tap)
            for (std::int64_t row = 0; row < rows; ++row) from.push_back(static_cast<int>(row * taps + tap));
        backend().upload(order, from.data());
        backend().gather_rows({features.data, DType::f32, cells, hidden}, order, blocks);
        for (std::int64_t tap = 0; tap < taps; ++tap) {
            const Tensor block = blocks.slice(tap * rows, rows);
            backend().add_norm(block, {}, network_->fc_norm[static_cast<std::size_t>(tap)].view(), network_->config.layer.rms_eps, block);
        }
        from.clear();
        for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t tap = 0; tap < taps; ++tap) from.push_back(static_cast<int>(tap * rows + row));
        backend().upload(order, from.data());
        backend().gather_rows(blocks, order, back);
        joined = {back.data, DType::f32, rows, taps * hidden};
    }
    const Projection fuse[] = {{network_->fc.view(), {}, g}};
    backend().matmul(joined, fuse);
}

void Eagle3Head::extend(int token, int own) {
    const Tensor g = features_.view().slice(0, 1);
    backend().copy(outputs_, g);
    const int position = length_ + own;
    const Tensor outputs =
        run(std::span(&token, 1), g, 0, std::span(&position, 1), {.prefix = position, .first_slot = position, .ancestors = {}});
    outputs_ = newest_.view();
    backend().copy(outputs, outputs_);
}

void Eagle3Head::begin_tree() {
    tree_tokens_.clear();
    tree_parents_.clear();
    backend().copy(outputs_, root_.view());
}

void Eagle3Head::grow(std::span<const int> tokens, std::span<const int> parents) {
    tree_tokens_.insert(tree_tokens_.end(), tokens.begin(), tokens.end());
    tree_parents_.insert(tree_parents_.end(), parents.begin(), parents.end());
    const auto rows = tree_tokens_.size(), words = (rows + 63) / 64;
    std::vector<int> positions(rows), from(rows);
    std::vector<std::uint64_t> bits(rows * words);
    for (std::size_t i = 0; i < rows; ++i) {
        const int parent = tree_parents_[i];
        CHECK(parent >= -1 && parent < static_cast<int>(i), "a column of a tree hangs from an earlier one");
        positions[i] = parent < 0 ? length_ : positions[static_cast<std::size_t>(parent)] + 1;
        from[i] = parent + 1;
        if (parent >= 0)
            std::copy_n(bits.begin() + static_cast<std::ptrdiff_t>(words) * parent, words,
                        bits.begin() + static_cast<std::ptrdiff_t>(words * i));
        bits[i * words + i / 64] |= std::uint64_t{1} << (i % 64);
    }
    // every column continues its parent's output; row 0 of these is the root's
    const Tensor g = features_.view().slice(0, static_cast<std::int64_t>(rows));
    const Tensor indices = {order_.view().data, DType::i32, 1, static_cast<std::int64_t>(rows)};
    backend().upload(indices, from.data());
    backend().copy(root_.view(), tree_outputs_.view().slice(0, 1));
    backend().gather_rows(tree_outputs_.view(), indices, g);

    AttentionMask mask{.prefix = length_, .first_slot = length_, .ancestors = {}};
    mask.ancestors = {ancestors_.view().data, DType::i64, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(words)};
    backend().upload(mask.ancestors, bits.data());
    const Tensor outputs = run(tree_tokens_, g, 0, positions, mask);
    backend().copy(outputs, tree_outputs_.view().slice(1, static_cast<std::int64_t>(rows)));
    const auto grown = static_cast<std::int64_t>(tokens.size());
    outputs_ = tree_outputs_.view().slice(1 + static_cast<std::int64_t>(rows) - grown, grown);
}

Tensor Eagle3Head::run(std::span<const int> tokens, const Tensor& features, int masks, std::span<const int> positions,
                       const AttentionMask& mask) {
    const int pairs = static_cast<int>(tokens.size()), rows = pairs + masks;
    const float eps = network_->config.layer.rms_eps;
    stack_.reserve(mask.first_slot + rows, mask.prefix);
    LayerStack::Pass pass = stack_.begin(positions, mask);

    // the embedding first, then the feature, side by side in rows of width 2h
    Tensor joined = joined_.view().slice(0, 2 * rows);
    if (pairs > 0) {
        const Tensor ids = {ids_.view().data, DType::i32, 1, pairs};
        backend().upload(ids, tokens.data());
        const Tensor embedded = normed_.view().slice(0, pairs);
        backend().embed(network_->target->embedding.view(), ids, embedded);
        const Tensor both = pairs_.view().slice(0, 2 * pairs), normed_features = both.slice(pairs, pairs);
        backend().add_norm(embedded, {}, network_->layer[0].input_norm.view(), eps, both.slice(0, pairs));
        backend().add_norm(features, {}, network_->hidden_norm.view(), eps, normed_features);
        if (rows == 1) { // one row already is
            joined = both;
        } else {
            std::vector<int> order;
            for (int i = 0; i < pairs; ++i) {
                order.push_back(i);
                order.push_back(pairs + i);
            }
            const Tensor indices = {order_.view().data, DType::i32, 1, 2 * pairs};
            backend().upload(indices, order.data());
            backend().gather_rows(both, indices, joined.slice(0, 2 * pairs));
        }
        backend().copy(network_->config.norm_before_residual ? normed_features : features, pass.residual.slice(0, pairs));
    }
    if (masks > 0) { // as they are: no embedding, no norm
        backend().copy(masks_.view().slice(0, 2 * masks), joined.slice(2 * pairs, 2 * masks));
        backend().copy(mask_residuals_.view().slice(0, masks), pass.residual.slice(pairs, masks));
    }
    joined = {joined.data, DType::f32, rows, 2 * joined.cols};

    stack_.attend(0, joined, pass);
    stack_.run_mlp(0, pass);
    for (int layer = 1; layer < network_->config.layer.layers; ++layer) stack_.run(layer, pass);
    if (!network_->config.norm_output) {
        stack_.add_norm(pass, {}, {});
        return pass.residual;
    }
    stack_.add_norm(pass, network_->norm.view(), pass.normed);
    return pass.normed;
}

std::vector<float> Eagle3Head::fused(const Tensor& features) {
    const Tensor g = features_.view().slice(0, features.rows);
    fuse(features, g);
    std::vector<float> values(static_cast<std::size_t>(g.size()));
    backend().download(g, values.data());
    return values;
}

void Eagle3Head::predict() {
    const int rows = static_cast<int>(outputs_.rows);
    Tensor states = outputs_;
    for (int i = 0; i < (network_->config.norm_output ? 0 : network_->config.output_norms); ++i) { // else they are normed already
        const Tensor from = states;
        states = normed_.view().slice(0, rows);
        backend().add_norm(from, {}, network_->norm.view(), network_->config.layer.rms_eps, states);
    }
    const Projection head[] = {{network_->lm_head.view(), {}, rows_.begin(rows)}};
    backend().matmul(states, head);
}

Distribution Eagle3Head::widened(const Distribution& distribution) const {
    Distribution wide(static_cast<std::size_t>(network_->config.layer.vocab), 0.0);
    for (std::size_t i = 0; i < distribution.size(); ++i) wide[static_cast<std::size_t>(target_id(static_cast<int>(i)))] = distribution[i];
    return wide;
}

TopEntries Eagle3Head::widened(TopEntries top) const {
    for (TopEntries::Entry& entry : top.entries) entry.id = target_id(entry.id);
    return top;
}

Eagle3Drafter::Eagle3Drafter(const DrafterArgs& args)
    : head_(args.network, args.target.capacity() + args.target.max_rows()),
      newest_taps_(args.network->backend(), DType::f32, 1,
                   static_cast<int>(args.network->config.taps.size()) * args.network->config.layer.hidden) {}

void Eagle3Drafter::begin(std::span<const int>) {
    head_.begin();
    waiting_.clear();
    taps_known_ = false;
}

void Eagle3Drafter::observe(const Observation& observation) {
    if (observation.prompt) {
        keep_taps(observation.features);
        return absorb(observation.features, observation.first, observation.sequence);
    }
    waiting_.take(observation.features, observation.first);
}

void Eagle3Drafter::keep_taps(const Tensor& features) {
    if (features.rows == 0) return;
    head_.network().backend().copy(features.slice(features.rows - 1, 1), newest_taps_.view());
    taps_known_ = true;
}

bool Eagle3Drafter::catch_up(std::span<const int> sequence, bool internals, int masks) {
    if (waiting_.empty() && masks > 0 && head_.length() > 0) head_.absorb_ahead({}, {}, masks);
    waiting_.read(head_.network().backend().max_rows(), [&](const Tensor& features, int first, bool last) {
        absorb(features, first, sequence, last ? masks : 0);
        if (internals && last) keep_taps(features);
    });
    return head_.length() > 0 && head_.length() == static_cast<int>(sequence.size()) - 1;
}

void Eagle3Drafter::absorb(const Tensor& features, int first, std::span<const int> sequence, int masks) {
    if (first != head_.length()) return; // a piece before this one did not fit
    const auto next = sequence.subspan(static_cast<std::size_t>(first) + 1, static_cast<std::size_t>(features.rows));
    if (masks > 0)
        head_.absorb_ahead(features, next, masks);
    else
        head_.absorb(features, next);
}

} // namespace speclens
