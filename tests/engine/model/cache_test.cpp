// The key/value cache: whatever was tried and taken back, a token's logits are those of a fresh decoder, bit
// by bit, and nothing behind length() is ever read (those slots hold NaN here).
#include <algorithm>
#include <numeric>

#include "tests/shared/model_support.h"

namespace speclens {
namespace {

using namespace test;

class Cache : public ::testing::Test {
  protected:
    Cache() : loaded_(load_golden("micro_qwen3")), decoder_(make_model_decoder(loaded_.model)) {
        text_.resize(100);
        for (std::size_t i = 0; i < text_.size(); ++i) text_[i] = static_cast<int>((i * 37 + 11) % 500);
    }
    [[nodiscard]] std::span<const int> text(int from, int to) const { return std::span(text_).subspan(from, to - from); }

    // Logits of the last `count` rows after `tokens`, computed from nothing in one pass.
    [[nodiscard]] std::vector<float> fresh(std::span<const int> tokens, int count) const {
        const auto decoder = make_model_decoder(loaded_.model);
        return all_logits(decoder->forward({.tokens = tokens, .logits_from = static_cast<int>(tokens.size()) - count}));
    }
    [[nodiscard]] std::vector<int> committed(int length, const std::vector<int>& more) const {
        std::vector<int> all(text_.begin(), text_.begin() + length);
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }

    Loaded loaded_;
    std::unique_ptr<Decoder> decoder_;
    std::vector<int> text_;
};

TEST_F(Cache, TruncateAndRefeedEqualsAFreshForward) {
    decoder_->prefill(text(0, 50));
    decoder_->forward({.tokens = std::vector<int>{9, 9, 9, 9, 9}}); // a rejected draft
    decoder_->truncate(37);
    decoder_->poison();
    EXPECT_TRUE(same_bits(all_logits(decoder_->forward({.tokens = text(37, 44)})), fresh(text(0, 44), 7)));
    EXPECT_EQ(decoder_->length(), 44);
    decoder_->truncate(0);
    decoder_->poison();
    EXPECT_TRUE(same_bits(all_logits(decoder_->forward({.tokens = text(0, 9)})), fresh(text(0, 9), 9)));
}

TEST_F(Cache, PrefillInPiecesEqualsOnePass) {
    const auto small = make_model_decoder(loaded_.model, 100);
    for (const int piece : {1, 3, 16, 64}) {
        small->truncate(0);
        small->poison();
        for (int at = 0; at < 96; at += piece) small->prefill(text(at, std::min(at + piece, 96)));
        EXPECT_TRUE(same_bits(small->forward({.tokens = text(96, 97)}).logits(0), fresh(text(0, 97), 1))) << piece;
    }
}

TEST_F(Cache, GrowsWithoutChangingBits) {
    const ModelFolder folder("micro_qwen3");
    folder.edit("config.json", R"("max_position_embeddings": 256)", R"("max_position_embeddings": 2048)");
    const auto model = Model::load(*loaded_.backend, folder.path());
    const auto grown = make_model_decoder(model), whole = make_model_decoder(model);
    EXPECT_EQ(grown->capacity(), 2048);
    std::vector<int> tokens(700);
    for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<int>(i * 7 % 500);
    const std::size_t before = grown->memory_bytes();
    grown->poison();
    for (const int token : tokens) grown->forward({.tokens = std::span(&token, 1), .logits_from = 1});
    EXPECT_GT(grown->memory_bytes(), before);
    whole->prefill(tokens);
    EXPECT_TRUE(same_bits(grown->forward({.tokens = text(0, 3)}).logits(2), whole->forward({.tokens = text(0, 3)}).logits(2)));
}

// A tree on top of 20 committed tokens:  0 ─┬─ 1 ─┬─ 3
//                                           │     └─ 4 ── 6
//                                           └─ 2 ──── 5
const std::vector<int> kParents{-1, 0, 0, 1, 1, 2, 4};
const std::vector<int> kTree{20, 31, 32, 43, 44, 55, 66};
std::vector<int> path_to(int row) {
    std::vector<int> rows;
    for (int i = row; i >= 0; i = kParents[static_cast<std::size_t>(i)]) rows.insert(rows.begin(), i);
    return rows;
}
std::vector<int> tokens_of(const std::vector<int>& rows) {
    std::vector<int> tokens;
    for (const int row : rows) tokens.push_back(kTree[static_cast<std::size_t>(row)]);
    return tokens;
}

TEST_F(Cache, EveryRowOfATreeEqualsItsPathAsAChain) {
    decoder_->prefill(text(0, 20));
    decoder_->poison();
    PassRows& rows = decoder_->forward({.tokens = kTree, .parents = kParents});
    for (int row = 0; row < rows.count(); ++row)
        EXPECT_TRUE(same_bits(rows.logits(row), fresh(committed(20, tokens_of(path_to(row))), 1))) << "row " << row;
}

TEST_F(Cache, TreesWiderThanOneWordOfTheMaskWork) {
    decoder_->prefill(text(0, 20));
    std::vector<int> tokens(130), parents(130);
    for (int i = 0; i < 130; ++i) {
        tokens[static_cast<std::size_t>(i)] = i + 3;
        parents[static_cast<std::size_t>(i)] = i == 0 ? -1 : (i - 1) / 2; // a binary heap
    }
    PassRows& rows = decoder_->forward({.tokens = tokens, .parents = parents, .logits_from = 129});
    std::vector<int> path;
    for (int i = 129; i >= 0; i = parents[static_cast<std::size_t>(i)]) path.insert(path.begin(), tokens[static_cast<std::size_t>(i)]);
    EXPECT_TRUE(same_bits(rows.logits(0), fresh(committed(20, path), 1)));
}

TEST_F(Cache, SeveralRootsSeeTheCacheOnly) {
    decoder_->prefill(text(0, 20));
    const std::vector<int> tokens{7, 8, 9}, roots{-1, -1, -1};
    PassRows& rows = decoder_->forward({.tokens = tokens, .parents = roots});
    for (int row = 0; row < 3; ++row)
        EXPECT_TRUE(same_bits(rows.logits(row), fresh(committed(20, {tokens[static_cast<std::size_t>(row)]}), 1)));
}

TEST_F(Cache, AChainSpelledAsParentsEqualsAChain) {
    decoder_->prefill(text(0, 20));
    const std::vector<float> chain = all_logits(decoder_->forward({.tokens = text(20, 24)}));
    decoder_->truncate(20);
    const std::vector<int> parents{-1, 0, 1, 2}, positions{20, 21, 22, 23};
    EXPECT_TRUE(same_bits(all_logits(decoder_->forward({.tokens = text(20, 24), .parents = parents, .positions = positions})), chain));
}

TEST_F(Cache, KeepLeavesThePathAsIfItHadBeenFedAlone) {
    for (int leaf : {0, 3, 5, 6}) {
        decoder_->truncate(0);
        decoder_->prefill(text(0, 20));
        decoder_->forward({.tokens = kTree, .parents = kParents});
        const std::vector<int> path = path_to(leaf);
        decoder_->keep(20, path);
        decoder_->poison();
        EXPECT_EQ(decoder_->length(), 20 + static_cast<int>(path.size()));
        std::vector<int> all = committed(20, tokens_of(path));
        all.push_back(77);
        EXPECT_TRUE(same_bits(decoder_->forward({.tokens = std::vector<int>{77}}).logits(0), fresh(all, 1))) << leaf;
    }
}

TEST_F(Cache, KeepOfNothingForgetsTheTree) {
    decoder_->prefill(text(0, 20));
    decoder_->forward({.tokens = kTree, .parents = kParents});
    decoder_->keep(20, {});
    EXPECT_EQ(decoder_->length(), 20);
}

TEST_F(Cache, EarlyExitReadsNoDeeperLayer) {
    // drafting with two layers, then verifying with all: the draft's slots of layers 2 and 3 are NaN until
    // then
    decoder_->prefill(text(0, 20));
    decoder_->poison();
    const LayerPlan plan{.exit_layer = 2};
    for (int i = 20; i < 24; ++i)
        for (const float logit : decoder_->forward({.tokens = text(i, i + 1), .plan = plan}).logits(0)) ASSERT_TRUE(std::isfinite(logit));
    decoder_->truncate(20);
    EXPECT_TRUE(same_bits(all_logits(decoder_->forward({.tokens = text(20, 24)})), fresh(text(0, 24), 4)));
}

TEST_F(Cache, EarlyExitIsNormAndHeadOfThatLayersResidual) {
    const std::vector<int> tap{1};
    decoder_->forward({.tokens = text(0, 5), .taps = tap});
    const std::vector<float> residual = download(*loaded_.backend, decoder_->features());
    decoder_->truncate(0);
    const LayerPlan plan{.exit_layer = 2};
    decoder_->forward({.tokens = text(0, 5), .plan = plan, .taps = tap});
    EXPECT_TRUE(same_bits(download(*loaded_.backend, decoder_->features()), residual));
    decoder_->truncate(0);
    const std::vector<float> all_layers = all_logits(decoder_->forward({.tokens = text(0, 5), .plan = {.exit_layer = 4}}));
    EXPECT_TRUE(same_bits(all_layers, fresh(text(0, 5), 5)));
}

TEST_F(Cache, SkippedSubLayersWriteNothingAndPassTheResidualOn) {
    decoder_->prefill(text(0, 20));
    decoder_->poison();
    const LayerPlan plan{.exit_layer = -1, .skip_attention = {1, 2}, .skip_mlp = {2}};
    const std::vector<int> taps{1, 2};
    for (int i = 20; i < 23; ++i) {
        for (const float logit : decoder_->forward({.tokens = text(i, i + 1), .plan = plan, .taps = taps}).logits(0))
            ASSERT_TRUE(std::isfinite(logit));
        const std::vector<float> features = download(*loaded_.backend, decoder_->features());
        const auto h = static_cast<std::ptrdiff_t>(features.size() / 2); // layer 2 is skipped entirely
        EXPECT_TRUE(std::equal(features.begin(), features.begin() + h, features.begin() + h));
    }
    decoder_->truncate(20);
    EXPECT_TRUE(same_bits(all_logits(decoder_->forward({.tokens = text(20, 23)})), fresh(text(0, 23), 3)));
}

TEST_F(Cache, RefusesAContextTheModelHasNoPositionsFor) {
    expect_error([&] { static_cast<void>(make_model_decoder(loaded_.model, 257)); }, {"micro_qwen3", "257", "256"});
    EXPECT_EQ(make_model_decoder(loaded_.model)->capacity(), 256);
    EXPECT_EQ(make_model_decoder(loaded_.model, 40)->max_rows(), 40);
}

using CacheDeathTest = Cache;
TEST_F(CacheDeathTest, ImpossiblePassesAreCaught) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto decoder = make_model_decoder(loaded_.model, 8);
    EXPECT_DEATH(decoder->forward({.tokens = text(0, 9)}), "max_rows");
    EXPECT_DEATH(decoder->forward({.tokens = std::vector<int>{512}}), "outside the vocabulary");
    EXPECT_DEATH(decoder->truncate(1), "truncate");
    EXPECT_DEATH(decoder->forward({.tokens = text(0, 2), .parents = std::vector<int>{-1, 1}}), "earlier row");
}

} // namespace
} // namespace speclens
