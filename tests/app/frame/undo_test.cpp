// Taking back and making again: settings of a run, lanes of a race, forks, and what a scene's own controls
// set.
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>

#include "engine/published/ablations.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_live_bench.h"

namespace speclens {
namespace {

TEST(Undo, TakesChangesOfSettingsBackOneByOne) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    const auto asked = [&] {
        const auto* run = live.last<Restart>();
        return run ? run->settings : RunSettings{};
    };
    live.bench.key(ui::Key::z, {.ctrl = true});
    EXPECT_TRUE(live.sent.empty());
    EXPECT_TRUE(live.bench.shows("Nothing was changed yet")) << live.bench.words;
    const RunSettings first = *live.bench.controller.frame(live.bench.time).scene.settings;
    live.bench.key(ui::Key::k);
    live.bench.key(ui::Key::t);
    const RunSettings last = asked();
    EXPECT_EQ(last.k, first.k + 1);
    EXPECT_GT(last.sampling.temperature, first.sampling.temperature);
    live.bench.key(ui::Key::z, {.ctrl = true});
    EXPECT_EQ(asked().k, first.k + 1);
    EXPECT_EQ(asked().sampling.temperature, first.sampling.temperature);
    EXPECT_TRUE(live.bench.shows("Back to T = 1")) << live.bench.words;
    live.bench.key(ui::Key::z, {.ctrl = true});
    EXPECT_EQ(asked(), first);
    live.bench.key(ui::Key::y, {.ctrl = true});
    live.bench.key(ui::Key::y, {.ctrl = true});
    EXPECT_EQ(asked(), last);
    live.bench.key(ui::Key::z, {.ctrl = true});
    live.bench.key(ui::Key::r); // another change: nothing to redo any more
    const std::size_t sent = live.sent.size();
    live.bench.key(ui::Key::y, {.ctrl = true});
    EXPECT_EQ(live.sent.size(), sent);
    EXPECT_TRUE(live.bench.shows("Nothing was taken back")) << live.bench.words;
    live.bench.key(ui::Key::r, {.shift = true}); // the same once more is no change
    live.bench.key(ui::Key::z, {.ctrl = true});
    EXPECT_EQ(asked().k, first.k + 1);
    EXPECT_EQ(asked().seed, first.seed);
}

TEST(Undo, BringsALaneBackIntoTheRace) {
    LiveBench live("race");
    live.observe(fixtures::mixed());
    ASSERT_TRUE(live.last<StartRace>());
    const RaceSettings first = live.last<StartRace>()->settings;
    live.perform(ToggleLane{"lookup"});
    EXPECT_NE(live.last<StartRace>()->settings.lanes, first.lanes);
    live.bench.key(ui::Key::z, {.ctrl = true});
    EXPECT_EQ(live.last<StartRace>()->settings, first);
    EXPECT_TRUE(live.bench.shows("Back to the lanes none")) << live.bench.words;
}

TEST(AcceptRule, CtrlZTakesBackWhatTheSceneChangedFirst) {
    LiveBench live("accept-rule");
    live.observe(fixtures::mixed());
    live.bench.key(ui::Key::k); // a change of the run, with the scene's own behind it
    const RunSettings longer = live.last<Restart>()->settings;
    Snapshot p;
    p.trace = fixtures::toy_run({.name = "longer", .k = longer.k});
    p.settings = longer;
    live.observe(p);
    live.sent.clear();
    live.bench.key(ui::Key::equal); // raises the chosen bar
    ASSERT_TRUE(live.bench.shows("TABLE")) << live.bench.words;
    live.bench.key(ui::Key::z, {.ctrl = true});
    live.bench.settle();
    EXPECT_FALSE(live.bench.shows("TABLE")) << live.bench.words;
    EXPECT_FALSE(live.last<Restart>());
    EXPECT_TRUE(live.bench.shows("Taken back: what was set last on this scene's own controls")) << live.bench.words;
    live.bench.key(ui::Key::y, {.ctrl = true});
    live.bench.settle();
    EXPECT_TRUE(live.bench.shows("Made again: what was set on this scene's own controls")) << live.bench.words;
    EXPECT_TRUE(live.bench.shows("TABLE")) << live.bench.words;
    live.bench.key(ui::Key::z, {.ctrl = true});
    live.bench.settle();
    live.bench.key(ui::Key::z, {.ctrl = true}); // the scene has nothing more: it says what comes next
    live.bench.settle();
    EXPECT_FALSE(live.last<Restart>());
    EXPECT_TRUE(live.bench.shows("Nothing more of this scene; once more: Back to K = 4")) << live.bench.words;
    live.bench.key(ui::Key::z, {.ctrl = true});
    ASSERT_TRUE(live.last<Restart>());
    EXPECT_EQ(live.last<Restart>()->settings.k, longer.k - 1);
}

// The x of a slider's handle follows the mouse; `label` stands 12 px above it.
void slide(SceneBench& bench, const std::string& label, float by) {
    for (const ui::RecordedText& item : bench.texts)
        if (item.text.starts_with(label)) {
            const ui::Vec2 from{item.box.x + 60, item.box.bottom() + 22};
            return bench.drag(from, {from.x + by, from.y});
        }
    ADD_FAILURE() << "no slider \"" << label << "\" in:\n" << bench.words;
}

struct OwnControl {
    const char *scene, *label;
    int beat;
};
void PrintTo(const OwnControl& control, std::ostream* out) { *out << control.scene << ", " << control.label; }
class OwnControls : public testing::TestWithParam<OwnControl> {};

TEST_P(OwnControls, ADragIsOneChangeThatIsTakenBackAndMadeAgain) {
    LiveBench live(GetParam().scene);
    SceneBench& bench = live.bench;
    bench.controller.ablations =
        std::make_shared<const Ablations>(load_ablations(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "models" / "ablations.json"));
    live.observe(fixtures::mixed());
    live.perform(SetBeat{GetParam().beat});
    if (std::string(GetParam().scene) == "speed-up") bench.key(ui::Key::h);
    live.sent.clear();
    const auto told = [&] {
        const FrameInput now = bench.controller.frame(bench.time);
        return now.active->describe(now.scene);
    };
    const std::string first = told();
    slide(bench, GetParam().label, 30);
    const std::string second = told();
    ASSERT_NE(second, first);
    slide(bench, GetParam().label, -20);
    const std::string third = told();
    ASSERT_NE(third, second);
    bench.key(ui::Key::z, {.ctrl = true});
    EXPECT_EQ(told(), second);
    bench.key(ui::Key::z, {.ctrl = true});
    EXPECT_EQ(told(), first);
    bench.key(ui::Key::y, {.ctrl = true});
    EXPECT_EQ(told(), second);
    slide(bench, GetParam().label, 50); // another change: nothing to make again any more
    const std::string fourth = told();
    bench.key(ui::Key::y, {.ctrl = true});
    EXPECT_EQ(told(), fourth);
    EXPECT_TRUE(bench.shows("Nothing was taken back")) << bench.words;
    EXPECT_TRUE(live.sent.empty()) << "the run is as it was";
}

INSTANTIATE_TEST_SUITE_P(Scenes, OwnControls,
                         testing::Values(OwnControl{"speed-up", "A guess:", 0}, OwnControl{"systems", "Round trip", 0},
                                         OwnControl{"relaxed", "lenience 0", 1}, OwnControl{"training", "Decay g", 1}),
                         [](const auto& test) {
                             std::string name = test.param.scene;
                             std::erase(name, '-');
                             return name;
                         });

// A beat brings its rule along: that is no change of the user's.
TEST(Undo, DoesNotTakeBackWhatTheStoryChose) {
    LiveBench live("relaxed");
    live.observe(fixtures::mixed());
    live.perform(SetBeat{2});
    live.perform(SetBeat{3});
    live.bench.key(ui::Key::z, {.ctrl = true});
    EXPECT_TRUE(live.bench.shows("Nothing was changed yet")) << live.bench.words;
}

} // namespace
} // namespace speclens
