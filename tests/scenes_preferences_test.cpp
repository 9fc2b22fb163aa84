// What somebody likes is kept; a file that somebody else wrote does no harm.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "app/preferences.h"
#include "kernels/error.h"
#include "scenes_bench.h"
#include "temp_folder.h"

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
    const Preferences liked = {ui::ThemeKind::contrast_light, 1.25F, true, true};
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
    for (const char* nonsense :
         {"", "[]", "{", "7", "{\"theme\": 3, \"zoom\": \"big\", \"reduced_motion\": 1}",
          "{\"theme\": \"pink\", \"zoom\": 1e9}", "{\"zoom\": null}"})
        EXPECT_EQ(from_text(folder, nonsense), Preferences()) << nonsense;
    const Preferences some = from_text(folder, R"({"theme": "light", "zoom": 99, "later": {}})");
    EXPECT_EQ(some.theme, ui::ThemeKind::light);
    EXPECT_EQ(some.zoom, 1);
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

} // namespace
} // namespace speclens
