// DFlash 2 (Z Lab, August 2026; github.com/z-lab/dflash at 1012959, dflash/model.py): DFlash's block with two additions.
// Short convolutions stand before and behind every sub-layer, so that a row hears of those right before it; their kernel is one of the
// layer's plus what the sub-layer's input adds to it, row by row. And a selector walks the block from left to right: of each row the
// ids with the highest base logits are candidates, scored by unary + ⟨A[previous] ⊙ W·row, B[candidate]⟩ with two codebooks A and B.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/base/clock.h"
#include "engine/drafters/block.h"
#include "engine/drafters/chain.h"
#include "kernels/error.h"

namespace speclens {
namespace {

// One row: what the selector thinks of its candidates. Its distribution, from which a token is drawn and by which it is judged, is the
// softmax over them at the temperature and filters asked for; every other id has probability 0.
class CandidateRow final : public PassRows {
  public:
    explicit CandidateRow(int vocab) : vocab_(static_cast<std::size_t>(vocab)) {}
    void set(std::span<const int> ids, std::span<const double> scores) {
        ids_ = ids;
        scores_ = scores;
        best_[0] = ids[0];
        double highest = scores[0];
        for (std::size_t i = 1; i < ids.size(); ++i) {
            if (scores[i] < highest || (scores[i] == highest && ids[i] > best_[0])) continue;
            highest = scores[i];
            best_[0] = ids[i];
        }
        highest_ = highest;
        forget_distributions();
    }

    [[nodiscard]] int count() const override { return 1; }
    [[nodiscard]] const std::vector<int>& argmax() override { return best_; }
    [[nodiscard]] std::vector<float> logits(int /*row*/) override {
        std::vector<float> all(vocab_, -std::numeric_limits<float>::infinity());
        for (std::size_t i = 0; i < ids_.size(); ++i) all[static_cast<std::size_t>(ids_[i])] = static_cast<float>(scores_[i]);
        return all;
    }

  private:
    void compute_distribution(int /*row*/, const Sampling& sampling, Distribution& distribution) override {
        distribution.assign(vocab_, 0.0);
        if (sampling.temperature == 0) {
            distribution[static_cast<std::size_t>(best_[0])] = 1;
            return;
        }
        double sum = 0;
        const auto share = [&](std::size_t i) { return std::exp((scores_[i] - highest_) / sampling.temperature); };
        for (std::size_t i = 0; i < ids_.size(); ++i) sum += share(i);
        for (std::size_t i = 0; i < ids_.size(); ++i) distribution[static_cast<std::size_t>(ids_[i])] = share(i) / sum;
        filter_distribution(distribution, sampling);
    }

    std::size_t vocab_;
    std::span<const int> ids_;
    std::span<const double> scores_;
    double highest_ = 0;
    std::vector<int> best_ = {0};
};

class DFlash2 final : public BlockDrafter {
  public:
    explicit DFlash2(const DrafterArgs& args) : BlockDrafter(args), row_(network().config.layer.vocab), corrects_(args.options.correction) {
        const DraftConfig& c = network().config;
        const int block = c.block, tokens = tokens_of(*network().target);
        const std::span<const int> ids = head().ids;
        columns_ = ids.empty() ? tokens : static_cast<int>(std::ranges::lower_bound(ids, tokens) - ids.begin());
        count_ = static_cast<std::size_t>(std::min(c.candidates, columns_));
        added_ = matrix(block + 1, 2 * c.conv_taps * groups());
        projected_ = matrix(block, c.selector_rank);
        const int entries = 1 + block * static_cast<int>(count_);
        looked_up_ = Buffer(backend(), DType::i32, 1, entries);
        before_ = matrix(entries, c.selector_rank);
        behind_ = matrix(entries, c.selector_rank);
        context_.resize(static_cast<std::size_t>(c.selector_rank));
        scores_.resize(count_);
    }

  protected:
    void run_layer(LayerStack& stack, int layer, LayerStack::Pass& pass) override {
        const auto at = static_cast<std::size_t>(layer);
        const LayerWeights& w = network().layer[at];
        const auto& [attention, mlp] = network().convolutions[at];
        stack.add_norm(pass, w.input_norm.view(), pass.normed);
        begin_convolved(attention, pass);
        stack.attend(layer, pass.normed, pass);
        convolve(attention, 1, pass.delta);
        stack.add_norm(pass, w.post_norm.view(), pass.normed);
        begin_convolved(mlp, pass);
        stack.feed_forward(layer, pass.normed, pass);
        convolve(mlp, 1, pass.delta);
    }

    void add_products(std::int64_t rows, std::vector<Projection>& products) override {
        if (corrects_) products.push_back({network().selector_row.view(), {}, projected_.view().slice(0, rows)});
    }

    void choose(const Block& block, int k, const DraftRequest& request, Draft& draft) override {
        if (!corrects_) return BlockDrafter::choose(block, k, request, draft);
        int token = block.anchor;
        for (int i = 0; i < k; ++i) {
            const Stopwatch watch;
            if (i == 0) list_candidates(block, k);
            score(i, token);
            if (!goes_on(row_, 0, i, request)) return;
            DraftNode node = next_node(row_, 0, i, network().config.layer.vocab, request);
            record_base(node, i, request);
            token = node.token;
            if (node.extra.empty()) node.extra = place_of(i, token);
            node.head_ms = watch.ms() - node.record_ms;
            look_at_correction(node, i, row_, request);
            draft.nodes.push_back(std::move(node));
            if (is_stop(request.stops, token)) return;
        }
    }

  private:
    [[nodiscard]] int groups() const { return network().config.layer.hidden / network().config.conv_group; }
    [[nodiscard]] Buffer matrix(int rows, int cols) const { return {backend(), DType::f32, rows, cols}; }

    // What the rows of the sub-layer's input add to its two kernels, and the first of the convolutions.
    void begin_convolved(const SubLayerConvolutions& convolutions, const LayerStack::Pass& pass) {
        const Projection added[] = {{convolutions.added.view(), {}, added_.view().slice(0, pass.rows)}};
        backend().matmul(pass.normed, added);
        convolve(convolutions, 0, pass.normed);
    }

    // which: 0 before the sub-layer, 1 behind it.
    void convolve(const SubLayerConvolutions& convolutions, int which, const Tensor& rows) {
        const std::int64_t taps = network().config.conv_taps;
        const Tensor base = {convolutions.base.view().data, DType::f32, 2 * taps, rows.cols};
        backend().convolve(rows, base.slice(which * taps, taps), added_.view().slice(0, rows.rows), which * taps * groups(), groups());
    }

    // The candidates of all rows, largest base logit first, ties by the lowest id; and what is needed to score them: of every
    // candidate, and of the anchor, the rows of both codebooks.
    void list_candidates(const Block& block, int k) {
        const auto rows = static_cast<std::size_t>(k);
        candidates_.clear();
        unary_.clear();
        // padding of the output matrix is no candidate: where some is among the first ones, more are asked for
        for (std::int64_t asked = std::ssize(scores_); candidates_.size() < rows * count_; asked = std::min(2 * asked, block.base.cols)) {
            const Tensor ids = room_for(listed_, DType::i32, k, asked), values = room_for(listed_values_, DType::f32, k, asked);
            backend().top_k(block.base, static_cast<int>(asked), ids, values);
            std::vector<int> column(rows * static_cast<std::size_t>(asked));
            std::vector<float> logit(column.size());
            backend().download(ids, column.data());
            backend().download(values, logit.data());
            take_candidates(column, logit, static_cast<std::size_t>(asked));
        }

        std::vector<int> entries = {block.anchor};
        entries.insert(entries.end(), candidates_.begin(), candidates_.end());
        const Tensor ids = {looked_up_.view().data, DType::i32, 1, std::ssize(entries)};
        backend().upload(ids, entries.data());
        const Tensor before = before_.view().slice(0, ids.cols), behind = behind_.view().slice(0, ids.cols);
        backend().embed(network().predecessors.view(), ids, before);
        backend().embed(network().successors.view(), ids, behind);
        const auto fetch = [&](const Tensor& from, std::vector<float>& to) {
            to.resize(static_cast<std::size_t>(from.size()));
            backend().download(from, to.data());
        };
        fetch(before, predecessors_);
        fetch(behind, successors_);
        fetch(projected_.view().slice(0, k), rows_);
    }

    // Of each row the first `count_` that a token has.
    void take_candidates(const std::vector<int>& column, const std::vector<float>& logit, std::size_t asked) {
        candidates_.clear();
        unary_.clear();
        for (std::size_t first = 0; first < column.size(); first += asked)
            for (std::size_t i = first, taken = 0; i < first + asked && taken < count_; ++i) {
                if (column[i] >= columns_) continue;
                candidates_.push_back(head().ids.empty() ? column[i] : head().ids[static_cast<std::size_t>(column[i])]);
                unary_.push_back(logit[i]);
                ++taken;
            }
    }

    void score(int index, int previous) {
        const std::size_t rank = context_.size(), first = static_cast<std::size_t>(index) * count_;
        const auto row = rows_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(index) * rank);
        const std::span<const float> before = predecessor(index, previous);
        std::transform(before.begin(), before.end(), row, context_.begin(), std::multiplies<>());
        for (std::size_t i = 0; i < count_; ++i) {
            const auto behind = successors_.begin() + static_cast<std::ptrdiff_t>((1 + first + i) * rank);
            scores_[i] = std::transform_reduce(context_.begin(), context_.end(), behind, static_cast<double>(unary_[first + i]));
            if (!std::isfinite(scores_[i]))
                throw Error(network().name + ": the head computed scores that are not finite numbers",
                            "Its weights are damaged, or made for another target.");
        }
        row_.set(std::span(candidates_).subspan(first, count_), scores_);
    }

    // A's row of the token before place `index`: the anchor, a candidate of the row before, or one that was forced.
    std::span<const float> predecessor(int index, int token) {
        const std::size_t rank = context_.size();
        std::size_t entry = 0;
        if (index > 0) {
            const auto first = candidates_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(index - 1) * count_);
            const auto found = std::find(first, first + static_cast<std::ptrdiff_t>(count_), token);
            if (found == first + static_cast<std::ptrdiff_t>(count_)) {
                const Tensor out = before_.view().slice(0, 1);
                look_up(network().predecessors.view(), token, out);
                forced_.resize(rank);
                backend().download(out, forced_.data());
                return forced_;
            }
            entry = 1 + static_cast<std::size_t>(found - candidates_.begin());
        }
        return std::span(predecessors_).subspan(entry * rank, rank);
    }

    // "candidate 3 of 16": where the base logits had it.
    [[nodiscard]] std::string place_of(int index, int token) const {
        const auto first = candidates_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(index) * count_);
        return "candidate " + std::to_string(std::find(first, first + static_cast<std::ptrdiff_t>(count_), token) - first + 1) + " of " +
               std::to_string(count_);
    }

    Tensor room_for(Buffer& buffer, DType type, std::int64_t rows, std::int64_t cols) {
        if (buffer.view().size() < rows * cols) buffer = Buffer(backend(), type, rows, cols);
        return {buffer.view().data, type, rows, cols};
    }

    CandidateRow row_;
    bool corrects_;
    int columns_ = 0;               // of the logits that have a token, the first ones
    std::size_t count_ = 0;         // candidates of a row
    Buffer added_;                  // (B + 1, 2t * g)
    Buffer projected_;              // (B, r): W·row
    Buffer listed_, listed_values_; // (k, ids asked for), grow
    Buffer looked_up_;              // (1, 1 + B * count) i32
    Buffer before_, behind_;        // (1 + B * count, r): of the anchor and of all candidates
    std::vector<int> candidates_;   // (k, count)
    std::vector<float> unary_;      // likewise
    std::vector<float> predecessors_, successors_, rows_, context_, forced_;
    std::vector<double> scores_; // of one row
};

} // namespace

DrafterInfo dflash2_info() {
    return {
        .name = "dflash2",
        .title = drafter_said("dflash2.title"_t),
        .short_title = drafter_said("dflash2.title"_t),
        .icon = "square",
        .about = drafter_said("dflash2.about"_t),
        .how = drafter_said("dflash2.how"_t),
        .cost = draft_cost<"cost.selector">,
        .kin = {.takes = drafter_said("kin.takes:several"_t),
                .sequential = drafter_said("kin.sequential:choice"_t),
                .keeps = drafter_said("kin.keeps:states"_t),
                .year = 2026,
                .source = "github.com/z-lab/dflash",
                .served = "vLLM, SGLang, llama.cpp"},
        .needs = DrafterNeeds::network,
        .method = "dflash2",
        .needs_layers = true,
        .drafting = Drafting::at_once,
        .block = true,
        .causal_head = true,
        .head_reads = drafter_said("corrects.by:last"_t),
        .corrects_first = true,
        .default_k = 7,
        .reads = reads_of(kBlockSettings, {Setting::correction}),
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<DFlash2>(args); },
    };
}

} // namespace speclens
