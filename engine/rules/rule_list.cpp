// The table of rules, generated from rules.inc in menu order.
#include "engine/rules/verify.h"
#include "kernels/error.h"

namespace speclens {

#define RULE(name, title, about, needs_q, greedy_only, siblings, promise, parameters) Verdict verify_##name(const Round& round);
#include "engine/rules/rules.inc"
#undef RULE

const std::vector<RuleInfo>& rule_list() {
    static const std::vector<RuleInfo> list = {
#define RULE(name, title, about, needs_q, greedy_only, siblings, promise, parameters) \
    {#name, title, about, needs_q, greedy_only, &verify_##name, Siblings::siblings, Promise::promise, parameters},
#include "engine/rules/rules.inc"
#undef RULE
    };
    return list;
}

const RuleInfo* find_rule(const std::string& name) {
    for (const RuleInfo& info : rule_list())
        if (name == info.name) return &info;
    return nullptr;
}

const RuleInfo& rule_at(const RuleInfo& rule, const Sampling& sampling) {
    return sampling.temperature == 0 && !rule.mixes() ? *find_rule("greedy") : rule;
}

bool keeps_target(const RuleInfo& rule, const RuleParams& params) {
    const std::string name = rule.name;
    if (name == "lenience") return params.lenience == 0; // the token rule
    // No probability lies above the target's highest one and 1 more: nothing of the draft is kept.
    if (name == "cascade_diff" || name == "cascade_tokenV1" || name == "cascade_tokenV2") return params.alpha <= -1;
    return rule.lossless();
}

bool keeps_target(const RuleInfo& rule, const RuleParams& params, const Sampling& sampling) {
    return rule_at(rule, sampling).lossless() || keeps_target(rule, params);
}

Error tree_error(const std::string& rule) {
    return Error("the rule \"" + rule + "\" judges chains, and this drafter proposes trees",
                 "Use --rule tree_wor, tree_wr, tree_kseq or tree_topk, or --temp 0.", Exit::usage);
}

std::vector<int> Round::children(int node) const {
    std::vector<int> list;
    for (int i = node + 1; i < count(); ++i)
        if (parent(i) == node) list.push_back(i);
    return list;
}

} // namespace speclens
