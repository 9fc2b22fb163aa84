// What pictures say of times that cannot be trusted: no title names a winner or a figure in doubt, every figure in doubt
// says so with the reason, and what repeats cannot tell apart is not ranked.
#include <gtest/gtest.h>

#include <algorithm>

#include "scenes/loop/loop_story.h"
#include "scenes/race/race_draw.h"
#include "scenes/shared/reported_speed.h"
#include "scenes/speedup/speedup_draw.h"
#include "tests/scenes/scenes_live_bench.h"
#include "tests/scenes/speedup_bench.h"
#include "tests/shared/said_values.h"
#include "tests/shared/told_said.h"
#include "tests/shared/toy_race.h"

namespace speclens {
namespace {

struct Quality {
    const char* name;
    double spread, busy;
    int repeats;
    bool sure;
    double to_recorded = 0;
};
constexpr Quality kQualities[] = {
    {"quiet", 0.02, 0.0, 20, true}, {"spread", 0.3, 0.0, 20, false}, {"busy", 0.02, 1.5, 20, false}, {"few", 0.02, 0.0, 2, false}};

void time_like(const Trace& trace, const Quality& quality, double factor = 1) {
    auto times = std::make_shared<TraceTimes>();
    for (std::size_t i = 0; i < trace.size(); ++i) {
        EventTimes own = own_times(trace[i]);
        times->events.push_back({own.ms * factor, own.aside * factor});
    }
    times->plain_ms = 9.25 * factor;
    times->spread = times->plain_spread = quality.spread;
    times->busy_cores = quality.busy;
    times->repeats = quality.repeats;
    times->to_recorded = quality.to_recorded;
    trace.set_times(times);
}

bool names_a_winner(const std::string& title) {
    for (const char* word : {"first", "fastest", "×", "pays", "faster than"})
        if (title.find(word) != std::string::npos && title.find("doubt") == std::string::npos) return true;
    return false;
}

TEST(QuietClock, ARaceInDoubtNamesNoWinner) {
    for (const Quality& quality : kQualities) {
        const auto race = toy_race(false);
        for (const RaceLane& lane : race->lanes) time_like(*lane.trace, quality);
        const SceneInput input = input_at(*race, 1e9);
        const RaceModel model = race_model(input);
        const Said title = race_title(model).said, shorter = race_title_short(model).said;
        EXPECT_EQ(model.doubt.empty(), quality.sure) << quality.name;
        EXPECT_EQ(title.id(), quality.sure ? "race.outcome.best" : "race.outcome.in_doubt") << quality.name;
        EXPECT_EQ(shorter.id(), quality.sure ? "race.title.short" : "race.outcome.in_doubt_short") << quality.name;
        EXPECT_EQ(names_a_winner(race_title(model)), quality.sure) << quality.name << ": " << race_title(model);
        EXPECT_EQ(names_a_winner(race_title_short(model)), quality.sure) << quality.name << ": " << race_title_short(model);
        const std::vector<ui::ToldMessage> told = race_told(input);
        const Said subtitle = test::only_said(told, "race.subtitle.clock"), conclusion = race_conclusion(model).said;
        if (quality.sure) {
            EXPECT_FALSE(test::maybe<std::string>(subtitle, "doubt")) << quality.name;
            EXPECT_EQ(conclusion.id(), "race.conclusion.won") << quality.name;
        } else {
            EXPECT_EQ(test::inner(subtitle, "doubt"), model.doubt.said) << quality.name;
            EXPECT_EQ(conclusion.id(), "race.conclusion.doubt") << quality.name;
        }
        const std::vector<Said> lanes = test::all_said(told, "race.lane.told");
        for (std::size_t i = 0; i < lanes.size(); ++i) {
            const RaceLaneModel& lane = model.lanes[i];
            const bool doubted = !quality.sure && !lane.plain() && lane.speed_up.figure.known();
            EXPECT_EQ(lane.speed_up.words.starts_with("~"), doubted) << quality.name << " " << lane.drafter << " " << lane.speed_up.words;
            const Said what = test::inner(lanes[i], "what");
            if (!lane.speed_up.figure.known()) {
                EXPECT_FALSE(test::maybe<std::string>(what, "speed"));
                continue;
            }
            const Said speed = test::inner(what, "speed");
            EXPECT_EQ(test::whole(test::inner(speed, "times"), "doubt"), doubted) << quality.name << " " << lane.drafter;
            if (doubted) {
                EXPECT_EQ(test::inner(speed, "note").id(), "shared.doubt.note");
            } else {
                EXPECT_FALSE(test::maybe<std::string>(speed, "note"));
            }
        }
    }
}

// A room of 1280x720 is told the reason whole, however long it is; what was said for every race gives way.
TEST(QuietClock, TheDoubtOfARaceIsNeverCutOff) {
    constexpr Quality kSlower{"slower", 0.02, 0.0, 20, false, 3.4};
    for (const Quality& quality : {kQualities[1], kQualities[2], kQualities[3], kSlower}) {
        const auto race = toy_race(true);
        for (const RaceLane& lane : race->lanes) time_like(*lane.trace, quality);
        race->busy_cores = quality.busy;
        for (const ui::Vec2 window : {ui::Vec2{1280, 720}, ui::Vec2{1600, 1000}}) {
            RaceBench b({0, 0, window.x, window.y});
            b.observe(race);
            const std::string doubt = race_model(b.bench.controller.frame(b.bench.time).scene).doubt;
            ASSERT_NE(doubt, "") << quality.name;
            EXPECT_TRUE(std::ranges::any_of(b.bench.texts,
                                            [&](const ui::RecordedText& text) {
                                                return text.text.find("in doubt: " + doubt) != std::string::npos &&
                                                       !text.text.ends_with("…");
                                            }))
                << quality.name << " " << window.x << "\n"
                << b.bench.words;
        }
    }
}

// Lanes whose intervals meet are not ranked, however many digits their means differ in.
TEST(QuietClock, WhatRepeatsCannotTellApartIsNotRanked) {
    const auto race = toy_race(false);
    std::vector<double> total;
    for (const RaceLane& lane : race->lanes) total.push_back(fold(*lane.trace, lane.trace->size()).total_ms);
    // Domino (lane 3) as fast as EAGLE-3 (lane 1), but for 3 %; repeats lie 4 % apart
    for (std::size_t i = 0; i < race->lanes.size(); ++i)
        time_like(*race->lanes[i].trace, {"near", 0.04, 0, 20, true}, i == 3 ? total[1] / total[3] / 1.03 : 1);
    const RaceModel model = race_model(input_at(*race, 1e9));
    ASSERT_EQ(model.level.size(), 2u);
    const Said title = race_title(model).said;
    EXPECT_EQ(title.id(), "race.outcome.level");
    EXPECT_EQ(test::words(test::inner(title, "names"), "name"), "EAGLE-3");
    EXPECT_EQ(test::words(test::inner(title, "last"), "name"), "Domino");
    time_like(*race->lanes[3].trace, {"apart", 0.04, 0, 20, true}, total[1] / total[3] / 1.3);
    EXPECT_EQ(race_model(input_at(*race, 1e9)).level.size(), 1u);
}

TEST(QuietClock, TheLoopTellsNoSavingInDoubt) {
    for (const Quality& quality : kQualities) {
        const auto trace = fixtures::toy_run(fixtures::toys().front());
        time_like(*trace, quality);
        LiveBench live("loop");
        Snapshot p;
        p.trace = trace;
        p.settings.k = 4;
        live.observe(p);
        live.bench.controller.perform({SceneCommand{SetCursor{trace->size()}}}, live.bench.time);
        live.bench.settle();
        const SceneInput input = live.bench.controller.frame(live.bench.time).scene;
        const LoopModel model = loop_model(input);
        EXPECT_EQ(model.doubt.empty(), quality.sure) << quality.name << ": " << model.doubt;
        EXPECT_FALSE(model.run_speed.empty()) << quality.name;
        EXPECT_EQ(model.run_speed.find("in doubt") == std::string::npos, quality.sure) << model.run_speed;
        EXPECT_FALSE(names_a_winner(loop_title(model))) << loop_title(model);
        EXPECT_TRUE(quality.sure || saving_words(model).empty()) << quality.name << ": " << saving_words(model);
    }
}

TEST(QuietClock, AveragesInDoubtNameNobodyEither) {
    const auto race = toy_race(true);
    for (const RaceLane& lane : race->lanes) time_like(*lane.trace, kQualities[0]);
    const auto look = [&] { return race_model(input_at(*race, 1e9)); };
    const auto doubted = [&] { return test::whole(average_speed(look(), *race->lanes[3].average).said, "doubt"); };
    EXPECT_TRUE(look().average_doubt.empty());
    EXPECT_EQ(doubted(), 0);
    EXPECT_FALSE(average_speed(look(), *race->lanes[3].average).starts_with("~"));
    race->busy_cores = 1.2;
    EXPECT_EQ(look().average_doubt.said.id(), "shared.doubt.busy");
    EXPECT_EQ(test::real(look().average_doubt.said, "cores"), 1.2);
    EXPECT_EQ(scatter_title(look()).said.id(), "race.scatter.in_doubt");
    EXPECT_FALSE(names_a_winner(scatter_title(look())));
    EXPECT_EQ(doubted(), 1);
    EXPECT_TRUE(average_speed(look(), *race->lanes[3].average).starts_with("~"));
    race->busy_cores = 0;
    race->lanes[3].average->totals.spread = 0.2;
    EXPECT_EQ(look().average_doubt.said.id(), "speedup.doubt.spread");
    EXPECT_NEAR(test::real(look().average_doubt.said, "apart"), 1.2 * (1 + race->lanes[0].average->totals.spread) - 1, 1e-12);
    EXPECT_EQ(scatter_title(look()).said.id(), "race.scatter.in_doubt");
}

// Pictures draw the times that stand still, not those of the events.
TEST(QuietClock, TheClockOfTheLoopDrawsTheTimesOfTheTable) {
    const auto trace = fixtures::toy_run(fixtures::toys().front());
    time_like(*trace, kQualities[0], 7);
    LiveBench live("loop");
    Snapshot p;
    p.trace = trace;
    p.settings.k = 4;
    live.observe(p);
    live.bench.controller.perform({SceneCommand{SetCursor{trace->size()}}}, live.bench.time);
    live.bench.settle();
    const LoopModel model = loop_model(live.bench.controller.frame(live.bench.time).scene);
    ASSERT_TRUE(model.timed());
    const std::string verify = model.ms(model.round->verify_ms);
    EXPECT_NE(verify, model.ms(model.round->verify->ms));
    int told = 0;
    for (const ui::RecordedText& text : live.bench.texts) {
        told += text.text.starts_with(verify);
        EXPECT_FALSE(text.text.starts_with(model.ms(model.round->verify->ms) + " ms")) << text.text;
    }
    EXPECT_GE(told, 2) << "the bar of the pass, and its part of the clock: " << verify;
}

TEST(QuietClock, TheSpeedUpSceneClaimsNothingInDoubt) {
    for (const Quality& quality : kQualities) {
        if (quality.name == std::string("few")) continue; // a study says how few its rounds are in its intervals
        Measured live;
        live.bench->key(ui::Key::m);
        live.answer({9, 8, 7, 6, 5, 4, 4, 3, 3, 2}, 1000, 0.02, 0, 30);
        Study timed = *live.published.studies.at(kSpeedupStudy);
        for (StudyPoint& point : timed.points) point.spread = quality.spread, point.busy_cores = quality.busy;
        live.published.studies[kSpeedupStudy] = std::make_shared<const Study>(timed);
        live.show();
        const SceneInput input = live.input();
        const SpeedupModel model = speedup_model(input, {});
        const std::string title = speedup_title(input, model).title;
        EXPECT_EQ(model.doubt.empty(), quality.sure) << quality.name;
        EXPECT_EQ(title.find("in doubt") == std::string::npos, quality.sure) << title;
        EXPECT_EQ(names_a_winner(title), quality.sure) << quality.name << ": " << title;
    }
}

TEST(QuietClock, AFigureInDoubtStandsBesideItsReason) {
    const auto trace = fixtures::toy_run(fixtures::toys().front());
    time_like(*trace, kQualities[2]);
    const ReportedSpeed told = reported_speed(fold(*trace, trace->size()), *trace);
    ASSERT_TRUE(told.figure.known());
    EXPECT_TRUE(told.words.starts_with("~")) << told.words;
    EXPECT_EQ(told.note().rfind("in doubt: other programs kept 1.5 cores busy", 0), 0u) << told.note();
    time_like(*trace, kQualities[0]);
    EXPECT_EQ(reported_speed(fold(*trace, trace->size()), *trace).note(), "");
}

} // namespace
} // namespace speclens
