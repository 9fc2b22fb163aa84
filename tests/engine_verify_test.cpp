// The accept rules on given drafts: exact acceptance probabilities and replacement laws of the public oracles,
// to 1e-9, and the edge cases of the rules.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/verify.h"

namespace speclens {
namespace {

using Json = nlohmann::json;

struct Rows {
    std::vector<int> drafts;
    std::vector<Law> p, q;
    std::vector<double> accept, resample;
    Verdict run(const char* rule) const {
        Round round;
        round.drafts = drafts;
        round.p = [this](int i) -> const Law& { return p[static_cast<std::size_t>(i)]; };
        round.q = [this](int i) -> const Law& { return q[static_cast<std::size_t>(i)]; };
        round.p_argmax = [this](int i) { return argmax(p[static_cast<std::size_t>(i)]); };
        round.accept_coin = [this](int i) { return accept[static_cast<std::size_t>(i)]; };
        round.resample_coin = [this](int i) { return resample[static_cast<std::size_t>(i)]; };
        return find_rule(rule)->verify(round);
    }
};

// Weights of all outcomes (accepted, next token) of one draft, exactly: the coins are walked over the
// breakpoints of each decision instead of being sampled.
struct Outcomes {
    std::vector<double> accepted;       // P(tau = i)
    std::vector<Law> next;              // law of the next token given tau = i, unnormalised
};

Outcomes exact_token(Rows rows) {
    const std::size_t k = rows.drafts.size(), vocab = rows.p[0].size();
    Outcomes out{std::vector<double>(k + 1, 0.0), std::vector<Law>(k + 1, Law(vocab, 0.0))};
    double reach = 1;
    for (std::size_t stop = 0; stop <= k; ++stop) {
        rows.accept.assign(k, 0.0);          // accept everything before `stop`
        rows.resample.assign(k + 1, 0.5);
        if (stop < k) rows.accept[stop] = std::nextafter(1.0, 0.0);  // and reject there, if that is possible
        const Verdict verdict = rows.run("token");
        const double threshold = stop < k ? verdict.checks[stop].threshold : 0;
        out.accepted[stop] = stop < k ? reach * (1 - threshold) : reach;
        if (out.accepted[stop] > 1e-12) {
            EXPECT_EQ(verdict.accepted(), static_cast<int>(stop));
            out.next[stop] = verdict.law;
        }
        if (stop < k) reach *= threshold;
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
                if (i == rows.drafts.size()) break;
                rows.q.push_back(test_case["q"][context].get<Law>());
                context += (context.empty() ? "" : ",") + std::to_string(rows.drafts[i]);
            }
            const Outcomes out = rule == "token" ? exact_token(rows) : rule == "match" ? exact_match(rows) : Outcomes{};
            if (out.accepted.empty()) continue;
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
    EXPECT_GE(spots, 4) << "the oracle file must have been read";
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
