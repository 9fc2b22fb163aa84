// How a tree grows out of a block: what each guess adds, and where the next one costs more than it brings.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/drafters/drafter_info.h"
#include "engine/run/run.h"
#include "scenes/trees/trees_draw.h"
#include "tests/scenes/run_window.h"
#include "tests/scenes/scenes_look.h"

namespace speclens {
namespace {

// Two first tokens, .6 and .3; behind the first one .5 and .1.
struct GrowingRound {
    std::vector<Drafted> drafted;
    RoundSummary round;
    GrowingRound() {
        const auto add = [&](int parent, int token, std::vector<std::pair<int, double>> row) {
            Drafted one;
            one.parent = parent;
            one.token = token;
            one.top = {{{token, 0.0}}, 0};
            for (const auto& [id, p] : row) one.raw_top.entries.push_back({id, std::log(p)});
            drafted.push_back(one);
        };
        add(-1, 1, {{1, 0.6}, {2, 0.3}});
        add(0, 3, {{3, 0.5}, {4, 0.1}});
        add(-1, 2, {{1, 0.6}, {2, 0.3}});
        add(0, 4, {{3, 0.5}, {4, 0.1}});
        for (const Drafted& one : drafted) {
            DraftSlot slot;
            slot.draft = &one;
            slot.parent = one.parent;
            round.drafts.push_back(slot);
        }
        round.draft_ms = 1;
    }
};

PassTimes passes_of(std::initializer_list<std::pair<int, double>> widths) {
    PassTimes times;
    for (const auto& [rows, ms] : widths) {
        PassTime one;
        one.rows = rows;
        one.ms = ms;
        times.passes.push_back(one);
    }
    return times;
}

TEST(TreeGrowth, EveryGuessAddsTheProbabilityOfItsPath) {
    const GrowingRound round;
    const TreeGrowth growth = tree_growth(round.round, nullptr);
    ASSERT_EQ(growth.path.size(), 4u);
    const double paths[] = {0.6, 0.3, 0.3, 0.06};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(growth.path[i], paths[i], 1e-12) << i;
    EXPECT_NEAR(growth.expected(0), 1, 1e-12);
    EXPECT_NEAR(growth.expected(2), 1.9, 1e-12);
    EXPECT_NEAR(growth.expected(9), 2.26, 1e-12) << "no more than there are";
    EXPECT_TRUE(growth.needed.empty());
    EXPECT_EQ(growth.best, 4);
}

// A row costs a tenth of a pass of 9 ms, drafting 1: with n guesses 10 + .9 n ms. By hand: .1, .1256, .1458, .1617 tokens a ms, then .1661.
TEST(TreeGrowth, PaysWhileAGuessBringsMoreThanItsRowCosts) {
    const GrowingRound round;
    const PassTimes cheap = passes_of({{1, 9}, {11, 18}});
    const TreeGrowth growth = tree_growth(round.round, &cheap);
    ASSERT_EQ(growth.needed.size(), 4u);
    EXPECT_NEAR(growth.needed[0], 0.9 * 1 / 10, 1e-9);
    EXPECT_NEAR(growth.needed[1], 0.9 * 1.6 / 10.9, 1e-9);
    EXPECT_NEAR(growth.needed[3], 0.9 * 2.2 / 12.7, 1e-9);
    EXPECT_EQ(growth.best, 3) << "a path of .06 where .156 is needed";
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(growth.path[i] > growth.needed[i], static_cast<int>(i) < growth.best) << i;
    const PassTimes free = passes_of({{1, 9}, {11, 9}});
    EXPECT_EQ(tree_growth(round.round, &free).best, 4);
    const PassTimes dear = passes_of({{1, 9}, {2, 18}});
    EXPECT_EQ(tree_growth(round.round, &dear).best, 0);
}

TEST(TreeGrowth, NeedsTheRowsAndNoGuessPutThereByHand) {
    GrowingRound round;
    round.drafted[1].token = 77;
    EXPECT_TRUE(tree_growth(round.round, nullptr).path.empty());
    EXPECT_TRUE(grows_by_paths("dflash_tree"));
    EXPECT_FALSE(grows_by_paths("small_tree"));
    EXPECT_FALSE(grows_by_paths("dflash"));
    EXPECT_FALSE(grows_by_paths("nobody"));
}

// A run whose blocks are trees: the beat shows its own round, and names no guess that is not there.
TEST(TreesScene, TellsHowATreeGrewAndWhereItStopsPaying) {
    RunWindow live;
    live.settings.drafter = "dflash_tree";
    live.settings.rule = judging_rule("token", "dflash_tree");
    live.settings.k = 4;
    live.settings.max_tokens = 12;
    live.settings.options.tree_budget = 6;
    live.open("trees", {"none", "dflash", "dflash_tree"}, {0, 0, 1600, 1000});
    live.show();
    live.beat(kTreesGrowthBeat);
    EXPECT_TRUE(live.bench->shows("What each guess adds, in the order of growth")) << live.bench->words;
    EXPECT_TRUE(live.bench->shows("Time passes of 1 to 64 rows: M")) << live.bench->words;
    EXPECT_FALSE(live.bench->shows("needed to pay for its row"));
    live.published.passes = std::make_shared<const PassTimes>(passes_of({{1, 9}, {11, 18}}));
    live.show();
    EXPECT_TRUE(live.bench->shows("needed to pay for its row")) << live.bench->words;
    EXPECT_NE(live.bench->words.find(" of 6 guesses pay"), std::string::npos) << live.bench->words;
    look(*live.bench, "growth", false);
    expect_whole_story(*live.bench, "growth");
}

} // namespace
} // namespace speclens
