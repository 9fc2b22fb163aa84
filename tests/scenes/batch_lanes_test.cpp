// The map of failures where batches were decoded: measured cells, the lanes of the batch, and what is said of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "scenes/failures/batch_lanes.h"
#include "tests/scenes/failures_bench.h"
#include "tests/scenes/scenes_look.h"

namespace speclens {
namespace {

BatchLane lane(int text, int drafted, int accepted) {
    return {.text = text, .did = BatchLane::Did::decoded, .rows = 1 + drafted, .accepted = accepted, .tokens = accepted + 1};
}

// Twelve rounds of so many texts with K drafts each, of which every text keeps another number.
std::vector<BatchRound> made_rounds(int texts, int k) {
    std::vector<BatchRound> rounds;
    for (int i = 0; i < 12; ++i) {
        BatchRound& round = rounds.emplace_back();
        for (int text = 0; text < texts; ++text) round.lanes.push_back(lane(text, k, (text * 3 + i * 2) % (k + 1)));
        if (i == 5) round.lanes.back() = {.text = texts - 1, .did = BatchLane::Did::read, .rows = 17};
        for (const BatchLane& of : round.lanes) round.rows += of.rows;
        round.passes = 1;
        round.draft_ms = 1.5;
        round.pass_ms = 0.3 * round.rows;
    }
    return rounds;
}

SweepCell made_cell(const std::string& drafter, int k, int texts, double speed_up) {
    SweepCell cell;
    cell.method = {.drafter = k > 0 ? drafter : "none", .rule = "token", .k = k};
    cell.concurrency = texts;
    SweepSlice slice;
    slice.ms = 1000;
    slice.draft_ms = 200;
    slice.pass_ms = 700;
    slice.tokens = std::lround(1000 * speed_up);
    slice.rounds = 100;
    slice.text_rounds = 100L * texts;
    slice.rows = 100L * texts * (k + 1);
    cell.slices = {slice};
    cell.sum = slice;
    cell.speed_up = SweepInterval{speed_up, speed_up - 0.04, speed_up + 0.04};
    cell.compared = cell.equal = 3;
    cell.rounds = made_rounds(texts, k);
    return cell;
}

std::shared_ptr<const Sweep> made_load(const std::string& drafter) {
    auto load = std::make_shared<Sweep>();
    for (const int texts : {1, 4, 16})
        for (const int k : {0, 2, 4}) load->cells.push_back(made_cell(drafter, k, texts, texts == 1 ? 1.5 : texts == 4 ? 1.02 : 0.7));
    load->crossings.resize(3);
    load->complete = true;
    return load;
}

struct Batches : Loaded {
    explicit Batches(ui::Rect screen = {0, 0, 1600, 1000}) : Loaded(true, screen) {
        published.load = made_load("small");
        show();
    }
};

TEST(BatchLanes, ATextKeepsItsSeatAndANewOneTakesAFreeOne) {
    SweepCell cell;
    cell.rounds.resize(3);
    cell.rounds[0].lanes = {lane(0, 2, 1), lane(1, 2, 0)};
    cell.rounds[1].lanes = {lane(1, 2, 2), {.text = 2, .did = BatchLane::Did::read, .rows = 9}};
    cell.rounds[2].lanes = {lane(1, 2, 2), lane(2, 0, 0)};
    const BatchLanes lanes = batch_lanes(cell);
    ASSERT_EQ(lanes.seats, 2);
    const auto text_at = [&](std::size_t round, std::size_t seat) { return lanes.rounds[round].seats[seat]->text; };
    EXPECT_EQ(text_at(0, 0), 0);
    EXPECT_EQ(text_at(1, 0), 2) << "in the seat that text 0 left";
    EXPECT_EQ(text_at(1, 1), 1);
    EXPECT_EQ(text_at(2, 0), 2);
    EXPECT_EQ(lanes.rows, 3 + 3 + 3 + 9 + 3 + 1);
    EXPECT_EQ(lanes.refused, 1 + 2);
    EXPECT_EQ(lanes.prompt, 9);
}

TEST(FailuresLoad, MeasuredCellsTakeThePlaceOfSimulatedOnes) {
    Batches live;
    const FailuresModel m = failures_model(live.input(), {});
    ASSERT_TRUE(m.has_measured());
    int measured = 0;
    for (const LoadCell& cell : m.cells) {
        if (!cell.measured) continue;
        ++measured;
        EXPECT_EQ(cell.requests, cell.measured->concurrency);
        EXPECT_EQ(cell.k, cell.measured->method.k);
        EXPECT_DOUBLE_EQ(cell.speedup, cell.measured->speed_up->value);
        EXPECT_EQ(cell.pays(), cell.requests == 1);
        EXPECT_EQ(cell.loses(), cell.requests == 16) << "1.02 with an interval that holds 1 is neither";
    }
    EXPECT_EQ(measured, 6);
}

TEST(FailuresLoad, ALoadOfAnotherDrafterIsNotTheRuns) {
    Batches live;
    live.published.load = made_load("lookup");
    live.show();
    EXPECT_FALSE(failures_model(live.input(), {}).has_measured());
}

TEST(FailuresLoad, ShowsTheBatchOfTheMarkedCell) {
    Batches live;
    EXPECT_TRUE(live.bench->shows("1 text at once, 4 guesses: 1.50×, measured")) << live.bench->words;
    EXPECT_TRUE(live.bench->shows("The batch, round by round"));
    EXPECT_TRUE(live.bench->shows("3 of 3 texts compared equal their runs alone"));
    EXPECT_TRUE(live.bench->shows("LIVE"));
    live.bench->key(ui::Key::down); // two requests were not decoded
    live.bench->settle();
    EXPECT_FALSE(live.bench->shows("The batch, round by round"));
    EXPECT_TRUE(live.bench->shows("SIM"));
}

TEST(FailuresLoad, DecodesBatchesOfTheRunsDrafterOnDemand) {
    Loaded empty(false);
    empty.bench->key(ui::Key::b);
    for (const Command& command : empty.sent) EXPECT_FALSE(std::holds_alternative<MeasureLoad>(command)) << "the map comes first";
    Loaded live(true);
    live.bench->key(ui::Key::b);
    ASSERT_FALSE(live.sent.empty());
    const auto* asked = std::get_if<MeasureLoad>(&live.sent.back());
    ASSERT_NE(asked, nullptr);
    EXPECT_EQ(asked->base.drafter, "small");
}

TEST(FailuresLoad, TellsItInWords) {
    Batches live;
    FailuresState state;
    state.row = 4;
    const FailuresModel m = failures_model(live.input(), state);
    const std::string words = failures_description(live.input(), m);
    for (const char* part : {"(measured)", "16 texts at once", "Guessing loses", "were refused guesses", "12 rounds"})
        EXPECT_NE(words.find(part), std::string::npos) << part << "\n" << words;
}

TEST(FailuresLoad, NothingCollidesBesideMeasuredCells) {
    for (const Size& s : kSizes) {
        Batches live({0, 0, s.w, s.h});
        for (int row = 0; row <= kMostBusy; ++row) {
            look(*live.bench, std::string("failures load ") + s.name + " row " + std::to_string(row), s.w < 1000);
            live.bench->key(ui::Key::down);
            live.bench->settle();
        }
    }
}

} // namespace
} // namespace speclens
