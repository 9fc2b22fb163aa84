#include "engine/rules/wrong_rules.h"

namespace speclens {
namespace {

Verdict bonus_after_a_rejection(const Round& round) {
    Verdict verdict = find_rule("token")->verify(round);
    const int k = round.count();
    if (k > 0 && verdict.accepted() == k - 1) {
        verdict.path.push_back(k - 1);
        verdict.checks.back().accepted = true;
        verdict.distribution = round.p(k);
        verdict.token = sample(verdict.distribution, round.resample_coin(k));
    }
    return verdict;
}

Verdict replace_from(const Round& round, const std::function<const Distribution&(int)>& distribution) {
    Verdict verdict = find_rule("token")->verify(round);
    if (verdict.from == TokenSource::residual) {
        verdict.distribution = distribution(verdict.row());
        verdict.token = sample(verdict.distribution, *verdict.u);
    }
    return verdict;
}

Verdict redraw_from_the_draft(const Round& round) {
    return replace_from(round, round.q);
}
Verdict replace_from_the_target(const Round& round) {
    return replace_from(round, round.p);
}

Verdict ratio_upside_down(const Round& round) {
    Round swapped = round;
    swapped.p = [&](int row) -> const Distribution& { return row < round.count() ? round.q(row) : round.p(row); };
    swapped.q = [&](int node) -> const Distribution& { return round.p(node); };
    return find_rule("token")->verify(swapped);
}

} // namespace

std::span<const RuleInfo> wrong_rules() {
    const auto wrong = [](const char* name, const char* title, const char* about, Verdict (*verify)(const Round& round)) {
        return RuleInfo{.name = name, .title = title, .about = about, .needs_q = true, .guarantee = Guarantee::nothing, .verify = verify};
    };
    static const RuleInfo kRules[] = {
        wrong("bonus", "Bonus after a rejection", "A replacement at the last position is taken for a bonus, and the rejected draft stays.",
              bonus_after_a_rejection),
        wrong("redraw", "No residual: ask the draft again", "A rejected draft is replaced by another draw from the draft.", redraw_from_the_draft),
        wrong("target", "Replacement from the target", "A rejected draft is replaced by a draw from the whole distribution of the target.",
              replace_from_the_target),
        wrong("swapped", "Ratio upside down", "A draft stays with probability min(1, draft / target).", ratio_upside_down),
    };
    return kRules;
}

} // namespace speclens
