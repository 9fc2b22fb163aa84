// The roofline of Failures: where a pass stands by the bytes it reads and what it computes.
#include <gtest/gtest.h>

#include "scenes/failures/roofline.h"
#include "tests/scenes/failures_bench.h"

namespace speclens {
namespace {

// 100 MB of weights, 2 bytes each; memory brings 50 GB/s, products reach 200e9 a second: they meet at 4 a byte, or 8 rows.
PassTimes known() {
    PassTimes times = bend();
    times.weight_bytes = 1e8;
    times.multiply_adds = 5e7;
    times.bandwidth_gbs = 50;
    times.product_rate = 200;
    return times;
}

// Every guess is drafted.
FailuresModel map_of(const PassTimes& times) {
    FailuresModel model;
    model.times = &times;
    model.levers.drafts = 1;
    for (const int requests : kRequests)
        for (const int guesses : kGuesses) model.cells.push_back(load_cell(times, model.levers, requests, guesses));
    return model;
}

TEST(Roofline, SaysWhatAPassComputesForAByteAndHowFast) {
    const PassTimes times = known();
    const SceneInput input;
    FailuresModel model = map_of(times);
    model.row = 0;
    model.column = guesses_at_most(3);
    const std::optional<Roofline> alone = roofline(input, model);
    ASSERT_TRUE(alone);
    EXPECT_FALSE(alone->measured);
    EXPECT_DOUBLE_EQ(alone->knee(), 4);
    ASSERT_EQ(alone->passes.size(), 7U);
    EXPECT_DOUBLE_EQ(alone->passes[0].intensity, 0.5); // a multiply-add for each two bytes
    EXPECT_DOUBLE_EQ(alone->passes[0].rate, 50);       // 5e7 in a millisecond
    EXPECT_DOUBLE_EQ(alone->plain->rows, 1);
    EXPECT_DOUBLE_EQ(alone->marked->rows, 4);
    EXPECT_DOUBLE_EQ(alone->marked->intensity, 2);
    EXPECT_TRUE(alone->bound_by_memory(*alone->marked));
    EXPECT_DOUBLE_EQ(alone->roof(2), 100);
    EXPECT_DOUBLE_EQ(alone->roof(10), 200);
    model.row = kMostBusy;
    const std::optional<Roofline> crowd = roofline(input, model);
    EXPECT_DOUBLE_EQ(crowd->plain->rows, 64);
    EXPECT_DOUBLE_EQ(crowd->marked->rows, 256);
    EXPECT_FALSE(crowd->bound_by_memory(*crowd->marked));
}

TEST(Roofline, TakesTheMeanPassOfABatchThatWasDecoded) {
    const PassTimes times = known();
    SweepCell cell, plain;
    cell.concurrency = plain.concurrency = 4;
    cell.method = {.drafter = "small", .rule = "token", .k = 3};
    for (int i = 0; i < 2; ++i) {
        BatchRound round;
        round.rows = 14 + 4 * i; // 16 on average
        round.passes = 1;
        round.pass_ms = 2;
        cell.rounds.push_back(round);
        round.rows = 4;
        plain.rounds.push_back(round);
    }
    BatchRound reads; // a prompt joins: no pass of decoding
    reads.rows = 300, reads.read_rows = 290, reads.passes = 1, reads.pass_ms = 40;
    cell.rounds.push_back(reads);
    auto load = std::make_shared<Sweep>();
    load->cells = {plain, cell};
    SceneInput input;
    input.load = load;
    FailuresModel model = map_of(times);
    model.row = 2;
    model.column = guesses_at_most(3);
    model.cells[static_cast<std::size_t>(model.row) * std::size(kGuesses) + static_cast<std::size_t>(model.column)].measured = &cell;
    const std::optional<Roofline> found = roofline(input, model);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->measured);
    EXPECT_DOUBLE_EQ(found->marked->rows, 16);
    EXPECT_DOUBLE_EQ(found->marked->intensity, 8);
    EXPECT_DOUBLE_EQ(found->marked->rate, 400);
    EXPECT_DOUBLE_EQ(found->plain->rows, 4);
}

TEST(Roofline, IsEmptyWhereARoofIsNotKnown) {
    PassTimes times = known();
    times.bandwidth_gbs = 0;
    FailuresModel model;
    model.times = &times;
    EXPECT_FALSE(roofline(SceneInput{}, model));
    model.times = nullptr;
    EXPECT_FALSE(roofline(SceneInput{}, model));
}

} // namespace
} // namespace speclens
