// A text that somebody else wrote and this target only judges: what it says of the tokens behind some place. So a draft worker
// elsewhere has its draft tokens verified in the same passes as everybody's rounds.
#pragma once

#include <vector>

#include "engine/model/top_entries.h"

namespace speclens {

struct Scoring {
    std::vector<int> tokens; // two or more; what is said of the last one is told, what follows it is not
    int first = 0;           // of the tokens behind this place: tokens[first + 1] …, in order
    int top = 20;            // likeliest tokens of each place; 0: none
};

// What stands behind a place, at temperature 1 and unfiltered.
struct ScoredToken {
    TopEntries top;  // largest first
    double logp = 0; // of the text's own token
    int rank = 0;    // of that token, from 1: how many are likelier, and 1
};

[[nodiscard]] ScoredToken scored_token(const Distribution& distribution, int token, int top);

} // namespace speclens
