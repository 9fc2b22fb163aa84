#include "engine/drafters/tree_shape.h"

#include <algorithm>

namespace speclens {
namespace {

struct Candidate {
    int parent = -1, lane = 0, depth = 1;
    int cost = 0;
};

// Costs of a step to the child of lane `lane`; they rise with it.
int chance_cost(int lane) { return lane == 0 ? 1 : 4 + lane; } // minus log2 of its probability, in halves
int rank_cost(int lane) { return lane + 1; }

std::vector<ShapeNode> cheapest(int topk, int depth, int nodes, int (*step_cost)(int)) {
    // Best first: a chosen node opens its first child and its next sibling, which cost more than itself.
    std::vector<Candidate> chosen, open;
    if (topk > 0 && depth > 0) open.push_back({-1, 0, 1, step_cost(0)});
    while (!open.empty() && static_cast<int>(chosen.size()) < nodes) {
        const auto best = std::min_element(open.begin(), open.end(), [](const Candidate& a, const Candidate& b) {
            return a.cost != b.cost ? a.cost < b.cost : a.depth > b.depth;
        });
        const Candidate node = *best;
        open.erase(best);
        const int index = static_cast<int>(chosen.size());
        chosen.push_back(node);
        if (node.lane + 1 < topk)
            open.push_back({node.parent, node.lane + 1, node.depth, node.cost - step_cost(node.lane) + step_cost(node.lane + 1)});
        if (node.depth < depth) open.push_back({index, 0, node.depth + 1, node.cost + step_cost(0)});
    }
    // Level by level: parents keep their order, and siblings come together in the order of their lanes.
    std::vector<int> place(chosen.size());
    std::vector<ShapeNode> shape;
    for (int level = 1; shape.size() < chosen.size(); ++level) {
        std::vector<int> at_level;
        for (int i = 0; i < static_cast<int>(chosen.size()); ++i)
            if (chosen[i].depth == level) at_level.push_back(i);
        const auto parent_place = [&](int i) { return chosen[i].parent < 0 ? -1 : place[chosen[i].parent]; };
        std::sort(at_level.begin(), at_level.end(), [&](int a, int b) {
            return parent_place(a) != parent_place(b) ? parent_place(a) < parent_place(b) : chosen[a].lane < chosen[b].lane;
        });
        for (const int i : at_level) {
            place[i] = static_cast<int>(shape.size());
            shape.push_back({parent_place(i), chosen[i].lane, level});
        }
    }
    return shape;
}

} // namespace

std::vector<ShapeNode> tree_shape(int topk, int depth, int nodes) { return cheapest(topk, depth, nodes, chance_cost); }
std::vector<ShapeNode> rank_shape(int topk, int depth, int nodes) { return cheapest(topk, depth, nodes, rank_cost); }

} // namespace speclens
