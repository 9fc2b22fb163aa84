#include "engine/drafters/block.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"
#include "kernels/error.h"

namespace speclens {

namespace {

OutputHead own_head(const DrafterArgs& args) {
    const DraftNetwork& network = *args.network;
    if (network.config.draft_vocab == 0) return args.target_head();
    if (args.options.fr_spec > 0)
        throw Error("--fr-spec does nothing for " + network.name + ": its head has a reduced vocabulary of its own",
                    "Leave it out; draft_vocab_size in the head's config.json says how many ids it ranks.", Exit::usage);
    return ranking_head(args, network.lm_head.view());
}

} // namespace

OutputHead ranking_head(const DrafterArgs& args, const Tensor& matrix) {
    const DraftNetwork& network = *args.network;
    return network.config.draft_vocab > 0 ? OutputHead{matrix, network.target_id, {}} : args.output_head(matrix);
}

BlockDrafter::BlockDrafter(const DrafterArgs& args)
    : network_(args.network), options_(args.options), taps_(network_->config.taps),
      stack_(network_->backend(), network_->config.layer, network_->layer, network_->cos_sin.view(),
             args.target.capacity() + network_->config.block, network_->backend().max_rows()),
      base_rows_(network_->backend(), network_->config.layer.vocab, tokens_of(*network_->target), network_->name), head_(own_head(args)) {
    for (int& tap : taps_) {
        tap += options_.tap_shift;
        if (tap < kTapEmbedding || tap >= args.target.layers())
            throw Error("--tap-shift " + std::to_string(options_.tap_shift) + " asks for layer " + std::to_string(tap) +
                            "; the target has layers 0 to " + std::to_string(args.target.layers() - 1),
                        "Use a smaller shift.", Exit::usage);
    }
    const int rows = backend().max_rows(), hidden = network_->config.layer.hidden;
    ids_ = Buffer(backend(), DType::i32, 1, network_->config.block + 1);
    all_ = Buffer(backend(), DType::i64, network_->config.block + 1, 1);
    fused_ = Buffer(backend(), DType::f32, rows, hidden);
    context_ = Buffer(backend(), DType::f32, rows, hidden);
    positions_ = Buffer(backend(), DType::i32, 1, rows);
    newest_taps_ = row_of(static_cast<int>(taps_.size()) * hidden);
    if (!network_->config.own_mask) return;
    masks_ = Buffer(backend(), DType::f32, network_->config.block, hidden);
    const std::vector<int> first(static_cast<std::size_t>(network_->config.block), 0);
    const Tensor ids = {ids_.view().data, DType::i32, 1, network_->config.block};
    backend().upload(ids, first.data());
    backend().embed(network_->mask.view(), ids, masks_.view());
}

void BlockDrafter::begin(std::span<const int>) {
    length_ = kept_ = 0;
    waiting_.clear();
    taps_known_ = false;
}

// The features of a verified round are injected when the next block is drafted: it is a part of that block's cost,
// and the last round of a run needs none.
void BlockDrafter::observe(const Observation& observation) {
    if (!network_->config.conditioned || !options_.conditioning) {
        length_ = observation.first + static_cast<int>(observation.features.rows);
        return;
    }
    if (observation.prompt) {
        keep_taps(observation.features);
        return absorb(observation.features, observation.first);
    }
    waiting_.take(observation.features, observation.first);
}

void BlockDrafter::keep_taps(const Tensor& features) {
    if (features.rows == 0) return;
    backend().copy(features.slice(features.rows - 1, 1), newest_taps_.view());
    taps_known_ = true;
}

void BlockDrafter::absorb(const Tensor& features, int first) {
    if (first != length_) return; // what came before did not fit: draft() sees that the context is incomplete
    const int rows = static_cast<int>(features.rows), hidden = network_->config.layer.hidden;
    std::vector<int> at(static_cast<std::size_t>(rows));
    for (int i = 0; i < rows; ++i) at[static_cast<std::size_t>(i)] = first + i;
    if (at.back() >= network_->cos_sin.view().rows) return; // behind the last position the head knows
    const Tensor positions = {positions_.view().data, DType::i32, 1, rows};
    backend().upload(positions, at.data());

    const Tensor fused = fused_.view().slice(0, rows), context = context_.view().slice(0, rows);
    CHECK(features.cols == static_cast<std::int64_t>(taps_.size()) * hidden, "features of other taps");
    const Projection fuse[] = {{network_->fc.view(), {}, fused}};
    backend().matmul(features, fuse);
    backend().add_norm(fused, {}, network_->hidden_norm.view(), network_->config.layer.rms_eps, context);
    stack_.reserve(kept_ + rows, kept_);
    for (int layer = 0; layer < network_->config.layer.layers; ++layer) stack_.store_context(layer, context, positions, kept_);
    length_ += rows;
    kept_ += rows;
    if (const int most = options_.context_last; most > 0 && kept_ > most) {
        std::vector<int> from, to;
        for (int i = 0; i < most; ++i) {
            from.push_back(kept_ - most + i);
            to.push_back(i);
        }
        stack_.move_slots(from, to);
        kept_ = most;
    }
}

// One slot more than drafts, as in training; only a full anchor-aligned block leaves none unused.
int BlockDrafter::slots_for(int k) const { return network_->config.anchor_aligned && k == network_->config.block ? k : k + 1; }

std::vector<LayerStack::Pass::Range> BlockDrafter::window_ranges(int window, int slots) const {
    std::vector<LayerStack::Pass::Range> ranges;
    for (int row = 0; row < slots; ++row) {
        const int own = kept_ + row; // the slots of the context and of the block follow each other
        const int first = std::max(0, own - (window - 1));
        ranges.push_back({std::min(first, own), network_->config.window_causal ? own + 1 : kept_ + slots});
    }
    return ranges;
}

BlockDrafter::Block BlockDrafter::fill(int anchor, int k) {
    const DraftConfig& config = network_->config;
    const int slots = slots_for(k);
    std::vector<int> tokens(static_cast<std::size_t>(slots), config.mask_id), positions(tokens.size());
    tokens[0] = anchor;
    const int embedded = config.own_mask ? 1 : slots; // of the rows
    for (int i = 0; i < slots; ++i) positions[static_cast<std::size_t>(i)] = length_ + i;
    const std::vector<std::uint64_t> everything(tokens.size(), ~std::uint64_t{0} >> (64 - slots));

    stack_.reserve(kept_ + slots, kept_);
    AttentionMask mask{.prefix = kept_, .first_slot = kept_, .ancestors = all_.view().slice(0, slots)};
    backend().upload(mask.ancestors, everything.data());
    LayerStack::Pass pass = stack_.begin(positions, mask);
    const Tensor ids = {ids_.view().data, DType::i32, 1, embedded};
    backend().upload(ids, tokens.data());
    backend().embed(network_->target->embedding.view(), ids, pass.residual.slice(0, embedded));
    if (embedded < slots) backend().copy(masks_.view().slice(0, slots - 1), pass.residual.slice(1, slots - 1));
    std::vector<LayerStack::Pass::Range> seen;
    for (int layer = 0; layer < config.layer.layers; ++layer) {
        const int window = config.windows.empty() ? 0 : config.windows[static_cast<std::size_t>(layer)];
        if (window > 0) seen = window_ranges(window, slots);
        pass.ranges = window > 0 ? std::span<const LayerStack::Pass::Range>(seen) : std::span<const LayerStack::Pass::Range>();
        run_layer(stack_, layer, pass);
    }
    pass.ranges = {};
    stack_.add_norm(pass, network_->norm.view(), pass.normed);

    Block block;
    block.anchor = anchor;
    block.rows = pass.normed.slice(config.anchor_aligned ? 0 : 1, k);
    block.base = base_rows_.begin(k, head_.ids);
    products_.assign(1, {head_.weight, {}, block.base});
    add_products(k, products_);
    backend().matmul(block.rows, products_);
    return block;
}

Draft BlockDrafter::draft(const DraftRequest& request) {
    Draft draft;
    const Stopwatch watch;
    const TimeMark begun = backend().mark();
    waiting_.read(backend().max_rows(), [&](const Tensor& features, int first, bool last) {
        absorb(features, first);
        if (request.internals && last) keep_taps(features);
    });
    const int k = std::min(request.k, network_->config.most_drafts());
    const bool complete = length_ == static_cast<int>(request.sequence.size()) - 1;
    if (!complete || length_ + slots_for(k) > network_->cos_sin.view().rows) return draft; // past its positions

    const Block block = fill(request.sequence.back(), k);
    const TimeMark filled = backend().mark();
    const double asked_ms = watch.ms();
    choose(block, k, request, draft);
    if (!draft.nodes.empty()) {
        // One pass for the whole block, behind the one over what was accepted. A device may still be at them when
        // they were asked for: then the head, which waits for the first answer, waited for them.
        DraftNode& first = draft.nodes.front();
        const double waited_ms = std::clamp(backend().elapsed_ms(begun, filled) - asked_ms, 0.0, first.head_ms);
        first.head_ms -= waited_ms;
        first.ms += asked_ms + waited_ms;
    }
    if (request.internals) look(block, draft);
    return draft;
}

void BlockDrafter::choose(const Block&, int k, const DraftRequest& request, Draft& draft) {
    for (int i = 0; i < k; ++i) {
        const Stopwatch watch;
        if (!goes_on(base_rows_, i, i, request)) return;
        draft.nodes.push_back(next_node(base_rows_, i, i, network_->config.layer.vocab, request));
        draft.nodes.back().ms = watch.ms() - draft.nodes.back().record_ms;
        if (is_stop(request.stops, draft.nodes.back().token)) return;
    }
}

void BlockDrafter::look(const Block& block, Draft& draft) {
    const auto hidden = static_cast<std::size_t>(network_->config.layer.hidden);
    std::vector<float> row(hidden);
    const std::vector<int> depths = draft.depths();
    for (std::size_t i = 0; i < draft.nodes.size(); ++i) {
        backend().download(block.rows.slice(depths[i] - 1, 1), row.data());
        draft.nodes[i].internals.add("row", row);
    }
    if (draft.nodes.empty() || !taps_known_ || !network_->config.conditioned || !options_.conditioning) return;
    std::vector<float> taps(taps_.size() * hidden);
    backend().download(newest_taps_.view(), taps.data());
    for (std::size_t i = 0; i < taps_.size(); ++i)
        draft.nodes.front().internals.add(std::string(Internals::Strip::kTap) + std::to_string(taps_[i]),
                                          std::span(taps).subspan(i * hidden, hidden));
}

void BlockDrafter::look_at_correction(DraftNode& node, int index, PassRows& corrected, const DraftRequest& request) {
    if (request.internals) node.internals.add_correction(base_rows_.logits(index), corrected.logits(0));
}

void BlockDrafter::record_base(DraftNode& node, int index, const DraftRequest& request) {
    if (request.entries == 0) return;
    const Stopwatch watch;
    node.base = base_rows_.heads(index, kRawSampling, request.entries).distribution;
    node.record_ms += watch.ms();
}

void BlockDrafter::look_up(const Tensor& table, int token, const Tensor& out) {
    const Tensor id = {ids_.view().data, DType::i32, 1, 1};
    backend().upload(id, &token);
    backend().embed(table, id, out);
}

} // namespace speclens
