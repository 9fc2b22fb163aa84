// Where speculation stops paying: the statistics on made-up cells, and a short sweep of a small model.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "engine/batch/sweep.h"
#include "tests/shared/micro.h"
#include "tests/shared/slow_model.h"

namespace speclens {
namespace {

// Cells of one method whose slices have these tokens a second.
std::vector<SweepCell> cells_of(const std::vector<int>& texts, const std::vector<std::vector<double>>& rates) {
    std::vector<SweepCell> cells;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        SweepCell& cell = cells.emplace_back();
        cell.concurrency = texts[i];
        for (const double rate : rates[i]) {
            SweepSlice slice;
            slice.ms = 1000;
            slice.tokens = std::lround(rate);
            cell.slices.push_back(slice);
            cell.sum.add(slice);
        }
    }
    return cells;
}

std::vector<const SweepCell*> pointers(const std::vector<SweepCell>& cells) {
    std::vector<const SweepCell*> list;
    for (const SweepCell& cell : cells) list.push_back(&cell);
    return list;
}

const std::vector<int> kTexts = {1, 2, 4, 8};
const std::vector<std::vector<double>> kPlain(4, {1000, 1000, 1000});

std::optional<SweepCrossing> crossing(const std::vector<std::vector<double>>& rates,
                                      const std::vector<std::vector<double>>& plain = kPlain) {
    const std::vector<SweepCell> with = cells_of(kTexts, rates), without = cells_of(kTexts, plain);
    return crossing_of(pointers(with), pointers(without));
}

TEST(SweepStatistics, ASpeedUpIsTheRatioOfItsSlices) {
    const std::vector<SweepCell> with = cells_of({1}, {{2000, 1500, 3000}}), without = cells_of({1}, {{1000, 1000, 1500}});
    const SweepInterval speed = speed_up_of(with.front(), without.front());
    EXPECT_NEAR(speed.value, std::cbrt(2 * 1.5 * 2), 1e-9);
    EXPECT_NEAR(speed.low, 1.5, 0.2);
    EXPECT_NEAR(speed.high, 2, 1e-9);
}

TEST(SweepStatistics, AnIntervalSaysHowFarItReaches) {
    EXPECT_DOUBLE_EQ((SweepInterval{2, 1.6, 2.2}.spread()), 0.25);
    EXPECT_DOUBLE_EQ((SweepInterval{2, 1.9, 3}.spread()), 0.5);
    EXPECT_EQ(SweepInterval().spread(), 0);
    const SweepInterval one = ratio_of({3, 3, 9}, {1, 1});
    EXPECT_DOUBLE_EQ(one.value, 3) << "the third turn has nothing to stand beside";
    EXPECT_EQ(one.spread(), 0);
}

TEST(SweepStatistics, FindsWhereASpeedUpFallsThroughOne) {
    // 2 at 2 texts, 1/2 at 4: halfway between them by the logarithm.
    const auto found = crossing({{3000, 3000, 3000}, {2000, 2000, 2000}, {500, 500, 500}, {400, 400, 400}});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->where, SweepCrossing::Where::at);
    EXPECT_NEAR(found->texts.value, std::sqrt(8.0), 1e-9);
    EXPECT_NEAR(found->texts.low, found->texts.value, 1e-9);
    EXPECT_FALSE(found->open_low || found->open_high);
}

TEST(SweepStatistics, TheIntervalGrowsWithTheScatter) {
    const auto found = crossing({{3000, 3000, 3000}, {2600, 2000, 1500}, {700, 500, 950}, {400, 400, 400}});
    ASSERT_TRUE(found);
    EXPECT_LT(found->texts.low, found->texts.value - 0.05);
    EXPECT_GT(found->texts.high, found->texts.value + 0.05);
    EXPECT_GT(found->texts.low, 2);
    EXPECT_LT(found->texts.high, 4);
}

TEST(SweepStatistics, SaysWhereNothingCrosses) {
    const auto never = crossing({{900, 900, 900}, {800, 800, 800}, {700, 700, 700}, {600, 600, 600}});
    ASSERT_TRUE(never);
    EXPECT_EQ(never->where, SweepCrossing::Where::below);
    const auto always = crossing({{2000, 2000, 2000}, {1800, 1800, 1800}, {1500, 1500, 1500}, {1300, 1200, 1250}});
    ASSERT_TRUE(always);
    EXPECT_EQ(always->where, SweepCrossing::Where::above);
    const auto perhaps = crossing({{2000, 2000, 2000}, {1800, 1800, 1800}, {1500, 1500, 1500}, {1300, 700, 1050}});
    ASSERT_TRUE(perhaps);
    EXPECT_TRUE(perhaps->open_high);
    EXPECT_FALSE(crossing({{2000}, {}, {}, {}})) << "one number of texts crosses nothing";
}

SweepPlan small_plan() {
    SweepPlan plan;
    for (int i = 0; i < 5; ++i) {
        RunSettings text = test::greedy("none", 0);
        text.prompt.token_ids[0] = 10 + i;
        text.max_tokens = 20;
        plan.texts.push_back(text);
    }
    plan.methods = {{.drafter = "none", .rule = "token", .k = 0},
                    {.drafter = "lookup", .rule = "token", .k = 3},
                    {.drafter = "eagle3", .rule = "token", .k = 2}};
    plan.concurrency = {1, 3};
    plan.repeats = 2;
    plan.seconds = 1;
    plan.proof_seconds = 20;
    return plan;
}

TEST(Sweep, MeasuresEveryCellOnceAndTheRestOnlyWhereThereIsTime) {
    SweepPlan plan = small_plan();
    plan.in_time = true;
    plan.seconds = 1e-3; // over within the first slice
    plan.proof_seconds = 0;
    SweepMeasurement measurement(test::micro_models(1), plan);
    std::set<double> seen; // of the first turns, whose time is over from the beginning
    while (measurement.step()) {
        EXPECT_LE(measurement.done(), 1);
        EXPECT_TRUE(seen.empty() || measurement.done() >= *seen.rbegin());
        const double turn = static_cast<double>(measurement.batches_done());
        if (turn >= 6) continue;
        EXPECT_LE(measurement.done(), 0.8 * (turn + 1) / 6 + 1e-9) << "it says how many of the cells there are";
        seen.insert(measurement.done());
    }
    EXPECT_GT(seen.size(), 12U) << "it goes on within a cell";
    const Sweep sweep = measurement.sweep();
    EXPECT_TRUE(sweep.complete) << "nobody ended it";
    EXPECT_EQ(sweep.left_out, 6u) << "the second slices";
    for (const SweepCell& cell : sweep.cells) EXPECT_EQ(cell.slices.size(), 1u);
}

// On a model that writes five tokens in its share of the time: the text is decoded to its end for the proof anyway.
TEST(Sweep, CountsAllThatIsDecodedUntilATextHasEnded) {
    SweepPlan plan = small_plan();
    plan.in_time = true;
    plan.seconds = 1e-3;
    plan.proof_seconds = 0;
    plan.repeats = 1;
    plan.methods.resize(1);
    plan.concurrency = {1};
    SweepMeasurement measurement(test::slow_models({.target_ms = 50}).models, plan);
    while (measurement.step()) {
    }
    EXPECT_GE(measurement.sweep().cells.front().sum.ended, 1);
}

TEST(Sweep, MeasuresEveryCellAndProvesItsTexts) {
    const auto models = test::micro_models(1);
    const SweepPlan plan = small_plan();
    SweepMeasurement measurement(models, plan);
    double last = 0;
    while (measurement.step()) {
        EXPECT_FALSE(measurement.doing().empty());
        EXPECT_GE(measurement.done(), last);
        last = measurement.done();
    }
    EXPECT_EQ(measurement.done(), 1);
    const Sweep sweep = measurement.sweep();
    EXPECT_TRUE(sweep.complete);
    ASSERT_EQ(sweep.cells.size(), 6u);
    ASSERT_EQ(sweep.crossings.size(), 3u);
    for (const SweepCell& cell : sweep.cells) {
        SCOPED_TRACE(cell.method.drafter + " with " + std::to_string(cell.concurrency));
        EXPECT_EQ(cell.slices.size(), 2u);
        EXPECT_GT(cell.sum.tokens, 0);
        EXPECT_GE(cell.sum.tokens, cell.sum.text_rounds);
        EXPECT_GE(cell.sum.rows, cell.sum.text_rounds + cell.sum.drafted);
        EXPECT_LE(cell.sum.accepted, cell.sum.drafted);
        EXPECT_LE(cell.sum.draft_ms + cell.sum.pass_ms, cell.sum.ms);
        EXPECT_FALSE(cell.sum.first_ms.empty());
        EXPECT_FALSE(cell.sum.between_ms.empty());
        ASSERT_FALSE(cell.rounds.empty());
        EXPECT_EQ(std::ssize(cell.rounds.front().lanes), cell.concurrency);
        EXPECT_TRUE(cell.texts_equal()) << cell.equal << " of " << cell.compared;
        ASSERT_TRUE(cell.speed_up);
        EXPECT_LE(cell.speed_up->low, cell.speed_up->high);
        if (cell.method.plain()) {
            EXPECT_EQ(cell.sum.drafted, 0);
        }
    }
    EXPECT_FALSE(sweep.crossings[0]);
    EXPECT_TRUE(sweep.crossings[1]);
    EXPECT_EQ(sweep.cell(1, 3)->method.drafter, "lookup");
    EXPECT_EQ(sweep.cell(1, 4), nullptr);
}

// Where texts are so short that one has always just joined, there is no moment at which all of them have written something.
TEST(Sweep, BeginsToCountThoughSomebodyHasAlwaysJustJoined) {
    SweepPlan plan = small_plan();
    for (RunSettings& text : plan.texts) text.max_tokens = 1;
    plan.methods.resize(1);
    plan.concurrency = {3};
    plan.seconds = 0.3;
    SweepMeasurement measurement(test::micro_models(1), plan);
    int steps = 0;
    while (steps < 200000 && measurement.step()) ++steps;
    EXPECT_LT(steps, 200000);
    EXPECT_GT(measurement.sweep().cells.front().sum.tokens, 0);
}

TEST(Sweep, ATightPoolPreemptsAndChangesNoText) {
    const auto models = test::micro_models(1);
    SweepPlan plan = small_plan();
    plan.concurrency = {4};
    plan.blocks = 5;
    plan.share = false;
    SweepMeasurement measurement(models, plan);
    while (measurement.step()) {
    }
    const Sweep sweep = measurement.sweep();
    int preempted = 0;
    for (const SweepCell& cell : sweep.cells) {
        preempted += cell.sum.preempted;
        EXPECT_TRUE(cell.texts_equal());
    }
    EXPECT_GT(preempted, 0);
}

TEST(Sweep, EndedEarlyItTellsWhatWasMeasured) {
    const auto models = test::micro_models(1);
    const SweepPlan plan = small_plan();
    SweepMeasurement measurement(models, plan);
    while (measurement.step() && measurement.done() < 0.2) {
    }
    measurement.stop();
    EXPECT_FALSE(measurement.step());
    const Sweep sweep = measurement.sweep();
    EXPECT_FALSE(sweep.complete);
    int measured = 0;
    for (const SweepCell& cell : sweep.cells) measured += cell.measured();
    EXPECT_GT(measured, 0);
    EXPECT_LT(measured, 6);
    for (const SweepCell& cell : sweep.cells) EXPECT_EQ(cell.compared, 0);
}

} // namespace
} // namespace speclens
