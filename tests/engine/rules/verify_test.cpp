// The accept rules on given drafts: exact acceptance probabilities and replacement distributions of the public oracles,
// to 1e-9, and the edge cases of the rules.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "engine/base/json.h"
#include "engine/rules/output_distribution.h"
#include "engine/rules/verify.h"
#include "engine/rules/wrong_rules.h"
#include "tests/engine/rules/chain_rows.h"

namespace speclens {
namespace {

using test::Chain;
using test::exact_coins;
using test::exact_match;
using test::Outcomes;
using test::Rows;

TEST(Verify, SpotsOfThePublicOraclesHoldTo1e9) {
    std::ifstream in(SPEC_SOURCE_DIR "/tests/engine/golden/oracles_public.json");
    ASSERT_TRUE(in);
    const Json file = Json::parse(in);
    int spots = 0;
    for (const Json& test_case : file["cases"]) {
        const std::string& rule = test_case["rule"].text();
        if (!find_rule(rule) || !test_case.contains("q") || !test_case.contains("p")) continue;
        for (const Json& spot : test_case["expect"].value("spot", Json::array())) {
            const std::string id = test_case["id"].get<std::string>() + " " + spot.dump().substr(0, 60);
            Rows rows;
            rows.drafts = spot["draft"].get<std::vector<int>>();
            std::string context;
            for (std::size_t i = 0; i <= rows.drafts.size(); ++i) {
                rows.p.push_back(test_case["p"][context].get<Distribution>());
                if (test_case["q"].contains(context)) rows.q.push_back(test_case["q"][context].get<Distribution>());
                if (i == rows.drafts.size()) break;
                context += (context.empty() ? "" : ",") + std::to_string(rows.drafts[i]);
            }
            rows.accept.assign(rows.drafts.size(), 0.0);
            for (const auto& [name, value] : test_case["params"].items())
                if (name != "temperature") set_parameter(rows.params, *find_rule(rule), name, value.dump());
            if (rule == "greedy" || rule.rfind("tree_", 0) == 0) continue;
            const Outcomes out = rule == "match" ? exact_match(rows) : exact_coins(rows, rule);
            for (std::size_t tau = 0; tau < out.accepted.size(); ++tau) {
                EXPECT_NEAR(out.accepted[tau], spot["tau_pmf"][tau].get<double>(), 1e-9) << id;
                if (spot["next"][tau].is_null()) continue;
                double sum = 0;
                for (double value : out.next[tau]) sum += value;
                for (std::size_t v = 0; v < out.next[tau].size(); ++v)
                    EXPECT_NEAR(out.next[tau][v] / sum, spot["next"][tau][v].get<double>(), 1e-9) << id << " tau " << tau;
            }
            ++spots;
        }
    }
    EXPECT_GE(spots, 12) << "the oracle file must have been read";
}

TEST(Verify, GreedyStopsAtTheFirstDifferenceAndEmitsTheTarget) {
    Rows rows{.drafts = {1, 2, 0}, .p = {{0.1, 0.8, 0.1}, {0.6, 0.2, 0.2}, {1, 0, 0}, {0, 1, 0}}, .q = {}, .accept = {}, .resample = {}};
    const Verdict verdict = rows.run("greedy");
    EXPECT_EQ(verdict.accepted(), 1);
    EXPECT_EQ(verdict.token, 0);
    EXPECT_EQ(verdict.from, TokenSource::target);
    EXPECT_EQ(verdict.checks.size(), 2u);
    rows.drafts = {1, 0, 0};
    EXPECT_EQ(rows.run("greedy").from, TokenSource::bonus);
    EXPECT_EQ(rows.run("greedy").token, 1);
}

TEST(Verify, TokenNeverRejectsWhenTheTargetLikesTheTokenAtLeastAsMuch) {
    for (double u : {0.0, 0.5, 0.999999}) {
        Rows rows{.drafts = {0}, .p = {{0.3, 0.7}, {1, 0}}, .q = {{0.3, 0.7}}, .accept = {u}, .resample = {0.1, 0.1}};
        EXPECT_EQ(rows.run("token").accepted(), 1);
    }
}

TEST(Verify, TokenRejectsWhatTheTargetForbidsAndDrawsFromTheResidual) {
    Rows rows{.drafts = {0}, .p = {{0, 0.25, 0.75}, {1, 0, 0}}, .q = {{0.5, 0.5, 0}}, .accept = {0.0}, .resample = {0.0, 0}};
    const Verdict verdict = rows.run("token");
    EXPECT_EQ(verdict.accepted(), 0);
    EXPECT_EQ(verdict.from, TokenSource::residual);
    EXPECT_EQ(verdict.distribution, (Distribution{0, 0, 1}));
    EXPECT_EQ(verdict.token, 2);
}

TEST(Verify, TokenWithAOneHotDraftAcceptsWithTheTargetsProbability) {
    Rows rows{.drafts = {1}, .p = {{0.4, 0.35, 0.25}, {1, 0, 0}}, .q = {{0, 1, 0}}, .accept = {0.36}, .resample = {0.0, 0}};
    const Verdict verdict = rows.run("token");
    EXPECT_DOUBLE_EQ(verdict.checks[0].threshold, 0.35);
    EXPECT_FALSE(verdict.checks[0].accepted);
    EXPECT_NEAR(verdict.distribution[0], 0.4 / 0.65, 1e-12);
    EXPECT_EQ(verdict.distribution[1], 0) << "the rejected token cannot come back";
}

TEST(Verify, AProposalWithoutDraftMassIsRejectedNotDivided) {
    Rows rows{.drafts = {1}, .p = {{0.5, 0.5}, {1, 0}}, .q = {{1, 0}}, .accept = {0.0}, .resample = {0.9, 0}};
    EXPECT_EQ(rows.run("token").accepted(), 0);
    EXPECT_EQ(rows.run("token").checks[0].threshold, 0);
}

TEST(Verify, AnEmptyResidualFallsBackToTheTargetAndSaysSo) {
    Rows rows{.drafts = {0},
              .p = {{0.5, 0.5}, {1, 0}},
              .q = {{0.5 + 1e-15, 0.5 - 1e-15}},
              .accept = {std::nextafter(1.0, 0.0)},
              .resample = {0.9, 0}};
    const Verdict verdict = rows.run("token");
    EXPECT_EQ(verdict.accepted(), 0);
    EXPECT_TRUE(verdict.residual_fallback);
    EXPECT_EQ(verdict.distribution, rows.p[0]);
    // Forced: a draft distribution that claims more than the target everywhere it counts, by rounding only.
    rows.q = {{0.5, 0.5}};
    rows.accept = {1.0}; // a coin outside [0,1) rejects even at threshold 1
    EXPECT_TRUE(rows.run("token").residual_fallback);
}

// A coin outside [0, 1) rejects what is certain. Nothing is left then of the target's distribution, whatever the rule.
TEST(Verify, EveryRuleWithAResidualFallsBackToTheTargetAndSaysSo) {
    for (const RuleInfo& rule : rule_list()) {
        const std::string name = rule.name;
        if (rule.greedy_only || rule.kind == RuleKind::match || name == "typical") continue;
        const Distribution certain{0, 1};
        Rows rows{
            .drafts = {1}, .p = {certain, {0.5, 0.5}}, .q = {certain}, .accept = {1.0}, .resample = {0.5, 0.5}, .params = {.lenience = 0}};
        const Verdict verdict = rows.run(rule.name);
        EXPECT_EQ(verdict.accepted(), 0) << name;
        EXPECT_TRUE(verdict.residual_fallback) << name;
        EXPECT_EQ(verdict.distribution, certain) << name;
        EXPECT_EQ(verdict.token, 1) << name;
        rows.accept = {0.5};
        EXPECT_FALSE(rows.run(rule.name).residual_fallback) << name;
    }
}

TEST(Verify, WithoutDraftsEveryRuleEmitsOneTokenOfTheTarget) {
    for (const RuleInfo& rule : rule_list()) {
        Rows rows{.drafts = {}, .p = {{0.2, 0.8}}, .q = {}, .accept = {}, .resample = {0.5}};
        const Verdict verdict = rows.run(rule.name);
        EXPECT_EQ(verdict.token, 1) << rule.name;
        EXPECT_EQ(verdict.from, TokenSource::target) << rule.name;
        EXPECT_TRUE(verdict.checks.empty()) << rule.name;
    }
}

// Behind drafts that all stay, a bonus from the target's last row; in place of one that does not, a residual
// where the rule has one, else the target's own token.
TEST(Verify, EveryRuleSaysWhereItsOwnTokenComesFrom) {
    const Distribution p{0.9, 0.1}, behind{0.2, 0.8};
    for (const RuleInfo& rule : rule_list()) {
        Rows rows{
            .drafts = {0}, .p = {p, behind}, .q = {p}, .accept = {0.0}, .resample = {0.5, 0.5}, .params = {.epsilon = 0.3, .delta = 1}};
        const bool greedy = rule.greedy_only;
        Verdict verdict = rows.run(rule.name);
        ASSERT_EQ(verdict.accepted(), 1) << rule.name;
        EXPECT_EQ(verdict.from, TokenSource::bonus) << rule.name;
        EXPECT_EQ(verdict.token, 1) << rule.name;
        EXPECT_EQ(verdict.distribution, greedy ? Distribution() : behind) << rule.name;
        if (rule.is_cascade()) continue; // they keep a draft that is as sure as the next one
        const std::string name = rule.name;
        const bool own = greedy || rule.kind == RuleKind::match || name == "typical";
        rows.drafts = {1};
        rows.q = {{0.1, 0.9}};
        rows.accept = {0.99};
        verdict = rows.run(rule.name);
        ASSERT_EQ(verdict.accepted(), 0) << rule.name;
        EXPECT_EQ(verdict.from, own ? TokenSource::target : TokenSource::residual) << rule.name;
        EXPECT_EQ(verdict.token, 0) << rule.name;
        if (greedy)
            EXPECT_TRUE(verdict.distribution.empty());
        else
            EXPECT_LT(distance(verdict.distribution, own ? p : Distribution{1, 0}), 1e-12) << rule.name;
    }
}

// ---- block verification ----

// What a call leaves on the stack.
[[gnu::noinline]] std::size_t something_else() {
    volatile unsigned char room[8192];
    std::size_t sum = 0;
    for (volatile unsigned char& byte : room) byte = static_cast<unsigned char>(sum % 251), sum += byte + 1;
    return sum;
}

// clang 16 with the address sanitizer destroyed arguments of an array's elements on every call, not only on the first, which made them.
TEST(WrongRules, AreTheSameHoweverOftenTheyAreAskedFor) {
    for (int time = 0; time < 3; ++time) {
        EXPECT_GT(something_else(), 0U);
        ASSERT_EQ(wrong_rules().size(), 8U);
        for (const RuleInfo& rule : wrong_rules()) {
            EXPECT_EQ(rule.title.id(), "rule-names." + std::string(rule.name) + ".title");
            EXPECT_EQ(rule.about.id(), "rule-names." + std::string(rule.name) + ".about");
            EXPECT_EQ(find_rule(rule.name), nullptr) << rule.name;
        }
    }
}

TEST(BlockRule, NeverKeepsFewerDraftsThanTheTokenRule) {
    int strictly = 0;
    for (std::uint32_t seed = 1; seed <= 40; ++seed) {
        const Chain chain(seed);
        EXPECT_NEAR(chain.expected_accepted("block", 1), chain.expected_accepted("token", 1), 1e-12) << "K = 1 is one rule";
        const double block = chain.expected_accepted("block", 2), token = chain.expected_accepted("token", 2);
        EXPECT_GE(block, token - 1e-12) << seed;
        strictly += block > token + 1e-9;
    }
    EXPECT_GE(strictly, 20) << "two drafts are enough for a difference";
}

// First token of the output, over all drafts and coins: exactly the target's distribution, for every rule that promises it.
TEST(BlockRule, TheFirstTokenHasTheTargetsDistribution) {
    for (const char* rule : {"block", "token"})
        for (std::uint32_t seed = 1; seed <= 10; ++seed) {
            const Chain chain(seed);
            Distribution first(3, 0.0);
            chain.each_draft(3, [&](const Rows& rows, double weight) {
                const Outcomes out = exact_coins(rows, rule);
                for (std::size_t tau = 1; tau < out.accepted.size(); ++tau)
                    first[static_cast<std::size_t>(rows.drafts[0])] += weight * out.accepted[tau];
                for (std::size_t v = 0; v < 3; ++v) first[v] += weight * out.next[0][v];
            });
            for (std::size_t v = 0; v < 3; ++v) EXPECT_NEAR(first[v], chain.p[0][v], 1e-12) << rule << " " << seed;
        }
}

// The paper's example: q = (2/3, 1/3), p = (1/3, 2/3), drafts 1 then 0. P_1 = 1, h_1 = 1; P_2 = 1/2, h_2 = 1/2.
TEST(BlockRule, ALaterSuccessRescuesAnEarlierFailure) {
    const Distribution q{2.0 / 3, 1.0 / 3}, p{1.0 / 3, 2.0 / 3};
    Rows rows{.drafts = {0, 1}, .p = {p, p, p}, .q = {q, q}, .accept = {0.9, 0.9}, .resample = {0.5, 0.5, 0.5}};
    Verdict verdict = rows.run("block"); // P_1 = 1/2, R_1 = 0, h_1 = 0; P_2 = 1, h_2 = 1
    ASSERT_EQ(verdict.checks.size(), 2u);
    EXPECT_EQ(verdict.checks[0].threshold, 0);
    EXPECT_TRUE(verdict.checks[0].accepted) << "kept by the coin of the second";
    EXPECT_NEAR(*verdict.checks[0].prefix_coefficient, 0.5, 1e-12);
    EXPECT_EQ(verdict.accepted(), 2);
    EXPECT_EQ(verdict.from, TokenSource::bonus);
    EXPECT_EQ(exact_coins(rows, "token").accepted[0], 0.5) << "the token rule would stop at the first in half of the cases";
    rows.drafts = {1, 0};
    rows.accept = {0.0, 0.7};
    verdict = rows.run("block");
    EXPECT_EQ(verdict.accepted(), 1);
    EXPECT_NEAR(verdict.checks[1].threshold, 0.5, 1e-12);
    EXPECT_NEAR(verdict.distribution[1], 1, 1e-12) << "(P_1 p - q)+ with P_1 = 1";
}

TEST(BlockRule, TheResidualCarriesTheCoefficientOfThePrefix) {
    // P_1 = .5 / .8 = .625; then .625 p - q = (-.0875, .0875 - ..., ...) by hand below.
    Rows rows{.drafts = {0, 1},
              .p = {{0.5, 0.5, 0}, {0.2, 0.2, 0.6}, {1, 0, 0}},
              .q = {{0.8, 0.1, 0.1}, {0.2, 0.7, 0.1}},
              .accept = {0.0, 0.999},
              .resample = {0.5, 0.5, 0.5}};
    const Verdict verdict = rows.run("block");
    // .625 * (.2, .2, .6) - (.2, .7, .1) = (-.075, -.575, .275): R_1 = .275, h_1 = .275 / (.275 + .375).
    EXPECT_NEAR(verdict.checks[0].threshold, 0.275 / 0.65, 1e-12);
    ASSERT_EQ(verdict.accepted(), 1);
    EXPECT_NEAR(verdict.distribution[2], 1, 1e-12);
    EXPECT_EQ(verdict.from, TokenSource::residual);
}

TEST(BlockRule, OneHotDraftsMakeItTheTokenRule) {
    const Chain chain(5);
    for (const std::vector<int>& drafts : {std::vector<int>{0, 1, 2}, {2, 2, 1}}) {
        Rows rows = chain.rows(drafts);
        for (std::size_t i = 0; i < drafts.size(); ++i) rows.q[i] = one_hot(3, drafts[i]);
        const Outcomes block = exact_coins(rows, "block"), token = exact_coins(rows, "token");
        for (std::size_t tau = 0; tau <= drafts.size(); ++tau) {
            EXPECT_NEAR(block.accepted[tau], token.accepted[tau], 1e-12);
            for (std::size_t v = 0; v < 3; ++v) EXPECT_NEAR(block.next[tau][v], token.next[tau][v], 1e-12);
        }
    }
}

} // namespace
} // namespace speclens
