// Scene S11: one block under two rules with the same coins, the layout, mask and picture of a tree, and the commands.
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "engine/drafters/drafter_info.h"
#include "engine/rules/verify.h"
#include "scenes/shared/words.h"
#include "scenes/trees/trees_draw.h"
#include "tests/scenes/scenes_fixtures.h"
#include "tests/scenes/scenes_look.h"
#include "tests/scenes/trees_bench.h"

namespace speclens {
namespace {

// What the picture says of the token rule is what the rule itself does with those distributions and coins; of the
// block what the run did.
TEST(Trees, BothVerdictsAreThoseOfTheRules) {
    Judged live("small", "block");
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
    EXPECT_FALSE(block_verdict(Judged("small", "token").view().round_list.front())) << "the token rule's checks do not say it";
    EXPECT_FALSE(block_verdict(Judged("small_tree", "tree_wor").view().round_list.front()));
}

// A cascade records the coefficient of a block as well, but of its mixture: p ÷ q would not be the ratio that
// judged, and its text does not follow the target's distribution.
TEST(Trees, ACascadeThatJudgesBlocksIsNoBlockVerification) {
    Judged live("small", "cascade_tokenV3", {0, 0, 1600, 1000}, 4, 1, true);
    int judged = 0;
    for (const RoundSummary& round : live.view().round_list) {
        for (const DraftSlot& slot : round.drafts) judged += slot.check && slot.check->prefix_coefficient && slot.check->mixture;
        EXPECT_FALSE(block_verdict(round)) << round.round;
    }
    EXPECT_GT(judged, 0) << "the run did judge blocks";
    live.beat(2);
    EXPECT_EQ(trees_model(live.bench->controller.frame(0).scene, {}).blocks, 0);
    EXPECT_TRUE(live.bench->shows("judged against a mixture"));
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
    Judged live("small", "block");
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
    Judged live("small_tree", "tree_wor");
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
    Judged block("small", "block");
    block.beat(kTreesRescueBeat);
    EXPECT_TRUE(block.bench->shows("A later hit rescues a miss")) << "its own guess, or the worked example's";
    EXPECT_TRUE(block.bench->shows("Expected from this draft"));
    Judged tree("small_tree", "tree_wor");
    tree.beat(3);
    EXPECT_TRUE(tree.bench->shows("in one pass"));
    EXPECT_TRUE(tree.bench->shows("Who sees whom"));
}

int count_of(const SceneBench& bench, const std::string& text, float left = 0) {
    return static_cast<int>(
        std::ranges::count_if(bench.texts, [&](const ui::RecordedText& t) { return t.text == text && t.box.x >= left && t.seen.w > 0; }));
}

TEST(TreesScene, AnExampleStandsInWhereTheRunHasNoBlock) {
    for (const auto& [drafter, rule, temperature, why] : {std::tuple{"small_tree", "tree_wor", 1.0, "This run drafts trees."},
                                                          {"small", "token", 0.0, "This run is greedy."},
                                                          {"small", "token", 1.0, "This run is judged guess by guess."}}) {
        Judged live(drafter, rule, {0, 0, 1280, 720}, 4, temperature);
        live.beat(0);
        EXPECT_EQ(live.bench->shows("Who sees whom"), std::string(drafter) == "small_tree") << "a real tree comes first";
        for (const int beat : {1, 2}) {
            live.beat(beat);
            const std::string where = std::string(drafter) + " beat " + std::to_string(beat);
            EXPECT_TRUE(live.bench->shows(why)) << where;
            EXPECT_TRUE(live.bench->shows("TABLE")) << where;
            EXPECT_FALSE(live.bench->shows("Who sees whom")) << where;
            for (const char* word : {"missed", "lost", "rescued", "hit"}) EXPECT_EQ(count_of(*live.bench, word), 1) << where << " " << word;
        }
    }
    Judged block("small", "block");
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
            Judged live(drafter, "block", {0, 0, s.w, s.h}, 15);
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
    Judged live("small_tree", "tree_wor", {0, 0, 1280, 720});
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
}

// A file that a newer version saved may name a drafter that this one does not know.
TEST(Trees, ADrafterThatNobodyKnowsDraftsNeitherChainsNorTrees) {
    Judged live("small", "token");
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
    Judged domino("domino", "block");
    const TreesModel model = trees_model(domino.bench->controller.frame(0).scene, {});
    EXPECT_TRUE(domino.bench->shows("On this prompt: domino, trees of small"));
    for (const RunSettings& run : trees_study(domino.bench->controller.frame(0).scene, model).runs)
        EXPECT_TRUE(run.drafter == "none" || run.drafter == "domino" || run.drafter == "small_tree") << run.drafter;
    EXPECT_TRUE(Judged("small_tree", "tree_wor").bench->shows("On this prompt: small, the same dice"));
}

TEST(TreesScene, AsksForTheRunItNeeds) {
    Judged live("small", "token");
    live.beat(1);
    EXPECT_TRUE(live.bench->shows("This run is judged guess by guess."));
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
            Judged live(drafter, rule, {0, 0, 1280 / scale, 720 / scale});
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
        Judged live("small_tree", "tree_wor", screen, 8, 1, false, 40);
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
        Judged live("small_tree", "tree_wor", screen, 1, 1, false, 58, 64);
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
            Judged live(drafter, rule, {0, 0, s.w, s.h});
            for (int beat = 0; beat < kTreesBeats; ++beat) {
                live.beat(beat);
                if (s.w == 1280) expect_whole_story(*live.bench, std::string("trees, ") + rule);
                look(*live.bench, std::string("trees, ") + drafter + " " + rule + " " + s.name + " beat " + std::to_string(beat),
                     s.w < 1000);
            }
        }
        Judged narrow(drafter, rule, {0, 0, 1280, 720}, 12);
        narrow.bench->key(ui::Key::i); // the details take their room from the stage
        EXPECT_TRUE(narrow.bench->shows("On this prompt"));
        for (int beat = 0; beat < kTreesBeats; ++beat) {
            narrow.beat(beat);
            look(*narrow.bench, std::string("trees beside the details, ") + drafter + " " + rule, false);
        }
    }
}

TEST(TreesScene, TellsALengthThatIsNotTheRuns) {
    const Judged one("small_tree", "tree_wor", {0, 0, 1600, 1000}, 1);
    EXPECT_TRUE(one.bench->shows("On this prompt, K = 4: small")) << one.bench->words;
}

TEST(TreesScene, ASmallTreeHasItsMaskToo) {
    Judged one("small_tree", "tree_wor", {0, 0, 1600, 1000}, 1);
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

} // namespace

} // namespace speclens
