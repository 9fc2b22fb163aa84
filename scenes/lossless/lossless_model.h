// Is speculative decoding lossless? Short texts drawn on the built-in table with a rule, right or
// deliberately wrong, counted against the exact distribution of all texts; and, on the loaded models, greedy texts held against plain
// decoding: of every drafter, and with two faults of real engines put in on purpose, a wider pass that rounds otherwise, and a cache
// that is set back one row too far.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/told_reason.h"
#include "engine/lab/fault_study.h"
#include "engine/lab/toy_texts.h"
#include "scenes/shared/message_scene.h"

namespace speclens {

inline constexpr MessagesOf<"lossless", "promise", "proof", "count", "mistake", "hiding", "block", "fresh", "peek", "chosen", "asterisk",
                            "tie", "cache">
    lossless_says;
inline constexpr int kLosslessBeats = lossless_says.size, kLosslessProofBeat = 1, kLosslessDrawBeat = 2; // from here on texts are drawn
// Of greedy texts on the loaded models: every drafter's, then one fault and the other.
inline constexpr int kLosslessGreedyBeat = 9, kLosslessTieBeat = 10, kLosslessCacheBeat = 11;

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
    long caught = 0;         // the first look below kLosslessAlarm, for good; 0: none
};

// Draws `count` more texts: text n always has the same dice.
void draw_texts(const RuleInfo& rule, std::uint64_t seed, long count, LosslessCount& counts);
// Mean distance that `n` draws of the right distribution would show: the noise. (Sum over texts of sqrt(p (1-p) / n) /
// sqrt(2 pi).)
[[nodiscard]] double expected_distance(long n);

// What the first position of a text gets under a rule, token by token: kept drafts and replacements.
struct ProofRow {
    double target = 0, draft = 0, kept = 0, replaced = 0;
    [[nodiscard]] double off() const { return kept + replaced - target; }
};
[[nodiscard]] std::vector<ProofRow> proof_rows(const RuleInfo& rule);

// The right rule first, then those with a mistake.
[[nodiscard]] const std::vector<const RuleInfo*>& lossless_rules();

struct LosslessState {
    int rule = 0;                                // of lossless_rules()
    std::map<std::string, LosslessCount> counts; // by name
};

// A greedy text on the loaded models held against plain decoding's: of a drafter, or of one with a fault in the target.
struct GreedyText {
    std::string drafter;
    ToldReason problem;              // it could not be run
    std::vector<int> plain, written; // new tokens of both
    int differs_at = -1;             // first place that is another one; -1: none
    // With a fault: what plain decoding gave both tokens there, at temperature 1; none: not recorded.
    std::optional<double> plain_p, written_p;
    [[nodiscard]] bool same() const { return problem.empty() && differs_at < 0; }
    [[nodiscard]] int plain_token() const { return plain[static_cast<std::size_t>(differs_at)]; }
    [[nodiscard]] int written_token() const { return written[static_cast<std::size_t>(differs_at)]; }
    // The two were so close that another rounding can change their order.
    [[nodiscard]] bool near_tie() const { return plain_p && written_p && *plain_p < 1.1 * *written_p; }
};
// The fault that a beat of the scene is about.
[[nodiscard]] PlantedFault fault_of(int beat);
// Plain decoding first, on the prompt of the run: then every drafter that can run, or one that reads no hidden states, with the fault of
// the beat in the target. Empty without models.
[[nodiscard]] RunStudy lossless_study(const SceneInput& input, int beat);
inline constexpr const char* kGreedyStudy = "greedy texts";

struct LosslessModel {
    const RuleInfo* rule = nullptr;
    const LosslessCount* count = nullptr; // never null
    DistributionTest test;                // of all texts so far
    struct Text {
        std::string letters; // "aba"
        double exact = 0;
        std::optional<double> drawn; // share of all; none: nothing was drawn
    };
    std::vector<Text> texts;
    std::vector<ProofRow> proof;
    std::vector<GreedyText> greedy, tie, cache;              // empty: not measured
    [[nodiscard]] const GreedyText* faulty(int beat) const { // null: not measured
        const std::vector<GreedyText>& of = beat == kLosslessTieBeat ? tie : cache;
        return of.empty() ? nullptr : &of.front();
    }
    [[nodiscard]] auto same() const { return std::ranges::count_if(greedy, &GreedyText::same); }
    [[nodiscard]] bool right() const { return rule->lossless(); }
};
[[nodiscard]] LosslessModel lossless_model(const SceneInput& input, LosslessState& state);

// Of what the stage shows at this beat: texts on the table, greedy texts, or a planted fault.
[[nodiscard]] StageTitle lossless_title(const SceneInput& input, const LosslessModel& model);
[[nodiscard]] Story lossless_story(const SceneInput& input, const LosslessModel& model);
[[nodiscard]] Message mistake_words(const RuleInfo& rule); // the title of a rule with one; empty: it has none
// Where the text of a fault parts from the plain one, and why.
[[nodiscard]] Message found_words(const SceneInput& input, const GreedyText* text);

using LosslessDraw = SceneDraw<LosslessModel, LosslessState>;
void draw_lossless_stage(const LosslessDraw& d);
void draw_lossless_details(const LosslessDraw& d);
void draw_lossless_controls(const LosslessDraw& d);
void more_texts(const SceneInput& input, const RuleInfo& rule, long count, LosslessState& state);

} // namespace speclens
