// Lenient speculative sampling (Leviathan et al. 2023, appendix A.5): the token rule with the draft's probability
// scaled by 1 - l, so that a draft stays with probability min(1, p / ((1-l) q)); the residual is that of the token
// rule. l = 0 is the token rule, l = 1 keeps whatever the target does not rule out. Not lossless for l > 0: a
// position emits min(q, p/(1-l)) plus the rest of the mass spread as normalise(max(p - q, 0)).
#include "engine/rules/token_walk.h"

namespace speclens {

RuleInfo lenience_rule() {
    return rule_named<"lenience">({
        .kind = RuleKind::lenient,
        .needs_q = true,
        .guarantee = Guarantee::nothing,
        .parameters = {{"lenience", rule_said("parameter.lenience"_t), "0 is the token rule, 1 keeps whatever the target does not rule out",
                        &RuleParams::lenience, 0, 1, 1}},
        .keeps_target = [](const RuleParams& params) { return params.lenience == 0; }, // the token rule
        .verify = [](const Round& round) { return walk_tokens(round, 1 - round.params.lenience); },
    });
}

} // namespace speclens
