// What acceptance a round must reach to pay, and how fast plain decoding may be until it does not.
#pragma once

#include <optional>

namespace speclens {

// Mean tokens of a round of K draft tokens, the target's own included, if every draft token stays with probability alpha:
// (1 − α^(K+1)) ÷ (1 − α) (Leviathan et al. 2023, equation 1).
[[nodiscard]] double tokens_at_alpha(double alpha, int k);
// The alpha that gives so many tokens a round; 0 for one token or fewer. Absent: more than K + 1, which no alpha gives.
[[nodiscard]] std::optional<double> alpha_for(double tokens, int k);

// The parts of a round: milliseconds that do not change with the target (drafting, bookkeeping), and what checking costs
// in plain passes.
struct RoundParts {
    double tokens = 1;
    double own_ms = 0;
    double check_passes = 1;
};
// Tokens a second of plain decoding above which the round is slower: there a pass of the target costs too little beside
// drafting. Absent: it pays at no speed, because checking alone costs more passes than a round brings tokens.
// Infinite: drafting costs nothing.
[[nodiscard]] std::optional<double> most_plain_rate(const RoundParts& round);

} // namespace speclens
