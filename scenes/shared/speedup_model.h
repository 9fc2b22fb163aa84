// What decides the speed-up: tokens of a round against its cost, by draft length. From a study of the
// current run's prompt and drafter (measured, position by position), or from three numbers: the chance that a
// draft token stays, what a draft token costs, what a further row of the verify pass costs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "scenes/shared/scene_input.h"

namespace speclens {

struct RunStudy; // engine/run/session_commands.h

// Draft tokens on the axis.
inline constexpr int kLongestDraft = 16;

// Mean tokens of a round with K draft tokens, the target's own included, when every draft token stays with probability
// alpha: (1 − α^(K+1)) ÷ (1 − α) (Leviathan et al. 2023, equation 1).
[[nodiscard]] double expected_tokens(double alpha, int k);
// The same where draft token i stays with probability stays[i − 1] if all before it did: 1 + Σ Π stays. K beyond
// the known positions adds nothing.
[[nodiscard]] double expected_tokens(std::span<const double> stays, int k);

// One number for each lever; costs in target passes of one token.
struct Levers {
    double alpha = 0.8;   // chance that a draft token stays
    double draft = 0.1;   // a draft token
    double verify = 0.05; // each row of the verify pass after the first
    double block = 0;     // drafting whatever K is: of a drafter that drafts all at once
    double drafts = 1;    // share of the rounds with drafts: lookup finds none in some
    // Means over rounds with and without draft tokens: tokens, and what drafting and verifying cost.
    [[nodiscard]] double tokens(int k) const { return 1 + drafts * (expected_tokens(alpha, k) - 1); }
    [[nodiscard]] double draft_cost(int k) const { return drafts * (block + k * draft); }
    [[nodiscard]] double verify_cost(int k) const { return 1 + drafts * k * verify; }
    [[nodiscard]] double speedup(int k) const { return tokens(k) / (draft_cost(k) + verify_cost(k)); }
    bool operator==(const Levers&) const = default;
};

// ", in 62 % of the rounds": those with draft tokens; empty: all.
[[nodiscard]] Message share_words(const Levers& levers);
// "0.05 of a target pass for each guess": what drafting costs.
[[nodiscard]] Message drafting_words(const Levers& levers);
[[nodiscard]] Message in_passes(double cost); // "0.05 of a target pass"

// What the user set.
struct SpeedupState {
    bool by_hand = false; // these levers instead of what was measured
    Levers levers;
    int k = 0; // the marked draft length; 0: the best one
    bool operator==(const SpeedupState&) const = default;
};

// A draft length that was measured. Times of a round in ms, the mean over rounds with all draft tokens and
// without any.
struct SpeedupPoint {
    int k = 0, rounds = 0;
    double drafts = 1; // share of the rounds with drafts
    double tokens = 0; // per round
    double draft = 0, head = 0, verify = 0;
    double speedup = 0; // tokens × a plain pass ÷ the round
    // What may be chance of it: the 95 % interval of so many rounds, and how far apart the tries were in
    // time.
    double low = 0, high = 0;
    [[nodiscard]] bool few() const;
};

struct SpeedupModel {
    enum class Source : std::uint8_t { study, run, assumed, hand } source = Source::assumed;
    std::string drafter;                // whom a study would be about; empty: nobody can draft here
    std::string own;                    // the drafter of the run where that is another; empty: the same
    bool server = false, table = false; // the target: no time of plain decoding, so no speed-up of the run
    bool measuring = false;             // part of the study is still to come
    bool stopped = false;               // somebody ended it before it had all
    double plain_ms = 0;                // a plain pass of one token; 0: unknown
    std::vector<SpeedupPoint> points;   // by draft length; empty unless a study of this run is there
    std::vector<double> stays;          // by position, of its longest drafts, in rounds with drafts
    std::vector<int> judged;            // rounds behind each
    Levers levers;                      // of the source
    // For K = 1 … kLongestDraft: with a study position by position and with measured times, else by the
    // levers.
    std::vector<double> tokens, speedup;
    int best = 1, marked = 1; // draft lengths
    std::vector<int> as_fast; // measured ones whose intervals meet that of the best, itself among them
    bool alike = true;        // and they were so seen, not only kept from being told apart by chance
    bool even = false;        // the best may be no faster and no slower than plain decoding, as far as is told
    bool close = true;        // and was seen so
    bool outrun = false;      // a wider pass was quicker: the times are in doubt
    Message doubt;            // why else they are; empty: they are not
    [[nodiscard]] bool in_ms() const { return plain_ms > 0 && source != Source::hand; } // else in passes
    [[nodiscard]] bool measured() const { return source == Source::study; }
    // Share of the rounds with draft tokens, measured at this length or the next shorter one.
    [[nodiscard]] double drafts_at(int k) const;
    [[nodiscard]] bool known(int k) const { return k <= static_cast<int>(tokens.size()) || point(k); }
    // What was measured for K, else the curve; 0: neither is known.
    [[nodiscard]] double tokens_at(int k) const;
    [[nodiscard]] double speedup_at(int k) const { return tokens_at(k) / (draft_cost(k) + verify_cost(k)); }
    // Costs of a round in target passes: drafting and verifying.
    [[nodiscard]] double draft_cost(int k) const;
    [[nodiscard]] double verify_cost(int k) const;
    [[nodiscard]] const SpeedupPoint* point(int k) const; // nullptr: not measured
};
[[nodiscard]] SpeedupModel speedup_model(const SceneInput& input, const SpeedupState& state);

inline constexpr const char* kSpeedupStudy = "speed-up";
inline constexpr int kMeasuredLengths = 10; // of the study
// The prompt of the current run with its drafter and several draft lengths, beside plain decoding. A drafter
// of trees is studied as a chain. Empty where nobody can draft.
[[nodiscard]] RunStudy speedup_study(const SceneInput& input);

} // namespace speclens
