// Folders of draft heads that are damaged, incomplete or made for another target: every one is refused with
// what is wrong and what to try, before a token is drafted.

#include "engine/base/json.h"
#include "engine/drafters/draft_network.h"
#include "tests/shared/model_support.h"

namespace speclens::test {
namespace {

using Method = DraftConfig::Method;

class RecordedRow : public ::testing::Test {
  protected:
    [[nodiscard]] std::shared_ptr<const DraftNetwork> load(const fs::path& folder) const { return DraftNetwork::load(target_, folder); }
    // One edit of config.json, and what the error must say.
    void expect_config_error(const std::string& head, const std::string& from, const std::string& to,
                             const std::vector<std::string>& words) const {
        SCOPED_TRACE(head + ": " + to);
        const ModelFolder folder(head);
        folder.edit("config.json", from, to);
        expect_error([&] { static_cast<void>(load(folder.path())); }, words);
    }
    std::unique_ptr<Backend> backend_ = make_cpu_backend({.threads = 1});
    std::shared_ptr<const Model> target_ = Model::load(*backend_, golden("micro_qwen3"));
};

TEST_F(RecordedRow, AreRecognised) {
    const std::vector<std::pair<std::string, Method>> heads = {{"micro_eagle3", Method::eagle3},   {"micro_dflash", Method::dflash},
                                                               {"micro_dflash2", Method::dflash2}, {"micro_domino", Method::domino},
                                                               {"micro_dspark", Method::dspark},   {"micro_medusa", Method::medusa}};
    for (const auto& [name, method] : heads) {
        const auto network = load(golden(name));
        EXPECT_EQ(network->config.method, method) << name;
        EXPECT_EQ(network->name, name);
        EXPECT_GT(network->bytes.all, 20000u) << name;
    }
    const auto eagle = load(golden("micro_eagle3"));
    EXPECT_EQ(eagle->config.layer.head_dim, 20);
    EXPECT_EQ(eagle->target_id.size(), 128u);
    EXPECT_FALSE(load(golden("micro_dflash"))->config.anchor_aligned);
    EXPECT_TRUE(load(golden("micro_domino"))->config.anchor_aligned);
    EXPECT_EQ(load(golden("micro_domino"))->config.most_drafts(), 5);
    EXPECT_EQ(load(golden("micro_dflash"))->config.most_drafts(), 7);
    EXPECT_EQ(load(golden("micro_medusa"))->config.taps, std::vector<int>{4}); // after the final norm
}

TEST_F(RecordedRow, OfAnotherTargetAreRefused) {
    expect_config_error("micro_dflash", "\"hidden_size\": 64", "\"hidden_size\": 96",
                        {"folder/config.json", "hidden_size is 96, the target has 64"});
    expect_config_error("micro_eagle3", "\"vocab_size\": 512", "\"vocab_size\": 600", {"vocab_size is 600, the target has 512"});
    expect_config_error("micro_domino", "\"num_target_layers\": 4", "\"num_target_layers\": 36",
                        {"num_target_layers is 36, the target has 4"});
    expect_config_error("micro_dflash", "\"mask_token_id\": 505", "\"mask_token_id\": 151669", {"mask_token_id is 151669"});
}

TEST_F(RecordedRow, WithImpossibleFieldsAreRefused) {
    expect_config_error("micro_dflash", "DFlashDraftModel", "SomethingElse", {"names SomethingElse"});
    expect_config_error("micro_dspark", "\"projector_type\": \"dspark\"", "\"projector_type\": \"mystery\"",
                        {"projector_type is \"mystery\""});
    expect_config_error("micro_dflash", "\"target_layer_ids\"", "\"target_layer_ids\": [0, 1, 7], \"old\"",
                        {"target_layer_ids has the entry 7", "layers 0 to 3"});
    expect_config_error("micro_dflash", "\"block_size\": 8", "\"block_size\": 1", {"block_size is 1"});
    expect_config_error("micro_eagle3", "\"num_hidden_layers\": 1", "\"num_hidden_layers\": 2",
                        {"layers.1.input_layernorm.weight is missing"});
    expect_config_error("micro_eagle3", "\"draft_vocab_size\": 128", "\"draft_vocab_size\": 513", {"draft_vocab_size is 513"});
    expect_config_error("micro_dflash2", "\"conv_kernel_size\": 2", "\"conv_kernel_size\": 9", {"conv_kernel_size is 9"});
    expect_config_error("micro_dflash2", "\"conv_kernel_size\": 2", "\"conv_kernel_size\": 3",
                        {"layers.0.attention_conv.base_kernel has shape (2, 2, 64), expected (2, 3, 64)"});
    expect_config_error("micro_dflash2", "\"conv_group_size\": 16", "\"conv_group_size\": 12",
                        {"conv_group_size is 12, no divisor of the hidden size 64"});
    expect_config_error("micro_dflash2", "\"selector_top_k\": 7", "\"selector_top_k\": 0", {"selector_top_k is 0"});
    expect_config_error("micro_dflash2", "\"selector_top_k\": 7", "\"k\": 7", {"selector_top_k"});
    expect_config_error("micro_dflash2", "\"selector_rank\": 12", "\"selector_rank\": 13", {"hidden_projection.weight", "(12, 64)"});
    expect_config_error("micro_dflash2", "\"selector_rank\": 12", "\"selector_rank\": 12, \"draft_vocab_size\": 64",
                        {"draft_vocab_size is 64", "over some of the ids"});
    expect_config_error("micro_dflash", "\"mask_token_id\": 505", "\"mask_token_id\": 505, \"selector_rank\": 12",
                        {"selector_rank", "not known here"});
    expect_config_error("micro_medusa", "\"medusa_num_heads\": 3", "\"medusa_num_heads\": 0", {"medusa_num_heads is 0"});
    expect_config_error("micro_dflash", "\"hidden_act\": \"silu\"", "\"hidden_act\": \"gelu\"", {"hidden_act"});
}

TEST_F(RecordedRow, WithMissingUnknownOrMisshapenTensorsAreRefused) {
    expect_config_error("micro_dflash", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 3",
                        {"layers.2.input_layernorm.weight", "missing"});
    expect_config_error("micro_dflash", "\"num_hidden_layers\": 2", "\"num_hidden_layers\": 1", {"unknown tensor layers.1."});
    expect_config_error("micro_domino", "\"gru_hidden_dim\": 24", "\"gru_hidden_dim\": 32",
                        {"prefix_gru.weight_ih_l0 has shape (72, 64), expected (96, 64)"});
    expect_config_error("micro_medusa", "\"shared_lm_head\": false", "\"shared_lm_head\": true", {"unknown tensor medusa_head.0.1.weight"});
    expect_config_error("micro_eagle3", "\"draft_vocab_size\": 128", "\"draft_vocab_size\": 127",
                        {"lm_head.weight has shape (128, 64), expected (127, 64)"});
}

TEST_F(RecordedRow, WithADamagedVocabularyMapAreRefused) {
    const ModelFolder folder("micro_eagle3");
    std::string bytes = read_file(folder / "model.safetensors");
    const auto at = bytes.find("\"d2t\":{\"dtype\":\"I64\",\"shape\":[128],\"data_offsets\":[");
    ASSERT_NE(at, std::string::npos);
    const std::size_t begin = std::stoul(bytes.substr(bytes.find("offsets\":[", at) + 10));
    std::uint64_t header = 0;
    std::memcpy(&header, bytes.data(), 8);
    const std::int64_t wild = std::int64_t{1} << 62;
    std::memcpy(bytes.data() + 8 + header + begin + 8 * 5, &wild, 8);
    write_file(folder / "model.safetensors", bytes);
    expect_error([&] { static_cast<void>(load(folder.path())); }, {"d2t[5]", "no ascending id"});
}

using Offsets = std::vector<std::int64_t>;

// micro_eagle3 with another d2t; empty dtype: without one.
class MapFolder : public ModelFolder {
  public:
    MapFolder(const std::string& dtype, const std::vector<std::int64_t>& shape, const Offsets& values, bool marks = true)
        : ModelFolder("micro_eagle3") {
        const std::string bytes = read_file(*this / "model.safetensors");
        std::uint64_t length = 0;
        std::memcpy(&length, bytes.data(), 8);
        const auto header = Json::parse(bytes.substr(8, length));
        Json out = Json::object();
        std::string data;
        const auto put = [&](const std::string& name, const std::string& type, const std::vector<std::int64_t>& size,
                             const std::string& what) {
            out[name] = {{"dtype", type}, {"shape", size}, {"data_offsets", {data.size(), data.size() + what.size()}}};
            data += what;
        };
        if (!dtype.empty()) {
            std::string what;
            for (const std::int64_t value : values)
                what.append(reinterpret_cast<const char*>(&value),
                            dtype == "I32" ? 4 : 8); // little end first
            put("d2t", dtype, shape, what);
        }
        for (const auto& [name, about] : header.items()) {
            if (name == "d2t" || name == "__metadata__" || (name == "t2d" && !marks)) continue;
            const auto from = about["data_offsets"][0].get<std::size_t>(), to = about["data_offsets"][1].get<std::size_t>();
            put(name, about["dtype"].text(), about["shape"].get<std::vector<std::int64_t>>(), bytes.substr(8 + length + from, to - from));
        }
        std::string text = out.dump();
        text.resize((text.size() + 7) / 8 * 8, ' ');
        length = text.size();
        write_file(*this / "model.safetensors", std::string(reinterpret_cast<const char*>(&length), 8) + text + data);
    }
};

class VocabularyMap : public RecordedRow {
  protected:
    [[nodiscard]] Offsets offsets() const {
        Offsets offsets;
        const std::vector<int> ids = load(golden("micro_eagle3"))->target_id;
        for (std::size_t i = 0; i < ids.size(); ++i) offsets.push_back(ids[i] - static_cast<int>(i));
        return offsets;
    }
    void expect_refused(const MapFolder& folder, const std::vector<std::string>& words) const {
        expect_error([&] { static_cast<void>(load(folder.path())); }, words);
    }
};

TEST_F(VocabularyMap, MayBeStoredAsIntegersOfEitherWidthAndAsAColumn) {
    const std::vector<int> ids = load(golden("micro_eagle3"))->target_id;
    for (const char* type : {"I64", "I32"})
        for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{128}, {128, 1}})
            EXPECT_EQ(load(MapFolder(type, shape, offsets()).path())->target_id, ids) << type << " " << shape.size();
    expect_refused(MapFolder("I32", {64, 2}, offsets()), {"d2t is i32 of shape (64, 2)", "(128)"});
    expect_refused(MapFolder("F64", {128}, offsets()), {"d2t"});
}

TEST_F(VocabularyMap, ThatIsMissingOrNamesNoIdsIsRefused) {
    expect_refused(MapFolder("", {}, {}), {"d2t is missing", "128 of 512 ids"});
    Offsets wrong = offsets();
    wrong[127] = 512 - 127; // the id behind the last one
    expect_refused(MapFolder("I64", {128}, wrong), {"d2t[127] is 385", "no ascending id"});
    wrong = offsets();
    wrong[0] = -1;
    expect_refused(MapFolder("I64", {128}, wrong), {"d2t[0] is -1", "no ascending id"});
    wrong = offsets();
    wrong[9] = wrong[8] - 1;
    expect_refused(MapFolder("I64", {128}, wrong), {"8 and 9 are two draft ids for the target's id " + std::to_string(8 + wrong[8])});
}

// Read as offsets, ids go past the vocabulary, or to ids that t2d does not mark.
TEST_F(VocabularyMap, OfIdsInsteadOfOffsetsIsRefusedWhereItShows) {
    Offsets ids = offsets();
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] += static_cast<std::int64_t>(i);
    std::size_t past = 0;
    while (past < ids.size() && ids[past] + static_cast<std::int64_t>(past) < 512) ++past;
    ASSERT_LT(past, ids.size()) << "the ids of the golden head reach far enough";
    expect_refused(MapFolder("I64", {128}, ids, /*marks=*/false), {"d2t[" + std::to_string(past) + "]", "it holds ids"});
    Offsets low; // of ids that fit both ways
    for (int i = 0; i < 128; ++i) low.push_back(i + 3);
    expect_refused(MapFolder("I64", {128}, low), {"d2t[", "t2d does not mark"});
}

TEST_F(RecordedRow, CutFilesAndMissingFoldersAreRefused) {
    expect_error([&] { static_cast<void>(load("no/such/head")); }, {"no/such/head does not exist"});
    const ModelFolder folder("micro_domino");
    const std::string bytes = read_file(folder / "model.safetensors");
    write_file(folder / "model.safetensors", bytes.substr(0, bytes.size() / 2));
    expect_error([&] { static_cast<void>(load(folder.path())); }, {"folder/model.safetensors"});
}

} // namespace
} // namespace speclens::test
