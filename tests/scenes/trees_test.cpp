// Scene S11: one block under two rules with the same coins, the layout, mask and picture of a tree, and the commands.
//
// What stood in the description that was written by hand, and which message has it now (TreesTold; of what is measured and of how a tree
// grows: trees_study_test.cpp, trees_growth_test.cpp):
//
//     "The token rule keeps 1 of 4, and loses 2 …"         ways.title:chain {kept} {lost} {guesses}
//     "One number for the block: the product P is .12 …"   product.title {p} {guesses}
//     "A later hit rescues a miss: one kept …"             coins.title:rescued, alike {token} {block}
//     "6 guesses in one pass, two kept", "7 rows …"        branches.title:tree {guesses} {kept}, cost.title:tree {rows} {kept},
//                                                          ways.title:tree {guesses} {places}
//     "round 3 · small drafter · over 5 blocks …"          subtitle.block {of} {without} {drafter} {blocks} {token} {block}
//     "round 3 · small_tree drafter, tree_wor rule"        subtitle.tree {round} {drafter} {rule} {instead_of}: words.round {number}
//     "Data: TABLE, exact"                                 shared.words.data {tier} {words}
//     "A language of two words, A and B. Target: A 1/3 …"  words.example {of} {target_a} {target_b} {draft_a} {draft_b} {token} {block}
//     "Guess 1, “x”: target .31, draft .52, coin .40"      block.column {guess} {token} {p} {q} {u}
//     "; token rule keeps with .6 (kept)"                  block.column {a} {token_fate}: block.fate:stays, missed, lost
//     ", block: product .6, h .31 (rescued by a later hit)"  block.column {product} {h} {block_fate}: block.fate:hit, rescued, missed
//     "Expected kept: 1.20 token by token, 1.34 as a block"  block.sum:whole {token} {block} {token_kept} {block_kept}
//     "Node 2, level 1, after the text: “x”, kept"         tree.node {node} {level} {after} {token} {fate}: tree.fate:kept, refused, …
//
// Nobody told of these before: the ratios (block.column {ratio}: block.ratio {ratio}), the chance that everything up to a guess stays
// ({token_all}, {block_all}), what the tree grows from (tree.from {token}), the mask (sight.mask {rows}, sight.row {row} {before} {last}).
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "engine/drafters/drafter_info.h"
#include "engine/rules/verify.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/words.h"
#include "scenes/trees/trees_model.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/scenes/trees_bench.h"
#include "tests/shared/drawn_numbers.h"
#include "tests/shared/speaking.h"
#include "ui/format.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

// What the picture says of the token rule is what the rule itself does with those distributions and coins; of the
// block what the run did.
TEST(Trees, BothVerdictsAreThoseOfTheRules) {
    JudgedTrees live("small", "block");
    int blocks = 0;
    for (const RoundSummary& round : live.view().round_list) {
        const auto verdict = block_verdict(round);
        if (!verdict) continue;
        ++blocks;
        EXPECT_EQ(verdict->block_kept, static_cast<int>(round.path.size()));
        ASSERT_EQ(verdict->columns.size(), round.drafts.size());
        int stays = 0;
        double survives = 1, expected = 0;
        bool standing = true;
        for (const DraftSlot& slot : round.drafts) {
            const double keep = std::min(1.0, std::exp(slot.check->p - slot.check->q));
            survives *= keep;
            expected += survives;
            standing = standing && *slot.check->u < keep;
            stays += standing;
        }
        EXPECT_EQ(verdict->token_kept, stays);
        EXPECT_NEAR(verdict->token_expected, expected, 1e-9);
        EXPECT_GE(verdict->columns.back().block_survives, 0);
        EXPECT_NEAR(verdict->columns.back().block_survives, verdict->columns.back().joint, 1e-9) << "h of the last one is its coefficient";
        for (std::size_t i = 1; i < verdict->columns.size(); ++i)
            EXPECT_LE(verdict->columns[i].block_survives, verdict->columns[i - 1].block_survives + 1e-12);
    }
    EXPECT_GE(blocks, 3);
    EXPECT_FALSE(block_verdict(JudgedTrees("small", "token").view().round_list.front())) << "the token rule's checks do not say it";
    EXPECT_FALSE(block_verdict(JudgedTrees("small_tree", "tree_wor").view().round_list.front()));
}

// A cascade records the coefficient of a block as well, but of its mixture: p ÷ q would not be the ratio that
// judged, and its text does not follow the target's distribution.
TEST(Trees, ACascadeThatJudgesBlocksIsNoBlockVerification) {
    JudgedTrees live("small", "cascade_tokenV3", {0, 0, 1600, 1000}, 4, 1, true);
    int judged = 0;
    for (const RoundSummary& round : live.view().round_list) {
        for (const DraftSlot& slot : round.drafts) judged += slot.check && slot.check->prefix_coefficient && slot.check->mixture;
        EXPECT_FALSE(block_verdict(round)) << round.round;
    }
    EXPECT_GT(judged, 0) << "the run did judge blocks";
    live.beat(2);
    EXPECT_EQ(trees_model(live.bench->controller.frame(0).scene, {}).blocks, 0);
    EXPECT_TRUE(live.says("words.why_example:mixture"));
    EXPECT_TRUE(live.bench->shows("A worked example"));
}

// 10/9 and 11/9 stand in the paper; the rules of the engine keep what the picture says.
TEST(Trees, TheExampleIsThatOfThePaperJudgedByTheRules) {
    const BlockExample& example = block_example();
    EXPECT_NEAR(example.token_mean, 10.0 / 9, 1e-12);
    EXPECT_NEAR(example.block_mean, 11.0 / 9, 1e-12);
    std::vector<int> drafts;
    for (const BlockColumn& column : example.verdict.columns) drafts.push_back(column.token);
    for (const char* rule : {"token", "block"}) {
        Round round;
        round.drafts = drafts;
        round.p = [&](int) -> const Distribution& { return example.target; };
        round.q = [&](int) -> const Distribution& { return example.draft; };
        round.accept_coin = [&](int node) { return example.verdict.columns[static_cast<std::size_t>(node)].coin; };
        round.resample_coin = [](int) { return 0.0; };
        EXPECT_EQ(find_rule(rule)->verify(round).accepted(),
                  std::string(rule) == "token" ? example.verdict.token_kept : example.verdict.block_kept)
            << rule;
    }
    EXPECT_LT(example.verdict.token_kept, example.verdict.block_kept) << "it shows a rescue";
}

TEST(Trees, AreStudiedAtOneTemperatureWithCoins) {
    RunSettings run;
    run.sampling.temperature = 0;
    run.draft_sampling = Sampling{.temperature = 0.3};
    EXPECT_EQ(sampled_settings(run).sampling.temperature, 1) << "greedy throws none";
    EXPECT_FALSE(sampled_settings(run).draft_sampling.has_value());
    run.sampling.temperature = 0.7;
    EXPECT_EQ(sampled_settings(run).sampling.temperature, 0.7);
    EXPECT_FALSE(sampled_settings(run).draft_sampling.has_value());
}

TEST(Trees, KeepsTheColumnsThatDecide) {
    const auto columns = [](int n, int token_kept, int block_kept, int count) {
        BlockVerdict verdict;
        verdict.columns.resize(static_cast<std::size_t>(n));
        verdict.token_kept = token_kept;
        verdict.block_kept = block_kept;
        return shown_columns(verdict, count);
    };
    using List = std::vector<int>;
    ShownColumns shown = columns(4, 1, 2, 4);
    EXPECT_EQ(shown.columns, (List{0, 1, 2, 3}));
    EXPECT_EQ(shown.left_out, (List{0, 0, 0, 0, 0}));
    shown = columns(15, 4, 4, 9);
    EXPECT_EQ(shown.columns, (List{0, 1, 2, 3, 4, 5, 6, 7, 8}));
    EXPECT_EQ(shown.left_out.back(), 6);
    EXPECT_EQ(shown.gaps(), 1);
    shown = columns(15, 1, 13, 5);
    EXPECT_EQ(shown.columns, (List{0, 1, 2, 12, 13}));
    EXPECT_EQ(shown.left_out, (List{0, 0, 0, 9, 0, 1}));
    EXPECT_EQ(columns(15, 15, 15, 3).columns, (List{0, 1, 14})) << "all kept: no miss to show";
    EXPECT_EQ(columns(15, 0, 0, 2).columns, (List{0, 1}));
}

// A round that proposed nothing, or is still running, has none of its own.
TEST(Trees, ARoundWithoutABlockShowsTheOneBeforeIt) {
    JudgedTrees live("small", "block");
    const RunView whole = live.view();
    int checked = 0;
    for (std::size_t i = 1; i < whole.round_list.size(); ++i) {
        if (!block_verdict(whole.round_list[i - 1]) || whole.round_list[i].drafts.empty()) continue;
        auto begun = std::make_shared<Trace>([&live](int id) { return live.run->trace().text(id); });
        for (std::size_t e = 0; e <= whole.round_list[i].first_event; ++e) begun->append(live.run->trace()[e]);
        live.published.trace = begun;
        live.bench->controller.observe(live.published, live.bench->time);
        live.bench->controller.perform({SceneCommand{SetCursor{begun->size()}}}, live.bench->time);
        live.bench->settle();
        SceneInput input = live.bench->controller.frame(0).scene;
        input.selected = Position{whole.round_list[i].round, 0}; // chosen, whether a hit of this run rescues a guess or not
        const TreesModel model = trees_model(input, {});
        ASSERT_TRUE(model.block);
        EXPECT_EQ(model.block->round, whole.round_list[i - 1].round);
        EXPECT_EQ(model.round, whole.round_list[i].round);
        ++checked;
    }
    EXPECT_GT(checked, 0);
}

TEST(Trees, ANodeSeesItsAncestorsAndItselfOnly) {
    //      0 ── 2
    //  ·<  1 ── 3 ── 4
    const std::vector<TreeNode> nodes = {{1, -1, 1, {}, 0}, {2, -1, 1, {}, 0}, {3, 0, 2, {}, 0}, {4, 1, 2, {}, 0}, {5, 3, 3, {}, 0}};
    const std::vector<std::vector<int>> seen = {{0}, {0, 1}, {0, 2}, {0, 1, 3}, {0, 2, 4}, {0, 2, 4, 5}};
    for (int from = 0; from < 6; ++from)
        for (int to = 0; to < 6; ++to)
            EXPECT_EQ(sees(nodes, from, to), std::ranges::count(seen[static_cast<std::size_t>(from)], to) == 1) << from << " " << to;
}

TEST(Trees, LeavesStandApartAndParentsBetweenTheirChildren) {
    JudgedTrees live("small_tree", "tree_wor");
    for (const RoundSummary& round : live.view().round_list) {
        const std::vector<TreeNode> nodes = tree_nodes(round);
        ASSERT_EQ(nodes.size(), round.drafts.size());
        std::vector<float> leaves;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            std::vector<float> children;
            for (const TreeNode& other : nodes)
                if (other.parent == static_cast<int>(i)) children.push_back(other.row);
            if (children.empty())
                leaves.push_back(nodes[i].row);
            else
                EXPECT_FLOAT_EQ(nodes[i].row, (children.front() + children.back()) / 2);
        }
        std::ranges::sort(leaves);
        for (std::size_t i = 0; i < leaves.size(); ++i) EXPECT_FLOAT_EQ(leaves[i], static_cast<float>(i));
    }
}

TEST(TreesScene, ShowsABlockAndATree) {
    JudgedTrees block("small", "block");
    block.beat(kTreesRescueBeat);
    const BlockVerdict verdict = trees_model(block.input(), {}).verdict(); // its own guess, or the worked example's
    const Said rescued = block.said("coins.title:rescued");
    EXPECT_EQ(test::whole(rescued, "token"), verdict.token_kept);
    EXPECT_EQ(test::whole(rescued, "block"), verdict.block_kept);
    const Said sum = block.said("block.sum:whole");
    EXPECT_EQ(test::real(sum, "token"), verdict.token_expected);
    EXPECT_EQ(test::real(sum, "block"), verdict.block_expected);
    JudgedTrees tree("small_tree", "tree_wor");
    tree.beat(3);
    const std::vector<TreeNode> nodes = trees_model(tree.input(), {}).nodes;
    const Said title = tree.said("branches.title:tree");
    EXPECT_EQ(test::whole(title, "guesses"), std::ssize(nodes));
    EXPECT_EQ(test::whole(title, "kept"), std::ranges::count(nodes, DraftSlot::State::accepted, &TreeNode::state));
    EXPECT_TRUE(tree.bench->shows("Who sees whom"));
}

int count_of(const SceneBench& bench, const std::string& text, float left = 0) {
    return static_cast<int>(
        std::ranges::count_if(bench.texts, [&](const ui::RecordedText& t) { return t.text == text && t.box.x >= left && t.seen.w > 0; }));
}

TEST(TreesScene, AnExampleStandsInWhereTheRunHasNoBlock) {
    for (const auto& [drafter, rule, temperature, why] :
         {std::tuple{"small_tree", "tree_wor", 1.0, "trees"}, {"small", "token", 0.0, "greedy"}, {"small", "token", 1.0, "by_guess"}}) {
        JudgedTrees live(drafter, rule, {0, 0, 1280, 720}, 4, temperature);
        live.beat(0);
        EXPECT_EQ(live.bench->shows("Who sees whom"), std::string(drafter) == "small_tree") << "a real tree comes first";
        for (const int beat : {1, 2}) {
            live.beat(beat);
            const std::string where = std::string(drafter) + " beat " + std::to_string(beat);
            EXPECT_TRUE(live.says(std::string("words.why_example:") + why)) << where;
            EXPECT_TRUE(live.bench->shows("A worked example")) << where;
            EXPECT_TRUE(live.bench->shows("TABLE")) << where;
            EXPECT_FALSE(live.bench->shows("Who sees whom")) << where;
            for (const char* word : {"missed", "lost", "rescued", "hit"}) EXPECT_EQ(count_of(*live.bench, word), 1) << where << " " << word;
        }
    }
    JudgedTrees block("small", "block");
    block.beat(1);
    const bool rescued = find_in(block.view(), rescued_guess()).has_value();
    EXPECT_EQ(block.bench->shows("A worked example"), !rescued);
    EXPECT_EQ(block.bench->shows("TABLE"), !rescued);
    const RunView whole = block.view(); // who chooses a round of the run sees it, with a rescue or without
    const auto judged = std::ranges::find_if(whole.round_list, [](const RoundSummary& c) { return block_verdict(c).has_value(); });
    ASSERT_NE(judged, whole.round_list.end());
    block.bench->controller.perform({SceneCommand{Select{Position{judged->round, 0}}}}, block.bench->time);
    block.bench->settle();
    EXPECT_FALSE(block.bench->shows("A worked example"));
    EXPECT_FALSE(block.bench->shows("TABLE"));
}

// As many columns as are legible, each with one word for each rule; the others are counted.
TEST(TreesScene, LongBlocksStayLegible) {
    for (const Size& s : kSizes)
        for (const char* drafter : {"small", "domino"}) {
            JudgedTrees live(drafter, "block", {0, 0, s.w, s.h}, 15);
            live.beat(2);
            for (const RoundSummary& round : live.view().round_list) {
                live.bench->controller.perform({SceneCommand{SetCursor{round.end_event}}}, live.bench->time);
                live.bench->controller.perform({SceneCommand{Select{Position{round.round, 0}}}}, live.bench->time);
                live.bench->settle();
                const std::string where = std::string(drafter) + " " + s.name + " round " + std::to_string(round.round + 1);
                look(*live.bench, where, s.w < 1000);
                const auto verdict = block_verdict(round);
                if (!verdict || s.w < 1100) continue;
                int columns = 0, words = 0, left_out = 0;
                for (const ui::RecordedText& t : live.bench->texts) {
                    columns += t.text.starts_with("h ");
                    for (const char* word : {"stays", "hit", "rescued", "missed", "lost"}) words += t.text == word;
                    if (t.text.starts_with("+") && t.box.y < 200) left_out += std::stoi(t.text);
                }
                EXPECT_EQ(words, 2 * columns) << where;
                EXPECT_EQ(columns + left_out, static_cast<int>(verdict->columns.size())) << where;
                EXPECT_GE(columns, std::min(3, static_cast<int>(verdict->columns.size()))) << where;
            }
        }
}

TEST(TreesScene, TreeAndMaskHaveTheSameNumbers) {
    JudgedTrees live("small_tree", "tree_wor", {0, 0, 1280, 720});
    live.beat(3);
    const auto nodes = trees_model(live.bench->controller.frame(0).scene, {}).nodes;
    ASSERT_GE(nodes.size(), 3u);
    const float mask = std::ranges::find_if(live.bench->texts, [](const ui::RecordedText& t) { return t.text == "Who sees whom"; })->box.x;
    for (std::size_t i = 0; i <= nodes.size(); ++i) {
        int in_tree = 0, in_mask = 0;
        for (const ui::RecordedText& t : live.bench->texts)
            if (t.text == std::to_string(i) && t.size == 14 && t.box.y > 100 && t.box.y < 520 && t.box.x > 60)
                (t.box.x < mask ? in_tree : in_mask) += 1;
        EXPECT_EQ(in_tree, 1) << i;
        EXPECT_EQ(in_mask, 2) << i << ": its row and its column";
    }
    EXPECT_TRUE(live.bench->shows(std::to_string(nodes.size()) + " sees 0"));
    const std::vector<Said> seen = test::all_said(live.told(), "trees.sight.row");
    EXPECT_EQ(test::whole(seen.front(), "row"), std::ssize(nodes)) << "it is drawn";
}

// A file that a newer version saved may name a drafter that this one does not know.
TEST(Trees, ADrafterThatNobodyKnowsDraftsNeitherChainsNorTrees) {
    JudgedTrees live("small", "token");
    SceneInput input = live.bench->controller.frame(0).scene;
    RunSettings settings = live.settings;
    input.settings = &settings;
    for (const char* name : {"future", "future_tree", ""}) {
        settings.drafter = name;
        const TreesModel model = trees_model(input, {});
        EXPECT_EQ(model.chain_drafter, "small") << name;
        EXPECT_EQ(model.tree_drafter, "small_tree") << name;
    }
}

TEST(TreesScene, ThePanelNamesWhoDraftsThere) {
    JudgedTrees domino("domino", "block");
    const TreesModel model = trees_model(domino.bench->controller.frame(0).scene, {});
    const auto expect_title = [](JudgedTrees& live, int k, const char* chain, const char* trees, bool dice) {
        const Said title = live.said("study.title");
        EXPECT_EQ(test::whole(title, "k"), k);
        EXPECT_EQ(test::words(title, "chain"), chain);
        EXPECT_EQ(test::words(title, "trees"), trees);
        EXPECT_EQ(test::whole(title, "dice"), dice);
    };
    EXPECT_TRUE(domino.bench->shows("On this prompt: domino, trees of small"));
    expect_title(domino, 0, "domino", "small", false);
    {
        const test::Speaking german("de");
        EXPECT_EQ(message(domino.said("study.title")).words(), "Mit diesem Prompt: domino, Bäume aus small");
    }
    for (const RunSettings& run : trees_study(domino.bench->controller.frame(0).scene, model).runs)
        EXPECT_TRUE(run.drafter == "none" || run.drafter == "domino" || run.drafter == "small_tree") << run.drafter;
    JudgedTrees tree("small_tree", "tree_wor");
    EXPECT_TRUE(tree.bench->shows("On this prompt: small, the same dice"));
    expect_title(tree, 0, "small", "", true);
    JudgedTrees one("small_tree", "tree_wor", {0, 0, 1600, 1000}, 1);
    EXPECT_TRUE(one.bench->shows("On this prompt, K = 4: small")) << "a length that is not the run's";
    expect_title(one, 4, "small", "", false);
}

TEST(TreesScene, AsksForTheRunItNeeds) {
    JudgedTrees live("small", "token");
    live.beat(1);
    EXPECT_TRUE(live.says("words.why_example:by_guess"));
    live.bench->click(live.bench->find("Judge this run by blocks"));
    ASSERT_FALSE(live.sent.empty());
    EXPECT_NE(std::get_if<Restart>(&live.sent.back()), nullptr);
    live.sent.clear();
    live.bench->key(ui::Key::u);
    ASSERT_FALSE(live.sent.empty());
    const auto* restart = std::get_if<Restart>(&live.sent.back());
    ASSERT_NE(restart, nullptr);
    EXPECT_EQ(restart->settings.rule, "block");
    EXPECT_EQ(restart->settings.drafter, "small");
    live.beat(3);
    live.bench->key(ui::Key::u);
    restart = std::get_if<Restart>(&live.sent.back());
    ASSERT_NE(restart, nullptr);
    EXPECT_EQ(restart->settings.drafter, "small_tree");
    EXPECT_TRUE(can_judge(*find_rule(restart->settings.rule), *find_drafter(restart->settings.drafter)));
}

// A window without the details panel has what was measured on its stage, when the beat speaks of it.
TEST(TreesScene, ASmallStageShowsWhatWasMeasured) {
    for (const auto& [drafter, rule] : {std::pair<const char*, const char*>{"small", "block"}, {"small_tree", "tree_wor"}}) {
        const std::string what = std::string(drafter) + " " + rule;
        for (const bool presenter : {false, true}) {
            const float scale = presenter ? presenter_scale({1280, 720}) : 1;
            JudgedTrees live(drafter, rule, {0, 0, 1280 / scale, 720 / scale});
            live.beat(kTreesCostBeat);
            live.measure();
            live.bench->controller.chrome.layout.details = false; // measuring opened it
            if (presenter) live.bench->key(ui::Key::f5);
            for (const int beat : {kTreesCostBeat, kTreesWorthBeat}) {
                live.beat(beat);
                if (beat == kTreesCostBeat && std::string(rule) == "block") continue; // an empty tree
                EXPECT_TRUE(live.bench->shows("tok/round")) << what << " beat " << beat << presenter;
                EXPECT_TRUE(live.bench->shows("tree of 16")) << what << " beat " << beat << presenter;
                look(*live.bench, what, false);
            }
        }
    }
}

TEST(TreesScene, ALargeTreeKeepsTheLabelsOfItsKeptPath) {
    int kept = 0;
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}}) {
        JudgedTrees live("small_tree", "tree_wor", screen, 8, 1, false, 40);
        live.beat(3);
        for (const RoundSummary& round : live.view().round_list) {
            live.bench->controller.perform({SceneCommand{SetCursor{round.end_event}}}, live.bench->time);
            live.bench->settle();
            look(*live.bench, "a large tree", false);
            const TreesModel model = trees_model(live.bench->controller.frame(0).scene, {});
            const ui::Rect stage = frame_layout({screen.w, screen.h}).stage;
            for (const TreeNode& node : model.nodes) {
                if (node.state != DraftSlot::State::accepted) continue;
                ++kept;
                const std::string label = label_of(live.run->trace(), node.token);
                EXPECT_TRUE(std::ranges::any_of(
                    live.bench->texts,
                    [&](const ui::RecordedText& text) { return stage.contains(text.box.center()) && text.text == label; }))
                    << label << " at " << screen.w;
            }
        }
    }
    EXPECT_GT(kept, 0);
}

// Of siblings without room the first ones and the kept one are drawn; a line counts the others.
TEST(TreesScene, ATreeTooTallForItsStageCountsTheRest) {
    int left_out = 0;
    for (const ui::Rect screen : {ui::Rect{0, 0, 1600, 1000}, ui::Rect{0, 0, 1280, 720}, ui::Rect{0, 0, 800, 500}}) {
        JudgedTrees live("small_tree", "tree_wor", screen, 1, 1, false, 58, 64);
        live.beat(3);
        for (const RoundSummary& round : live.view().round_list) {
            if (round.drafts.size() < 50) continue;
            live.bench->controller.perform({SceneCommand{SetCursor{round.end_event}}}, live.bench->time);
            live.bench->settle();
            const std::string where = std::to_string(static_cast<int>(screen.w)) + " round " + std::to_string(round.round + 1);
            const ui::Rect stage = frame_layout({screen.w, screen.h}).stage;
            EXPECT_EQ(overlap_of(live.bench->texts), "") << where;
            for (const ui::RecordedText& t : live.bench->clipped)
                EXPECT_TRUE(screen.w < 1000 || !stage.contains(t.box.center())) << where << ": " << t.text;
            const auto mask = std::ranges::find(live.bench->texts, "Who sees whom", &ui::RecordedText::text);
            const float right = mask == live.bench->texts.end() ? 1e6F : mask->box.x;
            std::vector<float> numbers; // of the nodes
            int more = 0;
            bool kept = round.path.empty();
            for (const ui::RecordedText& t : live.bench->texts) {
                if (t.box.x > right || t.seen.w <= 0 || !stage.contains(t.box.center())) continue;
                if (t.text.starts_with("… ") && t.text.find(" more siblings") != std::string::npos)
                    more = std::stoi(t.text.substr(std::string("… ").size()));
                for (std::size_t i = 0; i < round.drafts.size(); ++i)
                    if (t.font == ui::Font::mono && t.size == 14 && t.text == std::to_string(1 + i) &&
                        t.color == ui::theme(live.bench->controller.theme).muted)
                        numbers.push_back(t.baseline);
                kept =
                    kept || t.text == label_of(live.run->trace(), round.drafts[static_cast<std::size_t>(round.path.front())].draft->token);
            }
            EXPECT_GT(more, 0) << where << "\n" << live.bench->words;
            left_out += more;
            EXPECT_TRUE(kept) << where;
            EXPECT_EQ(static_cast<int>(numbers.size()) + more, static_cast<int>(round.drafts.size())) << where;
            std::ranges::sort(numbers);
            for (std::size_t i = 1; i < numbers.size(); ++i) EXPECT_GE(numbers[i] - numbers[i - 1], 16) << where << ": a chip on another";
        }
    }
    EXPECT_GT(left_out, 0) << "or nothing was tried";
}

TEST(Trees, ALayoutKeepsToItsRowsAndCountsWhatItLeavesOut) {
    // Three children each, three levels; the kept path runs along the last ones.
    std::vector<TreeNode> nodes;
    for (int level = 1, first = -1, end = 0; level <= 3; ++level) {
        const int begin = static_cast<int>(nodes.size());
        for (int parent = first; parent < end; ++parent)
            for (int child = 0; child < 3; ++child) nodes.push_back({child, parent, level, {}, 0});
        first = begin, end = static_cast<int>(nodes.size());
    }
    ASSERT_EQ(nodes.size(), 39u);
    const std::vector<int> path = {2, 11, 38};
    for (std::size_t i = 0; i < path.size(); ++i) {
        TreeNode& node = nodes[static_cast<std::size_t>(path[i])];
        node.state = DraftSlot::State::accepted;
        ASSERT_EQ(node.parent, i == 0 ? -1 : path[i - 1]);
    }
    EXPECT_EQ(tree_layout(nodes, 27).rows, 27) << "all of them fit";
    EXPECT_TRUE(tree_layout(nodes, 27).rests.empty());
    for (int most = 2; most < 27; ++most) {
        const TreeLayout layout = tree_layout(nodes, most);
        EXPECT_LE(layout.rows, most);
        int drawn = 0, counted = 0;
        for (const TreeNode& node : layout.nodes) {
            drawn += node.drawn();
            EXPECT_TRUE(node.drawn() || node.state != DraftSlot::State::accepted) << most;
            if (!node.drawn()) continue;
            EXPECT_LT(node.row, static_cast<float>(layout.rows));
            for (const TreeNode& other : layout.nodes)
                EXPECT_TRUE(&other == &node || !other.drawn() || other.depth != node.depth || std::abs(other.row - node.row) >= 1) << most;
            for (const TreeRest& rest : layout.rests)
                EXPECT_TRUE(node.depth < rest.depth || std::abs(rest.row - node.row) >= 1) << most << ": nothing stands to its right";
        }
        for (const TreeRest& rest : layout.rests) counted += rest.guesses;
        EXPECT_EQ(drawn + counted, 39) << most;
    }
}

TEST(TreesScene, NothingCollidesWhereEverythingIsShown) {
    for (const auto& [drafter, rule] :
         {std::pair<const char*, const char*>{"small", "block"}, {"small_tree", "tree_wor"}, {"small", "token"}}) {
        for (const Size& s : kSizes) {
            JudgedTrees live(drafter, rule, {0, 0, s.w, s.h});
            for (int beat = 0; beat < kTreesBeats; ++beat) {
                live.beat(beat);
                if (s.w == 1280) expect_whole_story(*live.bench, std::string("trees, ") + rule);
                look(*live.bench, std::string("trees, ") + drafter + " " + rule + " " + s.name + " beat " + std::to_string(beat),
                     s.w < 1000);
            }
        }
        JudgedTrees narrow(drafter, rule, {0, 0, 1280, 720}, 12);
        narrow.bench->key(ui::Key::i); // the details take their room from the stage
        EXPECT_TRUE(narrow.bench->shows("On this prompt"));
        for (int beat = 0; beat < kTreesBeats; ++beat) {
            narrow.beat(beat);
            look(*narrow.bench, std::string("trees beside the details, ") + drafter + " " + rule, false);
        }
    }
}

TEST(TreesScene, ASmallTreeHasItsMaskToo) {
    JudgedTrees one("small_tree", "tree_wor", {0, 0, 1600, 1000}, 1);
    one.beat(3);
    EXPECT_TRUE(one.bench->shows("Who sees whom")) << one.bench->words;
    look(*one.bench, "a tree of one level", false);
}

// Where the lines of a picture end.
class LineCanvas : public ui::RecordCanvas {
  public:
    using RecordCanvas::RecordCanvas;
    std::vector<ui::Vec2> ends;
    void line(ui::Vec2 from, ui::Vec2 to, const ui::Stroke& stroke) override {
        ends.push_back(to);
        RecordCanvas::line(from, to, stroke);
    }
};

TEST(TreesScene, BranchesEndBeforeTheNumbersOfTheirNodes) {
    const auto trace = fixtures::toy_run({.name = "wide", .rule = "tree_wor", .drafter = "small_tree", .k = 10, .nodes = 40});
    SceneBench bench("trees");
    bench.show(trace, fold(*trace, trace->size()).round_list[0].end_event);
    SceneInput input = bench.controller.frame(0).scene;
    TreesState state;
    state.tree = true;
    const TreesModel model = trees_model(input, state);
    for (const float width : {1400.0F, 900.0F, 700.0F}) {
        const ui::Rect screen{0, 0, width, 560};
        LineCanvas canvas(scene_fonts(), screen);
        ui::WidgetState widgets;
        const ui::Input nothing;
        ui::Ui ui(canvas, nothing, ui::theme(ui::ThemeKind::dark), widgets, screen);
        std::vector<SceneCommand> out;
        draw_trees_stage({input, model, state, ui, out}, screen);
        int numbers = 0;
        for (const ui::RecordedText& text : canvas.texts())
            for (const ui::Vec2 end : canvas.ends) {
                const bool number =
                    text.text.find_first_not_of("0123456789") == std::string::npos && text.text != "42"; // a token of the toy model
                const bool its = number && std::abs(text.box.center().y - end.y) < 6 && end.x > text.box.x - 16 && end.x < text.box.right();
                numbers += its;
                EXPECT_TRUE(!its || end.x <= text.box.x - 3) << text.text << " at " << width;
            }
        EXPECT_GT(numbers, 5) << width;
    }
}

void expect_token_is(const Said& token, const std::string& bytes) {
    const bool spaces = token.text == "words.token:spaces";
    EXPECT_EQ(spaces ? std::string(static_cast<std::size_t>(test::whole(token, "n")), ' ') : test::words(token, "text"),
              spaces ? bytes : ui::token_in_text(bytes));
}

// Every guess of a block with all its numbers, those that have no column as well.
void expect_columns_told(const ToldFrame& told, const TreesModel& model, const Trace& trace) {
    const BlockVerdict& v = model.verdict();
    const std::vector<Said> columns = test::all_said(told, "trees.block.column");
    ASSERT_EQ(columns.size(), v.columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const BlockColumn& c = v.columns[i];
        const Said& said = columns[i];
        EXPECT_EQ(test::whole(said, "guess"), static_cast<std::int64_t>(i) + 1);
        if (model.block) {
            expect_token_is(test::inner(said, "token"), trace.text(c.token));
        } else {
            EXPECT_EQ(test::words(said, "token"), c.token == 0 ? "A" : "B");
        }
        EXPECT_EQ(test::real(said, "p"), c.p);
        EXPECT_EQ(test::real(said, "q"), c.q);
        EXPECT_EQ(test::maybe<double>(test::inner(said, "ratio"), "ratio"),
                  c.q > 0 ? std::optional(std::min(c.p / c.q, 99.0)) : std::nullopt);
        EXPECT_EQ(test::real(said, "u"), c.coin);
        EXPECT_EQ(test::real(said, "a"), c.token_keep);
        EXPECT_EQ(test::real(said, "token_all"), c.token_survives);
        EXPECT_EQ(test::real(said, "product"), c.joint);
        EXPECT_EQ(test::real(said, "h"), c.block_keep);
        EXPECT_EQ(test::real(said, "block_all"), c.block_survives);
        const bool thrown = static_cast<int>(i) <= v.token_kept; // behind its first miss the token rule throws no coin
        EXPECT_EQ(test::inner(said, "token_fate").text, !thrown        ? "block.fate:lost"
                                                        : c.token_kept ? "block.fate:stays"
                                                                       : "block.fate:missed");
        EXPECT_EQ(test::inner(said, "block_fate").text, !c.block_kept           ? "block.fate:missed"
                                                        : c.coin < c.block_keep ? "block.fate:hit"
                                                                                : "block.fate:rescued");
    }
    const Said sum = test::only_said(told, "trees.block.sum:whole");
    EXPECT_EQ(test::real(sum, "token"), v.token_expected);
    EXPECT_EQ(test::real(sum, "block"), v.block_expected);
    EXPECT_EQ(test::whole(sum, "token_kept"), v.token_kept);
    EXPECT_EQ(test::whole(sum, "block_kept"), v.block_kept);
}

// Title and subtitle of a block.
void expect_block_titled(const ToldFrame& told, const TreesModel& model, int beat) {
    const BlockVerdict& v = model.verdict();
    const auto guesses = std::ssize(v.columns);
    if (beat == 0) {
        const Said title = test::only_said(told, "trees.ways.title:chain");
        EXPECT_EQ(test::whole(title, "kept"), v.token_kept);
        EXPECT_EQ(test::whole(title, "lost"), std::max<std::int64_t>(0, guesses - v.token_kept - 1));
        EXPECT_EQ(test::whole(title, "guesses"), guesses);
    } else if (beat == 1) {
        const Said title = test::only_said(told, "trees.product.title");
        EXPECT_EQ(test::real(title, "p"), v.columns.back().joint);
        EXPECT_EQ(test::whole(title, "guesses"), guesses);
    } else {
        const Said title = test::only_said(told, v.block_kept > v.token_kept ? "trees.coins.title:rescued" : "trees.coins.title:alike");
        EXPECT_EQ(test::whole(title, "token"), v.token_kept);
        EXPECT_EQ(test::whole(title, "block"), v.block_kept);
        const Said text = test::only_said(told, model.block ? "trees.coins.text:of_run" : "trees.coins.text:example");
        EXPECT_EQ(test::real(text, "token"), v.token_expected);
        EXPECT_EQ(test::real(text, "block"), v.block_expected);
    }
    EXPECT_EQ(test::words(test::only_said(told, "shared.words.data"), "tier"), model.block ? "LIVE" : "TABLE");
    EXPECT_EQ(says(told, "trees.subtitle.example"), !model.block);
    EXPECT_EQ(says(told, "trees.words.example"), !model.block);
    if (!model.block) {
        const Said example = test::only_said(told, "trees.words.example");
        EXPECT_EQ(test::whole(example, "of"), 3);
        for (const auto& [name, thirds] : {std::pair{"target_a", 1}, {"target_b", 2}, {"draft_a", 2}, {"draft_b", 1}})
            EXPECT_EQ(test::whole(example, name), thirds) << name;
        EXPECT_EQ(test::real(example, "token"), block_example().token_mean);
        EXPECT_EQ(test::real(example, "block"), block_example().block_mean);
        return;
    }
    const Said subtitle = test::only_said(told, "trees.subtitle.block");
    EXPECT_EQ(test::whole(subtitle, "of"), v.round + 1);
    if (v.round != model.round) {
        EXPECT_EQ(test::whole(test::inner(subtitle, "without"), "number"), model.round + 1);
    }
    EXPECT_EQ(test::words(subtitle, "drafter"), "small");
    for (const Said& means : {subtitle, test::only_said(told, "trees.study.means")}) {
        EXPECT_EQ(test::whole(means, "blocks"), model.blocks);
        EXPECT_EQ(test::real(means, "token"), model.token_mean);
        EXPECT_EQ(test::real(means, "block"), model.block_mean);
    }
}

// Which of its numbers stands where in what is said of a block of the run, in words.
void expect_block_in_words(const ToldFrame& told, const TreesModel& model, int beat, bool german) {
    const BlockVerdict& v = model.verdict();
    const auto guesses = static_cast<int>(v.columns.size()), lost = std::max(0, guesses - v.token_kept - 1);
    const std::string token = ui::number(model.token_mean, 2), block = ui::number(model.block_mean, 2), n = std::to_string(model.blocks);
    std::vector<std::string> lines;
    if (model.blocks > 1)
        lines.push_back(
            german
                ? "Mittel über " + n + " Blöcke dieses Laufs: " + token + " Entwürfe erwartet Token für Token, " + block + " als Blöcke.\n"
                : "Means over " + n + " blocks of this run: " + token + " drafts expected token by token, " + block + " as blocks.\n");
    if (model.block && model.blocks > 1)
        lines.push_back(german ? " · Drafter small · über " + n + " Blöcke " + token + " gegen " + block + " erwartet"
                               : " · small drafter · over " + n + " blocks " + token + " against " + block + " expected");
    if (beat == 0 && lost > 0)
        lines.push_back(
            (german ? "Die Token-Regel behält " + std::to_string(v.token_kept) + " von " + std::to_string(guesses) + " und verliert "
                    : "The token rule keeps " + std::to_string(v.token_kept) + " of " + std::to_string(guesses) + ", and loses ") +
            std::to_string(lost) + (german ? " hinter der ersten Ablehnung\n" : " behind the first miss\n"));
    if (beat == 1)
        lines.push_back((german ? "das Produkt P ist " : "the product P is ") + fine_probability(v.columns.back().joint) +
                        (german ? " nach " : " after ") + std::to_string(guesses) + " ");
    if (beat == kTreesRescueBeat) {
        const auto kept = [&](int count) {
            return count > 0 ? stories().numbers()[static_cast<std::size_t>(count)] : std::string(german ? "keiner" : "none");
        };
        lines.push_back(kept(v.token_kept) + (german ? " Token für Token behalten, " : " kept token by token, ") + kept(v.block_kept) +
                        (german ? " als Block\n" : " as a block\n"));
        lines.push_back((german ? "behält die Token-Regel " : "the token rule keeps ") + ui::number(v.token_expected, 2) +
                        (german ? " dieser Vorschläge, der Block " : " of these guesses, the block ") + ui::number(v.block_expected, 2) +
                        ".");
    }
    const std::string words = in_words(told);
    for (const std::string& line : lines) EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
}

// Without a drafter of trees, so that the first beat shows the block as well.
TEST(TreesTold, TellsEveryBlockWithItsNumbersInBothLanguages) {
    int blocks = 0, examples = 0, rescued = 0;
    for (const char* language : {"en", "de"})
        for (const char* rule : {"block", "token"}) {
            const test::Speaking speaking(language);
            JudgedTrees live("small", rule, {0, 0, 1600, 1000}, 9);
            live.published.status.ready_drafters = {"none", "small"};
            live.show();
            for (const RoundSummary& round : live.view().round_list) {
                live.bench->controller.perform({SceneCommand{SetCursor{round.end_event}}}, live.bench->time);
                live.bench->controller.perform({SceneCommand{Select{Position{round.round, 0}}}}, live.bench->time);
                live.bench->settle();
                for (int beat = 0; beat <= kTreesRescueBeat; ++beat) {
                    SCOPED_TRACE(std::string(language) + " " + rule + " round " + std::to_string(round.round) + " beat " +
                                 std::to_string(beat));
                    live.beat(beat);
                    const SceneInput input = live.input();
                    const TreesModel model = trees_model(input, {});
                    const ToldFrame told = told_of("trees", input); // that of the window began with a drafter of trees
                    expect_columns_told(told, model, *input.trace);
                    expect_block_titled(told, model, beat);
                    expect_block_in_words(told, model, beat, std::string_view(language) == "de");
                    if (std::string_view(language) == "en") {
                        EXPECT_GT(test::expect_drawn_numbers_told("trees", input), 6u);
                    }
                    model.block ? ++blocks : ++examples;
                    rescued += model.verdict().block_kept > model.verdict().token_kept;
                }
            }
        }
    for (const int count : {blocks, examples, rescued}) EXPECT_GT(count, 0);
}

// Which number stands where, in words; in German with a comma.
TEST(TreesTold, SaysItsNumbersInTheirPlaces) {
    for (const auto& [language, lines] :
         {std::pair<const char*, std::vector<std::string>>{
              "en",
              {"A language of two words, A and B. Target: A 1/3, B 2/3. Draft: A 2/3, B 1/3. Over all its drafts of two words the token "
               "rule "
               "keeps 1.11 on average, the block 1.22.\n",
               "Guess 1, A: target .33 ÷ draft .67 = 0.50, coin .70; token rule: chance .50, missed, all up to here .50; block: product "
               ".50, "
               "chance of a hit 0, rescued, all up to here 1.00\n",
               "Guess 2, B: target .67 ÷ draft .33 = 2.00, coin .40; token rule: chance 1.00, lost, all up to here .50; block: product "
               "1.00, "
               "chance of a hit 1.00, hit, all up to here 1.00\n",
               "Expected from this draft: 1.00 kept token by token, 2.00 as a block; with these coins 0 and 2\n"}},
          {"de",
           {"Eine Sprache aus zwei Wörtern, A und B. Zielmodell: A 1/3, B 2/3. Entwurf: A 2/3, B 1/3. Über alle Entwürfe aus zwei Wörtern "
            "behält die Token-Regel im Mittel 1,11, der Block 1,22.\n",
            "Vorschlag 1, A: Ziel 0,33 ÷ Entwurf 0,67 = 0,50, Münze 0,70; Token-Regel: Chance 0,50, verfehlt, alles bis hier 0,50; Block: "
            "Produkt 0,50, Trefferchance 0, gerettet, alles bis hier 1,00\n",
            "Vorschlag 2, B: Ziel 0,67 ÷ Entwurf 0,33 = 2,00, Münze 0,40; Token-Regel: Chance 1,00, verloren, alles bis hier 0,50; Block: "
            "Produkt 1,00, Trefferchance 1,00, Treffer, alles bis hier 1,00\n",
            "Von diesem Entwurf erwartet: 1,00 Token für Token behalten, 2,00 als Block; mit diesen Münzen 0 und 2\n"}}}) {
        const test::Speaking speaking(language);
        JudgedTrees live("small", "token");
        live.beat(kTreesRescueBeat);
        const std::string words = in_words(live.told());
        for (const std::string& line : lines) EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
    }
}

// Every guess of a tree, where it stands and what became of it; who sees whom. Those without room are told as well.
TEST(TreesTold, TellsEveryGuessOfATreeInBothLanguages) {
    int kept = 0, refused = 0, discarded = 0;
    for (const char* language : {"en", "de"})
        for (const int budget : {12, 58}) {
            const test::Speaking speaking(language);
            JudgedTrees live("small_tree", "tree_wor", {0, 0, 1600, 1000}, budget == 12 ? 4 : 1, 1, false, budget, budget == 12 ? 3 : 64);
            for (const RoundSummary& round : live.view().round_list) {
                if (round.drafts.empty()) continue;
                live.bench->controller.perform({SceneCommand{SetCursor{round.end_event}}}, live.bench->time);
                live.bench->settle();
                for (const int beat : {0, 3, kTreesCostBeat}) {
                    SCOPED_TRACE(std::string(language) + " round " + std::to_string(round.round) + " beat " + std::to_string(beat));
                    live.beat(beat);
                    const SceneInput input = live.input();
                    const std::vector<TreeNode> nodes = trees_model(input, {}).nodes;
                    const ToldFrame told = live.told();
                    const std::vector<Said> said = test::all_said(told, "trees.tree.node");
                    ASSERT_EQ(said.size(), nodes.size());
                    const bool german = std::string_view(language) == "de";
                    const std::string words = in_words(told);
                    int levels = 0;
                    for (std::size_t i = 0; i < nodes.size(); ++i) {
                        const std::string after = nodes[i].parent < 0
                                                      ? (german ? "dem Text" : "the text")
                                                      : (german ? "Vorschlag " : "guess ") + std::to_string(nodes[i].parent + 1);
                        const std::string line = (german ? "Vorschlag " : "Guess ") + std::to_string(i + 1) +
                                                 (german ? ", Ebene " : ", level ") + std::to_string(nodes[i].depth) +
                                                 (german ? ", nach " : ", after ") + after + ": ";
                        EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
                        EXPECT_EQ(test::whole(said[i], "node"), static_cast<std::int64_t>(i) + 1);
                        EXPECT_EQ(test::whole(said[i], "level"), nodes[i].depth);
                        EXPECT_EQ(test::whole(said[i], "after"), nodes[i].parent + 1);
                        expect_token_is(test::inner(said[i], "token"), input.trace->text(nodes[i].token));
                        using State = DraftSlot::State;
                        const State state = nodes[i].state;
                        EXPECT_EQ(test::inner(said[i], "fate").text, state == State::accepted    ? "tree.fate:kept"
                                                                     : state == State::rejected  ? "tree.fate:refused"
                                                                     : state == State::discarded ? "tree.fate:discarded"
                                                                                                 : "tree.fate:open");
                        kept += state == State::accepted, refused += state == State::rejected, discarded += state == State::discarded;
                        levels = std::max(levels, nodes[i].depth);
                    }
                    std::set<std::int64_t> rows;
                    for (const Said& row : test::all_said(told, "trees.sight.row")) {
                        const int from = static_cast<int>(test::whole(row, "row"));
                        rows.insert(from);
                        std::vector<std::int64_t> seen, expected;
                        for (const SaidValue& value : row.values)
                            if (value.name == "before" && value.there())
                                for (const Said& one : test::list(row, "before")) seen.push_back(test::whole(one, "row"));
                        seen.push_back(test::whole(row, "last"));
                        for (int to = 0; to < from; ++to)
                            if (sees(nodes, from, to)) expected.push_back(to);
                        EXPECT_EQ(seen, expected) << from;
                        std::string line = std::to_string(from) + (german ? " sieht " : " sees ");
                        for (std::size_t i = 0; i < expected.size(); ++i)
                            line += (i == 0                    ? ""
                                     : i + 1 < expected.size() ? ", "
                                     : german                  ? " und "
                                                               : " and ") +
                                    std::to_string(expected[i]);
                        EXPECT_NE(words.find(line + "\n"), std::string::npos) << line << "\n" << words;
                    }
                    EXPECT_EQ(std::ssize(rows), std::ssize(nodes));
                    EXPECT_EQ(test::whole(test::only_said(told, "trees.sight.mask"), "rows"), std::ssize(nodes) + 1);
                    const Said tree = test::only_said(told, "trees.tree.title");
                    EXPECT_EQ(test::whole(tree, "guesses"), std::ssize(nodes));
                    EXPECT_EQ(test::whole(tree, "levels"), levels);
                    const int anchor = anchor_of(*input.whole, *shown_round(input));
                    expect_token_is(test::inner(test::only_said(told, "trees.tree.from"), "token"), input.trace->text(anchor));
                    const auto stay = std::ranges::count(nodes, DraftSlot::State::accepted, &TreeNode::state);
                    const Said title = test::only_said(told, beat == 0   ? "trees.ways.title:tree"
                                                             : beat == 3 ? "trees.branches.title:tree"
                                                                         : "trees.cost.title:tree");
                    if (beat == kTreesCostBeat) {
                        EXPECT_EQ(test::whole(title, "rows"), std::ssize(nodes) + 1);
                    } else {
                        EXPECT_EQ(test::whole(title, "guesses"), std::ssize(nodes));
                    }
                    EXPECT_EQ(test::whole(title, beat == 0 ? "places" : "kept"), beat == 0 ? levels : stay);
                    const Said subtitle = test::only_said(told, "trees.subtitle.tree");
                    EXPECT_EQ(test::whole(test::inner(subtitle, "round"), "number"), round.round + 1);
                    EXPECT_EQ(test::words(subtitle, "drafter"), "small_tree");
                    EXPECT_EQ(test::words(subtitle, "rule"), "tree_wor");
                    EXPECT_EQ(test::words(subtitle, "instead_of"), "");
                    const std::string guesses = std::to_string(nodes.size()), rows_n = std::to_string(nodes.size() + 1),
                                      deep = std::to_string(levels);
                    std::vector<std::string> lines = {german ? " · Drafter small_tree, Regel tree_wor"
                                                             : " · small_tree drafter, tree_wor rule"};
                    if (levels > 1)
                        lines.push_back((german ? "Der Baum: " : "The tree: ") + guesses + (german ? " Vorschläge, " : " guesses, ") +
                                        deep + (german ? " Ebenen\n" : " levels\n"));
                    if (levels > 1 && beat == 0)
                        lines.push_back(guesses + (german ? " Vorschläge für " : " guesses for ") + deep +
                                        (german ? " Stellen: " : " places: "));
                    if (beat == 3) lines.push_back(guesses + (german ? " Vorschläge in einem Durchlauf, " : " guesses in one pass, "));
                    if (beat == kTreesCostBeat)
                        lines.push_back(rows_n + (german ? " Zeilen eines Durchlaufs für " : " rows of one pass for "));
                    for (const std::string& line : lines) EXPECT_NE(words.find(line), std::string::npos) << line << "\n" << words;
                }
            }
        }
    EXPECT_GT(kept, 0);
    EXPECT_GT(refused + discarded, 0);
}

} // namespace

} // namespace speclens
