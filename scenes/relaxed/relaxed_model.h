// What rules that are not lossless give away, and what they get for it: at every position that the run
// judged, how often a draft stays and how far what is written lies from the target's distribution. In closed form from
// the recorded heads of both distributions (engine/rules/output_distribution.h). What the heads leave out counts as one more token,
// which would stay far too often if it were large: where it is, nothing is said and the means leave the guess
// out.
#pragma once

#include <string>
#include <vector>

#include "engine/rules/output_distribution.h"
#include "engine/rules/verify.h"
#include "scenes/shared/chance.h"
#include "scenes/shared/scene_input.h"

namespace speclens {

struct RunStudy; // engine/run/session_commands.h

// Most that a recorded head may leave out of its distribution for what follows to be right to a hundredth.
inline constexpr double kMostUnlisted = 0.02;

// The distributions of a judged draft over the tokens that either head lists, and one more for all others.
struct JudgedPosition {
    Position at;
    int drafted = 0;      // token
    std::vector<int> ids; // of the entries; -1 is last: all other tokens
    DistributionsOfBoth distributions;
    bool stayed = false; // in the run
    double unlisted = 0; // largest of the four rests: how much the lump may hide
    [[nodiscard]] bool counts() const { return unlisted <= kMostUnlisted; }
};
// Of every draft that the run judged and recorded. At temperature 0 the distributions at temperature 1.
[[nodiscard]] std::vector<JudgedPosition> positions_with_distributions(const RunView& whole);

// The distance of what is written, 0 where only rounding parts the two distributions.
[[nodiscard]] double distance_told(const Distribution& written, const Distribution& target);

// Means over the positions that count.
struct TradeOff {
    double kept = 0;     // chance that a draft stays
    double distance = 0; // total variation between what is written and the target
};
[[nodiscard]] TradeOff trade_off(const std::vector<JudgedPosition>& positions, const RuleInfo& rule, const RuleParams& params);

struct RelaxedCurve {
    const RuleInfo* rule = nullptr;
    std::vector<TradeOff> points; // along the rule's first parameter, from its cautious end to the generous one
    TradeOff here;                // with the numbers of the scene
};

inline constexpr const char* kExactRule = "token"; // what the relaxed ones are held against, and what nothing is relaxed with

// What the user set.
struct RelaxedChoice {
    std::string rule = "lenience"; // or kExactRule
    [[nodiscard]] bool exact() const { return rule == kExactRule; }
    RuleParams params;
    bool operator==(const RelaxedChoice&) const = default;
};
struct RelaxedState : RelaxedChoice {
    // The curves of a run, kept from frame to frame: which trace, how much of it, how many positions.
    struct Cache {
        const void* trace = nullptr;
        std::size_t events = 0;
        RuleParams params;
        std::vector<JudgedPosition> positions;
        int counted = 0; // of them
        std::vector<RelaxedCurve> curves;
        TradeOff lossless, draft_alone;
    } cache;
};

struct RelaxedModel {
    const std::vector<JudgedPosition>* positions = nullptr; // never null
    const std::vector<RelaxedCurve>* curves = nullptr;
    int counted = 0;                // positions behind the means; 0: the means say nothing
    TradeOff lossless, draft_alone; // the two ends: the token rule, and the draft unchecked
    int stayed = 0;                 // of all positions, in the run
    const RuleInfo* own = nullptr;  // the run's own rule where it is one of the curves
    const RuleInfo* rule = nullptr;
    [[nodiscard]] bool exact() const { return rule->lossless(); } // nothing is relaxed: kExactRule
    RuleParams params;
    TradeOff here;                      // of the rule with these numbers
    int shown = -1;                     // index of the position in the picture; -1: none was judged
    OutputDistribution strict, relaxed; // there, under the token rule and the rule; empty where it does not count
    bool greedy = false;                // distributions at temperature 1 although the run is at 0
    [[nodiscard]] bool all_count() const { return counted == static_cast<int>(positions->size()); }
    [[nodiscard]] const JudgedPosition* position() const { return shown < 0 ? nullptr : &(*positions)[static_cast<std::size_t>(shown)]; }
};
// The run's own rule where it is one of the curves; nullptr: it is not.
[[nodiscard]] const RuleInfo* own_relaxed_rule(const RunView& whole);
[[nodiscard]] RelaxedModel relaxed_model(const SceneInput& input, RelaxedState& state);

// The rules of the scene, in the order of rules.inc: chains, not lossless.
[[nodiscard]] const std::vector<const RuleInfo*>& relaxed_rules();

// The prompt of the run, sampled: plain token rule and every relaxed rule with the numbers of the scene.
// Empty where nobody can draft a chain.
inline constexpr const char* kRelaxedStudy = "relaxed rules";
[[nodiscard]] RunStudy relaxed_study(const SceneInput& input, const RelaxedState& state);
[[nodiscard]] const Study* measured_rules(const SceneInput& input); // of this prompt, dice and drafter
// Whether a point of the study was judged with the numbers that are set now.
[[nodiscard]] bool measured_with(const StudyPoint& point, const RelaxedState& state);
// The study's rounds of a rule with the numbers that are set now; empty: none was measured so.
[[nodiscard]] SeededRounds measured_rounds(const Study* study, const std::string& rule, const RelaxedState& state);
// Of a rule and the token rule: whether chance may have made the difference of their tokens per round.
[[nodiscard]] bool too_close(const SeededRounds& rule, const SeededRounds& token);

} // namespace speclens
