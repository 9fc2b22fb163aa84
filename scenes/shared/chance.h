// What chance leaves open of tokens per round that were measured over a few seeds (Trees, Relaxed rules), and
// of times that were taken a few times (Speed-up, Trees). A seed is the unit, not a round: its rounds write
// one text. Rows measured with the same seeds share much of their luck, so two of them are compared seed by
// seed.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/lab/study.h"
#include "scenes/shared/scene_input.h"
#include "ui/stories/message.h"

namespace speclens {

struct SeededRounds {
    struct Seed {
        std::uint64_t seed = 0;
        int rounds = 0, tokens = 0;
    };
    std::vector<Seed> seeds;
    void add(const StudyPoint& point);      // a run without rounds says nothing
    [[nodiscard]] double per_round() const; // tokens, over all seeds; 0: nothing was measured
    // Half of the 95 % interval of per_round(); none of fewer than two seeds.
    [[nodiscard]] std::optional<double> chance() const;
};

// How many times as many tokens per round `a` gives, over the seeds that both have.
struct LogRatio {
    double value = 0;
    double chance = 0; // half of its 95 % interval
    int seeds = 0;
    [[nodiscard]] bool more() const { return seeds > 1 && value > chance + 1e-12; } // `a`, beyond chance
};
[[nodiscard]] LogRatio ratio_of(const SeededRounds& a, const SeededRounds& b);

// "4.24 ±.15"; without the second part where no interval can be told.
[[nodiscard]] Message with_chance(const SeededRounds& rounds);

// How much longer the middle one of several tries took than the quickest; 0 of none.
[[nodiscard]] double middle_over_quickest(std::vector<double> tries);

// By a plain pass; what takes longer, or asks a server for every pass, is measured less often.
[[nodiscard]] bool quick_to_measure(const SceneInput& input);
// Seeds of a study that M starts now: where these rows were measured already, with their first seed and
// others, twice as many, up to a limit. `measured`: of the same prompt and dice; nullptr: nothing was.
[[nodiscard]] int seeds_to_measure(const SceneInput& input, const std::vector<RunSettings>& rows, const Study* measured);
[[nodiscard]] Message more_seeds_words(const Study& measured); // "M measures twice as many seeds."

} // namespace speclens
