// What the names of rules stand for, and what belongs to every rule.
#include "engine/base/lists.h"
#include "engine/rules/verify.h"
#include "kernels/error.h"

namespace speclens {

const RuleInfo* find_rule(const std::string& name) { return find_with(rule_list(), name, &RuleInfo::name); }

const RuleInfo& rule_at(const RuleInfo& rule, const Sampling& sampling) {
    return sampling.temperature == 0 && !rule.is_cascade() ? *find_rule("greedy") : rule;
}

RuleKind kind_of(const RuleInfo& rule, const RuleParams& params, const Sampling& sampling, bool tree) {
    if (!rule.is_cascade() && sampling.temperature == 0) return RuleKind::greedy;
    if (rule.kind == RuleKind::lenient && params.lenience == 0) return RuleKind::token;
    if (rule.kind == RuleKind::kseq && !tree) return RuleKind::token; // a chain holds nothing back
    return rule.kind;
}

bool keeps_target(const RuleInfo& rule, const RuleParams& params) {
    return rule.lossless() || (rule.keeps_target && rule.keeps_target(params));
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
