// What a user may set about a drafter, beside the length of its drafts.
#pragma once

#include <vector>

namespace speclens {

// Method options; each is meant for the drafters named, and an option set for another drafter is an error.
struct DrafterOptions {
    int ngram_min = 1, ngram_max = 3;  // lookup: shortest and longest suffix that is searched
    bool ngram_recent = false;         // lookup: most recent occurrence instead of the earliest
    int exit_layer = 0;                // skip: run the first E layers (0: two thirds of them)
    std::vector<int> skip_attention;   // skip: attention sub-layers left out
    std::vector<int> skip_mlp;         // skip: MLP sub-layers left out
    // dflash, domino, dspark: ablations of the conditioning; the result stays lossless
    bool conditioning = true;          // false: the block sees nothing of the text but its anchor
    int context_last = 0;              // the block sees the last C positions only; 0: all
    int tap_shift = 0;                 // hidden states from so many layers above (or below) the trained ones
    bool correction = true;            // domino, dspark: false drafts from the base logits, the head stays out
    double confidence = 0;             // dspark: stop drafting where the confidence head says less than this
    int fr_spec = 0;                   // drafters with an output matrix: rank only the N most frequent ids; 0: all
    double ngram_weight = 0.5;         // dart: how much n-grams say in the search for its tree; 0: nothing
    int head_pool = 0;                 // domino: correct only the N best ids of the block's base rows; 0: all
    int tree_topk = 3;                 // trees: children of a node at most
    int tree_depth = 0;                // trees: tokens in a row at most (0: K)
    int tree_budget = 8;               // trees: nodes of one round at most
    bool operator==(const DrafterOptions&) const = default;
};

}  // namespace speclens
