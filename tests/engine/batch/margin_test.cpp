// Draft lengths by the margin of the draft's rows: the fit against likelihoods worked out here, what a decision reads, and that a text's
// distribution stays the target's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "engine/batch/batch_engine.h"
#include "engine/batch/margin_controller.h"
#include "engine/drafters/drafter_info.h"
#include "engine/run/run.h"
#include "tests/shared/narrow.h"
#include "tests/shared/statistics.h"
#include "tests/shared/texts.h"

namespace speclens {
namespace {

double chance(double slope, double level, double margin) { return 1 / (1 + std::exp(-(slope * margin + level))); }

struct Answer {
    double margin;
    bool kept;
};

std::vector<Answer> answers(int count, double slope, double level) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<Answer> all;
    for (int i = 0; i < count; ++i) {
        const double margin = 6 * unit(random);
        all.push_back({margin, unit(random) < chance(slope, level, margin)});
    }
    return all;
}

TEST(MarginModel, FindsTheLikeliestLine) {
    const std::vector<Answer> all = answers(static_cast<int>(MarginModel::kMost), 0.8, -1.5);
    MarginModel model;
    EXPECT_NEAR(model.keeps(3), chance(0, 1.5, 3), 1e-12) << "before anything was seen";
    for (const Answer& one : all) model.saw(one.margin, one.kept);
    EXPECT_EQ(model.slope(), 0) << "only a refit learns";
    model.refit();
    EXPECT_NEAR(model.slope(), 0.8, 0.15);
    EXPECT_NEAR(model.level(), -1.5, 0.35);
    const auto likelihood = [&](double slope, double level) {
        double sum = -0.5e-3 * (slope * slope + level * level);
        for (const Answer& one : all) sum += std::log(one.kept ? chance(slope, level, one.margin) : 1 - chance(slope, level, one.margin));
        return sum;
    };
    const double best = likelihood(model.slope(), model.level());
    for (const auto& [slope, level] : {std::pair{0.01, 0.0}, {-0.01, 0.0}, {0.0, 0.01}, {0.0, -0.01}, {0.01, -0.03}, {-0.01, 0.03}})
        EXPECT_GT(best, likelihood(model.slope() + slope, model.level() + level));
}

TEST(MarginModel, ForgetsWhatIsLongAgo) {
    MarginModel model;
    for (std::size_t i = 0; i < 2 * MarginModel::kMost; ++i) model.saw(static_cast<double>(i % 5), false);
    for (std::size_t i = 0; i < MarginModel::kMost; ++i) model.saw(static_cast<double>(i % 5), true);
    model.refit();
    EXPECT_GT(model.keeps(2), 0.95);
    model.saw(2, false);
    model.refit();
    EXPECT_LT(model.keeps(2), 1 - 0.5 / MarginModel::kMost) << "one of the latest";
}

TEST(MarginModel, StandsFirmOnOddAnswers) {
    MarginModel all_kept, infinite, few;
    for (int i = 0; i < 40; ++i) all_kept.saw(i % 7, true), infinite.saw(i % 2 == 0 ? INFINITY : 0, i % 2 == 0);
    for (int i = 0; i < 29; ++i) few.saw(1, false);
    all_kept.refit(), infinite.refit(), few.refit();
    EXPECT_GT(all_kept.keeps(1), 0.95);
    EXPECT_TRUE(std::isfinite(infinite.slope()));
    EXPECT_GT(infinite.keeps(INFINITY), 0.9);
    EXPECT_LT(infinite.keeps(0), 0.1);
    EXPECT_NEAR(few.keeps(1), chance(0, 1.5, 1), 1e-12) << "29 answers are too few";
}

double dear(int k) { // a draft is a third of a pass
    return 1 + k / 3.0;
}

// Rounds of a draft of `most` whose places are kept as the margin says.
double mean_drafts(MarginController& controller, int most, int rounds, std::mt19937& random, int from) {
    std::uniform_real_distribution<double> unit(0, 1);
    double drafts = 0;
    for (int round = 0; round < rounds; ++round) {
        controller.begin_round(dear);
        MarginController::Hand hand;
        int drafted = 0, accepted = 0;
        bool good = true;
        for (; drafted < most; ++drafted) {
            const double margin = 6 * unit(random);
            if (!controller.goes_on(hand, drafted, margin)) break;
            good = good && unit(random) < chance(1.2, -3, margin);
            accepted += good;
        }
        controller.saw(hand, accepted, drafted);
        if (round >= from) drafts += drafted;
    }
    return drafts / (rounds - from);
}

TEST(MarginController, StopsWhereTheNextRowDoesNotPay) {
    std::mt19937 random(4);
    MarginController controller(6);
    EXPECT_EQ(mean_drafts(controller, 6, 96, random, 0), 6) << "until it has learnt something all places are judged";
    EXPECT_FALSE(controller.auc()) << "nothing was foretold yet";
    const double mean = mean_drafts(controller, 6, 400, random, 100);
    EXPECT_LT(mean, 2.5);
    EXPECT_GT(mean, 0.3);
    ASSERT_TRUE(controller.auc());
    EXPECT_GT(*controller.auc(), 0.7);
    EXPECT_GT(controller.place(0).slope(), 0.5);

    MarginController::Hand clear, unclear;
    controller.begin_round(dear);
    while (controller.goes_on(unclear, 0, 0)) controller.begin_round(dear); // past a round that is judged in full
    EXPECT_TRUE(controller.goes_on(clear, 0, 6));
    EXPECT_FALSE(controller.goes_on(clear, 6, 40)) << "there are six places";
}

// A forecast is scored before its answer is learnt from: with margins that say nothing it is right half of the time.
TEST(MarginController, WhatSaysNothingForetellsNothing) {
    std::mt19937 random(8);
    std::uniform_real_distribution<double> unit(0, 1);
    MarginController controller(1);
    for (int round = 0; round < 1200; ++round) {
        controller.begin_round([](int) { return 1.0; });
        MarginController::Hand hand;
        ASSERT_TRUE(controller.goes_on(hand, 0, 6 * unit(random))) << "a draft costs nothing here";
        controller.saw(hand, unit(random) < 0.6 ? 1 : 0, 1);
    }
    ASSERT_TRUE(controller.auc());
    EXPECT_NEAR(*controller.auc(), 0.5, 0.05);
}

// Places behind the first refusal, and those that were not drafted, teach nothing.
TEST(MarginController, LearnsOnlyFromPlacesThatWereJudged) {
    MarginController controller(3);
    for (int round = 0; round < 32; ++round) {
        controller.begin_round(dear);
        MarginController::Hand hand;
        for (int place = 0; place < 3; ++place) ASSERT_TRUE(controller.goes_on(hand, place, 2));
        controller.saw(hand, 1, 3);
    }
    EXPECT_NEAR(controller.place(0).keeps(2), chance(0, 1.5, 2), 1e-12) << "a round is foretold alike to its end";
    controller.begin_round(dear);
    EXPECT_GT(controller.place(0).keeps(2), 0.95);
    EXPECT_LT(controller.place(1).keeps(2), 0.05);
    EXPECT_NEAR(controller.place(2).keeps(2), chance(0, 1.5, 2), 1e-12);
}

class StoppedByItsRows : public testing::TestWithParam<std::string> {};

std::vector<std::string> chains() {
    std::vector<std::string> names;
    for (const DrafterInfo& info : drafter_list())
        if (info.drafts() && !info.tree && !info.copies()) names.push_back(info.name);
    return names;
}

// Stops where a margin is smaller than `least`; the margins behind the first place, which is always drafted.
std::unique_ptr<Run> stopped_run(const std::shared_ptr<const Models>& models, const RunSettings& settings, double least,
                                 std::vector<double>& margins) {
    auto run = std::make_unique<Run>(models, settings);
    run->go_on([&margins, least](int index, double margin) {
        if (index > 0) margins.push_back(margin);
        return index == 0 || margin >= least;
    });
    run->finish();
    return run;
}

// Over three rounds; every chain is held against the exact distribution in tests/engine/run/exact_transformer_test.cpp.
TEST(StoppedByItsRowsSampled, ATextHasTheDistributionOfTheTarget) {
    const auto models = test::narrow_models(1);
    RunSettings settings;
    settings.drafter = "small";
    settings.prompt.token_ids = test::narrow_prompt();
    settings.k = 3;
    settings.sampling = {.temperature = 1, .top_k = 3};
    settings.max_tokens = 4;
    settings.trace_top = 0;
    settings.timing = false;
    std::vector<double> margins;
    for (int seed = 1; seed < 40; ++seed) settings.seed = static_cast<std::uint64_t>(seed), (void)stopped_run(models, settings, 0, margins);
    ASSERT_FALSE(margins.empty()) << "it asks";
    std::ranges::sort(margins);
    const double middle = margins[margins.size() / 2]; // stops at half of the rows
    const auto expected = test::exact_texts(models->target, settings.prompt.token_ids, 4, settings.sampling);
    test::SampledTexts texts;
    constexpr long kTexts = 2500;
    margins.clear();
    for (long i = 0; i < kTexts; ++i) {
        settings.seed = static_cast<std::uint64_t>(i) + 1;
        const auto run = stopped_run(models, settings, middle, margins);
        texts.count(fold(run->trace(), run->trace().size()));
        ++texts.counted[test::context_key(
            {run->sequence().begin() + static_cast<std::ptrdiff_t>(settings.prompt.token_ids.size()), run->sequence().end()})];
    }
    const auto stopped = std::ranges::count_if(margins, [&](double margin) { return margin < middle; });
    EXPECT_GT(stopped, kTexts / 25) << "it stops";
    EXPECT_GT(std::ssize(margins) - stopped, kTexts / 25) << "it goes on";
    EXPECT_TRUE(texts.judged(kTexts)) << "kept " << texts.kept << ", refusals " << texts.refusals;
    EXPECT_GT(test::fit(expected, texts.counted, kTexts).p_value, 1e-3 / 400);
}

TEST_P(StoppedByItsRows, AGreedyTextIsThatOfPlainDecoding) {
    const auto models = test::micro_models(2);
    RunSettings settings = test::greedy(GetParam(), 5);
    settings.max_tokens = 30;
    RunSettings alone = test::greedy("none", 0);
    alone.max_tokens = 30;
    const std::vector<int> plain = test::finished(models, alone)->sequence();
    int calls = 0;
    speclens::Run run(models, settings);
    run.go_on([&](int, double margin) {
        EXPECT_GE(margin, 0);
        return ++calls % 3 != 0;
    });
    run.finish();
    EXPECT_GT(calls, 10);
    EXPECT_EQ(run.sequence(), plain);
}

// In a batch, where drafters take turns within a pass of theirs: each text is stopped by its own rows alone.
TEST_P(StoppedByItsRows, ABatchStopsEveryTextAsItsRunAlone) {
    const auto models = test::micro_models(2);
    const auto least = [](int number) {
        return [number](int index, double margin) { return index == 0 || margin >= 0.02 * (number + 1); };
    };
    BatchEngine engine(models, {.texts = 3, .blocks = 16, .prompt_rows = 16, .poison = true});
    std::vector<RunSettings> texts;
    for (int i = 0; i < 4; ++i) {
        RunSettings text = test::greedy(GetParam(), 5);
        text.prompt.token_ids = {5, 6 + i, 7, 8, 9};
        text.max_tokens = 25;
        texts.push_back(text);
        engine.go_on(engine.submit(text), least(i));
    }
    std::vector<int> drafted(texts.size());
    while (engine.step())
        for (const BatchLane& lane : engine.round().lanes)
            if (lane.did == BatchLane::Did::decoded) drafted[static_cast<std::size_t>(lane.text)] += lane.drafted();
    for (std::size_t i = 0; i < texts.size(); ++i) {
        speclens::Run alone(models, texts[i]);
        alone.go_on(least(static_cast<int>(i)));
        alone.finish();
        EXPECT_EQ(engine.text(static_cast<int>(i)).sequence, alone.sequence()) << i;
        EXPECT_EQ(drafted[i], fold(alone.trace(), alone.trace().size()).drafted) << i;
    }
}

// A cascade reads the row behind the last draft: nothing is stopped there.
TEST(StoppedByNothing, ACascadeAsksNobody) {
    RunSettings settings = test::greedy("small", 3);
    settings.sampling.temperature = 1;
    settings.rule = "cascade_tokenV3";
    speclens::Run run(test::micro_models(1), settings);
    run.go_on([](int, double) -> bool { throw std::logic_error("asked"); });
    run.finish();
    EXPECT_GT(run.sequence().size(), settings.prompt.token_ids.size());
}

INSTANTIATE_TEST_SUITE_P(Chains, StoppedByItsRows, testing::ValuesIn(chains()));

} // namespace
} // namespace speclens
