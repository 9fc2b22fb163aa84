// Runs whose target is a table: it starts a text from nothing, knows every distribution whole, and costs nothing to ask.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/model/table_json.h"
#include "scenes/trees/trees_model.h"
#include "tests/scenes/loop_bench.h"
#include "tests/scenes/run_window.h"
#include "tests/shared/tables.h"

namespace speclens {
namespace {

// A window over a run of the built-in tables.
struct TableWindow : RunWindow {
    explicit TableWindow(const std::string& scene, const std::string& drafter = "small", const std::string& rule = "token") {
        const TablePair pair = toy_tables();
        models = test::table_models(pair.target, pair.draft);
        settings = {};
        settings.drafter = drafter;
        settings.rule = rule;
        settings.max_tokens = 12;
        settings.sampling.temperature = 1;
        open(scene, {"none", "small", "small_tree", "lookup"});
        show();
    }
    [[nodiscard]] std::string told(const std::string& scene) { return find_scene(scene)->make()->describe(input()); }
    void go(std::size_t cursor) {
        bench->controller.perform({SceneCommand{SetCursor{cursor}}}, bench->time);
        bench->settle();
    }
};

TEST(TableRun, ShowsNoPromptWhereThereIsNone) {
    TableWindow window("loop");
    window.go(1);
    EXPECT_TRUE(window.bench->shows("0 in · 0 out")) << window.bench->words;
    EXPECT_TRUE(window.bench->shows("A table starts a text")) << window.bench->words;
    window.go(fold(*window.published.trace, window.published.trace->size()).round_list[0].end_event);
    EXPECT_TRUE(window.bench->shows("0 in · ")) << window.bench->words;
    EXPECT_FALSE(window.bench->shows("The capital")) << window.bench->words;
    const ui::Rect controls{208, 692, 992, 96};
    window.bench->click(window.bench->find("none", controls));
    EXPECT_TRUE(std::ranges::none_of(window.bench->all, [](const FrameCommand& command) {
        const auto* scene = std::get_if<SceneCommand>(&command);
        return scene && std::holds_alternative<EditPrompt>(*scene);
    })) << "a prompt would be of no use";
}

TEST(TableRun, BeginsItsFirstRoundWithNoText) {
    TableWindow drafters("drafters");
    drafters.go(fold(*drafters.published.trace, drafters.published.trace->size()).round_list[0].end_event);
    const std::string words = drafters.told("drafters");
    EXPECT_TRUE(has(words, "round 1 · nothing before it")) << words;
    TableWindow trees("trees", "small_tree", "tree_wor");
    trees.go(fold(*trees.published.trace, trees.published.trace->size()).round_list[0].end_event);
    trees.beat(3);
    EXPECT_TRUE(trees.bench->shows("start")) << trees.bench->words;
}

TEST(TableRun, ListsNoOtherTokensWhereAllAreListed) {
    TableWindow window("loop");
    const RunView whole = fold(*window.published.trace, window.published.trace->size());
    for (const RoundSummary& round : whole.round_list) {
        window.go(round.end_event);
        EXPECT_EQ(std::ranges::count(window.bench->texts, "other", &ui::RecordedText::text), 0) << window.bench->words;
        const std::string words = window.told("loop");
        EXPECT_FALSE(has(words, "other:")) << words;
    }
}

// What asking it takes on this machine says nothing about a model.
TEST(TableRun, ComparesNoTimes) {
    TableWindow window("loop");
    const RunView whole = fold(*window.published.trace, window.published.trace->size());
    for (std::size_t cursor = 1; cursor <= window.published.trace->size(); ++cursor) {
        window.go(cursor);
        const std::string words = window.told("loop");
        for (const char* part : {" ms", "×", "cost more", "expensive"}) EXPECT_FALSE(has(words, part)) << part << " in " << words;
    }
    EXPECT_TRUE(window.bench->shows("a table costs nothing to ask")) << window.bench->words;
}

TEST(TableRun, ItsTreesHaveTokensPerRoundAndNoTimes) {
    TableWindow window("trees", "small_tree", "tree_wor");
    window.beat(4);
    window.bench->key(ui::Key::m);
    ASSERT_NE(window.study(), nullptr);
    auto study = std::make_shared<Study>();
    study->name = window.study()->name;
    study->planned = static_cast<int>(window.study()->runs.size());
    for (const RunSettings& settings : window.study()->runs) {
        StudyPoint point;
        point.settings = settings;
        point.rounds = 10;
        point.tokens = 20;
        point.timed = 10;
        point.draft_ms = 0.002;
        point.verify_ms = 0.001;
        study->points.push_back(point);
    }
    window.published.studies[study->name] = study;
    window.show();
    EXPECT_TRUE(window.bench->shows("tok/round")) << window.bench->words;
    EXPECT_FALSE(window.bench->shows("speed-up")) << window.bench->words;
    for (const int beat : {4, 5}) {
        window.beat(beat);
        const std::string words = find_scene("trees")->make()->describe(window.input(beat));
        for (const char* part : {" ms", "×", "too few"}) EXPECT_FALSE(has(words, part)) << words;
    }
}

TEST(TableRun, HasNoPassesToTime) {
    for (const char* scene : {"bottleneck", "failures"}) {
        TableWindow window(scene);
        window.beat(4);
        EXPECT_TRUE(window.bench->shows("a table costs nothing to ask")) << window.bench->words;
        EXPECT_FALSE(window.bench->shows("press M")) << window.bench->words;
        EXPECT_FALSE(window.bench->shows("Measure this machine")) << window.bench->words;
        window.sent.clear();
        window.bench->key(ui::Key::m);
        EXPECT_TRUE(window.sent.empty()) << scene;
        const std::string words = find_scene(scene)->make()->describe(window.input(4));
        EXPECT_FALSE(has(words, "Data: LIVE")) << words;
    }
}

} // namespace
} // namespace speclens
