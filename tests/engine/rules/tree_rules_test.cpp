// The rules for trees: verdicts by hand-computed numbers.
#include <gtest/gtest.h>

#include "engine/base/rng.h"
#include "engine/rules/verify.h"

namespace speclens {
namespace {

struct Tree {
    std::vector<int> drafts, parents;
    std::vector<Distribution> p; // row 0: after the pending token; row 1 + i: after node i
    std::vector<Distribution> q; // of each node
    std::vector<double> accept;
    double resample = 0.5;
    RuleParams params = {};
    Verdict run(const std::string& rule) const {
        Round round;
        round.drafts = drafts;
        round.parents = parents;
        round.p = [this](int row) -> const Distribution& { return p[static_cast<std::size_t>(row)]; };
        round.q = [this](int node) -> const Distribution& { return q[static_cast<std::size_t>(node)]; };
        round.p_argmax = [this](int row) { return argmax(p[static_cast<std::size_t>(row)]); };
        round.accept_coin = [this](int node) { return accept[static_cast<std::size_t>(node)]; };
        round.resample_coin = [this](int) { return resample; };
        round.params = params;
        return find_rule(rule)->verify(round);
    }
};

void expect_distribution(const Distribution& distribution, const Distribution& wanted) {
    ASSERT_EQ(distribution.size(), wanted.size());
    for (std::size_t i = 0; i < distribution.size(); ++i) EXPECT_NEAR(distribution[i], wanted[i], 1e-12) << "id " << i;
}

// Two children of the text: 0 and 1. p = (.5, .3, .2).
Tree two_children() {
    Tree tree;
    tree.drafts = {0, 1};
    tree.parents = {-1, -1};
    tree.p = {{0.5, 0.3, 0.2}, {0.1, 0.1, 0.8}, {0.6, 0.2, 0.2}};
    tree.accept = {0.9, 0.0};
    return tree;
}

TEST(TreeRules, TopkJudgesASecondChildByWhatTheFirstLeft) {
    Tree tree = two_children();
    tree.q = {{1, 0, 0}, {0, 1, 0}};
    tree.accept = {0.5, 0.59};
    const Verdict verdict = tree.run("tree_topk");
    ASSERT_EQ(verdict.checks.size(), 2u);
    EXPECT_DOUBLE_EQ(verdict.checks[0].threshold, 0.5);
    EXPECT_FALSE(verdict.checks[0].accepted) << "u = threshold does not accept";
    EXPECT_FALSE(verdict.checks[0].sibling_residual);
    EXPECT_NEAR(verdict.checks[1].threshold, 0.6, 1e-12) << ".3 of the .5 that are left";
    EXPECT_NEAR(*verdict.checks[1].sibling_residual, 0.6, 1e-12);
    EXPECT_EQ(verdict.path, (std::vector<int>{1}));
    EXPECT_EQ(verdict.row(), 2);
    EXPECT_EQ(verdict.from, TokenSource::bonus);
    expect_distribution(verdict.distribution, tree.p[2]);
}

TEST(TreeRules, TopkStrikesTheRejectedChildrenOutOfTheTargetsDistribution) {
    Tree tree = two_children();
    tree.q = {{0.9, 0.05, 0.05}, {0.2, 0.7, 0.1}}; // what the draft thought does not count
    tree.accept = {0.99, 0.99};
    const Verdict verdict = tree.run("tree_topk");
    EXPECT_TRUE(verdict.path.empty());
    EXPECT_EQ(verdict.from, TokenSource::residual);
    expect_distribution(verdict.distribution, {0, 0, 1});
    EXPECT_EQ(verdict.token, 2);
}

// Without replacement from q = (.6, .3, .1): first 0 from q, then 1 from (0, .75, .25).
TEST(TreeRules, WithoutReplacementSubtractsTheDistributionThatEachSiblingCameFrom) {
    Tree tree = two_children();
    tree.q = {{0.6, 0.3, 0.1}, {0, 0.75, 0.25}};
    tree.accept = {0.9, 0.99};
    const Verdict verdict = tree.run("tree_wor");
    EXPECT_NEAR(verdict.checks[0].threshold, 0.5 / 0.6, 1e-12);
    // After the first: (p - q)+ = (0, 0, .1), scaled (0, 0, 1). So 1 cannot be accepted any more.
    EXPECT_EQ(verdict.checks[1].threshold, 0);
    EXPECT_FALSE(verdict.checks[1].accepted);
    // After the second: ((0, 0, 1) - (0, .75, .25))+ = (0, 0, .75), scaled (0, 0, 1).
    expect_distribution(verdict.distribution, {0, 0, 1});
    EXPECT_EQ(verdict.from, TokenSource::residual);
}

// With replacement from q = (.7, .1, .2), both draws 0 and 1: after the first the goal is (0, .2, 0) -> (0, 1, 0).
TEST(TreeRules, WithReplacementComparesTheSecondSiblingWithTheWholeDraftDistribution) {
    Tree tree = two_children();
    tree.q = {{0.7, 0.1, 0.2}, {0.7, 0.1, 0.2}};
    tree.accept = {0.8, 0.999};
    const Verdict verdict = tree.run("tree_wr");
    EXPECT_NEAR(verdict.checks[0].threshold, 0.5 / 0.7, 1e-12);
    EXPECT_EQ(verdict.checks[1].threshold, 1);
    EXPECT_NEAR(*verdict.checks[1].sibling_residual, 1, 1e-12);
    EXPECT_EQ(verdict.path, (std::vector<int>{1}));
}

TEST(TreeRules, ATokenThatComesTwiceIsRejectedTheSecondTime) {
    Tree tree = two_children();
    tree.drafts = {0, 0};
    tree.q = {{0.7, 0.1, 0.2}, {0.7, 0.1, 0.2}};
    tree.accept = {0.9, 0.0};
    const Verdict verdict = tree.run("tree_wr");
    EXPECT_EQ(verdict.checks[1].threshold, 0);
    EXPECT_FALSE(verdict.checks[1].accepted);
    // Twice (r - q)+: (.5, .3, .2) -> (0, .2, 0) -> (0, 1, 0); minus q -> (0, .9, 0) -> (0, 1, 0).
    expect_distribution(verdict.distribution, {0, 1, 0});
}

// Two iid siblings from q = (.7, .1, .2), p = (.5, .3, .2), rho = 2: each is kept with min(1, p / (2 q)).
TEST(TreeRules, KseqHoldsEverySiblingBackAndHasOneResidual) {
    Tree tree = two_children();
    tree.q = {{0.7, 0.1, 0.2}, {0.7, 0.1, 0.2}};
    tree.accept = {0.999, 0.999};
    tree.drafts = {0, 2};
    const Verdict verdict = tree.run("tree_kseq");
    EXPECT_NEAR(verdict.checks[0].threshold, 0.5 / 1.4, 1e-12);
    EXPECT_NEAR(verdict.checks[1].threshold, 0.5, 1e-12);
    // min(q, p/2) = (.25, .1, .1), beta = .45, missed = .3025; p - that * .6975/.45 = (.1125, .145, .045), / .3025.
    expect_distribution(verdict.distribution, {0.1125 / 0.3025, 0.145 / 0.3025, 0.045 / 0.3025});
    EXPECT_EQ(verdict.from, TokenSource::residual);
    tree.accept = {0.999, 0.1};
    EXPECT_EQ(tree.run("tree_kseq").path, (std::vector<int>{1}));
}

// rho = 1 would ask more of the residual than the target has: .9 * 1 < 1 - .1^2. The node falls back to rho = 2.
TEST(TreeRules, KseqWithARhoThatIsTooSmallForANodeTakesTheNumberOfSiblings) {
    Tree tree = two_children();
    tree.p[0] = {0.6, 0.3, 0.1};
    tree.q = {{0.5, 0.4, 0.1}, {0.5, 0.4, 0.1}};
    tree.params.rho = 1;
    EXPECT_NEAR(tree.run("tree_kseq").checks[0].threshold, 0.6, 1e-12) << "p / (2 q)";
    tree.p[0] = {0.1, 0.1, 0.8}; // beta = .3 at rho 1: 1 * .3 < 1 - .49
    EXPECT_NEAR(tree.run("tree_kseq").checks[0].threshold, 0.1, 1e-12);
    tree.params.rho = 1.9; // beta = .2053 at rho 1.9: .39 >= 1 - .6316 holds
    EXPECT_NEAR(tree.run("tree_kseq").checks[0].threshold, 0.1 / (1.9 * 0.5), 1e-12);
}

// Guesses at temperature 0 are no draws from one distribution: each is certain, as it is for tree_topk.
TEST(TreeRules, KseqJudgesSiblingsOfDifferentDistributionsOneAfterAnother) {
    Tree tree = two_children();
    tree.q = {{1, 0, 0}, {0, 1, 0}};
    tree.accept = {0.999, 0.999};
    const Verdict verdict = tree.run("tree_kseq");
    ASSERT_EQ(verdict.checks.size(), 2u);
    EXPECT_NEAR(verdict.checks[0].threshold, 0.5, 1e-12) << "not held back by the number of siblings";
    EXPECT_NEAR(verdict.checks[1].threshold, 0.6, 1e-12) << ".3 of the .5 that are left";
    expect_distribution(verdict.distribution, {0, 0, 1});
}

// Two levels: 0 and 1, then 2 after 0 and 2 after 1. The first is rejected, so node 2 is never judged.
TEST(TreeRules, TheWalkGoesOnBelowTheAcceptedChildOnly) {
    Tree tree;
    tree.drafts = {0, 1, 2, 2};
    tree.parents = {-1, -1, 0, 1};
    tree.p = {{0.5, 0.3, 0.2}, {0, 0, 1}, {0.25, 0.25, 0.5}, {1, 0, 0}, {0, 1, 0}};
    tree.q.assign(4, {1.0 / 3, 1.0 / 3, 1.0 / 3});
    tree.accept = {0.5, 0.1, 0.0, 0.4};
    const Verdict verdict = tree.run("tree_topk");
    EXPECT_EQ(verdict.path, (std::vector<int>{1, 3}));
    std::vector<int> judged;
    for (const Judgement& check : verdict.checks) judged.push_back(check.node);
    EXPECT_EQ(judged, (std::vector<int>{0, 1, 3}));
    EXPECT_EQ(verdict.row(), 4);
    expect_distribution(verdict.distribution, tree.p[4]);
    tree.accept[3] = 0.6; // above .5: rejected, the token comes from what is left after node 1
    const Verdict stopped = tree.run("tree_topk");
    EXPECT_EQ(stopped.path, (std::vector<int>{1}));
    EXPECT_EQ(stopped.row(), 2);
    expect_distribution(stopped.distribution, {0.5, 0.5, 0});
}

TEST(TreeRules, GreedyTakesTheLongestPathOfBestTokensAndTheFirstOfEquals) {
    Tree tree; // two children with the same token: the second one goes on
    tree.drafts = {1, 1, 2, 0};
    tree.parents = {-1, -1, 1, 2};
    tree.p = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    const Verdict verdict = tree.run("greedy");
    EXPECT_EQ(verdict.path, (std::vector<int>{1, 2}));
    EXPECT_EQ(verdict.token, 1) << "node 3 is not the best token there";
    EXPECT_EQ(verdict.from, TokenSource::target);
    tree.drafts = {1, 1, 0, 0};
    EXPECT_EQ(tree.run("greedy").path, (std::vector<int>{0})) << "equally long: the first";
    EXPECT_EQ(tree.run("greedy").from, TokenSource::bonus) << "nothing was guessed after it";
}

// A chain is a tree with one child per node: with drawn guesses the tree rules are the token rule, verdict by verdict.
TEST(TreeRules, OnAChainTheRulesForDrawnTreesAreTheTokenRule) {
    for (int seed = 0; seed < 200; ++seed) {
        Tree tree;
        const auto number = [&](int i) {
            return uniform({.seed = static_cast<std::uint64_t>(seed), .position = static_cast<std::uint32_t>(i)});
        };
        const auto distribution = [&](int i) {
            Distribution values{number(i), number(i + 1), number(i + 2), number(i + 3)};
            return apply_sampling(values, {.temperature = 1});
        };
        for (int i = 0; i < 4; ++i) tree.p.push_back(distribution(10 * i));
        for (int i = 0; i < 3; ++i) {
            tree.q.push_back(distribution(100 + 10 * i));
            tree.drafts.push_back(sample(tree.q.back(), number(200 + i)));
            tree.accept.push_back(number(300 + i));
        }
        tree.resample = number(400);
        const Verdict token = tree.run("token");
        for (const char* rule : {"tree_wor", "tree_wr"}) {
            const Verdict verdict = tree.run(rule);
            EXPECT_EQ(verdict.path, token.path) << rule;
            EXPECT_EQ(verdict.token, token.token) << rule;
            EXPECT_EQ(verdict.distribution, token.distribution) << rule;
            EXPECT_EQ(verdict.from, token.from) << rule;
        }
    }
}

// The target's draw decides: .4 lies in the segment of id 0, .6 in that of id 1, .9 in that of id 2, which no child has.
TEST(TreeRules, MatchGoesWhereTheTargetsOwnDrawGoes) {
    Tree tree = two_children();
    tree.q = {{1, 0, 0}, {0, 1, 0}};
    tree.resample = 0.4;
    Verdict verdict = tree.run("tree_match");
    EXPECT_EQ(verdict.path, (std::vector<int>{0}));
    EXPECT_EQ(verdict.from, TokenSource::bonus);
    EXPECT_EQ(verdict.token, 2) << ".4 behind id 0, whose row is (.1, .1, .8)";
    EXPECT_EQ(verdict.checks.size(), 1u);
    tree.resample = 0.6;
    verdict = tree.run("tree_match");
    EXPECT_EQ(verdict.path, (std::vector<int>{1}));
    EXPECT_EQ(verdict.checks.size(), 2u);
    EXPECT_EQ(verdict.token, 1);
    tree.resample = 0.9;
    verdict = tree.run("tree_match");
    EXPECT_TRUE(verdict.path.empty());
    EXPECT_EQ(verdict.from, TokenSource::target);
    EXPECT_EQ(verdict.token, 2);
    expect_distribution(verdict.distribution, tree.p[0]);
}

// Whatever the coins: on a chain it is the match rule.
TEST(TreeRules, OnAChainTreeMatchIsMatch) {
    for (int seed = 0; seed < 200; ++seed) {
        const auto number = [&](int i) {
            return uniform({.seed = static_cast<std::uint64_t>(seed), .position = static_cast<std::uint32_t>(i)});
        };
        Tree tree;
        for (int i = 0; i < 4; ++i)
            tree.p.push_back(apply_sampling(Distribution{number(4 * i), number(4 * i + 1), number(4 * i + 2)}, {.temperature = 1}));
        for (int i = 0; i < 3; ++i)
            tree.drafts.push_back(static_cast<int>(3 * number(50 + i))), tree.q.push_back(one_hot(3, tree.drafts.back()));
        tree.resample = number(60);
        const Verdict match = tree.run("match"), same = tree.run("tree_match");
        EXPECT_EQ(same.path, match.path);
        EXPECT_EQ(same.token, match.token);
        EXPECT_EQ(same.from, match.from);
        EXPECT_EQ(same.checks.size(), match.checks.size());
    }
}

} // namespace
} // namespace speclens
