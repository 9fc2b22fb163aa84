// DFlash 2 over every coin (tests/shared/enumerated.h): what its selector draws is judged by the softmax over the candidates, at the
// temperature and filters that it was drawn with, and rounds write the target's distribution to 1e-12. What is wrong with that is found.
//
// Leaves foretold behind one text: 3 * 3 ways of a drawn chain of two with at most 2 + 6 leaves each under the token rule; a way without
// draws has 8 at most. docs/results/verification.md has what came.
#include <gtest/gtest.h>

#include "tests/shared/enumerated.h"
#include "tests/shared/tied_lists.h"

namespace speclens {
namespace {

test::EnumeratedCycle round_of(const std::shared_ptr<const Models>& models, const char* rule, const Sampling& sampling) {
    test::EnumeratedCycle one;
    one.models = models;
    one.settings.drafter = "dflash2";
    one.settings.rule = rule;
    one.settings.k = 2;
    one.settings.prompt.token_ids = test::narrow_prompt();
    one.settings.sampling = sampling;
    one.settings.max_tokens = 5;
    return one;
}

// Behind the texts of at most one token.
test::Enumerated found_in(const test::EnumeratedCycle& one) {
    test::Prefixes prefixes;
    return test::enumerate_behind_prefixes(one, test::model_rows(one.models->target, test::narrow_prompt(), one.settings.sampling), 1,
                                           prefixes);
}

TEST(ExactSelector, WritesTheTargetsDistributionAtEveryTemperatureAndFilter) {
    const auto models = test::loud_models();
    for (const char* rule : {"token", "block"})
        for (const Sampling& sampling : {Sampling{.temperature = .5}, Sampling{.temperature = 1}, Sampling{.temperature = 1, .top_p = .9},
                                         Sampling{.temperature = .5, .top_k = 2}}) {
            const std::string name = std::string(rule) + " T " + test::number(sampling.temperature) + " top-p " +
                                     test::number(sampling.top_p) + " top-k " + std::to_string(sampling.top_k);
            const test::Enumerated found = found_in(round_of(models, rule, sampling));
            EXPECT_EQ(found.problem, "") << name;
            EXPECT_TRUE(found.kept_and_refused()) << name;
            test::tell("selector " + name, found);
        }
}

// Draft and target need not be sampled alike; a greedy walk was drawn by nobody, and its tokens count as certain.
TEST(ExactSelector, AGreedyWalkAndAnotherTemperatureAreJudgedAsWhatTheyAre) {
    const auto models = test::loud_models();
    for (const char* rule : {"token", "block"})
        for (const Sampling& draft : {Sampling{}, Sampling{.temperature = 2}, Sampling{.temperature = .7, .top_p = .6}}) {
            test::EnumeratedCycle one = round_of(models, rule, {.temperature = 1});
            one.settings.draft_sampling = draft;
            const test::Enumerated found = found_in(one);
            EXPECT_EQ(found.problem, "") << rule << ", draft T " << draft.temperature;
            test::tell(std::string("selector ") + rule + ", draft T " + test::number(draft.temperature), found);
        }
}

// ---- what breaks the law ----

class Wrapped : public Drafter {
  public:
    explicit Wrapped(std::unique_ptr<Drafter> inner) : inner_(std::move(inner)) {}
    std::vector<int> taps() const override { return inner_->taps(); }
    void begin(std::span<const int> sequence) override { inner_->begin(sequence); }
    void observe(const Observation& observation) override { inner_->observe(observation); }
    void put_off() override { inner_->put_off(); }

  protected:
    // The same block once more, along `tokens`, which nobody draws.
    Draft along(const Draft& draft, const DraftRequest& request) {
        std::vector<std::pair<int, int>> tokens;
        for (std::size_t i = 0; i < draft.nodes.size(); ++i) tokens.emplace_back(static_cast<int>(i), draft.nodes[i].token);
        DraftRequest again = request;
        again.force = tokens;
        return inner_->draft(again);
    }
    std::unique_ptr<Drafter> inner_;
};

// The likeliest candidate of every row, with the softmax over the candidates as if it had been drawn.
struct ArgmaxWalk final : Wrapped {
    using Wrapped::Wrapped;
    Draft draft(const DraftRequest& request) override {
        DraftRequest greedy = request;
        greedy.sampling = {};
        return along(inner_->draft(greedy), request);
    }
};

// Drawn among the candidates, reported over the vocabulary: what the candidates have of the base row is theirs, the rest stays.
struct OverTheVocabulary final : Wrapped {
    using Wrapped::Wrapped;
    Draft draft(const DraftRequest& request) override {
        DraftRequest recorded = request;
        recorded.entries = -1;
        Draft draft = inner_->draft(recorded);
        for (DraftNode& node : draft.nodes) {
            double listed = 0;
            Distribution all(node.distribution.size(), 0.0);
            for (const auto& [id, logp] : node.base.entries) {
                const auto at = static_cast<std::size_t>(id);
                (node.distribution[at] > 0 ? listed : all[at]) += std::exp(logp);
            }
            for (std::size_t id = 0; id < all.size(); ++id) all[id] += listed * node.distribution[id];
            node.distribution = std::move(all);
        }
        return draft;
    }
};

// Two lists: one that is drawn from, one that the distribution is made of.
struct JudgedByAnotherList final : Wrapped {
    using Wrapped::Wrapped;
    Draft draft(const DraftRequest& request) override {
        Draft draft = inner_->draft(request);
        const Draft again = along(draft, request);
        for (std::size_t i = 0; i < draft.nodes.size(); ++i) draft.nodes[i].distribution = again.nodes[i].distribution;
        return draft;
    }
};

template <class Fault>
std::string problem_with(test::EnumeratedCycle one) {
    one.around = [](std::unique_ptr<Drafter> drafter) -> std::unique_ptr<Drafter> { return std::make_unique<Fault>(std::move(drafter)); };
    return found_in(one).problem;
}

TEST(ExactSelector, AnArgmaxWalkJudgedByTheSoftmaxIsFound) {
    const auto models = test::loud_models();
    for (const char* rule : {"token", "block"}) {
        const std::string problem = problem_with<ArgmaxWalk>(round_of(models, rule, {.temperature = 1}));
        EXPECT_TRUE(problem.starts_with("writes another distribution")) << rule << ": " << problem;
    }
}

TEST(ExactSelector, ADistributionOverTheVocabularyIsFound) {
    const auto models = test::loud_models();
    for (const char* rule : {"token", "block"}) {
        const std::string problem = problem_with<OverTheVocabulary>(round_of(models, rule, {.temperature = 1}));
        EXPECT_TRUE(problem.starts_with("reports what it does not do")) << rule << ": " << problem;
    }
}

TEST(ExactSelector, TiesByTheOrderOfMemoryAreFound) {
    const Sampling sampling{.temperature = 1};
    const auto every_second = std::make_shared<test::TiesTheOtherWay>(test::test_backend(1), true);
    const std::string problem = problem_with<JudgedByAnotherList>(round_of(test::tied_models(every_second), "token", sampling));
    EXPECT_TRUE(problem.starts_with("writes another distribution")) << problem;
    // with ties that go to the lowest id two lists are one
    EXPECT_EQ(problem_with<JudgedByAnotherList>(round_of(test::tied_models(test::test_backend(1)), "token", sampling)), "");
}

} // namespace
} // namespace speclens
