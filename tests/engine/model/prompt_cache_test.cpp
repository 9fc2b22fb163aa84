// A long prompt is read once: what a second decoder copies has the bits of a reading of its own.
#include <numeric>

#include "engine/model/prompt_cache.h"
#include "tests/shared/model_support.h"

namespace speclens {
namespace {

using namespace test;

std::vector<int> text(int tokens, int seed) {
    std::vector<int> ids(static_cast<std::size_t>(tokens));
    for (int i = 0; i < tokens; ++i) ids[static_cast<std::size_t>(i)] = (i * i * 7 + i * seed + seed) % 96;
    return ids;
}

class Prompts : public ::testing::Test {
  protected:
    // Reads `tokens` and says what follows them, and the states that the sink got.
    struct Reading {
        std::vector<float> logits, states;
        double saved = 0;
        std::vector<int> told;
    };
    Reading read(const std::vector<int>& tokens, const std::vector<int>& taps = {}) const {
        const auto decoder = make_model_decoder(model_, 2048);
        decoder->poison();
        Reading reading;
        int expected = 0;
        decoder->prefill(
            tokens, taps,
            [&](int first, const Tensor& rows) {
                if (rows.empty()) return; // none were asked for
                EXPECT_EQ(first, expected) << "the states of a prompt come in order";
                expected += static_cast<int>(rows.rows);
                std::vector<float> values(static_cast<std::size_t>(rows.size()));
                backend_->download(rows, values.data());
                reading.states.insert(reading.states.end(), values.begin(), values.end());
            },
            [&](int at) { reading.told.push_back(at); });
        EXPECT_TRUE(taps.empty() || expected == static_cast<int>(tokens.size()));
        EXPECT_EQ(decoder->length(), static_cast<int>(tokens.size()));
        reading.saved = decoder->saved_ms();
        reading.logits = all_logits(decoder->forward({.tokens = std::vector<int>{5, 6}}));
        return reading;
    }
    std::unique_ptr<Backend> backend_ = test_backend(2);
    std::shared_ptr<const Model> model_ = Model::random(*backend_, geometry("micro"), "micro", 3);
};

TEST_F(Prompts, AreCopiedBitForBit) {
    const std::vector<int> tokens = text(700, 3);
    const Reading first = read(tokens, {0, 2});
    EXPECT_EQ(first.saved, 0);
    const Reading second = read(tokens, {0, 2});
    EXPECT_GT(second.saved, 0);
    EXPECT_TRUE(second.told.empty()) << "nothing was left to read";
    EXPECT_TRUE(same_bits(first.logits, second.logits));
    EXPECT_TRUE(same_bits(first.states, second.states));
    EXPECT_TRUE(same_bits(first.logits, read(tokens).logits)) << "who wants no states takes the same keys and values";
    model_->forget_prompts();
    EXPECT_EQ(read(tokens).saved, 0);
}

TEST_F(Prompts, ServeTextsThatGoOnOrEndEarlier) {
    const std::vector<int> tokens = text(700, 3);
    (void)read(tokens);
    std::vector<int> longer = tokens, other = tokens;
    longer.insert(longer.end(), {9, 8, 7, 6});
    other[400] = (other[400] + 1) % 96;
    for (const std::vector<int>& asked : {longer, other, std::vector<int>(tokens.begin(), tokens.begin() + 300)}) {
        const Reading reused = read(asked);
        EXPECT_GT(reused.saved, 0);
        model_->forget_prompts();
        EXPECT_TRUE(same_bits(reused.logits, read(asked).logits));
        model_->forget_prompts();
        (void)read(tokens);
    }
}

TEST_F(Prompts, AreReadWhereTheyAreShortOrOtherStatesAreWanted) {
    const std::vector<int> tokens = text(700, 3);
    (void)read(tokens, {1});
    EXPECT_EQ(read(tokens, {2}).saved, 0);
    EXPECT_GT(read(tokens, {1}).saved, 0) << "both are kept";
    EXPECT_GT(read(tokens, {2}).saved, 0);
    EXPECT_EQ(read(text(700, 5)).saved, 0);
    const std::vector<int> brief = text(PromptCache::kShortest - 1, 3);
    (void)read(brief);
    EXPECT_EQ(read(brief).saved, 0);
}

TEST(PromptCache, KeepsShorterPromptsOfLargerModels) {
    EXPECT_EQ(PromptCache::shortest(11'000'000), PromptCache::kShortest);
    EXPECT_EQ(PromptCache::shortest(269'000'000), PromptCache::kShortest);
    EXPECT_EQ(PromptCache::shortest(1'000'000'000), 70);
    EXPECT_EQ(PromptCache::shortest(16'000'000'000), 16);
}

TEST_F(Prompts, TellHowFarTheyWereRead) {
    const int rows = make_model_decoder(model_, 2048)->max_rows();
    const Reading first = read(text(2 * rows + 10, 3));
    EXPECT_EQ(first.told, (std::vector<int>{0, rows, 2 * rows}));
    model_->forget_prompts();
    EXPECT_TRUE(read(text(rows, 3)).told.empty()) << "one pass has no progress";
}

} // namespace
} // namespace speclens
