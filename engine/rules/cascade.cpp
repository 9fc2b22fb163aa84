// Speculative cascades (Narasimhan et al. 2024, arXiv 2405.19261): at every position the distributions q of the draft and p of
// the target are mixed into a distribution pi by a rule that decides when the draft is good enough, and the drafts are judged
// against pi, by the token rule or by block verification. The output follows pi exactly, and p only where pi is p.
// Whether to defer is decided on the models' own distributions (temperature 1, unfiltered: p1, q1), what is mixed are the distributions
// that are sampled. Ties keep the draft. The own token behind a draft that was kept whole needs q there too; where the
// drafter cannot say it, it is the target's own.
//   chow   keep q iff max q1 >= 1 - a                     opt   keep q iff max q1 >= max p1 - a TV(p, q)
//   diff   keep q iff max q1 >= max p1 - a                else pi = p
//   V1     K = {v: q1(v) >= max p1 - a}                   V3    K = {v: p1(v) >= (1-a) max p1}
//   V2     K = {v: p1(v) >= max p1 - a}                   pi(v) = q(v) [v in K] + p(v) (1 - q(K))
#include "engine/rules/cascade.h"

#include <algorithm>

#include "kernels/error.h"

namespace speclens {
namespace {

// Ties keep the draft, also those that rounding hides: at alpha = -1, max p1 + TV often is max q1.
constexpr double kTie = 1e-12;

double best_of(const Distribution& distribution) { return *std::ranges::max_element(distribution); }

template <typename Kept>
Distribution mix_tokens(const DistributionsOfBoth& at, const Kept& kept) {
    double deferred = 1;
    for (std::size_t v = 0; v < at.q.size(); ++v)
        if (kept(v)) deferred -= at.q[v];
    deferred = std::max(deferred, 0.0);
    Distribution pi(at.p.size());
    for (std::size_t v = 0; v < pi.size(); ++v) pi[v] = (kept(v) ? at.q[v] : 0.0) + deferred * at.p[v];
    return pi;
}

Verdict verify_mixture(const Round& round, std::string_view rule) {
    // All rows are copied: asking for distributions at temperature 1 takes the references to the others away.
    const int k = round.count();
    std::vector<DistributionsOfBoth> at(static_cast<std::size_t>(k) + 1);
    for (int row = 0; row <= k; ++row) {
        DistributionsOfBoth& here = at[static_cast<std::size_t>(row)];
        here.p_raw = round.p_raw(row);
        if (row < k)
            here.q_raw = round.q_raw(row);
        else if (round.after_last.distribution)
            here.q_raw = *round.after_last.raw;
    }
    std::vector<Distribution> pi;
    for (int row = 0; row <= k; ++row) {
        DistributionsOfBoth& here = at[static_cast<std::size_t>(row)];
        here.p = round.p(row);
        if (row < k)
            here.q = round.q(row);
        else if (round.after_last.distribution)
            here.q = *round.after_last.distribution;
        pi.push_back(here.q.empty() ? here.p : cascade_mixture(rule, round.params.alpha, here));
    }
    Round mixed = round;
    mixed.p = [&pi](int row) -> const Distribution& { return pi[static_cast<std::size_t>(row)]; };
    Verdict verdict = find_rule(round.params.block ? "block" : "token")->verify(mixed);
    for (Judgement& check : verdict.checks)
        check.mixture =
            pi[static_cast<std::size_t>(check.node)][static_cast<std::size_t>(round.drafts[static_cast<std::size_t>(check.node)])];
    verdict.mixed = verdict.from == TokenSource::residual || round.after_last.distribution;
    return verdict;
}

} // namespace

Distribution cascade_mixture(std::string_view rule, double alpha, const DistributionsOfBoth& at) {
    const auto keep_from = [&](double least) { return best_of(at.q_raw) >= least - kTie ? at.q : at.p; };
    if (rule == "cascade_chow") return keep_from(1 - alpha);
    if (rule == "cascade_diff") return keep_from(best_of(at.p_raw) - alpha);
    if (rule == "cascade_opt") return keep_from(best_of(at.p_raw) - alpha * distance(at.p, at.q));
    const bool relative = rule == "cascade_tokenV3";
    CHECK(relative || rule == "cascade_tokenV1" || rule == "cascade_tokenV2", "not a cascade");
    const double least = relative ? (1 - alpha) * best_of(at.p_raw) : best_of(at.p_raw) - alpha;
    const Distribution& judged = rule == "cascade_tokenV1" ? at.q_raw : at.p_raw;
    return mix_tokens(at, [&](std::size_t v) { return judged[v] >= least - kTie; });
}

namespace {

// No probability lies above the target's highest one and 1 more: nothing of the draft is kept.
bool nothing_kept(const RuleParams& params) { return params.alpha <= -1; }

template <StoryLabel Name>
RuleInfo cascade(double low, double high, double most_useful, bool (*keeps_target)(const RuleParams& params) = nullptr) {
    return rule_named<Name>({
        .kind = RuleKind::cascade,
        .needs_q = true,
        .guarantee = Guarantee::mixture,
        .parameters = {{"alpha", rule_said("parameter.alpha"_t), "the larger, the more of the draft is kept", &RuleParams::alpha, low, high,
                        most_useful}},
        .takes_verifier = true,
        .keeps_target = keeps_target,
        .verify = [](const Round& round) { return verify_mixture(round, Name.letters); },
    });
}

} // namespace

RuleInfo cascade_chow_rule() { return cascade<"cascade_chow">(0, 1, 1); }
RuleInfo cascade_diff_rule() { return cascade<"cascade_diff">(-1, 1, 1, nothing_kept); }
RuleInfo cascade_opt_rule() { return cascade<"cascade_opt">(-kAnyNumber, kAnyNumber, 4); }
RuleInfo cascade_tokenV1_rule() { return cascade<"cascade_tokenV1">(-1, 1, 1, nothing_kept); }
RuleInfo cascade_tokenV2_rule() { return cascade<"cascade_tokenV2">(-1, 1, 1, nothing_kept); }
RuleInfo cascade_tokenV3_rule() { return cascade<"cascade_tokenV3">(0, 1, 1); }

} // namespace speclens
