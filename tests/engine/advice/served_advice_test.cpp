// Advice on somebody's server: what counts, clocks and a told speed say together.
#include <gtest/gtest.h>

#include "engine/advice/advice_json.h"
#include "engine/advice/break_even.h"
#include "engine/advice/served_advice.h"

namespace speclens {
namespace {

// Answers of `rate` tokens a second with speculation, and of `plain` without where that is above 0; a per cent apart.
ServedEvidence evidence(double rate, double plain, int prompts = 8) {
    ServedEvidence e;
    for (int i = 0; i < prompts; ++i) {
        const double apart = 1 + 0.01 * (i % 3 - 1);
        ServedTiming timing{1000 / (rate * apart), {}};
        if (plain > 0) timing.without_ms = 1000 / plain;
        e.prompts.push_back(timing);
    }
    e.rounds = 100, e.drafted = 500, e.accepted_at = {80, 64, 51, 41, 33}, e.accepted = 269;
    return e;
}

TEST(ServedAdvice, KeepsWhatPays) {
    const ServedAdvice advice = advise_on(evidence(60, 40));
    EXPECT_EQ(advice.kind, ServedAdvice::Kind::keep);
    EXPECT_TRUE(advice.plain_measured);
    EXPECT_NEAR(advice.speed_up, 1.5, 0.01);
    EXPECT_NEAR(advice.tokens_per_round, 3.69, 1e-9);
    EXPECT_EQ(advice.k, 5);
    EXPECT_NEAR(advice.round_passes.value(), 3.69 / 1.5, 0.02);
    EXPECT_EQ(verdict_sentence(advice).find("Keep speculating with K = 5: 1.4"), 0U) << verdict_sentence(advice);
}

// Plain 65.90 tokens a second, 39.28 with K = 5: it does not pay, and only a shorter draft could.
TEST(ServedAdvice, TheRowOfThePublicCase) {
    ServedEvidence e = evidence(39.28, 0);
    e.reported_plain_rate = 65.90;
    e.rounds = 1000, e.drafted = 5000;
    e.accepted_at.clear();
    e.accepted = 0;
    double kept = 1000;
    for (int i = 0; i < 5; ++i) e.accepted_at.push_back(kept *= 0.813), e.accepted += kept;
    const ServedAdvice advice = advise_on(e);
    EXPECT_EQ(advice.kind, ServedAdvice::Kind::change);
    EXPECT_FALSE(advice.plain_measured);
    EXPECT_NEAR(advice.speed_up, 39.28 / 65.90, 0.005);
    EXPECT_NEAR(advice.tokens_per_round, tokens_at_alpha(0.813, 5), 1e-9);
    EXPECT_FALSE(advice.alpha.has_value()) << "a round takes longer than six plain tokens";
    ASSERT_TRUE(advice.best_k.has_value());
    EXPECT_EQ(*advice.best_k, 0) << "every guess adds more than a pass";
    EXPECT_NE(verdict_sentence(advice).find("switch it off"), std::string::npos);
}

TEST(ServedAdvice, AShorterDraftIsNamedWhereItShouldPay) {
    // A guess adds .4 passes: 1 + 5 · .4 = 3 passes for 3.69 tokens; K = 1 would be 1.8 ÷ 1.4.
    const ServedAdvice advice = advise_on(evidence(40 * 3.69 / 3, 40));
    ASSERT_TRUE(advice.best_k.has_value());
    EXPECT_NEAR(advice.draft_token_passes.value(), 0.4, 0.02);
    EXPECT_LE(*advice.best_k, 2);
    EXPECT_NE(verdict_sentence(advice).find("; K = " + std::to_string(*advice.best_k) + " should give about"), std::string::npos)
        << verdict_sentence(advice);
}

TEST(ServedAdvice, WithoutThePlainSpeedItSaysFromWhichOnItPays) {
    const ServedAdvice advice = advise_on(evidence(60, 0));
    EXPECT_EQ(advice.kind, ServedAdvice::Kind::none);
    EXPECT_EQ(advice.speed_up, 0);
    EXPECT_NE(verdict_sentence(advice).find("it pays if that is below"), std::string::npos) << verdict_sentence(advice);
    EXPECT_NE(advice_json(advice, "http://x").find("\"speedup\": null"), std::string::npos);
}

TEST(ServedAdvice, SaysWhyThereIsNoVerdict) {
    EXPECT_NE(advise_on(evidence(60, 40, 2)).reason.find("2 timed answers tell too little"), std::string::npos);
    ServedEvidence nothing = evidence(60, 40);
    nothing.rounds = nothing.drafted = 0;
    EXPECT_NE(advise_on(nothing).reason.find("nothing was drafted"), std::string::npos);
    EXPECT_NE(advise_on(evidence(40.2, 40)).reason.find("either side of 1"), std::string::npos);
    EXPECT_EQ(advise_on({}).kind, ServedAdvice::Kind::none);
}

} // namespace
} // namespace speclens
