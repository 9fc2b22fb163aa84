// From target laws, draft laws and coins to a verdict. Pure functions: no state, no model, no trace.
// A new rule is one file in engine/rules/ plus one line in rules.inc.
// p is the target, q the draft (Leviathan et al.); row i of p is the target's law after i accepted drafts.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/law.h"
#include "engine/trace.h"

namespace speclens {

// One round as a rule sees it. Laws are asked for only when needed; references stay valid for the round.
struct Round {
    std::span<const int> drafts;                   // x_1 … x_K as drafts[0 … K-1]
    std::function<const Law&(int)> p;              // row i in 0 … K: the target's law of position i
    std::function<const Law&(int)> q;              // row i in 0 … K-1: the law drafts[i] was drawn from
    std::function<int(int)> p_argmax;              // cheaper than p(i) when only the best token matters
    std::function<double(int)> accept_coin;        // u of draft i
    std::function<double(int)> resample_coin;      // u of the target's own token at row i
};

struct Judgement {
    double threshold = 0;     // accept iff u < threshold (greedy and match: 1 or 0)
    std::optional<double> u;  // the coin that was compared; none for greedy
    bool accepted = false;
};

struct Verdict {
    std::vector<Judgement> checks;  // drafts that were judged, in order
    int accepted = 0;               // leading drafts that are kept
    Resampled::From from = Resampled::From::target;
    int token = 0;                  // the target's own token
    std::optional<double> u;        // the coin that drew it
    Law law;                        // the law it was drawn from; empty: one-hot at `token`
    bool residual_fallback = false; // the residual was empty in floating point, p was used
};

struct RuleInfo {
    const char* name;
    const char* title;
    const char* about;
    bool needs_q;       // compares with the draft's probabilities
    bool greedy_only;   // needs temperature 0
    Verdict (*verify)(const Round& round);
};
[[nodiscard]] const std::vector<RuleInfo>& rule_list();
[[nodiscard]] const RuleInfo* find_rule(const std::string& name);  // nullptr: unknown

}  // namespace speclens
