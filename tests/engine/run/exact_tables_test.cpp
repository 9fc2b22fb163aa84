// Law 2 exactly: what two rounds of the production cycle write over all of their coins, on tables of three tokens from the empty text,
// gone on with by the target itself, is the target's distribution to 1e-12 (tests/shared/enumerated.h).
//
// Leaves of a round, foretold for V = 3 and K drafts a row. A chain is drawn in 3^K ways. Token rule: 3 bonus tokens, and for every place a
// refusal in half of the cases (q > p), whose residual has 1 or 2 tokens: 3 + .75 K a way, so 40 a round and 1600 in two at K = 2, 20,000
// at K = 3. Block: every place is judged, 6.5 a way and 3400 in two rounds. Match and tree_topk: each place refuses 2 tokens, the last has
// 3: 63 a round, 4000 in two. A tree of favourites has one way, 13 leaves with five nodes; drawn siblings have 3 * 2 (without) or 3 * 3
// (with replacement), and two nodes of one lane and depth share a coin, which has up to 5 pieces then. What came:
// docs/results/verification.md.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/shared/exact_tables.h"

namespace speclens {
namespace {

using ExactTables = test::TwoRoundsOnTables;

TEST_F(ExactTables, EveryDrafterUnderEverySamplingRule) {
    for (const DrafterInfo& drafter : drafter_list()) {
        if (drafter.needs_layers) continue; // on a transformer, exact_transformer_test.cpp
        for (const test::RuleGroup& rules : test::sampling_rules(drafter)) {
            test::EnumeratedCycle one = two_rounds(drafter.name, rules.first->name, 2);
            one.same = rules.same;
            const std::string name = std::string(drafter.name) + " " + rules.first->name;
            const test::Enumerated found = expect_exact(one, name);
            EXPECT_TRUE(!drafter.drafts() || found.judged()) << name;
        }
    }
}

// Five nodes: a text of four tokens leaves the second round the whole tree behind a refusal, and less of it behind what was kept.
TEST_F(ExactTables, TreesOfFiveNodes) {
    for (const char* rule : {"tree_topk", "tree_match", "tree_wor", "tree_wr", "tree_kseq"}) {
        test::EnumeratedCycle one = two_rounds("small_tree", rule, 2);
        one.settings.options.tree_budget = 5;
        one.settings.max_tokens = 4;
        if (std::string(rule) == "tree_kseq") one.rounds = 1, one.settings.max_tokens = 3;
        const test::Enumerated found = expect_exact(one, std::string(rule) + " of five nodes");
        EXPECT_TRUE(found.judged()) << rule;
    }
}

TEST_F(ExactTables, TreesOfOtherShapesAndOtherDraftSettings) {
    struct Shape {
        int k, topk, budget;
        double draft_temperature;
    };
    for (const char* rule : {"tree_topk", "tree_wor", "tree_wr", "tree_kseq"})
        for (const Shape& shape : {Shape{1, 2, 2, 1.0}, Shape{2, 3, 4, 1.8}, Shape{2, 3, 5, 0.0}}) {
            test::EnumeratedCycle one = two_rounds("small_tree", rule, shape.k);
            one.settings.options.tree_topk = shape.topk;
            one.settings.options.tree_budget = shape.budget;
            one.settings.sampling = {.temperature = 1.2, .top_p = 0.95};
            one.settings.draft_sampling = Sampling{.temperature = shape.draft_temperature};
            if (shape.budget == 4) one.rounds = 1;
            expect_exact(one, std::string(rule) + " k " + std::to_string(shape.k) + " nodes " + std::to_string(shape.budget));
        }
}

TEST_F(ExactTables, ChainsOfThreeWithFiltersAndOtherDraftSettings) {
    const std::vector<std::pair<Sampling, Sampling>> pairs{
        {{.temperature = 0.7}, {.temperature = 0.7}},
        {{.temperature = 1, .top_k = 2}, {.temperature = 1, .top_k = 2}},
        {{.temperature = 1, .top_p = 0.8}, {.temperature = 1, .top_p = 0.8}},
        {{.temperature = 1.3}, {.temperature = 0}},             // greedy drafts
        {{.temperature = 1, .top_k = 2}, {.temperature = 2}},   // filter on the target only
        {{.temperature = 1}, {.temperature = 1, .top_p = 0.5}}, // filter on the draft only
    };
    for (const auto& [target_sampling, draft_sampling] : pairs) {
        test::EnumeratedCycle one = two_rounds("small", "token", 3);
        one.settings.sampling = target_sampling;
        one.settings.draft_sampling = draft_sampling;
        expect_exact(one, "chain of three, target T " + test::number(target_sampling.temperature) + " draft T " +
                              test::number(draft_sampling.temperature));
    }
}

// The coefficient of a prefix differs from 1 in long blocks.
TEST_F(ExactTables, BlocksOfFour) {
    test::EnumeratedCycle one = two_rounds("small", "block", 4);
    one.rounds = 1;
    const test::Enumerated found = expect_exact(one, "block of four");
    EXPECT_TRUE(found.judged());
}

TEST_F(ExactTables, BlocksOfFourOverTwoTokensInTwoRounds) {
    target = test::random_table(2, 4, 31);
    draft = test::random_table(2, 3, 32);
    models = test::table_models(target, draft);
    test::EnumeratedCycle one = two_rounds("small", "block", 4);
    one.settings.prompt.token_ids = {0, 1};
    const test::Enumerated found = expect_exact(one, "block of four, two tokens");
    EXPECT_TRUE(found.judged());
}

// A cascade promises its mixture: of whole texts, over two rounds, and with block verification inside. The mixture is worked out here a
// second time, from the formula.
TEST_F(ExactTables, CascadesFollowTheirMixture) {
    struct Case {
        const char* rule;
        bool block;
        double temperature, alpha;
    };
    for (const Case& c :
         {Case{"cascade_tokenV3", false, 1, 0.3}, Case{"cascade_tokenV3", true, 0.8, 0.3}, Case{"cascade_diff", false, 0.8, 0.3},
          Case{"cascade_diff", true, 1, 0.3}, Case{"cascade_diff", false, 1, -0.1}, Case{"cascade_diff", true, 0.8, -0.1}}) {
        const Sampling sampling{.temperature = c.temperature};
        const test::TargetRow mixture = [&](const std::vector<int>& text) {
            const Distribution p1 = test::table_distribution(*target, text), q1 = test::table_distribution(*draft, text);
            const Distribution p = apply_sampling(p1, sampling), q = apply_sampling(q1, sampling);
            const double best_p = *std::ranges::max_element(p1), best_q = *std::ranges::max_element(q1);
            if (std::string(c.rule) == "cascade_diff") return best_q >= best_p - c.alpha ? q : p;
            Distribution pi(3);
            double kept = 0;
            for (std::size_t v = 0; v < 3; ++v)
                if (p1[v] >= (1 - c.alpha) * best_p) kept += pi[v] = q[v];
            for (std::size_t v = 0; v < 3; ++v) pi[v] += (1 - kept) * p[v];
            return pi;
        };
        test::EnumeratedCycle one = two_rounds("small", c.rule, 2);
        one.settings.rule_params = {.alpha = c.alpha, .block = c.block};
        one.settings.sampling = sampling;
        const test::Enumerated found = test::enumerate(one, mixture);
        EXPECT_EQ(found.problem, "") << c.rule;
        test::tell(std::string(c.rule) + " alpha " + test::number(c.alpha) + (c.block ? " with blocks" : ""), found);
        one.rounds = 1;
        EXPECT_TRUE(test::enumerate(one, test::table_rows(target, sampling)).problem.starts_with("writes another distribution")) << c.rule;
    }
}

} // namespace
} // namespace speclens
