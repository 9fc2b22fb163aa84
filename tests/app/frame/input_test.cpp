// Mouse and keys to commands: what is clicked, dragged and typed reaches the controller and the engine.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "app/frame/frame_source.h"
#include "app/window/shell_input.h"
#include "scenes/shared/run_controls.h"
#include "tests/scenes/room.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_live_bench.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

TEST(Stepping, ArrowKeysMoveOneEvent) {
    SceneBench bench("loop");
    bench.show(fixtures::mixed(), 3);
    bench.key(ui::Key::right);
    EXPECT_EQ(bench.cursor(), 4U);
    bench.key(ui::Key::left);
    bench.key(ui::Key::left);
    EXPECT_EQ(bench.cursor(), 2U);
    bench.key(ui::Key::home);
    EXPECT_EQ(bench.cursor(), 1U);
    bench.key(ui::Key::end);
    EXPECT_EQ(bench.cursor(), fixtures::mixed()->size());
}

TEST(Stepping, ThreeKeyPressesWithinOneFrameAreThreeSteps) {
    SceneBench bench("loop");
    bench.show(fixtures::mixed(), 2);
    ui::Input input;
    input.keys = {{.key = ui::Key::right}, {.key = ui::Key::right}, {.key = ui::Key::right}};
    bench.frame(input);
    EXPECT_EQ(bench.cursor(), 5U);
}

TEST(Stepping, XFindsTheNextRejection) {
    SceneBench bench("loop");
    const auto trace = fixtures::mixed();
    bench.show(trace, 1);
    bench.key(ui::Key::x);
    const std::size_t found = bench.cursor();
    ASSERT_GT(found, 1U);
    const auto* check = std::get_if<Checked>(&(*trace)[found - 1]);
    ASSERT_TRUE(check);
    EXPECT_FALSE(check->accepted);
    for (std::size_t i = 1; i + 1 < found; ++i) {
        const auto* before = std::get_if<Checked>(&(*trace)[i]);
        EXPECT_FALSE(before && !before->accepted) << i;
    }
}

TEST(Stepping, XStaysWhereNoRejectionIsLeft) {
    SceneBench bench("loop");
    const auto trace = fixtures::mixed();
    std::size_t last = 0;
    for (std::size_t i = 0; i < trace->size(); ++i)
        if (const auto* check = std::get_if<Checked>(&(*trace)[i]); check && !check->accepted) last = i + 1;
    ASSERT_LT(last, trace->size());
    bench.show(trace, last);
    bench.key(ui::Key::x);
    EXPECT_TRUE(bench.shows("No further rejection")) << bench.words;
    EXPECT_EQ(bench.cursor(), last);
}

TEST(Stepping, ARunThatIsStillArrivingIsFollowed) {
    const auto whole = fixtures::mixed();
    const auto growing = std::make_shared<Trace>([whole](int id) { return whole->text(id); });
    growing->append((*whole)[0]);
    SceneBench bench("loop");
    bench.controller.show_saved(growing, RunSettings{}, true);
    bench.settle();
    EXPECT_EQ(bench.cursor(), 1U);
    std::size_t arrived = 1;
    const auto more = [&](std::size_t until) {
        for (; arrived < until; ++arrived) growing->append((*whole)[arrived]);
        bench.settle();
    };
    more(whole->size() / 2);
    EXPECT_GT(bench.cursor(), 1U) << "something worth seeing came";
    bench.key(ui::Key::end);
    EXPECT_EQ(bench.cursor(), whole->size() / 2);
    bench.key(ui::Key::p);
    EXPECT_TRUE(bench.controller.frame(bench.time).playing) << "it waits for more";
    more(whole->size());
    for (int i = 0; i < 400 && bench.controller.frame(bench.time).playing; ++i) {
        bench.time += 15;
        bench.frame();
    }
    EXPECT_EQ(bench.cursor(), whole->size());
    EXPECT_FALSE(bench.controller.frame(bench.time).playing) << "its end has come";
    bench.controller.saved_is_broken("standard input, line 9: not valid JSON", "Is this a run?");
    bench.settle();
    EXPECT_TRUE(bench.shows("line 9: not valid JSON")) << bench.words;
}

TEST(Stepping, PastTheEndAsksTheEngineForOnePhase) {
    LiveBench live("loop");
    live.observe(fixtures::toy_run(fixtures::toys()[2])); // in the middle of a cycle
    live.bench.key(ui::Key::end);
    live.budgets.clear();
    live.bench.key(ui::Key::right);
    ASSERT_FALSE(live.budgets.empty());
    EXPECT_EQ(live.budgets[0], 1);
}

TEST(Stepping, XRunsOnWhenNoRejectionIsThereYet) {
    LiveBench live("loop");
    live.observe(fixtures::toy_run({.name = "open", .cycles = 1, .noise = 0, .stop = false}));
    live.budgets.clear();
    live.bench.key(ui::Key::x);
    ASSERT_FALSE(live.budgets.empty());
    EXPECT_EQ(live.budgets[0], kUnlimitedPhases);
}

TEST(Stepping, StepButtonAndTimelineMoveTheCursor) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    live.bench.key(ui::Key::home);
    live.bench.click(live.bench.find("Step"));
    EXPECT_EQ(live.bench.cursor(), 2U);
    live.bench.click({1200, 905}); // on the spec lane
    const std::size_t scrubbed = live.bench.cursor();
    EXPECT_GT(scrubbed, 10U);
    live.bench.drag({1200, 905}, {300, 905});
    EXPECT_LT(live.bench.cursor(), scrubbed);
}

TEST(Keys, EIsNoSecondKeyThatNobodyListed) {
    SceneBench bench("loop");
    bench.show(fixtures::mixed());
    bench.key(ui::Key::e);
    EXPECT_EQ(bench.controller.chrome.popup, Popup::none);
    bench.key(ui::Key::e, {.ctrl = true});
    EXPECT_EQ(bench.controller.chrome.popup, Popup::export_frame);
}

TEST(Playing, GoesOnByItselfAndPauses) {
    SceneBench bench("loop");
    bench.show(fixtures::mixed(), 1);
    bench.key(ui::Key::p);
    const std::size_t before = bench.cursor();
    for (int i = 0; i < 6; ++i) {
        bench.time += 15; // every story was read
        bench.frame();
    }
    EXPECT_GT(bench.cursor(), before + 3);
    bench.key(ui::Key::p);
    const std::size_t paused = bench.cursor();
    bench.time += 5;
    bench.settle();
    EXPECT_EQ(bench.cursor(), paused);
}

TEST(Playing, SpacePlaysAndDoesNotStep) {
    SceneBench bench("loop");
    bench.show(fixtures::mixed(), 1);
    bench.key(ui::Key::space);
    EXPECT_TRUE(bench.controller.frame(bench.time).playing);
    bench.key(ui::Key::space);
    EXPECT_FALSE(bench.controller.frame(bench.time).playing);
}

// A quarter of a second for every word of a story that changed, half of that at twice the speed.
TEST(Playing, WaitsForWhoeverReads) {
    SceneBench bench("loop");
    bench.show(fixtures::mixed(), 1);
    bench.key(ui::Key::p);
    const std::size_t first = bench.cursor();
    EXPECT_EQ(first, 2U) << "the words on screen were read before";
    bench.time += 1;
    bench.settle();
    EXPECT_EQ(bench.cursor(), first) << "some thirty words";
    const double wait = bench.controller.next_change(bench.time);
    EXPECT_GT(wait, 1);
    EXPECT_LT(wait, 20);
    bench.time += wait + 0.01;
    bench.frame();
    EXPECT_EQ(bench.cursor(), first + 1);
    bench.key(ui::Key::bracket_right);
    bench.key(ui::Key::bracket_right);
    bench.time += 30;
    bench.settle();
    EXPECT_LT(bench.controller.next_change(bench.time), wait / 2);
}

TEST(Playing, GoesFromBeatToBeatAndRestsAtTheLast) {
    SceneBench bench("accept-rule");
    bench.show(fixtures::mixed());
    bench.key(ui::Key::space);
    EXPECT_TRUE(bench.shows("Beat 2 of 10")) << bench.words;
    for (int i = 0; i < 40; ++i) {
        bench.time += 20;
        bench.frame();
    }
    EXPECT_TRUE(bench.shows("Beat 10 of 10")) << bench.words;
    EXPECT_FALSE(bench.controller.frame(bench.time).playing);
    bench.key(ui::Key::space);
    EXPECT_TRUE(bench.shows("Beat 1 of 10") || bench.shows("Beat 2 of 10")) << "from the beginning:\n" << bench.words;
}

TEST(Story, TheLastBeatLeadsToTheNextSceneOfTheRail) {
    SceneBench bench("accept-rule");
    bench.show(fixtures::mixed());
    bench.key(ui::Key::end);
    bench.click(bench.find("Next: Lossless?"));
    EXPECT_EQ(bench.controller.frame(0).scene_name, "lossless");
    EXPECT_TRUE(bench.shows("Beat 1 of ")) << bench.words;
    bench.key(ui::Key::end);
    bench.key(ui::Key::right);
    EXPECT_EQ(bench.controller.frame(0).scene_name, "trees");
    bench.key(ui::Key::left);
    EXPECT_EQ(bench.controller.frame(0).scene_name, "trees") << "the first beat leads nowhere";
}

TEST(Story, SegmentsOfTheBarLeadToTheirBeatOrStep) {
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        const bool strip = screen.w < 1440;
        const auto segment = [&](const ui::Rect& story, int i, int of) {
            const float x = story.x + (strip ? 16 : 24), w = story.w - 2 * (x - story.x);
            return ui::Vec2{x + w * (static_cast<float>(i) + 0.5F) / static_cast<float>(of), story.y + (strip ? 4 : 22)};
        };
        SceneBench bench("accept-rule", {}, screen);
        bench.show(fixtures::mixed());
        const ui::Rect story = frame_layout({screen.w, screen.h}).story;
        bench.click(segment(story, 5, 10));
        EXPECT_EQ(bench.controller.frame(0).scene.beat, 5);
        SceneBench loop("loop", {}, screen);
        const auto trace = fixtures::mixed();
        loop.show(trace, next_round_end(*trace, 0));
        const RoundSummary* round = loop.controller.frame(0).scene.view->current();
        ASSERT_TRUE(round);
        const std::size_t first = round->first_event, steps = round->end_event - first;
        loop.click(segment(story, 1, static_cast<int>(steps)));
        EXPECT_EQ(loop.cursor(), first + 2);
    }
}

TEST(Race, OneKeyRacesThePromptOnScreen) {
    LiveBench live("loop");
    Snapshot p;
    p.trace = fixtures::mixed();
    p.settings.prompt.text = "Why is the sky blue?";
    p.settings.sampling.temperature = 0.6;
    live.observe(p);
    live.sent.clear();
    live.bench.key(ui::Key::r, {.ctrl = true});
    EXPECT_EQ(live.bench.controller.frame(0).scene_name, "race");
    ASSERT_TRUE(live.last<StartRace>());
    const RaceSettings race = live.last<StartRace>()->settings;
    EXPECT_EQ(race.base.prompt.text, "Why is the sky blue?");
    EXPECT_EQ(race.base.sampling.temperature, 0.6);
    EXPECT_GT(race.lanes.size(), 1U);
    for (const RaceEntry& lane : race.lanes) EXPECT_FALSE(lane.drafter.empty());
    live.sent.clear();
    live.bench.key(ui::Key::r, {.ctrl = true});
    EXPECT_TRUE(live.sent.empty());
    EXPECT_TRUE(live.bench.shows("This prompt is in the race")) << live.bench.words;
    EXPECT_EQ(live.bench.controller.frame(0).scene.settings->prompt.text, "Why is the sky blue?");
}

// Where only what was said in it differs, the model reads other tokens.
TEST(Race, AConversationOfTheSameWordsIsAnotherPrompt) {
    LiveBench live("loop");
    Snapshot p;
    p.trace = fixtures::mixed();
    p.settings.prompt.text = "Why?<end>";
    live.observe(p);
    live.bench.key(ui::Key::r, {.ctrl = true});
    ASSERT_TRUE(live.last<StartRace>());
    EXPECT_EQ(live.last<StartRace>()->settings.base.prompt, p.settings.prompt);
    p.settings.prompt.parts = {{"Why?", true}, {"<end>", false}};
    p.trace = fixtures::toy_run(fixtures::toys().front());
    live.observe(p);
    live.perform(OpenScene{"loop"}); // in the race that key starts nothing
    live.sent.clear();
    live.bench.key(ui::Key::r, {.ctrl = true});
    ASSERT_TRUE(live.last<StartRace>());
    EXPECT_EQ(live.last<StartRace>()->settings.base.prompt, p.settings.prompt);
}

TEST(Opening, TheLoopBeginsAtTheFirstStepOfTheFirstRound) {
    LiveBench live("loop");
    const auto trace = fixtures::mixed();
    live.observe(trace);
    const RunView whole = fold(*trace, trace->size());
    const std::size_t first = whole.round_list.front().first_event + 1;
    EXPECT_EQ(live.bench.cursor(), first);
    EXPECT_TRUE(live.bench.shows("Round 1, step 1 of ")) << live.bench.words;
    // Other scenes look where most is seen, until somebody has chosen a place.
    live.bench.controller.perform({SceneCommand{OpenScene{"accept-rule"}}}, live.bench.time);
    live.bench.settle();
    EXPECT_EQ(live.bench.cursor(), telling_cursor(whole).cursor);
    live.bench.controller.perform({SceneCommand{OpenScene{"loop"}}}, live.bench.time);
    live.bench.settle();
    EXPECT_EQ(live.bench.cursor(), first);
    live.bench.key(ui::Key::right);
    live.bench.controller.perform({SceneCommand{OpenScene{"accept-rule"}}}, live.bench.time);
    live.bench.settle();
    EXPECT_EQ(live.bench.cursor(), first + 1) << "chosen";
}

TEST(Messages, LeaveThePictureAlone) {
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        SceneBench bench("loop", {}, screen);
        bench.show(fixtures::mixed());
        bench.controller.perform({CopyText{"words"}}, bench.time);
        bench.frame();
        const ui::Vec2 at = bench.find("Copied");
        EXPECT_TRUE(frame_layout({screen.w, screen.h}).status.contains(at)) << at.x << ", " << at.y;
        bench.time += 5;
        bench.frame();
        EXPECT_FALSE(bench.shows("Copied"));
        EXPECT_TRUE(bench.shows("seed ")) << "the cells are back:\n" << bench.words;
    }
}

// No axis, scale, legend or token is covered: in a room it stands between the badge and the picture.
TEST(Messages, InARoomStandAboveThePicture) {
    for (const SceneInfo& info : scene_list()) {
        SceneBench room(info.name);
        room.show(fixtures::mixed());
        present(room);
        room.controller.perform({CopyText{"words"}}, room.time);
        room.frame();
        const ui::Vec2 at = room.find("Copied");
        EXPECT_TRUE(at.y > 38 && at.y < 68 && at.x > 700) << info.name << ": " << at.x << ", " << at.y;
    }
}

TEST(Columns, AClickSelectsThePosition) {
    SceneBench bench("loop");
    const auto trace = fixtures::mixed();
    bench.show(trace, next_round_end(*trace, 0));
    bench.click({420, 486}); // the first column, below its chips
    EXPECT_TRUE(bench.shows("Position 1"));
    bench.key(ui::Key::down);
    EXPECT_TRUE(bench.shows("Position 2"));
}

TEST(AcceptRule, DraggingATargetHandleMakesItATableAndZTakesItBack) {
    SceneBench bench("accept-rule");
    bench.show(fixtures::mixed());
    EXPECT_TRUE(bench.shows("LIVE"));
    // The handle of the first bar: left of it, at the height of its target cap. Found by trying heights.
    bool moved = false;
    for (float y = 120; y < 336 && !moved; y += 6) {
        bench.drag({318, y}, {318, y > 200 ? y - 60 : y + 60});
        moved = bench.shows("TABLE");
    }
    ASSERT_TRUE(moved);
    EXPECT_FALSE(bench.shows("LIVE"));
    bench.key(ui::Key::z);
    EXPECT_TRUE(bench.shows("LIVE"));
}

TEST(AcceptRule, AThousandFlipsAreCounted) {
    SceneBench bench("accept-rule");
    bench.show(fixtures::mixed());
    bench.key(ui::Key::m);
    EXPECT_TRUE(bench.shows("χ² p = "));
    EXPECT_TRUE(bench.shows(" kept"));
}

TEST(AcceptRule, ACoinLeadsToTheBeatThatTellsOfIt) {
    SceneBench bench("accept-rule");
    bench.show(fixtures::mixed());
    EXPECT_TRUE(bench.shows("Beat 1 of 10"));
    bench.key(ui::Key::c);
    EXPECT_TRUE(bench.shows("Beat 4 of 10")) << bench.words;
    EXPECT_TRUE(bench.shows("The coin decides")) << bench.words;
    bench.key(ui::Key::right);
    bench.key(ui::Key::c);
    EXPECT_TRUE(bench.shows("Beat 5 of 10")) << "a later beat shows the coin as well";
}

TEST(AcceptRule, UndoBringsBackWhatWasCounted) {
    SceneBench bench("accept-rule");
    bench.show(fixtures::mixed());
    bench.key(ui::Key::m);
    bench.key(ui::Key::c);
    ASSERT_TRUE(bench.shows("1 001 flips") || bench.shows("1\u2009001 flips")) << bench.words;
    bench.key(ui::Key::equal); // another distribution: what was thrown says nothing of it
    EXPECT_FALSE(bench.shows("001 flips"));
    bench.key(ui::Key::z);
    EXPECT_TRUE(bench.shows("001 flips")) << bench.words;
    bench.key(ui::Key::z, {.shift = true});
    EXPECT_FALSE(bench.shows("001 flips"));
}

TEST(AcceptRule, AsksForTheFullRowsOnce) {
    LiveBench live("accept-rule");
    live.observe(fixtures::mixed());
    live.bench.settle();
    int asked = 0;
    for (const Command& command : live.sent) asked += std::holds_alternative<FetchDistributions>(command) ? 1 : 0;
    EXPECT_EQ(asked, 1);
}

TEST(Menus, OpenAndRunAnItem) {
    SceneBench bench("loop");
    bench.show(fixtures::mixed(), 4);
    bench.click(bench.find("View", {0, 0, 1600, 28}));
    EXPECT_TRUE(bench.shows("High contrast"));
    bench.click(bench.find("Light theme"));
    EXPECT_EQ(bench.controller.theme, ui::ThemeKind::light);
    EXPECT_FALSE(bench.shows("High contrast"));
}

TEST(Menus, AnOpenOneFollowsThePointer) {
    SceneBench bench("loop");
    bench.show(fixtures::mixed(), 4);
    const ui::Rect bar{0, 0, 1600, 28};
    bench.click(bench.find("File", bar));
    EXPECT_TRUE(bench.shows("Ctrl+N"));
    bench.mouse = bench.find("View", bar);
    bench.frame();
    EXPECT_GT(bench.widgets.wake_at, 0) << "a window draws the other menu without a further move";
    bench.settle();
    EXPECT_TRUE(bench.shows("High contrast")) << bench.words;
    bench.key(ui::Key::right); // the pointer rests there and does not pull it back
    EXPECT_FALSE(bench.shows("High contrast")) << bench.words;
}

TEST(Banner, IsReadWholeAndGoesWithEscapeOrTheNextSuccess) {
    const test::TempFolder folder;
    const std::filesystem::path bad = folder / "bad.bin";
    std::ofstream(bad) << "{no run\n"; // else it is a text, and no line of it is told
    const std::string good = (std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "mixed.jsonl").string();
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    const auto open = [&](const std::string& path) {
        live.bench.controller.perform({OpenFile{path}}, live.bench.time);
        live.bench.settle();
    };
    const auto broken = [&] { return live.bench.shows("bad.bin, line 1: not valid JSON"); };
    open(bad.string());
    EXPECT_TRUE(broken()) << live.bench.words;
    EXPECT_TRUE(live.bench.shows("--json FILE")) << "to its last word:\n" << live.bench.words;
    live.bench.key(ui::Key::escape);
    EXPECT_FALSE(broken()) << live.bench.words;
    open(bad.string());
    open(good);
    EXPECT_FALSE(broken()) << "a run was opened since";
    open(bad.string());
    EXPECT_TRUE(broken());
    live.bench.key(ui::Key::k);
    EXPECT_FALSE(broken()) << "a run was begun since";
}

TEST(Dropped, AFileIsOpenedAndAFolderIsExplained) {
    SceneBench bench("loop");
    const std::filesystem::path assets = std::filesystem::path(SPEC_SOURCE_DIR) / "assets";
    const auto drop = [&](const std::filesystem::path& file) {
        InputQueue queue;
        queue.push({.kind = RawEvent::Kind::drop, .text = file.string()});
        bench.frame(queue.next(bench.time, {}));
        bench.settle();
    };
    bench.key(ui::Key::o, {.ctrl = true});
    drop(assets / "traces" / "mixed.jsonl");
    EXPECT_TRUE(bench.shows("Opened ")) << bench.words;
    EXPECT_EQ(bench.controller.chrome.popup, Popup::none);
    EXPECT_GT(bench.cursor(), 1U);
    const std::size_t before = bench.cursor();
    drop(assets / "models" / "target");
    EXPECT_TRUE(bench.shows("is a folder with a model")) << bench.words;
    EXPECT_TRUE(bench.shows("speclens --model")) << bench.words;
    EXPECT_EQ(bench.cursor(), before) << "nothing is lost";
}

TEST(Rail, HasFiveGroupsAndEverySceneOnceAtEverySize) {
    std::size_t scenes = 0;
    for (const SceneGroup& group : scene_groups()) scenes += group.scenes.size();
    EXPECT_EQ(scene_groups().size(), 5U);
    EXPECT_EQ(scenes, scene_list().size());
    std::string name = scene_groups().front().scenes.front()->name;
    for (std::size_t i = 0; i < scenes; ++i) name = scene_beside(name, 1).name;
    EXPECT_EQ(name, scene_groups().front().scenes.front()->name) << "once around";
    for (const char* scene : {"loop", "race"})
        for (const ui::Rect screen :
             {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}, ui::Rect{0, 0, 1100, 692}, ui::Rect{0, 0, 1000, 692}}) {
            SceneBench bench(scene, {}, screen);
            bench.show(fixtures::mixed());
            if (std::string(scene) == "race") bench.controller.perform({SceneCommand{OpenScene{"race"}}}, bench.time);
            bench.settle();
            const ui::Rect rail = frame_layout({screen.w, screen.h}, {}, std::string(scene) == "race").rail;
            ASSERT_GT(rail.w, 0) << scene << " " << screen.w;
            for (const SceneGroup& group : scene_groups()) {
                (void)bench.find(message(group.title), rail);
                for (const SceneInfo* info : group.scenes) {
                    const std::string title = message(info->title), first = title.substr(0, title.find(' '));
                    EXPECT_TRUE(std::ranges::any_of(bench.texts,
                                                    [&](const ui::RecordedText& text) {
                                                        return rail.contains(text.box.center()) &&
                                                               (text.text == title || (screen.w < 1348 && text.text == first));
                                                    }))
                        << title << " at " << screen.w;
                }
            }
            for (const ui::RecordedText& text : bench.texts) {
                if (!rail.contains(text.box.center())) continue;
                EXPECT_LE(text.box.right(), rail.right()) << text.text << " at " << screen.w;
            }
        }
}

TEST(Rail, EveryRowOpensItsScene) {
    int number = 0;
    for (const SceneInfo& info : scene_list()) {
        EXPECT_EQ(info.number, ++number) << info.name;
        SceneBench bench(info.number == 2 ? "accept-rule" : "loop");
        bench.show(fixtures::mixed());
        ui::Vec2 at; // below the name of its group, which may be the same
        for (const ui::RecordedText& text : bench.texts)
            if (text.text == message(info.title) && text.box.right() < 208) at = text.box.center();
        bench.click(at);
        EXPECT_EQ(bench.controller.frame(0).scene_name, info.name);
    }
}

TEST(Rail, ANarrowOneIsClickedByName) {
    SceneBench bench("loop", {}, {0, 0, 1000, 692});
    bench.show(fixtures::mixed());
    const ui::Rect rail = frame_layout({1000, 692}).rail;
    bench.click(bench.find("Relaxed", rail));
    EXPECT_EQ(bench.controller.frame(0).scene_name, "relaxed");
    bench.mouse = bench.find("Relaxed", rail);
    bench.settle();
    bench.time += 1;
    bench.frame();
    EXPECT_TRUE(bench.shows("Relaxed rules")) << bench.words;
}

// Output and timeline are of the run on screen: where a scene is about something else, it has their room.
TEST(Layout, ASceneThatIsNotAboutTheRunHasTheRoomOfItsOutput) {
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}})
        for (const SceneInfo& info : scene_list()) {
            SceneBench bench(info.name, {}, screen);
            bench.show(fixtures::mixed());
            const bool whole = info.make()->whole_window(), about_run = info.make()->shows_run();
            EXPECT_EQ(bench.shows("Output"), !whole && about_run) << info.name << "\n" << bench.words;
            LayoutWish wish;
            wish.run = about_run;
            const FrameLayout with = frame_layout({screen.w, screen.h}), without = frame_layout({screen.w, screen.h}, wish);
            EXPECT_EQ(without.stage.h > with.stage.h + 100, !about_run) << info.name;
        }
    for (const char* name : {"bottleneck", "lossless", "training", "numbers", "systems", "server", "failures"})
        EXPECT_FALSE(find_scene(name)->make()->shows_run()) << name;
}

// A window at 200 % shows a part of the picture, but it still tells the story and goes on.
TEST(Layout, AnEnlargedWindowKeepsTheStoryAndItsButtons) {
    SceneBench bench("loop", {}, {0, 0, 800, 500});
    bench.show(fixtures::mixed());
    EXPECT_EQ(bench.controller.chrome.density, Density::single);
    const FrameLayout l = frame_layout({800, 500});
    (void)bench.find("Next", l.story);
    const std::size_t before = bench.cursor();
    bench.click(bench.find("Back", l.story));
    EXPECT_LT(bench.cursor(), before);
}

TEST(Compact, DrawersOpenAndClose) {
    SceneBench bench("loop", {}, {0, 0, 1280, 720});
    bench.show(fixtures::mixed());
    EXPECT_FALSE(bench.shows("sorted by target"));
    bench.key(ui::Key::i);
    EXPECT_TRUE(bench.shows("sorted by target"));
    bench.key(ui::Key::i);
    bench.key(ui::Key::i, {.shift = true});
    EXPECT_TRUE(bench.shows("Draft length K"));
}

TEST(Compact, ASceneOfTheWholeWindowHasNoDrawersAndSaysSo) {
    SceneBench bench("race", {}, {0, 0, 1280, 720});
    bench.show(fixtures::mixed());
    bench.key(ui::Key::i);
    EXPECT_TRUE(bench.shows("This scene has no drawers")) << bench.words;
    bench.key(ui::Key::i, {.shift = true});
    EXPECT_TRUE(bench.shows("This scene has no drawers"));
    EXPECT_FALSE(bench.controller.chrome.layout.details);
}

TEST(Input, ButtonChangesEndAFrameAndKeysAreNeverLost) {
    InputQueue queue;
    queue.push({.kind = RawEvent::Kind::move, .at = {10, 10}});
    queue.push({.kind = RawEvent::Kind::key, .key = {.key = ui::Key::a}});
    queue.push({.kind = RawEvent::Kind::button, .down = true});
    queue.push({.kind = RawEvent::Kind::move, .at = {90, 90}});
    queue.push({.kind = RawEvent::Kind::key, .key = {.key = ui::Key::b}});
    queue.push({.kind = RawEvent::Kind::button, .down = false});
    const ui::Input first = queue.next(1, {});
    EXPECT_TRUE(first.pressed && first.down && !first.released);
    EXPECT_FLOAT_EQ(first.mouse.x, 10);
    ASSERT_EQ(first.keys.size(), 1U);
    const ui::Input second = queue.next(1.1, {});
    EXPECT_TRUE(second.released && !second.down);
    EXPECT_FLOAT_EQ(second.mouse.x, 90);
    ASSERT_EQ(second.keys.size(), 1U);
    EXPECT_TRUE(queue.empty());
}

// The command line takes longer drafts and hotter dice than the keys go to.
TEST(Actions, NeverGoTheOtherWay) {
    for (const auto& [k, t] : {std::pair{20, 0.8}, {16, 2.0}, {64, 5.0}, {4, 0.8}}) {
        for (const Action action : {Action::longer, Action::shorter, Action::hotter, Action::colder}) {
            LiveBench live("loop");
            Snapshot p;
            p.trace = fixtures::toy_run({.name = "long", .k = k, .temperature = t});
            p.settings.k = k;
            p.settings.sampling.temperature = t;
            live.observe(std::move(p));
            live.sent.clear();
            live.bench.controller.perform({PickAction{action}}, live.bench.time);
            const auto* restart = live.last<Restart>();
            const RunSettings now = restart ? restart->settings : *live.bench.controller.frame(0).scene.settings;
            const std::string where = std::to_string(k) + " " + std::to_string(static_cast<int>(action));
            EXPECT_EQ(now.k, action == Action::shorter ? k - 1 : action == Action::longer && k < 16 ? k + 1 : k) << where;
            EXPECT_NEAR(now.sampling.temperature,
                        action == Action::colder            ? t - 0.1
                        : action == Action::hotter && t < 2 ? t + 0.1
                                                            : t,
                        1e-9)
                << where;
        }
    }
}

TEST(Stopping, EscapeAndTheMenuEndATrainingAndAMeasurement) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    live.sent.clear();
    live.bench.key(ui::Key::escape);
    EXPECT_TRUE(live.sent.empty()) << "nothing is running";
    live.bench.controller.perform({PickAction{Action::cancel}}, live.bench.time);
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("Nothing is running")) << live.bench.words;
    for (const bool training : {false, true}) {
        Snapshot p;
        p.trace = fixtures::mixed();
        if (training) {
            p.training = std::make_shared<const HeadTrainingView>();
        } else {
            auto study = std::make_shared<Study>();
            study->planned = 2;
            p.studies["lengths"] = study;
        }
        live.observe(p);
        live.sent.clear();
        live.bench.key(ui::Key::k, {.ctrl = true});
        live.bench.key(ui::Key::escape);
        EXPECT_FALSE(live.last<Cancel>()) << "Escape closed the palette, and nothing else";
        live.bench.key(ui::Key::escape);
        EXPECT_TRUE(live.last<Cancel>()) << training;
        live.sent.clear();
        live.bench.controller.perform({PickAction{Action::cancel}}, live.bench.time);
        EXPECT_TRUE(live.last<Cancel>()) << training;
    }
}

// FR-Spec from the menu: a quarter of the ids, and all of them again.
TEST(SavedRun, HidesTheRunOfTheEngineButStopsNoMeasurement) {
    LiveBench live("bottleneck");
    Snapshot p;
    p.trace = fixtures::mixed();
    p.status.model = p.trace->header()->model;
    live.observe(p);
    const auto saved = fixtures::toy_run(fixtures::toys()[2]);
    live.bench.controller.show_saved(saved, RunSettings{});
    live.sent.clear();
    live.bench.key(ui::Key::m);
    ASSERT_TRUE(live.last<MeasurePasses>()) << "a machine is measured whatever is on screen";
    live.perform(Command{RunStudy{"trees", {RunSettings{}}}});
    EXPECT_EQ(live.last<RunStudy>() != nullptr, saved->header()->model == p.status.model);
    live.sent.clear();
    p.status.model = "another";
    live.observe(p);
    live.perform(Command{RunStudy{"trees", {RunSettings{}}}});
    EXPECT_TRUE(live.sent.empty());
    EXPECT_TRUE(live.bench.shows("which is not loaded")) << live.bench.words;
    live.perform(Command{FetchDistributions{0, 0}});
    EXPECT_TRUE(live.sent.empty()) << "the distributions of another run";
}

TEST(Actions, GuessTheLikeliestTokensAndDrawAgain) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    for (const bool wanted : {true, false}) {
        live.sent.clear();
        live.bench.controller.perform({PickAction{Action::likeliest}}, live.bench.time);
        ASSERT_FALSE(live.sent.empty());
        const RunSettings& settings = std::get<Restart>(live.sent.back()).settings;
        EXPECT_EQ(settings.draft_sampling.has_value(), wanted);
        EXPECT_EQ(likeliest_drafts(settings), wanted);
        if (wanted) {
            EXPECT_EQ(settings.draft_sampling->temperature, 0);
        }
        EXPECT_EQ(settings.sampling.temperature, 1);
    }
    LiveBench cold("loop");
    Snapshot p;
    p.trace = fixtures::mixed();
    cold.observe(std::move(p)); // at temperature 0
    cold.sent.clear();
    cold.bench.controller.perform({PickAction{Action::likeliest}}, cold.bench.time);
    cold.bench.settle();
    EXPECT_TRUE(cold.sent.empty());
    EXPECT_TRUE(cold.bench.shows("every guess is the likeliest")) << cold.bench.words;
}

TEST(Actions, DraftWithAQuarterOfTheIdsAndBack) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    const auto trace = fixtures::mixed();
    for (const int wanted : {trace->header()->vocab / 4, 0}) {
        live.sent.clear();
        live.bench.controller.perform({PickAction{Action::fewer_ids}}, live.bench.time);
        ASSERT_FALSE(live.sent.empty());
        EXPECT_EQ(std::get<Restart>(live.sent.back()).settings.options.fr_spec, wanted);
    }
}

} // namespace
} // namespace speclens
