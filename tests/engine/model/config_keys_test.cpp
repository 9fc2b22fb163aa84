// Nothing that computes is ignored: a key of a config.json or a GGUF file that nothing reads is refused by its name, unless its value says
// that something is not there; the lists of harmless ones hold; --ignore-config goes on.
#include <algorithm>
#include <set>

#include "engine/base/json.h"
#include "engine/model/gguf_model.h"
#include "engine/models/models.h"
#include "engine/run/run.h"
#include "engine/run/trace_json.h"
#include "tests/shared/gguf_changes.h"
#include "tests/shared/gguf_model.h"
#include "tests/shared/model_support.h"
#include "tests/shared/mutate.h"

namespace speclens::test {
namespace {

// micro_qwen3 with a change of its config.json.
ModelConfig config_with(const std::function<void(Json&)>& change, const IgnoredKeys& ignored = {}) {
    const TempFolder folder;
    Json json = Json::parse(read_file(golden("micro_qwen3") / "config.json"));
    change(json);
    write_file(folder / "config.json", json.dump());
    return read_config(folder.path(), ignored);
}

// All that a forward pass is made by, and the ends of a text.
std::string written(const ModelConfig& c) {
    std::string text;
    for (const double number : {1.0 * static_cast<int>(c.family),
                                1.0 * c.hidden,
                                1.0 * c.ffn,
                                1.0 * c.layers,
                                1.0 * c.heads,
                                1.0 * c.kv_heads,
                                1.0 * c.head_dim,
                                1.0 * c.vocab,
                                1e9 * static_cast<double>(c.rms_eps),
                                c.rope_theta,
                                1.0 * static_cast<int>(c.rope_scaling),
                                c.rope_factor,
                                1.0 * c.rope_original_positions,
                                c.rope_attention,
                                c.rope_low,
                                c.rope_high,
                                1.0 * c.tied,
                                1.0 * c.qkv_bias,
                                1.0 * c.qk_norm,
                                1.0 * c.max_positions,
                                1.0 * c.mtp_layers})
        text += std::to_string(number) + " ";
    for (const int stop : c.stops) text += "stop " + std::to_string(stop) + " ";
    return text + c.notice;
}

// What a run of a model shows: its notice, and each event but the header, which has the file's fingerprint.
std::string traced(const fs::path& model) {
    const auto models = std::make_shared<const Models>(load_models({.target = model, .threads = 1}));
    RunSettings settings;
    settings.prompt.token_ids = {3, 5, 7, 11, 13};
    settings.drafter = "none";
    settings.k = 0;
    settings.sampling.temperature = 0.8;
    settings.max_tokens = 32;
    settings.trace_top = 4;
    settings.timing = false;
    speclens::Run run(models, settings);
    run.finish();
    TraceWriter writer(run.trace());
    std::string text = models->target->notice;
    for (std::size_t i = 0; i < run.trace().size(); ++i)
        if (!std::holds_alternative<Header>(run.trace()[i])) text += "\n" + writer.line(run.trace()[i]);
    EXPECT_GT(text.size(), 500u) << "it runs";
    return text;
}

std::string traced_with(const std::function<void(Json&)>& change) {
    const ModelFolder folder("micro_qwen3");
    Json json = Json::parse(read_file(folder / "config.json"));
    change(json);
    write_file(folder / "config.json", json.dump());
    return traced(folder.path());
}

TEST(ConfigKeys, AreInOneListEachAndEveryHarmlessOneHasASource) {
    std::set<std::string_view> seen;
    for (const KeyList list : {geometry_keys(), model_keys()})
        for (const std::string_view key : list) EXPECT_TRUE(seen.insert(key).second) << key;
    for (const HarmlessKey& key : harmless_keys()) {
        EXPECT_TRUE(seen.insert(key.name).second) << key.name;
        EXPECT_GT(key.source.size(), 10u) << key.name;
    }
    seen.clear();
    for (const std::string_view key : gguf_model_keys()) EXPECT_TRUE(seen.insert(key).second) << key;
    for (const HarmlessKey& key : harmless_gguf_keys()) {
        EXPECT_TRUE(seen.insert(key.name).second) << key.name;
        EXPECT_GT(key.source.size(), 10u) << key.name;
    }
}

// What other families multiply, cap, leave out or rotate by, under the label of one that does not.
TEST(ConfigKeys, OfOtherNetworksAreRefusedByName) {
    const std::vector<std::pair<const char*, Json>> changes = {{"attention_multiplier", 0.0078125},
                                                               {"embedding_multiplier", 12.0},
                                                               {"residual_multiplier", 0.22},
                                                               {"logits_scaling", 8.0},
                                                               {"logit_scale", 0.0625},
                                                               {"output_multiplier", 0.196},
                                                               {"input_embedding_scale", 64},
                                                               {"final_logit_softcapping", 30.0},
                                                               {"attn_logit_softcapping", 50.0},
                                                               {"no_rope_layers", Json{1, 1, 1, 0}},
                                                               {"no_rope_layer_interval", 4},
                                                               {"rotary_pct", 0.25},
                                                               {"rope_interleaved", true},
                                                               {"use_qk_norm", true},
                                                               {"num_local_experts", 8},
                                                               {"logits_scaling", 0},
                                                               {"vision_config", Json{{"depth", 12}}}};
    for (const auto& [key, value] : changes) {
        expect_error([&] { (void)config_with([&](Json& json) { json[key] = value; }); }, {"folder/config.json", key, "not known here"});
        for (const Json& nothing : {Json(nullptr), Json(false), Json(1), Json(1.0), Json("a word"), Json::array(), Json::object()})
            EXPECT_EQ(written(config_with([&](Json& json) { json[key] = nothing; })), written(config_with([](Json&) {}))) << key;
    }
    for (const char* cap : {"final_logit_softcapping", "num_local_experts"}) (void)config_with([&](Json& json) { json[cap] = 0.0; });
    expect_error(
        [] {
            (void)config_with([](Json& json) {
                json["rope_scaling"] = Json{{"rope_type", "default"}, {"mrope_section", Json{16, 24, 24}}};
            });
        },
        {"rope_scaling: mrope_section", "not known here"});
}

// Random names with random values: refused, or without effect because they say that something is not there.
TEST(ConfigKeys, NobodyKnowsAreRefusedOrChangeNothing) {
    Mutator random(20261129);
    const std::string plain = written(config_with([](Json&) {}));
    const std::vector<Json> values = {2, 0.5, -1,    7e9,     true, Json{1},       Json{"a"},       Json{{"x", 3}},
                                      0, 1,   false, nullptr, "on", Json::array(), Json{{"x", "y"}}};
    int refused = 0;
    for (int i = 0; i < 400; ++i) {
        std::string name;
        for (std::uint64_t n = 3 + random.below(12); n > 0; --n) name += static_cast<char>('a' + random.below(26));
        const std::size_t which = random.below(values.size());
        const auto change = [&](Json& json) { json[name] = values[which]; };
        if (which >= 8) {
            EXPECT_EQ(written(config_with(change)), plain) << name << values[which].dump();
            continue;
        }
        ++refused;
        expect_error([&] { (void)config_with(change); }, {name, "not known here"});
        const ModelConfig without = config_with(change, {name});
        EXPECT_EQ(without.ignored, std::vector<std::string>{name});
        EXPECT_NE(without.notice.find(name + " is ignored"), std::string::npos) << without.notice;
    }
    EXPECT_GT(refused, 100);
}

// Each of these keys does something: with another value a run shows something else, or the folder is refused by the key or for a tensor
// that no longer fits.
TEST(ConfigKeys, ThatAreAppliedChangeTheTrace) {
    EXPECT_EQ(traced_with([](Json&) {}), traced_with([](Json&) {})) << "by the same dice";
    std::set<std::string> tried;
    const auto expect_change = [&](const std::string& key, const std::function<void(Json&)>& before,
                                   const std::function<void(Json&)>& after) {
        tried.insert(key);
        const std::string first = traced_with(before);
        try {
            EXPECT_NE(traced_with([&](Json& json) { before(json), after(json); }), first) << key;
        } catch (const Error& error) {
            const std::string said = error.what();
            EXPECT_TRUE(said.find(key) != std::string::npos || said.find(".weight") != std::string::npos ||
                        said.find(".bias") != std::string::npos)
                << key << ": " << said;
        }
    };
    const auto set = [](const std::string& key, const Json& value) { return [=](Json& json) { json[key] = value; }; };
    const auto none = [](Json&) {};
    for (const auto& [key, value] : std::vector<std::pair<std::string, Json>>{{"hidden_size", 128},
                                                                              {"intermediate_size", 96},
                                                                              {"num_hidden_layers", 3},
                                                                              {"num_attention_heads", 8},
                                                                              {"num_key_value_heads", 1},
                                                                              {"head_dim", 32},
                                                                              {"vocab_size", 1024},
                                                                              {"max_position_embeddings", 12},
                                                                              {"rms_norm_eps", 1e-3},
                                                                              {"rope_theta", 5e5},
                                                                              {"rope_scaling", Json{{"type", "linear"}, {"factor", 2}}},
                                                                              {"rope_parameters", Json{{"rope_theta", 777}}},
                                                                              {"hidden_act", "gelu"},
                                                                              {"attention_bias", true},
                                                                              {"layer_types", Json{"sliding_attention"}},
                                                                              {"tie_word_embeddings", false},
                                                                              {"partial_rotary_factor", 0.5},
                                                                              {"architectures", Json{"LlamaForCausalLM"}},
                                                                              {"mlp_bias", true},
                                                                              {"is_causal", false},
                                                                              {"quantization_config", Json{{"bits", 4}}},
                                                                              {"num_nextn_predict_layers", 1},
                                                                              {"num_mtp_layers", 1},
                                                                              {"mtp_num_hidden_layers", 1}})
        expect_change(key, none, set(key, value));
    const auto window = [](Json& json) { json["use_sliding_window"] = true, json["sliding_window"] = 64, json["max_window_layers"] = 4; };
    expect_change("max_window_layers", window, set("max_window_layers", 2));
    const auto windowed = [](Json& json) {
        json["use_sliding_window"] = true, json["sliding_window"] = nullptr, json["max_window_layers"] = 2;
    };
    tried.insert("sliding_window"), tried.insert("use_sliding_window"); // refused by the name of the switch
    expect_error([&] { (void)config_with([&](Json& json) { windowed(json), json["sliding_window"] = 64; }); },
                 {"use_sliding_window", "sliding_window"});
    expect_error([&] { (void)config_with([&](Json& json) { window(json), json["max_window_layers"] = 0; }); }, {"use_sliding_window"});
    const Json yarn = {{"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 64}};
    expect_change("original_max_position_embeddings", set("rope_scaling", yarn), set("original_max_position_embeddings", 32));
    for (const KeyList list : {geometry_keys(), model_keys()})
        for (const std::string_view key : list) EXPECT_TRUE(tried.contains(std::string(key))) << key << " was not tried";

    const Json llama = {{"rope_type", "llama3"},
                        {"factor", 8.0},
                        {"low_freq_factor", 1.0},
                        {"high_freq_factor", 4.0},
                        {"original_max_position_embeddings", 64}};
    tried.clear();
    const auto in_rope = [&](const Json& rope, const std::string& key, const Json& value) {
        Json changed = rope;
        changed[key] = value;
        expect_change(key, set("rope_scaling", rope), set("rope_scaling", changed));
    };
    in_rope(yarn, "rope_theta", 777), in_rope(yarn, "factor", 8.0), in_rope(yarn, "original_max_position_embeddings", 32);
    in_rope(llama, "low_freq_factor", 2.0), in_rope(llama, "high_freq_factor", 8.0);
    in_rope(yarn, "attention_factor", 2.0), in_rope(yarn, "attn_factor", 2.0); // that one changes the notice
    in_rope(yarn, "beta_fast", 16), in_rope(yarn, "beta_slow", 2), in_rope(yarn, "truncate", false),
        in_rope(yarn, "partial_rotary_factor", 0.5);
    Json both = yarn;
    both["mscale"] = 1.0, both["mscale_all_dim"] = 1.0;
    in_rope(both, "mscale", 2.0), in_rope(both, "mscale_all_dim", 2.0);
    for (const std::string_view key : rope_keys()) EXPECT_TRUE(tried.contains(std::string(key))) << key << " was not tried";
}

// The same of a GGUF file's.
TEST(ConfigKeys, OfAGgufFileThatAreAppliedChangeTheTrace) {
    const TempFolder folder;
    std::set<std::string> tried = {};
    std::vector<GgufChange> changes = gguf_geometry_changes();
    for (const GgufChange& change : std::vector<GgufChange>{{"expert_count", gguf_u32(8), {}, "8 experts"},
                                                            {"attention.sliding_window", gguf_u32(12)},
                                                            {"attention.causal", gguf_flag(false)}})
        changes.push_back(change);
    for (const GgufChange& change : changes) {
        SCOPED_TRACE(change.key);
        tried.insert(change.key);
        const auto with = [&](bool changed) {
            gguf_of_folder(golden("micro_qwen2_tied"), DType::bf16, [&](GgufWriter& file) {
                change.write(file, "qwen2.", changed);
            }).write(folder / "toy.gguf");
            return traced(folder / "toy.gguf");
        };
        const std::string before = with(false);
        try {
            EXPECT_NE(with(true), before);
        } catch (const Error& error) {
            EXPECT_TRUE(change.told_by(error.what())) << error.what();
        }
    }
    for (const KeyList list : {gguf_geometry_keys(), gguf_model_keys()})
        for (const std::string_view key : list) EXPECT_TRUE(tried.contains(std::string(key))) << key << " was not tried";
}

TEST(ConfigKeys, OfAGgufFileAreReadHarmlessOrRefusedByName) {
    const auto config = [](const std::function<void(GgufWriter&)>& more, const IgnoredKeys& ignored = {}) {
        Gguf file = parse_gguf(gguf_of_folder(golden("micro_qwen2_tied"), DType::bf16, more).bytes());
        (void)take_ignored(file, ignored);
        return gguf_config(file);
    };
    const std::string plain = written(config({}));
    for (const char* key : {"logit_scale", "residual_scale", "embedding_scale", "attention.scale", "attention.clamp_kqv",
                            "final_logit_softcapping", "attn_logit_softcapping", "rope.partial", "some_new_factor"}) {
        const std::string whole = "qwen2." + std::string(key);
        expect_error([&] { (void)config([&](GgufWriter& f) { f.f32(whole, .5f); }); }, {whole, "0.5", "not known here"});
        for (const float nothing : {0.f, 1.f}) EXPECT_EQ(written(config([&](GgufWriter& f) { f.f32(whole, nothing); })), plain) << whole;
        EXPECT_EQ(written(config([&](GgufWriter& f) { f.f32(whole, .5f); }, {key})), plain) << "its name without the architecture";
        EXPECT_EQ(written(config([&](GgufWriter& f) { f.f32(whole, .5f); }, {whole})), plain);
    }
    expect_error([&] { (void)config([](GgufWriter& f) { f.flag("qwen2.use_parallel_residual", true); }); },
                 {"use_parallel_residual", "true"});
    expect_error([&] { (void)config([](GgufWriter& f) {
                           f.array<std::int32_t>("qwen2.rope.dimension_sections", 5, {16, 24, 24, 0});
                       }); },
                 {"rope.dimension_sections"});
    EXPECT_EQ(written(config([](GgufWriter& f) {
                  f.u32("qwen2.vocab_size", 512);
                  f.u32("qwen2.pooling_type", 3);
                  f.flag("qwen2.rope.scaling.finetuned", true);
                  f.text("qwen2.tensor_data_layout", "Meta AI original pth");
                  f.f32("llama.logit_scale", 8); // of another architecture
                  f.u32("quantize.imatrix.entries_count", 200);
              })),
              plain);
}

// Random names behind the architecture: refused, or without effect because they say that something is not there.
TEST(ConfigKeys, OfAGgufFileThatNobodyKnowsAreRefusedOrChangeNothing) {
    Mutator random(20261130);
    const auto config = [](const std::function<void(GgufWriter&)>& more) {
        return gguf_config(parse_gguf(gguf_of_folder(golden("micro_qwen2_tied"), DType::bf16, more).bytes()));
    };
    const std::string plain = written(config({}));
    const std::vector<std::function<void(GgufWriter&, const std::string&)>> values = {
        [](GgufWriter& f, const std::string& key) { f.u32(key, 2); },
        [](GgufWriter& f, const std::string& key) { f.f32(key, -.5f); },
        [](GgufWriter& f, const std::string& key) { f.flag(key, true); },
        [](GgufWriter& f, const std::string& key) {
            f.array<std::int32_t>(key, 5, {1, 2});
        },
        [](GgufWriter& f, const std::string& key) { f.texts(key, {"a"}); },
        [](GgufWriter& f, const std::string& key) { f.u32(key, 0); },
        [](GgufWriter& f, const std::string& key) { f.f32(key, 1); },
        [](GgufWriter& f, const std::string& key) { f.flag(key, false); },
        [](GgufWriter& f, const std::string& key) { f.text(key, "a word"); },
    };
    int refused = 0;
    for (int i = 0; i < 100; ++i) {
        std::string name = "qwen2.";
        for (std::uint64_t n = 3 + random.below(12); n > 0; --n) name += static_cast<char>('a' + random.below(26));
        const std::size_t which = random.below(values.size());
        const auto more = [&](GgufWriter& f) { values[which](f, name); };
        if (which < 5) {
            ++refused;
            expect_error([&] { (void)config(more); }, {name, "not known here"});
        } else {
            EXPECT_EQ(written(config(more)), plain) << name << " " << which;
        }
    }
    EXPECT_GT(refused, 30);
}

// Metadata of public files, as llama.cpp printed it: each opens, or is refused for a reason that somebody checked.
TEST(ConfigKeys, OfPublicGgufFilesOpenOrAreRefusedForAReasonThatWasChecked) {
    const Json all = Json::parse(read_file(golden("public_gguf.json")));
    EXPECT_GE(all["files"].size(), 20U);
    for (const Json& one : all["files"]) {
        SCOPED_TRACE(one["from"].text());
        GgufWriter writer;
        std::string architecture;
        for (const auto& [key, value] : one["kv"].items()) {
            if (key == "general.architecture") architecture = value.text();
            if (value.is_string())
                writer.text(key, value.text());
            else if (value.is_number_float())
                writer.f32(key, value.get<float>());
            else
                writer.u32(key, value.get<std::uint32_t>());
        }
        const auto hidden = static_cast<std::int64_t>(one["kv"][architecture + ".embedding_length"].get<int>());
        const std::vector<std::byte> rows(static_cast<std::size_t>(2 * 8 * hidden));
        writer.tensor("token_embd.weight", {8, hidden}, DType::bf16, rows); // of its vocabulary eight
        const Gguf file = parse_gguf(writer.bytes());
        if (const Json refused = one.value("refused", Json()); !refused.is_null()) {
            expect_error([&] { (void)gguf_config(file); }, refused.get<std::vector<std::string>>());
            continue;
        }
        try {
            EXPECT_EQ(gguf_config(file).layers, one["kv"][architecture + ".block_count"].get<int>());
        } catch (const Error& error) {
            ADD_FAILURE() << error.what();
        }
    }
}

// At one's own risk, and then it stands in the title and in the trace.
TEST(ConfigKeys, ThatAreIgnoredStandInTitleAndTrace) {
    const ModelFolder folder("micro_qwen3");
    folder.edit("config.json", "\"hidden_act\"", "\"logit_scale\": 0.5, \"hidden_act\"");
    ModelPaths paths = {.target = folder.path(), .threads = 1};
    expect_error([&] { (void)load_models(paths); }, {"folder/config.json", "logit_scale (0.5)"});
    paths.ignore_config = {"logit_scale"};
    const auto models = std::make_shared<const Models>(load_models(paths));
    EXPECT_EQ(models->target_name(), "folder (ignoring logit_scale)");
    RunSettings settings;
    settings.prompt.token_ids = {3, 5, 7};
    settings.drafter = "none";
    settings.k = 0;
    settings.max_tokens = 4;
    speclens::Run run(models, settings);
    run.finish();
    EXPECT_EQ(run.trace().header()->model, "folder (ignoring logit_scale)");
}

TEST(ConfigKeys, AreNamedByTheEndOfTheirPlace) {
    EXPECT_TRUE(is_named("output_multiplier", "output_multiplier"));
    EXPECT_TRUE(is_named("dflash_config.output_multiplier", "output_multiplier"));
    EXPECT_TRUE(is_named("dflash_config.output_multiplier", "dflash_config.output_multiplier"));
    EXPECT_FALSE(is_named("dflash_config.output_multiplier", "multiplier"));
    EXPECT_FALSE(is_named("output_multiplier", "dflash_config.output_multiplier"));
}

} // namespace
} // namespace speclens::test
