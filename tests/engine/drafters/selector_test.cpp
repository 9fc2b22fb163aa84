// The candidate selector of DFlash 2: what it lists, what it draws from, and what that is called.
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/model_rows.h"
#include "tests/shared/model_support.h"
#include "tests/shared/tied_lists.h"

namespace speclens::test {
namespace {

// What a head drafts behind one text.
class Drafting {
  public:
    Drafting(const std::shared_ptr<const Model>& model, std::shared_ptr<const DraftNetwork> network, DrafterOptions options = {},
             std::shared_ptr<const FrequentIds> frequent = {})
        : target_(make_model_decoder(model, 128)) {
        drafter_ = find_drafter("dflash2")->make({*target_, nullptr, std::move(network), options, std::move(frequent)});
        drafter_->begin(text_);
        target_->prefill(std::span(text_).first(text_.size() - 1), drafter_->taps(), [&](int first, const Tensor& features) {
            drafter_->observe({.sequence = text_, .first = first, .prompt = true, .features = features});
        });
    }
    std::vector<DraftNode> nodes(const Sampling& sampling, const std::vector<std::pair<int, int>>& force = {}, int k = 3) {
        return drafter_
            ->draft({.sequence = text_,
                     .k = k,
                     .nodes = 0,
                     .sampling = sampling,
                     .coin = [](int index) { return (.37 + .31 * index) - static_cast<int>(.37 + .31 * index); },
                     .entries = -1,
                     .raw_distributions = true,
                     .force = force})
            .nodes;
    }

  private:
    std::vector<int> text_ = {5, 1, 3, 2, 4, 1};
    std::unique_ptr<Decoder> target_;
    std::unique_ptr<Drafter> drafter_;
};

std::size_t with_mass(const Distribution& distribution) {
    return static_cast<std::size_t>(std::ranges::count_if(distribution, [](double p) { return p > 0; }));
}

class Selector : public ::testing::Test {
  protected:
    [[nodiscard]] std::shared_ptr<const DraftNetwork> head(int candidates) const {
        DraftConfig config = micro_head(DraftConfig::Method::dflash2, models_->target->config);
        config.candidates = candidates;
        return loud(DraftNetwork::random(models_->target, config, "dflash2", 7));
    }
    const std::shared_ptr<const Models> models_ = micro_models(2);
};

TEST_F(Selector, DrawsFromTheSoftmaxOverItsCandidates) {
    Drafting drafting(models_->target, head(5));
    for (const Sampling& sampling : {Sampling{.temperature = 1}, Sampling{.temperature = .5}, Sampling{.temperature = 1.7, .top_p = .8},
                                     Sampling{.temperature = 1, .top_k = 2}}) {
        SCOPED_TRACE(sampling.temperature);
        for (const DraftNode& node : drafting.nodes(sampling)) {
            EXPECT_EQ(with_mass(node.raw_distribution), 5u);
            const Distribution want = apply_sampling(node.raw_distribution, sampling);
            ASSERT_EQ(node.distribution.size(), want.size());
            for (std::size_t id = 0; id < want.size(); ++id) EXPECT_NEAR(node.distribution[id], want[id], 1e-12);
            EXPECT_EQ(node.token, sample(node.distribution, *node.u));
            EXPECT_EQ(node.base.entries.size(), 61u) << "the block's own row, before the choice";
            for (std::size_t i = 0; i < 5; ++i) // its five likeliest are the candidates
                EXPECT_GT(node.raw_distribution[static_cast<std::size_t>(node.base.entries[i].id)], 0);
        }
    }
}

TEST_F(Selector, WalksGreedilyAtTemperatureZeroAndSaysWhereTheTokenStood) {
    Drafting drafting(models_->target, head(5));
    int moved = 0;
    for (const DraftNode& node : drafting.nodes({})) {
        EXPECT_TRUE(node.distribution.empty()) << "certain";
        EXPECT_FALSE(node.u);
        EXPECT_EQ(node.token, argmax(node.raw_distribution));
        const auto place = std::ranges::find(node.base.entries, node.token, &TopEntries::Entry::id) - node.base.entries.begin() + 1;
        EXPECT_EQ(node.extra, "candidate " + std::to_string(place) + " of 5");
        moved += place > 1;
    }
    EXPECT_GT(moved, 0) << "a head that changes something";
}

// A token that was forced is read by its own row of the codebook, whether it is a candidate or not: with all ids as candidates the same
// scores stand beside more.
TEST_F(Selector, AForcedTokenIsReadAlthoughItIsNoCandidate) {
    Drafting few(models_->target, head(5)), all(models_->target, head(61));
    const Distribution first = few.nodes({})[0].raw_distribution;
    const int outside = static_cast<int>(std::ranges::find(first, 0.0) - first.begin());
    const std::vector<std::pair<int, int>> force = {{0, outside}};
    const std::vector<DraftNode> some = few.nodes({}, force), whole = all.nodes({}, force), free = few.nodes({});
    EXPECT_EQ(some[0].token, outside);
    double mass = 0;
    for (std::size_t id = 0; id < 61; ++id)
        if (some[1].raw_distribution[id] > 0) mass += whole[1].raw_distribution[id];
    ASSERT_GT(mass, 0);
    for (std::size_t id = 0; id < 61; ++id)
        if (some[1].raw_distribution[id] > 0) {
            EXPECT_NEAR(some[1].raw_distribution[id], whole[1].raw_distribution[id] / mass, 1e-9);
        }
    EXPECT_NE(some[1].raw_distribution, free[1].raw_distribution) << "another token before, other scores";
}

TEST_F(Selector, WithoutTheCorrectionTheBlockIsDrawnFromItsOwnRows) {
    Drafting plain(models_->target, head(5), {.correction = false});
    for (const DraftNode& node : plain.nodes({.temperature = 1})) {
        EXPECT_EQ(with_mass(node.distribution), 61u);
        EXPECT_TRUE(node.base.empty());
    }
}

// Padding of an output matrix is no candidate, also where it would fill the list.
TEST_F(Selector, IdsWithoutATokenAreNoCandidates) {
    const auto backend = test_backend(2);
    const auto model = Model::load(*backend, golden("micro_qwen3"));
    const int tokens = tokens_of(*model);
    ASSERT_LT(tokens, 512);
    const ModelFolder folder("micro_dflash2");
    folder.edit("config.json", "\"selector_top_k\": 7", "\"selector_top_k\": 512");
    Drafting drafting(model, DraftNetwork::load(model, folder.path()));
    for (const DraftNode& node : drafting.nodes({.temperature = 1})) {
        EXPECT_EQ(with_mass(node.raw_distribution), static_cast<std::size_t>(tokens));
        for (std::size_t id = static_cast<std::size_t>(tokens); id < 512; ++id) EXPECT_EQ(node.raw_distribution[id], 0);
    }
}

TEST_F(Selector, TiesOfTheLastPlaceGoToTheLowestId) {
    const auto listed = [](std::shared_ptr<Backend> backend, int frequent) {
        const auto models = tied_models(std::move(backend));
        DrafterOptions options;
        options.fr_spec = frequent;
        Drafting drafting(models->target, models->network("dflash2"), options, models->frequent);
        const std::vector<DraftNode> drawn = drafting.nodes({.temperature = 1}), greedy = drafting.nodes({});
        for (const DraftNode& node : drawn) EXPECT_EQ(node.raw_distribution, drawn[0].raw_distribution);
        for (const DraftNode& node : greedy) EXPECT_EQ(node.token, argmax(drawn[0].raw_distribution)) << "of equal scores the lowest id";
        return drawn[0].raw_distribution;
    };
    const double third = 1.0 / 3;
    EXPECT_EQ(listed(test_backend(1), 0), (Distribution{third, third, third, 0, 0, 0}));
    EXPECT_EQ(with_mass(listed(test_backend(1), 4)), 3u);
    EXPECT_EQ(with_mass(listed(test_backend(1), 2)), 2u) << "fewer ids than candidates";
    // the fault that this test is for: an order of memory
    EXPECT_EQ(listed(std::make_shared<TiesTheOtherWay>(test_backend(1), false), 0), (Distribution{0, 0, 0, third, third, third}));
}

} // namespace
} // namespace speclens::test
