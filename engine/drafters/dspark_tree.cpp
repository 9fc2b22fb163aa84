// DSpark's block as a tree (block_tree.h): the Markov head corrects a place by the token before it, or by the path where it keeps a
// state. Where it keeps none, nodes at one depth with one token share their correction.
#include <deque>
#include <map>
#include <optional>

#include "engine/drafters/block.h"
#include "engine/drafters/block_tree.h"
#include "engine/drafters/markov_head.h"

namespace speclens {
namespace {

class DSparkTree final : public BlockDrafter {
  public:
    explicit DSparkTree(const DrafterArgs& args)
        : BlockDrafter(args), options_(args.options),
          corrected_(backend(), network().config.layer.vocab, tokens_of(*network().target), network().name),
          corrects_(args.options.correction && network().config.markov_rank > 0) {
        if (!corrects_) return;
        markov_out_ = ranking_head(args, network().markov_out.view());
        markov_.emplace(network());
    }

  protected:
    void choose(const Block& block, int k, const DraftRequest& request, Draft& draft) override {
        const int entries = block_tree_entries(options_, request);
        std::vector<TopEntries> base(static_cast<std::size_t>(k));
        std::map<std::pair<int, int>, TopEntries> known; // by depth and token before, where nothing else counts
        std::deque<TopEntries> corrected;
        if (corrects_) {
            markov_->begin(block.rows);
            if (markov_->keeps_state() && states_.view().rows < request.nodes + 1)
                states_ = Buffer(backend(), DType::f32, request.nodes + 1, network().config.markov_rank);
        }
        const auto correct = [&](int parent, int depth, int token) {
            if (parent >= 0 && markov_->keeps_state())
                markov_->resume(states_.view().slice(draft.nodes[static_cast<std::size_t>(parent)].parent + 1, 1));
            const Tensor e = markov_->step(depth - 1, token);
            if (markov_->keeps_state()) backend().copy(markov_->state(), states_.view().slice(parent + 1, 1));
            const Projection add[] = {{markov_out_.weight, block.base.slice(depth - 1, 1), corrected_.begin(1, markov_out_.ids)}};
            backend().matmul(e, add);
            return corrected_.heads(0, kRawSampling, entries).distribution;
        };
        grow_block_tree(
            block_tree_limits(options_, request, k), request,
            [&](int parent, int depth) -> const TopEntries& {
                const int token = parent < 0 ? block.anchor : draft.nodes[static_cast<std::size_t>(parent)].token;
                if (!corrects_) {
                    TopEntries& row = base[static_cast<std::size_t>(depth - 1)];
                    if (row.entries.empty()) row = base_rows().heads(depth - 1, kRawSampling, entries).distribution;
                    return row;
                }
                if (markov_->keeps_state()) return corrected.emplace_back(correct(parent, depth, token));
                TopEntries& row = known[{depth, token}];
                if (row.entries.empty()) row = correct(parent, depth, token);
                return row;
            },
            draft);
    }

  private:
    DrafterOptions options_;
    ModelRows corrected_;
    OutputHead markov_out_; // (V, ρ), cut like the head
    bool corrects_;
    std::optional<MarkovHead> markov_;
    Buffer states_; // (nodes + 1, ρ): behind node i at i + 1, where the head keeps a state
};

} // namespace

DrafterInfo dspark_tree_info() {
    return with_head<"dspark_tree">({
        .icon = "fork",
        .cost = draft_cost<"cost.tree">,
        .kin = {.takes = drafter_said("kin.takes:several"_t),
                .sequential = drafter_said("kin.sequential:heap_look"_t),
                .keeps = drafter_said("kin.keeps:states"_t),
                .year = 2026,
                .source = "after arXiv:2604.12989"},
        .method = "dspark",
        .drafting = Drafting::at_once,
        .tree = true,
        .default_k = 7,
        .reads = block_tree_settings({Setting::correction}),
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<DSparkTree>(args); },
    });
}

} // namespace speclens
