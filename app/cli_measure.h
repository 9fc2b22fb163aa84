// What one drafter did on one prompt, and what that adds up to over prompts. Counts come from the trace (the
// same dice give the same counts in every repeat); times are wall-clock time after the prefill, the repeat
// with the median total stands for its prompt.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/models.h"
#include "engine/run.h"

namespace speclens::cli {

struct Sample {
    int rounds = 0, tokens = 0, drafted = 0, accepted = 0;
    std::vector<int> judged_at;                       // rounds in which draft i was judged
    std::vector<int> accepted_at;                     // rounds in which draft i was accepted
    double head_ms = 0;                               // part of draft_ms
    double draft_ms = 0, verify_ms = 0, other_ms = 0; // other: everything else on the clock
    std::vector<int> output;                          // new tokens
    [[nodiscard]] double total_ms() const { return draft_ms + verify_ms + other_ms; }
};

// Runs to the end. Throws Interrupted.
[[nodiscard]] Sample measure(const std::shared_ptr<const Models>& models, const RunSettings& settings);
// The sample with the median total time.
[[nodiscard]] const Sample& median_sample(std::vector<Sample>& repeats);

struct Totals {
    int prompts = 0, rounds = 0, tokens = 0, drafted = 0, accepted = 0;
    std::vector<double> acceptance;                   // accepted at i / rounds
    std::vector<double> conditional;                  // accepted at i / judged at i
    double head_ms = 0;                               // part of draft_ms
    double draft_ms = 0, verify_ms = 0, other_ms = 0; // means per round
    double tokens_per_second = 0;
    [[nodiscard]] double tokens_per_round() const {
        return rounds ? static_cast<double>(tokens) / rounds : 0;
    }
};
[[nodiscard]] Totals total(std::span<const Sample* const> samples);

// Ratio of plain to speculative time per token over all prompts; the interval resamples prompts (2000 times).
struct SpeedUp {
    double value = 0, low = 0, high = 0;
    bool interval = false; // false: fewer than two prompts
};
[[nodiscard]] SpeedUp speed_up(std::span<const Sample* const> plain,
                               std::span<const Sample* const> speculative, std::uint64_t seed);

// Touches weights and caches before anything is timed: two tokens after the first one of the prompt.
void warm_up(const std::shared_ptr<const Models>& models, RunSettings settings);

// Plain decoding of the same prompt, recorded the same way, after a warm-up: the baseline of a speed-up.
// 0 when it was interrupted before the first token.
[[nodiscard]] double plain_ms_per_token(const std::shared_ptr<const Models>& models, RunSettings settings,
                                        int tokens);

[[nodiscard]] double median(std::vector<double> values); // 0 of nothing

// CPU cores kept busy by other processes during the last moments, and what to say about it (empty: quiet).
[[nodiscard]] double busy_cores();
[[nodiscard]] std::string busy_warning(double cores);

} // namespace speclens::cli
