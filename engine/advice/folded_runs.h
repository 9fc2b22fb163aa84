// Runs folded for an estimate: where each round stood in its answer, and what it cost.
#pragma once

#include <map>
#include <vector>

#include "engine/advice/estimate.h"
#include "engine/advice/replay.h"

namespace speclens {

struct RoundCost {
    double draft = 0, verify = 0, other = 0; // ms, of the table
    double own_ms = 0;                       // when it happened
    [[nodiscard]] double sum() const { return draft + verify + other; }
};

struct FoldedRun {
    int prompt = 0;
    int context = 0; // tokens of the prompt
    std::vector<DraftedRound> rounds;
    std::vector<RoundCost> costs; // of each
    RefusedRanks ranks;
    [[nodiscard]] double tokens() const;
    [[nodiscard]] double ms() const;
};

struct FoldedRuns {
    const AdviceRuns* runs = nullptr;
    bool tree = false;
    std::vector<FoldedRun> all;
    [[nodiscard]] const FoldedRun* of(int prompt) const; // nullptr: not run
    // The mean round with so many draft tokens; where none was timed, with the nearest number.
    [[nodiscard]] RoundCost mean_cost(int drafted) const;
    // The share of full rounds behind which the next first draft token was kept too: what to expect of a draft token that nobody made.
    [[nodiscard]] double carries_on() const;

  private:
    friend FoldedRuns fold_runs(const AdviceRuns& runs);
    struct Mean {
        RoundCost sum;
        double rounds = 0;
    };
    std::map<int, Mean> means_; // by draft tokens
};
[[nodiscard]] FoldedRuns fold_runs(const AdviceRuns& runs);

} // namespace speclens
