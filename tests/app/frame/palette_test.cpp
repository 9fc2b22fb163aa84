// The palette: commands, drafters, rules and what the open scene can do, found by their words.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "app/frame/popups.h"
#include "app/window/shell_input.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_live_bench.h"
#include "tests/shared/setting_values.h"
#include "tests/shared/speaking.h"

namespace speclens {
namespace {

TEST(Palette, FindsAndRunsACommand) {
    SceneBench bench("loop");
    bench.show(fixtures::mixed());
    bench.key(ui::Key::k, {.ctrl = true});
    ui::Input input;
    input.typed = "accept";
    bench.frame(input);
    bench.settle();
    bench.key(ui::Key::enter);
    bench.settle();
    EXPECT_EQ(bench.controller.frame(bench.time).scene_name, "accept-rule") << bench.words;
    EXPECT_TRUE(bench.shows("Beat 1 of ")) << bench.words;
}

// On a slow frame the last letters and Enter come together.
TEST(Palette, EnterRunsWhatIsTypedAndNotTheRowOfTheTextBefore) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    live.bench.key(ui::Key::k, {.ctrl = true});
    live.type("r");
    live.sent.clear();
    ui::Input input;
    input.typed = "elaxed";
    input.keys = {{.key = ui::Key::e}, {.key = ui::Key::enter}};
    live.bench.frame(input);
    live.bench.settle();
    EXPECT_TRUE(live.sent.empty()) << "no run was asked for";
    EXPECT_EQ(live.bench.controller.frame(live.bench.time).scene_name, "relaxed");
}

TEST(Palette, TheOpenDialogAndTheGlossaryDoTheSame) {
    SceneBench bench("loop");
    bench.show(fixtures::mixed());
    const std::string file = (std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / "mixed.jsonl").string();
    bench.key(ui::Key::o, {.ctrl = true});
    ui::Input input;
    input.typed = file;
    input.keys = {{.key = ui::Key::enter}};
    bench.frame(input);
    bench.settle();
    EXPECT_TRUE(bench.shows("Opened ")) << bench.words;
    bench.controller.glossary = {{.term = "alpha", .also = {}, .text = "first", .scene = "speedup"},
                                 {.term = "residual", .also = {}, .text = "second", .scene = "accept-rule"}};
    bench.key(ui::Key::g);
    input.typed = "residual";
    bench.frame(input);
    bench.settle();
    EXPECT_EQ(bench.controller.frame(bench.time).scene_name, "accept-rule");
}

// Ctrl+K, the words and Enter, all before the window draws again.
TEST(Palette, IsWorkedBlindly) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    live.sent.clear();
    InputQueue queue;
    const auto press = [&](ui::KeyPress key) { queue.push({.kind = RawEvent::Kind::key, .key = key}); };
    press({.key = ui::Key::k, .ctrl = true});
    for (const char c : std::string("relaxed")) {
        press({.key = static_cast<ui::Key>(static_cast<int>(ui::Key::a) + c - 'a')});
        queue.push({.kind = RawEvent::Kind::text, .text = std::string(1, c)});
    }
    press({.key = ui::Key::enter});
    press({.key = ui::Key::right}); // steps in the scene that was opened
    while (!queue.empty()) live.bench.frame(queue.next(live.bench.time, {}));
    live.bench.settle();
    EXPECT_TRUE(live.sent.empty());
    EXPECT_EQ(live.bench.controller.chrome.popup, Popup::none);
    EXPECT_EQ(live.bench.controller.frame(live.bench.time).scene_name, "relaxed");
    EXPECT_EQ(live.bench.controller.frame(live.bench.time).scene.beat, 1);
}

TEST(Palette, ChoosesADrafterAndARule) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    live.bench.key(ui::Key::k, {.ctrl = true});
    live.type("drafter: lookup");
    live.bench.key(ui::Key::enter);
    ASSERT_TRUE(live.last<Restart>());
    EXPECT_EQ(live.last<Restart>()->settings.drafter, "lookup");
    live.bench.key(ui::Key::k, {.ctrl = true});
    live.type("rule: match");
    live.bench.key(ui::Key::enter);
    EXPECT_EQ(live.last<Restart>()->settings.rule, "match");
    for (const PaletteRow& row : palette_rows(live.bench.controller.frame(live.bench.time), "drafter: domino"))
        EXPECT_NE(row.label, "Drafter: domino") << "it cannot run here";
}

// Two chained: a pair that is offered, and any that is typed of those that can run.
TEST(Palette, ChainsTwoDrafters) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    const auto first = [&](const std::string& typed) {
        live.bench.key(ui::Key::k, {.ctrl = true});
        live.type(typed);
        live.bench.key(ui::Key::enter);
        return live.last<Restart>() ? live.last<Restart>()->settings.drafter : "";
    };
    EXPECT_EQ(first("drafter: lookup"), "lookup") << "and not a pair of it";
    EXPECT_EQ(first("drafter: lookup+small"), "lookup+small");
    EXPECT_EQ(first("small+lookup"), "small+lookup");
    EXPECT_EQ(first("drafter lookup++small"), "lookup++small") << "the setting takes it, too";
    for (const PaletteRow& row : palette_rows(live.bench.controller.frame(live.bench.time), "lookup+domino"))
        EXPECT_NE(row.label, "Drafter: lookup+domino") << "it cannot run here";
    for (const PaletteRow& row : palette_rows(live.bench.controller.frame(live.bench.time), "drafter lookup+lookup"))
        EXPECT_EQ(row.label.find("drafter ="), std::string::npos) << "a drafter is not chained to itself";
}

// What the palette does behind "temp 0.5": the run that it starts, if any.
std::optional<RunSettings> set_by_palette(FrameInput input, const RunSetting& setting) {
    const RunSettings asked = test::run_with(setting);
    RunSettings before = asked;
    setting.set(before, setting.get(RunSettings()));
    if (std::string_view(setting.option) == "drafter") before.drafter = "small";
    input.scene.settings = &before;
    const std::string option = setting.option, value = text_of(setting, asked);
    const std::string label = setting.is_switch() ? "Setting: " + option : option + " = " + value;
    for (const PaletteRow& row : palette_rows(input, setting.is_switch() ? option : option + " " + value)) {
        if (row.label != label) continue;
        const auto* scene = std::get_if<SceneCommand>(&row.command);
        const auto* command = scene ? std::get_if<Command>(scene) : nullptr;
        const auto* restart = command ? std::get_if<Restart>(command) : nullptr;
        if (restart) return restart->settings;
    }
    return std::nullopt;
}

TEST(Palette, SetsEveryEntryOfTheTableOfSettings) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    const FrameInput input = live.bench.controller.frame(live.bench.time);
    for (const RunSetting& setting : run_setting_list()) {
        if (setting.of != RunSetting::Of::run) continue;
        const auto changed = set_by_palette(input, setting);
        ASSERT_TRUE(changed) << setting.option;
        EXPECT_EQ(setting.get(*changed), setting.get(test::run_with(setting))) << setting.option;
    }
    EXPECT_FALSE(set_by_palette(input, test::planted_setting()));
}

TEST(Palette, AsksForTheValueOfASettingAndSaysWhatIsWrongWithIt) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    live.bench.key(ui::Key::k, {.ctrl = true});
    live.type("setting: top-p");
    live.bench.key(ui::Key::enter);
    EXPECT_EQ(live.bench.controller.chrome.query, "top-p ");
    EXPECT_EQ(live.bench.controller.chrome.popup, Popup::palette);
    const auto first = [&](const std::string& query) { return palette_rows(live.bench.controller.frame(live.bench.time), query).at(0); };
    EXPECT_EQ(first("top-p 2").label, "top-p: '2' is not a number from 0 to 1");
    EXPECT_EQ(first("--top-p=0.9").label, "top-p = 0.9");
    EXPECT_EQ(first("rule nobody").label, "unknown rule 'nobody'");
}

TEST(Palette, FindsCommandsByTheWordsThatPeopleType) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    const auto labels = [&](const std::string& query) {
        std::vector<std::string> found;
        for (const PaletteRow& row : palette_rows(live.bench.controller.frame(live.bench.time), query)) found.push_back(row.label);
        return found;
    };
    // Where it stands, from 0; far behind where it is not found.
    const auto place = [&](const std::string& query, const std::string& label) {
        const std::vector<std::string> found = labels(query);
        return std::ranges::find(found, label) - found.begin() + (std::ranges::count(found, label) ? 0 : 999);
    };
    for (const char* theme : {"Dark theme", "Light theme", "High contrast theme"}) EXPECT_LT(place("theme", theme), 3) << theme;
    for (const char* zoom : {"Zoom in", "Zoom out", "Zoom to fit the window"}) EXPECT_LT(place("zoom", zoom), 3) << zoom;
    EXPECT_LT(place("seed", "Restart with the same seed"), 2);
    EXPECT_LT(place("seed", "Roll other dice"), 2);
    EXPECT_LT(place("model", "Drafter: small"), 5);
    EXPECT_LT(place("settings", "Temperature + 0.1"), 25);
    EXPECT_LT(place("temp", "Temperature + 0.1"), 2) << "the beginning of a word";
    EXPECT_EQ(place("shortcuts", "Keys"), 0);
    EXPECT_LT(place("theme", "Dark theme"), place("theme", "Export the frame as PNG or SVG…"));
}

TEST(Palette, FindsCommandsByTheWordsOfEitherLanguage) {
    const test::Speaking german("de");
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    const auto first = [&](const std::string& query) { return palette_rows(live.bench.controller.frame(live.bench.time), query).at(0); };
    for (const char* query : {"Tasten", "Tastatur", "Keys", "shortcuts"}) {
        EXPECT_EQ(first(query).label, "Tasten") << query;
        EXPECT_EQ(first(query).label.said.id(), "frame.keys.label") << query;
    }
    EXPECT_EQ(first("Watch one round").label, "Eine Runde ansehen") << "a door";
    EXPECT_EQ(first("Race this prompt").label, "Rennen mit diesem Prompt");
}

TEST(Palette, FindsADoorByTheNameOnTheDoor) {
    LiveBench live("loop");
    live.observe(fixtures::mixed());
    live.bench.controller.read.lectures = {{"Guess cheaply, check exactly", "/x/first-lesson.lec.toml"}};
    const auto first = [&](const std::string& query) { return palette_rows(live.bench.controller.frame(live.bench.time), query).at(0); };
    for (const char* query : {"first lesson", "first", "lesson"}) {
        ASSERT_EQ(first(query).label, "First lesson") << query;
        EXPECT_EQ(std::get<OpenFile>(first(query).command).path, "/x/first-lesson.lec.toml");
    }
    EXPECT_EQ(first("watch one round").label, "Watch one round");
    EXPECT_EQ(first("write my prompt").label, "Write my prompt");
    EXPECT_EQ(first("race the drafters").label, "Race the drafters");
    for (const PaletteRow& row : palette_rows(live.bench.controller.frame(live.bench.time), "eagle"))
        EXPECT_NE(row.label, "Next language: English, Deutsch") << "letters that are scattered in it";
    EXPECT_FALSE(palette_rows(live.bench.controller.frame(live.bench.time), "nxtlng").empty()) << "where no row has the words";
}

TEST(Palette, PutsWordsBeforeScatteredLetters) {
    const int whole = search_score("theme", "Dark theme"), other = search_score("theme", "Dark", "theme");
    const int beginning = search_score("them", "Dark theme");
    const int scattered = search_score("theme", "Export the frame");
    EXPECT_GT(whole, other);
    EXPECT_GT(other, beginning);
    EXPECT_GT(beginning, scattered);
    EXPECT_GE(scattered, 0);
    EXPECT_LT(search_score("theme", "Quit"), 0);
    EXPECT_GT(search_score("lecture: ", "Lecture: mine"), search_score("lecture: ", "Open a lecture…"));
    EXPECT_EQ(search_score("", "Quit"), 0);
}

TEST(Palette, DoesWhatTheOpenSceneCan) {
    LiveBench live("bottleneck");
    live.observe(fixtures::mixed());
    live.bench.key(ui::Key::k, {.ctrl = true});
    live.type("time passes");
    live.bench.key(ui::Key::enter);
    live.bench.settle();
    EXPECT_TRUE(live.last<MeasurePasses>()) << live.bench.words;
}

} // namespace
} // namespace speclens
