// Domino's block as a tree (block_tree.h). The head corrects a place by the path to it, so a path's probability is the head's own,
// not a product of rows that do not know each other: each node that is taken costs one step of the GRU and one correction.
#include <deque>

#include "engine/drafters/block.h"
#include "engine/drafters/block_tree.h"
#include "engine/drafters/domino_head.h"

namespace speclens {
namespace {

class DominoTree final : public BlockDrafter {
  public:
    explicit DominoTree(const DrafterArgs& args)
        : BlockDrafter(args), options_(args.options), causal_(args, head(), args.options.head_pool), corrects_(args.options.correction) {}

  protected:
    void add_products(std::int64_t rows, std::vector<Projection>& products) override {
        if (corrects_ && network().config.prefix < rows) products.push_back(causal_.of_rows(rows));
    }

    void choose(const Block& block, int k, const DraftRequest& request, Draft& draft) override {
        const int entries = block_tree_entries(options_, request), prefix = network().config.prefix;
        std::vector<TopEntries> base(static_cast<std::size_t>(k)); // of the rows that nothing corrects
        std::deque<TopEntries> corrected;
        if (corrects_) {
            causal_.begin(block.rows, block.base, std::min(prefix, k - 1));
            reserve_states(request.nodes + 1);
        }
        grow_block_tree(
            block_tree_limits(options_, request, k), request,
            [&](int parent, int depth) -> const TopEntries& {
                if (corrects_) read(parent, parent < 0 ? block.anchor : draft.nodes[static_cast<std::size_t>(parent)].token, draft);
                if (corrects_ && depth > prefix)
                    return corrected.emplace_back(causal_.correct(depth - 1).heads(0, kRawSampling, entries).distribution);
                TopEntries& row = base[static_cast<std::size_t>(depth - 1)];
                if (row.entries.empty()) row = base_rows().heads(depth - 1, kRawSampling, entries).distribution;
                return row;
            },
            draft);
    }

  private:
    void reserve_states(int nodes) {
        if (states_.view().rows < nodes) states_ = Buffer(backend(), DType::f32, nodes, network().config.gru);
    }

    // The state behind `node`: its parent's, and its own token.
    void read(int node, int token, const Draft& draft) {
        if (node >= 0) causal_.resume(states_.view().slice(draft.nodes[static_cast<std::size_t>(node)].parent + 1, 1));
        causal_.read(token);
        causal_.catch_up();
        backend().copy(causal_.state(), states_.view().slice(node + 1, 1));
    }

    DrafterOptions options_;
    DominoHead causal_;
    bool corrects_;
    Buffer states_; // (nodes + 1, G): behind node i at i + 1
};

} // namespace

DrafterInfo domino_tree_info() {
    return with_head<"domino_tree">({
        .icon = "fork",
        .cost = draft_cost<"cost.tree">,
        .kin = {.takes = drafter_said("kin.takes:several"_t),
                .sequential = drafter_said("kin.sequential:heap_gru"_t),
                .keeps = drafter_said("kin.keeps:states"_t),
                .year = 2026,
                .source = "after arXiv:2604.12989"},
        .method = "domino",
        .drafting = Drafting::at_once,
        .tree = true,
        .default_k = 7,
        .reads = block_tree_settings({Setting::correction, Setting::head_pool}),
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<DominoTree>(args); },
    });
}

} // namespace speclens
