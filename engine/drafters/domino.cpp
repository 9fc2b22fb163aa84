// Domino (arXiv 2605.29707): DFlash's block, and a causal head that corrects its rows from left
// to right (domino_head.h). The first rows use base logits only: as many as training left without correction.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/drafters/block.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/domino_head.h"

namespace speclens {
namespace {

class Domino final : public BlockDrafter {
  public:
    explicit Domino(const DrafterArgs& args)
        : BlockDrafter(args), causal_(args, head(), args.options.head_pool), corrects_(args.options.correction),
          by_mean_(args.options.mean_state) {
        if (by_mean_) own_ = row_of(network().config.gru), mean_ = row_of(network().config.gru);
    }
    void begin(std::span<const int> sequence) override {
        means_.clear();
        BlockDrafter::begin(sequence);
    }

  protected:
    void add_products(std::int64_t rows, std::vector<Projection>& products) override {
        if (corrects_ && network().config.prefix < rows) products.push_back(causal_.of_rows(rows));
    }

    void choose(const Block& block, int k, const DraftRequest& request, Draft& draft) override {
        if (!corrects_) return BlockDrafter::choose(block, k, request, draft);
        if (request.sampling.temperature == 0 && request.entries == 0 && !request.internals && request.force.empty() && !request.go_on &&
            causal_.whole() && !by_mean_)
            return choose_at_once(block, request, draft);
        const int prefix = network().config.prefix, vocab = network().config.layer.vocab;
        Stopwatch watch;
        if (request.internals) causal_.keep_gates();
        causal_.begin(block.rows, block.base, request.internals ? std::min(prefix, k - 1) : prefix);
        causal_.read(block.anchor);
        for (int i = 0; i < k; ++i) {
            PassRows& rows = i < prefix ? base_rows() : by_mean_ ? correct_by_mean(i) : causal_.correct(i);
            const int row = i < prefix ? i : 0;
            if (!goes_on(rows, row, i, request)) return;
            DraftNode node = next_node(rows, row, i, vocab, request);
            if (i >= prefix) record_base(node, i, request);
            const int token = node.token;
            node.head_ms = watch.ms() - node.record_ms;
            if (request.internals) look(i, node, request);
            watch = {};
            draft.nodes.push_back(std::move(node));
            if (is_stop(request.stops, token)) return;
            causal_.read(token);
        }
    }

  private:
    // Greedy draft tokens of which nothing is recorded: one question to the device for the whole block.
    void choose_at_once(const Block& block, const DraftRequest& request, Draft& draft) {
        const Stopwatch watch;
        for (const int token : causal_.draft_tokens(block.rows, block.base, network().config.prefix, block.anchor)) {
            DraftNode node;
            node.parent = static_cast<int>(draft.nodes.size()) - 1;
            node.token = token;
            draft.nodes.push_back(std::move(node));
            if (is_stop(request.stops, token)) break;
        }
        draft.nodes.front().head_ms = watch.ms();
    }

    // With the mean state of this place in the rounds before, zero in the first one; the next token is read by the head's own.
    ModelRows& correct_by_mean(int index) {
        causal_.catch_up();
        backend().copy(causal_.state(), own_.view());
        means_.resize(std::max(means_.size(), static_cast<std::size_t>(index) + 1));
        auto& [rounds, mean] = means_[static_cast<std::size_t>(index)];
        std::vector<float> own(static_cast<std::size_t>(network().config.gru));
        mean.resize(own.size());
        backend().upload(mean_.view(), mean.data());
        causal_.resume(mean_.view());
        ModelRows& rows = causal_.correct(index);
        causal_.resume(own_.view());
        backend().download(own_.view(), own.data());
        ++rounds;
        for (std::size_t g = 0; g < own.size(); ++g) mean[g] += (own[g] - mean[g]) / static_cast<float>(rounds);
        return rows;
    }

    // What the head saw and did at node `index`: the state that has read every token before it.
    void look(int index, DraftNode& node, const DraftRequest& request) {
        causal_.catch_up();
        const auto width = static_cast<std::size_t>(network().config.gru);
        std::vector<float> state(width), gates(3 * width);
        backend().download(causal_.state(), state.data());
        backend().download(causal_.gates(), gates.data());
        node.internals.add("state", state);
        const char* const names[] = {"r", "z", "n"};
        for (std::size_t g = 0; g < 3; ++g) {
            const auto gate = std::span<const float>(gates).subspan(g * width, width);
            node.internals.add(names[g], gate);
            node.internals.add(std::string("mean ") + names[g],
                               std::accumulate(gate.begin(), gate.end(), 0.0) / static_cast<double>(width));
        }
        const bool was_corrected = index >= network().config.prefix;
        node.internals.add("corrected", was_corrected ? 1 : 0);
        if (!was_corrected) return;
        std::vector<float> mixed(static_cast<std::size_t>(network().config.rank));
        backend().download(causal_.mixed(), mixed.data());
        node.internals.add("low rank", mixed);
        look_at_correction(node, index, causal_.rows(), request);
    }

    DominoHead causal_;
    bool corrects_, by_mean_;
    Buffer own_, mean_;                                     // (1, G)
    std::vector<std::pair<int, std::vector<float>>> means_; // by place: of how many rounds
};

} // namespace

DrafterInfo domino_info() {
    return with_head<"domino">({
        .icon = "hexagon",
        .cost = draft_cost<"cost.gru">,
        .kin = {.takes = drafter_said("kin.takes:several"_t),
                .sequential = drafter_said("kin.sequential:gru"_t),
                .keeps = drafter_said("kin.keeps:states"_t),
                .year = 2026,
                .source = "arXiv:2605.29707",
                .served = "SGLang"},
        .method = "domino",
        .drafting = Drafting::at_once,
        .block = true,
        .causal_head = true,
        .head_reads = drafter_said("corrects.by:all"_t),
        .default_k = 7,
        .race_place = 3,
        .reads = reads_of(kBlockSettings, {Setting::correction, Setting::head_pool, Setting::mean_state}),
        .published = {"domino"},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<Domino>(args); },
    });
}

} // namespace speclens
