// The map of failures where batches were decoded: measured cells, the lanes of the batch, and what is said of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

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
    cell.slices = {slice, slice};
    for (const SweepSlice& turn : cell.slices) cell.sum.add(turn);
    cell.speed_up = SweepInterval{speed_up, speed_up - 0.04, speed_up + 0.04};
    cell.compared = cell.equal = 3;
    cell.rounds = made_rounds(texts, k);
    return cell;
}

std::shared_ptr<Sweep> made_load(const std::string& drafter, const std::vector<int>& many = {1, 4, 16}) {
    auto load = std::make_shared<Sweep>();
    for (const int texts : many)
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

// Whoever asked for batches of eight sees one at once.
TEST(FailuresLoad, OpensOnAMeasuredCell) {
    Batches live;
    const std::shared_ptr<Sweep> load = made_load("small", {8});
    live.published.load = load;
    live.show();
    EXPECT_TRUE(live.bench->shows("8 texts at once, 4 guesses each: 0.70×, measured")) << live.bench->words;
    EXPECT_TRUE(live.bench->shows("The batch, round by round"));
    FailuresState chosen;
    chosen.row = 0;
    EXPECT_EQ(failures_model(live.input(), chosen).row, 0) << "what the user chose stays";
    for (SweepCell& cell : load->cells)
        if (cell.method.k == 4) cell.method.k = 6; // then the nearest to the run's four
    live.show();
    EXPECT_EQ(failures_model(live.input(), {}).guesses(), 2);
}

// A batch whose turns lie apart is no measurement.
TEST(FailuresLoad, AFigureInDoubtStandsInNoTitleAndWinsNothing) {
    Batches live;
    const std::shared_ptr<Sweep> load = made_load("small");
    for (SweepCell& cell : load->cells) cell.speed_up->high = 1.2 * cell.speed_up->value, cell.in_doubt = true;
    live.published.load = load;
    live.show();
    EXPECT_TRUE(live.bench->shows("1 text at once, 4 guesses: measured, in doubt")) << live.bench->words;
    EXPECT_TRUE(live.bench->shows("~1.50× in doubt, because its turns lie up to 20 % apart")) << live.bench->words;
    EXPECT_TRUE(live.bench->shows("~1.5")) << live.bench->words;
    const FailuresModel m = failures_model(live.input(), {});
    EXPECT_EQ(m.best(0), -1) << "what is in doubt is not the best";
    EXPECT_TRUE(m.doubtful());
    const std::string words = failures_description(live.input(), m);
    EXPECT_NE(words.find("~1.50 (measured)"), std::string::npos) << words;
    EXPECT_NE(words.find("~1.50× plain batched decoding"), std::string::npos) << words;
    EXPECT_EQ(words.find("Guessing pays"), std::string::npos) << words;
    load->busy_cores = 2.03; // a batch that was decoded beside a busy program is no measurement of this machine
    live.show();
    EXPECT_TRUE(live.bench->shows("~1.50× in doubt, because other programs kept 2.0 cores busy")) << live.bench->words;
}

TEST(FailuresLoad, TheBestOfAMeasuredRowIsAMeasuredOne) {
    Batches live;
    FailuresModel m = failures_model(live.input(), {});
    for (LoadCell& cell : m.cells)
        if (!cell.measured && cell.requests == 1) cell.speedup = 9;
    EXPECT_EQ(m.best_k(0), 2) << "simulated ones are no rivals";
    EXPECT_EQ(m.few(), 0);
    EXPECT_EQ(kRequests[m.many()], 16) << "nor is a row that nobody measured";
    EXPECT_EQ(m.best_k(m.many()), 0);
    const Story story = failures_story(live.input(), m, nullptr);
    EXPECT_NE(story.text.find("the best K is 2 for one request and none for 16"), std::string::npos) << story.text;
}

TEST(FailuresLoad, HatchesOnlyWhatIsSimulated) {
    Batches live;
    EXPECT_TRUE(live.bench->shows("framed: measured; hatched: simulated; underlined: slower")) << live.bench->words;
    Loaded alone(true);
    EXPECT_TRUE(alone.bench->shows("underlined: slower")) << alone.bench->words;
    EXPECT_FALSE(alone.bench->shows("hatched: s")) << alone.bench->words;
}

// Beside the map, with the panel of details and without it: what others published, and this machine's roofline.
TEST(FailuresLoad, PublishedCurvesAndTheRooflineStandBesideTheMap) {
    for (const Size& s : {kSizes[0], kSizes[1]})
        for (const bool measured : {true, false}) {
            Batches live({0, 0, s.w, s.h});
            live.bench->controller.figures =
                std::make_shared<const Published>(Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
            auto passes = std::make_shared<PassTimes>(bend());
            passes->weight_bytes = 1e8, passes->multiply_adds = 5e7, passes->bandwidth_gbs = 50, passes->product_rate = 200;
            live.published.passes = passes;
            if (!measured) live.published.load.reset();
            live.show();
            for (const char* shown : {"PUBLISHED", "K = 7", "adaptive", "EAGLE-3", "From bytes to arithmetic"})
                EXPECT_TRUE(live.bench->shows(shown)) << s.name << ", " << shown << "\n" << live.bench->words;
            look(*live.bench, std::string("beside the map ") + s.name, false);
            const SceneInput input = live.input();
            const std::string words = failures_description(input, failures_model(input, {}));
            EXPECT_NE(words.find("DSpark, K = 7: 2.54× (4)"), std::string::npos) << words;
            EXPECT_NE(words.find("0.88× (256); "), std::string::npos) << words;
            EXPECT_NE(words.find("EAGLE-3: 1.38× (64)"), std::string::npos) << words;
        }
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
