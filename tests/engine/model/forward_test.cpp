// The forward pass against transformers (tests/engine/golden, written by assets/recipe/goldens.py), and its
// invariances: the same token in the same context has the same bits however the work is cut.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "engine/text/tokenizer.h"
#include "tests/shared/model_support.h"
#include "tests/shared/reference_layer.h"

namespace speclens {
namespace {

using namespace test;

constexpr int kRows = 32, kPrompt = 20;

class Golden : public ::testing::TestWithParam<const char*> {
  protected:
    Golden()
        : loaded_(load_golden(GetParam())), file_(Safetensors::open(golden(std::string(GetParam()) + ".golden.safetensors"))),
          ids_(golden_ids(file_)), decoder_(make_model_decoder(loaded_.model)) {}

    // The logits of the golden text on a fresh decoder, in passes that end at `cuts`.
    [[nodiscard]] std::vector<float> logits_in_pieces(const std::vector<int>& cuts) const {
        const auto decoder = make_model_decoder(loaded_.model);
        std::vector<float> all;
        int from = 0;
        for (const int to : cuts) {
            const auto piece = std::span(ids_).subspan(from, to - from);
            const std::vector<float> rows = all_logits(decoder->forward({.tokens = piece}));
            all.insert(all.end(), rows.begin(), rows.end());
            from = to;
        }
        return all;
    }

    Loaded loaded_;
    Safetensors file_;
    std::vector<int> ids_;
    std::unique_ptr<Decoder> decoder_;
};
INSTANTIATE_TEST_SUITE_P(Micro, Golden,
                         ::testing::Values("micro_qwen3", "micro_qwen2", "micro_qwen2_tied", "micro_llama", "micro_llama3",
                                           "micro_llama_linear", "micro_mistral"),
                         [](const auto& tested) { return std::string(tested.param); });

// Largest deviation over the root mean square. Measured on AVX-512 with transformers 5.23, 2026-11-21:
// single precision on both sides, different summation orders: 1.1e-6 … 4.2e-6; the Llama family is no further
// away (transformers 5.24, 2026-11-25: 7e-7 … 4.0e-6);
constexpr double kF32 = 2e-5;
// the reference rounds every activation to 8 bits of mantissa, we do not: 3.4e-2 … 5.0e-2
constexpr double kBf16 = 1e-1;

TEST_P(Golden, LogitsMatchTransformersInSinglePrecision) {
    PassRows& rows = decoder_->forward({.tokens = ids_});
    ASSERT_EQ(rows.count(), kRows);
    EXPECT_LT(worst_relative(all_logits(rows), floats(file_, "logits")), kF32);
}

TEST_P(Golden, ResidualsAfterEveryLayerMatchTransformers) {
    std::vector<int> taps(static_cast<std::size_t>(decoder_->layers()));
    std::iota(taps.begin(), taps.end(), 0);
    decoder_->forward({.tokens = ids_, .logits_from = kRows, .taps = taps});
    const std::vector<float> ours = download(*loaded_.backend, decoder_->features());
    const std::vector<float> theirs = floats(file_, "residuals"); // (layers, rows, h)
    const std::size_t h = static_cast<std::size_t>(loaded_.model->config.hidden), layers = taps.size();
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t layer = 0; layer < layers; ++layer) {
        std::vector<float> a, b;
        for (std::size_t row = 0; row < kRows; ++row)
            for (std::size_t i = 0; i < h; ++i) {
                a.push_back(ours[(row * layers + layer) * h + i]);
                b.push_back(theirs[(layer * kRows + row) * h + i]);
            }
        EXPECT_LT(worst_relative(a, b), kF32) << "layer " << layer;
    }
}

TEST_P(Golden, CachedContinuationMatchesTransformers) {
    decoder_->prefill(std::span(ids_).first(kPrompt));
    std::vector<float> rows;
    for (int i = kPrompt; i < kRows; ++i) {
        const std::vector<float> row = decoder_->forward({.tokens = std::span(ids_).subspan(i, 1)}).logits(0);
        rows.insert(rows.end(), row.begin(), row.end());
    }
    EXPECT_LT(worst_relative(rows, floats(file_, "cached_logits")), kF32);
}

TEST_P(Golden, LogitsStayNearTheBf16Reference) {
    PassRows& rows = decoder_->forward({.tokens = ids_, .logits_from = kRows - 8});
    EXPECT_EQ(rows.count(), 8);
    EXPECT_LT(worst_relative(all_logits(rows), floats(file_, "bf16_logits")), kBf16);
}

TEST_P(Golden, TokenByTokenGivesTheBitsOfOnePass) {
    std::vector<int> ends(kRows);
    std::iota(ends.begin(), ends.end(), 1);
    EXPECT_TRUE(same_bits(logits_in_pieces(ends), logits_in_pieces({kRows})));
}

TEST_P(Golden, AnyCutOfThePromptGivesTheSameBits) {
    const std::vector<float> whole = logits_in_pieces({kRows});
    EXPECT_TRUE(same_bits(logits_in_pieces({1, kRows}), whole));
    EXPECT_TRUE(same_bits(logits_in_pieces({7, 8, 17, kRows}), whole));
    EXPECT_TRUE(same_bits(logits_in_pieces({kRows - 1, kRows}), whole));
}

TEST_P(Golden, ThreadsDoNotChangeBits) {
    const std::vector<float> two = all_logits(decoder_->forward({.tokens = ids_}));
    for (const int threads : {1, 5}) {
        const Loaded other = load_golden(GetParam(), threads);
        const auto decoder = make_model_decoder(other.model);
        EXPECT_TRUE(same_bits(all_logits(decoder->forward({.tokens = ids_})), two)) << threads << " threads";
    }
}

TEST(ModelForward, YarnMatchesTransformers) {
    for (const std::string name : {"micro_qwen3", "micro_llama"}) {
        SCOPED_TRACE(name);
        const ModelFolder folder(name);
        folder.edit("config.json", R"("rope_scaling": null)",
                    R"("rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 128})");
        const auto backend = test_backend(1);
        const auto model = Model::load(*backend, folder.path());
        EXPECT_EQ(model->config.max_positions, 512);
        const Safetensors file = Safetensors::open(golden(name + ".golden.safetensors"));
        const std::vector<int> ids = golden_ids(file);
        const auto decoder = make_model_decoder(model);
        EXPECT_LT(worst_relative(all_logits(decoder->forward({.tokens = ids})), floats(file, "yarn_logits")), kF32);
    }
}

// The goldens of scaled positions say something only where the scaling changes something.
TEST(ModelForward, ScaledPositionsAreNotPlainOnes) {
    for (const auto& [name, scaling] :
         {std::pair{"micro_llama3", "\"rope_type\": \"llama3\""}, std::pair{"micro_llama_linear", "\"type\": \"linear\""}}) {
        const ModelFolder folder(name);
        folder.edit("config.json", scaling, "\"rope_type\": \"default\"");
        const auto backend = test_backend(1);
        const Safetensors file = Safetensors::open(golden(std::string(name) + ".golden.safetensors"));
        const std::vector<int> ids = golden_ids(file);
        const auto decoder = make_model_decoder(Model::load(*backend, folder.path()));
        EXPECT_GT(worst_relative(all_logits(decoder->forward({.tokens = ids})), floats(file, "logits")), 1e-2) << name;
    }
}

TEST(ModelForward, TapsComeInTheOrderAskedForAndAreTheResidual) {
    const Loaded loaded = load_golden("micro_qwen3");
    const auto decoder = make_model_decoder(loaded.model);
    const std::vector<int> tokens{5, 6, 7};
    const auto tap = [&](std::vector<int> layers) {
        decoder->truncate(0);
        decoder->forward({.tokens = tokens, .taps = layers});
        return download(*loaded.backend, decoder->features());
    };
    const std::vector<float> both = tap({2, 0}), two = tap({2}), zero = tap({0});
    const auto h = static_cast<std::size_t>(loaded.model->config.hidden);
    ASSERT_EQ(both.size(), 2 * 3 * h);
    for (std::size_t row = 0; row < 3; ++row) {
        EXPECT_TRUE(std::equal(two.begin() + row * h, two.begin() + (row + 1) * h, both.begin() + 2 * row * h));
        EXPECT_TRUE(std::equal(zero.begin() + row * h, zero.begin() + (row + 1) * h, both.begin() + (2 * row + 1) * h));
    }
    decoder->forward({.tokens = tokens});
    EXPECT_TRUE(decoder->features().empty());
}

TEST(ModelForward, TapsDoNotChangeLogits) {
    const Loaded loaded = load_golden("micro_qwen3");
    const auto decoder = make_model_decoder(loaded.model);
    const std::vector<int> tokens{5, 6, 7}, taps{0, 1, 3};
    const std::vector<float> plain = all_logits(decoder->forward({.tokens = tokens}));
    decoder->truncate(0);
    EXPECT_TRUE(same_bits(all_logits(decoder->forward({.tokens = tokens, .taps = taps})), plain));
}

TEST(ModelForward, DistributionsAreSoftmaxOfTheLogitsAndOneHotAtTemperatureZero) {
    const Loaded loaded = load_golden("micro_qwen3");
    const auto decoder = make_model_decoder(loaded.model);
    const std::vector<int> tokens{5, 6, 7};
    PassRows& rows = decoder->forward({.tokens = tokens});
    for (int row = 0; row < 3; ++row) {
        const std::vector<float> logits = rows.logits(row);
        const auto best = std::ranges::max_element(logits) - logits.begin();
        EXPECT_EQ(rows.argmax()[static_cast<std::size_t>(row)], best);
        const Distribution greedy = rows.distribution(row, {});
        EXPECT_EQ(greedy[static_cast<std::size_t>(best)], 1);
        EXPECT_EQ(std::accumulate(greedy.begin(), greedy.end(), 0.0), 1);

        const double temperature = 0.7;
        Distribution expected(logits.size()); // 0 for padding
        double sum = 0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(loaded.model->tokenizer->size()); ++i)
            sum += expected[i] = std::exp((logits[i] - logits[static_cast<std::size_t>(best)]) / temperature);
        const Distribution distribution = rows.distribution(row, {.temperature = temperature});
        for (std::size_t i = 0; i < distribution.size(); ++i) EXPECT_NEAR(distribution[i], expected[i] / sum, 1e-6);
        EXPECT_NEAR(std::accumulate(distribution.begin(), distribution.end(), 0.0), 1, 1e-12);
        const Distribution filtered = rows.distribution(row, {.temperature = temperature, .top_k = 3});
        EXPECT_EQ(std::ranges::count_if(filtered, [](double p) { return p > 0; }), 3);
        EXPECT_EQ(rows.distribution(row, {.temperature = temperature}), distribution); // asked again after another sampling
    }
}

TEST(ModelForward, PaddingRowsOfTheEmbeddingAreOrdinaryRows) {
    const Loaded loaded = load_golden("micro_qwen3");
    ASSERT_LT(loaded.model->tokenizer->size(), loaded.model->config.vocab);
    const auto decoder = make_model_decoder(loaded.model);
    const std::vector<int> tokens{1, loaded.model->config.vocab - 1, 2};
    EXPECT_TRUE(std::ranges::all_of(all_logits(decoder->forward({.tokens = tokens})), [](float x) { return std::isfinite(x); }));
}

// Three of the 512 rows have no token. Here they are by far the most likely ones.
TEST(ModelForward, IdsWithoutATokenAreInNoDistributionHoweverLikelyTheHeadFindsThem) {
    const ModelFolder folder("micro_qwen3");
    const std::vector<int> tokens{5, 6, 7};
    for (const bool likely : {false, true}) {
        SCOPED_TRACE(likely ? "likely" : "as it is");
        const auto backend = test_backend(1);
        auto model = Model::load(*backend, folder.path());
        const int best = make_model_decoder(model)->forward({.tokens = tokens, .logits_from = 2}).argmax()[0];
        if (likely) { // eight times the row of the favourite: its exponents plus 3
            std::string bytes = read_file(folder / "model.safetensors");
            const Safetensors file = Safetensors::open(folder / "model.safetensors");
            const std::size_t rows = file.find("model.embed_tokens.weight")->begin, row = 64 * 2;
            for (std::size_t i = 0; i < row; i += 2) {
                std::uint16_t value = 0;
                std::memcpy(&value, bytes.data() + rows + static_cast<std::size_t>(best) * row + i, 2);
                value = static_cast<std::uint16_t>(value + (3 << 7));
                for (const std::size_t id : {509, 510, 511}) std::memcpy(bytes.data() + rows + id * row + i, &value, 2);
            }
            write_file(folder / "model.safetensors", bytes);
            model = Model::load(*backend, folder.path());
        }
        const auto decoder = make_model_decoder(model);
        PassRows& rows = decoder->forward({.tokens = tokens});
        const int size = model->tokenizer->size();
        ASSERT_EQ(size, 509);
        for (int row = 0; row < 3; ++row) {
            const std::vector<float> logits = rows.logits(row);
            ASSERT_EQ(logits.size(), 512u) << "the logits are those of the head";
            const auto favourite = static_cast<int>(std::max_element(logits.begin(), logits.begin() + size) - logits.begin());
            EXPECT_EQ(rows.argmax()[static_cast<std::size_t>(row)], favourite);
            for (const double temperature : {0.0, 0.05, 1.0, 2.0}) {
                Distribution expected(512);
                double sum = 0;
                for (int i = 0; i < size; ++i)
                    sum += expected[static_cast<std::size_t>(i)] =
                        temperature == 0
                            ? i == favourite
                            : std::exp((double(logits[static_cast<std::size_t>(i)]) - logits[static_cast<std::size_t>(favourite)]) /
                                       temperature);
                const Sampling sampling{.temperature = temperature};
                const Distribution distribution = rows.distribution(row, sampling);
                ASSERT_EQ(distribution.size(), 512u);
                for (std::size_t i = 0; i < distribution.size(); ++i) EXPECT_NEAR(distribution[i], expected[i] / sum, 1e-6) << i;
                for (std::size_t i = 509; i < 512; ++i) EXPECT_EQ(distribution[i], 0);
                EXPECT_NEAR(std::accumulate(distribution.begin(), distribution.end(), 0.0), 1, 1e-12);

                // what a trace records of it: the same ids and numbers, however many are asked for
                const RecordedRow heads = rows.heads(row, sampling, 6), all = rows.heads(row, sampling, -1);
                const auto same = [](const TopEntries& few, const TopEntries& many) {
                    ASSERT_EQ(few.entries.size(), std::min<std::size_t>(6, many.entries.size()));
                    for (std::size_t i = 0; i < few.entries.size(); ++i) {
                        EXPECT_EQ(few.entries[i].id, many.entries[i].id);
                        EXPECT_NEAR(few.entries[i].logp, many.entries[i].logp, 1e-5);
                        EXPECT_LT(few.entries[i].id, 509);
                    }
                };
                same(heads.distribution, all.distribution);
                same(heads.raw, all.raw);
            }
        }
    }
}

TEST(ModelForward, RandomModelsRunAndRepeat) {
    const auto backend = test_backend(2);
    ModelConfig config = geometry("bundle-s");
    config.layers = 2;
    const auto once = [&](std::uint64_t seed) {
        const auto decoder = make_model_decoder(Model::random(*backend, config, "bundle-s", seed));
        const std::vector<int> tokens{1, 2, 3, 4};
        return all_logits(decoder->forward({.tokens = tokens}));
    };
    const std::vector<float> first = once(1);
    EXPECT_TRUE(same_bits(first, once(1)));
    EXPECT_FALSE(same_bits(first, once(2)));
}

// The same passes from fewer bytes, where the backend keeps them; elsewhere bf16, which the model says.
TEST(ModelForward, RandomModelsAreMadeInAskedForms) {
    const auto backend = test_backend(2);
    ModelConfig config = geometry("micro");
    config.layers = 2;
    const std::vector<int> tokens{1, 2, 3, 4, 5};
    std::size_t before = 0;
    for (const DType form : {DType::bf16, DType::q8_0, DType::q5_0, DType::q4_1, DType::q4_0}) {
        const auto model = Model::random(*backend, config, "micro", 1, {}, form);
        const bool kept = backend->keeps(form, config.hidden);
        EXPECT_EQ(model->forms(), std::vector<DType>{kept ? form : DType::bf16}) << name_of(form);
        EXPECT_TRUE(form == DType::bf16 || !kept || model->bytes.per_token < before) << name_of(form);
        before = model->bytes.per_token;
        const Matrix weights = read_matrix(*backend, model->embedding.view());
        double sum = 0, squares = 0;
        for (const double w : weights.values) sum += w, squares += w * w;
        const double count = static_cast<double>(weights.values.size()), mean = sum / count;
        EXPECT_NEAR(mean, 0, 0.003) << name_of(form);
        EXPECT_NEAR(std::sqrt(squares / count - mean * mean), 0.02, 0.0005) << name_of(form);
        const auto at_once = make_model_decoder(model), one_by_one = make_model_decoder(model);
        const std::vector<float> all = all_logits(at_once->forward({.tokens = tokens}));
        std::vector<float> singly;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const std::vector<float> row = all_logits(one_by_one->forward({.tokens = std::span(tokens).subspan(i, 1)}));
            singly.insert(singly.end(), row.begin(), row.end());
        }
        EXPECT_TRUE(same_bits(all, singly)) << name_of(form);
        EXPECT_TRUE(std::ranges::all_of(all, [](float logit) { return std::isfinite(logit); })) << name_of(form);
        const auto again = make_model_decoder(Model::random(*backend, config, "micro", 1, {}, form));
        EXPECT_TRUE(same_bits(all, all_logits(again->forward({.tokens = tokens})))) << name_of(form);
        const auto other = make_model_decoder(Model::random(*backend, config, "micro", 2, {}, form));
        EXPECT_FALSE(same_bits(all, all_logits(other->forward({.tokens = tokens})))) << name_of(form);
    }
    expect_error([&] { (void)Model::random(*backend, config, "micro", 1, {}, DType::q4_k); }, {"random weights cannot be made as Q4_K"});
}

// Rows that are no whole number of blocks become bf16 alone, the others stay.
TEST(ModelForward, RandomMatricesOfOtherWidthsAreWidened) {
    const auto backend = test_backend(1);
    ModelConfig config = geometry("micro");
    config.ffn = 80;
    const auto model = Model::random(*backend, config, "micro", 1, {}, DType::q8_0);
    const bool kept = backend->keeps(DType::q8_0, config.hidden);
    EXPECT_EQ(model->layer[0].gate.view().dtype, kept ? DType::q8_0 : DType::bf16);
    EXPECT_EQ(model->layer[0].down.view().dtype, DType::bf16);
    const std::vector<DType> forms = model->forms();
    EXPECT_EQ(forms.front(), kept ? DType::q8_0 : DType::bf16);
    EXPECT_EQ(forms.size(), kept ? 2u : 1u);
}

} // namespace
} // namespace speclens
