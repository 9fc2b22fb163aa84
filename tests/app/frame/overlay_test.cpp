// Black screen, light and pen: what they show, what they keep from the picture below, and how they end.
#include <gtest/gtest.h>

#include "tests/scenes/scenes_bench.h"
#include "tests/scenes/scenes_fixtures.h"

namespace speclens {
namespace {

std::shared_ptr<const Trace> one_run() { return fixtures::toy_run(fixtures::toys().front()); }

TEST(BlackScreen, HidesEverythingUntilAKeyThatDoesNothingElse) {
    SceneBench bench("loop");
    bench.show(one_run(), 4);
    ASSERT_TRUE(bench.shows("Output"));
    bench.key(ui::Key::period);
    EXPECT_EQ(bench.words, "");
    bench.time += 600;
    bench.mouse = {200, 200};
    bench.settle();
    EXPECT_EQ(bench.words, "") << "neither time nor a moved mouse ends it";
    bench.key(ui::Key::page_down); // the clicker
    EXPECT_TRUE(bench.shows("Output"));
    EXPECT_EQ(bench.cursor(), 4U) << "the key that ends it is no step";
    bench.key(ui::Key::page_down);
    EXPECT_EQ(bench.cursor(), 5U);
    bench.key(ui::Key::period);
    bench.click({800, 500});
    EXPECT_TRUE(bench.shows("Output"));
}

TEST(BlackScreen, KeepsTheFocus) {
    SceneBench bench("loop");
    bench.show(one_run(), 4);
    bench.key(ui::Key::tab);
    const ui::Id focus = bench.widgets.focus;
    ASSERT_NE(focus, 0U);
    bench.key(ui::Key::period);
    EXPECT_EQ(bench.words, "");
    bench.key(ui::Key::enter);
    EXPECT_EQ(bench.widgets.focus, focus);
    EXPECT_TRUE(bench.widgets.focus_visible);
}

TEST(Light, LeavesThePictureUsable) {
    SceneBench bench("loop");
    bench.show(one_run(), 4);
    bench.mouse = {800, 300};
    bench.settle();
    const int plain = bench.shapes;
    const std::string words = bench.words;
    bench.key(ui::Key::f7);
    EXPECT_GT(bench.shapes, plain);
    EXPECT_EQ(bench.words, words);
    bench.key(ui::Key::f7);
    EXPECT_EQ(bench.shapes, plain);
    bench.key(ui::Key::f7);
    bench.key(ui::Key::right);
    EXPECT_EQ(bench.cursor(), 5U);
}

TEST(Pen, DrawsOnThePictureAndKeepsTheMouseFromIt) {
    SceneBench bench("loop");
    bench.show(one_run(), 4);
    const Overlay& overlay = bench.controller.chrome.overlay;
    const ui::Vec2 menu = bench.find("File");
    bench.key(ui::Key::f5); // of a presenter, whom Escape must not throw out
    bench.key(ui::Key::f9);
    EXPECT_TRUE(bench.shows("puts the pen away")) << bench.words;
    bench.key(ui::Key::f5);
    bench.click(menu);
    EXPECT_LT(bench.controller.chrome.menu, 0) << "the pen is over it";
    bench.drag({400, 300}, {700, 420});
    ASSERT_EQ(overlay.strokes.size(), 2U);
    ASSERT_EQ(overlay.strokes[1].size(), 2U);
    EXPECT_EQ(overlay.strokes[1][1].x, 700);
    bench.mouse = {900, 500};
    bench.frame();
    EXPECT_EQ(overlay.strokes[1].size(), 2U) << "the button is up";
    bench.key(ui::Key::right);
    EXPECT_EQ(bench.cursor(), 5U);
    EXPECT_TRUE(overlay.strokes.empty()) << "it was drawn on another picture";
    bench.drag({400, 300}, {700, 420});
    bench.key(ui::Key::f5);
    bench.key(ui::Key::escape);
    EXPECT_FALSE(overlay.pen);
    EXPECT_TRUE(bench.controller.chrome.layout.presenter);
    bench.key(ui::Key::escape);
    EXPECT_FALSE(bench.controller.chrome.layout.presenter);
    bench.click(menu);
    EXPECT_GE(bench.controller.chrome.menu, 0);
}

TEST(Pen, LeavesDialogsAlone) {
    SceneBench bench("loop");
    bench.show(one_run(), 4);
    bench.key(ui::Key::f9);
    bench.key(ui::Key::f1);
    ASSERT_EQ(bench.controller.chrome.popup, Popup::keys);
    bench.drag({790, 500}, {810, 520});
    ASSERT_EQ(bench.controller.chrome.popup, Popup::keys);
    EXPECT_TRUE(bench.controller.chrome.overlay.strokes.empty());
    bench.key(ui::Key::escape);
    EXPECT_EQ(bench.controller.chrome.popup, Popup::none);
    EXPECT_TRUE(bench.controller.chrome.overlay.pen);
}

} // namespace
} // namespace speclens
