// The config.json of public heads and models, as they were found (tests/engine/golden/public_configs.json): each opens, or is refused for a
// reason that somebody checked; and what a head's file says beyond what is read is refused by its name.
#include <set>

#include "engine/base/json.h"
#include "engine/heads/draft_config.h"
#include "engine/heads/head_keys.h"
#include "tests/shared/model_support.h"
#include "tests/shared/mutate.h"

namespace speclens::test {
namespace {

// Names and shapes alone: what a head is told by.
class NamedTensors final : public TensorFiles {
  public:
    explicit NamedTensors(const Json& config) {
        const std::int64_t hidden = config["hidden_size"].get<int>();
        const std::string architecture = config["architectures"][0].text();
        const bool eagle = architecture.find("Eagle") != std::string::npos;
        const Json section = config.value(eagle ? "eagle_config" : "dflash_config", Json::object());
        const char* const list = eagle ? "eagle_aux_hidden_state_layer_ids" : "target_layer_ids";
        const Json taps = section.contains(list) ? section[list] : config.value(list, Json::array());
        put("fc.weight", {hidden, hidden * (taps.empty() ? 3 : static_cast<std::int64_t>(taps.size()))});
        put(eagle ? "midlayer.hidden_norm.weight" : "hidden_norm.weight", {hidden});
        if (!eagle) put("layers.0.self_attn.q_norm.weight", {128});
    }
    [[nodiscard]] const StoredTensors& tensors() const override { return tensors_; }
    using TensorFiles::read;
    void read(const StoredTensor&, std::size_t, std::span<std::byte>) const override { ADD_FAILURE() << "no data is needed"; }
    [[nodiscard]] const std::string& file_name(const StoredTensor&) const override { return name_; }
    [[nodiscard]] std::string name() const override { return name_; }

  private:
    void put(const std::string& name, const std::vector<std::int64_t>& shape) { tensors_[name] = {.dtype = DType::bf16, .shape = shape}; }
    StoredTensors tensors_;
    std::string name_ = "model.safetensors";
};

DraftConfig read_public(const Json& config, const IgnoredKeys& ignored = {}) {
    const TempFolder folder;
    write_file(folder / "config.json", config.dump());
    ModelConfig target; // the head's own: its sizes, and layers enough for its taps
    target.hidden = config["hidden_size"].get<int>();
    target.vocab = config.value("vocab_size", Json(1 << 18)).get<int>(); // transformers' assistants do not say it
    target.layers = config.value("num_target_layers", Json(96)).get<int>();
    return read_draft_config(folder.path(), target, NamedTensors(config), ignored);
}

const Json& public_configs() {
    static const Json all = Json::parse(read_file(golden("public_configs.json")));
    return all;
}

// The one whose file ends so.
Json public_head(const std::string& name) {
    for (const Json& head : public_configs()["heads"])
        if (head["from"].text().ends_with(name)) return head["config"];
    ADD_FAILURE() << name;
    return {};
}

TEST(PublicConfigs, OpenOrAreRefusedForAReasonThatWasChecked) {
    EXPECT_GE(public_configs()["heads"].size() + public_configs()["models"].size(), 40u);
    for (const Json& head : public_configs()["heads"]) {
        SCOPED_TRACE(head["from"].text());
        if (const Json refused = head.value("refused", Json()); !refused.is_null()) {
            expect_error([&] { (void)read_public(head["config"]); }, refused.get<std::vector<std::string>>());
            continue;
        }
        try {
            EXPECT_GT(read_public(head["config"]).layer.layers, 0);
        } catch (const Error& error) {
            ADD_FAILURE() << error.what();
        }
    }
    for (const Json& model : public_configs()["models"]) {
        SCOPED_TRACE(model["from"].text());
        const TempFolder folder;
        write_file(folder / "config.json", model["config"].dump());
        try {
            EXPECT_EQ(read_config(folder.path()).layers, model["config"]["num_hidden_layers"].get<int>());
        } catch (const Error& error) {
            ADD_FAILURE() << error.what();
        }
    }
}

// Random names with random values, at the top, in the section and among the layers' keys: refused, or without effect because they say that
// something is not there.
TEST(PublicConfigs, KeysOfAHeadThatNobodyKnowsAreRefusedOrChangeNothing) {
    Mutator random(20261130);
    const std::vector<Json> values = {2, 0.5, -1, true, Json{1}, Json{"a"}, Json{{"x", 3}}, 0, 1, false, nullptr, "on", Json::array()};
    constexpr std::size_t kComputing = 7;
    int refused = 0;
    for (int i = 0; i < 300; ++i) {
        const char* const files[] = {"qwen3-4b-dflash.json", "qwen3-8b-domino.json", "qwen3-4b-dspark.json", "qwen3-4b-eagle3.json"};
        const std::string file = files[random.below(4)];
        std::string name;
        for (std::uint64_t n = 3 + random.below(12); n > 0; --n) name += static_cast<char>('a' + random.below(26));
        const std::size_t which = random.below(values.size());
        const std::string section = file.find("eagle3") != std::string::npos ? "eagle_config" : "dflash_config";
        Json config = public_head(file);
        const DraftConfig before = read_public(config);
        if (random.below(2) == 0) {
            config[name] = values[which];
        } else {
            Json inner = config.value(section, Json::object());
            inner[name] = values[which];
            config[section] = inner;
        }
        SCOPED_TRACE(file + ", " + name + " " + values[which].dump());
        if (which < kComputing) {
            ++refused;
            expect_error([&] { (void)read_public(config); }, {name, "not known here"});
            EXPECT_EQ(read_public(config, {name}).ignored.size(), 1U);
        } else {
            const DraftConfig after = read_public(config);
            EXPECT_EQ(after.notice, before.notice);
            EXPECT_EQ(after.taps, before.taps);
            EXPECT_EQ(after.block, before.block);
        }
    }
    EXPECT_GT(refused, 100);
}

// z-lab's numbers, at the top and in the section; what they are worth, and what passes.
TEST(PublicConfigs, NumbersOfAHeadThatNothingReadsAreRefusedByName) {
    for (const char* file : {"qwen3-4b-dflash.json", "qwen3-8b-domino.json", "qwen3-4b-dspark.json", "qwen3-4b-eagle3.json"})
        for (const char* key : {"output_multiplier", "final_logit_softcapping", "input_embedding_scale", "logit_scale"})
            for (const bool nested : {false, true}) {
                const auto with_value = [&](const Json& value) {
                    Json config = public_head(file);
                    const std::string section = std::string(file).find("eagle3") != std::string::npos ? "eagle_config" : "dflash_config";
                    if (nested) {
                        Json inner = config.value(section, Json::object());
                        inner[key] = value;
                        config[section] = inner;
                    } else {
                        config[key] = value;
                    }
                    return config;
                };
                SCOPED_TRACE(std::string(file) + ", " + key);
                expect_error([&] { (void)read_public(with_value(0.25)); }, {key, "(0.25)", "not known here"});
                for (const Json& nothing : {Json(1), Json(nullptr), Json(false)})
                    EXPECT_TRUE(read_public(with_value(nothing)).ignored.empty());
                const DraftConfig without = read_public(with_value(0.25), {key});
                ASSERT_EQ(without.ignored.size(), 1u);
                EXPECT_TRUE(is_named(without.ignored[0], key));
                EXPECT_NE(without.notice.find("is ignored (--ignore-config)"), std::string::npos) << without.notice;
            }
    Json config = public_head("qwen3-4b-dspark.json");
    config["dflash_config"]["attention_mode"] = "kda";
    expect_error([&] { (void)read_public(config); }, {"attention_mode", "kda"});
    config = public_head("qwen3-4b-eagle3.json");
    config["is_causal"] = false;
    expect_error([&] { (void)read_public(config); }, {"is_causal"});
    config["is_causal"] = true;
    config["eagle_config"] = Json{{"use_last_layernorm", true}, {"use_input_layernorm_in_first_layer", true}, {"use_mtp_layernorm", false}};
    EXPECT_EQ(read_public(config).layer.layers, 1) << "as NVIDIA's exports write it";
    config["eagle_config"]["use_last_layernorm"] = false;
    expect_error([&] { (void)read_public(config); }, {"use_last_layernorm"});
}

// z-lab's fixture is for a target whose logits are scaled and capped, which no target here does; the head alone is read.
TEST(PublicConfigs, OfDFlash2OpensWithoutTheScaleOfItsTarget) {
    Json config = public_head("dflash2-config.json");
    config["dflash_config"].erase("final_logit_softcapping");
    expect_error([&] { (void)read_public(config); }, {"output_multiplier", "not known here"});
    config["dflash_config"].erase("output_multiplier");
    const DraftConfig head = read_public(config);
    EXPECT_EQ(head.method, DraftConfig::Method::dflash2);
    EXPECT_EQ(head.block, 16);
    EXPECT_EQ(head.most_drafts(), 15);
    EXPECT_EQ(head.taps, (std::vector<int>{1, 13, 25, 37, 49}));
    EXPECT_EQ(head.windows, std::vector<int>(5, 2048));
    EXPECT_FALSE(head.window_causal) << "is_causal is false";
    EXPECT_EQ(head.conv_taps, 2);
    EXPECT_EQ(head.conv_group, 16);
    EXPECT_EQ(head.selector_rank, 256);
    EXPECT_EQ(head.candidates, 16);
    config.erase("is_causal");
    EXPECT_TRUE(read_public(config).window_causal) << "as z-lab's code takes it, where a window slides";
}

TEST(PublicConfigs, KeysOfHeadsAreInNoListOfHarmlessOnes) {
    for (const KeyList list : {eagle3_keys(), block_keys(), dflash2_keys(), medusa_keys(), mtp_keys()})
        for (const std::string_view key : list)
            for (const HarmlessKey& harmless : harmless_keys()) EXPECT_NE(key, harmless.name);
}

} // namespace
} // namespace speclens::test
