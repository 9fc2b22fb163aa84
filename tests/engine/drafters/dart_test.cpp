// DART's n-grams and its search against the released ones (tests/engine/golden/dart_search.json), and files that are
// damaged.
#include <algorithm>
#include <cstring>
#include <fstream>
#include <numeric>
#include <set>

#include "engine/base/json.h"
#include "engine/drafters/dart_search.h"
#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter_info.h"
#include "engine/run/run.h"
#include "tests/shared/micro.h"
#include "tests/shared/model_support.h"

namespace speclens::test {
namespace {

const Json& released() {
    std::ifstream in(golden("dart_search.json"));
    static const Json cases = Json::parse(in);
    return cases;
}

NgramTrie micro_trie() { return NgramTrie::read(golden("micro_dart") / "small.trie"); }

std::vector<int> path_to(const std::vector<DartPath>& paths, int at) {
    std::vector<int> tokens;
    for (; at >= 0; at = paths[static_cast<std::size_t>(at)].parent)
        tokens.insert(tokens.begin(), paths[static_cast<std::size_t>(at)].token);
    return tokens;
}

TEST(NgramTrie, SaysWhatTheReleasedOneSays) {
    const NgramTrie trie = micro_trie();
    EXPECT_EQ(trie.order(), 3);
    EXPECT_EQ(trie.nodes(), 1892);
    std::vector<int> all(40);
    std::iota(all.begin(), all.end(), 0);
    int seen = 0;
    for (const Json& one : released().at("shares")) {
        const auto wanted = one.at("shares").get<std::vector<float>>();
        const std::vector<float> shares = trie.shares(one.at("context").get<std::vector<int>>(), all);
        ASSERT_EQ(shares, wanted) << one.at("context");
        seen += static_cast<int>(std::ranges::count_if(shares, [](float share) { return share > 0; }));
    }
    EXPECT_GT(seen, 50);
    EXPECT_LT(seen, 5 * 40 - 20); // some were never seen
    // only the last two tokens are a context, and none is no context
    EXPECT_EQ(trie.shares(std::vector<int>{3, 9, 7, 5}, all), trie.shares(std::vector<int>{7, 5}, all));
    EXPECT_EQ(trie.shares({}, all), std::vector<float>(40, 0.0f));
    EXPECT_EQ(trie.shares(std::vector<int>{5000}, all), std::vector<float>(40, 0.0f));
}

TEST(DartSearch, FindsTheReleasedTrees) {
    const NgramTrie trie = micro_trie();
    for (const Json& one : released().at("cases")) {
        SCOPED_TRACE(one.at("paths").dump() + " paths");
        std::vector<DartLevel> levels;
        for (std::size_t i = 0; i < one.at("tokens").size(); ++i)
            levels.push_back({one["tokens"][i].get<std::vector<int>>(), one["probabilities"][i].get<std::vector<float>>()});
        const std::vector<int> stops = {one.at("stop").get<int>()};
        const std::vector<DartPath> paths = dart_search(
            levels, &trie, one.at("text").get<std::vector<int>>(), stops,
            {.ngram_weight = one.at("ngram_weight").get<float>(), .beam = one.at("beam").get<int>(), .paths = one.at("paths").get<int>()});
        std::multiset<std::vector<int>> got, wanted;
        for (int i = 0; i < static_cast<int>(paths.size()); ++i) {
            const DartPath& path = paths[static_cast<std::size_t>(i)];
            ASSERT_LT(path.parent, i);
            ASSERT_EQ(path.level, path.parent < 0 ? 0 : paths[static_cast<std::size_t>(path.parent)].level + 1);
            ASSERT_LE(path.score, path.parent < 0 ? 0 : paths[static_cast<std::size_t>(path.parent)].score);
            got.insert(path_to(paths, i));
        }
        for (const Json& path : one.at("found")) wanted.insert(path.get<std::vector<int>>());
        EXPECT_EQ(got, wanted);
    }
}

// Two tokens are equally likely at the second place; counted text says which one follows.
TEST(DartSearch, NgramsDecideWhatTheDistributionsCannot) {
    const NgramTrie trie = micro_trie();
    std::vector<int> all(40);
    std::iota(all.begin(), all.end(), 0);
    const std::vector<int> text = {1, 2};
    const std::vector<float> after = trie.shares(std::vector<int>{2, 3}, all);
    const auto likely = static_cast<int>(std::ranges::max_element(after) - after.begin());
    const auto never = static_cast<int>(std::ranges::find(after, 0.0f) - after.begin());
    ASSERT_LT(never, 40);
    const std::vector<DartLevel> levels = {{{3}, {1.0f}}, {{never, likely}, {0.6f, 0.4f}}};
    const auto second = [&](double weight) {
        const std::vector<DartPath> paths = dart_search(levels, &trie, text, {}, {.ngram_weight = weight, .beam = 20, .paths = 2});
        EXPECT_EQ(paths.size(), 2u);
        return paths.back().token;
    };
    EXPECT_EQ(second(0), never);
    EXPECT_EQ(second(0.5), likely);
}

TEST(DartSearch, HasNothingToSayWithoutLevelsOrRoom) {
    EXPECT_TRUE(dart_search({}, nullptr, std::vector<int>{1}, {}, {.ngram_weight = 0}).empty());
    const std::vector<DartLevel> levels = {{{3, 4}, {0.5f, 0.5f}}};
    EXPECT_TRUE(dart_search(levels, nullptr, std::vector<int>{1}, {}, {.ngram_weight = 0, .paths = 0}).empty());
}

TEST(NgramTrie, CountsWhatItIsGiven) {
    const std::vector<std::vector<int>> texts = {{1, 2, 3, 1, 2, 4}, {2, 3}};
    const NgramTrie trie = NgramTrie::count(texts, 3);
    const std::vector<int> tokens = {1, 2, 3, 4};
    // 1 2 was followed by 3 and by 4; 1 never: after 2 alone it was not seen either
    EXPECT_EQ(trie.shares(std::vector<int>{1, 2}, tokens), (std::vector<float>{0, 0, 0.5f, 0.5f}));
    // 2 was seen three times, twice before 3
    EXPECT_EQ(trie.shares(std::vector<int>{2}, tokens), (std::vector<float>{0, 0, 2.0f * (1.0f / 3), 1.0f / 3}));
    // 9 2 was never seen: what follows 2 counts
    EXPECT_EQ(trie.shares(std::vector<int>{9, 2}, tokens), trie.shares(std::vector<int>{2}, tokens));
}

// ---- files ----

class DartFolder : public ::testing::Test {
  protected:
    [[nodiscard]] std::shared_ptr<const DraftNetwork> load() const { return DraftNetwork::load(target_, folder_.path()); }
    [[nodiscard]] std::string trie() const {
        std::ifstream in(golden("micro_dart") / "small.trie", std::ios::binary);
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void write(const std::string& bytes) const {
        std::ofstream(folder_.path() / "small.trie", std::ios::binary | std::ios::trunc) << bytes;
    }
    void expect_refused(const std::string& bytes, const std::vector<std::string>& words) const {
        write(bytes);
        expect_error([&] { static_cast<void>(load()); }, words);
    }
    std::unique_ptr<Backend> backend_ = make_cpu_backend({.threads = 1});
    std::shared_ptr<const Model> target_ = Model::load(*backend_, golden("micro_qwen3"));
    const ModelFolder folder_{"micro_dart"};
};

TEST_F(DartFolder, IsRecognisedWithItsNgrams) {
    const auto network = load();
    EXPECT_EQ(network->config.method, DraftConfig::Method::dart);
    EXPECT_EQ(network->config.masks, 4);
    EXPECT_EQ(network->config.most_drafts(), 5);
    EXPECT_EQ(network->config.output_norms, 2);
    EXPECT_EQ(network->target_id.size(), 128u);
    ASSERT_NE(network->ngrams, nullptr);
    EXPECT_EQ(network->ngrams->nodes(), 1892);
}

TEST_F(DartFolder, PrefersTheFullTrieOfTheTwo) {
    std::string small(16 + 24, '\0'); // one node that counted nothing
    small[0] = 2;
    small[8] = 1;
    std::ofstream(folder_.path() / "full.trie", std::ios::binary) << small;
    EXPECT_EQ(load()->ngrams->order(), 2);
}

TEST_F(DartFolder, WithADamagedTrieIsRefused) {
    const std::string whole = trie();
    expect_refused("", {"folder/small.trie", "ends after 0 bytes"});
    expect_refused(whole.substr(0, whole.size() - 1), {"no room for just the 1892 nodes"});
    expect_refused(whole + "x", {"no room for just the 1892 nodes"});
    std::string damaged = whole;
    damaged[0] = 99; // the order
    expect_refused(damaged, {"counts sequences of 99 tokens"});
    damaged = whole;
    damaged[8 + 7] = 1; // the number of nodes
    expect_refused(damaged, {"no room for just"});
    damaged = whole;
    damaged[16 + 16 + 5] = 1; // children of the root
    expect_refused(damaged, {"node 0 has", "more than there are nodes"});
    damaged = whole;
    damaged[16 + 24 + 4 + 6] = 1; // the first of these
    expect_refused(damaged, {"node 0 has a child numbered"});
    damaged = whole;
    damaged[16 + 12 + 3] = static_cast<char>(0x80); // how often the root was seen
    expect_refused(damaged, {"node 0 was seen -"});

    // a sequence that is more frequent than its beginning
    const auto number = [&](std::size_t at, auto value) {
        std::memcpy(&value, whole.data() + at, sizeof value);
        return value;
    };
    std::vector<std::size_t> nodes;
    for (std::size_t at = 16; at < whole.size(); at += 24 + 12 * number(at + 16, std::uint64_t{})) nodes.push_back(at);
    std::size_t parent = 1;
    while (number(nodes.at(parent) + 16, std::uint64_t{}) == 0) ++parent;
    const auto child = static_cast<std::size_t>(number(nodes[parent] + 24 + 4, std::uint64_t{}));
    const std::int32_t seen = number(nodes[parent] + 12, std::int32_t{});
    for (const int more : {0, 1}) { // as often is possible
        damaged = whole;
        const std::int32_t count = seen + more;
        std::memcpy(damaged.data() + nodes.at(child) + 12, &count, sizeof count);
        if (more > 0) {
            expect_refused(damaged,
                           {"node " + std::to_string(child) + " was seen " + std::to_string(count), "node " + std::to_string(parent)});
            continue;
        }
        write(damaged);
        EXPECT_NO_THROW(static_cast<void>(load()));
    }
}

TEST_F(DartFolder, WithoutATrieDraftsOnlyWithoutNgrams) {
    fs::remove(folder_.path() / "small.trie");
    auto models = std::make_shared<Models>();
    models->backend = make_cpu_backend({.threads = 1});
    models->target = Model::load(*models->backend, golden("micro_qwen3"));
    models->networks.emplace("dart", DraftNetwork::load(models->target, folder_.path()));
    RunSettings settings;
    settings.prompt.token_ids = {7, 8, 9, 7};
    settings.drafter = "dart";
    settings.rule = "tree_topk";
    settings.max_tokens = 12;
    expect_error([&] { speclens::Run(models, settings).finish(); }, {"has no n-grams", "ends in .trie"});
    settings.options.ngram_weight = 0;
    speclens::Run run(models, settings);
    run.finish();
    EXPECT_GE(run.sequence().size(), 4u + 12u);
}

// Every tree at temperature 0 keeps the text of plain decoding, whatever the search prefers.
TEST_F(DartFolder, KeepsTheGreedyText) {
    auto models = std::make_shared<Models>();
    models->backend = make_cpu_backend({.threads = 2});
    models->target = Model::load(*models->backend, golden("micro_qwen3"));
    models->networks.emplace("dart", DraftNetwork::load(models->target, folder_.path()));
    RunSettings settings;
    settings.prompt.token_ids = {7, 8, 9, 7, 200, 31};
    settings.sampling.temperature = 0;
    settings.max_tokens = 40;
    const auto text = [&](const std::string& drafter, int k, int topk, int budget) {
        settings.drafter = drafter;
        settings.rule = judging_rule("token", drafter);
        settings.k = k;
        settings.options.tree_topk = topk;
        settings.options.tree_budget = budget;
        speclens::Run run(models, settings);
        run.finish();
        return run.sequence();
    };
    const std::vector<int> plain = text("none", 0, 3, 8);
    EXPECT_EQ(text("dart", 7, 25, 60), plain);
    EXPECT_EQ(text("dart", 1, 3, 8), plain);
    EXPECT_EQ(text("dart", 5, 1, 3), plain);
}

} // namespace
} // namespace speclens::test
