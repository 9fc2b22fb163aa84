// Stepped races: every lane goes as far as was asked, writes what it writes alone, and is not timed.
#include <gtest/gtest.h>

#include "engine/lab/stepped_race.h"
#include "engine/run/run_view.h"
#include "kernels/error.h"
#include "tests/shared/micro.h"

namespace speclens {
namespace {

RaceSettings of(const std::vector<std::string>& drafters, double temperature) {
    RaceSettings race;
    race.base.prompt.token_ids = {5, 6, 7};
    race.base.sampling.temperature = temperature;
    race.base.max_tokens = 14;
    race.base.k = 3;
    race.lanes = race_entries(drafters, race.base);
    return race;
}

int rounds_of(const RaceView& view, std::size_t lane, std::size_t step) {
    return fold(*view.lanes[lane].trace, view.steps[step][lane]).rounds;
}

TEST(SteppedRace, APhaseIsOnePhaseInEveryLane) {
    SteppedRace race(test::micro_models(1), of({"none", "eagle3", "dflash", "domino"}, 0));
    race.finish();
    const RaceView& view = race.view();
    ASSERT_EQ(view.steps.size(), 1u) << "the prompts were read, and nothing was asked for";
    EXPECT_TRUE(race.waiting());
    for (int step = 1; step <= 3; ++step) {
        race.ask(Stride::phase);
        race.finish();
        ASSERT_EQ(view.steps.size(), static_cast<std::size_t>(step + 1));
        for (const auto events : view.steps.back()) EXPECT_GT(events, 0u);
        for (std::size_t lane = 0; lane < 4; ++lane)
            EXPECT_GT(view.steps[static_cast<std::size_t>(step)][lane], view.steps[static_cast<std::size_t>(step - 1)][lane]);
    }
    const Trace& dflash = *view.lanes[2].trace;
    EXPECT_TRUE(std::holds_alternative<Drafted>(dflash[view.steps[1][2] - 1]));
    EXPECT_TRUE(std::holds_alternative<Verified>(dflash[view.steps[2][2] - 1]));
    EXPECT_TRUE(std::holds_alternative<Verified>((*view.lanes[0].trace)[view.steps[1][0] - 1])) << "nobody guesses for plain decoding";
}

TEST(SteppedRace, ARoundTakesEveryLaneToTheEndOfItsOwn) {
    SteppedRace race(test::micro_models(1), of({"none", "eagle3", "domino"}, 0));
    race.ask(Stride::phase);
    race.ask(Stride::round);
    race.ask(Stride::round);
    race.finish();
    const RaceView& view = race.view();
    ASSERT_EQ(view.steps.size(), 4u);
    for (std::size_t lane = 0; lane < 3; ++lane) {
        EXPECT_EQ(rounds_of(view, lane, 2), 1) << "the round that the phase had begun";
        EXPECT_EQ(rounds_of(view, lane, 3), 2);
    }
}

// At any temperature: stepping in turns changes no lane's text or events.
TEST(SteppedRace, EveryLaneWritesWhatItWritesAlone) {
    const auto models = test::micro_models(1);
    for (const double temperature : {0.0, 0.8}) {
        const RaceSettings settings = of({"none", "small", "eagle3", "domino"}, temperature);
        SteppedRace race(models, settings);
        race.ask(Stride::end);
        race.finish();
        for (const RaceLane& lane : race.view().lanes) {
            EXPECT_TRUE(lane.finished) << lane.settings.drafter;
            speclens::Run alone(models, lane.settings);
            alone.finish();
            EXPECT_EQ(lane.trace->size(), alone.trace().size()) << lane.settings.drafter;
            EXPECT_EQ(lane.trace->hash(lane.trace->size()), alone.trace().hash(alone.trace().size())) << lane.settings.drafter;
        }
        EXPECT_TRUE(race.view().lanes_finished());
        for (std::size_t lane = 0; lane < settings.lanes.size(); ++lane)
            EXPECT_EQ(race.view().steps.back()[lane], race.view().lanes[lane].trace->size()) << "the last step is whole";
    }
}

TEST(SteppedRace, ALaneThatIsDoneWaits) {
    RaceSettings settings = of({"none", "small"}, 0);
    SteppedRace race(test::perfect_draft_models(1), settings); // every guess stays: four tokens a round
    race.ask(Stride::end);
    race.finish();
    const RaceView& view = race.view();
    const std::size_t last = view.steps.size() - 1;
    EXPECT_EQ(view.steps[last][1], view.steps[last - 3][1]);
    EXPECT_GT(view.steps[last][0], view.steps[last - 3][0]);
    race.ask(Stride::phase);
    EXPECT_FALSE(race.step()) << "all are done";
    EXPECT_EQ(view.steps.size(), last + 1);
}

TEST(SteppedRace, MeasuresNothing) {
    SteppedRace race(test::micro_models(1), of({"none", "domino"}, 0));
    race.ask(Stride::end);
    race.finish();
    for (const RaceLane& lane : race.view().lanes) {
        EXPECT_FALSE(lane.trace->header()->timing);
        EXPECT_EQ(fold(*lane.trace, lane.trace->size()).total_ms, 0);
        EXPECT_FALSE(lane.average);
    }
    EXPECT_EQ(race.view().prompts, 0);
}

TEST(SteppedRace, ALaneThatCannotRunSaysWhy) {
    SteppedRace race(test::perfect_draft_models(1), of({"none", "dflash", "small"}, 0));
    race.ask(Stride::round);
    race.finish();
    EXPECT_NE(race.view().lanes[1].problem, "");
    EXPECT_FALSE(race.view().lanes[1].trace);
    EXPECT_EQ(rounds_of(race.view(), 2, 1), 1);
    EXPECT_THROW(SteppedRace(test::micro_models(1), of({}, 0)), Error);
}

} // namespace
} // namespace speclens
