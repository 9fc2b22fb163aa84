// Acceptance along long answers as it was recorded: the shipped file, and what a damaged one says.
#include "engine/published/long_answers.h"

#include <gtest/gtest.h>

#include "engine/published/ablations.h"
#include "tests/shared/model_support.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

const std::string kWhole =
    R"({"drafter":"dflash","weights":"second weights","target":"M","k":5,"temperature":0.7,"seeds":2,"machine":"m","date":"2026-11-26","prompts":["a","b","c"],"stretches":[)"
    R"({"window":128,"from":0,"to":256,"rounds":9,"tokens_per_round":1.25,"draft_ms":2,"verify_ms":20},)"
    R"({"window":0,"from":0,"to":256,"tokens_per_round":1.5},)"
    R"({"window":0,"from":256,"to":512,"rounds":7,"tokens_per_round":1.4,"low":1.2,"high":1.75,"draft_ms":3.5,"verify_ms":31}]})";

TEST(LongAnswers, AreReadByWindow) {
    const LongAnswers answers = parse_long_answers(kWhole, "x.json");
    EXPECT_EQ(answers.drafter, "dflash");
    EXPECT_EQ(answers.answers, 6);
    ASSERT_EQ(answers.series.size(), 2u);
    EXPECT_EQ(answers.series[0].window, 0) << "all of the text first";
    ASSERT_EQ(answers.series[0].stretches.size(), 2u);
    EXPECT_EQ(answers.series[0].stretches[1].from, 256);
    EXPECT_EQ(answers.series[0].stretches[1].rounds, 7);
    EXPECT_DOUBLE_EQ(answers.series[1].stretches[0].tokens, 1.25);
    EXPECT_EQ(answers.weights, "second weights");
    EXPECT_DOUBLE_EQ(answers.series[0].stretches[1].low, 1.2);
    EXPECT_DOUBLE_EQ(answers.series[0].stretches[1].high, 1.75);
    EXPECT_EQ(answers.series[0].stretches[0].high + answers.series[0].stretches[0].rounds + answers.series[0].stretches[0].draft_ms, 0)
        << "not known";
}

TEST(LongAnswers, SayWhatIsWrong) {
    const auto with = [](const std::string& part, const std::string& other) {
        std::string text = kWhole;
        text.replace(text.find(part), part.size(), other);
        return text;
    };
    test::expect_error([&] { (void)parse_long_answers("[", "x.json"); }, {"x.json", "JSON"});
    test::expect_error([&] { (void)parse_long_answers(with(R"("drafter":"dflash",)", ""), "x.json"); }, {"x.json", "drafter"});
    test::expect_error([&] { (void)parse_long_answers(with(R"("k":5)", R"("k":5.5)"), "x.json"); }, {"k is not a count"});
    test::expect_error([&] { (void)parse_long_answers(with(R"("tokens_per_round":1.4)", R"("tokens_per_round":0.5)"), "x.json"); },
                       {"tokens_per_round"});
    test::expect_error([&] { (void)parse_long_answers(with(R"("low":1.2)", R"("low":1.5)"), "x.json"); }, {"low"});
    test::expect_error([&] { (void)parse_long_answers(with(R"("high":1.75)", R"("high":1.3)"), "x.json"); }, {"high"});
    test::expect_error([&] { (void)parse_long_answers(with(R"("from":256,"to":512)", R"("from":100,"to":512)"), "x.json"); },
                       {"do not ascend"});
    test::expect_error([&] { (void)parse_long_answers(with(R"("stretches":[)", R"("stretches":[3,)"), "x.json"); }, {"stretches"});
}

TEST(LongAnswers, OfEveryModelAreFoundBesideTheAblations) {
    const test::TempFolder models;
    EXPECT_TRUE(load_experiments(models.path()).long_answers.empty());
    std::filesystem::create_directories(models / "one");
    std::ofstream(models / "one/long_answers.json") << kWhole;
    EXPECT_EQ(load_experiments(models.path()).long_answers.size(), 1u);
    std::ofstream(models / "one/ablations.json")
        << R"({"about":{"steps":{"target":"One"}},"steps":{"a":[{"method":"eagle3","seed":1,"steps":2,"curve":[{"positions":1,"loss":2}],"served":{}}]}})";
    const Ablations found = load_experiments(models.path());
    ASSERT_EQ(found.studies.size(), 1u);
    EXPECT_EQ(found.studies[0].target, "One");
    EXPECT_EQ(found.find("steps"), nullptr);
    EXPECT_EQ(found.find("steps", "One"), &found.studies[0]);
    const Ablations shipped = load_experiments(std::filesystem::path(SPEC_SOURCE_DIR) / "assets/models");
    EXPECT_FALSE(shipped.studies.empty());
    ASSERT_EQ(shipped.long_answers.size(), 1u);
    const LongAnswers& recorded = shipped.long_answers[0];
    EXPECT_FALSE(recorded.weights.empty()) << "of which head?";
    ASSERT_EQ(recorded.series.size(), 2u);
    for (const LongAnswers::Series& series : recorded.series) EXPECT_EQ(series.stretches.back().to, 2304);
}

} // namespace
} // namespace speclens
