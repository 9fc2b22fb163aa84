// Is speculative decoding lossless? Short texts drawn on the built-in table with a rule, right or
// deliberately wrong, counted against the exact distribution of all texts; and, on the loaded models, greedy texts of
// every drafter against plain decoding.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/statistics.h"
#include "engine/lab/toy_texts.h"
#include "engine/rules/verify.h"
#include "scenes/shared/scene_input.h"
#include "scenes/shared/told.h"

namespace speclens {

struct RunStudy; // engine/run/session_commands.h

// Of one look. A test that looks again and again cries wolf more often: over the 17 looks up to 100 000 texts the right
// rule is accused in at most one of 500 tries.
inline constexpr double kLosslessAlarm = 1e-4;

// Texts of one rule so far.
struct LosslessCount {
    Counts texts;
    long drawn = 0;
    struct Look { // after so many texts
        long drawn = 0;
        double distance = 0, p_value = 1;
    };
    std::vector<Look> looks; // at 10, 18, 32, 56, 100 …: four to a decade
    long caught = 0;         // the first look below kLosslessAlarm; 0: none
};

// Draws `count` more texts: text n always has the same dice.
void draw_texts(const RuleInfo& rule, std::uint64_t seed, long count, LosslessCount& counts);
// Mean distance that `n` draws of the right distribution would show: the noise. (Sum over texts of sqrt(p (1-p) / n) /
// sqrt(2 pi).)
[[nodiscard]] double expected_distance(long n);

// What the first position of a text gets under a rule, token by token: kept drafts and replacements.
struct ProofRow {
    double target = 0, draft = 0, kept = 0, replaced = 0;
};
[[nodiscard]] std::vector<ProofRow> proof_rows(const RuleInfo& rule);

// The right rule first, then those with a mistake.
[[nodiscard]] const std::vector<const RuleInfo*>& lossless_rules();

struct LosslessState {
    int rule = 0; // of lossless_rules()
    std::map<std::string, LosslessCount> counts;
};

struct LosslessModel {
    const RuleInfo* rule = nullptr;
    const LosslessCount* count = nullptr; // never null
    DistributionTest test;                // of all texts so far
    double noise = 0;                     // expected_distance of as many
    [[nodiscard]] bool right() const { return rule->lossless(); }
    // At a look, and only there: the bound on false alarms counts no other.
    [[nodiscard]] bool caught() const { return count->caught > 0; }
};
[[nodiscard]] LosslessModel lossless_model(LosslessState& state);

// Greedy texts of every drafter that can run, and plain decoding, on the prompt of the run. Empty without
// models.
inline constexpr const char* kGreedyStudy = "greedy texts";
[[nodiscard]] RunStudy greedy_study(const SceneInput& input);
// The prompt and dice of these settings, greedy under the token rule, 64 new tokens, nothing recorded.
[[nodiscard]] RunSettings greedy_settings(RunSettings settings);
struct GreedyRow {
    std::string drafter, problem;
    int tokens = 0;
    int differs_at = -1; // first token that is another one; -1: none
};
[[nodiscard]] std::vector<GreedyRow> greedy_rows(const SceneInput& input); // empty: not measured
[[nodiscard]] bool same_text(const GreedyRow& row);
[[nodiscard]] std::string greedy_verdict(const GreedyRow& row); // "same 38 tokens", "differs at token 3"

inline constexpr StoryOf<"lossless", "promise", "proof", "count", "mistake", "hiding", "block", "fresh", "peek", "chosen", "asterisk",
                         "tie", "cache">
    lossless_says;
inline constexpr int kLosslessBeats = lossless_says.size, kLosslessProofBeat = 1, kLosslessDrawBeat = 2; // from here on texts are drawn
// Of greedy texts on the loaded models: every drafter's, then one fault and the other.
inline constexpr int kLosslessGreedyBeat = 9, kLosslessTieBeat = 10, kLosslessCacheBeat = 11;

} // namespace speclens
