// Domino (arXiv 2605.29707): DFlash's block, and a causal head that corrects its rows from left
// to right (domino_head.h). The first rows use base logits only: as many as training left without correction.
#include <algorithm>
#include <numeric>

#include "engine/base/clock.h"
#include "engine/drafters/block.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/domino_head.h"

namespace speclens {
namespace {

class Domino final : public BlockDrafter {
  public:
    explicit Domino(const DrafterArgs& args)
        : BlockDrafter(args), causal_(args, head(), args.options.head_pool), corrects_(args.options.correction) {}

  protected:
    void add_products(std::int64_t rows, std::vector<Projection>& products) override {
        if (corrects_ && network().config.prefix < rows) products.push_back(causal_.of_rows(rows));
    }

    void choose(const Block& block, int k, const DraftRequest& request, Draft& draft) override {
        if (!corrects_) return BlockDrafter::choose(block, k, request, draft);
        if (request.sampling.temperature == 0 && request.entries == 0 && !request.internals && request.force.empty() && !request.go_on &&
            causal_.whole())
            return choose_at_once(block, request, draft);
        const int prefix = network().config.prefix, vocab = network().config.layer.vocab;
        Stopwatch watch;
        if (request.internals) causal_.keep_gates();
        causal_.begin(block.rows, block.base, request.internals ? std::min(prefix, k - 1) : prefix);
        causal_.read(block.anchor);
        for (int i = 0; i < k; ++i) {
            PassRows& rows = i < prefix ? base_rows() : causal_.correct(i);
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
    bool corrects_;
};

} // namespace

DrafterInfo domino_info() {
    return {
        .name = "domino",
        .title = "Domino",
        .short_title = "Domino",
        .icon = "hexagon",
        .about = "DFlash's block, corrected from left to right by a small causal head (Huang et al. 2026).",
        .how = "A block in one pass, as with DFlash. Then a small recurrent head corrects each distribution, left to right, because it "
               "knows what "
               "was just drafted.",
        .cost = draft_cost<"cost.gru">,
        .kin = {.takes = "several hidden states",
                .sequential = "a small GRU per guess",
                .keeps = "a cache of the states",
                .year = 2026,
                .source = "arXiv:2605.29707"},
        .needs = DrafterNeeds::network,
        .method = "domino",
        .needs_layers = true,
        .drafting = Drafting::at_once,
        .block = true,
        .causal_head = true,
        .head_reads = "the guesses before it",
        .default_k = 7,
        .race_place = 3,
        .reads = reads_of(kBlockSettings, {Setting::correction, Setting::head_pool}),
        .published = {"domino"},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<Domino>(args); },
    };
}

} // namespace speclens
