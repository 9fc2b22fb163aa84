// EAGLE-3 with the dynamic tree of EAGLE-2 (Li et al. 2024, arXiv 2406.16858 §4): every level
// expands the best nodes of the one before, by the product of the head's own probabilities along the path,
// and of all nodes ever considered the best few are verified. Nothing is drawn, so every proposal distribution is
// one-hot.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/clock.h"
#include "engine/base/printed.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/drafter_info.h"
#include "engine/drafters/eagle3_head.h"

namespace speclens {
namespace {

class Eagle3Tree final : public Eagle3Drafter {
  public:
    explicit Eagle3Tree(const DrafterArgs& args)
        : Eagle3Drafter(args), width_(args.options.tree_topk), most_columns_(args.target.max_rows()) {}

    [[nodiscard]] Draft draft(const DraftRequest& request) override {
        Stopwatch watch;
        if (!catch_up(request.sequence) || request.nodes <= 0) return {};
        std::vector<Node> nodes;
        head().begin_tree();
        head().predict();
        const int room = head().capacity() - head().length();
        const int most_columns = std::min(most_columns_, room);
        const int depth = std::min(request.k, room);
        std::vector<std::size_t> beam = expand(nodes, {kRoot}, request);
        nodes.front().ms = watch.ms();
        for (int level = 2; level <= depth && !beam.empty(); ++level) {
            if (head().tree_size() + static_cast<int>(beam.size()) > most_columns) break;
            watch = {};
            std::vector<int> tokens, parents;
            for (const std::size_t node : beam) {
                tokens.push_back(nodes[node].token);
                parents.push_back(nodes[node].parent == kRoot ? -1 : nodes[nodes[node].parent].column);
                nodes[node].column = head().tree_size() + static_cast<int>(tokens.size()) - 1;
            }
            head().grow(tokens, parents);
            head().predict();
            const std::size_t before = nodes.size();
            beam = expand(nodes, beam, request);
            if (before < nodes.size()) nodes[before].ms = watch.ms();
        }
        return best_of(nodes, request);
    }

  private:
    static constexpr std::size_t kRoot = static_cast<std::size_t>(-1);
    static constexpr int kDropped = -2;
    struct Node {
        int token = 0;
        std::size_t parent = kRoot;
        double score = 0; // log-probability of the path
        int column = -1;  // of the head's tree, once it was expanded
        double ms = 0;
        TopEntries distribution; // that it was taken from, for traces
    };

    // Appends the children of the beam's nodes, whose rows were predicted in this order, and returns the next
    // beam.
    std::vector<std::size_t> expand(std::vector<Node>& nodes, const std::vector<std::size_t>& beam, const DraftRequest& request) {
        const std::size_t first = nodes.size();
        const int vocab = head().network().config.draft_vocab;
        const int entries = std::min(vocab, std::max(width_, request.entries < 0 ? vocab : request.entries));
        for (std::size_t row = 0; row < beam.size(); ++row) {
            const TopEntries distribution = head().widened(head().rows().heads(static_cast<int>(row), kRawSampling, entries).distribution);
            const double score = beam[row] == kRoot ? 0 : nodes[beam[row]].score;
            const std::size_t children = std::min(distribution.entries.size(), static_cast<std::size_t>(width_));
            for (std::size_t c = 0; c < children; ++c) {
                Node node;
                node.token = distribution.entries[c].id;
                node.parent = beam[row];
                node.score = score + distribution.entries[c].logp;
                if (request.entries != 0) node.distribution = distribution;
                nodes.push_back(std::move(node));
            }
        }
        std::vector<std::size_t> next(nodes.size() - first);
        std::iota(next.begin(), next.end(), first);
        std::erase_if(next, [&](std::size_t node) { return is_stop(request.stops, nodes[node].token); });
        sort_by_score(nodes, next);
        next.resize(std::min(next.size(), static_cast<std::size_t>(width_)));
        return next;
    }

    static void sort_by_score(const std::vector<Node>& nodes, std::vector<std::size_t>& order) {
        std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return nodes[a].score > nodes[b].score; });
    }

    // The best nodes in the order in which they were made: a path's score never rises, so parents are among
    // them.
    [[nodiscard]] Draft best_of(const std::vector<Node>& nodes, const DraftRequest& request) const {
        std::vector<std::size_t> chosen(nodes.size());
        std::iota(chosen.begin(), chosen.end(), std::size_t{0});
        sort_by_score(nodes, chosen);
        chosen.resize(std::min(chosen.size(), static_cast<std::size_t>(request.nodes)));
        std::ranges::sort(chosen);

        Draft draft;
        std::vector<int> index(nodes.size(), kDropped);
        for (const std::size_t i : chosen) {
            const Node& from = nodes[i];
            const int parent = from.parent == kRoot ? -1 : index[from.parent];
            if (parent == kDropped) continue; // hangs from a token that was put in another one's place
            DraftNode node;
            const int own = static_cast<int>(draft.nodes.size());
            node.token = request.forced(own).value_or(from.token);
            const bool replaced = node.token != from.token;
            node.parent = parent;
            node.heads.raw = from.distribution;
            node.extra = replaced ? kForced : score_text(from.score);
            node.ms = from.ms;
            if (!replaced) index[i] = own;
            draft.nodes.push_back(std::move(node));
        }
        return draft;
    }

    static std::string score_text(double score) { return printed("path %.2g", std::exp(score)); }

    int width_;
    int most_columns_; // of one pass of the head
};

} // namespace

DrafterInfo eagle3_tree_info() {
    return with_head<"eagle3_tree">({
        .icon = "fork",
        .cost = draft_cost<"cost.tree">,
        .kin = {.takes = drafter_said("kin.takes:three"_t),
                .sequential = drafter_said("kin.sequential:layer_level"_t),
                .keeps = drafter_said("kin.keeps:layer"_t),
                .year = 2024,
                .source = "arXiv:2406.16858",
                .served = "SGLang, TRT-LLM"},
        .method = "eagle3",
        .tree = true,
        .own_ids = true,
        .reads = reads_of(kTreeSettings),
        .published = {"eagle3"},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<Eagle3Tree>(args); },
    });
}

} // namespace speclens
