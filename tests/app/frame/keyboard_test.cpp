// A window without a pointer: where Tab stops and that it shows it, menus, regions, the rail, the ribbon, and
// a stage that is larger than its window.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "engine/run/trace_json.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_live_bench.h"
#include "tests/shared/toy_race.h"

namespace speclens {
namespace {

// The run that a scene is made for.
std::shared_ptr<const Trace> run_for(const std::string& scene) {
    for (const char* recorded : fixtures::kRecorded)
        if (scene == recorded) return load_trace(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / (scene + ".jsonl"));
    return fixtures::mixed();
}

struct Keyboard : LiveBench {
    explicit Keyboard(const std::string& scene, ui::Rect screen = {0, 0, 1600, 1000}) : LiveBench(scene) {
        bench.resize(screen);
        const std::shared_ptr<const Trace> trace = run_for(scene);
        observe(trace);
        perform(SetCursor{trace->size()});
        if (scene == "race") bench.controller.show_race(toy_race());
        bench.settle();
    }
    void press(ui::Key key, ui::Mods mods = {}) { bench.key(key, mods); }
    [[nodiscard]] ui::Id focus() const { return bench.widgets.focus; }
    [[nodiscard]] FrameUi& chrome() { return bench.controller.chrome; }
    [[nodiscard]] std::string scene() { return bench.controller.frame(bench.time).scene_name; }
    // Whether the last frame shows where the focus is: without it, it would look otherwise.
    [[nodiscard]] bool shows_focus() {
        const std::uint64_t with = bench.picture;
        const ui::WidgetState there = bench.widgets;
        bench.widgets.focus = 0;
        bench.frame();
        bench.widgets = there;
        return bench.picture != with;
    }
    // Once round with Tab.
    void expect_rings(const std::string& where) {
        constexpr int kMost = 200;
        bench.time += 60; // no message is left
        press(ui::Key::tab);
        const ui::Id first = focus();
        ASSERT_NE(first, 0U) << where;
        for (int stop = 1; stop < kMost; ++stop) {
            EXPECT_TRUE(shows_focus()) << where << ": stop " << stop << " of Tab cannot be seen";
            press(ui::Key::tab);
            if (focus() == first) return;
        }
        ADD_FAILURE() << where << ": Tab does not come round";
    }
    [[nodiscard]] bool sees(const std::string& text) const {
        return std::ranges::any_of(bench.texts, [&](const ui::RecordedText& t) { return t.text == text && t.seen.w > 0 && t.seen.h > 0; });
    }
};

TEST(Tab, ShowsWhereItStopsInEveryScene) {
    for (const SceneInfo& info : scene_list()) {
        Keyboard large(info.name);
        large.expect_rings(info.name);
        Keyboard drawers(info.name, {0, 0, 1280, 720});
        drawers.press(ui::Key::end); // the last beat
        drawers.chrome().layout.details = drawers.chrome().layout.controls = true;
        drawers.expect_rings(std::string(info.name) + " 1280x720");
    }
}

TEST(Tab, BringsIntoViewWhereItStops) {
    for (const char* scene : {"loop", "accept-rule", "domino"}) {
        Keyboard small(scene, {0, 0, 640, 480});
        small.expect_rings(std::string(scene) + " 640x480");
    }
}

TEST(SmallWindow, AltAndArrowsMoveOverThePicture) {
    Keyboard small("loop", {0, 0, 640, 480});
    const std::size_t cursor = small.bench.cursor();
    small.press(ui::Key::right, {.alt = true});
    small.press(ui::Key::down, {.alt = true});
    EXPECT_GT(small.chrome().layout.pan.x, 0);
    EXPECT_GT(small.chrome().layout.pan.y, 0);
    for (int i = 0; i < 20; ++i) small.press(ui::Key::left, {.alt = true});
    EXPECT_EQ(small.chrome().layout.pan.x, 0);
    EXPECT_EQ(small.bench.cursor(), cursor);
    small.press(ui::Key::f1);
    small.press(ui::Key::end);
    EXPECT_TRUE(small.bench.shows("Move over the picture")) << small.bench.words;
    EXPECT_EQ(small.chrome().layout.pan.x, 0);
}

TEST(Menus, AKeyOpensOneWithItsFirstRowChosen) {
    Keyboard live("loop");
    live.press(ui::Key::tab);
    const ui::Id opener = live.focus();
    live.press(ui::Key::enter);
    ASSERT_TRUE(live.bench.shows("Ctrl+N")) << live.bench.words;
    live.press(ui::Key::enter);
    EXPECT_EQ(live.chrome().popup, Popup::prompt);
    live.press(ui::Key::escape);
    live.press(ui::Key::escape);
    EXPECT_EQ(live.chrome().popup, Popup::none);
    EXPECT_EQ(live.focus(), opener) << "through the menu and the dialog";
    EXPECT_TRUE(live.shows_focus());
    SceneBench saved("loop");
    saved.show(fixtures::mixed());
    saved.key(ui::Key::tab);
    saved.key(ui::Key::down);
    saved.key(ui::Key::enter);
    EXPECT_EQ(saved.controller.chrome.popup, Popup::open_file) << "no models: the first row is off";
}

TEST(Menus, UpAndDownWalkAndLeftAndRightChangeTheMenu) {
    Keyboard live("loop");
    live.press(ui::Key::tab);
    live.press(ui::Key::enter);
    live.press(ui::Key::down);
    live.press(ui::Key::down);
    live.press(ui::Key::up);
    live.press(ui::Key::enter);
    EXPECT_EQ(live.chrome().popup, Popup::open_file);
    live.press(ui::Key::escape);
    live.press(ui::Key::escape);
    live.press(ui::Key::enter);
    live.press(ui::Key::end);
    live.press(ui::Key::enter);
    ASSERT_FALSE(live.bench.controller.orders.empty());
    EXPECT_EQ(live.bench.controller.orders.back(), WindowOrder::quit);
    live.press(ui::Key::enter);
    live.press(ui::Key::left);
    ASSERT_TRUE(live.bench.shows("This frame in words")) << live.bench.words;
    live.press(ui::Key::enter);
    EXPECT_EQ(live.chrome().popup, Popup::palette) << "the first row of Help";
}

TEST(Menus, ALongOneScrollsInASmallWindow) {
    Keyboard small("loop", {0, 0, 640, 480});
    const auto row = [](const SceneInfo& info) { return std::to_string(info.number) + "  " + message(info.title); };
    const std::string last = row(scene_list().back());
    small.press(ui::Key::tab);
    small.press(ui::Key::enter);
    for (int i = 0; i < 3; ++i) small.press(ui::Key::right);
    EXPECT_FALSE(small.sees(last)) << "a small window has no room for it";
    small.press(ui::Key::end);
    EXPECT_TRUE(small.sees("Previous scene")) << small.bench.words;
    small.press(ui::Key::up);
    small.press(ui::Key::up);
    EXPECT_TRUE(small.sees(last)) << small.bench.words;
    small.press(ui::Key::enter);
    EXPECT_EQ(small.scene(), scene_list().back().name);
    Keyboard wheel("loop", {0, 0, 640, 480});
    wheel.press(ui::Key::tab);
    wheel.press(ui::Key::enter);
    for (int i = 0; i < 3; ++i) wheel.press(ui::Key::right);
    wheel.bench.mouse = wheel.bench.find(row(scene_list()[3]));
    ui::Input turn;
    turn.wheel = -20;
    wheel.bench.frame(turn);
    wheel.bench.settle();
    EXPECT_TRUE(wheel.sees(last)) << wheel.bench.words;
}

TEST(Focus, ComesBackFromADialog) {
    Keyboard live("loop");
    while (live.chrome().popup == Popup::none) { // to the search field
        live.press(ui::Key::tab);
        const ui::Id at = live.focus();
        live.press(ui::Key::enter);
        if (live.chrome().menu >= 0) live.press(ui::Key::escape);
        EXPECT_TRUE(live.chrome().popup != Popup::none || live.focus() == at) << "a menu gives it back";
        if (::testing::Test::HasFailure()) return;
    }
    ASSERT_EQ(live.chrome().popup, Popup::palette);
    live.press(ui::Key::escape);
    live.press(ui::Key::escape);
    EXPECT_TRUE(live.shows_focus());
    live.press(ui::Key::enter);
    EXPECT_EQ(live.chrome().popup, Popup::palette) << "the search field has the focus";
}

TEST(Rail, IsOneStopOfTabAndArrowsWalkOverIt) {
    Keyboard live("loop");
    live.press(ui::Key::f6);
    const ui::Id open = live.focus();
    live.press(ui::Key::down);
    EXPECT_NE(live.focus(), open);
    EXPECT_TRUE(live.shows_focus());
    EXPECT_EQ(live.scene(), "loop") << "it is only walked over";
    live.press(ui::Key::home);
    live.press(ui::Key::enter);
    EXPECT_EQ(live.scene(), scene_list().front().name);
    const ui::Id first = live.focus();
    live.press(ui::Key::tab);
    const ui::Id behind = live.focus();
    live.press(ui::Key::tab, {.shift = true});
    EXPECT_EQ(live.focus(), first) << "one stop";
    live.press(ui::Key::end);
    live.press(ui::Key::enter);
    EXPECT_EQ(live.chrome().popup, Popup::palette) << "its last row";
    live.press(ui::Key::escape);
    live.press(ui::Key::escape);
    live.press(ui::Key::tab);
    EXPECT_EQ(live.focus(), behind);
}

TEST(Ribbon, IsOneStopOfTabAndArrowsWalkOverIt) {
    Keyboard live("loop");
    const std::size_t end = live.bench.cursor();
    for (int i = 0; i < 2; ++i) live.press(ui::Key::f6, {.shift = true}); // the timeline, then the ribbon
    const ui::Id newest = live.focus();
    live.press(ui::Key::left);
    EXPECT_NE(live.focus(), newest);
    EXPECT_TRUE(live.shows_focus());
    EXPECT_EQ(live.bench.cursor(), end) << "the arrows walk over the text";
    live.press(ui::Key::tab);
    live.press(ui::Key::tab, {.shift = true});
    EXPECT_EQ(live.focus(), newest) << "one stop";
    live.press(ui::Key::home);
    const ui::Id oldest = live.focus();
    live.press(ui::Key::enter);
    EXPECT_LT(live.bench.cursor(), end) << "the end of its round";
    EXPECT_EQ(live.focus(), oldest) << "it is still there";
    EXPECT_TRUE(live.shows_focus());
}

TEST(Regions, F6GoesRoundTheWindowAtEverySize) {
    for (const ui::Vec2 size : {ui::Vec2{1600, 1000}, {1280, 720}, {1920, 1080}}) {
        Keyboard live("loop", {0, 0, size.x, size.y});
        live.press(ui::Key::f6);
        const ui::Id first = live.focus();
        std::vector<ui::Id> seen;
        for (int i = 0; i < 10 && (seen.empty() || live.focus() != first); ++i) {
            EXPECT_TRUE(live.shows_focus()) << size.x;
            seen.push_back(live.focus());
            live.press(ui::Key::f6);
        }
        EXPECT_EQ(live.focus(), first) << "round";
        EXPECT_GE(seen.size(), 5U) << size.x;
        EXPECT_EQ(std::set<ui::Id>(seen.begin(), seen.end()).size(), seen.size());
        live.press(ui::Key::f6, {.shift = true});
        EXPECT_EQ(live.focus(), seen.back()) << "and back";
    }
}

TEST(Regions, F6LeavesTheMenuOfASceneThatTakesTheWholeWindow) {
    Keyboard live("race", {0, 0, 1280, 720});
    live.press(ui::Key::tab); // File
    const ui::Id file = live.focus();
    live.press(ui::Key::f6);
    const ui::Id rail = live.focus();
    EXPECT_NE(rail, file);
    live.press(ui::Key::f6);
    EXPECT_NE(live.focus(), file);
    EXPECT_NE(live.focus(), rail);
    live.press(ui::Key::f6);
    EXPECT_EQ(live.focus(), file) << "menu, rail and picture are all there is";
}

TEST(Regions, F6ShowsAnotherPartOfASmallWindowAndGoesIntoIt) {
    Keyboard small("loop", {0, 0, 640, 480});
    small.press(ui::Key::f6);
    EXPECT_EQ(small.chrome().layout.region, Region::story);
    EXPECT_NE(small.focus(), 0U);
    small.press(ui::Key::f6, {.shift = true});
    EXPECT_EQ(small.chrome().layout.region, Region::stage);
    small.press(ui::Key::f6, {.shift = true});
    EXPECT_EQ(small.chrome().layout.region, Region::output);
}

} // namespace
} // namespace speclens
