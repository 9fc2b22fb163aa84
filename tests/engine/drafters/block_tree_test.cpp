// The tree of a block: its paths are the likeliest ones, whatever else could be in their place; the drafters of such trees against the
// chains of the same heads.
#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "engine/drafters/block_tree.h"
#include "engine/drafters/draft_network.h"
#include "tests/shared/micro.h"

namespace speclens::test {
namespace {

struct MadeRows {
    std::vector<Distribution> rows;        // by depth, from 1
    mutable std::map<int, TopEntries> top; // by depth
    [[nodiscard]] const TopEntries& behind(int depth) const {
        TopEntries& row = top[depth];
        if (row.entries.empty()) row = top_of(rows[static_cast<std::size_t>(depth - 1)], -1);
        return row;
    }
};

MadeRows made_rows(std::mt19937& dice, int depth, int vocab, double peak) {
    MadeRows made;
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int d = 0; d < depth; ++d) {
        Distribution row;
        double sum = 0;
        for (int v = 0; v < vocab; ++v) row.push_back(std::pow(uniform(dice), peak) + 1e-6), sum += row.back();
        for (double& value : row) value /= sum;
        made.rows.push_back(row);
    }
    return made;
}

Draft tree_of(const MadeRows& made, const BlockTreeLimits& limits, const DraftRequest& request = {}) {
    Draft draft;
    grow_block_tree(
        limits, request, [&](int, int depth) -> const TopEntries& { return made.behind(depth); }, draft);
    return draft;
}

// Expected number of kept tokens if the rows were the target's: the sum of the paths' probabilities.
double expected_kept(const MadeRows& made, const Draft& draft) {
    double sum = 0;
    const std::vector<int> depths = draft.depths();
    std::vector<double> path;
    for (std::size_t i = 0; i < draft.nodes.size(); ++i) {
        const DraftNode& node = draft.nodes[i];
        const double above = node.parent < 0 ? 1 : path[static_cast<std::size_t>(node.parent)];
        path.push_back(above * made.rows[static_cast<std::size_t>(depths[i] - 1)][static_cast<std::size_t>(node.token)]);
        sum += path.back();
    }
    return sum;
}

// Grows by nodes at random, each below the pending token or an earlier one.
Draft random_tree(std::mt19937& dice, int nodes, int depth, int vocab) {
    Draft draft;
    std::set<std::pair<int, int>> used;
    while (static_cast<int>(draft.nodes.size()) < nodes) {
        DraftNode node;
        node.parent = static_cast<int>(dice() % (draft.nodes.size() + 1)) - 1;
        // Likely tokens more often, or no tree of chance would come near.
        node.token = static_cast<int>(dice() % static_cast<unsigned>(vocab));
        const std::vector<int> depths = draft.depths();
        const int level = node.parent < 0 ? 1 : depths[static_cast<std::size_t>(node.parent)] + 1;
        if (level > depth || !used.insert({node.parent, node.token}).second) continue;
        draft.nodes.push_back(node);
    }
    return draft;
}

TEST(BlockTree, IsWorthAtLeastAsMuchAsEveryOtherTree) {
    std::mt19937 dice(4);
    for (int round = 0; round < 60; ++round) {
        const int depth = 2 + static_cast<int>(dice() % 3), vocab = 3 + static_cast<int>(dice() % 3);
        const MadeRows made = made_rows(dice, depth, vocab, 1 + static_cast<double>(dice() % 6));
        const int budget = 1 + static_cast<int>(dice() % 10);
        const Draft best = tree_of(made, {budget, depth, vocab, false});
        ASSERT_EQ(static_cast<int>(best.nodes.size()), budget);
        const double value = expected_kept(made, best);
        for (int i = 0; i < 300; ++i)
            ASSERT_GE(value, expected_kept(made, random_tree(dice, budget, depth, vocab)) - 1e-12) << "round " << round;
    }
}

// By enumeration of all paths: the `budget` largest probabilities.
TEST(BlockTree, HoldsTheLikeliestPathsOfAll) {
    std::mt19937 dice(8);
    for (int round = 0; round < 40; ++round) {
        const int depth = 3, vocab = 4, budget = 1 + static_cast<int>(dice() % 20);
        const MadeRows made = made_rows(dice, depth, vocab, 3);
        std::vector<double> all, level{1};
        for (int d = 0; d < depth; ++d) {
            std::vector<double> next;
            for (const double path : level)
                for (const double p : made.rows[static_cast<std::size_t>(d)]) next.push_back(path * p);
            all.insert(all.end(), next.begin(), next.end());
            level = std::move(next);
        }
        std::ranges::sort(all, std::ranges::greater());
        double sum = 0;
        for (int i = 0; i < budget; ++i) sum += all[static_cast<std::size_t>(i)];
        EXPECT_NEAR(expected_kept(made, tree_of(made, {budget, depth, vocab, false})), sum, 1e-9);
    }
}

TEST(BlockTree, IsTheChainWhereTheRowsAreSure) {
    MadeRows made;
    for (int d = 0; d < 7; ++d) {
        Distribution row(5, 0.0001);
        row[static_cast<std::size_t>(d % 5)] = 0.9996;
        made.rows.push_back(row);
    }
    for (int budget = 1; budget <= 7; ++budget) {
        const Draft draft = tree_of(made, {budget, 7, 5, false});
        EXPECT_TRUE(draft.is_chain());
        ASSERT_EQ(static_cast<int>(draft.nodes.size()), budget);
        for (int i = 0; i < budget; ++i) EXPECT_EQ(draft.nodes[static_cast<std::size_t>(i)].token, i % 5);
    }
}

TEST(BlockTree, ContainsTheChainWhereThatIsAskedFor) {
    std::mt19937 dice(2);
    for (int budget : {1, 3, 5, 6, 12}) {
        const MadeRows made = made_rows(dice, 5, 6, 1);
        const Draft draft = tree_of(made, {budget, 5, 6, true});
        ASSERT_EQ(static_cast<int>(draft.nodes.size()), budget);
        for (int i = 0; i < std::min(budget, 5); ++i) {
            EXPECT_EQ(draft.nodes[static_cast<std::size_t>(i)].parent, i - 1);
            EXPECT_EQ(draft.nodes[static_cast<std::size_t>(i)].token, argmax(made.rows[static_cast<std::size_t>(i)]));
        }
        std::set<std::pair<int, int>> places;
        for (const DraftNode& node : draft.nodes) EXPECT_TRUE(places.insert({node.parent, node.token}).second) << "no child comes twice";
    }
}

TEST(BlockTree, KeepsItsLimits) {
    std::mt19937 dice(6);
    const MadeRows made = made_rows(dice, 4, 6, 1);
    EXPECT_TRUE(tree_of(made, {0, 4, 6, false}).nodes.empty());
    EXPECT_TRUE(tree_of(made, {4, 0, 6, true}).nodes.empty());
    const Draft narrow = tree_of(made, {100, 4, 2, false});
    EXPECT_EQ(narrow.nodes.size(), 2u + 4u + 8u + 16u) << "two children each, and no more places";
    for (const int depth : narrow.depths()) EXPECT_LE(depth, 4);
    DraftRequest stops;
    const std::vector<int> all = {0, 1, 2, 3, 4, 5};
    stops.stops = all;
    const Draft flat = tree_of(made, {100, 4, 6, true}, stops);
    for (const int depth : flat.depths()) EXPECT_EQ(depth, 1) << "nothing follows a stop token";
    EXPECT_EQ(flat.nodes.size(), 6u);
    DraftRequest forced;
    const std::vector<std::pair<int, int>> force = {{0, 5}};
    forced.force = force;
    EXPECT_EQ(tree_of(made, {3, 4, 6, false}, forced).nodes[0].token, 5);
}

std::vector<int> chain_tokens(const Trace& trace, int round) {
    std::vector<int> tokens;
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (const auto* drafted = std::get_if<Drafted>(&trace[i]); drafted && drafted->round == round) tokens.push_back(drafted->token);
    return tokens;
}

class TreeDrafters : public ::testing::TestWithParam<const char*> {
  protected:
    std::shared_ptr<const Models> models_ = micro_models(1);
    [[nodiscard]] std::string tree() const { return GetParam() + std::string("_tree"); }
};
INSTANTIATE_TEST_SUITE_P(Blocks, TreeDrafters, ::testing::Values("dflash", "domino", "dspark"));

// With one child for each node the tree is the chain that the same head drafts.
TEST_P(TreeDrafters, OneChildEachIsTheChain) {
    for (const char* correction : {"on", "off"}) {
        RunSettings settings = greedy(GetParam(), 6);
        if (GetParam() != std::string("dflash")) settings.options.correction = correction == std::string("on");
        const auto chain = finished(models_, settings);
        settings.drafter = tree();
        settings.options.tree_topk = 1;
        settings.options.tree_budget = 6;
        const auto narrow = finished(models_, settings);
        EXPECT_EQ(narrow->sequence(), chain->sequence());
        for (int round = 0; round < 5; ++round) EXPECT_EQ(chain_tokens(narrow->trace(), round), chain_tokens(chain->trace(), round));
        EXPECT_FALSE(chain_tokens(chain->trace(), 0).empty());
    }
}

// From the same text a tree that contains the chain keeps at least as many of its tokens.
TEST_P(TreeDrafters, ATreeWithTheChainKeepsAtLeastAsManyInEveryRound) {
    const auto target = make_model_decoder(models_->target, 160);
    const auto plain = finished(models_, greedy("none", 0));
    const std::vector<int> text = plain->sequence();
    int more = 0;
    const auto kept = [&](const std::string& name, int length, const DrafterOptions& options, int nodes) {
        target->truncate(0);
        const auto drafter = find_drafter(name)->make({*target, nullptr, models_->network(name), options});
        const std::vector<int> before(text.begin(), text.begin() + length);
        drafter->begin(before);
        target->prefill(std::span(before).first(before.size() - 1), drafter->taps(), [&](int first, const Tensor& features) {
            drafter->observe({.sequence = before, .first = first, .prompt = true, .features = features});
        });
        DraftRequest request;
        request.sequence = before;
        request.k = 6;
        request.nodes = nodes;
        request.siblings = nodes > 0 ? Siblings::best : Siblings::none;
        const Draft draft = drafter->draft(request);
        const std::vector<int> depths = draft.depths();
        int longest = 0; // of the paths that the plain text goes along
        std::vector<bool> right;
        for (std::size_t i = 0; i < draft.nodes.size(); ++i) {
            const int parent = draft.nodes[i].parent;
            const auto at = static_cast<std::size_t>(length + depths[i] - 1);
            right.push_back(at < text.size() && draft.nodes[i].token == text[at] &&
                            (parent < 0 || right[static_cast<std::size_t>(parent)]));
            if (right.back()) longest = std::max(longest, depths[i]);
        }
        return longest;
    };
    for (int length = 8; length < static_cast<int>(text.size()) - 1; ++length) {
        DrafterOptions options;
        options.tree_topk = 5;
        options.tree_chain = true;
        const int chain = kept(GetParam(), length, {}, 0), with = kept(tree(), length, options, 24);
        EXPECT_GE(with, chain) << "after " << length << " tokens";
        more += with > chain;
    }
    EXPECT_GT(more, 0) << "a tree that never keeps more proves nothing";
}

// A corrected row depends on the path: what the tree says of a branch is what the chain says when it is forced along that branch.
TEST_P(TreeDrafters, ABranchHasTheDistributionsOfItsOwnPath) {
    RunSettings settings = greedy(tree(), 5);
    settings.options.tree_topk = 3;
    settings.options.tree_budget = 14;
    settings.trace_top = -1;
    settings.max_tokens = 6;
    const auto run = finished(models_, settings);
    std::vector<Drafted> nodes;
    for (std::size_t i = 0; i < run->trace().size(); ++i)
        if (const auto* drafted = std::get_if<Drafted>(&run->trace()[i]); drafted && drafted->round == 0) nodes.push_back(*drafted);
    ASSERT_GE(nodes.size(), 8u);
    const auto target = make_model_decoder(models_->target, 64);
    const auto chain = find_drafter(GetParam())->make({*target, nullptr, models_->network(GetParam()), {}});
    const std::vector<int>& prompt = settings.prompt.token_ids;
    int compared = 0;
    for (const Drafted& node : nodes) {
        std::vector<int> path;
        for (int at = node.parent; at >= 0; at = nodes[static_cast<std::size_t>(at)].parent)
            path.insert(path.begin(), nodes[static_cast<std::size_t>(at)].token);
        std::vector<std::pair<int, int>> force;
        for (std::size_t i = 0; i < path.size(); ++i) force.emplace_back(static_cast<int>(i), path[i]);
        target->truncate(0);
        chain->begin(prompt);
        target->prefill(std::span(prompt).first(prompt.size() - 1), chain->taps(), [&](int first, const Tensor& features) {
            chain->observe({.sequence = prompt, .first = first, .prompt = true, .features = features});
        });
        DraftRequest request;
        request.sequence = prompt;
        request.k = 5;
        request.entries = -1;
        request.sampling.temperature = 1;
        request.coin = [](int) { return 0.3; };
        request.force = force;
        const Draft draft = chain->draft(request);
        const DraftNode& there = draft.nodes[path.size()];
        for (const TopEntries::Entry& entry : node.raw_top.entries) {
            EXPECT_NEAR(std::exp(entry.logp), there.distribution[static_cast<std::size_t>(entry.id)], 1e-5) << "depth " << path.size() + 1;
            ++compared;
        }
    }
    EXPECT_GT(compared, 400);
}

// The mean of one state is that state: forced along one path twice, the second draft by the mean is the chain's own, to the bit; the
// first, of which nothing came before, is another.
TEST_P(TreeDrafters, AMeanStateIsThatOfTheRoundsBefore) {
    if (GetParam() != std::string("domino")) GTEST_SKIP() << "has no recurrent state";
    const RunSettings settings = greedy(tree(), 5);
    const std::vector<int>& prompt = settings.prompt.token_ids;
    const auto target = make_model_decoder(models_->target, 64);
    const std::vector<std::pair<int, int>> force = {{0, 5}, {1, 9}, {2, 4}, {3, 7}, {4, 3}};
    const auto drafts = [&](bool by_mean, int times) {
        DrafterOptions options;
        options.mean_state = by_mean;
        const auto drafter = find_drafter("domino")->make({*target, nullptr, models_->network("domino"), options});
        target->truncate(0);
        drafter->begin(prompt);
        target->prefill(std::span(prompt).first(prompt.size() - 1), drafter->taps(), [&](int first, const Tensor& features) {
            drafter->observe({.sequence = prompt, .first = first, .prompt = true, .features = features});
        });
        DraftRequest request;
        request.sequence = prompt;
        request.k = 5;
        request.entries = -1;
        request.sampling.temperature = 1;
        request.coin = [](int) { return 0.3; };
        request.force = force;
        Draft draft;
        for (int i = 0; i < times; ++i) draft = drafter->draft(request);
        std::vector<Distribution> all;
        for (const DraftNode& node : draft.nodes) all.push_back(node.distribution);
        return all;
    };
    const std::vector<Distribution> own = drafts(false, 2), first = drafts(true, 1), second = drafts(true, 2);
    EXPECT_EQ(own, second);
    EXPECT_NE(own, first);
}

} // namespace
} // namespace speclens::test
