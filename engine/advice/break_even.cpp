#include "engine/advice/break_even.h"

#include <limits>

namespace speclens {

double tokens_at_alpha(double alpha, int k) {
    double tokens = 0, stays = 1;
    for (int i = 0; i <= k; ++i) {
        tokens += stays;
        stays *= alpha;
    }
    return tokens;
}

std::optional<double> alpha_for(double tokens, int k) {
    if (tokens <= 1) return 0;
    if (tokens > k + 1) return {};
    double low = 0, high = 1;
    for (int i = 0; i < 60; ++i) { // tokens_at_alpha rises
        const double middle = (low + high) / 2;
        (tokens_at_alpha(middle, k) < tokens ? low : high) = middle;
    }
    return high;
}

std::optional<double> most_plain_rate(const RoundParts& round) {
    const double gained = round.tokens - round.check_passes; // passes
    if (gained <= 0) return {};
    if (round.own_ms <= 0) return std::numeric_limits<double>::infinity();
    return 1000 * gained / round.own_ms;
}

} // namespace speclens
