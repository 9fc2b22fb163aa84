// K auto of several texts at once: every text chooses by its own rounds and by how many share the pass, and with the lengths that it wrote
// it is the run alone, by hash.
#include <gtest/gtest.h>

#include "engine/batch/batch_engine.h"
#include "engine/run/saved_settings.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

RunSettings text(const std::string& drafter, int number) {
    RunSettings settings = test::greedy(drafter, 6);
    settings.prompt.token_ids = {5, 6 + number, 7, 8, 9, 7, 8};
    settings.sampling.temperature = 0.9;
    settings.seed = 100 + static_cast<std::uint64_t>(number);
    settings.trace_top = 0;
    settings.max_tokens = 60;
    settings.k_auto = true;
    settings.k_costs = DraftCosts{.pass = {{1, 1}, {4, 1.1}, {40, 8}}, .draft = {{1, 0.05}, {6, 0.3}}};
    return settings;
}

class AutoBatch : public testing::TestWithParam<std::string> {};

TEST_P(AutoBatch, ATextIsItsRunAloneWithTheLengthsThatItWrote) {
    const auto models = test::micro_models(2);
    BatchEngine engine(models, {.texts = 3, .blocks = 40, .prompt_rows = 16, .poison = true});
    constexpr int kTexts = 5;
    for (int i = 0; i < kTexts; ++i) (void)engine.submit(text(GetParam(), i));
    while (engine.step()) {
    }
    int drafted = 0, silent = 0;
    for (int i = 0; i < kTexts; ++i) {
        const BatchText& done = engine.text(i);
        ASSERT_EQ(done.state, BatchText::State::done) << done.error;
        const RunSettings alone = repeated(text(GetParam(), i), *done.trace);
        const auto run = test::finished(models, alone);
        EXPECT_EQ(run->sequence(), done.sequence) << i;
        EXPECT_EQ(run->trace().hash(run->trace().size()), done.trace->hash(done.trace->size())) << i;
        for (const DraftSize& size : draft_sizes(alone.k_rounds)) (size.k > 0 ? drafted : silent) += 1;
    }
    EXPECT_GT(drafted, 0);
    EXPECT_GT(silent, 0);
}

INSTANTIATE_TEST_SUITE_P(Drafters, AutoBatch, testing::Values("small", "lookup", "eagle3", "dflash", "domino", "mtp", "medusa"));

// Alone a text drafts where among others it does not: rows that are free for one are not for many.
TEST(AutoBatchCompany, DraftsLessAmongOthers) {
    const auto models = test::perfect_draft_models(1);
    const auto drafted = [&](int texts) {
        BatchEngine engine(models, {.texts = texts, .blocks = 200, .prompt_rows = 16});
        for (int i = 0; i < texts; ++i) {
            RunSettings one = text("small", i);
            one.sampling.temperature = 0;
            one.k_costs = DraftCosts{.pass = {{1, 1}, {8, 1.2}, {16, 8}, {64, 40}}, .draft = {{1, 0.05}, {6, 0.3}}};
            (void)engine.submit(one);
        }
        double rows = 0, rounds = 0;
        while (engine.step())
            for (const BatchLane& lane : engine.round().lanes)
                if (lane.did == BatchLane::Did::decoded && lane.rows > 0) rows += lane.drafted(), ++rounds;
        return rows / rounds;
    };
    EXPECT_GT(drafted(1), 3);
    EXPECT_LT(drafted(8), 1.5);
}

} // namespace
} // namespace speclens
