// What a generation did, in numbers, and what that adds up to over prompts. Counts come from the trace (the same
// dice give the same counts in every repeat), and so do times: those of its events, or what a table of times puts in their
// place (engine/lab/time_table.h). The prefill is not counted.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/account/refused_ranks.h"
#include "engine/run/wire_totals.h"

namespace speclens {

class Run;   // engine/run/run.h
class Trace; // engine/run/trace.h

// First draft tokens of rounds, by what was before: the prompt, a full round, every draft token of which was kept, or a refused
// draft token. A round begins where the last one ended, and behind a refusal that is a hard place. Rounds right behind one
// without draft tokens are none of these.
struct FirstDrafts {
    int at_start = 0, kept_at_start = 0; // of a generation's first round, behind the prompt
    int after_full = 0, kept_after_full = 0, after_refusal = 0, kept_after_refusal = 0;
    FirstDrafts& operator+=(const FirstDrafts& other);
};

struct Sample {
    int rounds = 0, tokens = 0, drafted = 0, accepted = 0;
    int plain_passes = 0;         // among the rounds: those of K auto without a draft
    std::vector<int> judged_at;   // rounds in which draft i was judged
    std::vector<int> accepted_at; // rounds in which draft i was accepted
    FirstDrafts first;
    RefusedRanks ranks;
    double head_ms = 0;                               // part of draft_ms
    double draft_ms = 0, verify_ms = 0, other_ms = 0; // other: verdicts, resampling and commits
    double accept_ms = 0;                             // part of other_ms: distributions, verdicts, resampling
    double excess_ms = 0;                             // what medians of repeats add to these times; 0: unknown
    WireTotals wire;                                  // of a target elsewhere
    std::vector<int> output;                          // new tokens
    std::shared_ptr<const Trace> trace;
    void take_times(); // anew, those that the trace has now
    [[nodiscard]] double total_ms() const { return draft_ms + verify_ms + other_ms; }
};

// Of the rounds that are complete.
[[nodiscard]] Sample sample_of(const Run& run);

struct Totals {
    int prompts = 0, rounds = 0, tokens = 0, drafted = 0, accepted = 0;
    int plain_passes = 0;                    // among the rounds, as in Sample
    std::vector<int> judged_at, accepted_at; // rounds, by draft position
    FirstDrafts first;
    RefusedRanks ranks;
    std::vector<double> acceptance;                   // accepted at i / rounds that drafted
    std::vector<double> conditional;                  // accepted at i / judged at i
    double head_ms = 0;                               // part of draft_ms
    double accept_ms = 0;                             // part of other_ms
    double draft_ms = 0, verify_ms = 0, other_ms = 0; // means per round
    WireTotals wire;                                  // sums
    double spread = 0;                                // what medians add to the times, a share of them
    double tokens_per_second = 0;
    [[nodiscard]] double tokens_per_round() const { // of rounds that drafted; 1 where none did
        if (rounds == plain_passes) return rounds > 0 ? 1 : 0;
        return static_cast<double>(tokens - plain_passes) / (rounds - plain_passes);
    }
    [[nodiscard]] double tokens_per_pass() const { return rounds ? static_cast<double>(tokens) / rounds : 0; }
    [[nodiscard]] double round_ms() const { return draft_ms + verify_ms + other_ms; }
    // Speed-up over plain decoding by the formula: tokens per round × plain pass ÷ round.
    [[nodiscard]] double predicted_speed_up(const Totals& plain) const {
        return round_ms() > 0 ? tokens_per_pass() * plain.round_ms() / round_ms() : 0;
    }
};
[[nodiscard]] Totals total(std::span<const Sample* const> samples);

// A ratio of sums over prompts with a 95 % bootstrap interval that resamples prompts (2000 times, seeded).
struct Estimate {
    double value = 0, low = 0, high = 0;
    bool interval = false; // false: fewer than two prompts
};
// Plain over speculative time per token.
[[nodiscard]] Estimate speed_up(std::span<const Sample* const> plain, std::span<const Sample* const> speculative, std::uint64_t seed);
[[nodiscard]] Estimate tokens_per_round(std::span<const Sample* const> samples, std::uint64_t seed);
// What `other` writes more a round than `first` on the same prompts, which are resampled together.
[[nodiscard]] Estimate tokens_more(std::span<const Sample* const> first, std::span<const Sample* const> other, std::uint64_t seed);

// 95 % interval of a proportion (Wilson 1927, score interval); {0, 1} of nothing.
struct Interval {
    double low = 0, high = 1;
};
[[nodiscard]] Interval wilson(int successes, int trials);

} // namespace speclens
