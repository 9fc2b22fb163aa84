// Law 1 in every precision of products, with bf16 matrices and with such as stay quantised: what is rounded is rounded alike in a pass of
// one row and of many, so greedy text with speculation stays that of plain decoding in the same precision, token for token.
#include <gtest/gtest.h>

#include <set>

#include "engine/drafters/drafter_info.h"
#include "engine/model/precision.h"
#include "engine/run/run.h"
#include "kernels/backend.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

using test::greedy;

std::vector<int> precise_text(const std::shared_ptr<const Models>& models, const RunSettings& settings) {
    return test::finished(models, settings)->sequence();
}

class Law1Precision : public ::testing::TestWithParam<test::MultipliedAs> {};
INSTANTIATE_TEST_SUITE_P(Distributions, Law1Precision,
                         ::testing::Values(test::kProductsInF32, test::kProductsInBf16, test::kProductsInInt8, test::kKeptAsQ8_0),
                         [](const auto& of) { return test::called(of.param); });

TEST_P(Law1Precision, GreedyTextIsThePlainTextForEveryDrafterAndK) {
    const std::vector<int> plain = precise_text(test::precise_models(1, GetParam()), greedy("none", 0));
    ASSERT_GE(std::set<int>(plain.begin() + 8, plain.end()).size(), 5u) << "a text that only repeats proves nothing";
    for (const int threads : {1, 2, 5}) {
        const auto models = test::precise_models(threads, GetParam());
        EXPECT_EQ(models->precision(), GetParam().first);
        EXPECT_EQ(models->target->forms().front(), models->backend->keeps(GetParam().second, 64) ? GetParam().second : DType::bf16);
        EXPECT_EQ(precise_text(models, greedy("none", 0)), plain) << threads << " threads";
        for (const DrafterInfo& drafter : drafter_list())
            for (const int k : {1, 4, 15})
                EXPECT_EQ(precise_text(models, greedy(drafter.name, k)), plain)
                    << drafter.name << " k=" << k << ", " << threads << " threads";
    }
}

TEST_P(Law1Precision, GreedyTextIsThePlainTextWithACutHead) {
    const auto models = test::precise_models(2, GetParam());
    const std::vector<int> plain = precise_text(models, greedy("none", 0));
    for (const DrafterInfo& drafter : drafter_list()) {
        if (!drafter.reads_setting(Setting::fr_spec)) continue;
        RunSettings settings = greedy(drafter.name, 4);
        settings.options.fr_spec = 20;
        EXPECT_EQ(precise_text(models, settings), plain) << drafter.name;
    }
}

// A drafter that is the target is always right: its passes of one row are rounded as the target's of many.
TEST_P(Law1Precision, ADraftThatIsTheTargetIsKeptCompletely) {
    const auto models = test::precise_models(2, GetParam());
    auto own = std::make_shared<Models>(*models);
    own->draft = own->target;
    for (const double temperature : {0.0, 0.8})
        for (const int k : {1, 4, 15}) {
            RunSettings settings = greedy("small", k);
            settings.sampling.temperature = temperature;
            settings.max_tokens = 3 * (k + 1);
            speclens::Run run(own, settings);
            run.finish();
            const RunView view = fold(run.trace(), run.trace().size());
            EXPECT_EQ(view.accepted_drafts, 3 * k) << "k=" << k << " T=" << temperature;
        }
}

TEST_P(Law1Precision, TheSameSettingsGiveTheSameTraceHashWithAnyNumberOfThreads) {
    for (const DrafterInfo& drafter : drafter_list()) {
        std::set<std::uint64_t> hashes;
        for (const int threads : {1, 2, 5}) {
            RunSettings settings = greedy(drafter.name, 4);
            settings.sampling.temperature = 0.8;
            if (drafter.tree) settings.rule = "tree_wor";
            speclens::Run run(test::precise_models(threads, GetParam()), settings);
            run.finish();
            hashes.insert(run.trace().hash(run.trace().size()));
        }
        EXPECT_EQ(hashes.size(), 1u) << drafter.name;
    }
}

} // namespace
} // namespace speclens
