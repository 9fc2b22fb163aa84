// Scene S11: one block under two rules with the same coins, the layout and mask of a tree, and the commands.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/run.h"
#include "engine/study.h"
#include "engine/verify.h"
#include "scenes/trees_model.h"
#include "scenes_bench.h"
#include "scenes_look.h"
#include "tests/micro.h"

namespace speclens {
namespace {

struct Judged {
    std::vector<Command> sent;
    std::shared_ptr<const Models> models = test::micro_models(1);
    RunSettings settings;
    std::unique_ptr<speclens::Run> run;
    Snapshot published;
    std::unique_ptr<SceneBench> bench;
    explicit Judged(const std::string& drafter, const std::string& rule,
                    ui::Rect screen = {0, 0, 1600, 1000}) {
        settings.token_ids = {5, 6, 7, 8, 9};
        settings.drafter = drafter;
        settings.rule = rule;
        settings.k = 4;
        settings.max_tokens = 20;
        settings.sampling.temperature = 1;
        run = std::make_unique<speclens::Run>(models, settings);
        run->finish();
        EnginePort port;
        port.send = [this](Command c) { sent.push_back(std::move(c)); };
        bench = std::make_unique<SceneBench>("trees", port, screen);
        published.trace = run->shared_trace();
        published.settings = settings;
        published.status.state = EngineStatus::State::idle;
        published.status.ready_drafters = {"none", "small", "lookup", "small_tree"};
        bench->controller.observe(published, bench->time);
        bench->settle();
        sent.clear();
    }
    [[nodiscard]] CycleView view() const { return fold(run->trace(), run->trace().size()); }
    void beat(int number) {
        bench->controller.perform({SceneCommand{SetBeat{number}}}, bench->time);
        bench->settle();
    }
};

// What the picture says of the token rule is what the rule itself does with those laws and coins; of the
// block what the run did.
TEST(Trees, BothVerdictsAreThoseOfTheRules) {
    Judged live("small", "block");
    int blocks = 0;
    for (const CycleSummary& cycle : live.view().cycles) {
        const auto verdict = block_verdict(cycle);
        if (!verdict) continue;
        ++blocks;
        EXPECT_EQ(verdict->block_kept, static_cast<int>(cycle.path.size()));
        ASSERT_EQ(verdict->columns.size(), cycle.drafts.size());
        int stays = 0;
        double survives = 1, expected = 0;
        bool standing = true;
        for (const DraftSlot& slot : cycle.drafts) {
            const double keep = std::min(1.0, std::exp(slot.check->p - slot.check->q));
            survives *= keep;
            expected += survives;
            standing = standing && *slot.check->u < keep;
            stays += standing;
        }
        EXPECT_EQ(verdict->token_kept, stays);
        EXPECT_NEAR(verdict->token_expected, expected, 1e-9);
        EXPECT_GE(verdict->columns.back().block_survives, 0);
        EXPECT_NEAR(verdict->columns.back().block_survives, verdict->columns.back().joint, 1e-9)
            << "h of the last one is its coefficient";
        for (std::size_t i = 1; i < verdict->columns.size(); ++i)
            EXPECT_LE(verdict->columns[i].block_survives, verdict->columns[i - 1].block_survives + 1e-12);
    }
    EXPECT_GE(blocks, 3);
    EXPECT_FALSE(block_verdict(Judged("small", "token").view().cycles.front()))
        << "the token rule's checks do not say it";
    EXPECT_FALSE(block_verdict(Judged("small_tree", "tree_wor").view().cycles.front()));
}

TEST(Trees, ANodeSeesItsAncestorsAndItselfOnly) {
    //      0 ── 2
    //  ·<  1 ── 3 ── 4
    const std::vector<TreeNode> nodes = {
        {1, -1, 1, {}, 0}, {2, -1, 1, {}, 0}, {3, 0, 2, {}, 0}, {4, 1, 2, {}, 0}, {5, 3, 3, {}, 0}};
    const std::vector<std::vector<int>> seen = {{0}, {0, 1}, {0, 2}, {0, 1, 3}, {0, 2, 4}, {0, 2, 4, 5}};
    for (int from = 0; from < 6; ++from)
        for (int to = 0; to < 6; ++to)
            EXPECT_EQ(sees(nodes, from, to),
                      std::ranges::count(seen[static_cast<std::size_t>(from)], to) == 1)
                << from << " " << to;
}

TEST(Trees, LeavesStandApartAndParentsBetweenTheirChildren) {
    Judged live("small_tree", "tree_wor");
    for (const CycleSummary& cycle : live.view().cycles) {
        const std::vector<TreeNode> nodes = tree_nodes(cycle);
        ASSERT_EQ(nodes.size(), cycle.drafts.size());
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
    block.beat(1);
    EXPECT_TRUE(block.bench->shows("Same draft, same coins"));
    EXPECT_TRUE(block.bench->shows("Expected from this draft"));
    Judged tree("small_tree", "tree_wor");
    tree.beat(3);
    EXPECT_TRUE(tree.bench->shows("in one pass"));
    EXPECT_TRUE(tree.bench->shows("Who sees whom"));
}

TEST(TreesScene, AsksForTheRunItNeeds) {
    Judged live("small", "token");
    live.beat(1);
    EXPECT_TRUE(live.bench->shows("a round that was judged as a block is needed"));
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

TEST(TreesScene, MeasuresAChainUnderBothRulesAndTrees) {
    Judged live("small", "token");
    live.bench->key(ui::Key::m);
    ASSERT_FALSE(live.sent.empty());
    const auto* study = std::get_if<RunStudy>(&live.sent.back());
    ASSERT_NE(study, nullptr);
    Study done{study->name, static_cast<int>(study->runs.size()), {}};
    for (const RunSettings& one : study->runs) {
        StudyPoint p;
        p.settings = one;
        p.rounds = 10;
        p.tokens = one.rule == "block" ? 35 : 30;
        p.verify_ms = one.drafter == "none" ? 1 : 1.5;
        p.draft_ms = one.drafter == "none" ? 0 : 0.5;
        done.points.push_back(p);
    }
    live.published.studies[done.name] = std::make_shared<const Study>(done);
    live.bench->controller.observe(live.published, live.bench->time);
    live.bench->settle();
    const std::vector<TreesRow> rows = trees_rows(live.bench->controller.frame(0).scene);
    ASSERT_EQ(rows.size(), 5u);
    EXPECT_EQ(rows[0].name, "chain, token");
    EXPECT_EQ(rows[1].name, "chain, block");
    EXPECT_DOUBLE_EQ(rows[1].tokens, 3.5);
    EXPECT_DOUBLE_EQ(rows[1].speedup, 3.5 / 2);
    EXPECT_EQ(rows[4].name, "tree of 16");
    EXPECT_EQ(rows[4].rows, 17);
    live.beat(5);
    EXPECT_TRUE(live.bench->shows("chain, block gives the most"));
}

TEST(TreesScene, NothingCollidesWhereEverythingIsShown) {
    for (const auto& [drafter, rule] : {std::pair<const char*, const char*>{"small", "block"},
                                        {"small_tree", "tree_wor"},
                                        {"small", "token"}})
        for (const Size& s : kSizes) {
            Judged live(drafter, rule, {0, 0, s.w, s.h});
            for (int beat = 0; beat < kTreesBeats; ++beat) {
                live.beat(beat);
                look(*live.bench,
                     std::string("trees, ") + drafter + " " + rule + " " + s.name + " beat " +
                         std::to_string(beat),
                     s.w < 1000);
            }
        }
}

} // namespace
} // namespace speclens
