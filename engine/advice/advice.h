// Does speculation pay here, with which drafter and how many draft tokens? A prediction for every drafter and draft length
// from runs on this machine: acceptance by place, the measured cost of a round, and how far both are known.
#pragma once

#include <string>
#include <vector>

#include "engine/account/refused_ranks.h"
#include "engine/lab/pass_times.h"
#include "engine/run/trace.h"
#include "kernels/said.h"

namespace speclens {

inline constexpr SaidOf<"advice"> advice_said; // its sentences: assets/stories/advice.toml
inline constexpr double kAdviceCovers = 0.90;  // of such figures lie in their interval, as intended

// One drafter with one draft length.
struct AdviceCell {
    std::string drafter;
    int k = 0;
    // Of so many more prompts of this kind on this machine: plain time ÷ speculative time, and where 90 % of such figures lie.
    double speed_up = 0, low = 0, high = 0;
    double tokens_per_round = 0;
    double draft_ms = 0, verify_ms = 0, other_ms = 0; // of a round
    int prompts = 0;                                  // with rounds of exactly this length
    bool worked_out = false;                          // most prompts had longer drafts, whose places say what these would have kept
    bool tree = false;
    RefusedRanks ranks = {}; // of its own rounds
    [[nodiscard]] double round_ms() const { return draft_ms + verify_ms + other_ms; }
};

// Of the longest drafts of a drafter: draft tokens judged and kept at each place.
struct AdviceDrafter {
    std::string name, rule;
    std::vector<int> judged, kept;
    std::string problem; // why it cannot run; empty: it can
};

// One cell on the prompts of one domain that it ran on, as measured; no interval, because they are few.
struct AdviceDomain {
    std::string domain, drafter;
    int k = 0, prompts = 0;
    double tokens_per_round = 0, speed_up = 0;
};

// What the best cell would gain behind longer texts, if acceptance stays what it is.
struct AdviceContext {
    int tokens = 0;
    double plain_ms = 0, verify_ms = 0;
    double speed_up = 0;
};

struct Advice {
    std::string model, backend, machine, date, fingerprint;
    std::string weights;                   // as in Header
    double read_bytes = 0, wide_bytes = 0; // of the weights of a pass where quantised ones are kept, and in bf16; else 0
    Precision precision = Precision::f32;
    double temperature = 0;
    int max_tokens = 0;
    int prompts = 0, planned = 0, skipped = 0; // measured, asked for, longer than a context
    int shortest = 0, longest = 0;             // tokens of text, prompt and answer, that passes were made behind
    double plain_ms = 0;                       // a token of plain decoding
    double clock = 0;                          // how far costs drifted while this was measured, a share
    double busy_cores = 0;                     // that other programs kept busy meanwhile
    double seconds = 0;                        // it took
    std::vector<AdviceDrafter> drafters;
    std::vector<AdviceCell> cells;     // by drafter, then draft length
    std::vector<AdviceDomain> domains; // of the best cell of each drafter; none where the prompts are of one domain
    std::vector<AdviceContext> contexts;
    bool complete = false;

    [[nodiscard]] const AdviceCell* cell(const std::string& drafter, int k) const; // nullptr: none
    [[nodiscard]] const AdviceDrafter* drafter(const std::string& name) const;
};

// Of passes over one row and over those of the best cell behind longer texts; nothing without a best cell.
void add_contexts(Advice& advice, const std::vector<PassTimes>& times);

inline constexpr int kFewestAdvicePrompts = 8; // fewer tell too little of other prompts

struct AdviceVerdict {
    enum class Kind : std::uint8_t {
        none,      // too close, too few prompts, or in doubt: `reason`
        speculate, // with `best`
        plain      // nothing pays: `best` comes nearest
    } kind = Kind::none;
    const AdviceCell* best = nullptr;       // of the advice; null: there is no cell
    Said reason;                            // of none, a clause
    std::vector<const AdviceCell*> as_fast; // as far as is known: their intervals hold the best figure
};
// The best figure decides; where two are within a hundredth, the shorter draft.
[[nodiscard]] AdviceVerdict verdict_of(const Advice& advice);

} // namespace speclens
