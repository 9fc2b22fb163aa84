// The rules that give something of the target's distribution away: what they keep and write, by hand and in closed form, and
// their numbers.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/rules/cascade.h"
#include "engine/rules/output_distribution.h"
#include "engine/rules/verify.h"
#include "kernels/error.h"
#include "tests/engine/rules/chain_rows.h"

namespace speclens {
namespace {

using test::Chain;
using test::exact_coins;
using test::exact_match;
using test::Outcomes;
using test::Rows;

TEST(LenientRule, EmitsWhatTheAppendixSays) {
    const Distribution p{0.6, 0.3, 0.1}, q{0.2, 0.5, 0.3};
    const double l = 0.4;
    Distribution emitted(3, 0.0), expected(3);
    double kept = 0;
    for (std::size_t x = 0; x < 3; ++x) {
        Rows rows{
            .drafts = {static_cast<int>(x)}, .p = {p, p}, .q = {q}, .accept = {0.0}, .resample = {0.5, 0.5}, .params = {.lenience = l}};
        const Outcomes out = exact_coins(rows, "lenience");
        emitted[x] += q[x] * out.accepted[1];
        for (std::size_t v = 0; v < 3; ++v) emitted[v] += q[x] * out.next[0][v];
        kept += expected[x] = std::min(q[x], p[x] / (1 - l));
    }
    const Distribution rest = residual(p, q).distribution;
    for (std::size_t v = 0; v < 3; ++v) EXPECT_NEAR(emitted[v], expected[v] + (1 - kept) * rest[v], 1e-12);
    EXPECT_GT(kept, overlap(p, q)) << "keeps more than the token rule";
}

TEST(LenientRule, ZeroIsTheTokenRuleAndOneKeepsWhateverIsPossible) {
    Rows rows{.drafts = {1},
              .p = {{0.9, 0.1, 0}, {1, 0, 0}},
              .q = {{0.1, 0.8, 0.1}},
              .accept = {0.999},
              .resample = {0.5, 0.5},
              .params = {.lenience = 0}};
    EXPECT_DOUBLE_EQ(rows.run("lenience").checks[0].threshold, rows.run("token").checks[0].threshold);
    rows.params.lenience = 1;
    EXPECT_EQ(rows.run("lenience").accepted(), 1);
    rows.drafts = {2};
    EXPECT_EQ(rows.run("lenience").accepted(), 0) << "the target rules token 2 out";
}

TEST(TypicalRule, KeepsWhatExceedsTheLimitOfTheTargetsEntropy) {
    const Distribution sure{0.97, 0.02, 0.01}, unsure{0.4, 0.35, 0.25};
    Rows rows{.drafts = {2, 1},
              .p = {unsure, sure, sure},
              .q = {unsure, sure},
              .accept = {},
              .resample = {0.5, 0.5, 0.5},
              .params = {.epsilon = 0.3, .delta = 0.6}};
    const Verdict verdict = rows.run("typical");
    const double entropy = -(0.4 * std::log(0.4) + 0.35 * std::log(0.35) + 0.25 * std::log(0.25));
    ASSERT_EQ(verdict.checks.size(), 2u);
    EXPECT_NEAR(*verdict.checks[0].typical_threshold, 0.6 * std::exp(-entropy), 1e-12);
    EXPECT_TRUE(verdict.checks[0].accepted) << ".25 > .6 exp(-H) = .205";
    EXPECT_EQ(*verdict.checks[1].typical_threshold, 0.3) << "where the target is sure, epsilon is the limit";
    EXPECT_FALSE(verdict.checks[1].accepted);
    EXPECT_FALSE(verdict.checks[1].u) << "no coin";
    EXPECT_EQ(verdict.from, TokenSource::target);
    EXPECT_EQ(verdict.distribution, sure) << "no residual";
}

// Token V3 with alpha 0 still keeps the target's favourite: p = (.6, .4), q = (.9, .1) gives pi = (.96, .04).
TEST(Cascades, TokenV3AtAlphaZeroIsNotTheTarget) {
    Rows rows{.drafts = {}, .p = {{0.6, 0.4}}, .q = {{0.9, 0.1}}, .accept = {}, .resample = {0.5}, .params = {.alpha = 0}};
    const Verdict verdict = rows.run("cascade_tokenV3");
    EXPECT_NEAR(verdict.distribution[0], 0.96, 1e-12);
    EXPECT_TRUE(verdict.mixed);
    rows.params.alpha = -1;
    EXPECT_NEAR(rows.run("cascade_tokenV2").distribution[0], 0.6, 1e-12) << "V2 at -1 keeps nothing";
}

TEST(Cascades, WholeDistributionsAreKeptOrDeferredByTheirCriterion) {
    const Distribution p{0.7, 0.2, 0.1}, q{0.5, 0.4, 0.1}; // TV = .2
    const auto keeps = [&](const char* rule, double alpha) {
        Rows rows{.drafts = {}, .p = {p}, .q = {q}, .accept = {}, .resample = {0.5}, .params = {.alpha = alpha}};
        const Distribution distribution = rows.run(rule).distribution;
        EXPECT_TRUE(distribution == p || distribution == q) << rule;
        return distribution == q;
    };
    EXPECT_TRUE(keeps("cascade_chow", 0.5)) << "ties keep the draft";
    EXPECT_FALSE(keeps("cascade_chow", 0.4));
    EXPECT_TRUE(keeps("cascade_diff", 0.25));
    EXPECT_FALSE(keeps("cascade_diff", 0.15));
    EXPECT_TRUE(keeps("cascade_opt", 1.25)) << ".5 >= .7 - 1.25 * .2";
    EXPECT_FALSE(keeps("cascade_opt", 0.9));
}

// The only token that the draft over-claims is the favourite of both: max p1 + TV is max q1, up to rounding.
TEST(Cascades, ATieThatRoundingHidesKeepsTheDraft) {
    for (const auto& [p, q] : {std::pair<Distribution, Distribution>{{0.4, 0.35, 0.25}, {0.7, 0.2, 0.1}},
                               {{1.0 / 3, 1.0 / 3, 1.0 / 3}, {0.6, 0.3, 0.1}},
                               {{0.41, 0.3, 0.29}, {0.83, 0.06, 0.11}}}) {
        const DistributionsOfBoth at{p, q, p, q};
        EXPECT_EQ(cascade_mixture("cascade_opt", -1, at), q);
        EXPECT_EQ(cascade_mixture("cascade_opt", -1.001, at), p);
    }
}

// The criterion looks at the models' own distributions, the mixture takes the sampled ones.
TEST(Cascades, DecideOnTheModelsOwnDistributions) {
    const Distribution p_raw{0.5, 0.3, 0.2}, q_raw{0.3, 0.4, 0.3}, p{1, 0, 0}, q{0, 1, 0};
    Round round;
    round.drafts = {};
    round.p = [&](int) -> const Distribution& { return p; };
    round.p_raw = [&](int) -> const Distribution& { return p_raw; };
    round.after_last = {&q, &q_raw};
    round.resample_coin = [](int) { return 0.5; };
    round.params.alpha = 0.5; // token V3: K = {v: p1(v) >= .25} = {0, 1}; q is all on 1
    EXPECT_EQ(find_rule("cascade_tokenV3")->verify(round).distribution, q);
    round.params.alpha = 0.2; // K = {0}: the draft's token is deferred
    EXPECT_EQ(find_rule("cascade_tokenV3")->verify(round).distribution, p);
}

TEST(Cascades, WithoutTheDraftsDistributionBehindItsLastTokenTheBonusIsTheTargets) {
    const Distribution p{0.6, 0.4}, q{0.9, 0.1};
    Rows rows{.drafts = {0}, .p = {p, p}, .q = {q}, .accept = {0.0}, .resample = {0.5, 0.5}, .params = {.alpha = 1}};
    EXPECT_EQ(rows.run("cascade_chow").distribution, p);
    EXPECT_FALSE(rows.run("cascade_chow").mixed) << "a trace must not call it a mixture";
    rows.q = {q, q};
    EXPECT_EQ(rows.run("cascade_chow").distribution, q);
    EXPECT_TRUE(rows.run("cascade_chow").mixed);
}

TEST(Cascades, BlockVerificationKeepsAtLeastAsMuchOfTheSameMixture) {
    for (std::uint32_t seed = 1; seed <= 10; ++seed) {
        const Chain chain(seed);
        double kept[2] = {0, 0};
        chain.each_draft(2, [&](Rows rows, double weight) {
            rows.params.alpha = 0.3;
            for (const bool block : {false, true}) {
                rows.params.block = block;
                const Outcomes out = exact_coins(rows, "cascade_tokenV3");
                for (std::size_t tau = 0; tau < 3; ++tau) kept[block] += weight * out.accepted[tau] * static_cast<double>(tau);
            }
        });
        EXPECT_GE(kept[1], kept[0] - 1e-12) << seed;
    }
}

// ---- closed forms ----

// What a position writes, against the rule itself with every draft and coin of a round of one.
TEST(OutputDistribution, TheClosedFormsAreWhatTheRulesDo) {
    for (const RuleInfo& rule : rule_list()) {
        if (rule.siblings != Siblings::none || rule.greedy_only) continue;
        for (std::uint32_t seed = 1; seed <= 12; ++seed) {
            const Chain chain(seed);
            const DistributionsOfBoth at{chain.p[0], chain.q[0], chain.p[0], chain.q[0]};
            const RuleParams params{.lenience = 0.35, .epsilon = 0.3, .delta = 0.8, .alpha = 0.25};
            Distribution first(3, 0.0);
            double kept = 0;
            chain.each_draft(1, [&](Rows rows, double weight) {
                rows.params = params;
                const Outcomes out = rule.name == std::string("match") ? exact_match(rows) : exact_coins(rows, rule.name);
                kept += weight * out.accepted[1];
                first[static_cast<std::size_t>(rows.drafts[0])] += weight * out.accepted[1];
                for (std::size_t v = 0; v < 3; ++v) first[v] += weight * out.next[0][v];
            });
            const OutputDistribution emitted = output_distribution_at(rule, params, at);
            EXPECT_NEAR(emitted.kept, kept, 1e-12) << rule.name << " " << seed;
            for (std::size_t v = 0; v < 3; ++v) EXPECT_NEAR(emitted.distribution[v], first[v], 1e-12) << rule.name << " " << seed;
            if (rule.lossless()) {
                EXPECT_EQ(distance(emitted.distribution, at.p), 0);
            }
        }
    }
    EXPECT_NEAR(distance({0.5, 0.5, 0}, {0.2, 0.3, 0.5}), 0.5, 1e-12);
}

// ---- parameters ----

TEST(RuleParameters, AreReadByNameAndCheckedByRange) {
    RuleParams params;
    set_parameter(params, *find_rule("cascade_opt"), "alpha", "-3.5");
    EXPECT_EQ(params.alpha, -3.5);
    EXPECT_THROW(set_parameter(params, *find_rule("cascade_chow"), "alpha", "1.5"), Error);
    EXPECT_THROW(set_parameter(params, *find_rule("cascade_chow"), "alpha", "-0.5"), Error);
    EXPECT_THROW(set_parameter(params, *find_rule("lenience"), "lenience", "0.5x"), Error);
    EXPECT_THROW(set_parameter(params, *find_rule("lenience"), "lenience", "nan"), Error);
    EXPECT_THROW(set_parameter(params, *find_rule("token"), "alpha", "0.5"), Error) << "the token rule takes none";
    EXPECT_THROW(set_parameter(params, *find_rule("cascade_chow"), "verifier", "tree"), Error);
    params = {};
    set_parameter(params, *find_rule("cascade_chow"), "verifier", "block");
    EXPECT_EQ(to_text(params, *find_rule("cascade_chow")), "alpha=0.2 verifier=block");
    EXPECT_EQ(to_text(params, *find_rule("token")), "");
    EXPECT_EQ(parameter_words(*find_rule("lenience")), "lenience (0 … 1, default 0.3)");
}

// Where the numbers of a rule leave nothing of the draft's, it writes the target's distribution; and nowhere else is that said.
TEST(RuleParameters, SayWhenNothingIsGivenAway) {
    const std::vector<Distribution> distributions = {{0.6, 0.3, 0.1}, {0.2, 0.5, 0.3}};
    for (const RuleInfo& rule : rule_list()) {
        if (rule.siblings != Siblings::none || rule.lossless()) continue;
        for (const double number : {-1.0, -0.99, 0.0, 0.2, 1.0}) {
            const RuleParams params{.lenience = number, .alpha = number};
            const DistributionsOfBoth at{distributions[0], distributions[1], distributions[0], distributions[1]};
            const bool target = distance(output_distribution_at(rule, params, at).distribution, distributions[0]) < 1e-12;
            if (keeps_target(rule, params)) {
                EXPECT_TRUE(target) << rule.name << " " << number;
            }
        }
    }
    EXPECT_TRUE(keeps_target(*find_rule("lenience"), {.lenience = 0}));
    EXPECT_FALSE(keeps_target(*find_rule("lenience"), {.lenience = 0.1}));
    for (const char* name : {"cascade_diff", "cascade_tokenV1", "cascade_tokenV2"}) {
        EXPECT_TRUE(keeps_target(*find_rule(name), {.alpha = -1})) << name;
        EXPECT_FALSE(keeps_target(*find_rule(name), {.alpha = -0.99})) << name;
    }
    EXPECT_FALSE(keeps_target(*find_rule("cascade_chow"), {.alpha = 0})) << "a draft that is sure is kept";
    EXPECT_FALSE(keeps_target(*find_rule("cascade_tokenV2"), {.alpha = 0}, {.temperature = 0}));
    EXPECT_TRUE(keeps_target(*find_rule("typical"), {}, {.temperature = 0})) << "greedy does its work";
}

} // namespace
} // namespace speclens
