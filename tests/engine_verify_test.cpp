// The accept rules on given drafts: exact acceptance probabilities and replacement laws of the public oracles,
// to 1e-9, and the edge cases of the rules.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "engine/emitted.h"
#include "engine/rules/cascade.h"
#include "engine/verify.h"

namespace speclens {
namespace {

using Json = nlohmann::json;

struct Rows {
    std::vector<int> drafts;
    std::vector<Law> p, q;
    std::vector<double> accept, resample;
    RuleParams params = {};
    Verdict run(const char* rule) const {
        Round round;
        round.drafts = drafts;
        round.p = [this](int i) -> const Law& { return p[static_cast<std::size_t>(i)]; };
        round.q = [this](int i) -> const Law& { return q[static_cast<std::size_t>(i)]; };
        round.p_argmax = [this](int i) { return argmax(p[static_cast<std::size_t>(i)]); };
        round.accept_coin = [this](int i) { return accept[static_cast<std::size_t>(i)]; };
        round.resample_coin = [this](int i) { return resample[static_cast<std::size_t>(i)]; };
        round.params = params;
        round.p_raw = round.p;
        round.q_raw = round.q;
        if (q.size() > drafts.size()) round.behind = {&q.back(), &q.back()};
        return find_rule(rule)->verify(round);
    }
};

// Weights of all outcomes (accepted, next token) of one draft, exactly: the coins are walked over the
// breakpoints of each decision instead of being sampled.
struct Outcomes {
    std::vector<double> accepted;       // P(tau = i)
    std::vector<Law> next;              // law of the next token given tau = i, unnormalised
};

// For rules that throw one coin per judged draft: every pattern of successes and failures, each with its weight.
Outcomes exact_coins(Rows rows, const std::string& rule) {
    const std::size_t k = rows.drafts.size(), vocab = rows.p[0].size();
    Outcomes out{std::vector<double>(k + 1, 0.0), std::vector<Law>(k + 1, Law(vocab, 0.0))};
    rows.resample.assign(k + 1, 0.5);
    for (unsigned fails = 0; fails < 1u << k; ++fails) {
        for (std::size_t i = 0; i < k; ++i) rows.accept[i] = (fails >> i & 1) != 0 ? std::nextafter(1.0, 0.0) : 0.0;
        const Verdict verdict = rows.run(rule.c_str());
        double weight = 1;
        std::vector<bool> judged(k, false);
        for (const Judgement& check : verdict.checks) {
            const auto node = static_cast<std::size_t>(check.node);
            judged[node] = true;
            weight *= (fails >> node & 1) != 0 ? 1 - check.threshold : check.threshold;
        }
        for (std::size_t i = 0; i < k; ++i)
            if (!judged[i] && (fails >> i & 1) != 0) weight = 0;  // a coin that was not thrown: counted once
        const auto accepted = static_cast<std::size_t>(verdict.accepted());
        out.accepted[accepted] += weight;
        for (std::size_t v = 0; v < vocab; ++v) out.next[accepted][v] += weight * verdict.law[v];
    }
    return out;
}

Outcomes exact_match(Rows rows) {
    const std::size_t k = rows.drafts.size(), vocab = rows.p[0].size();
    Outcomes out{std::vector<double>(k + 1, 0.0), std::vector<Law>(k + 1, Law(vocab, 0.0))};
    // One coin per row; row r's coin only matters while everything before matched.
    const auto coin_of = [&](std::size_t row, std::size_t token) {  // middle of the token's segment
        double before = 0;
        for (std::size_t v = 0; v < token; ++v) before += rows.p[row][v];
        return before + rows.p[row][token] / 2;
    };
    double reach = 1;
    for (std::size_t stop = 0; stop <= k; ++stop) {
        for (std::size_t v = 0; v < vocab; ++v) {
            if (rows.p[stop][v] == 0) continue;
            rows.resample.assign(k + 1, 0.0);
            for (std::size_t i = 0; i < stop; ++i) rows.resample[i] = coin_of(i, static_cast<std::size_t>(rows.drafts[i]));
            rows.resample[stop] = coin_of(stop, v);
            const Verdict verdict = rows.run("match");
            if (verdict.accepted() != static_cast<int>(stop)) continue;  // drew the draft itself: goes on
            EXPECT_EQ(verdict.token, static_cast<int>(v));
            out.accepted[stop] += reach * rows.p[stop][v];
            out.next[stop][v] += reach * rows.p[stop][v];
        }
        if (stop < k) reach *= rows.p[stop][static_cast<std::size_t>(rows.drafts[stop])];
    }
    return out;
}

// With one draft, and with drafts that count as certain, block verification keeps what the token rule keeps.
TEST(Rules, TheListPromisesNoMoreThanHolds) {
    const std::string block = find_rule("block")->about, top = find_rule("tree_topk")->about;
    EXPECT_NE(block.find("on average never fewer tokens"), std::string::npos) << block;
    EXPECT_EQ(top.find("Medusa"), std::string::npos) << "its own rules are typical and greedy acceptance";
}

TEST(Verify, SpotsOfThePublicOraclesHoldTo1e9) {
    std::ifstream in(SPEC_SOURCE_DIR "/tests/golden/oracles_public.json");
    ASSERT_TRUE(in);
    const Json file = Json::parse(in);
    int spots = 0;
    for (const Json& test_case : file["cases"]) {
        const std::string rule = test_case["rule"];
        if (!find_rule(rule) || !test_case.contains("q") || !test_case.contains("p")) continue;
        for (const Json& spot : test_case["expect"].value("spot", Json::array())) {
            const std::string id = test_case["id"].get<std::string>() + " " + spot.dump().substr(0, 60);
            Rows rows;
            rows.drafts = spot["draft"].get<std::vector<int>>();
            std::string context;
            for (std::size_t i = 0; i <= rows.drafts.size(); ++i) {
                rows.p.push_back(test_case["p"][context].get<Law>());
                if (test_case["q"].contains(context)) rows.q.push_back(test_case["q"][context].get<Law>());
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
    EXPECT_EQ(verdict.from, Resampled::From::target);
    EXPECT_EQ(verdict.checks.size(), 2u);
    rows.drafts = {1, 0, 0};
    EXPECT_EQ(rows.run("greedy").from, Resampled::From::bonus);
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
    EXPECT_EQ(verdict.from, Resampled::From::residual);
    EXPECT_EQ(verdict.law, (Law{0, 0, 1}));
    EXPECT_EQ(verdict.token, 2);
}

TEST(Verify, TokenWithAOneHotDraftAcceptsWithTheTargetsProbability) {
    Rows rows{.drafts = {1}, .p = {{0.4, 0.35, 0.25}, {1, 0, 0}}, .q = {{0, 1, 0}}, .accept = {0.36}, .resample = {0.0, 0}};
    const Verdict verdict = rows.run("token");
    EXPECT_DOUBLE_EQ(verdict.checks[0].threshold, 0.35);
    EXPECT_FALSE(verdict.checks[0].accepted);
    EXPECT_NEAR(verdict.law[0], 0.4 / 0.65, 1e-12);
    EXPECT_EQ(verdict.law[1], 0) << "the rejected token cannot come back";
}

TEST(Verify, AProposalWithoutDraftMassIsRejectedNotDivided) {
    Rows rows{.drafts = {1}, .p = {{0.5, 0.5}, {1, 0}}, .q = {{1, 0}}, .accept = {0.0}, .resample = {0.9, 0}};
    EXPECT_EQ(rows.run("token").accepted(), 0);
    EXPECT_EQ(rows.run("token").checks[0].threshold, 0);
}

TEST(Verify, AnEmptyResidualFallsBackToTheTargetAndSaysSo) {
    Rows rows{.drafts = {0}, .p = {{0.5, 0.5}, {1, 0}}, .q = {{0.5 + 1e-15, 0.5 - 1e-15}}, .accept = {std::nextafter(1.0, 0.0)}, .resample = {0.9, 0}};
    const Verdict verdict = rows.run("token");
    if (verdict.accepted() == 0) {
        EXPECT_TRUE(verdict.residual_fallback);
        EXPECT_EQ(verdict.law, rows.p[0]);
    }
    // Forced: a draft law that claims more than the target everywhere it counts, by rounding only.
    rows.q = {{0.5, 0.5}};
    rows.accept = {1.0};  // a coin outside [0,1) rejects even at threshold 1
    EXPECT_TRUE(rows.run("token").residual_fallback);
}

// ---- block verification ----

// Laws that depend on the token before, drawn anew for every pair; three tokens.
struct Chain {
    std::vector<Law> p, q;  // first row, then after token 0, 1, 2
    explicit Chain(std::uint32_t seed) {
        std::mt19937 random(seed);
        for (std::vector<Law>* laws : {&p, &q})
            for (int row = 0; row < 4; ++row) {
                Law law(3);
                double sum = 0;
                for (double& value : law) sum += value = 1 + static_cast<double>(random() % 64);
                for (double& value : law) value /= sum;
                laws->push_back(law);
            }
    }
    [[nodiscard]] Rows rows(const std::vector<int>& drafts) const {
        Rows rows;
        rows.drafts = drafts;
        rows.accept.assign(drafts.size(), 0.0);
        for (std::size_t i = 0; i <= drafts.size(); ++i) {
            const std::size_t row = i == 0 ? 0 : 1 + static_cast<std::size_t>(drafts[i - 1]);
            rows.p.push_back(p[row]);
            if (i < drafts.size()) rows.q.push_back(q[row]);
        }
        return rows;
    }
    // Calls with every draft of k tokens and the probability that the draft says it.
    template <typename Each>
    void each_draft(int k, const Each& each) const {
        for (int code = 0; code < std::pow(3, k); ++code) {
            std::vector<int> drafts;
            double weight = 1;
            for (int i = 0, rest = code; i < k; ++i, rest /= 3) {
                const std::size_t row = i == 0 ? 0 : 1 + static_cast<std::size_t>(drafts.back());
                drafts.push_back(rest % 3);
                weight *= q[row][static_cast<std::size_t>(rest % 3)];
            }
            each(rows(drafts), weight);
        }
    }
    [[nodiscard]] double expected_accepted(const std::string& rule, int k) const {
        double sum = 0;
        each_draft(k, [&](const Rows& rows, double weight) {
            const Outcomes out = exact_coins(rows, rule);
            for (std::size_t tau = 0; tau < out.accepted.size(); ++tau) sum += weight * out.accepted[tau] * static_cast<double>(tau);
        });
        return sum;
    }
};

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

// First token of the output, over all drafts and coins: exactly the target's law, for every rule that promises it.
TEST(BlockRule, TheFirstTokenHasTheTargetsLaw) {
    for (const char* rule : {"block", "token"})
        for (std::uint32_t seed = 1; seed <= 10; ++seed) {
            const Chain chain(seed);
            Law first(3, 0.0);
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
    const Law q{2.0 / 3, 1.0 / 3}, p{1.0 / 3, 2.0 / 3};
    Rows rows{.drafts = {0, 1}, .p = {p, p, p}, .q = {q, q}, .accept = {0.9, 0.9}, .resample = {0.5, 0.5, 0.5}};
    Verdict verdict = rows.run("block");  // P_1 = 1/2, R_1 = 0, h_1 = 0; P_2 = 1, h_2 = 1
    ASSERT_EQ(verdict.checks.size(), 2u);
    EXPECT_EQ(verdict.checks[0].threshold, 0);
    EXPECT_TRUE(verdict.checks[0].accepted) << "kept by the coin of the second";
    EXPECT_NEAR(*verdict.checks[0].joint, 0.5, 1e-12);
    EXPECT_EQ(verdict.accepted(), 2);
    EXPECT_EQ(verdict.from, Resampled::From::bonus);
    EXPECT_EQ(exact_coins(rows, "token").accepted[0], 0.5) << "the token rule would stop at the first in half of the cases";
    rows.drafts = {1, 0};
    rows.accept = {0.0, 0.7};
    verdict = rows.run("block");
    EXPECT_EQ(verdict.accepted(), 1);
    EXPECT_NEAR(verdict.checks[1].threshold, 0.5, 1e-12);
    EXPECT_NEAR(verdict.law[1], 1, 1e-12) << "(P_1 p - q)+ with P_1 = 1";
}

TEST(BlockRule, TheResidualCarriesTheCoefficientOfThePrefix) {
    // P_1 = .5 / .8 = .625; then .625 p - q = (-.0875, .0875 - ..., ...) by hand below.
    Rows rows{.drafts = {0, 1}, .p = {{0.5, 0.5, 0}, {0.2, 0.2, 0.6}, {1, 0, 0}}, .q = {{0.8, 0.1, 0.1}, {0.2, 0.7, 0.1}},
              .accept = {0.0, 0.999}, .resample = {0.5, 0.5, 0.5}};
    const Verdict verdict = rows.run("block");
    // .625 * (.2, .2, .6) - (.2, .7, .1) = (-.075, -.575, .275): R_1 = .275, h_1 = .275 / (.275 + .375).
    EXPECT_NEAR(verdict.checks[0].threshold, 0.275 / 0.65, 1e-12);
    ASSERT_EQ(verdict.accepted(), 1);
    EXPECT_NEAR(verdict.law[2], 1, 1e-12);
    EXPECT_EQ(verdict.from, Resampled::From::residual);
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

// ---- relaxed rules ----

TEST(LenientRule, EmitsWhatTheAppendixSays) {
    const Law p{0.6, 0.3, 0.1}, q{0.2, 0.5, 0.3};
    const double l = 0.4;
    Law emitted(3, 0.0), expected(3);
    double kept = 0;
    for (std::size_t x = 0; x < 3; ++x) {
        Rows rows{.drafts = {static_cast<int>(x)}, .p = {p, p}, .q = {q}, .accept = {0.0}, .resample = {0.5, 0.5}, .params = {.lenience = l}};
        const Outcomes out = exact_coins(rows, "lenience");
        emitted[x] += q[x] * out.accepted[1];
        for (std::size_t v = 0; v < 3; ++v) emitted[v] += q[x] * out.next[0][v];
        kept += expected[x] = std::min(q[x], p[x] / (1 - l));
    }
    const Law rest = residual(p, q).law;
    for (std::size_t v = 0; v < 3; ++v) EXPECT_NEAR(emitted[v], expected[v] + (1 - kept) * rest[v], 1e-12);
    EXPECT_GT(kept, overlap(p, q)) << "keeps more than the token rule";
}

TEST(LenientRule, ZeroIsTheTokenRuleAndOneKeepsWhateverIsPossible) {
    Rows rows{.drafts = {1}, .p = {{0.9, 0.1, 0}, {1, 0, 0}}, .q = {{0.1, 0.8, 0.1}}, .accept = {0.999}, .resample = {0.5, 0.5}, .params = {.lenience = 0}};
    EXPECT_DOUBLE_EQ(rows.run("lenience").checks[0].threshold, rows.run("token").checks[0].threshold);
    rows.params.lenience = 1;
    EXPECT_EQ(rows.run("lenience").accepted(), 1);
    rows.drafts = {2};
    EXPECT_EQ(rows.run("lenience").accepted(), 0) << "the target rules token 2 out";
}

TEST(TypicalRule, KeepsWhatExceedsTheLimitOfTheTargetsEntropy) {
    const Law sure{0.97, 0.02, 0.01}, unsure{0.4, 0.35, 0.25};
    Rows rows{.drafts = {2, 1}, .p = {unsure, sure, sure}, .q = {unsure, sure}, .accept = {}, .resample = {0.5, 0.5, 0.5}, .params = {.epsilon = 0.3, .delta = 0.6}};
    const Verdict verdict = rows.run("typical");
    const double entropy = -(0.4 * std::log(0.4) + 0.35 * std::log(0.35) + 0.25 * std::log(0.25));
    ASSERT_EQ(verdict.checks.size(), 2u);
    EXPECT_NEAR(*verdict.checks[0].limit, 0.6 * std::exp(-entropy), 1e-12);
    EXPECT_TRUE(verdict.checks[0].accepted) << ".25 > .6 exp(-H) = .205";
    EXPECT_EQ(*verdict.checks[1].limit, 0.3) << "where the target is sure, epsilon is the limit";
    EXPECT_FALSE(verdict.checks[1].accepted);
    EXPECT_FALSE(verdict.checks[1].u) << "no coin";
    EXPECT_EQ(verdict.from, Resampled::From::target);
    EXPECT_EQ(verdict.law, sure) << "no residual";
}

// Token V3 with alpha 0 still keeps the target's favourite: p = (.6, .4), q = (.9, .1) gives pi = (.96, .04).
TEST(Cascades, TokenV3AtAlphaZeroIsNotTheTarget) {
    Rows rows{.drafts = {}, .p = {{0.6, 0.4}}, .q = {{0.9, 0.1}}, .accept = {}, .resample = {0.5}, .params = {.alpha = 0}};
    const Verdict verdict = rows.run("cascade_tokenV3");
    EXPECT_NEAR(verdict.law[0], 0.96, 1e-12);
    EXPECT_TRUE(verdict.mixed);
    rows.params.alpha = -1;
    EXPECT_NEAR(rows.run("cascade_tokenV2").law[0], 0.6, 1e-12) << "V2 at -1 keeps nothing";
}

TEST(Cascades, WholeLawsAreKeptOrDeferredByTheirCriterion) {
    const Law p{0.7, 0.2, 0.1}, q{0.5, 0.4, 0.1};  // TV = .2
    const auto keeps = [&](const char* rule, double alpha) {
        Rows rows{.drafts = {}, .p = {p}, .q = {q}, .accept = {}, .resample = {0.5}, .params = {.alpha = alpha}};
        const Law law = rows.run(rule).law;
        EXPECT_TRUE(law == p || law == q) << rule;
        return law == q;
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
    for (const auto& [p, q] : {std::pair<Law, Law>{{0.4, 0.35, 0.25}, {0.7, 0.2, 0.1}}, {{1.0 / 3, 1.0 / 3, 1.0 / 3}, {0.6, 0.3, 0.1}}, {{0.41, 0.3, 0.29}, {0.83, 0.06, 0.11}}}) {
        const LawsOfBoth at{p, q, p, q};
        EXPECT_EQ(cascade_mixture("cascade_opt", -1, at), q);
        EXPECT_EQ(cascade_mixture("cascade_opt", -1.001, at), p);
    }
}

// The criterion looks at the models' own laws, the mixture takes the sampled ones.
TEST(Cascades, DecideOnTheModelsOwnLaws) {
    const Law p_raw{0.5, 0.3, 0.2}, q_raw{0.3, 0.4, 0.3}, p{1, 0, 0}, q{0, 1, 0};
    Round round;
    round.drafts = {};
    round.p = [&](int) -> const Law& { return p; };
    round.p_raw = [&](int) -> const Law& { return p_raw; };
    round.behind = {&q, &q_raw};
    round.resample_coin = [](int) { return 0.5; };
    round.params.alpha = 0.5;  // token V3: K = {v: p1(v) >= .25} = {0, 1}; q is all on 1
    EXPECT_EQ(find_rule("cascade_tokenV3")->verify(round).law, q);
    round.params.alpha = 0.2;  // K = {0}: the draft's token is deferred
    EXPECT_EQ(find_rule("cascade_tokenV3")->verify(round).law, p);
}

TEST(Cascades, WithoutTheDraftsLawBehindItsLastTokenTheBonusIsTheTargets) {
    const Law p{0.6, 0.4}, q{0.9, 0.1};
    Rows rows{.drafts = {0}, .p = {p, p}, .q = {q}, .accept = {0.0}, .resample = {0.5, 0.5}, .params = {.alpha = 1}};
    EXPECT_EQ(rows.run("cascade_chow").law, p);
    EXPECT_FALSE(rows.run("cascade_chow").mixed) << "a trace must not call it a mixture";
    rows.q = {q, q};
    EXPECT_EQ(rows.run("cascade_chow").law, q);
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
TEST(Emitted, TheClosedFormsAreWhatTheRulesDo) {
    for (const RuleInfo& rule : rule_list()) {
        if (rule.siblings != Siblings::none || rule.greedy_only) continue;
        for (std::uint32_t seed = 1; seed <= 12; ++seed) {
            const Chain chain(seed);
            const LawsOfBoth at{chain.p[0], chain.q[0], chain.p[0], chain.q[0]};
            const RuleParams params{.lenience = 0.35, .epsilon = 0.3, .delta = 0.8, .alpha = 0.25};
            Law first(3, 0.0);
            double kept = 0;
            chain.each_draft(1, [&](Rows rows, double weight) {
                rows.params = params;
                const Outcomes out = rule.name == std::string("match") ? exact_match(rows) : exact_coins(rows, rule.name);
                kept += weight * out.accepted[1];
                first[static_cast<std::size_t>(rows.drafts[0])] += weight * out.accepted[1];
                for (std::size_t v = 0; v < 3; ++v) first[v] += weight * out.next[0][v];
            });
            const Emitted emitted = emitted_at(rule, params, at);
            EXPECT_NEAR(emitted.kept, kept, 1e-12) << rule.name << " " << seed;
            for (std::size_t v = 0; v < 3; ++v) EXPECT_NEAR(emitted.law[v], first[v], 1e-12) << rule.name << " " << seed;
            if (rule.lossless()) {
                EXPECT_EQ(distance(emitted.law, at.p), 0);
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

// Where the numbers of a rule leave nothing of the draft's, it writes the target's law; and nowhere else is that said.
TEST(RuleParameters, SayWhenNothingIsGivenAway) {
    const std::vector<Law> laws = {{0.6, 0.3, 0.1}, {0.2, 0.5, 0.3}};
    for (const RuleInfo& rule : rule_list()) {
        if (rule.siblings != Siblings::none || rule.lossless()) continue;
        for (const double number : {-1.0, -0.99, 0.0, 0.2, 1.0}) {
            const RuleParams params{.lenience = number, .alpha = number};
            const LawsOfBoth at{laws[0], laws[1], laws[0], laws[1]};
            const bool target = distance(emitted_at(rule, params, at).law, laws[0]) < 1e-12;
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

TEST(Verify, WithoutDraftsEveryRuleEmitsOneTokenOfTheTarget) {
    for (const RuleInfo& rule : rule_list()) {
        Rows rows{.drafts = {}, .p = {{0.2, 0.8}}, .q = {}, .accept = {}, .resample = {0.5}};
        const Verdict verdict = rows.run(rule.name);
        EXPECT_EQ(verdict.token, 1) << rule.name;
        EXPECT_EQ(verdict.from, Resampled::From::target) << rule.name;
        EXPECT_TRUE(verdict.checks.empty()) << rule.name;
    }
}

}  // namespace
}  // namespace speclens
