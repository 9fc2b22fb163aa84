#include "engine/drafters/block_tree.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include "engine/base/printed.h"
#include "engine/drafters/chain.h"

namespace speclens {
namespace {

struct OpenPath {
    double weight = 0; // log-probability of the path
    int parent = -1, rank = 0, depth = 1;
    int order = 0; // of equals the one that was found first
    bool operator<(const OpenPath& other) const { return weight != other.weight ? weight < other.weight : order > other.order; }
};

class TreeGrowth {
  public:
    TreeGrowth(const BlockTreeLimits& limits, const DraftRequest& request, const RowAfter& row_after, Draft& draft)
        : limits_(limits), request_(request), row_after_(row_after), draft_(draft) {}

    void grow() {
        if (limits_.nodes <= 0 || limits_.depth <= 0) return;
        open_children(-1, 0, 1);
        while (static_cast<int>(draft_.nodes.size()) < limits_.nodes && !open_.empty()) {
            const OpenPath best = open_.top();
            open_.pop();
            take(best, limits_.chain && chaining_);
        }
    }

  private:
    [[nodiscard]] const TopEntries& row(int parent) const { return *rows_[static_cast<std::size_t>(parent + 1)]; }
    [[nodiscard]] static double logp(const TopEntries& row, int rank) { return row.entries[static_cast<std::size_t>(rank)].logp; }

    void open(double weight, int parent, int rank, int depth) { open_.push({weight, parent, rank, depth, order_++}); }

    void open_children(int node, double weight, int depth) {
        rows_.resize(static_cast<std::size_t>(node) + 2, nullptr);
        rows_.back() = &row_after_(node, depth);
        if (!row(node).entries.empty()) open(weight + logp(row(node), 0), node, 0, depth);
    }

    // With a chain to seed the heap holds its next node alone until it ends; the siblings beside it wait.
    void take(const OpenPath& best, bool seeding) {
        const int own = static_cast<int>(draft_.nodes.size());
        const TopEntries& siblings = row(best.parent);
        const int likely = siblings.entries[static_cast<std::size_t>(best.rank)].id;
        DraftNode node;
        node.token = request_.forced(own).value_or(likely);
        node.parent = best.parent;
        if (request_.entries != 0) node.heads.raw = first_entries(siblings, request_.entries);
        node.extra = node.token == likely ? words(best) : kForced;
        const bool ends = is_stop(request_.stops, node.token) || best.depth == limits_.depth;
        draft_.nodes.push_back(std::move(node));

        if (const int next = best.rank + 1; next < limits_.children && next < static_cast<int>(siblings.entries.size())) {
            const OpenPath sibling{best.weight - logp(siblings, best.rank) + logp(siblings, next), best.parent, next, best.depth, order_++};
            if (seeding)
                waiting_.push_back(sibling);
            else
                open_.push(sibling);
        }
        const bool full = own + 1 >= limits_.nodes;
        rows_.resize(std::max(rows_.size(), static_cast<std::size_t>(own) + 2), nullptr);
        if (!ends && !full) open_children(own, best.weight, best.depth + 1);
        if (seeding && open_.empty()) {
            chaining_ = false;
            for (const OpenPath& sibling : waiting_) open_.push(sibling);
        }
    }

    static std::string words(const OpenPath& node) { return printed("choice %d, path %.3g", node.rank + 1, std::exp(node.weight)); }

    const BlockTreeLimits& limits_;
    const DraftRequest& request_;
    const RowAfter& row_after_;
    Draft& draft_;
    std::vector<const TopEntries*> rows_; // behind node i at i + 1; null: nobody asked
    std::priority_queue<OpenPath> open_;
    std::vector<OpenPath> waiting_;
    bool chaining_ = true;
    int order_ = 0;
};

} // namespace

void grow_block_tree(const BlockTreeLimits& limits, const DraftRequest& request, const RowAfter& row_after, Draft& draft) {
    TreeGrowth(limits, request, row_after, draft).grow();
}

std::vector<Setting> block_tree_settings(std::initializer_list<Setting> own) {
    std::vector<Setting> all = reads_of(kBlockSettings, own);
    all.insert(all.end(), kTreeSettings.begin(), kTreeSettings.end());
    all.push_back(Setting::tree_chain);
    return all;
}

BlockTreeLimits block_tree_limits(const DrafterOptions& options, const DraftRequest& request, int k) {
    return {request.nodes, k, options.tree_topk, options.tree_chain};
}

int block_tree_entries(const DrafterOptions& options, const DraftRequest& request) {
    return request.entries < 0 ? -1 : std::max(request.entries, options.tree_topk);
}

} // namespace speclens
