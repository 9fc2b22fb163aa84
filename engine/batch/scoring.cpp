#include "engine/batch/scoring.h"

#include <algorithm>
#include <cmath>

namespace speclens {

ScoredToken scored_token(const Distribution& distribution, int token, int top) {
    const double own = distribution[static_cast<std::size_t>(token)];
    return {.top = top == 0 ? TopEntries() : top_of(distribution, top),
            .logp = own > 0 ? std::log(own) : kLogZero,
            .rank = 1 + static_cast<int>(std::ranges::count_if(distribution, [&](double p) { return p > own; }))};
}

} // namespace speclens
