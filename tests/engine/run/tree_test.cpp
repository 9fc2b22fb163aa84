// Trees in the engine: the shape, what the cycle keeps of a pass (cache slots and features, bit for bit), coins and
// attempts by position, forks, and what the trace says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>

#include "engine/drafters/tree_shape.h"
#include "engine/run/cycle.h"
#include "engine/run/full_distributions.h"
#include "engine/run/run.h"
#include "engine/run/session_commands.h"
#include "engine/run/trace_json.h"
#include "kernels/backend.h"
#include "tests/shared/micro.h"
#include "tests/shared/tables.h"

namespace speclens {
namespace {

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
    const std::vector<ShapeNode> chain = tree_shape(3, 4, 4); // first children first
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
        const std::size_t end = observation.sequence.size() - 1; // the rows belong to the tokens before the last one
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
    std::vector<std::vector<float>> features; // by position

  private:
    std::vector<int> text_, taps_;
    int vocab_, width_;
};

struct Finished {
    std::vector<int> text;
    std::vector<int> rows, accepted;
    std::vector<std::vector<float>> features;
    std::vector<float> next_logits; // after the whole text
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

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Distribution of the cache: what a tree round leaves behind is what plain decoding leaves, in every bit, though the kept rows
// stood elsewhere in the pass; and observe gets exactly the kept rows.
TEST(TreeCycle, KeepsTheBitsOfPlainDecodingInCacheAndFeatures) {
    for (int threads : {1, 2, 5}) {
        const auto models = test::micro_models(threads);
        const Finished plain = decode(*models, {}, 1);
        ASSERT_EQ(plain.text.size(), 35u);
        for (int width : {1, 2, 4}) { // 1: chains
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
        settings.prompt.token_ids = {1, 2, 3};
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
        settings.k = 0; // plain decoding has nothing to judge
        EXPECT_NO_THROW(speclens::Run(models, settings));
        settings.k = 4;
        settings.sampling.temperature = 0; // greedy judges it
        EXPECT_NO_THROW(speclens::Run(models, settings));
    }
}

RunSettings sampled_tree(const std::string& rule) {
    RunSettings settings;
    settings.prompt.token_ids = {1, 2, 3};
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
    const RunView view = fold(run.trace(), run.trace().size());
    std::vector<std::uint32_t> attempts(200, 0);
    std::size_t committed = 3;
    int seen = 0;
    for (const RoundSummary& round : view.round_list) {
        std::vector<int> lanes(round.drafts.size() + 1, 0);
        int deepest = 0;
        for (const DraftSlot& slot : round.drafts) {
            const auto lane = static_cast<std::uint32_t>(lanes[static_cast<std::size_t>(slot.parent + 1)]++);
            const auto position = static_cast<std::uint32_t>(committed) + static_cast<std::uint32_t>(slot.depth) - 1;
            const auto coin = [&](Purpose purpose) {
                return uniform(
                    {.seed = settings.seed, .position = position, .purpose = purpose, .lane = lane, .attempt = attempts[position]});
            };
            EXPECT_EQ(*slot.draft->u, coin(Purpose::draft));
            if (slot.check) {
                EXPECT_EQ(*slot.check->u, coin(Purpose::accept));
                ++seen;
            }
            deepest = std::max(deepest, slot.depth);
        }
        for (int d = 0; d < deepest; ++d) ++attempts[committed + static_cast<std::size_t>(d)];
        committed += round.commit->tokens.size();
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
        speclens::Run forced(models, settings, base.trace(), Fork{.round = 1, .force_draft = std::pair{3, 42}});
        forced.finish();
        const RunView branch = fold(forced.trace(), forced.trace().size());
        EXPECT_EQ(branch.round_list[1].drafts[3].draft->token, 42) << rule;
        EXPECT_EQ(branch.round_list[1].drafts[3].draft->extra, "forced") << rule;
        const RunView before = fold(base.trace(), base.trace().size());
        EXPECT_EQ(branch.round_list[1].drafts[0].draft->token, before.round_list[1].drafts[0].draft->token) << rule;
        // A coin of 1 rejects whatever node was accepted first; a later sibling or the target takes its place.
        const int kept = before.round_list[0].path.empty() ? 0 : before.round_list[0].path[0];
        speclens::Run refused(models, settings, base.trace(), Fork{.round = 0, .force_coin = std::pair{kept, 1.0}});
        refused.finish();
        EXPECT_FALSE(fold(refused.trace(), refused.trace().size()).round_list[0].drafts[static_cast<std::size_t>(kept)].check->accepted);
    }
}

TEST(TreeCycle, FullDistributionsOfTheOwnTokenAreThoseOfItsPlaceInTheTree) {
    const auto models = test::micro_models(1);
    const RunSettings settings = sampled_tree("tree_wor");
    speclens::Run run(models, settings);
    run.finish();
    const RunView view = fold(run.trace(), run.trace().size());
    int bonus = 0;
    for (const RoundSummary& round : view.round_list) {
        if (round.resample->from != TargetToken::From::bonus) continue;
        const DistributionPair distributions =
            full_distributions(models, settings, run.trace(), round.round, static_cast<int>(round.drafts.size()));
        EXPECT_NEAR(distributions.target[static_cast<std::size_t>(round.resample->token)], std::exp(round.resample->p), 1e-9);
        EXPECT_TRUE(distributions.places.empty()) << "the rules of chains judge no tree";
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
    const RunView view = fold(*back, back->size());
    int later = 0;
    for (const RoundSummary& round : view.round_list) {
        EXPECT_TRUE(round.tree);
        EXPECT_EQ(round.resample->parent, round.end_of_path());
        EXPECT_EQ(round.commit->path, round.path);
        EXPECT_EQ(round.verify->rows, static_cast<int>(round.drafts.size()) + 1);
        for (std::size_t n = 0; n < round.path.size(); ++n)
            EXPECT_EQ(round.drafts[static_cast<std::size_t>(round.path[n])].depth, static_cast<int>(n) + 1);
        for (const DraftSlot& slot : round.drafts) {
            EXPECT_NE(slot.state, DraftSlot::State::drafted) << "a finished round leaves nothing open";
            EXPECT_EQ(slot.check == nullptr, slot.state == DraftSlot::State::discarded);
            if (slot.check && slot.check->sibling_residual) ++later;
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
        if (std::holds_alternative<TargetToken>(run.trace()[i])) {
            EXPECT_EQ(line.find("\"parent\""), std::string::npos);
        }
    }
}

TEST(TreeView, ReadsATreeBranchByBranch) {
    RoundSummary round;
    for (int parent : {-1, -1, 0, 0, 1, 3}) {
        const int depth = parent < 0 ? 1 : round.drafts[static_cast<std::size_t>(parent)].depth + 1;
        round.drafts.push_back({.parent = parent, .depth = depth});
    }
    EXPECT_EQ(round.reading_order(), (std::vector<int>{0, 2, 3, 5, 1, 4}));
    EXPECT_EQ(round.own_slot(), 6) << "nothing was rejected";
    round.path = {0};
    round.drafts[2].state = round.drafts[3].state = DraftSlot::State::rejected;
    EXPECT_EQ(round.own_slot(), 3) << "the last one that was tried behind the path";
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
    TargetToken own;
    own.parent = 40;
    trace.append(own);
    Committed commit;
    commit.accepted_drafts = 3;
    commit.path = {8, 9, 10};
    commit.tokens = {1, 2, 3, 4};
    trace.append(commit);
    const RunView view = fold(trace, trace.size());
    EXPECT_EQ(view.round_list[0].reading_order().size(), 4u);
    EXPECT_EQ(attempts_before(trace, 9).size(), 3u) << "one token of prompt, two levels";
    EXPECT_EQ(view.output_tokens, 4);
}

} // namespace
} // namespace speclens
