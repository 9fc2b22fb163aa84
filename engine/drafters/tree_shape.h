// The shape of a draft tree, fixed before anything is drawn: rules for drawn siblings (tree_wor, tree_wr) are lossless
// only then. No tokens, no distributions.
#pragma once

#include <vector>

namespace speclens {

struct ShapeNode {
    int parent = -1; // index of an earlier node; -1: the pending token
    int lane = 0;    // which child of its parent, from 0
    int depth = 1;   // tokens from the pending one
};

// At most `nodes` nodes with at most `topk` children each and at most `depth` levels, level by level. A budget that
// is too small for the full tree goes to the nodes that are most likely to be reached if a first child is right
// with probability 2^-1/2 and the child of lane r with 2^-(2 + r/2): deep along first children, wide at the start.
// Of equals the deeper one comes first.
[[nodiscard]] std::vector<ShapeNode> tree_shape(int topk, int depth, int nodes);

// Likewise for Medusa's heads: a path of lanes r1 … rd costs the sum of its ranks r + 1, and the cheapest nodes are
// kept; of equals the deeper one. Shallow and late ranks thus trade one for one, as in the sparse trees of Medusa,
// which are found by measuring heads and look alike.
[[nodiscard]] std::vector<ShapeNode> rank_shape(int topk, int depth, int nodes);

} // namespace speclens
