// DFlash's block as a tree: its rows do not know each other, so a path's probability is the product of its tokens' (block_tree.h).
#include <deque>

#include "engine/drafters/block.h"
#include "engine/drafters/block_tree.h"

namespace speclens {
namespace {

class DFlashTree final : public BlockDrafter {
  public:
    explicit DFlashTree(const DrafterArgs& args) : BlockDrafter(args), options_(args.options) {}

  protected:
    void choose(const Block&, int k, const DraftRequest& request, Draft& draft) override {
        std::vector<TopEntries> rows(static_cast<std::size_t>(k)); // one for each depth, whatever stands before it
        const int entries = block_tree_entries(options_, request);
        grow_block_tree(
            block_tree_limits(options_, request, k), request,
            [&](int, int depth) -> const TopEntries& {
                TopEntries& row = rows[static_cast<std::size_t>(depth - 1)];
                if (row.entries.empty()) row = base_rows().heads(depth - 1, kRawSampling, entries).distribution;
                return row;
            },
            draft);
    }

  private:
    DrafterOptions options_;
};

} // namespace

DrafterInfo dflash_tree_info() {
    return {
        .name = "dflash_tree",
        .title = drafter_said("dflash_tree.title"_t),
        .short_title = drafter_said("dflash_tree.title"_t),
        .icon = "fork",
        .about = drafter_said("dflash_tree.about"_t),
        .how = drafter_said("dflash_tree.how"_t),
        .cost = draft_cost<"cost.tree">,
        .kin = {.takes = drafter_said("kin.takes:several"_t),
                .sequential = drafter_said("kin.sequential:heap"_t),
                .keeps = drafter_said("kin.keeps:states"_t),
                .year = 2026,
                .source = "arXiv:2604.12989"},
        .needs = DrafterNeeds::network,
        .method = "dflash",
        .needs_layers = true,
        .drafting = Drafting::at_once,
        .tree = true,
        .default_k = 7,
        .reads = block_tree_settings(),
        .published = {"ddtree"},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<DFlashTree>(args); },
    };
}

} // namespace speclens
