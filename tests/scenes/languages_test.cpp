// The program in other languages than English: every folder of assets/languages is read, its frames say nothing in English,
// nothing in them is cut off, and the window changes from one to the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "app/frame/window_assets.h"
#include "app/render/code_labels.h"
#include "app/views/languages.h"
#include "engine/run/trace_json.h"
#include "kernels/error.h"
#include "remote/same/same_words.h"
#include "tests/scenes/run_elsewhere.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/shared/in_german.h"
#include "tests/shared/temp_folder.h"

namespace speclens {
namespace {

namespace fs = std::filesystem;
using german::kAssets;

constexpr const char* kElsewhere = "mixed, with its target elsewhere";

std::shared_ptr<const Trace> trace_to_show(const std::string& run) {
    const std::string file = run == kElsewhere ? "mixed" : run;
    const std::shared_ptr<const Trace> trace = load_trace(kAssets / "traces" / (file + ".jsonl"));
    return run == kElsewhere ? test::run_elsewhere(*trace) : trace;
}

// The runs that a scene is looked at with: of heads their own, of rounds a chain, a tree and a greedy one.
std::vector<std::string> runs_of(std::string_view scene) {
    for (const char* head : fixtures::kRecorded)
        if (scene == head) return {head};
    if (scene == "loop") return {"mixed", "tree", "greedy"};
    if (scene == "systems") return {"mixed", kElsewhere};
    return {"mixed"};
}

// Every beat of every scene that tells a story, and the steps of a round of the others.
template <class Visit>
void each_frame(ui::Vec2 size, const Visit& visit) {
    const auto figures = std::make_shared<const Published>(Published::load(kAssets / "published"));
    for (const SceneInfo& info : scene_list()) {
        if (std::string_view(info.name) == "race") continue; // it shows no single run
        for (const std::string& run : runs_of(info.name)) {
            const std::shared_ptr<const Trace> trace = trace_to_show(run);
            SceneBench bench(info.name, {}, {0, 0, size.x, size.y});
            bench.controller.figures = figures;
            bench.show(trace, trace->size());
            const std::string name = std::string(info.name) + " " + run;
            const int beats = info.make()->beats(bench.controller.frame(0).scene);
            for (int beat = 0; beat < beats; ++beat) {
                bench.controller.perform({SceneCommand{SetBeat{beat}}}, 0);
                bench.frame();
                visit(bench, name + " beat " + std::to_string(beat));
            }
            constexpr std::size_t kSteps = 12; // a round and the beginning of the next one
            for (std::size_t cursor = 1; beats == 0 && cursor <= std::min(kSteps, trace->size()); ++cursor) {
                bench.controller.perform({SceneCommand{SetCursor{cursor}}}, 0);
                bench.frame();
                visit(bench, name + " step " + std::to_string(cursor));
            }
        }
    }
}

TEST_F(InGerman, FramesSayNothingInEnglishAndNothingIsCutOff) {
    for (const ui::Vec2 size : {ui::Vec2{1600, 1000}, ui::Vec2{1280, 720}})
        each_frame(size, [&](SceneBench& bench, const std::string& name) {
            const std::string what = name + ", " + std::to_string(static_cast<int>(size.x));
            look(bench, what, false);
            expect_whole_story(bench, what);
            where = "after " + what;
        });
}

// A text that is not translated yet is English meanwhile; a text that asks for what its scene does not offer is an error when it
// is read. So is a table of labels with more places than the English one.
TEST(Languages, OfTheRepositoryAreReadAndNearlyWhole) {
    for (const auto& entry : fs::directory_iterator(kAssets / "languages")) {
        const std::string language = entry.path().filename().string();
        const StoryLayer own = read_stories(kAssets / "stories" / language);
        constexpr std::size_t kMostMissing = 40;
        EXPECT_LT(missing_texts(own).size(), kMostMissing) << language;
        EXPECT_TRUE(load_labels(entry.path() / "labels.toml")->translates());
        const WindowTexts texts = load_window_texts(kAssets, language), english = load_window_texts(kAssets, "en");
        EXPECT_EQ(texts.problem, "");
        EXPECT_EQ(texts.glossary.size(), english.glossary.size());
        EXPECT_EQ(texts.quiz.size(), english.quiz.size());
    }
}

// Writes the marks of the English texts that the stories were translated from; what changed since is on the list of the command.
TEST(Languages, OriginalsAreThoseOfTextsThatThereAre) {
    ASSERT_EQ(summarize({}).sentence.scene, started_said(2).scene) << "what no scene says, so that this program knows it";
    const fs::path file = kAssets / "languages/de/originals.txt";
    const std::string now = originals_of(kAssets, "de");
    if (updating()) {
        std::string said_by_run; // tests/app/cli/walk_test.cpp writes these
        std::istringstream old(read(file));
        for (std::string line; std::getline(old, line);)
            if (line.starts_with("walk.toml:")) said_by_run += line + "\n";
        std::ofstream(file) << now << said_by_run;
    }
    std::set<std::string> names;
    std::istringstream lines(now);
    for (std::string line; std::getline(lines, line);) names.insert(line.substr(0, line.rfind(' ')));
    EXPECT_GT(names.size(), 500U);
    const std::vector<std::string> listed = stories_to_translate(kAssets, "de");
    for (const std::string& one : listed) EXPECT_TRUE(one.ends_with("(the English text has changed)") || !names.contains(one)) << one;
}

TEST(Languages, AChangedEnglishTextIsListed) {
    test::TempFolder folder;
    fs::create_directories(folder / "stories/xx");
    fs::create_directories(folder / "languages/xx");
    for (const auto& entry : fs::directory_iterator(kAssets / "stories"))
        if (entry.is_regular_file()) fs::copy_file(entry.path(), folder / "stories" / entry.path().filename());
    std::ofstream(folder / "stories/xx/advice.toml") << "[[beat]]\nname = \"bet\"\nheading = \"Zahlt es sich aus?\"\n";
    std::ofstream(folder / "languages/xx/originals.txt") << originals_of(folder.path(), "xx");
    const std::string name = "advice.toml: bet.heading";
    const auto listed = [&](const std::string& line) { return std::ranges::count(stories_to_translate(folder.path(), "xx"), line); };
    EXPECT_EQ(listed(name), 0);
    EXPECT_EQ(listed(name + " (the English text has changed)"), 0);
    EXPECT_EQ(listed("advice.toml: bet.text"), 1) << "not translated";
    std::string english = read(folder / "stories/advice.toml");
    const std::string heading = "heading = \"Does it pay here?\"";
    english.replace(english.find(heading), heading.size(), "heading = \"Does it pay on this machine?\"");
    std::ofstream(folder / "stories/advice.toml") << english;
    EXPECT_EQ(listed(name + " (the English text has changed)"), 1);
}

// Scenes, their keys, drafters, rules and roles are known without a picture of them.
TEST(Languages, LabelsInTablesOfTheCodeAreListedWhereTheyAreEnglish) {
    EXPECT_EQ(labels_left_in_english(*load_labels(kAssets / "languages/de/labels.toml")), std::vector<std::string>{});
    ui::Language little;
    const auto lacks = [&](const char* label) { return std::ranges::count(labels_left_in_english(little), label) == 1; };
    EXPECT_TRUE(lacks("Loop"));
    little.add("Loop", "Schleife");
    EXPECT_FALSE(lacks("Loop"));
    for (const char* label : {"Bottleneck", "One round", "why several tokens at once can cost little more than one",
                              "Measure ten draft lengths", "Prompt lookup", "Token rule", "resampled"})
        EXPECT_TRUE(lacks(label)) << label;
}

TEST(Languages, ATableOfLabelsSaysWhatIsWrongWithIt) {
    test::TempFolder folder;
    const auto error = [&](const std::string& text) -> std::string {
        std::ofstream(folder / "labels.toml") << text;
        try {
            (void)load_labels(folder / "labels.toml");
        } catch (const Error& wrong) {
            return wrong.what();
        }
        return "";
    };
    EXPECT_EQ(error("title = \"X\"\ndecimal = \",\"\nquotes = [\"«\", \"»\"]\n[labels]\n\"a {}\" = \"{} b\"\n"), "");
    EXPECT_NE(error("[labels]\n\"a {}\" = \"{} {}\"\n").find("line 2: \"{} {}\" has more {} than \"a {}\""), std::string::npos);
    EXPECT_NE(error("[labels]\n\"a\" = 3\n").find("line 2: no text"), std::string::npos);
    EXPECT_NE(error("decimal = \"..\"\n").find("decimal is one sign"), std::string::npos);
    EXPECT_NE(error("quotes = [\"a\"]\n").find("quotes are two"), std::string::npos);
    EXPECT_NE(error("cake = \"x\"\n").find("'cake' is none of title, decimal, quotes and labels"), std::string::npos);
    EXPECT_NE(error("[labels\n").find("line 1"), std::string::npos);
}

TEST(Languages, AreChangedInTheWindowAndRemembered) {
    SceneBench bench("loop");
    bench.settle();
    ASSERT_TRUE(bench.shows("File"));
    bench.controller.perform({PickAction{Action::language}}, bench.time);
    bench.settle();
    EXPECT_TRUE(bench.shows("Datei"));
    EXPECT_EQ(bench.controller.preferences().language, "de");
    EXPECT_EQ(std::ranges::count(bench.controller.glossary, "Zielmodell", &GlossaryEntry::term), 1);
    const std::string words = in_english([] { return ui::language().label("Loop") + stories().text("advice", "bet.heading").fill({}); });
    EXPECT_EQ(words.find("LoopDoes it"), 0U) << words;
    EXPECT_EQ(ui::language().name, "de") << "afterwards as before";
    bench.controller.perform({PickAction{Action::language}}, bench.time);
    bench.settle();
    EXPECT_TRUE(bench.shows("File"));
    EXPECT_EQ(bench.controller.preferences().language, "en");
}

TEST(Languages, OfTheEnvironment) {
    const auto is = [](const char* all, const char* lang) {
        ::setenv("LC_ALL", all, 1);
        ::unsetenv("LC_MESSAGES");
        ::setenv("LANG", lang, 1);
        return language_of_environment();
    };
    const char* before = std::getenv("LANG");
    const std::string kept = before ? before : "";
    EXPECT_EQ(is("", "de_DE.UTF-8"), "de");
    EXPECT_EQ(is("C", "de_DE.UTF-8"), "en") << "the first that is set counts";
    EXPECT_EQ(is("de", ""), "de");
    EXPECT_EQ(is("", "xx_YY"), "en");
    EXPECT_EQ(is("", ""), "en");
    EXPECT_EQ(language_named("en"), "en");
    EXPECT_THROW((void)language_named("xx"), Error);
    ::unsetenv("LC_ALL");
    kept.empty() ? ::unsetenv("LANG") : ::setenv("LANG", kept.c_str(), 1);
}

} // namespace
} // namespace speclens
