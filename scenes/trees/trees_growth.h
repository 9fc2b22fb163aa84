// How a tree grows out of the distributions of a block (DDTree, Ringel & Romano 2026, arXiv 2604.12989): the likeliest path first, and
// where the next guess brings less than its row of the verify pass costs.
#pragma once

#include <string>
#include <vector>

#include "engine/lab/pass_times.h"
#include "engine/run/run_view.h"
#include "scenes/shared/scene_input.h"
#include "ui/stories/message.h"

namespace speclens {

struct TreeGrowth {
    // Of each guess, in the order in which they were taken: what the draft gives its path, the product of its tokens' probabilities.
    // It is also what the guess adds to the tokens that the round is expected to bring, were the draft's distribution the target's.
    std::vector<double> path;
    // Of each guess: the path's probability from which on it pays, that is, from which on it adds more tokens for its time than the
    // round has without it. Empty: passes of several rows are not timed here.
    std::vector<double> needed;
    int best = 0;  // guesses with which the round is expected to bring the most tokens a millisecond
    Message doubt; // why the times are not to be relied on; empty: they are
    [[nodiscard]] double expected(std::size_t guesses) const; // tokens of a round with the first ones, the target's own included
};

// Whether passes of several rows can be timed here.
[[nodiscard]] bool times_passes(const SceneInput& input);
// Whether a drafter of this name takes the likeliest paths one after another.
[[nodiscard]] bool grows_by_paths(const std::string& drafter);
// Of a round that such a drafter drafted. `passes` may be null. Empty where the rows were not recorded or a guess was put there by hand.
[[nodiscard]] TreeGrowth tree_growth(const RoundSummary& round, const PassTimes* passes);

} // namespace speclens
