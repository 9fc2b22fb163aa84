// Loading whole folders: shapes against config.json, what is ignored, progress, cancelling, memory.
#include <algorithm>
#include <cstring>

#include "engine/model/model_parts.h"
#include "engine/models/models.h"
#include "engine/text/tokenizer.h"
#include "tests/shared/checkpoint_writer.h"
#include "tests/shared/model_support.h"

namespace speclens {
namespace {

using namespace test;

// Rewrites the header of the folder's model.safetensors; the replacement must have the same length.
void edit_header(const ModelFolder& folder, const std::string& from, std::string to) {
    ASSERT_LE(to.size(), from.size());
    to.resize(from.size(), ' ');
    folder.edit("model.safetensors", from, to);
}

class Load : public ::testing::Test {
  protected:
    [[nodiscard]] std::shared_ptr<const Model> load(const fs::path& folder, const Progress& progress = {}) const {
        return Model::load(*backend_, folder, progress);
    }
    void expect_load_error(const fs::path& folder, const std::vector<std::string>& words) const {
        expect_error([&] { static_cast<void>(load(folder)); }, words);
    }
    std::unique_ptr<Backend> backend_ = make_cpu_backend({.threads = 1});
};

TEST_F(Load, CountsBytesAndFindsTheTokenizer) {
    const auto tied = load(golden("micro_qwen3")), untied = load(golden("micro_qwen2"));
    EXPECT_EQ(tied->name, "micro_qwen3");
    ASSERT_NE(tied->tokenizer, nullptr);
    EXPECT_TRUE(tied->lm_head.empty());
    EXPECT_EQ(&tied->head(), &tied->embedding.view());
    EXPECT_FALSE(untied->lm_head.empty());
    const std::size_t embedding = 512 * 64 * 2;
    EXPECT_EQ(untied->embedding.bytes(), embedding);
    // one decode step reads everything but the embedding and the rotary table
    EXPECT_EQ(untied->bytes.per_token, untied->bytes.all - embedding - untied->cos_sin.bytes());
    EXPECT_EQ(tied->bytes.per_token, tied->bytes.all - tied->cos_sin.bytes());
    EXPECT_EQ(load(golden("micro_qwen2_tied"))->tokenizer, nullptr);
    EXPECT_EQ(load(golden("micro_qwen3") / "")->name, "micro_qwen3"); // a trailing slash
}

TEST_F(Load, ShapesThatDisagreeWithTheConfigAreNamed) {
    const ModelFolder folder("micro_qwen3");
    folder.edit("config.json", "\"head_dim\": 24", "\"head_dim\": 32");
    expect_load_error(folder.path(),
                      {"folder/model.safetensors", "model.layers.0.self_attn.q_proj.weight", "(96, 64)", "expected (128, 64)"});
    const ModelFolder narrow("micro_qwen3");
    narrow.edit("config.json", "\"hidden_size\": 64", "\"hidden_size\": 32");
    expect_load_error(narrow.path(), {"model.embed_tokens.weight has shape (512, 64), expected (512, 32)"});
}

TEST_F(Load, MissingAndUnknownTensorsAreNamed) {
    const ModelFolder deeper("micro_qwen3"), shallower("micro_qwen3"), biased("micro_qwen2");
    deeper.edit("config.json", "\"num_hidden_layers\": 4", "\"num_hidden_layers\": 5");
    expect_load_error(deeper.path(), {"model.safetensors", "model.layers.4.input_layernorm.weight", "missing"});
    shallower.edit("config.json", "\"num_hidden_layers\": 4", "\"num_hidden_layers\": 3");
    expect_load_error(shallower.path(), {"model.safetensors", "unknown tensor model.layers.3."});
    biased.edit("config.json", "Qwen2ForCausalLM", "Qwen3ForCausalLM");
    expect_load_error(biased.path(), {"q_norm.weight", "missing"});
}

TEST_F(Load, WeightsOfAWrongTypeAreNamed) {
    const ModelFolder folder("micro_qwen3");
    edit_header(folder, R"("model.norm.weight":{"dtype":"BF16","shape":[64],)", R"("model.norm.weight":{"dtype":"U8","shape":[128],)");
    expect_load_error(folder.path(), {"model.safetensors", "model.norm.weight is stored as"});
}

TEST_F(Load, GateAndUpThatAreStoredDifferentlyAreNamed) {
    const ModelFolder folder("micro_qwen3");
    edit_header(folder, R"("model.layers.1.mlp.up_proj.weight":{"dtype":"BF16")", R"("model.layers.1.mlp.up_proj.weight":{"dtype":"F16")");
    expect_load_error(folder.path(), {"model.safetensors", "layers.1.mlp.gate_proj.weight", "bf16", "f16"});
}

TEST_F(Load, ATiedCheckpointMayStoreItsHeadAgain) {
    // the untied micro model with a config that says tied: its lm_head is redundant by definition
    const ModelFolder folder("micro_qwen2");
    folder.edit("config.json", "\"tie_word_embeddings\": false", "\"tie_word_embeddings\": true");
    EXPECT_TRUE(load(folder.path())->lm_head.empty());
    // It is no copy of the embedding here, and transformers 5 would use it.
    const std::string notice = load(folder.path())->notice;
    EXPECT_NE(notice.find("lm_head.weight is not used"), std::string::npos) << notice;
    EXPECT_EQ(load(golden("micro_qwen2"))->notice, "");
    EXPECT_EQ(load(golden("micro_qwen2_tied"))->notice, "");
}

TEST_F(Load, AHeadThatIsNeitherStoredNorTiedIsRefusedWithBothFacts) {
    for (const char* said : {"\"tie_word_embeddings\": false,", ""}) {
        const ModelFolder folder("micro_llama");
        folder.edit("config.json", "\"tie_word_embeddings\": true,", said);
        expect_load_error(folder.path(), {"lm_head.weight is missing", "tie_word_embeddings", "false or not given"});
    }
}

TEST_F(Load, AnMtpHeadIsKnownByItsNames) {
    ModelConfig config = read_config(golden("micro_llama"));
    const Safetensors plain = Safetensors::open(golden("micro_llama") / "model.safetensors");
    EXPECT_EQ(mtp_notice(plain, config), "");
    for (const char* name : {"mtp.layers.0.input_layernorm.weight", "model.mtp_layers.0.hidden_layernorm.weight"})
        EXPECT_TRUE(is_mtp_tensor(name, config)) << name;
    EXPECT_FALSE(is_mtp_tensor("model.layers.2.eh_proj.weight", config)) << "a layer that no file counts";
    config.mtp_layers = 1;
    EXPECT_TRUE(is_mtp_tensor("model.layers.2.eh_proj.weight", config));
    EXPECT_TRUE(is_mtp_tensor("model.layers.2.self_attn.q_proj.weight", config));
    for (const char* name : {"model.layers.1.self_attn.q_proj.weight", "model.layers.3.eh_proj.weight", "model.layers.23.eh_proj.weight",
                             "model.layers.2", "model.norm.weight", "lm_head.weight"})
        EXPECT_FALSE(is_mtp_tensor(name, config)) << name;

    const std::string stripped = mtp_notice(plain, config);
    EXPECT_NE(stripped.find("MTP head of 1 layer"), std::string::npos) << stripped;
    EXPECT_NE(stripped.find("stripped"), std::string::npos) << stripped;
    for (const int layers : {1, 0}) { // also where only the tensors tell
        const TempFolder folder;
        write_checkpoint(folder.path(), "{}", {{"model.norm.weight", {4}}, {"mtp.fc.weight", {4, 8}}});
        config.mtp_layers = layers;
        const std::string kept = mtp_notice(Safetensors::open_folder(folder.path()), config);
        EXPECT_NE(kept.find("has an MTP head (mtp.fc.weight …)"), std::string::npos) << kept;
        EXPECT_NE(kept.find("--drafter mtp"), std::string::npos) << kept;
    }
}

TEST_F(Load, AnMtpHeadIsLeftAloneAndSaidAndSoIsOneThatWasStripped) {
    for (const char* field : {"mtp_num_hidden_layers", "num_nextn_predict_layers"})
        for (const char* tensor : {"", "mtp.fc.weight", "model.layers.4.eh_proj.weight"}) {
            SCOPED_TRACE(std::string(field) + " " + tensor);
            const ModelFolder folder("micro_qwen3");
            folder.edit("config.json", "\"hidden_act\"", "\"" + std::string(field) + "\": 1, \"hidden_act\"");
            if (*tensor != '\0') {
                std::string text = read_file(folder / "model.safetensors");
                std::uint64_t length = 0;
                std::memcpy(&length, text.data(), sizeof length);
                std::string header = text.substr(8, length), data = text.substr(8 + length);
                header.erase(header.find_last_of('}'));
                header += ",\"" + std::string(tensor) + R"(":{"dtype":"F32","shape":[2],"data_offsets":[)" + std::to_string(data.size()) +
                          "," + std::to_string(data.size() + 8) + "]}}";
                header.resize((header.size() + 7) / 8 * 8, ' ');
                length = header.size();
                std::memcpy(text.data(), &length, sizeof length);
                write_file(folder / "model.safetensors", text.substr(0, 8) + header + data + std::string(8, '\0'));
            }
            const auto model = load(folder.path());
            EXPECT_EQ(model->config.layers, 4);
            const char* const word = *tensor == '\0' ? "stripped" : "--drafter mtp drafts with it";
            EXPECT_NE(model->notice.find(word), std::string::npos) << model->notice;
        }
}

TEST_F(Load, InvFreqIsIgnored) {
    const ModelFolder folder("micro_qwen3");
    std::string text = read_file(folder / "model.safetensors");
    std::uint64_t length = 0;
    std::memcpy(&length, text.data(), sizeof length);
    std::string header = text.substr(8, length), data = text.substr(8 + length);
    header.erase(header.find_last_of('}'));
    header += R"(,"model.layers.0.self_attn.rotary_emb.inv_freq":{"dtype":"F32","shape":[2],"data_offsets":[)" +
              std::to_string(data.size()) + "," + std::to_string(data.size() + 8) + "]}}";
    header.resize((header.size() + 7) / 8 * 8, ' ');
    length = header.size();
    std::memcpy(text.data(), &length, sizeof length);
    write_file(folder / "model.safetensors", text.substr(0, 8) + header + data + std::string(8, '\0'));
    EXPECT_EQ(load(folder.path())->config.layers, 4);
}

TEST_F(Load, ATokenizerWithMoreIdsThanRowsIsRefused) {
    const ModelFolder folder("micro_qwen2_tied");
    fs::copy(fs::path(SPEC_SOURCE_DIR) / "assets/models/target/tokenizer.json", folder / "tokenizer.json");
    expect_load_error(folder.path(), {"tokenizer.json", "4096", "512"});
}

TEST_F(Load, MissingFoldersAndTruncatedFilesAreErrors) {
    const ModelFolder folder("micro_qwen3");
    expect_load_error("no/such/folder", {"no/such/folder does not exist"}); // whole, as it was given
    expect_load_error("/dev/null", {"/dev/null is not a folder"});
    fs::resize_file(folder / "model.safetensors", 100'000);
    expect_load_error(folder.path(), {"model.safetensors", "outside the file"});
    fs::resize_file(folder / "model.safetensors", 1'000);
    expect_load_error(folder.path(), {"model.safetensors", "1000"});
}

TEST_F(Load, AHomeThatTheShellLeftAloneIsNamed) {
    try {
        static_cast<void>(load("~/models/qwen3"));
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "~/models/qwen3 does not exist");
        EXPECT_NE(error.remedy().find("$HOME"), std::string::npos) << error.remedy();
    }
}

TEST_F(Load, AFolderMayBeNamedLikeATable) {
    const TempFolder folder;
    fs::copy(golden("micro_qwen2_tied"), folder / "x.json", fs::copy_options::recursive);
    EXPECT_EQ(load_models({.target = folder / "x.json", .backend = "cpu", .threads = 1}).target->name, "x.json");
}

TEST_F(Load, SinglePrecisionAndHalfPrecisionWeightsGiveTheirValues) {
    // the golden residuals as a "model": only the import is of interest, so convert the norm to F32 by hand
    const ModelFolder folder("micro_qwen3");
    std::string text = read_file(folder / "model.safetensors");
    std::uint64_t length = 0;
    std::memcpy(&length, text.data(), sizeof length);
    std::string header = text.substr(8, length), data = text.substr(8 + length);
    const std::string name = R"("model.norm.weight":{"dtype":"BF16","shape":[64],"data_offsets":[)";
    const auto at = header.find(name);
    ASSERT_NE(at, std::string::npos);
    const auto end = header.find('}', at);
    const auto begin = static_cast<std::size_t>(std::stoul(header.substr(at + name.size())));
    std::string wide;
    for (std::size_t i = 0; i < 64; ++i) wide += std::string(2, '\0') + data.substr(begin + 2 * i, 2);
    header.replace(at, end - at,
                   R"("model.norm.weight":{"dtype":"F32","shape":[64],"data_offsets":[)" + std::to_string(data.size()) + "," +
                       std::to_string(data.size() + 256) + "]");
    header.resize((header.size() + 7) / 8 * 8, ' ');
    length = header.size();
    std::memcpy(text.data(), &length, sizeof length);
    write_file(folder / "model.safetensors", text.substr(0, 8) + header + data + wide);
    const auto plain = load(golden("micro_qwen3")), mixed = load(folder.path());
    const auto logits = [](const std::shared_ptr<const Model>& model) {
        const auto decoder = make_model_decoder(model);
        return all_logits(decoder->forward({.tokens = std::vector<int>{1, 2, 3}}));
    };
    EXPECT_TRUE(same_bits(logits(plain), logits(mixed)));
}

TEST_F(Load, ReportsProgressInMegabytesUpToTheTotal) {
    double last = 0, total = 0;
    const Progress progress{.report = [&](const std::string& what, double done, double all, const std::string& unit) {
        EXPECT_EQ(what, "micro_qwen3");
        EXPECT_EQ(unit, "MB");
        EXPECT_GE(done, last);
        last = done;
        total = all;
    }};
    static_cast<void>(load(golden("micro_qwen3"), progress));
    EXPECT_GT(total, 0.28);
    EXPECT_DOUBLE_EQ(last, total);
}

TEST_F(Load, CancelStopsBetweenPieces) {
    std::atomic<bool> cancelled = false;
    int reports = 0;
    const Progress progress{.report =
                                [&](const std::string&, double, double, const std::string&) {
                                    if (++reports == 3) cancelled = true;
                                },
                            .cancelled = &cancelled};
    EXPECT_THROW(static_cast<void>(load(golden("micro_qwen3"), progress)), Cancelled);
    EXPECT_EQ(reports, 3);
    EXPECT_THROW(static_cast<void>(Model::random(*backend_, geometry("bundle-s"), "x", 1, progress)), Cancelled);
}

TEST_F(Load, ACancelIsSeenBeforeTheFirstOfThem) {
    const std::atomic<bool> cancelled = true;
    const Progress progress{.report = [](const std::string& what, double, double, const std::string&) { ADD_FAILURE() << what; },
                            .cancelled = &cancelled};
    EXPECT_THROW(static_cast<void>(Model::open(*backend_, golden("micro_qwen3"), progress)), Cancelled) << "in its vocabulary";
    EXPECT_THROW(static_cast<void>(cos_sin_table(load(golden("micro_qwen3"))->config, progress)), Cancelled);
}

TEST_F(Load, AFileThatIsCutInTheMiddleOfLoadingIsAnError) {
    const ModelFolder folder("micro_qwen3");
    int reports = 0;
    const Progress progress{.report = [&](const std::string&, double, double, const std::string&) {
        if (++reports == 3) fs::resize_file(folder / "model.safetensors", 4096);
    }};
    expect_error([&] { static_cast<void>(load(folder.path(), progress)); }, {"folder/model.safetensors", "shorter"});
}

TEST_F(Load, TooLittleMemoryIsSaidWithNumbers) {
    ModelConfig config = geometry("qwen3-8b");
    config.layers = 1000;
    config.vocab = 1 << 22;
    try {
        static_cast<void>(Model::random(*backend_, config, "giant", 1));
        FAIL() << "a model of half a terabyte was allocated";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Exit::device);
        EXPECT_NE(std::string(error.what()).find("giant needs 4"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("are free"), std::string::npos);
    }
}

} // namespace
} // namespace speclens
