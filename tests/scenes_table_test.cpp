// Runs whose target is a table: it starts a text from nothing, knows every law whole, and costs nothing to ask.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/table_json.h"
#include "loop_bench.h"
#include "run_window.h"
#include "scenes/drafters_model.h"
#include "scenes/trees_model.h"
#include "tests/tables.h"

namespace speclens {
namespace {

// A window over a run of the built-in tables.
struct TableWindow : RunWindow {
    explicit TableWindow(const std::string& scene, const std::string& drafter = "small",
                         const std::string& rule = "token") {
        const TablePair pair = toy_tables();
        models = test::table_models(pair.target, pair.draft);
        settings = {};
        settings.drafter = drafter;
        settings.rule = rule;
        settings.max_tokens = 12;
        open(scene, {"none", "small", "small_tree", "lookup"});
        show();
    }
    [[nodiscard]] std::string told(const std::string& scene) {
        return find_scene(scene)->make()->describe(input());
    }
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
    window.go(fold(*window.published.trace, window.published.trace->size()).cycles[0].end_event);
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
    drafters.go(fold(*drafters.published.trace, drafters.published.trace->size()).cycles[0].end_event);
    const std::string words = drafters.told("drafters");
    EXPECT_TRUE(has(words, "round 1 · nothing before it")) << words;
    TableWindow trees("trees", "small_tree", "tree_wor");
    trees.go(fold(*trees.published.trace, trees.published.trace->size()).cycles[0].end_event);
    trees.beat(3);
    EXPECT_TRUE(trees.bench->shows("start")) << trees.bench->words;
}

} // namespace
} // namespace speclens
