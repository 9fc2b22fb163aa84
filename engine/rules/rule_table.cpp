// The table of rules, generated from rules.inc in menu order. Alone in its file: a test puts another list in its place,
// with the rule that docs/adding.md shows.
#include "engine/rules/verify.h"

namespace speclens {

#define RULE(name) RuleInfo name##_rule();
#include "engine/rules/rules.inc"
#undef RULE

const std::vector<RuleInfo>& rule_list() {
    static const std::vector<RuleInfo> list = {
#define RULE(name) name##_rule(),
#include "engine/rules/rules.inc"
#undef RULE
    };
    return list;
}

} // namespace speclens
