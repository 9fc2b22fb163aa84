// Trees in the engine: verdicts by hand-computed numbers, the shape, what the cycle keeps of a pass (cache slots and
// features, bit for bit), coins and attempts by position, forks, and what the trace says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <sstream>

#include "engine/cycle.h"
#include "engine/drafters/tree_shape.h"
#include "engine/run.h"
#include "engine/trace_json.h"
#include "tests/micro.h"
#include "tests/tables.h"

namespace speclens {
namespace {

// ---- verdicts ----

struct Tree {
    std::vector<int> drafts, parents;
    std::vector<Law> p;  // row 0: after the pending token; row 1 + i: after node i
    std::vector<Law> q;  // of each node
    std::vector<double> accept;
    double resample = 0.5;
    RuleParams params = {};
    Verdict run(const std::string& rule) const {
        Round round;
        round.drafts = drafts;
        round.parents = parents;
        round.p = [this](int row) -> const Law& { return p[static_cast<std::size_t>(row)]; };
        round.q = [this](int node) -> const Law& { return q[static_cast<std::size_t>(node)]; };
        round.p_argmax = [this](int row) { return argmax(p[static_cast<std::size_t>(row)]); };
        round.accept_coin = [this](int node) { return accept[static_cast<std::size_t>(node)]; };
        round.resample_coin = [this](int) { return resample; };
        round.params = params;
        return find_rule(rule)->verify(round);
    }
};

void expect_law(const Law& law, const Law& wanted) {
    ASSERT_EQ(law.size(), wanted.size());
    for (std::size_t i = 0; i < law.size(); ++i) EXPECT_NEAR(law[i], wanted[i], 1e-12) << "id " << i;
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
    EXPECT_FALSE(verdict.checks[0].left);
    EXPECT_NEAR(verdict.checks[1].threshold, 0.6, 1e-12) << ".3 of the .5 that are left";
    EXPECT_NEAR(*verdict.checks[1].left, 0.6, 1e-12);
    EXPECT_EQ(verdict.path, (std::vector<int>{1}));
    EXPECT_EQ(verdict.row(), 2);
    EXPECT_EQ(verdict.from, Resampled::From::bonus);
    expect_law(verdict.law, tree.p[2]);
}

TEST(TreeRules, TopkStrikesTheRejectedChildrenOutOfTheTargetsLaw) {
    Tree tree = two_children();
    tree.q = {{0.9, 0.05, 0.05}, {0.2, 0.7, 0.1}};  // what the draft thought does not count
    tree.accept = {0.99, 0.99};
    const Verdict verdict = tree.run("tree_topk");
    EXPECT_TRUE(verdict.path.empty());
    EXPECT_EQ(verdict.from, Resampled::From::residual);
    expect_law(verdict.law, {0, 0, 1});
    EXPECT_EQ(verdict.token, 2);
}

// Without replacement from q = (.6, .3, .1): first 0 from q, then 1 from (0, .75, .25).
TEST(TreeRules, WithoutReplacementSubtractsTheLawThatEachSiblingCameFrom) {
    Tree tree = two_children();
    tree.q = {{0.6, 0.3, 0.1}, {0, 0.75, 0.25}};
    tree.accept = {0.9, 0.99};
    const Verdict verdict = tree.run("tree_wor");
    EXPECT_NEAR(verdict.checks[0].threshold, 0.5 / 0.6, 1e-12);
    // After the first: (p - q)+ = (0, 0, .1), scaled (0, 0, 1). So 1 cannot be accepted any more.
    EXPECT_EQ(verdict.checks[1].threshold, 0);
    EXPECT_FALSE(verdict.checks[1].accepted);
    // After the second: ((0, 0, 1) - (0, .75, .25))+ = (0, 0, .75), scaled (0, 0, 1).
    expect_law(verdict.law, {0, 0, 1});
    EXPECT_EQ(verdict.from, Resampled::From::residual);
}

// With replacement from q = (.7, .1, .2), both draws 0 and 1: after the first the goal is (0, .2, 0) -> (0, 1, 0).
TEST(TreeRules, WithReplacementComparesTheSecondSiblingWithTheWholeDraftLaw) {
    Tree tree = two_children();
    tree.q = {{0.7, 0.1, 0.2}, {0.7, 0.1, 0.2}};
    tree.accept = {0.8, 0.999};
    const Verdict verdict = tree.run("tree_wr");
    EXPECT_NEAR(verdict.checks[0].threshold, 0.5 / 0.7, 1e-12);
    EXPECT_EQ(verdict.checks[1].threshold, 1);
    EXPECT_NEAR(*verdict.checks[1].left, 1, 1e-12);
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
    expect_law(verdict.law, {0, 1, 0});
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
    expect_law(verdict.law, {0.1125 / 0.3025, 0.145 / 0.3025, 0.045 / 0.3025});
    EXPECT_EQ(verdict.from, Resampled::From::residual);
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
    tree.p[0] = {0.1, 0.1, 0.8};  // beta = .3 at rho 1: 1 * .3 < 1 - .49
    EXPECT_NEAR(tree.run("tree_kseq").checks[0].threshold, 0.1, 1e-12);
    tree.params.rho = 1.9;        // beta = .2053 at rho 1.9: .39 >= 1 - .6316 holds
    EXPECT_NEAR(tree.run("tree_kseq").checks[0].threshold, 0.1 / (1.9 * 0.5), 1e-12);
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
    expect_law(verdict.law, tree.p[4]);
    tree.accept[3] = 0.6;  // above .5: rejected, the token comes from what is left after node 1
    const Verdict stopped = tree.run("tree_topk");
    EXPECT_EQ(stopped.path, (std::vector<int>{1}));
    EXPECT_EQ(stopped.row(), 2);
    expect_law(stopped.law, {0.5, 0.5, 0});
}

TEST(TreeRules, GreedyTakesTheLongestPathOfBestTokensAndTheFirstOfEquals) {
    Tree tree;  // two children with the same token: the second one goes on
    tree.drafts = {1, 1, 2, 0};
    tree.parents = {-1, -1, 1, 2};
    tree.p = {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
    const Verdict verdict = tree.run("greedy");
    EXPECT_EQ(verdict.path, (std::vector<int>{1, 2}));
    EXPECT_EQ(verdict.token, 1) << "node 3 is not the best token there";
    EXPECT_EQ(verdict.from, Resampled::From::target);
    tree.drafts = {1, 1, 0, 0};
    EXPECT_EQ(tree.run("greedy").path, (std::vector<int>{0})) << "equally long: the first";
    EXPECT_EQ(tree.run("greedy").from, Resampled::From::bonus) << "nothing was guessed after it";
}

// A chain is a tree with one child per node: with drawn guesses the tree rules are the token rule, verdict by verdict.
TEST(TreeRules, OnAChainTheRulesForDrawnTreesAreTheTokenRule) {
    for (int seed = 0; seed < 200; ++seed) {
        Tree tree;
        const auto number = [&](int i) { return uniform({.seed = static_cast<std::uint64_t>(seed), .position = static_cast<std::uint32_t>(i)}); };
        const auto law = [&](int i) {
            Law values{number(i), number(i + 1), number(i + 2), number(i + 3)};
            return apply_sampling(values, {.temperature = 1});
        };
        for (int i = 0; i < 4; ++i) tree.p.push_back(law(10 * i));
        for (int i = 0; i < 3; ++i) {
            tree.q.push_back(law(100 + 10 * i));
            tree.drafts.push_back(sample(tree.q.back(), number(200 + i)));
            tree.accept.push_back(number(300 + i));
        }
        tree.resample = number(400);
        const Verdict token = tree.run("token");
        for (const char* rule : {"tree_wor", "tree_wr"}) {
            const Verdict verdict = tree.run(rule);
            EXPECT_EQ(verdict.path, token.path) << rule;
            EXPECT_EQ(verdict.token, token.token) << rule;
            EXPECT_EQ(verdict.law, token.law) << rule;
            EXPECT_EQ(verdict.from, token.from) << rule;
        }
    }
}

// ---- the shape ----

TEST(TreeShape, HasAllPlacesOfAFullTreeLevelByLevel) {
    const std::vector<ShapeNode> shape = tree_shape(3, 3, 1000);
    ASSERT_EQ(shape.size(), 39u);
    for (std::size_t i = 0; i < shape.size(); ++i) {
        EXPECT_LT(shape[i].parent, static_cast<int>(i));
        EXPECT_GE(shape[i].depth, shape[i == 0 ? 0 : i - 1].depth);
        EXPECT_EQ(shape[i].depth, shape[i].parent < 0 ? 1 : shape[static_cast<std::size_t>(shape[i].parent)].depth + 1);
        if (shape[i].lane > 0) {
            EXPECT_EQ(shape[i].parent, shape[i - 1].parent) << "siblings stand together, in order";
        }
    }
}

TEST(TreeShape, SpendsASmallBudgetOnTheLikelyPlaces) {
    EXPECT_TRUE(tree_shape(3, 4, 0).empty());
    EXPECT_TRUE(tree_shape(3, 0, 5).empty());
    const std::vector<ShapeNode> chain = tree_shape(3, 4, 4);  // first children first
    for (std::size_t i = 0; i < chain.size(); ++i) EXPECT_EQ(chain[i].parent, static_cast<int>(i) - 1);
    for (int budget : {5, 9, 16, 40}) {
        const std::vector<ShapeNode> shape = tree_shape(4, 5, budget);
        EXPECT_EQ(static_cast<int>(shape.size()), budget);
        EXPECT_EQ(shape.back().depth, 5) << "it still reaches the last level";
    }
}

// ---- the cycle ----

// Proposes a tree around a text that it knows: at every depth a wrong token first, the right one second, and more
// wrong ones below both. Records what observe hands over.
class Knowing final : public Drafter {
  public:
    Knowing(std::vector<int> text, std::vector<int> taps, int vocab, int width)
        : text_(std::move(text)), taps_(std::move(taps)), vocab_(vocab), width_(width) {}
    std::vector<int> taps() const override { return taps_; }
    void begin(std::span<const int>) override {}
    void observe(const Observation& observation) override {
        if (observation.prompt) return;
        const Tensor f = observation.features;
        const std::size_t end = observation.sequence.size() - 1;  // the rows belong to the tokens before the last one
        rows.push_back(static_cast<int>(f.rows));
        accepted.push_back(observation.accepted_drafts);
        std::vector<float> values(static_cast<std::size_t>(f.rows * f.cols));
        backend->download(f, values.data());
        features.resize(std::max(features.size(), end));
        for (std::int64_t row = 0; row < f.rows; ++row)
            features[end - static_cast<std::size_t>(f.rows - row)] =
                std::vector<float>(values.begin() + row * f.cols, values.begin() + (row + 1) * f.cols);
    }
    Draft draft(const DraftRequest& request) override {
        Draft draft;
        int parent = -1;
        for (int depth = 0; depth < request.k; ++depth) {
            const std::size_t at = request.sequence.size() + static_cast<std::size_t>(depth);
            if (at >= text_.size() || static_cast<int>(draft.nodes.size()) + width_ > (width_ > 1 ? request.nodes : request.k)) break;
            const int right = text_[at];
            int next = parent;
            for (int i = 0; i < width_; ++i) {
                const bool is_right = i == std::min(1, width_ - 1);
                DraftNode node;
                node.parent = parent;
                node.token = is_right ? right : (right + 1 + i) % vocab_;
                if (is_right) next = static_cast<int>(draft.nodes.size());
                draft.nodes.push_back(node);
            }
            parent = next;
        }
        return draft;
    }
    Backend* backend = nullptr;
    std::vector<int> rows, accepted;
    std::vector<std::vector<float>> features;  // by position

  private:
    std::vector<int> text_, taps_;
    int vocab_, width_;
};

struct Finished {
    std::vector<int> text;
    std::vector<int> rows, accepted;
    std::vector<std::vector<float>> features;
    std::vector<float> next_logits;  // after the whole text
};

Finished decode(const Models& models, const std::vector<int>& known, int width, std::vector<int> stops = {}, bool poison = true) {
    const std::vector<int> prompt{7, 8, 9, 7, 8};
    auto target = make_model_decoder(models.target, 256);
    Knowing drafter(known, {1, 3, 5}, target->vocab(), width);
    drafter.backend = models.backend.get();
    Trace trace([](int) { return std::string(); });
    trace.append(Header{});
    CycleSettings settings;
    settings.k = known.empty() ? 0 : 5;
    settings.nodes = width > 1 ? 32 : 0;
    settings.max_tokens = 30;
    settings.stops = std::move(stops);
    Cycle cycle(*target, drafter, *find_rule("greedy"), settings, trace, prompt, static_cast<int>(prompt.size()));
    while (cycle.step())
        if (poison && !std::holds_alternative<Verified>(trace[trace.size() - 1])) target->poison();
    Finished result{cycle.sequence(), drafter.rows, drafter.accepted, drafter.features, {}};
    const int last = cycle.sequence().back();
    result.next_logits = target->forward({.tokens = std::span(&last, 1)}).logits(0);
    return result;
}

// Notes at how many events somebody waited for it: a device goes on behind the calls.
class Waited final : public Decoder {
  public:
    Waited(std::unique_ptr<Decoder> inner, const Trace& trace) : inner_(std::move(inner)), trace_(trace) {}
    const std::string& name() const override { return inner_->name(); }
    int vocab() const override { return inner_->vocab(); }
    int layers() const override { return inner_->layers(); }
    int capacity() const override { return inner_->capacity(); }
    int max_rows() const override { return inner_->max_rows(); }
    int length() const override { return inner_->length(); }
    std::size_t memory_bytes() const override { return inner_->memory_bytes(); }
    bool is_table() const override { return inner_->is_table(); }
    OutputHead cut_head(const FrequentIds& ids, int n) const override { return inner_->cut_head(ids, n); }
    PassRows& forward(const PassInput& input) override { return inner_->forward(input); }
    void prefill(std::span<const int> tokens, std::span<const int> taps, const FeatureSink& sink) override {
        inner_->prefill(tokens, taps, sink);
    }
    void truncate(int length) override { inner_->truncate(length); }
    void keep(int base, std::span<const int> rows) override { inner_->keep(base, rows); }
    Tensor features() const override { return inner_->features(); }
    void wait() override { waits.insert(trace_.size()); }
    void poison() override { inner_->poison(); }

    std::set<std::size_t> waits;

  private:
    std::unique_ptr<Decoder> inner_;
    const Trace& trace_;
};

// What a phase took is known when the device is done with it, not when it has been told what to do.
TEST(TreeCycle, WaitsForTheDeviceWhereTimeIsTaken) {
    const auto models = test::micro_models(1);
    for (const bool timing : {true, false}) {
        Trace trace([](int) { return std::string(); });
        trace.append(Header{});
        Waited target(make_model_decoder(models->target, 64), trace);
        Knowing drafter({}, {}, target.vocab(), 1);
        drafter.backend = models->backend.get();
        CycleSettings settings;
        settings.k = 0;
        settings.max_tokens = 4;
        settings.timing = timing;
        settings.sampling.temperature = 1; // at 0 the favourites that are asked for wait by themselves
        Cycle cycle(target, drafter, *find_rule("token"), settings, trace, {7, 8, 9}, 3);
        while (cycle.step()) {}
        std::set<std::size_t> timed; // the events that say what a pass took
        for (std::size_t i = 0; i < trace.size(); ++i)
            if (std::holds_alternative<Prefill>(trace[i]) || std::holds_alternative<Verified>(trace[i])) timed.insert(i);
        EXPECT_EQ(timed.size(), 5u);
        EXPECT_EQ(target.waits, timing ? timed : std::set<std::size_t>{});
    }
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Law of the cache: what a tree round leaves behind is what plain decoding leaves, in every bit, though the kept rows
// stood elsewhere in the pass; and observe gets exactly the kept rows.
TEST(TreeCycle, KeepsTheBitsOfPlainDecodingInCacheAndFeatures) {
    for (int threads : {1, 2, 5}) {
        const auto models = test::micro_models(threads);
        const Finished plain = decode(*models, {}, 1);
        ASSERT_EQ(plain.text.size(), 35u);
        for (int width : {1, 2, 4}) {  // 1: chains
            const Finished tree = decode(*models, plain.text, width);
            EXPECT_EQ(tree.text, plain.text) << "width " << width;
            EXPECT_GE(*std::max_element(tree.accepted.begin(), tree.accepted.end()), 4) << "width " << width;
            for (std::size_t i = 0; i < tree.rows.size(); ++i) EXPECT_EQ(tree.rows[i], tree.accepted[i] + 1);
            ASSERT_EQ(tree.features.size(), plain.features.size());
            for (std::size_t at = 4; at < plain.features.size(); ++at)
                EXPECT_TRUE(same_bits(tree.features[at], plain.features[at])) << "width " << width << ", position " << at;
            EXPECT_TRUE(same_bits(tree.next_logits, plain.next_logits)) << "width " << width;
        }
    }
}

TEST(TreeCycle, AStopTokenInsideThePathCutsTextCacheAndFeatures) {
    const auto models = test::micro_models(1);
    const Finished plain = decode(*models, {}, 1);
    const int stop = plain.text[12];
    const auto end = std::find(plain.text.begin() + 5, plain.text.end(), stop) - plain.text.begin();
    for (int width : {1, 3}) {
        const Finished tree = decode(*models, plain.text, width, {stop});
        EXPECT_EQ(tree.text, std::vector<int>(plain.text.begin(), plain.text.begin() + end + 1)) << "width " << width;
        // Rows of all tokens but the last, which stays pending.
        EXPECT_EQ(static_cast<std::ptrdiff_t>(tree.features.size()), end) << "width " << width;
        int rows = 0;
        for (int count : tree.rows) rows += count;
        EXPECT_EQ(rows, end - 4) << "the old pending token of each round and the accepted ones, none twice";
        for (std::size_t at = 4; at < tree.features.size(); ++at)
            EXPECT_TRUE(same_bits(tree.features[at], plain.features[at])) << "width " << width << ", position " << at;
    }
}

TEST(TreeCycle, ARuleForChainsRefusesATreeAndNamesTheOnesThatDoNot) {
    const auto models = test::micro_models(1);
    for (const char* rule : {"token", "match"}) {
        RunSettings settings;
        settings.token_ids = {1, 2, 3};
        settings.drafter = "small_tree";
        settings.rule = rule;
        settings.sampling.temperature = 0.8;
        try {
            speclens::Run run(models, settings);
            FAIL() << rule;
        } catch (const Error& error) {
            EXPECT_NE(error.remedy().find("tree_wor"), std::string::npos);
            EXPECT_EQ(error.code(), Exit::usage);
        }
        settings.k = 0;  // plain decoding has nothing to judge
        EXPECT_NO_THROW(speclens::Run(models, settings));
        settings.k = 4;
        settings.sampling.temperature = 0;  // greedy judges it
        EXPECT_NO_THROW(speclens::Run(models, settings));
    }
}

RunSettings sampled_tree(const std::string& rule) {
    RunSettings settings;
    settings.token_ids = {1, 2, 3};
    settings.drafter = "small_tree";
    settings.rule = rule;
    settings.k = 3;
    settings.options.tree_topk = 2;
    settings.options.tree_budget = 14;
    settings.sampling.temperature = 0.9;
    settings.max_tokens = 40;
    settings.timing = false;
    return settings;
}

// Coins belong to positions and siblings: every node of one depth and lane has the coin of that position and lane.
TEST(TreeCycle, CoinsBelongToPositionAndLaneAndAttemptsToPositions) {
    const auto models = test::micro_models(1);
    const RunSettings settings = sampled_tree("tree_wor");
    speclens::Run run(models, settings);
    run.finish();
    const CycleView view = fold(run.trace(), run.trace().size());
    std::vector<std::uint32_t> attempts(200, 0);
    std::size_t committed = 3;
    int seen = 0;
    for (const CycleSummary& cycle : view.cycles) {
        std::vector<int> lanes(cycle.drafts.size() + 1, 0);
        int deepest = 0;
        for (const DraftSlot& slot : cycle.drafts) {
            const auto lane = static_cast<std::uint32_t>(lanes[static_cast<std::size_t>(slot.parent + 1)]++);
            const auto position = static_cast<std::uint32_t>(committed) + static_cast<std::uint32_t>(slot.depth) - 1;
            const auto coin = [&](Purpose purpose) {
                return uniform({.seed = settings.seed, .position = position, .purpose = purpose, .lane = lane, .attempt = attempts[position]});
            };
            EXPECT_EQ(*slot.draft->u, coin(Purpose::draft));
            if (slot.check) {
                EXPECT_EQ(*slot.check->u, coin(Purpose::accept));
                ++seen;
            }
            deepest = std::max(deepest, slot.depth);
        }
        for (int d = 0; d < deepest; ++d) ++attempts[committed + static_cast<std::size_t>(d)];
        committed += cycle.commit->tokens.size();
    }
    EXPECT_GT(seen, 20);
    const std::vector<std::uint32_t> counted = attempts_before(run.trace(), 1 << 20);
    ASSERT_LE(counted.size(), attempts.size());
    EXPECT_TRUE(std::equal(counted.begin(), counted.end(), attempts.begin()));
}

TEST(TreeCycle, ForksChangeTheNodeThatIsNamed) {
    const auto models = test::micro_models(1);
    for (const char* rule : {"tree_topk", "tree_wor", "tree_wr"}) {
        const RunSettings settings = sampled_tree(rule);
        speclens::Run base(models, settings);
        base.finish();
        speclens::Run forced(models, settings, base.trace(), Fork{.cycle = 1, .force_draft = std::pair{3, 42}});
        forced.finish();
        const CycleView branch = fold(forced.trace(), forced.trace().size());
        EXPECT_EQ(branch.cycles[1].drafts[3].draft->token, 42) << rule;
        EXPECT_EQ(branch.cycles[1].drafts[3].draft->extra, "forced") << rule;
        const CycleView before = fold(base.trace(), base.trace().size());
        EXPECT_EQ(branch.cycles[1].drafts[0].draft->token, before.cycles[1].drafts[0].draft->token) << rule;
        // A coin of 1 rejects whatever node was accepted first; a later sibling or the target takes its place.
        const int kept = before.cycles[0].path.empty() ? 0 : before.cycles[0].path[0];
        speclens::Run refused(models, settings, base.trace(), Fork{.cycle = 0, .force_coin = std::pair{kept, 1.0}});
        refused.finish();
        EXPECT_FALSE(fold(refused.trace(), refused.trace().size()).cycles[0].drafts[static_cast<std::size_t>(kept)].check->accepted);
    }
}

TEST(TreeCycle, FullLawsOfTheOwnTokenAreThoseOfItsPlaceInTheTree) {
    const auto models = test::micro_models(1);
    const RunSettings settings = sampled_tree("tree_wor");
    speclens::Run run(models, settings);
    run.finish();
    const CycleView view = fold(run.trace(), run.trace().size());
    int bonus = 0;
    for (const CycleSummary& cycle : view.cycles) {
        if (cycle.resample->from != Resampled::From::bonus) continue;
        const LawPair laws = full_laws(models, settings, run.trace(), cycle.cycle, static_cast<int>(cycle.drafts.size()));
        EXPECT_NEAR(laws.target[static_cast<std::size_t>(cycle.resample->token)], std::exp(cycle.resample->p), 1e-9);
        ++bonus;
    }
    EXPECT_GT(bonus, 0);
}

// ---- trace and fold ----

TEST(TreeTrace, SaysWhichNodeWasJudgedAndWhereTheOwnTokenHangs) {
    const auto models = test::micro_models(1);
    speclens::Run run(models, sampled_tree("tree_wor"));
    run.finish();
    std::ostringstream lines;
    TraceWriter writer(run.trace());
    for (std::size_t i = 0; i < run.trace().size(); ++i) lines << writer.line(run.trace()[i]) << "\n";
    std::istringstream in(lines.str());
    const auto back = read_trace(in, "memory");
    EXPECT_EQ(back->hash(back->size()), run.trace().hash(run.trace().size()));
    EXPECT_EQ(back->header()->nodes, 14);
    const CycleView view = fold(*back, back->size());
    int later = 0;
    for (const CycleSummary& cycle : view.cycles) {
        EXPECT_TRUE(cycle.tree);
        EXPECT_EQ(cycle.resample->parent, cycle.end_of_path());
        EXPECT_EQ(cycle.commit->path, cycle.path);
        EXPECT_EQ(cycle.verify->rows, static_cast<int>(cycle.drafts.size()) + 1);
        for (std::size_t n = 0; n < cycle.path.size(); ++n)
            EXPECT_EQ(cycle.drafts[static_cast<std::size_t>(cycle.path[n])].depth, static_cast<int>(n) + 1);
        for (const DraftSlot& slot : cycle.drafts) {
            EXPECT_NE(slot.state, DraftSlot::State::drafted) << "a finished round leaves nothing open";
            EXPECT_EQ(slot.check == nullptr, slot.state == DraftSlot::State::discarded);
            if (slot.check && slot.check->left) ++later;
        }
    }
    EXPECT_GT(later, 3) << "later siblings were judged";
}

TEST(TreeTrace, AChainHasNoneOfTheFieldsOfATree) {
    const auto models = test::micro_models(1);
    RunSettings settings = sampled_tree("tree_wor");
    settings.drafter = "small";
    settings.options = {};
    speclens::Run run(models, settings);
    run.finish();
    TraceWriter writer(run.trace());
    for (std::size_t i = 0; i < run.trace().size(); ++i) {
        const std::string line = writer.line(run.trace()[i]);
        EXPECT_EQ(line.find("\"left\""), std::string::npos);
        EXPECT_EQ(line.find("\"path\""), std::string::npos);
        EXPECT_EQ(line.find("\"nodes\""), std::string::npos);
        if (std::holds_alternative<Resampled>(run.trace()[i])) {
            EXPECT_EQ(line.find("\"parent\""), std::string::npos);
        }
    }
}

TEST(TreeView, ReadsATreeBranchByBranch) {
    CycleSummary cycle;
    for (int parent : {-1, -1, 0, 0, 1, 3}) {
        const int depth = parent < 0 ? 1 : cycle.drafts[static_cast<std::size_t>(parent)].depth + 1;
        cycle.drafts.push_back({.parent = parent, .depth = depth});
    }
    EXPECT_EQ(cycle.reading_order(), (std::vector<int>{0, 2, 3, 5, 1, 4}));
    EXPECT_EQ(cycle.own_slot(), 6) << "nothing was rejected";
    cycle.path = {0};
    cycle.drafts[2].state = cycle.drafts[3].state = DraftSlot::State::rejected;
    EXPECT_EQ(cycle.own_slot(), 3) << "the last one that was tried behind the path";
}

TEST(TreeView, SurvivesParentsThatMakeNoSense) {
    Trace trace([](int) { return std::string("x"); });
    Header header;
    header.prompt = {0};
    trace.append(header);
    for (int parent : {5, -1, 1, 0}) {
        Drafted draft;
        draft.index = 9;
        draft.parent = parent;
        trace.append(draft);
    }
    for (int index : {2, 77}) {
        Checked check;
        check.index = index;
        check.accepted = true;
        trace.append(check);
    }
    Resampled own;
    own.parent = 40;
    trace.append(own);
    Committed commit;
    commit.accepted_drafts = 3;
    commit.path = {8, 9, 10};
    commit.tokens = {1, 2, 3, 4};
    trace.append(commit);
    const CycleView view = fold(trace, trace.size());
    EXPECT_EQ(view.cycles[0].reading_order().size(), 4u);
    EXPECT_EQ(attempts_before(trace, 9).size(), 3u) << "one token of prompt, two levels";
    EXPECT_EQ(view.output_tokens, 4);
}

}  // namespace
}  // namespace speclens
