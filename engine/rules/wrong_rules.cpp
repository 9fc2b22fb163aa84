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

} // namespace

std::span<const RuleInfo> wrong_rules() {
    const auto wrong = [](const char* name, Said title, Said about, Verdict (*verify)(const Round& round),
                          RuleKind kind = RuleKind::token) {
        return RuleInfo{.name = name,
                        .title = std::move(title),
                        .about = std::move(about),
                        .kind = kind,
                        .needs_q = true,
                        .guarantee = Guarantee::nothing,
                        .verify = verify};
    };
    static const RuleInfo kRules[] = {
        wrong("bonus", rule_said("bonus.title"_t), rule_said("bonus.about"_t), bonus_after_a_rejection),
        wrong("redraw", rule_said("redraw.title"_t), rule_said("redraw.about"_t), redraw_from_the_draft),
        wrong("target", rule_said("target.title"_t), rule_said("target.about"_t), replace_from_the_target),
        wrong("swapped", rule_said("swapped.title"_t), rule_said("swapped.about"_t), ratio_upside_down),
        {.name = "chosen",
         .title = rule_said("chosen.title"_t),
         .about = rule_said("chosen.about"_t),
         .needs_q = true,
         .siblings = Siblings::best,
         .guarantee = Guarantee::nothing,
         .verify = chosen_as_if_drawn},
        wrong("mixed", rule_said("mixed.title"_t), rule_said("mixed.about"_t), block_with_the_residual_of_a_token, RuleKind::block),
        wrong("fresh", rule_said("fresh.title"_t), rule_said("fresh.about"_t), compared_with_a_fresh_sample, RuleKind::match),
        wrong("peek", rule_said("peek.title"_t), rule_said("peek.about"_t), stopped_at_an_unlikely_draw),
    };
    return kRules;
}

} // namespace speclens
