// K auto in runs of one text each: which prompts choose K, which are told of, and what comes of them.
#include <gtest/gtest.h>

#include <set>

#include "engine/batch/single_study.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

SingleText text_of(const std::string& domain, int number) {
    SingleText text{test::greedy("small", 4), domain, false};
    text.settings.prompt.token_ids = {5, 6 + number, 7, 8, 9};
    text.settings.max_tokens = 24;
    return text;
}

TEST(SingleStudy, PromptsAreTakenFromEveryDomainAndNeverTwice) {
    std::vector<SingleText> texts;
    for (int i = 0; i < 6; ++i) texts.push_back(text_of("code", i));
    for (int i = 0; i < 4; ++i) texts.push_back(text_of("prose", 10 + i));
    const auto ids = [](const std::vector<SingleText>& parts, bool held_out) {
        std::set<int> found;
        for (const SingleText& text : parts)
            if (text.held_out == held_out) found.insert(text.settings.prompt.token_ids[1]);
        return found;
    };
    const std::vector<SingleText> whole = parts_of(texts, 4, 6), fewer = parts_of(texts, 2, 3);
    EXPECT_EQ(ids(whole, false), (std::set<int>{6, 7, 16, 17})) << "by turns";
    EXPECT_EQ(ids(whole, true).size(), 6U);
    for (const int id : ids(fewer, true)) EXPECT_FALSE(ids(whole, false).contains(id)) << "fewer are never those of the other part";
    for (const int id : ids(fewer, false)) EXPECT_TRUE(ids(whole, false).contains(id));
    EXPECT_THROW((void)parts_of(texts, 5, 6), Error);
}

TEST(SingleStudy, MeasuresEveryWayOfEveryText) {
    SinglePlan plan;
    std::vector<SingleText> texts;
    for (int i = 0; i < 2; ++i) texts.push_back(text_of("code", i)), texts.push_back(text_of("prose", 10 + i));
    plan.texts = parts_of(texts, 2, 2);
    plan.fixed = {0, 2, 4};
    plan.seeds = 2;
    SingleStudy study(test::micro_models(2), plan);
    double before = 0;
    while (study.step()) {
        EXPECT_GE(study.done(), before);
        before = study.done();
    }
    const SingleResult& result = study.result();
    EXPECT_TRUE(result.complete);
    ASSERT_EQ(result.runs.size(), 4U * 2U * 4U);
    EXPECT_EQ(result.compared, 4 * 2 * 3);
    EXPECT_EQ(result.equal, result.compared) << "greedy text is plain decoding's";
    EXPECT_GT(result.costs.pass.size(), 1U);
    for (const SingleRun& run : result.runs) {
        EXPECT_EQ(run.tokens, 24);
        EXPECT_GT(run.ms, 0);
        EXPECT_EQ(run.drafted == 0, run.k == 0 && !run.automatic);
        EXPECT_EQ(run.deciding_ms > 0, run.automatic) << run.k;
        EXPECT_LT(run.deciding_ms, run.ms);
    }
    const std::optional<int> chosen = chosen_k(plan, result);
    ASSERT_TRUE(chosen.has_value());
    EXPECT_TRUE(*chosen == 0 || *chosen == 2 || *chosen == 4);
    const std::vector<SingleFigures> figures = figures_of(plan, result);
    ASSERT_EQ(figures.size(), 3U);
    EXPECT_EQ(figures[0].domain, "code");
    EXPECT_EQ(figures[1].domain, "prose");
    EXPECT_EQ(figures[2].domain, "");
    EXPECT_EQ(figures[2].prompts, 2);
    EXPECT_GT(figures[2].over_plain.value, 0);
    EXPECT_LE(figures[2].over_oracle.value, figures[2].over_fixed.value + 1e-12) << "nothing fixed beats the oracle";
}

// Figures by hand: one prompt chooses, two are told of.
TEST(SingleStudy, ChoosesOnSomePromptsAndTellsOfOthers) {
    SinglePlan plan;
    plan.texts = {text_of("code", 0), text_of("code", 1), text_of("prose", 2)};
    plan.texts[1].held_out = plan.texts[2].held_out = true;
    plan.fixed = {0, 4};
    plan.seeds = 1;
    SingleResult result;
    const auto ran = [&](std::size_t text, int k, bool automatic, double ms) {
        result.runs.push_back(
            {.text = text, .k = k, .automatic = automatic, .tokens = 100, .rounds = 50, .drafted = 60, .plain_passes = 10, .ms = ms});
    };
    ran(0, 0, false, 1000), ran(0, 4, false, 500), ran(0, 16, true, 400);
    ran(1, 0, false, 1000), ran(1, 4, false, 500), ran(1, 16, true, 500);
    ran(2, 0, false, 1000), ran(2, 4, false, 2000), ran(2, 16, true, 1000);
    EXPECT_EQ(chosen_k(plan, result), 4);
    const std::vector<SingleFigures> figures = figures_of(plan, result);
    ASSERT_EQ(figures.size(), 3U);
    EXPECT_NEAR(figures[0].over_plain.value, 2, 1e-9);
    EXPECT_NEAR(figures[0].over_fixed.value, 1, 1e-9);
    EXPECT_NEAR(figures[1].over_plain.value, 1, 1e-9);
    EXPECT_NEAR(figures[1].over_fixed.value, 2, 1e-9) << "the K that suited the other prompt";
    EXPECT_NEAR(figures[1].over_oracle.value, 1, 1e-9) << "in hindsight: none";
    EXPECT_NEAR(figures[1].silent, 0.2, 1e-9);
    EXPECT_NEAR(figures[1].drafted, 1.2, 1e-9);
    result.runs.pop_back(); // interrupted
    EXPECT_EQ(figures_of(plan, result).size(), 2U) << "of whole prompts only";
}

} // namespace
} // namespace speclens
