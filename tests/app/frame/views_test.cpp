// Links and lectures in the window: copying a link, going to a named place, from step to step.
#include <gtest/gtest.h>

#include <iterator>

#include "app/views/link.h"
#include "kernels/error.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/view_bench.h"

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
    EXPECT_NE(live.bench.controller.told.find("1 of 3  First   at 0:00, planned 0:00\nSay this.\n"),
              std::string::npos)
        << live.bench.controller.told;
    live.observe(fixtures::mixed(), {});
    EXPECT_EQ(live.now().scene.cursor, 4U);
    EXPECT_TRUE(live.bench.shows("step 1 of 3 · First")) << live.bench.words;

    live.bench.controller.told.clear();
    live.bench.key(ui::Key::page_down);
    EXPECT_EQ(live.now().scene_name, "bottleneck");
    EXPECT_EQ(live.now().scene.beat, 2);
    EXPECT_TRUE(live.all<Restart>().empty()) << "the same run";
    EXPECT_NE(live.bench.controller.told.find("2 of 3  Second"), std::string::npos);
    EXPECT_NE(live.bench.controller.told.find("planned 2:00"), std::string::npos);

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
    lecture.steps[1].view.race.base.prompt = "Another prompt";
    lecture.steps[1].view.race.base.sampling.temperature = 0;
    ViewBench live("loop");
    live.bench.controller.begin_lecture(lecture, live.bench.time);
    live.observe(fixtures::mixed(), {});
    live.bench.key(ui::Key::page_down);
    ASSERT_EQ(live.all<StartRace>().size(), 1U);
    EXPECT_EQ(live.all<StartRace>()[0].settings.base.prompt, "Another prompt");
    EXPECT_FALSE(live.all<StartRace>()[0].settings.lanes.empty()) << "the usual ones";
    live.bench.key(ui::Key::page_up);
    live.bench.key(ui::Key::page_down);
    EXPECT_EQ(live.all<StartRace>().size(), 1U) << "it is still there";
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
    EXPECT_EQ(live.bench.controller.told.find("1 of 3"), live.bench.controller.told.rfind("1 of 3"))
        << "told once";
}

} // namespace
} // namespace speclens
