// Law 2 in every precision of products, sampled: texts of three rounds have the distribution of the target in that precision, with bf16
// matrices and with such as stay quantised, for a drafter of each kind. Every drafter is held against the exact distribution in
// exact_transformer_test.cpp.
#include <gtest/gtest.h>

#include <iterator>

#include "engine/drafters/drafter_info.h"
#include "engine/model/precision.h"
#include "engine/run/run.h"
#include "tests/shared/narrow.h"
#include "tests/shared/statistics.h"
#include "tests/shared/texts.h"

namespace speclens {
namespace {

constexpr double kPrecisionAlarm = 1e-3; // false alarms of the whole file: all of these products, every drafter
constexpr test::MultipliedAs kSampledProducts[] = {test::kProductsInBf16, test::kProductsInInt8, test::kKeptAsQ8_0};

class Law2Precision : public ::testing::TestWithParam<test::MultipliedAs> {};
INSTANTIATE_TEST_SUITE_P(Distributions, Law2Precision, ::testing::ValuesIn(kSampledProducts),
                         [](const auto& of) { return test::called(of.param); });

TEST_P(Law2Precision, HoldsForADrafterOfEachKind) {
    const auto models = test::narrow_models(1, GetParam());
    const Sampling sampling{.temperature = 1, .top_k = 3};
    constexpr int kTokens = 4;
    constexpr long kSamples = 2500;
    const std::vector<int> prompt = test::narrow_prompt();
    const auto expected = test::exact_texts(models->target, prompt, kTokens, sampling);
    ASSERT_EQ(expected.size(), 81u);
    const double alarm = kPrecisionAlarm / static_cast<double>(std::size(kSampledProducts) * drafter_list().size());
    for (const char* kind : {"small", "eagle3", "dflash", "suffix", "small_tree"}) {
        const DrafterInfo& drafter = *find_drafter(kind);
        RunSettings settings;
        settings.prompt.token_ids = prompt;
        if (drafter.tree) settings.options.tree_topk = 2, settings.options.tree_budget = 5;
        settings.drafter = drafter.name;
        settings.rule = judging_rule("token", drafter.name);
        settings.k = 2;
        settings.sampling = sampling;
        settings.max_tokens = kTokens;
        settings.trace_top = 0;
        settings.timing = false;
        const test::SampledTexts sampled = test::sampled_texts(models, settings, kSamples);
        EXPECT_TRUE(!drafter.drafts() || sampled.judged(kSamples))
            << drafter.name << " kept " << sampled.kept << ", refusals " << sampled.refusals;
        const test::Fit fit = test::fit(expected, sampled.counted, kSamples);
        EXPECT_GT(fit.p_value, alarm) << drafter.name << " TV " << fit.total_variation;
    }
}

// The distribution of one precision is not taken for that of another target: the test sees a draft that is not judged.
TEST_P(Law2Precision, CatchesADraftThatIsNotJudged) {
    const auto models = test::narrow_models(1, GetParam());
    const Sampling sampling{.temperature = 1, .top_k = 3};
    const std::vector<int> prompt = test::narrow_prompt();
    const auto expected = test::exact_texts(models->target, prompt, 4, sampling);
    auto draft_alone = std::make_shared<Models>(*models);
    draft_alone->target = models->draft;
    RunSettings settings;
    settings.prompt.token_ids = prompt;
    settings.drafter = "none";
    settings.sampling = sampling;
    settings.max_tokens = 4;
    settings.timing = false;
    EXPECT_LT(test::fit(expected, test::sampled_texts(draft_alone, settings, 2500).counted, 2500).p_value, 1e-6);
}

} // namespace
} // namespace speclens
