// What somebody likes is kept; a file that somebody else wrote does no harm.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "app/frame/preferences.h"
#include "kernels/error.h"
#include "tests/scenes/scenes_bench.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

Preferences from_text(const test::TempFolder& folder, const std::string& text) {
    std::ofstream(folder / "some.json") << text;
    return load_preferences(folder / "some.json");
}

TEST(Preferences, ComeBackAsTheyWereSaved) {
    const test::TempFolder folder;
    const std::filesystem::path file = folder / "speclens" / "preferences.json";
    EXPECT_EQ(load_preferences(file), Preferences()) << "there is none yet";
    const Preferences liked = {ui::ThemeKind::contrast_light, 1.25F, true, true, true, "de", "https://example.org/lens/"};
    save_preferences(liked, file);
    EXPECT_EQ(load_preferences(file), liked);
    save_preferences({}, file);
    EXPECT_EQ(load_preferences(file), Preferences());
    std::ofstream(folder / "a-file") << "x";
    EXPECT_THROW(save_preferences(liked, folder / "a-file" / "preferences.json"), Error);
    ::setenv("XDG_CONFIG_HOME", folder.path().c_str(), 1);
    EXPECT_EQ(preferences_file(), file);
    ::unsetenv("XDG_CONFIG_HOME");
}

TEST(Preferences, OfWhichOnlyWhatMakesSenseIsTaken) {
    const test::TempFolder folder;
    for (const char* nonsense : {"", "[]", "{", "7", "{\"theme\": 3, \"zoom\": \"big\", \"reduced_motion\": 1}",
                                 "{\"theme\": \"pink\", \"zoom\": 1e9, \"language\": \"xx\"}", "{\"language\": 7}", "{\"zoom\": null}",
                                 "{\"links_to\": \"file:///tmp/x\"}"})
        EXPECT_EQ(from_text(folder, nonsense), Preferences()) << nonsense;
    const Preferences some = from_text(folder, R"({"theme": "light", "zoom": 99, "later": {}})");
    EXPECT_EQ(some.theme, ui::ThemeKind::light);
    EXPECT_EQ(some.zoom, 0);
}

TEST(Preferences, AreWhatTheWindowShows) {
    SceneBench bench("loop");
    bench.controller.prefer({ui::ThemeKind::light, 1.5F, true, true});
    bench.settle();
    const FrameInput shown = bench.controller.frame(bench.time);
    EXPECT_EQ(shown.theme, ui::ThemeKind::light);
    EXPECT_EQ(shown.zoom, 1.5F);
    EXPECT_TRUE(shown.scene.reduced_motion && shown.scene.letters_article);
    bench.key(ui::Key::equal, {.ctrl = true});
    EXPECT_GT(bench.controller.preferences().zoom, 1.5F);
}

// A large screen shows as much as a usual one, larger; a zoom that was chosen stays.
TEST(Zoom, FitsTheWindowUntilItIsChosen) {
    EXPECT_EQ(window_scale({1600, 1000}), 1);
    EXPECT_EQ(window_scale({640, 480}), 1);
    EXPECT_EQ(window_scale({1920, 1080}), 1);
    EXPECT_NEAR(window_scale({2560, 1440}), 1.4, 1e-5);
    EXPECT_NEAR(window_scale({3840, 2160}), 2.1, 1e-5);
    EXPECT_EQ(window_scale({16000, 16000}), 3);
    SceneBench bench("loop");
    Controller& controller = bench.controller;
    controller.window = {2560, 1440};
    EXPECT_NEAR(controller.frame(0).zoom, 1.4, 1e-5);
    EXPECT_EQ(controller.preferences().zoom, 0) << "another window has another one";
    bench.key(ui::Key::minus, {.ctrl = true});
    EXPECT_NEAR(controller.frame(0).zoom, 1.3, 1e-5) << "a step from what was seen";
    controller.window = {1280, 720};
    EXPECT_NEAR(controller.frame(0).zoom, 1.3, 1e-5);
    bench.key(ui::Key::d0, {.ctrl = true});
    EXPECT_EQ(controller.frame(0).zoom, 1);
    bench.resize({0, 0, 1828, 1028});
    controller.window = {3840, 2160};
    bench.key(ui::Key::f5);
    EXPECT_TRUE(controller.chrome.layout.presenter) << "a large window is not too small to present";
}

} // namespace
} // namespace speclens
