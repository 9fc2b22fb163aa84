// Medusa with its static tree (Cai et al. 2024, §2.1 and §2.3): the node of lane r at depth d
// is the r-th best token of head d, whatever stands before it. The shape is fixed by --tree-topk,
// --tree-depth and
// --tree-budget alone (rank_shape), so is what is looked at: nothing is drawn, and every proposal distribution is
// one-hot.
#include <algorithm>
#include <string>

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/drafter_info.h"
#include "engine/drafters/medusa.h"
#include "engine/drafters/tree_shape.h"

namespace speclens {
namespace {

class MedusaTree final : public MedusaDrafter {
  public:
    explicit MedusaTree(const DrafterArgs& args) : MedusaDrafter(args), topk_(args.options.tree_topk) {}

    [[nodiscard]] Draft draft(const DraftRequest& request) override {
        Draft draft;
        const Stopwatch watch;
        const int depth = std::min(request.k, heads());
        const std::vector<ShapeNode>& shape = shape_of(depth, request.nodes);
        if (shape.empty() || !predict(request.sequence, shape.back().depth)) return draft;

        std::vector<TopEntries> best; // of each head, the most likely first
        const int wanted = request.entries < 0 ? -1 : std::max(request.entries, topk_);
        for (int head = 0; head < shape.back().depth; ++head) best.push_back(rows().heads(head, kRawSampling, wanted).distribution);
        std::vector<int> node_of(shape.size(), kNone); // place of the shape -> node
        for (std::size_t place = 0; place < shape.size(); ++place) {
            const auto [parent_place, lane, level] = shape[place];
            const int parent = parent_place < 0 ? -1 : node_of[static_cast<std::size_t>(parent_place)];
            const TopEntries& distribution = best[static_cast<std::size_t>(level - 1)];
            if (parent == kNone || lane >= static_cast<int>(distribution.entries.size())) continue;
            if (parent >= 0 && is_stop(request.stops, draft.nodes[static_cast<std::size_t>(parent)].token)) continue;
            const int own = static_cast<int>(draft.nodes.size());
            const int token = distribution.entries[static_cast<std::size_t>(lane)].id;
            DraftNode node;
            node.token = request.forced(own).value_or(token);
            node.parent = parent;
            if (request.entries != 0) node.heads.raw = first_entries(distribution, request.entries);
            node.extra = node.token != token ? kForced : "head " + std::to_string(level) + ", rank " + std::to_string(lane + 1);
            node_of[place] = own;
            draft.nodes.push_back(std::move(node));
        }
        if (!draft.nodes.empty()) draft.nodes.front().ms = watch.ms(); // all heads at once
        return draft;
    }

  private:
    static constexpr int kNone = -2;

    // The same for nearly every round, so it is kept.
    const std::vector<ShapeNode>& shape_of(int depth, int nodes) {
        if (depth_ != depth || nodes_ != nodes) {
            shape_ = rank_shape(topk_, depth, nodes);
            depth_ = depth;
            nodes_ = nodes;
        }
        return shape_;
    }

    int topk_;
    int depth_ = -1, nodes_ = -1; // of shape_
    std::vector<ShapeNode> shape_;
};

} // namespace

DrafterInfo medusa_tree_info() {
    return with_head<"medusa_tree">({
        .icon = "fork",
        .cost = draft_cost<"cost.tree">,
        .kin = {.takes = drafter_said("kin.takes:last"_t),
                .sequential = drafter_said("kin.sequential:heads_once"_t),
                .keeps = drafter_said("kin.keeps:nothing"_t),
                .year = 2024,
                .source = "arXiv:2401.10774"},
        .method = "medusa",
        .drafting = Drafting::at_once,
        .tree = true,
        .reads = reads_of(kTreeSettings, {Setting::fr_spec}),
        .published = {"medusa"},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<MedusaTree>(args); },
    });
}

} // namespace speclens
