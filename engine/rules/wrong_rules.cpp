#include "engine/rules/wrong_rules.h"

#include "engine/rules/tree_walk.h"

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

Verdict redraw_from_the_draft(const Round& round) { return replace_from(round, round.q); }
Verdict replace_from_the_target(const Round& round) { return replace_from(round, round.p); }

Verdict ratio_upside_down(const Round& round) {
    Round swapped = round;
    swapped.p = [&](int row) -> const Distribution& { return row < round.count() ? round.q(row) : round.p(row); };
    swapped.q = [&](int node) -> const Distribution& { return round.p(node); };
    return find_rule("token")->verify(swapped);
}

Verdict chosen_as_if_drawn(const Round& round) { return walk_tree(round, &drawn_with, &without_proposal); }

Verdict block_with_the_residual_of_a_token(const Round& round) {
    Verdict verdict = find_rule("block")->verify(round);
    if (verdict.from != TokenSource::residual) return verdict;
    Residual left = residual(round.p(verdict.row()), round.q(verdict.accepted()));
    verdict.distribution = left.distribution.empty() ? round.p(verdict.row()) : std::move(left.distribution);
    verdict.token = sample(verdict.distribution, *verdict.u);
    return verdict;
}

Verdict compared_with_a_fresh_sample(const Round& round) {
    Verdict verdict;
    const int k = round.count();
    for (int i = 0; i < k; ++i) {
        const double u = round.accept_coin(i);
        const bool same = sample(round.p(i), u) == round.drafts[static_cast<std::size_t>(i)];
        verdict.checks.push_back({.node = i, .threshold = same ? 1.0 : 0.0, .u = u, .accepted = same});
        if (!same) break;
        verdict.path.push_back(i);
    }
    const int row = verdict.accepted();
    verdict.from = k > 0 && row == k ? TokenSource::bonus : TokenSource::target;
    verdict.u = round.resample_coin(row);
    verdict.distribution = round.p(row);
    verdict.token = sample(verdict.distribution, *verdict.u);
    return verdict;
}

Verdict stopped_at_an_unlikely_draw(const Round& round) {
    constexpr double kLeast = 0.25;
    const auto likely = [&](int node) {
        return round.q(node)[static_cast<std::size_t>(round.drafts[static_cast<std::size_t>(node)])] >= kLeast;
    };
    Round shorter = round;
    int count = 0;
    while (count < round.count() && likely(count)) ++count;
    shorter.drafts = round.drafts.first(static_cast<std::size_t>(count));
    return find_rule("token")->verify(shorter);
}

template <StoryLabel Name>
RuleInfo wrong(Verdict (*verify)(const Round& round), RuleKind kind = RuleKind::token, Siblings siblings = Siblings::none) {
    return rule_named<Name>({.kind = kind, .needs_q = true, .siblings = siblings, .guarantee = Guarantee::nothing, .verify = verify});
}

} // namespace

std::span<const RuleInfo> wrong_rules() {
    static const RuleInfo kRules[] = {
        wrong<"bonus">(bonus_after_a_rejection),
        wrong<"redraw">(redraw_from_the_draft),
        wrong<"target">(replace_from_the_target),
        wrong<"swapped">(ratio_upside_down),
        wrong<"chosen">(chosen_as_if_drawn, RuleKind::token, Siblings::best),
        wrong<"mixed">(block_with_the_residual_of_a_token, RuleKind::block),
        wrong<"fresh">(compared_with_a_fresh_sample, RuleKind::match),
        wrong<"peek">(stopped_at_an_unlikely_draw),
    };
    return kRules;
}

} // namespace speclens
