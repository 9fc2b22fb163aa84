// Links and lectures in the window: copying a link, going to a named place, from step to step.
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <iterator>

#include "app/views/lecture.h"
#include "app/views/link.h"
#include "app/views/shown_round.h"
#include "engine/models/model_names.h"
#include "engine/models/models.h"
#include "kernels/error.h"
#include "scenes/shared/speedup_model.h"
#include "tests/scenes/room.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/view_bench.h"
#include "tests/shared/pass_times.h"
#include "tests/shared/speaking.h"
#include "tests/shared/toy_race.h"

namespace speclens {
namespace {

TEST(Links, CtrlLCopiesTheFrameOnScreen) {
    ViewBench live("loop");
    live.observe(fixtures::mixed(), {});
    live.bench.controller.perform({SceneCommand{SetCursor{9}}}, live.bench.time);
    live.bench.key(ui::Key::l, {.ctrl = true});
    const Link link = parse_link(live.bench.controller.clipboard);
    EXPECT_EQ(link.scene, "loop");
    EXPECT_EQ(link.at, 9U);
    EXPECT_EQ(link.options, options_of(RunSettings{}));
    live.bench.key(ui::Key::l, {.shift = true, .ctrl = true});
    EXPECT_EQ(live.bench.controller.clipboard, command_of(options_of(RunSettings{})));
}

TEST(Links, ACommandSaysWhereWhatWasGivenLies) {
    ViewBench live("loop");
    live.observe(fixtures::mixed(), {});
    Controller& controller = live.bench.controller;
    controller.folders = {{"model", "Q 1.5B"}};
    controller.started_with.target = "/m/q.gguf";
    controller.started_with.draft = "/m/d.gguf";
    controller.started_with.heads = {{"eagle3", "/m/e"}};
    const std::map<std::string, std::string> places = controller.places();
    EXPECT_EQ(places.at("model"), "/m/q.gguf");
    EXPECT_EQ(places.at("eagle3"), "/m/e");
    EXPECT_EQ(places.at("eagle3_tree"), "/m/e");
    EXPECT_EQ(places.at("small"), "/m/d.gguf");
    EXPECT_FALSE(places.contains("lookup"));
    live.bench.key(ui::Key::l, {.shift = true, .ctrl = true});
    EXPECT_NE(controller.clipboard.find("--model /m/q.gguf"), std::string::npos) << controller.clipboard;
}

TEST(Links, NameBeatsAndWhatIsSelected) {
    ViewBench live("domino");
    live.observe(fixtures::mixed(), {});
    live.bench.controller.perform({SceneCommand{SetBeat{2}}}, live.bench.time);
    live.bench.controller.perform({SceneCommand{Select{Position{0, 2}}}}, live.bench.time);
    const Link link = live.bench.controller.link();
    EXPECT_EQ(link.scene, "domino");
    EXPECT_EQ(link.beat, 3);
    EXPECT_EQ(link.selected, std::pair(0, 2));
    live.bench.controller.folders = {{"model", "/models/q"}};
    EXPECT_EQ(live.bench.controller.link().options.front().second, "/models/q");
}

TEST(Links, ASavedRunAndAForkedOneHaveNone) {
    SceneBench saved("loop");
    saved.show(fixtures::mixed(), 5);
    saved.key(ui::Key::l, {.ctrl = true});
    EXPECT_TRUE(saved.controller.clipboard.empty());
    EXPECT_TRUE(saved.shows("a saved run has no link")) << saved.words;

    ViewBench forked("loop");
    auto trace = fixtures::toy_run(fixtures::toys().front());
    trace->append(Commanded{"another guess"});
    forked.observe(trace, {});
    forked.bench.key(ui::Key::l, {.ctrl = true});
    EXPECT_TRUE(forked.bench.controller.clipboard.empty());
    EXPECT_TRUE(forked.bench.shows("a forked run has no link")) << forked.bench.words;
    forked.bench.key(ui::Key::l, {.shift = true, .ctrl = true});
    EXPECT_TRUE(forked.bench.controller.clipboard.empty());
    EXPECT_TRUE(forked.bench.shows("a forked run has no command")) << forked.bench.words;
    const test::Speaking german("de");
    forked.bench.key(ui::Key::l, {.shift = true, .ctrl = true});
    EXPECT_TRUE(forked.bench.shows("keinen Befehl")) << forked.bench.words;
}

TEST(Links, APlaceIsGoneToAsSoonAsTheRunIsLongEnough) {
    ViewBench live("loop");
    live.bench.controller.expect_place({.at = 12, .selected = std::pair(0, 1)});
    live.bench.settle(); // nothing there yet
    const auto whole = fixtures::mixed();
    auto growing = std::make_shared<Trace>([](int) { return std::string(); });
    for (std::size_t i = 0; i < 8; ++i) growing->append((*whole)[i]);
    live.observe(growing, {});
    EXPECT_LT(live.now().scene.cursor, 12U);
    for (std::size_t i = 8; i < whole->size(); ++i) growing->append((*whole)[i]);
    live.bench.settle();
    EXPECT_EQ(live.now().scene.cursor, 12U);
    ASSERT_TRUE(live.now().scene.selected);
    EXPECT_EQ(*live.now().scene.selected, (Position{0, 1}));
    live.bench.key(ui::Key::right); // and only once
    EXPECT_EQ(live.now().scene.cursor, 13U);
}

TEST(Links, APlaceIsForgottenWhereTheUserGoesElsewhere) {
    const auto whole = fixtures::mixed();
    const auto beginning = [&] {
        auto trace = std::make_shared<Trace>([](int) { return std::string(); });
        for (std::size_t i = 0; i < 8; ++i) trace->append((*whole)[i]);
        return trace;
    };
    for (const bool steps : {true, false}) {
        ViewBench live("loop");
        live.bench.controller.expect_place({.at = 12});
        const auto growing = beginning();
        live.observe(growing, {});
        if (steps)
            live.bench.key(ui::Key::home);
        else
            live.bench.controller.perform({SceneCommand{OpenScene{"accept-rule"}}}, live.bench.time);
        for (std::size_t i = 8; i < whole->size(); ++i) growing->append((*whole)[i]);
        live.bench.settle();
        EXPECT_NE(live.now().scene.cursor, 12U);
    }
}

TEST(Links, APlaceBehindTheEndIsTheEnd) {
    ViewBench live("loop");
    live.bench.controller.expect_place({.at = 100000});
    const auto trace = fixtures::mixed();
    live.observe(trace, {});
    EXPECT_EQ(live.now().scene.cursor, trace->size());
    ViewBench beats("bottleneck");
    beats.bench.controller.expect_place({.beat = 99});
    beats.observe(trace, {});
    EXPECT_EQ(beats.now().scene.beat, beats.now().active->beats(beats.now().scene) - 1);
}

TEST(Lectures, PageDownGoesFromStepToStep) {
    ViewBench live("loop");
    live.bench.controller.begin_lecture(three_steps(), live.bench.time);
    live.bench.controller.expect_place({.at = 4});
    EXPECT_NE(live.bench.controller.spoken.find("1 of 3  First   at 0:00, planned 0:00\nSay this.\n"), std::string::npos)
        << live.bench.controller.spoken;
    live.observe(fixtures::mixed(), {});
    EXPECT_EQ(live.now().scene.cursor, 4U);
    EXPECT_TRUE(live.bench.shows("step 1 of 3 · First")) << live.bench.words;

    live.bench.controller.spoken.clear();
    live.bench.key(ui::Key::page_down);
    EXPECT_EQ(live.now().scene_name, "bottleneck");
    EXPECT_EQ(live.now().scene.beat, 2);
    EXPECT_TRUE(live.all<Restart>().empty()) << "the same run";
    EXPECT_NE(live.bench.controller.spoken.find("2 of 3  Second"), std::string::npos);
    EXPECT_NE(live.bench.controller.spoken.find("planned 2:00"), std::string::npos);

    live.bench.key(ui::Key::page_down);
    ASSERT_EQ(live.all<Restart>().size(), 1U) << "other dice";
    EXPECT_EQ(live.all<Restart>()[0].settings.seed, 99U);
    const std::size_t before = live.now().scene.cursor;
    EXPECT_NE(before, 7U) << "the old run is no place to go to";
    live.observe(fixtures::toy_run(fixtures::toys()[3]), other_dice());
    EXPECT_EQ(live.now().scene.cursor, 7U);

    live.bench.key(ui::Key::page_down); // the last one
    EXPECT_TRUE(live.bench.shows("This is the last step")) << live.bench.words;
    live.bench.key(ui::Key::page_up);
    live.bench.key(ui::Key::page_up);
    EXPECT_TRUE(live.bench.shows("step 1 of 3 · First")) << live.bench.words;
}

// Who presses Page Down alone meets no step that waits for a key: what it shows is measured while the step before is told.
TEST(Lectures, MeasureOneStepAheadByThemselvesAndOnce) {
    ViewBench live("loop");
    live.bench.controller.begin_lecture(three_steps(), live.bench.time);
    live.bench.controller.expect_place({.at = 4});
    EXPECT_TRUE(live.all<MeasurePasses>().empty()) << "no model is there yet";
    live.observe(fixtures::mixed(), {});
    EXPECT_EQ(live.all<MeasurePasses>().size(), 1U) << "of the second step";
    live.bench.key(ui::Key::page_down);
    live.bench.settle();
    EXPECT_EQ(live.all<MeasurePasses>().size(), 1U) << "the scene does not ask once more";
    EXPECT_TRUE(live.all<RunStudy>().empty());
    ViewBench alone("loop");
    alone.observe(fixtures::mixed(), {});
    alone.bench.settle();
    EXPECT_TRUE(alone.all<MeasurePasses>().empty()) << "no lecture is open";
}

TEST(Lectures, MeasureOneStepAheadWithTheSettingsOfThatStep) {
    LectureView lecture = three_steps();
    lecture.steps[1].view = {.scene = "speedup", .place = {.beat = 4}, .settings = other_dice()};
    ViewBench live("loop");
    live.bench.controller.begin_lecture(lecture, live.bench.time);
    live.bench.controller.expect_place({.at = 4});
    live.observe(fixtures::mixed(), {});
    ASSERT_EQ(live.all<RunStudy>().size(), 1U);
    EXPECT_EQ(live.all<RunStudy>()[0].runs[0].seed, 99U);
    live.bench.key(ui::Key::page_down);
    // It was stopped by the new run before its first run was over.
    Snapshot p;
    p.trace = fixtures::toy_run(fixtures::toys()[3]);
    p.settings = other_dice();
    p.status.state = EngineStatus::State::idle;
    p.status.ready_drafters = {"none", "small", "lookup", "domino"};
    auto cut = std::make_shared<Study>();
    cut->name = live.all<RunStudy>()[0].name;
    p.studies[cut->name] = cut;
    live.bench.controller.observe(p, live.bench.time);
    live.bench.settle();
    EXPECT_EQ(live.all<RunStudy>().size(), 2U) << "it is made good as soon as the step is open";
    live.bench.settle();
    EXPECT_EQ(live.all<RunStudy>().size(), 2U);
}

// An engine that has had time for everything it was asked for; the run is the same in all of them, but another object each time.
std::shared_ptr<const Trace> another_run() {
    const auto whole = fixtures::mixed();
    auto copy = std::make_shared<Trace>([](int) { return std::string(); });
    for (std::size_t i = 0; i < whole->size(); ++i) copy->append((*whole)[i]);
    return copy;
}
Snapshot answered(const ViewBench& live, const RunSettings& settings, const std::shared_ptr<const Trace>& run) {
    Snapshot p;
    p.trace = run;
    p.settings = settings;
    p.status.state = EngineStatus::State::idle;
    p.status.ready_drafters = {"none", "small", "small_tree", "lookup", "eagle3", "dflash", "domino"};
    for (const Command& command : live.sent) {
        if (std::holds_alternative<MeasurePasses>(command)) p.passes = std::make_shared<const PassTimes>(test::passes_in_cache());
        const auto* plan = std::get_if<RunStudy>(&command);
        if (!plan) continue;
        auto study = std::make_shared<Study>();
        study->name = plan->name;
        for (const RunSettings& one : plan->runs) {
            study->points.emplace_back();
            study->points.back().settings = one;
        }
        study->planned = static_cast<int>(study->points.size());
        p.studies[plan->name] = study;
    }
    return p;
}

// The same for links to one run, whichever scene and beat they open.
std::uint64_t seed_of(Link link) {
    link.scene = "loop";
    link.beat = 0;
    link.at = 0;
    link.selected.reset();
    return std::hash<std::string>{}(to_text(link));
}

// ---- a slow pair: the page is turned while the run goes on ----

std::shared_ptr<const Trace> going_on(int rounds = 4, bool timed = true) {
    fixtures::Toy toy = fixtures::toys().front();
    toy.cycles = rounds;
    toy.timing = timed;
    toy.stop = false;
    return fixtures::toy_run(toy);
}
// As a slow engine shows it, which answered what `done` has.
Snapshot busy(const std::shared_ptr<const Trace>& run, const RunSettings& settings = {}, const Snapshot& done = {}) {
    Snapshot p = done;
    p.trace = run;
    p.settings = settings;
    p.status.state = EngineStatus::State::running;
    p.status.ready_drafters = {"none", "small", "lookup", "domino"};
    return p;
}
LectureView::Step shown(const std::string& scene, int beat, const RunSettings& settings = {}) {
    return {"Step", "", 1, {.scene = scene, .place = {.beat = beat}, .settings = settings}};
}
// Some runs of it, in the order in which they were asked for.
std::shared_ptr<const Study> study_of(const RunStudy& plan, std::size_t done) {
    auto study = std::make_shared<Study>();
    study->name = plan.name;
    study->planned = static_cast<int>(plan.runs.size());
    for (std::size_t i = 0; i < done; ++i) study->points.emplace_back().settings = plan.runs[i];
    return study;
}

TEST(LecturesOnASlowPair, WhatAStepTellsOfIsMeasuredBeforeItsRunGoesOn) {
    ViewBench live("loop");
    live.bench.controller.begin_lecture({"A lecture", {shown("loop", 0), shown("bottleneck", 3), shown("failures", 3), shown("loop", 0)}},
                                        live.bench.time);
    const auto see = [&](const Snapshot& now) {
        live.bench.controller.observe(now, live.bench.time);
        live.bench.settle();
    };
    const auto run = going_on();
    see(busy(run));
    EXPECT_TRUE(live.all<MeasurePasses>().empty()) << "after the run, whose times it would disturb";
    EXPECT_FALSE(live.work_first);
    live.bench.key(ui::Key::page_down);
    see(busy(run));
    EXPECT_EQ(live.all<MeasurePasses>().size(), 1U) << "the step is open without it";
    EXPECT_TRUE(live.work_first);
    Snapshot timing;
    timing.status.timed_model = "toy target";
    timing.status.timed = 0.4;
    see(busy(run, {}, timing));
    EXPECT_TRUE(live.bench.shows("timing passes of toy target, 40\u2009%")) << live.bench.words;
    EXPECT_TRUE(live.bench.shows("The loaded model is being timed: these are others")) << live.bench.words;
    live.bench.key(ui::Key::page_down);
    see(busy(run, {}, timing));
    EXPECT_EQ(live.now().scene_name, "failures");
    EXPECT_TRUE(live.bench.shows("timing passes of toy target, 40\u2009% · the map is drawn from them")) << live.bench.words;
    EXPECT_FALSE(live.bench.shows("press M")) << live.bench.words;
    EXPECT_EQ(live.all<MeasurePasses>().size(), 1U) << "it is under way";
    live.bench.key(ui::Key::page_down);
    see(busy(run, {}, timing));
    EXPECT_FALSE(live.work_first) << "this one is of the run";
}

// Kept against widened weights: the same shape in its other forms, once its own pass is timed, without a key.
TEST(LecturesOnASlowPair, FormsAreMeasuredBehindThePassOfTheirStep) {
    ViewBench live("loop");
    live.bench.controller.begin_lecture({"A lecture", {shown("loop", 0), shown("bottleneck", 6), shown("loop", 0)}}, live.bench.time);
    const auto see = [&](const Snapshot& now) {
        live.bench.controller.observe(now, live.bench.time);
        live.bench.settle();
    };
    const auto run = going_on();
    see(busy(run));
    live.bench.key(ui::Key::page_down);
    see(busy(run));
    ASSERT_EQ(live.all<MeasurePasses>().size(), 1U) << "nothing is timed";
    EXPECT_FALSE(live.all<MeasurePasses>()[0].forms);
    Snapshot timed;
    timed.passes = std::make_shared<const PassTimes>(test::passes_in_cache());
    see(busy(run, {}, timed));
    ASSERT_EQ(live.all<MeasurePasses>().size(), 2U) << "the forms are asked for by themselves";
    EXPECT_TRUE(live.all<MeasurePasses>()[1].forms);
    see(busy(run, {}, timed));
    EXPECT_EQ(live.all<MeasurePasses>().size(), 2U) << "once";
}

TEST(LecturesOnASlowPair, LengthsAreMeasuredFirstAndForEveryPromptAnew) {
    ViewBench live("loop");
    live.bench.controller.begin_lecture(
        {"A lecture", {shown("loop", 0), shown("speedup", 4), shown("speedup", 4, other_dice()), shown("loop", 0)}}, live.bench.time);
    const auto see = [&](const Snapshot& now) {
        live.bench.controller.observe(now, live.bench.time);
        live.bench.settle();
    };
    const auto run = going_on();
    see(busy(run));
    live.bench.key(ui::Key::page_down);
    see(busy(run));
    ASSERT_EQ(live.all<RunStudy>().size(), 1U);
    EXPECT_TRUE(live.work_first);
    const RunStudy plan = live.all<RunStudy>()[0];
    Snapshot begun;
    begun.studies[plan.name] = study_of(plan, 0);
    see(busy(run, {}, begun));
    EXPECT_TRUE(live.work_first);
    EXPECT_TRUE(live.bench.shows("Which length is fastest? They are being measured")) << live.bench.words;
    EXPECT_TRUE(live.bench.shows("until they are measured, the formula")) << live.bench.words;
    begun.studies[plan.name] = study_of(plan, plan.runs.size());
    see(busy(run, {}, begun));
    EXPECT_FALSE(live.work_first) << "now the run goes on";
    EXPECT_EQ(live.all<RunStudy>().size(), 1U);

    live.bench.key(ui::Key::page_down);
    see(busy(going_on(), other_dice(), begun));
    ASSERT_EQ(live.all<RunStudy>().size(), 2U) << "the lengths that are there are of the step before";
    EXPECT_EQ(live.all<RunStudy>()[1].runs[0].seed, 99U);
    EXPECT_TRUE(live.work_first);
    live.bench.key(ui::Key::page_down);
    see(busy(going_on(), {}, begun));
    EXPECT_FALSE(live.work_first);
}

// A pass of the model that was fetched takes 100 ms: ten lengths once, not five times.
TEST(LecturesOnASlowPair, WhatNobodyTimedIsNotTakenForQuick) {
    ViewBench live("loop");
    live.bench.controller.begin_lecture({"A lecture", {shown("loop", 0), shown("speedup", 4)}}, live.bench.time);
    Snapshot fetched;
    fetched.status.built_in = false;
    live.bench.controller.observe(busy(going_on(4, false), {}, fetched), live.bench.time);
    live.bench.key(ui::Key::page_down);
    live.bench.settle();
    ASSERT_EQ(live.all<RunStudy>().size(), 1U);
    EXPECT_EQ(live.all<RunStudy>()[0].runs.size(), 11U);
}

// The place of a step is gone to once its run is over; who has turned a beat meanwhile stays there.
TEST(LecturesOnASlowPair, ABeatThatWasTurnedToIsNotLeftWhenTheRunEnds) {
    for (const bool by_key : {true, false}) {
        ViewBench live("loop");
        live.bench.controller.begin_lecture({"A lecture", {shown("loop", 0), shown("speedup", 4)}}, live.bench.time);
        live.bench.controller.observe(busy(going_on()), live.bench.time);
        live.bench.key(ui::Key::page_down);
        EXPECT_EQ(live.now().scene.beat, 3);
        if (by_key)
            live.bench.key(ui::Key::right);
        else
            live.bench.controller.perform({SceneCommand{SetBeat{4}}}, live.bench.time);
        EXPECT_EQ(live.now().scene.beat, 4);
        live.observe(fixtures::mixed(), {});
        EXPECT_EQ(live.now().scene.beat, 4);
    }
}

TEST(LecturesOnASlowPair, TheRaceOfAStepBeginsAtOnceAndEndsWithIt) {
    LectureView::Step race = shown("race", 0);
    race.view.race.base.prompt.text = "Another prompt";
    ViewBench live("loop");
    live.bench.controller.begin_lecture({"A lecture", {shown("loop", 0), race, shown("loop", 0)}}, live.bench.time);
    const auto run = going_on();
    live.bench.controller.observe(busy(run), live.bench.time);
    live.bench.key(ui::Key::page_down);
    ASSERT_EQ(live.all<StartRace>().size(), 1U);
    EXPECT_TRUE(live.work_first) << "nobody sees the run";
    const auto raced = [&](bool home) {
        auto view = toy_race(home);
        view->settings = live.all<StartRace>()[0].settings;
        view->prompts = home ? 40 : 0;
        view->prompts_done = home ? 3 : 0;
        if (!home) view->running = 1, view->lanes[1].finished = false, view->lanes[2].trace = nullptr, view->lanes[2].finished = false;
        Snapshot p = busy(run);
        p.race = view;
        return p;
    };
    live.bench.controller.observe(raced(false), live.bench.time);
    live.bench.key(ui::Key::page_down);
    EXPECT_EQ(live.all<StopRace>().size(), 1U) << "its passes would be in the times of this step";
    EXPECT_FALSE(live.work_first);
    live.bench.key(ui::Key::page_up);
    EXPECT_EQ(live.all<StartRace>().size(), 2U) << "nobody was home";
    live.bench.controller.observe(raced(true), live.bench.time);
    live.bench.key(ui::Key::page_down);
    EXPECT_EQ(live.all<StopRace>().size(), 2U) << "so would those of the averages";
    Snapshot stopped = raced(true);
    auto over = std::make_shared<RaceView>(*stopped.race);
    over->ended_early = true;
    stopped.race = over;
    live.bench.controller.observe(stopped, live.bench.time);
    live.bench.key(ui::Key::page_up);
    EXPECT_EQ(live.all<StartRace>().size(), 2U) << "all are home: it is shown as it is";
}

// The lengths of one step went before the run of another one, four steps later.
TEST(LecturesOnASlowPair, AStudyThatAStepAskedForEndsWithIt) {
    ViewBench live("loop");
    live.bench.controller.begin_lecture({"A lecture", {shown("loop", 0), shown("speedup", 4), shown("loop", 0)}}, live.bench.time);
    const auto run = going_on();
    live.bench.controller.observe(busy(run), live.bench.time);
    live.bench.key(ui::Key::page_down);
    live.bench.settle();
    ASSERT_EQ(live.all<RunStudy>().size(), 1U);
    const std::string name = live.all<RunStudy>()[0].name;
    EXPECT_TRUE(live.all<EndStudy>().empty());
    live.bench.key(ui::Key::page_down);
    ASSERT_EQ(live.all<EndStudy>().size(), 1U);
    EXPECT_EQ(live.all<EndStudy>()[0].name, name);
    live.bench.key(ui::Key::page_up);
    live.bench.settle();
    EXPECT_EQ(live.all<RunStudy>().size(), 2U) << "whoever comes back has it measured";
    EXPECT_EQ(live.all<EndStudy>().size(), 1U);
}

// What rounds cost is measured before a run with K auto: until then the run of the step before is not shown in its place.
TEST(LecturesOnASlowPair, ARunThatIsStillToBeginIsNoOther) {
    ViewBench live("loop");
    RunSettings chosen;
    chosen.k_auto = true;
    chosen.k = kMostAuto;
    live.bench.controller.begin_lecture({"A lecture", {shown("loop", 0), shown("loop", 0, chosen)}}, live.bench.time);
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::page_down);
    ASSERT_EQ(live.all<Restart>().size(), 1U);
    Snapshot costs = busy(std::make_shared<Trace>([](int) { return std::string(); }), live.all<Restart>()[0].settings);
    costs.status.job = {EngineJob::What::costs, "", 3, 13};
    live.bench.controller.observe(costs, live.bench.time);
    live.bench.settle();
    EXPECT_EQ(live.now().scene.whole->header, nullptr);
    EXPECT_TRUE(live.bench.shows("measuring what rounds cost, 3 of 13 rounds")) << live.bench.words;
    EXPECT_TRUE(live.bench.shows("First: what rounds cost")) << live.bench.words;
    EXPECT_FALSE(live.bench.shows("Models are loading")) << live.bench.words;
    Snapshot begun = busy(going_on(), live.all<Restart>()[0].settings);
    begun.runs = 1;
    live.bench.controller.observe(begun, live.bench.time);
    live.bench.settle();
    ASSERT_NE(live.now().scene.whole->header, nullptr);
    EXPECT_FALSE(live.bench.shows("what rounds cost")) << live.bench.words;
}

TEST(Lectures, TheLastStepOffersNoOther) {
    LectureView lecture = three_steps();
    lecture.steps.pop_back();
    ViewBench live("loop");
    live.bench.controller.begin_lecture(lecture, live.bench.time);
    live.observe(fixtures::mixed(), {});
    EXPECT_TRUE(live.bench.shows("Next step")) << live.bench.words;
    live.bench.key(ui::Key::page_down);
    EXPECT_TRUE(live.bench.shows("Last step")) << live.bench.words;
    EXPECT_FALSE(live.bench.shows("Next step")) << live.bench.words;
}

TEST(Lectures, CountTheirStepsOverARaceToo) {
    LectureView lecture = three_steps();
    lecture.steps[1].view.scene = "race";
    ViewBench live("loop");
    present(live.bench);
    live.bench.controller.begin_lecture(lecture, live.bench.time);
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::page_down);
    EXPECT_TRUE(live.bench.shows("lecture 2 of 3")) << live.bench.words;
    expect_readable(live.bench, "race");
}

TEST(Lectures, TellTheirStepsInTheLanguageOfTheWindow) {
    const test::Speaking german("de");
    ViewBench live("loop");
    live.bench.controller.begin_lecture(three_steps(), live.bench.time);
    EXPECT_NE(live.bench.controller.spoken.find("1 von 3  First   bei 0:00, geplant 0:00\nSay this.\n"), std::string::npos)
        << live.bench.controller.spoken;
}

TEST(Lectures, SayHowToComeBackFromAPromptOfOnesOwn) {
    ViewBench live("loop");
    live.bench.controller.begin_lecture(three_steps(), live.bench.time);
    live.observe(fixtures::mixed(), {});
    RunSettings own;
    own.prompt.text = "What is a star?";
    live.bench.controller.perform({AskPrompt{own}}, live.bench.time);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("Ctrl+Z leads back to the run of this step, PageDown to the next one")) << live.bench.words;
    ViewBench alone("loop");
    alone.observe(fixtures::mixed(), {});
    alone.bench.controller.perform({AskPrompt{own}}, alone.bench.time);
    alone.bench.settle();
    EXPECT_FALSE(alone.bench.shows("the run of this step")) << alone.bench.words;
}

// A step begins a run, and so do links and taking back: none of that is what a task asks for.
TEST(Lectures, TickNoTaskByThemselves) {
    LectureView lecture = three_steps();
    lecture.steps[1].view = {.scene = "speedup", .place = {.beat = 4}, .settings = other_dice()};
    ViewBench live("loop");
    live.bench.controller.begin_lecture(lecture, live.bench.time);
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::page_down);
    ASSERT_FALSE(live.all<Restart>().empty());
    EXPECT_EQ(live.now().scene.deeds & deed_bit(Deed::changed_run), 0U);
    live.observe(fixtures::toy_run(fixtures::toys()[3]), other_dice());
    ASSERT_FALSE(live.all<RunStudy>().empty()) << "it was measured for the step";
    EXPECT_FALSE(live.now().scene.by_task(kSpeedupStudy));
    live.bench.key(ui::Key::m);
    EXPECT_TRUE(live.now().scene.by_task(kSpeedupStudy));
    EXPECT_FALSE(live.now().scene.by_task("")) << "no passes";
    live.bench.key(ui::Key::r, {.shift = true});
    EXPECT_NE(live.now().scene.deeds & deed_bit(Deed::changed_run), 0U);
}

TEST(Races, FromTheRailAreOfThePromptOnScreen) {
    ViewBench live("loop");
    RunSettings own;
    own.prompt.text = "What is a star?";
    own.seed = 41;
    live.observe(fixtures::mixed(), own);
    live.bench.controller.perform({SceneCommand{OpenScene{"race"}}}, live.bench.time);
    ASSERT_EQ(live.all<StartRace>().size(), 1U);
    EXPECT_EQ(live.all<StartRace>()[0].settings.base.prompt.text, "What is a star?");
    EXPECT_EQ(live.all<StartRace>()[0].settings.base.seed, 41U);
}

// Who speaks to a room has two counts beside the sentence, that of the lecture and that of the scene: words keep clear of both.
TEST(Lectures, ASentenceKeepsClearOfTheCounts) {
    LectureView lecture = three_steps();
    for (int i = 0; i < 9; ++i) lecture.steps.push_back(lecture.steps.front());
    for (const int beat : {3, 4}) {
        lecture.steps[1].view.place.beat = beat;
        ViewBench live("loop");
        present(live.bench);
        live.bench.controller.begin_lecture(lecture, live.bench.time);
        live.observe(fixtures::mixed(), {});
        expect_readable(live.bench, "first step");
        live.bench.key(ui::Key::page_down);
        Snapshot known;
        known.trace = fixtures::mixed();
        known.status.state = EngineStatus::State::idle;
        known.passes = std::make_shared<const PassTimes>(test::passes_in_cache());
        known.passes_beside = std::make_shared<const PassTimes>(test::passes_of_a_shape());
        live.bench.controller.observe(known, live.bench.time);
        live.bench.settle();
        ASSERT_TRUE(live.bench.shows("lecture 2 of 12")) << live.bench.words;
        ASSERT_TRUE(live.bench.shows("smollm2-135m")) << live.bench.words;
        expect_readable(live.bench, "beat " + std::to_string(beat));
        live.bench.key(ui::Key::page_down, {.ctrl = true});
        live.bench.settle();
        ASSERT_TRUE(live.bench.shows("lecture 2 (away)")) << live.bench.words;
        expect_readable(live.bench, "away");
    }
}

// Every step of the lectures that come with the program, on a machine that had time during the step before.
TEST(Lectures, NoStepOpensWithAMeasurementMissing) {
    for (const char* name : {"first-lesson", "drafters", "wrong-verifiers", "same-text"}) {
        const Lecture file =
            load_lecture(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "lectures" / (std::string(name) + ".lec.toml"));
        LectureView lecture;
        for (const Lecture::Step& step : file.steps) {
            SceneView view{.scene = step.link.scene, .place = {.beat = step.link.beat, .at = step.link.at}};
            if (!step.link.options.empty()) view.settings.seed = seed_of(step.link);
            lecture.steps.push_back({step.title, "", 1, view});
        }
        ViewBench live(lecture.steps[0].view.scene);
        live.bench.controller.begin_lecture(lecture, live.bench.time);
        std::shared_ptr<const Trace> run;
        RunSettings settings;
        for (std::size_t step = 0; step < lecture.steps.size(); ++step) {
            Snapshot known = answered(live, {}, {}); // before the page is turned
            if (step > 0) live.bench.key(ui::Key::page_down);
            const SceneView& view = lecture.steps[step].view;
            const std::string what = std::string(name) + ", step " + std::to_string(step + 1) + ", " + view.scene;
            if (view.scene == "race") continue; // it is run while it is looked at
            if (!run || !(settings == view.settings)) run = another_run();
            settings = view.settings;
            known.trace = run;
            known.settings = settings;
            live.bench.controller.observe(known, live.bench.time);
            const SceneInput in = live.now().scene;
            EXPECT_EQ(live.now().lecture->step, static_cast<int>(step)) << what;
            for (const Measurement& one : live.now().active->missing(in)) EXPECT_GT(one.beat, in.beat) << what << " waits for " << one.name;
            for (int i = 0; i < 2; ++i) { // some is only asked for once the first is there
                live.bench.settle();
                live.bench.controller.observe(answered(live, settings, run), live.bench.time);
            }
        }
        EXPECT_FALSE(live.sent.empty());
    }
}

// The same by an engine that is slow: nothing of what was asked for is there when the page is turned. No step is empty.
TEST(Lectures, NoStepOfTheFirstLessonIsEmptyWhileItIsMeasured) {
    const Lecture file = load_lecture(std::filesystem::path(SPEC_SOURCE_DIR) / "assets/lectures/first-lesson.lec.toml");
    LectureView lecture;
    for (const Lecture::Step& step : file.steps)
        lecture.steps.push_back({step.title, "", 1, {.scene = step.link.scene, .place = {.beat = step.link.beat}}});
    ViewBench live(lecture.steps[0].view.scene);
    present(live.bench);
    live.bench.controller.begin_lecture(lecture, live.bench.time);
    int measured = 0;
    for (std::size_t step = 0; step < lecture.steps.size(); ++step) {
        if (step > 0) live.bench.key(ui::Key::page_down);
        if (lecture.steps[step].view.scene == "race") continue; // it is run while it is looked at
        Snapshot known;
        known.trace = fixtures::mixed();
        known.status.state = EngineStatus::State::idle;
        known.status.ready_drafters = {"none", "small", "lookup", "eagle3", "domino"};
        live.bench.controller.observe(known, live.bench.time);
        live.bench.settle();
        const std::string what = "step " + std::to_string(step + 1) + ": " + live.bench.words;
        EXPECT_FALSE(live.bench.shows("will stand here")) << what;
        EXPECT_FALSE(live.bench.shows("Measure to see")) << what;
        measured += live.bench.shows("RECORDED") ? 1 : 0;
    }
    EXPECT_GE(measured, 2) << "or nothing was tried";
}

TEST(Lectures, TheFirstPageAfterADetourLeadsBack) {
    for (const ui::Key page : {ui::Key::page_down, ui::Key::page_up}) {
        ViewBench live("loop");
        live.bench.controller.begin_lecture(three_steps(), live.bench.time);
        live.bench.controller.expect_place({.at = 4});
        live.observe(fixtures::mixed(), {});
        live.bench.key(ui::Key::page_down);
        ASSERT_EQ(live.now().scene_name, "bottleneck");
        EXPECT_FALSE(live.bench.shows("(away)")) << live.bench.words;
        live.bench.key(ui::Key::page_down, {.ctrl = true});
        ASSERT_NE(live.now().scene_name, "bottleneck");
        EXPECT_TRUE(live.bench.shows("step 2 of 3 (away) · Second")) << live.bench.words;
        live.bench.key(page);
        EXPECT_EQ(live.now().scene_name, "bottleneck");
        EXPECT_EQ(live.now().scene.beat, 2);
        EXPECT_EQ(live.now().lecture->step, 1);
        EXPECT_FALSE(live.bench.shows("(away)"));
        live.bench.key(ui::Key::page_up);
        EXPECT_EQ(live.now().lecture->step, 0) << "the next one turns the page";
    }
}

TEST(Lectures, TheLastStepIsReturnedToAsWell) {
    LectureView lecture = three_steps();
    lecture.steps.pop_back();
    ViewBench live("loop");
    live.bench.controller.begin_lecture(lecture, live.bench.time);
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::page_down);
    live.bench.key(ui::Key::page_down, {.ctrl = true});
    live.bench.key(ui::Key::page_down);
    EXPECT_EQ(live.now().scene_name, "bottleneck");
    live.bench.key(ui::Key::page_down);
    EXPECT_TRUE(live.bench.shows("This is the last step")) << live.bench.words;
}

TEST(Lectures, StepsAreFoundByTheirNamesAndTheLectureCanBeLeft) {
    ViewBench live("loop");
    live.bench.controller.begin_lecture(three_steps(), live.bench.time);
    live.bench.controller.expect_place({.at = 4});
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::k, {.ctrl = true});
    ui::Input typed;
    typed.typed = "second";
    live.bench.frame(typed);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("Step 2: Second")) << live.bench.words;
    live.bench.key(ui::Key::enter);
    EXPECT_EQ(live.now().lecture->step, 1);
    EXPECT_EQ(live.now().scene_name, "bottleneck");
    live.bench.key(ui::Key::f4);
    live.bench.controller.perform({PickAction{Action::leave_lecture}}, live.bench.time);
    live.bench.settle();
    EXPECT_FALSE(live.now().lecture);
    EXPECT_FALSE(live.bench.controller.chrome.notes);
    EXPECT_EQ(live.now().scene_name, "bottleneck");
    live.bench.key(ui::Key::page_down);
    EXPECT_EQ(live.now().scene.beat, 3) << "a clicker steps again";
    live.bench.controller.perform({PickAction{Action::leave_lecture}}, live.bench.time);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("No lecture is open")) << live.bench.words;
}

TEST(Lectures, ArrowKeysStepAsEver) {
    ViewBench live("loop");
    live.bench.controller.begin_lecture(three_steps(), live.bench.time);
    live.bench.controller.expect_place({.at = 4});
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::right);
    EXPECT_EQ(live.now().scene.cursor, 5U);
    EXPECT_EQ(live.now().lecture->step, 0);
}

TEST(Lectures, F4ShowsTheNotes) {
    ViewBench live("loop");
    live.bench.key(ui::Key::f4);
    EXPECT_TRUE(live.bench.shows("No lecture is open")) << live.bench.words;
    live.bench.controller.begin_lecture(three_steps(), live.bench.time);
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::f4);
    EXPECT_TRUE(live.bench.shows("Say this.")) << live.bench.words;
    live.bench.key(ui::Key::escape);
    EXPECT_FALSE(live.bench.shows("Say this."));
}

TEST(Lectures, ARaceIsAskedForOnceAndWithItsOwnPrompt) {
    LectureView lecture = three_steps();
    lecture.steps[1].view.scene = "race";
    lecture.steps[1].view.race.base.prompt.text = "Another prompt";
    lecture.steps[1].view.race.base.sampling.temperature = 0;
    ViewBench live("loop");
    live.bench.controller.begin_lecture(lecture, live.bench.time);
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::page_down);
    ASSERT_EQ(live.all<StartRace>().size(), 1U);
    EXPECT_EQ(live.all<StartRace>()[0].settings.base.prompt.text, "Another prompt");
    EXPECT_FALSE(live.all<StartRace>()[0].settings.lanes.empty()) << "the usual ones";
    live.bench.key(ui::Key::page_up);
    live.bench.key(ui::Key::page_down);
    EXPECT_EQ(live.all<StartRace>().size(), 1U) << "it is still there";
}

// ---- a lecture on another model than it was written on ----

// A window on a pair, and a lecture that was written on tiny.
struct PairBench {
    ViewBench live;
    std::vector<std::string> ready{"none", "small", "lookup"};
    std::shared_ptr<const Trace> run;
    RunSettings settings;

    explicit PairBench(std::vector<LectureView::Step> steps) : live(steps.front().view.scene) { // what the window was opened with
        live.bench.controller.folders = {{"model", "qwen"}};
        LectureView lecture{"A lecture", std::move(steps)};
        for (LectureView::Step& step : lecture.steps)
            if (step.view.model.empty()) step.view.model = kBuiltInModel;
        live.bench.controller.begin_lecture(std::move(lecture), live.bench.time);
        show(fixtures::toy_run(fixtures::toys().front()), {});
    }
    void show(std::shared_ptr<const Trace> trace, const RunSettings& made_with) {
        run = std::move(trace);
        Snapshot p;
        p.trace = run;
        p.settings = settings = made_with;
        p.status.state = EngineStatus::State::idle;
        p.status.ready_drafters = ready;
        p.status.built_in = false;
        p.runs = ++runs;
        live.bench.controller.observe(p, live.bench.time);
        live.bench.settle();
    }
    void turn() { live.bench.key(ui::Key::page_down); }
    [[nodiscard]] bool asks() { return !live.now().offer.words.empty(); }
    std::uint64_t runs = 0;
};

LectureView::Step written_on_tiny(const std::string& scene, FramePlace place, const std::string& find = "", const std::string& needs = "") {
    LectureView::Step step{"Step", "The notes of tiny's run.", 1, {.scene = scene, .place = place}};
    step.view.settings.prompt.text = "Write a short poem about the moon.";
    step.view.settings.drafter = needs.empty() ? "small" : needs;
    step.find = find;
    step.needs = needs;
    if (!find.empty()) step.found_notes = "The notes of any run.";
    return step;
}

TEST(LecturesElsewhere, PlayOnTheLoadedModelAndAskForNone) {
    PairBench pair({written_on_tiny("bottleneck", {.beat = 1}), written_on_tiny("speedup", {.beat = 4}), written_on_tiny("race", {}),
                    written_on_tiny("lossless", {.beat = 4})});
    for (const char* scene : {"speedup", "race", "lossless"}) {
        pair.turn();
        EXPECT_EQ(pair.live.now().scene_name, scene);
        EXPECT_FALSE(pair.asks()) << scene;
        EXPECT_TRUE(pair.live.all<OpenModel>().empty());
    }
}

TEST(LecturesElsewhere, FindARoundThatShowsTheSame) {
    const auto trace = fixtures::mixed();
    const RunView whole = fold(*trace, trace->size());
    for (const auto& [word, shows] : {std::pair{"guesses", Shows::guesses}, {"kept", Shows::kept}, {"refused", Shows::refused}}) {
        PairBench pair({written_on_tiny("bottleneck", {.beat = 1}), written_on_tiny("loop", {.at = 9999}, word, "small")});
        pair.turn();
        ASSERT_EQ(pair.live.all<Restart>().size(), 1U);
        EXPECT_EQ(pair.live.all<Restart>()[0].settings.prompt.text, opening_view("qwen", assets_folder()).prompt) << "not of the moon";
        EXPECT_EQ(pair.live.all<Restart>()[0].settings.drafter, "small");
        pair.show(trace, pair.live.all<Restart>()[0].settings);
        const auto place = place_that_shows(shows, whole);
        ASSERT_TRUE(place) << word;
        EXPECT_EQ(pair.live.now().scene.cursor, *place) << word;
        const RoundSummary* round = pair.live.now().scene.view->current();
        ASSERT_NE(round, nullptr);
        if (shows == Shows::guesses) {
            EXPECT_EQ(round->verify, nullptr) << "nothing is judged yet";
            EXPECT_GE(round->drafts.size(), 2U);
        } else if (shows == Shows::kept) {
            EXPECT_TRUE(round->complete());
            EXPECT_EQ(static_cast<std::size_t>(round->accepted), round->drafts.size());
        } else {
            EXPECT_EQ(round->drafts[static_cast<std::size_t>(round->last_judged)].state, DraftSlot::State::rejected);
            EXPECT_EQ(round->resample, nullptr) << "it has just fallen";
        }
        EXPECT_EQ(pair.live.now().lecture->notes(), "The notes of any run.");
        EXPECT_NE(pair.live.bench.controller.spoken.find("The notes of any run."), std::string::npos);
        EXPECT_FALSE(pair.asks());
    }
}

TEST(LecturesElsewhere, ARunWithoutSuchARoundIsShownAsItIs) {
    PairBench pair({written_on_tiny("bottleneck", {.beat = 1}), written_on_tiny("loop", {.at = 9999}, "refused", "small")});
    pair.turn();
    const auto plain = fixtures::toy_run({.name = "plain", .rule = "greedy", .drafter = "none", .k = 0, .cycles = 6, .temperature = 0});
    pair.show(plain, pair.live.all<Restart>()[0].settings);
    EXPECT_GT(pair.live.now().scene.cursor, 0U);
    EXPECT_TRUE(pair.live.bench.shows("No round of this run shows what the notes tell of")) << pair.live.bench.words;
    EXPECT_FALSE(pair.asks());
}

TEST(LecturesElsewhere, AStepThatNeedsAMissingHeadPlaysFromItsRecordedRun) {
    LectureView::Step domino = written_on_tiny("domino", {.beat = 2}, "", "domino");
    domino.recorded = std::filesystem::path(SPEC_SOURCE_DIR) / "assets/traces/domino.jsonl";
    PairBench pair({written_on_tiny("bottleneck", {.beat = 1}), domino, written_on_tiny("speedup", {.beat = 4})});
    pair.turn();
    EXPECT_EQ(pair.live.now().scene_name, "domino");
    EXPECT_EQ(pair.live.now().scene.beat, 1);
    EXPECT_EQ(pair.live.now().scene.view->header->drafter, "domino");
    EXPECT_TRUE(pair.live.bench.shows("RECORDED  of tiny")) << pair.live.bench.words;
    EXPECT_FALSE(pair.asks());
    EXPECT_TRUE(pair.live.all<OpenModel>().empty()) << "nothing is unloaded";
    EXPECT_TRUE(pair.live.all<Restart>().empty());
    pair.turn();
    EXPECT_EQ(pair.live.now().scene_name, "speedup");
    EXPECT_FALSE(pair.live.bench.shows("of tiny")) << pair.live.bench.words;
    EXPECT_EQ(pair.live.all<Restart>().size(), 1U) << "the pair's own run again";
    // Where the head is there, the step is live.
    PairBench able({written_on_tiny("bottleneck", {.beat = 1}), domino});
    able.ready.push_back("domino");
    able.show(fixtures::mixed(), {});
    able.turn();
    ASSERT_EQ(able.live.all<Restart>().size(), 1U);
    EXPECT_EQ(able.live.all<Restart>()[0].settings.drafter, "domino");
}

// That model is loaded beside the pair, and the way back leads to the very frame.
TEST(LecturesElsewhere, ARecordedStepCanBeTriedLiveAndLeftAgain) {
    LectureView::Step domino = written_on_tiny("loop", {.at = 9}, "", "domino");
    domino.recorded = std::filesystem::path(SPEC_SOURCE_DIR) / "assets/traces/domino.jsonl";
    PairBench pair({written_on_tiny("bottleneck", {.beat = 1}), domino});
    SceneBench& bench = pair.live.bench;
    bench.controller.started_with.target = "pair.gguf";
    bench.controller.folders = {{"model", "pair"}};
    pair.turn();
    EXPECT_TRUE(bench.shows("F3 tries it live on tiny")) << bench.words;
    bench.key(ui::Key::right);
    bench.key(ui::Key::right);
    EXPECT_EQ(pair.live.now().scene.cursor, 11U);
    const auto came = [&](const std::string& word, std::shared_ptr<const Trace> trace, std::vector<std::string> ready) {
        Snapshot p;
        p.trace = std::move(trace);
        p.status.state = EngineStatus::State::idle;
        p.status.ready_drafters = std::move(ready);
        p.status.opened = static_cast<int>(pair.live.all<OpenModel>().size());
        p.status.opened_as = word;
        p.runs = ++pair.runs;
        bench.controller.observe(p, bench.time);
        bench.settle();
    };
    bench.key(ui::Key::f3);
    ASSERT_EQ(pair.live.all<OpenModel>().size(), 1U);
    EXPECT_TRUE(pair.live.all<OpenModel>()[0].keep) << "beside the pair";
    EXPECT_TRUE(pair.live.all<OpenModel>()[0].paths.target.empty());
    came("tiny", fixtures::mixed(), {"none", "small", "domino"});
    EXPECT_EQ(pair.live.now().scene_name, "loop");
    ASSERT_FALSE(pair.live.all<Restart>().empty());
    EXPECT_EQ(pair.live.all<Restart>().back().settings.drafter, "domino") << "live";
    EXPECT_FALSE(bench.shows("RECORDED")) << bench.words;
    bench.key(ui::Key::f3);
    ASSERT_EQ(pair.live.all<OpenModel>().size(), 2U);
    EXPECT_TRUE(pair.live.all<OpenModel>()[1].keep);
    EXPECT_EQ(pair.live.all<OpenModel>()[1].paths.target, "pair.gguf");
    came("pair", fixtures::toy_run(fixtures::toys().front()), {"none", "small"});
    EXPECT_EQ(pair.live.now().scene.view->header->drafter, "domino");
    EXPECT_EQ(pair.live.now().scene.cursor, 11U) << "the very frame";
    EXPECT_TRUE(bench.shows("RECORDED")) << bench.words;
}

TEST(LecturesElsewhere, AFileThatIsGoneSaysSoAndTheLectureGoesOn) {
    LectureView::Step gone = written_on_tiny("domino", {.beat = 2}, "", "domino");
    gone.recorded = "/nowhere/domino.jsonl";
    PairBench pair({written_on_tiny("bottleneck", {.beat = 1}), gone, written_on_tiny("speedup", {.beat = 4})});
    pair.turn();
    EXPECT_TRUE(pair.live.bench.shows("domino.jsonl")) << pair.live.bench.words;
    pair.turn();
    EXPECT_EQ(pair.live.now().scene_name, "speedup");
}

TEST(LecturesElsewhere, ADrafterThatIsMissingGivesWayToOneThatCanRun) {
    LectureView::Step race = written_on_tiny("race", {});
    for (const char* drafter : {"none", "small", "eagle3", "domino"}) race.view.race.lanes.push_back({drafter, "greedy", 4});
    PairBench pair({written_on_tiny("bottleneck", {.beat = 1}), written_on_tiny("lossless", {.beat = 10}, "", "eagle3"), race});
    pair.turn();
    ASSERT_EQ(pair.live.all<Restart>().size(), 1U);
    EXPECT_EQ(pair.live.all<Restart>()[0].settings.drafter, "small");
    pair.turn();
    ASSERT_EQ(pair.live.all<StartRace>().size(), 1U);
    const auto lanes = pair.live.all<StartRace>()[0].settings.lanes;
    ASSERT_EQ(lanes.size(), 2U);
    EXPECT_EQ(lanes[1].drafter, "small");
}

// One place of one run, which was not kept, is on that model alone: it is asked once.
TEST(LecturesElsewhere, NotNowIsRemembered) {
    LectureView::Step fixed = written_on_tiny("loop", {.at = 21}, "", "small");
    PairBench pair({written_on_tiny("bottleneck", {.beat = 1}), fixed, written_on_tiny("speedup", {.beat = 4}), fixed});
    pair.turn();
    EXPECT_TRUE(pair.asks());
    pair.live.bench.key(ui::Key::escape);
    EXPECT_FALSE(pair.asks());
    EXPECT_TRUE(pair.live.bench.shows("This step shows a run of tiny, which is not loaded")) << pair.live.bench.words;
    pair.turn();
    EXPECT_EQ(pair.live.now().scene_name, "speedup");
    EXPECT_FALSE(pair.asks());
    pair.turn();
    EXPECT_FALSE(pair.asks()) << "it was answered";
    EXPECT_TRUE(pair.live.bench.shows("This step shows a run of tiny, which is not loaded")) << pair.live.bench.words;
}

// Written on a real model that could be had: played on what there is, and offered beside that once.
TEST(LecturesElsewhere, OneOfAPairIsPlayedOnWhatThereIsAndOffersItOnce) {
    LectureView::Step step = written_on_tiny("loop", {}, "refused", "small");
    step.view.model = "qwen-0.5b";
    LectureView::Step measured = written_on_tiny("speedup", {.beat = 4});
    measured.view.model = "qwen-0.5b";
    PairBench pair({written_on_tiny("bottleneck", {.beat = 1}), step, measured, step});
    const auto shown = [&](const char* scene) {
        EXPECT_EQ(pair.live.now().scene_name, scene) << "on what there is";
        EXPECT_TRUE(pair.live.now().lecture->instead.empty());
        EXPECT_TRUE(pair.live.all<OpenModel>().empty()) << "nothing is loaded that nobody asked for";
        return pair.asks();
    };
    pair.turn();
    EXPECT_TRUE(shown("loop")) << "it may be had";
    ASSERT_EQ(pair.live.all<Restart>().size(), 1U);
    EXPECT_EQ(pair.live.all<Restart>()[0].settings.prompt.text, step.view.settings.prompt.text) << "its question is for such models";
    EXPECT_EQ(pair.live.now().lecture->notes(), "The notes of any run.");
    pair.turn(); // by Page Down alone, the offer unanswered
    EXPECT_FALSE(shown("speedup")) << "once";
    EXPECT_TRUE(pair.live.bench.shows("F3 tries it live on Qwen2.5-Coder 0.5B")) << pair.live.bench.words;
    pair.turn();
    EXPECT_FALSE(shown("loop"));
}

TEST(LecturesElsewhere, NotNowLeavesTheStepAsItIs) {
    LectureView::Step step = written_on_tiny("loop", {}, "refused", "small");
    step.view.model = "qwen-0.5b";
    PairBench pair({written_on_tiny("bottleneck", {.beat = 1}), step, step});
    pair.turn();
    const auto trace = fixtures::mixed();
    pair.show(trace, pair.live.all<Restart>()[0].settings);
    pair.live.bench.key(ui::Key::right);
    const std::size_t at = pair.live.now().scene.cursor;
    EXPECT_TRUE(pair.asks());
    pair.live.bench.key(ui::Key::escape);
    EXPECT_FALSE(pair.asks());
    EXPECT_EQ(pair.live.now().scene.cursor, at);
    EXPECT_EQ(pair.live.all<Restart>().size(), 1U);
    pair.turn();
    EXPECT_FALSE(pair.asks()) << "it was answered";
}

TEST(Links, CanBePastedIntoTheWindow) {
    ViewBench live("loop");
    live.bench.controller.read.link = [](const std::string& text) -> SceneView {
        const Link link = parse_link(text);
        if (link.scene != "bottleneck") throw Error("no such scene", "Try another.");
        return {.scene = link.scene, .place = {.beat = link.beat}};
    };
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::k, {.ctrl = true});
    ui::Input typed;
    typed.typed = "speclens://bottleneck/3";
    live.bench.frame(typed);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("Go to this link")) << live.bench.words;
    live.bench.key(ui::Key::enter);
    EXPECT_EQ(live.now().scene_name, "bottleneck");
    EXPECT_EQ(live.now().scene.beat, 2);
    live.bench.controller.perform({OpenFile{"speclens://loop"}}, live.bench.time);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("no such scene")) << live.bench.words;
    EXPECT_EQ(live.now().scene_name, "bottleneck");
}

TEST(Lectures, AreFoundInTheWindow) {
    ViewBench live("bottleneck");
    live.bench.controller.read.lectures = {{"A lecture of mine", "mine.lec.toml"}};
    live.bench.controller.read.lecture = [](const std::string& file) {
        EXPECT_EQ(file, "mine.lec.toml");
        return three_steps();
    };
    live.observe(fixtures::mixed(), {});
    live.bench.controller.perform({PickAction{Action::open_lecture}}, live.bench.time);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("Lecture: A lecture of mine")) << live.bench.words;
    live.bench.key(ui::Key::enter);
    EXPECT_EQ(live.now().scene_name, "loop");
    EXPECT_EQ(live.now().scene.cursor, 4U);
    EXPECT_TRUE(live.bench.shows("step 1 of 3 · First")) << live.bench.words;
    EXPECT_EQ(live.bench.controller.spoken.find("1 of 3"), live.bench.controller.spoken.rfind("1 of 3")) << "told once";
}

} // namespace
} // namespace speclens
