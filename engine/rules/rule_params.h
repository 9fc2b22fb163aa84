// The numbers that some accept rules take: how much of losslessness a relaxed rule gives away, and the like.
// One struct for all rules, so that switching the rule keeps what was set; which fields a rule reads stands with it (RuleInfo::parameters).
#pragma once

#include <string>

#include "kernels/said.h"

namespace speclens {

inline constexpr SaidOf<"rule-names"> rule_said; // words of rules and of their numbers: assets/stories/rule-names.toml

struct RuleParams {
    double lenience = 0.3; // lenience: l of min(1, p / ((1-l) q)), 0 … 1; 0 is the token rule
    double epsilon = 0.09; // typical: keep x where p(x) > min(epsilon, delta * exp(-H(p))), H in nats
    double delta = 0.3;
    double alpha = 0.2; // cascades: how readily the draft is trusted; the range depends on the criterion
    double rho = 0;     // tree_kseq: how far every sibling is held back, 1 … siblings; 0: as many as there are
    bool block = false; // cascades: judge by block verification instead of token by token
    bool operator==(const RuleParams&) const = default;
};

struct RuleInfo; // engine/rules/verify.h

// A number of a rule, for lists, help texts and sliders.
struct RuleParameter {
    const char* name;
    Said title;        // window
    const char* about; // in the remedy of an error
    double RuleParams::*value;
    double low, high;   // what is allowed
    double most_useful; // where a slider may end: `high`, or less where that has no bound
};
inline constexpr double kAnyNumber = 1.7976931348623157e308;

// Sets "alpha" to "0.4", "verifier" to "block". Throws Error (usage) for a name that the rule does not take and for a
// value outside its range.
void set_parameter(RuleParams& params, const RuleInfo& rule, const std::string& name, const std::string& value);
// Throws Error (usage) for a number outside the rule's range, or none at all.
void check_parameters(const RuleParams& params, const RuleInfo& rule);
// "alpha (0 … 1, default 0.2), verifier (token or block)"; empty where it takes nothing.
[[nodiscard]] std::string parameter_words(const RuleInfo& rule);
// "alpha=0.2 verifier=block", only what the rule reads; empty where it takes nothing.
[[nodiscard]] std::string to_text(const RuleParams& params, const RuleInfo& rule);

} // namespace speclens
