// Every control says what it is, and every word of the field is explained where it stands: in labels, legends, badges and stories.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/frame/term_canvas.h"
#include "engine/run/trace_json.h"
#include "tests/scenes/room.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_golden.h"
#include "tests/scenes/scenes_live_bench.h"

namespace speclens {
namespace {

const std::vector<GlossaryEntry>& words() {
    static const std::vector<GlossaryEntry> kLoaded = load_glossary(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "glossary.json");
    return kLoaded;
}

std::string term_of(const std::string& text, std::size_t at) {
    for (const TermAt& term : terms_in(words(), text))
        if (at >= term.at && at < term.at + term.length) return term.entry->term;
    return "";
}

TEST(Terms, AreWholeWordsAndTheLongestOnes) {
    EXPECT_EQ(term_of("a residual distribution", 4), "residual distribution");
    EXPECT_EQ(term_of("two drafts", 5), "draft") << "the plural";
    EXPECT_EQ(term_of("Residual", 0), "residual distribution") << "with a capital";
    EXPECT_EQ(term_of("redrafted", 2), "") << "no part of a word";
    EXPECT_EQ(term_of("K = 4", 0), "draft length");
    EXPECT_EQ(term_of("k = 4", 0), "") << "one letter is only itself";
    EXPECT_EQ(term_of("a verify pass over them", 3), "verify pass");
}

// Of words that are in the glossary no two mean different things.
TEST(Terms, AreEachExplainedOnce) {
    std::set<std::string> names;
    for (const GlossaryEntry& entry : words()) {
        EXPECT_TRUE(names.insert(entry.term).second) << entry.term;
        for (const std::string& other : entry.also) EXPECT_TRUE(names.insert(other).second) << other;
        EXPECT_NE(find_scene(entry.scene), nullptr) << entry.term;
    }
}

// "four drafters write the same text" stood beside two lanes whose texts part after five tokens: above temperature 0 they do.
TEST(Terms, TheRailSaysOfARaceWhatIsTrueOfEveryRace) {
    const auto race = std::ranges::find(scene_list(), std::string("race"), [](const SceneInfo& scene) { return std::string(scene.name); });
    ASSERT_NE(race, scene_list().end());
    const std::string about = message(race->about);
    EXPECT_NE(about.find("drafters"), std::string::npos);
    for (const char* claim : {"same text", "two", "three", "four"}) EXPECT_EQ(about.find(claim), std::string::npos) << about;
}

class EveryWord : public ::testing::TestWithParam<std::string> {
  protected:
    EveryWord() : live_(GetParam()) {
        SceneBench& bench = live_.bench;
        bench.controller.glossary = words();
        bench.controller.figures =
            std::make_shared<const Published>(Published::load(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "published"));
        std::shared_ptr<const Trace> trace = fixtures::mixed();
        for (const char* recorded : fixtures::kRecorded)
            if (GetParam() == recorded)
                trace = load_trace(std::filesystem::path(SPEC_SOURCE_DIR) / "assets" / "traces" / (GetParam() + ".jsonl"));
        live_.observe(trace);
        bench.controller.perform({SceneCommand{SetCursor{trace->size() / 2}}}, bench.time);
        bench.settle();
    }
    LiveBench live_;
};

// Tab goes once round; where it stops, the mouse is told the same.
TEST_P(EveryWord, EveryControlHasATooltip) {
    SceneBench& bench = live_.bench;
    const FrameLayout layout = layout_of(bench);
    for (const ui::Stop& stop : std::vector<ui::Stop>(bench.stops)) {
        if (stop.seen.w <= 0 || stop.seen.h <= 0) continue;
        const ui::Vec2 at = stop.seen.center();
        // Marks and rows of a picture are no controls: the words of its legends and axes explain them.
        if (layout.stage.contains(at) || layout.details.contains(at)) continue;
        std::string beside;
        for (const ui::RecordedText& text : bench.texts)
            if (ui::intersect(text.box, stop.seen).w > 0 && ui::intersect(text.box, stop.seen).h > 0) beside += text.text + " | ";
        EXPECT_NE(bench.tip_at(at), "") << GetParam() << " at " << at.x << "," << at.y << ": " << beside;
    }
}

// What role, tier or number a mark stands for: the words of legends, badges and fields.
TEST_P(EveryWord, EveryLegendBadgeAndFieldIsExplained) {
    SceneBench& bench = live_.bench;
    const std::set<std::string> said = {"draft", "target",    "accepted",    "rejected", "resampled", "bonus", "discarded",    "K",
                                        "Rule",  "Drafter",   "Temperature", "Seed",     "LIVE",      "TABLE", "TABLE  exact", "RECORDED",
                                        "SIM",   "PUBLISHED", "REMOTE"};
    int found = 0;
    for (const ui::RecordedText& text : std::vector<ui::RecordedText>(bench.texts)) {
        if (!said.contains(text.text) || text.seen.w <= 0) continue;
        ++found;
        EXPECT_NE(bench.tip_at({text.box.x + 4, text.box.center().y}), "") << GetParam() << ": " << text.text;
    }
    EXPECT_GT(found, 0) << GetParam() << ": a badge at least\n" << bench.words;
}

INSTANTIATE_TEST_SUITE_P(Scenes, EveryWord, ::testing::ValuesIn(every_scene()), scene_test_name);

} // namespace
} // namespace speclens
