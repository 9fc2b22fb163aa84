// The tree of a block (DDTree, Ringel & Romano 2026, arXiv 2604.12989): of all paths through the distributions behind a block's
// places those with the largest probability. A path is at most as likely as its beginning, so the best ones form a tree, and a heap
// finds them one by one: whoever is taken opens its next sibling and its first child.
#pragma once

#include <functional>
#include <vector>

#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"

namespace speclens {

struct BlockTreeLimits {
    int nodes = 0;      // of the whole tree
    int depth = 0;      // tokens in a row
    int children = 0;   // of one node at most
    bool chain = false; // the likeliest chain first, whatever else is likelier, so that the tree contains it
};

// What may follow node `parent` of the draft (-1: the pending token), whose children are at `depth`: its likeliest tokens at
// temperature 1, at least `children` of them. It is asked for once for each node that is taken, in that order; the reference stays
// valid until the tree is done.
using RowAfter = std::function<const TopEntries&(int parent, int depth)>;

// Appends the tree to `draft`, every node behind its parent and first siblings first. Nothing is drawn, so distributions are one-hot.
void grow_block_tree(const BlockTreeLimits& limits, const DraftRequest& request, const RowAfter& row_after, Draft& draft);

// What the drafters of such trees read: the block's settings, the tree's, and `own`.
[[nodiscard]] std::vector<Setting> block_tree_settings(std::initializer_list<Setting> own = {});

// Of one round, as the options want them.
[[nodiscard]] BlockTreeLimits block_tree_limits(const DrafterOptions& options, const DraftRequest& request, int k);
// How many entries of a row the tree and a trace need; -1: all.
[[nodiscard]] int block_tree_entries(const DrafterOptions& options, const DraftRequest& request);

} // namespace speclens
