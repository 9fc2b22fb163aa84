// Models from GGUF files: the same numbers as from the folder they were made of, and every file that is refused.
#include <cmath>
#include <set>

#include "engine/model/fingerprint.h"
#include "engine/model/gguf_model.h"
#include "engine/model/model_parts.h"
#include "engine/text/tokenizer.h"
#include "tests/shared/gguf_model.h"

namespace speclens {
namespace {

using namespace test;

std::vector<float> logits_of(const std::shared_ptr<const Model>& model) {
    std::vector<int> ids(24);
    for (int i = 0; i < 24; ++i) ids[static_cast<std::size_t>(i)] = (i * 37 + 5) % model->config.vocab;
    return all_logits(make_model_decoder(model)->forward({.tokens = ids}));
}

struct Both {
    std::unique_ptr<Backend> backend = test_backend(2);
    TempFolder folder;
    std::shared_ptr<const Model> load(const GgufWriter& file, WeightForm form = WeightForm::by_default,
                                      const std::string& name = "toy.gguf") const {
        file.write(folder / name);
        return Model::load(*backend, folder / name, {}, form);
    }
};

class GgufModel : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Micro, GgufModel,
                         ::testing::Values("micro_qwen3", "micro_qwen2", "micro_qwen2_tied", "micro_llama", "micro_mistral"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_P(GgufModel, GivesTheLogitsOfTheFolderItWasMadeOf) {
    const Both both;
    const auto folder = Model::load(*both.backend, golden(GetParam()));
    const std::vector<float> expected = logits_of(folder);
    for (const DType stored : {DType::bf16, DType::f32}) {
        const auto model = both.load(gguf_of_folder(golden(GetParam()), stored));
        EXPECT_TRUE(same_bits(logits_of(model), expected)) << name_of(stored);
        EXPECT_EQ(model->name, "toy");
        EXPECT_EQ(model->stored_as, name_of(stored));
        EXPECT_EQ(model->kept_as, stored == DType::bf16 ? "" : "bf16");
        EXPECT_EQ(model->config.stops, std::vector<int>{folder->config.stops.front()});
        EXPECT_EQ(model->config.context(), folder->config.context());
        EXPECT_EQ(model->config.tied, folder->config.tied);
        const std::string text = "The 12 quick\n\nfoxes <|im_end|> über";
        if (folder->tokenizer) {
            EXPECT_EQ(model->tokenizer->encode(text), folder->tokenizer->encode(text));
        }
    }
    EXPECT_LT(worst_relative(logits_of(both.load(gguf_of_folder(golden(GetParam()), DType::f32), WeightForm::keep)), expected), 1e-5);
}

TEST_P(GgufModel, KeepsQuantisedMatricesAndWidensThemToBf16WhereThatIsAskedFor) {
    const Both both;
    const auto widened = both.load(gguf_of_folder(golden(GetParam()), DType::q8_0), WeightForm::bf16);
    EXPECT_EQ(widened->stored_as, "Q8_0");
    EXPECT_EQ(widened->kept_as, "bf16");
    const auto eight = both.load(gguf_of_folder(golden(GetParam()), DType::q8_0), WeightForm::keep);
    EXPECT_EQ(eight->kept_as, both.backend->keeps(DType::q8_0, 64) ? "" : "bf16");
    EXPECT_EQ(both.load(gguf_of_folder(golden(GetParam()), DType::q8_0))->kept_as, eight->kept_as) << "and without a word";
    const auto folder = Model::load(*both.backend, golden(GetParam()));
    EXPECT_LT(worst_relative(logits_of(widened), logits_of(folder)), .2) << "eight bits of a random model";
    EXPECT_GT(worst_relative(logits_of(widened), logits_of(folder)), 1e-4) << "not the same matrices";
    EXPECT_LT(worst_relative(logits_of(eight), logits_of(widened)), .05) << "rounded to bf16 or not";
    // quantised here or in the file: the same eight bits
    const auto own = Model::load(*both.backend, golden(GetParam()), {}, WeightForm::q8);
    if (both.backend->keeps(DType::q8_0, 64)) {
        // Rows that are no whole blocks are f32 in one and bf16 in the other: the same numbers, other sums.
        EXPECT_LT(worst_relative(logits_of(own), logits_of(eight)), 1e-5);
    }
}

TEST_P(GgufModel, HasTheFingerprintOfTheFolderHoweverItIsQuantised) {
    const Both both;
    const auto source = Model::load(*both.backend, golden(GetParam()));
    // A folder without a tokenizer is told apart from a file with one.
    const std::string folder = fingerprint(*(source->tokenizer ? source : both.load(gguf_of_folder(golden(GetParam()), DType::f32))));
    EXPECT_EQ(folder.size(), 16u);
    for (const DType stored : {DType::bf16, DType::q8_0})
        for (const WeightForm form : {WeightForm::by_default, WeightForm::keep})
            EXPECT_EQ(fingerprint(*both.load(gguf_of_folder(golden(GetParam()), stored), form)), folder) << name_of(stored);
}

TEST(GgufFingerprint, TellsModelsApart) {
    const Both both;
    std::set<std::string> prints;
    for (const char* name : {"micro_qwen3", "micro_qwen2", "micro_qwen2_tied"})
        prints.insert(fingerprint(*Model::load(*both.backend, golden(name))));
    EXPECT_EQ(prints.size(), 3u);
}

// A file of micro_qwen2_tied with some of its bytes changed.
std::string with(const std::string& from, const std::string& to) {
    std::string bytes = gguf_of_folder(golden("micro_qwen2_tied"), DType::bf16).bytes();
    const std::size_t at = bytes.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    EXPECT_EQ(from.size(), to.size()) << from;
    return bytes.replace(at, from.size(), to);
}

TEST(GgufModelFile, IdsThatFillUpTheEmbeddingAreNoTokens) {
    const Both both;
    const auto folder = Model::load(*both.backend, golden("micro_qwen2"));
    const auto model = both.load(gguf_of_folder(golden("micro_qwen2"), DType::bf16));
    ASSERT_LT(folder->tokenizer->size(), folder->config.vocab) << "has rows without a token";
    EXPECT_EQ(model->tokenizer->size(), folder->tokenizer->size());
    EXPECT_EQ(model->config.vocab, folder->config.vocab);
    write_file(both.folder / "toy.gguf", with("tokenizer.ggml.token_type", "tokenizer.ggml.token_typ_"));
    EXPECT_THROW((void)Model::load(*both.backend, both.folder / "toy.gguf"), Error) << "types are missing";
}

TEST(GgufModelFile, IsFoundInAFolder) {
    const Both both;
    gguf_of_folder(golden("micro_qwen2_tied"), DType::bf16).write(both.folder / "one.gguf");
    EXPECT_EQ(Model::load(*both.backend, both.folder.path())->name, "toy") << "what it says of itself, not its file's name";
    fs::copy(both.folder / "one.gguf", both.folder / "two.gguf");
    expect_error([&] { (void)Model::load(*both.backend, both.folder.path()); }, {"2 GGUF files"});
    fs::copy(golden("micro_qwen2"), both.folder.path(), fs::copy_options::recursive);
    EXPECT_EQ(Model::load(*both.backend, both.folder.path())->config.layers, 3) << "a folder with a config.json is the folder";
}

TEST(GgufModelFile, IsCalledByWhatItSaysOfItself) {
    const Both both;
    const auto called = [&](const std::string& file, const std::string& name) {
        gguf_of_folder(
            golden("micro_qwen2_tied"), DType::bf16, [&](GgufWriter& f) { f.text("general.basename", "Qwen2.5-Coder"); }, name)
            .write(both.folder / file);
        return Model::load(*both.backend, both.folder / file)->name;
    };
    EXPECT_EQ(called("15.gguf", "Qwen2.5 Coder 1.5B Instruct GGUF"), "Qwen2.5-Coder 1.5B Instruct");
    EXPECT_EQ(called("15.gguf", "Qwen2.5 Coder 0.5B Instruct AWQ"), "Qwen2.5-Coder 0.5B Instruct");
    EXPECT_EQ(called("qwen-q4_k_m.gguf", "Models"), "qwen");
}

TEST(GgufModelFile, RefusesOtherArchitecturesWithTheWayOut) {
    const auto refused = [](const std::string& arch, const std::vector<std::string>& words) {
        GgufWriter file;
        file.text("general.architecture", arch);
        try {
            (void)gguf_config(parse_gguf(file.bytes()));
            ADD_FAILURE() << arch;
        } catch (const Error& error) {
            for (const std::string& word : words) EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
            EXPECT_NE(error.remedy().find("llama-server"), std::string::npos) << error.remedy();
        }
    };
    refused("gemma3", {"gemma3", "llama, qwen2 and qwen3"});
    refused("qwen3moe", {"mixture of experts"});
    refused("qwen3next", {"recurrent state"});
    refused("mamba", {"recurrent state"});
    for (const char* newest : {"smollm3", "mistral3", "granite", "granitehybrid", "lfm2", "olmo2", "gemma3n"})
        refused(newest, {newest, "llama, qwen2 and qwen3"});
    refused("", {"\"\""});
    for (const char* head : {"eagle3", "dflash"}) {
        GgufWriter file;
        file.text("general.architecture", head);
        try {
            (void)gguf_config(parse_gguf(file.bytes()));
            ADD_FAILURE() << head;
        } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find("a draft head, not a model"), std::string::npos) << error.what();
            EXPECT_NE(error.remedy().find("--drafter " + std::string(head) + "=FILE.gguf"), std::string::npos) << error.remedy();
        }
    }
}

TEST(GgufModelFile, RefusesWhatItCannotComputeNamingTheKey) {
    const auto refused = [](const std::function<void(GgufWriter&)>& more, std::vector<std::string> words) {
        const GgufWriter file = gguf_of_folder(golden("micro_qwen2_tied"), DType::bf16, more);
        words.push_back("toy/model.gguf");
        expect_error(
            [&] {
                const Gguf gguf = parse_gguf(file.bytes());
                const ModelConfig config = gguf_config(gguf);
                (void)gguf_tensors(gguf, config, [](const StoredTensor&) { return DType::bf16; });
            },
            words);
    };
    refused([](GgufWriter& f) { f.u32("qwen2.expert_count", 8); }, {"8 experts"});
    refused([](GgufWriter& f) { f.f32("qwen2.logit_scale", 2); }, {"logit_scale"});
    refused([](GgufWriter& f) { f.flag("qwen2.attention.causal", false); }, {"looks ahead"});
    refused([](GgufWriter& f) { f.text("qwen2.rope.scaling.type", "longrope"); }, {"longrope"});
    refused([](GgufWriter& f) { f.text("general.type", "adapter"); }, {"adapter"});
    const std::vector<float> one = {1};
    refused([&](GgufWriter& f) { f.tensor("rope_freqs.weight", {1}, DType::f32, std::as_bytes(std::span(one))); },
            {"rope_freqs.weight", "(1)"});
    refused([&](GgufWriter& f) { f.tensor("blk.0.ffn_gate_exps.weight", {1}, DType::f32, std::as_bytes(std::span(one))); },
            {"blk.0.ffn_gate_exps.weight"});
    refused([&](GgufWriter& f) { f.tensor("blk.9.attn_q.weight", {1}, DType::f32, std::as_bytes(std::span(one))); },
            {"blk.9.attn_q.weight"});
}

TEST(GgufModelFile, SaysWhichMetadataOrTensorIsMissing) {
    const Both both;
    const auto refused = [&](const std::string& from, const std::string& to, std::vector<std::string> words) {
        write_file(both.folder / "toy.gguf", with(from, to));
        words.push_back("toy.gguf");
        expect_error([&] { (void)Model::load(*both.backend, both.folder / "toy.gguf"); }, words);
    };
    for (const char* key : {"qwen2.block_count", "qwen2.embedding_length", "qwen2.feed_forward_length", "qwen2.attention.head_count",
                            "qwen2.context_length", "qwen2.attention.layer_norm_rms_epsilon"}) {
        std::string other = key;
        other.back() = '_';
        refused(key, other, {key, "missing"});
    }
    refused("blk.0.attn_k.weight", "blk.0.attn_k.weigh_", {"blk.0.attn_k.weigh_"});
    refused("output_norm.weight", "output_norm.weigh_", {"output_norm.weigh_"});
    refused("token_embd.weight", "token_embd.weigh_", {"token_embd.weight"});
    refused("tokenizer.ggml.tokens", "tokenizer.ggml.token_", {"vocabulary"});
}

TEST(GgufModelFile, ReadsOneNumberOfAllLayersAlsoFromAList) {
    const auto heads = [](const std::vector<std::int32_t>& list) {
        GgufWriter file;
        file.text("general.architecture", "llama");
        for (const auto& [name, value] : {std::pair{".block_count", 2u},
                                          {".embedding_length", 8u},
                                          {".context_length", 64u},
                                          {".attention.head_count", 4u},
                                          {".feed_forward_length", 8u}})
            file.u32(std::string("llama") + name, value);
        file.f32("llama.attention.layer_norm_rms_epsilon", 1e-5f);
        file.array("llama.attention.head_count_kv", 5, list);
        const std::vector<float> rows(16);
        file.tensor("token_embd.weight", {2, 8}, DType::f32, std::as_bytes(std::span(rows)));
        return gguf_config(parse_gguf(file.bytes()));
    };
    EXPECT_EQ(heads({2, 2}).kv_heads, 2);
    EXPECT_EQ(heads({2, 2}).rope_theta, 10000) << "where the file says nothing";
    expect_error([&] { (void)heads({2, 4}); }, {"head_count_kv", "layer to layer"});
    expect_error([&] { (void)heads({2}); }, {"head_count_kv", "1 entries"});
    expect_error([&] { (void)heads({0, 0}); }, {"head_count_kv", "0"});
}

TEST(GgufModelFile, StretchesRotaryPositions) {
    using Scaling = ModelConfig::RopeScaling;
    const auto config = [](const std::function<void(GgufWriter&)>& more) {
        return gguf_config(parse_gguf(gguf_of_folder(golden("micro_qwen2_tied"), DType::bf16, more).bytes()));
    };
    EXPECT_EQ(config({}).rope_scaling, Scaling::none);
    const ModelConfig linear = config([](GgufWriter& f) {
        f.text("qwen2.rope.scaling.type", "linear");
        f.f32("qwen2.rope.scaling.factor", 4);
    });
    EXPECT_EQ(linear.rope_scaling, Scaling::linear);
    EXPECT_EQ(linear.rope_factor, 4);
    // llama.cpp takes "linear" where no type is said, the factor's older name, and 0 for nothing.
    const auto factor = [&](const char* key, float value, const char* type = nullptr) {
        return config([&](GgufWriter& f) {
            if (type != nullptr) f.text("qwen2.rope.scaling.type", type);
            f.f32(std::string("qwen2.rope.") + key, value);
        });
    };
    for (const char* key : {"scaling.factor", "scale_linear"}) {
        EXPECT_EQ(factor(key, 4).rope_scaling, Scaling::linear) << key;
        EXPECT_EQ(factor(key, 4).rope_factor, 4) << key;
        EXPECT_EQ(factor(key, 4, "none").rope_scaling, Scaling::none) << key;
        for (const float nothing : {0.f, 1.f}) EXPECT_EQ(factor(key, nothing).rope_scaling, Scaling::none) << key;
        expect_error([&] { (void)factor(key, .5f); }, {"rope.scaling.factor is below 1"});
    }
    const ModelConfig yarn = config([](GgufWriter& f) {
        f.text("qwen2.rope.scaling.type", "yarn");
        f.f32("qwen2.rope.scaling.factor", 4);
        f.u32("qwen2.rope.scaling.original_context_length", 128);
    });
    EXPECT_EQ(yarn.rope_scaling, Scaling::yarn);
    EXPECT_EQ(yarn.rope_original_positions, 128);
    EXPECT_EQ(yarn.max_positions, 512);
    EXPECT_DOUBLE_EQ(yarn.rope_attention, 1.1386294361119891);
    const auto attention = [&](const std::string& key, float value) {
        return config([&](GgufWriter& f) {
            f.text("qwen2.rope.scaling.type", "yarn");
            f.f32("qwen2.rope.scaling.factor", 4);
            f.f32("qwen2.rope.scaling." + key, value);
        });
    };
    EXPECT_NEAR(attention("attn_factor", .87824886f).rope_attention, 1, 1e-7) << "DeepSeek-R1-0528-Qwen3-8B";
    EXPECT_EQ(attention("attn_factor", .87824886f).notice, "");
    EXPECT_FLOAT_EQ(cos_sin_table(attention("attn_factor", .5f))[0], .5693147f) << "the cosine at position 0";
    for (const char* key : {"yarn_attn_factor", "yarn_log_multiplier"}) {
        const ModelConfig read = attention(key, .75f);
        EXPECT_DOUBLE_EQ(read.rope_attention, 1.1386294361119891) << key;
        EXPECT_NE(read.notice.find(std::string(key) + " is 0.75, which llama.cpp does not read for qwen2"), std::string::npos)
            << read.notice;
    }
    expect_error([&] { (void)attention("yarn_beta_fast", 16); }, {"yarn_beta_fast"});
    expect_error([&] { (void)attention("attn_factor", 0); }, {"attn_factor"});
    const ModelConfig window = config([](GgufWriter& f) { f.u32("qwen2.attention.sliding_window", 100); });
    EXPECT_EQ(window.max_positions, 100);
    EXPECT_NE(window.notice.find("100"), std::string::npos);
    std::vector<float> divisors(8, 1);
    const auto with_divisors = [&] {
        return config([&](GgufWriter& f) { f.tensor("rope_freqs.weight", {8}, DType::f32, std::as_bytes(std::span(divisors))); });
    };
    EXPECT_EQ(with_divisors().rope_scaling, Scaling::none) << "all of them 1";
    divisors[7] = 8;
    EXPECT_EQ(with_divisors().rope_scaling, Scaling::divisors);
    EXPECT_EQ(with_divisors().rope_divisors, divisors);
    divisors[3] = -1;
    expect_error([&] { (void)with_divisors(); }, {"rope_freqs.weight"});
}

// Llama 3.1 in both kinds of files: transformers' scaling, and the divisors that llama.cpp's converter works out from it.
TEST(GgufModelFile, DivisorsOfTheAnglesAreLlama3sScaling) {
    const Both both;
    const auto folder = Model::load(*both.backend, golden("micro_llama3"));
    const ModelConfig& c = folder->config;
    ASSERT_EQ(c.rope_scaling, ModelConfig::RopeScaling::llama3);
    std::vector<float> divisors;
    for (int j = 0; j < c.head_dim / 2; ++j) {
        const double wave = 2 * 3.14159265358979 * std::pow(c.rope_theta, 2.0 * j / c.head_dim), fits = c.rope_original_positions / wave;
        const double smooth = (fits - c.rope_low) / (c.rope_high - c.rope_low);
        divisors.push_back(static_cast<float>(fits > c.rope_high  ? 1
                                              : fits < c.rope_low ? c.rope_factor
                                                                  : 1 / ((1 - smooth) / c.rope_factor + smooth)));
    }
    const auto model = both.load(gguf_of_folder(golden("micro_llama3"), DType::bf16, [&](GgufWriter& f) {
        f.tensor("rope_freqs.weight", {c.head_dim / 2}, DType::f32, std::as_bytes(std::span(divisors)));
    }));
    EXPECT_EQ(model->config.rope_scaling, ModelConfig::RopeScaling::divisors);
    EXPECT_LT(worst_relative(logits_of(model), logits_of(folder)), 1e-4);
}

} // namespace
} // namespace speclens
