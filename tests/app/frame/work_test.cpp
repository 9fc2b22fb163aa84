// Work beside the run as the window tells of it: what is measured, how long it takes, that it can be stopped, and what is ticked
// because of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/lab/pass_times.h"
#include "engine/lab/race.h"
#include "scenes/shared/shown_work.h"
#include "scenes/shared/speak.h"
#include "scenes/systems/systems_model.h"
#include "tests/scenes/room.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_live_bench.h"
#include "tests/scenes/scenes_look.h"
#include "tests/shared/pass_times.h"
#include "tests/shared/speaking.h"
#include "tests/shared/toy_race.h"

namespace speclens {
namespace {

Work runs(int done, std::optional<double> left = {}, int number = 1) {
    return {.of = Work::Of::runs, .done = done, .total = 10, .left = left, .number = number};
}

TEST(ShownWork, CountsDownWhatItWasTold) {
    ShownWork part;
    EXPECT_EQ(part.words(1), "");
    EXPECT_LT(part.next_change(1), 0);
    part.observe(runs(0), 1);
    EXPECT_EQ(part.words(1.1), "") << "it may be over in a moment";
    EXPECT_NEAR(part.next_change(1.1), 0.15, 1e-9);
    EXPECT_EQ(part.words(1.5), "Measuring the first of 10 runs · Esc stops") << "half a second later it is told";
    EXPECT_LT(part.next_change(1.5), 0) << "and nothing changes until more is known";
    part.observe(runs(1, 88), 10);
    EXPECT_EQ(part.words(10), "Measuring run 2 of 10 · about 90 s left · Esc stops");
    EXPECT_EQ(part.words(58), "Measuring run 2 of 10 · about 40 s left · Esc stops") << "nobody told anything since";
    EXPECT_NEAR(part.next_change(58), 1, 1e-9);
    EXPECT_EQ(part.words(96), "Measuring run 2 of 10 · nearly done · Esc stops");
    EXPECT_EQ(part.words(98.5), "Measuring run 2 of 10 · longer than thought · Esc stops") << "no number stands still";
    EXPECT_LT(part.next_change(98.5), 0);
    part.observe(runs(1, 88), 99);
    EXPECT_EQ(part.words(99), "Measuring run 2 of 10 · longer than thought · Esc stops") << "the same promise again is none";
    part.observe(runs(2, 540), 100);
    EXPECT_EQ(part.words(100), "Measuring run 3 of 10 · about 9 minutes left · Esc stops");
    part.observe(runs(2, 9000), 100);
    EXPECT_EQ(part.words(100), "Measuring run 3 of 10 · about 2.5 hours left · Esc stops");
    part.observe({}, 101);
    EXPECT_EQ(part.words(101), "");
}

TEST(ShownWork, AnotherJobBeginsAnew) {
    ShownWork part;
    part.observe(runs(9, 4), 1);
    part.observe(runs(0, {}, 2), 5);
    EXPECT_EQ(part.words(5.1), "");
    EXPECT_EQ(part.words(5.4), "Measuring the first of 10 runs · Esc stops");
    part.observe({.of = Work::Of::lanes, .done = 0, .total = 1, .number = 3}, 6);
    EXPECT_EQ(part.words(7), "Racing: the first of 1 lane · Esc stops");
    part.observe({.of = Work::Of::prompts, .done = 0, .total = 40, .number = 3}, 8);
    EXPECT_EQ(part.words(8.1), "") << "the same race, on its prompts";
    EXPECT_EQ(part.words(9), "Averages: the first of 40 prompts · Esc stops");
}

TEST(ShownWork, SpeaksGerman) {
    const test::Speaking german("de");
    ShownWork part;
    part.observe(runs(3, 125), 1);
    EXPECT_EQ(part.words(2), "Messung: Lauf 4 von 10 · noch etwa 3 min · Esc hält an");
    for (const Work::Of of :
         {Work::Of::lanes, Work::Of::prompts, Work::Of::widths, Work::Of::batches, Work::Of::advice, Work::Of::drafters, Work::Of::places})
        for (const int done : {0, 2}) {
            part.observe({.of = of, .done = done, .total = 8, .number = static_cast<int>(of) + 10 * done}, 10);
            EXPECT_NE(part.words(11).find("von 8"), std::string::npos) << part.words(11);
        }
}

Snapshot measuring_snapshot(const Work& work) {
    Snapshot p;
    p.trace = fixtures::mixed();
    p.status.work = work;
    return p;
}

TEST(Work, StandsInEverySceneAndIsStoppedByKeyAndClick) {
    for (const SceneInfo& scene : scene_list()) {
        LiveBench live(scene.name);
        live.observe(measuring_snapshot(runs(3, 62)));
        EXPECT_TRUE(live.bench.shows("Measuring run 4 of 10 · about 65 s left · Esc stops")) << scene.name << live.bench.words;
        live.sent.clear();
        live.bench.key(ui::Key::escape);
        EXPECT_TRUE(live.last<Cancel>()) << scene.name;
        live.sent.clear();
        live.bench.click(live.bench.find("Measuring run 4 of 10 · about 60 s left · Esc stops"));
        const auto stopped = std::ranges::find_if(live.sent, [](const Command& c) { return std::holds_alternative<Cancel>(c); });
        EXPECT_NE(stopped, live.sent.end()) << scene.name;
        live.observe(measuring_snapshot({}));
        EXPECT_FALSE(live.bench.shows("Esc stops")) << scene.name;
    }
}

TEST(Work, IsToldInEveryWindowThatHasABarAndToARoom) {
    for (const Size& size : kSizes) {
        LiveBench live("speedup");
        live.bench.resize({0, 0, size.w, size.h});
        live.observe(measuring_snapshot(runs(0)));
        const bool bar = live.bench.controller.chrome.density == Density::full || live.bench.controller.chrome.density == Density::compact;
        EXPECT_TRUE(!bar || live.bench.shows("Measuring the first of 10 runs")) << size.name << live.bench.words;
        look(live.bench, size.name, live.bench.controller.chrome.density == Density::single);
    }
    LiveBench live("speedup");
    present(live.bench);
    live.observe(measuring_snapshot(runs(3, 62)));
    EXPECT_TRUE(live.bench.shows("Measuring run 4 of 10")) << live.bench.words;
}

// It began again by itself five seconds later: the page after this one tells of it.
TEST(Work, WhatWasStoppedIsNotBegunAgainUnasked) {
    for (const bool stop : {false, true}) {
        LiveBench live("bottleneck");
        const Snapshot busy = measuring_snapshot(runs(1));
        live.observe(busy);
        if (stop) live.bench.key(ui::Key::escape);
        live.sent.clear();
        Snapshot idle = busy; // of the same run
        idle.status.work = {};
        live.observe(idle);
        live.perform(SetBeat{3});
        EXPECT_EQ(live.last<MeasurePasses>() != nullptr, !stop);
    }
}

// ---- what a lane of a race is at ----

TEST(Work, ALaneSaysTrulyWhetherItWaitsOrRuns) {
    const auto race = toy_race(false);
    const auto shown = [&](int running, int warming) {
        auto now = std::make_shared<RaceView>(*race);
        now->running = running;
        now->warming = warming;
        for (std::size_t i = 0; i < now->lanes.size(); ++i)
            if (static_cast<int>(i) >= running) now->lanes[i].trace = nullptr, now->lanes[i].finished = false;
        RaceBench window;
        window.observe(now);
        std::vector<std::string> states;
        for (const ui::RecordedText& text : window.bench.texts)
            if (text.text == "reads the prompt" || text.text == "warms up" || text.text == "waits for its turn")
                states.push_back(text.text);
        return states;
    };
    using States = std::vector<std::string>;
    EXPECT_EQ(shown(-1, 1), (States{"waits for its turn", "warms up", "waits for its turn", "waits for its turn"}));
    EXPECT_EQ(shown(2, -1), (States{"reads the prompt", "waits for its turn"}));
}

// Drafters that were asked about a round go first: no lane runs meanwhile, whichever was begun.
TEST(Work, ALaneDoesNotRunWhileSomethingElseHasItsTurn) {
    for (const Work::Of of : {Work::Of::nothing, Work::Of::lanes, Work::Of::drafters}) {
        auto race = toy_race(false);
        race->running = 1;
        for (std::size_t i = 1; i < race->lanes.size(); ++i) race->lanes[i].trace = nullptr, race->lanes[i].finished = false;
        RaceBench window;
        window.work = {.of = of, .done = 1, .total = of == Work::Of::nothing ? 0 : 3, .number = 1};
        window.observe(race);
        EXPECT_EQ(window.bench.shows("is running"), of != Work::Of::drafters) << window.bench.words;
        EXPECT_EQ(window.bench.shows("reads the prompt"), of != Work::Of::drafters) << window.bench.words;
    }
}

TEST(Work, AveragesThatWereStoppedSaySo) {
    auto race = toy_race(true);
    race->prompts = 40;
    race->prompts_done = 3;
    for (RaceLane& lane : race->lanes) lane.average->totals.prompts = 3;
    RaceBench window;
    window.observe(std::make_shared<RaceView>(*race));
    EXPECT_TRUE(window.bench.shows("over 3 prompts so far")) << window.bench.words;
    race->ended_early = true;
    window.observe(race);
    EXPECT_TRUE(window.bench.shows("over 3 prompts, stopped there")) << window.bench.words;
    EXPECT_FALSE(window.bench.shows("so far")) << window.bench.words;
}

// ---- what is ticked ----

TEST(Boxes, AreTickedOnlyByWhatTheirSceneDid) {
    Snapshot timed;
    timed.trace = fixtures::mixed();
    timed.passes = std::make_shared<const PassTimes>(test::passes_in_cache());
    const auto done = [](LiveBench& live) {
        const FrameInput frame = live.bench.controller.frame(live.bench.time);
        return frame.scene.by_task("");
    };
    LiveBench live("bottleneck");
    live.observe(timed);
    EXPECT_FALSE(done(live)) << "others measured";
    live.bench.key(ui::Key::m);
    EXPECT_TRUE(live.last<MeasurePasses>());
    EXPECT_TRUE(done(live));
    live.perform(OpenScene{"failures"});
    EXPECT_FALSE(done(live)) << "that was Bottleneck";
    live.perform(SetBeat{2});
    live.bench.key(ui::Key::m);
    EXPECT_TRUE(live.last<MeasurePasses>());
    EXPECT_TRUE(done(live));
}

// ---- Systems begins where the loaded pair is ----

TEST(Systems, StartsFromTheTimesAndIdsOfAModelThatSomebodyBrought) {
    const auto trace = std::make_shared<Trace>([](int id) { return std::to_string(id); });
    const auto built_in = fixtures::mixed();
    for (std::size_t i = 0; i < built_in->size(); ++i) {
        Event event = (*built_in)[i];
        if (auto* header = std::get_if<Header>(&event))
            header->fingerprint = "0123456789abcdef", header->vocab = 151936, header->tier = "LIVE";
        if (auto* drafted = std::get_if<Drafted>(&event)) drafted->ms = 35;
        if (auto* pass = std::get_if<Verified>(&event)) pass->ms = 150;
        trace->append(std::move(event));
    }
    LiveBench live("systems");
    const auto model = [&](const SystemsState& state) { return systems_model(live.bench.controller.frame(live.bench.time).scene, state); };
    live.observe(built_in);
    EXPECT_FALSE(model({}).own_times);
    EXPECT_EQ(model({}).wire.verify_ms, SimulatedWire().verify_ms);
    Snapshot p;
    p.trace = trace;
    live.runs += 1;
    live.observe(std::move(p));
    const SystemsModel own = model({});
    EXPECT_TRUE(own.own_times);
    EXPECT_NEAR(own.wire.draft_ms, 35, 1e-6);
    EXPECT_EQ(own.wire.verify_ms, 8) << "of plain decoding, which was measured";
    EXPECT_EQ(own.wire.vocabulary, 151936);
    SystemsState set;
    set.wire.draft_ms = 5;
    set.draft_by_hand = true;
    EXPECT_EQ(model(set).wire.draft_ms, 5) << "what was set by hand stays";
    EXPECT_TRUE(live.bench.shows("as in this run")) << live.bench.words;
}

} // namespace
} // namespace speclens
