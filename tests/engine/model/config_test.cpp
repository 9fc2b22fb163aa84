// config.json and generation_config.json: both spellings, every refusal.
#include <algorithm>

#include "engine/model/model_parts.h"
#include "engine/models/models.h"
#include "tests/shared/model_support.h"

namespace speclens {
namespace {

using namespace test;

TEST(ModelConfigFile, ReadsQwen3AndBothRopeSpellings) {
    const ModelConfig three = read_config(golden("micro_qwen3"));
    EXPECT_EQ(three.family, ModelConfig::Family::qwen3);
    EXPECT_EQ(three.head_dim, 24); // stated, not hidden / heads
    EXPECT_EQ(three.rope_theta, 10000);
    EXPECT_TRUE(three.tied);
    EXPECT_FALSE(three.qkv_bias);
    EXPECT_EQ(three.max_positions, 256);
    EXPECT_EQ(three.stops, (std::vector<int>{502, 500})); // generation_config.json first, no duplicates

    const ModelConfig two = read_config(golden("micro_qwen2")); // rope_parameters, no head_dim
    EXPECT_EQ(two.family, ModelConfig::Family::qwen2);
    EXPECT_EQ(two.head_dim, 16);
    EXPECT_EQ(two.rope_theta, 10000);
    EXPECT_TRUE(two.qkv_bias);
    EXPECT_FALSE(two.tied);
}

TEST(ModelConfigFile, ReadsTheLlamaFamily) {
    const ModelConfig llama = read_config(golden("micro_llama"));
    EXPECT_EQ(llama.family, ModelConfig::Family::llama);
    EXPECT_EQ(llama.head_dim, 8); // hidden / heads
    EXPECT_TRUE(llama.tied);
    EXPECT_FALSE(llama.qkv_bias);
    EXPECT_FALSE(llama.qk_norm);
    EXPECT_FLOAT_EQ(llama.rms_eps, 1e-5f);
    EXPECT_EQ(llama.rope_scaling, ModelConfig::RopeScaling::none);
    EXPECT_EQ(llama.stops, (std::vector<int>{92, 91, 93})) << "Llama 3 has three: the model's, and two of a chat";
    EXPECT_EQ(llama.notice, "");

    const ModelConfig three = read_config(golden("micro_llama3"));
    EXPECT_EQ(three.rope_scaling, ModelConfig::RopeScaling::llama3);
    EXPECT_EQ(three.rope_factor, 8);
    EXPECT_EQ(three.rope_original_positions, 28);
    EXPECT_EQ(three.max_positions, 256) << "as the file says: it counts the scaled ones";
    EXPECT_FALSE(three.tied);

    EXPECT_EQ(read_config(golden("micro_llama_linear")).rope_scaling, ModelConfig::RopeScaling::linear);
    EXPECT_EQ(read_config(golden("micro_llama_linear")).rope_factor, 4);
    EXPECT_EQ(read_config(golden("micro_mistral")).head_dim, 12);
}

TEST(ModelConfigFile, ATextIsHeldToTheWindowOfMistralAndThatIsSaid) {
    const ModelConfig config = read_config(golden("micro_mistral"));
    EXPECT_EQ(config.max_positions, 64);
    EXPECT_NE(config.notice.find("sliding_window"), std::string::npos) << config.notice;
    EXPECT_NE(config.notice.find("64"), std::string::npos) << config.notice;
    for (const char* wide : {"null", "256", "4096"}) { // no window, or none that a text can reach
        const ModelFolder folder("micro_mistral");
        folder.edit("config.json", "\"sliding_window\": 64", "\"sliding_window\": " + std::string(wide));
        EXPECT_EQ(read_config(folder.path()).max_positions, 256) << wide;
        EXPECT_EQ(read_config(folder.path()).notice, "") << wide;
    }
}

TEST(ModelConfigFile, TheNestedThetaCountsAndADifferentFlatOneIsSaid) {
    const ModelFolder folder("micro_qwen2"); // has rope_parameters of 10000
    folder.edit("config.json", "\"rope_theta\": 10000.0", "\"rope_theta\": 10000000.0");
    folder.edit("config.json", "\"hidden_size\"", "\"rope_theta\": 10000.0, \"hidden_size\"");
    const ModelConfig config = read_config(folder.path());
    EXPECT_EQ(config.rope_theta, 10'000'000);
    for (const char* word : {"folder/config.json", "rope_theta", "10000.0 at the top", "10000000.0 in rope_parameters"})
        EXPECT_NE(config.notice.find(word), std::string::npos) << config.notice;
    folder.edit("config.json", "\"rope_theta\": 10000000.0", "\"rope_theta\": 10000.0");
    EXPECT_EQ(read_config(folder.path()).notice, "") << "twice the same";
}

TEST(ModelConfigFile, WithoutThetaTheModelIsRefusedAndTheUsualOnesAreNamed) {
    const ModelFolder folder("micro_llama");
    folder.edit("config.json", "\"rope_theta\": 10000.0,", "");
    try {
        static_cast<void>(read_config(folder.path()));
        ADD_FAILURE();
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(), "folder/config.json: rope_theta is missing");
        EXPECT_NE(error.remedy().find("10000"), std::string::npos) << error.remedy();
    }
}

// Three of four layers of Qwen3.5 and Qwen3-Next keep a state that is no list of positions.
TEST(ModelConfigFile, HybridsAreRefusedForWhatTheyWouldNeed) {
    const std::string mixed = R"(["linear_attention", "linear_attention", "linear_attention", "full_attention"])";
    const std::vector<std::string> words = {"folder/config.json", "three of four layers carry a recurrent state", "rolled back"};
    const auto refused = [&](const std::string& from, const std::string& to, const std::vector<std::string>& all) {
        const ModelFolder folder("micro_qwen3");
        folder.edit("config.json", from, to);
        try {
            static_cast<void>(read_config(folder.path()));
            ADD_FAILURE() << to;
        } catch (const Error& error) {
            for (const std::string& word : all) EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
            EXPECT_NE(error.remedy().find("attach"), std::string::npos) << error.remedy();
        }
    };
    const auto named = [&](std::string name) {
        std::vector<std::string> all = words;
        all.push_back(std::move(name));
        return all;
    };
    refused("\"Qwen3ForCausalLM\"\n ]", "\"Qwen3NextForCausalLM\"\n ], \"layer_types\": " + mixed, named("Qwen3NextForCausalLM"));
    refused("\"Qwen3ForCausalLM\"\n ]", "\"Qwen3_5ForConditionalGeneration\"\n ], \"text_config\": {\"layer_types\": " + mixed + "}",
            named("Qwen3_5ForConditionalGeneration"));
    refused("\"Qwen3ForCausalLM\"\n ]", "\"Qwen3NextForCausalLM\"\n ], \"full_attention_interval\": 4", named("Qwen3NextForCausalLM"));
    refused("\"hidden_act\"", "\"layer_types\": " + mixed + ", \"hidden_act\"", words); // a supported name
    refused("\"hidden_act\"", R"("layer_types": ["mamba", "attention", "attention", "attention", "mamba"], "hidden_act")",
            {"two of five layers carry a recurrent state"});
}

TEST(ModelConfigFile, AHeadForSeveralNextTokensIsCounted) {
    EXPECT_EQ(read_config(golden("micro_qwen3")).mtp_layers, 0);
    for (const char* field : {"mtp_num_hidden_layers", "num_nextn_predict_layers"}) {
        const ModelFolder folder("micro_qwen3");
        folder.edit("config.json", "\"hidden_act\"", "\"" + std::string(field) + "\": 1, \"hidden_act\"");
        EXPECT_EQ(read_config(folder.path()).mtp_layers, 1) << field;
        folder.edit("config.json", std::string(field) + "\": 1", std::string(field) + "\": -1");
        expect_error([&] { static_cast<void>(read_config(folder.path())); }, {field, "-1"});
    }
}

TEST(ModelConfigFile, StopsComeFromAListANumberOrNothing) {
    const ModelFolder folder("micro_qwen3");
    fs::remove(folder / "generation_config.json");
    EXPECT_EQ(read_config(folder.path()).stops, std::vector<int>{502});
    folder.edit("config.json", "\"eos_token_id\": 502", "\"eos_token_id\": null");
    EXPECT_TRUE(read_config(folder.path()).stops.empty());
    write_file(folder / "generation_config.json", R"({"eos_token_id":7})");
    EXPECT_EQ(read_config(folder.path()).stops, std::vector<int>{7});
}

TEST(ModelConfigFile, ReadsYarnInBothPlaces) {
    const ModelFolder old("micro_qwen3"), recent("micro_qwen2");
    old.edit("config.json", "\"rope_scaling\": null",
             R"("rope_scaling": {"type": "yarn", "factor": 4.0, "original_max_position_embeddings": 64})");
    EXPECT_EQ(read_config(old.path()).rope_factor, 4);
    EXPECT_EQ(read_config(old.path()).rope_original_positions, 64);
    EXPECT_EQ(read_config(old.path()).max_positions, 256);
    recent.edit("config.json", "\"rope_type\": \"default\"", R"("rope_type": "yarn", "factor": 2)");
    EXPECT_EQ(read_config(recent.path()).rope_factor, 2);
    EXPECT_EQ(read_config(recent.path()).rope_original_positions, 256);
    EXPECT_EQ(read_config(recent.path()).max_positions, 512);
}

// As Qwen3's configuration has it, layers from max_window_layers (28) on have windows, unless sliding_window is null.
TEST(ModelConfigFile, WindowsThatReachNoLayerOrNoTextOpen) {
    const auto opens = [](const std::string& to) {
        const ModelFolder folder("micro_qwen3"); // of four layers and 256 positions
        folder.edit("config.json", "\"use_sliding_window\": false,\n \"sliding_window\": null,\n \"max_window_layers\": 4", to);
        return read_config(folder.path()).max_positions;
    };
    for (const char* full : {R"("use_sliding_window": true, "sliding_window": 64)",
                             R"("use_sliding_window": true, "sliding_window": 64, "max_window_layers": 4)",
                             R"("use_sliding_window": true, "sliding_window": null, "max_window_layers": 0)",
                             R"("use_sliding_window": true, "max_window_layers": 0)",
                             R"("use_sliding_window": true, "sliding_window": 256, "max_window_layers": 0)",
                             R"("use_sliding_window": true, "sliding_window": 64, "max_window_layers": 0,
                                "layer_types": ["full_attention", "full_attention", "full_attention", "full_attention"])"})
        EXPECT_EQ(opens(full), 256) << full;
    expect_error([&] { (void)opens(R"("use_sliding_window": true, "sliding_window": 64, "max_window_layers": 0)"); },
                 {"use_sliding_window", "layers 0 to 3"});
}

// transformers multiplies by attention_factor or by the ratio of both mscale and does not know attn_factor; vLLM multiplies by that and
// reads none of the others; llama.cpp's converter writes them where its loader does not look. Who computes another model is told.
TEST(ModelConfigFile, YarnsAttentionIsTransformersAndWhoDiffersIsTold) {
    const auto with = [](const std::string& more) {
        const ModelFolder folder("micro_qwen3");
        folder.edit("config.json", "\"rope_scaling\": null",
                    R"("rope_scaling": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 64)" + more + "}");
        return read_config(folder.path());
    };
    struct Case {
        const char *fields, *notice;
        double attention;
    };
    for (const Case& c :
         {Case{"", "", 1.1386294361119891}, // .1 ln 4 + 1
          Case{R"(, "attention_factor": 1)", "transformers reads from attention_factor; vLLM by 1.139; llama.cpp by 1.139", 1},
          Case{R"(, "attention_factor": 1.1386294361)", "", 1.1386294361},
          Case{R"(, "mscale": 1, "mscale_all_dim": 1)", "mscale and mscale_all_dim; vLLM by 1.139", 1},
          Case{R"(, "mscale": 2, "mscale_all_dim": 1)", "by 1.122", 1.2772588722239782 / 1.1386294361119891},
          Case{R"(, "mscale": 2)", "", 1.1386294361119891}, // half of a pair says nothing
          Case{R"(, "attn_factor": 0.8782488562869419)",
               "by 1.139, which transformers reads from factor; vLLM by 1:", 1.1386294361119891}}) {
        const ModelConfig config = with(c.fields);
        EXPECT_DOUBLE_EQ(config.rope_attention, c.attention) << c.fields;
        EXPECT_NE(config.notice.find(c.notice), std::string::npos) << config.notice;
        EXPECT_EQ(config.notice.empty(), *c.notice == '\0') << config.notice;
        const std::vector<float> table = cos_sin_table(config);
        EXPECT_FLOAT_EQ(table[0], static_cast<float>(c.attention)) << "the cosine at position 0";
    }
}

// As transformers 5: rope_scaling goes before rope_parameters, unless it is empty.
TEST(ModelConfigFile, TakesRopeScalingWhereBothSpellingsAreThere) {
    const auto with = [](const std::string& scaling, const std::string& theta = "10000.0") {
        const ModelFolder folder("micro_qwen2"); // has rope_parameters of 10000
        folder.edit("config.json", "\"hidden_size\"", "\"rope_scaling\": " + scaling + ", \"hidden_size\"");
        folder.edit("config.json", "\"rope_theta\": 10000.0", "\"rope_theta\": " + theta);
        return read_config(folder.path());
    };
    const std::string yarn = R"({"rope_type": "yarn", "factor": 2.0, "original_max_position_embeddings": 64)";
    EXPECT_EQ(with(yarn + "}").rope_factor, 2);
    EXPECT_EQ(with(yarn + "}").rope_theta, 10000);
    EXPECT_EQ(with(yarn + R"(, "rope_theta": 500000.0})", "20000.0").rope_theta, 500000);
    for (const char* none : {"null", "{}"}) EXPECT_EQ(with(none, "20000.0").rope_theta, 20000) << none;
    expect_error([&] { (void)with(yarn + "}", "20000.0"); }, {"rope_parameters", "20000", "rope_scaling"});
    EXPECT_EQ(with(yarn + "}", "null").rope_theta, 10000) << "nothing is switched off where nothing stands";
}

TEST(ModelConfigFile, RefusesWhatItCannotComputeNamingFileFieldAndValue) {
    const auto refused = [](const std::string& from, const std::string& to, std::vector<std::string> words,
                            const char* model = "micro_qwen3") {
        const ModelFolder folder(model);
        folder.edit("config.json", from, to);
        words.push_back("folder/config.json");
        expect_error([&] { static_cast<void>(read_config(folder.path())); }, words);
    };
    refused("Qwen3ForCausalLM", "GemmaForCausalLM", {"architectures", "GemmaForCausalLM"});
    refused("\"Qwen3ForCausalLM\"", "", {"architectures"});
    refused("{", "", {"not valid JSON"});
    refused("\"hidden_size\": 64", "\"hidden_size\": 0", {"hidden_size", "0"});
    refused("\"hidden_size\": 64", "\"hidden_size\": \"64\"", {"hidden_size", "\"64\""});
    refused("\"hidden_size\": 64", "\"hidden_size\": 64.5", {"hidden_size", "64.5"});
    refused("\"hidden_size\": 64,", "", {"hidden_size", "missing"});
    refused("\"num_hidden_layers\": 4", "\"num_hidden_layers\": 1000000", {"num_hidden_layers", "1000000"});
    refused("\"vocab_size\": 512", "\"vocab_size\": 18446744073709551615", {"vocab_size"});
    refused("\"num_key_value_heads\": 2", "\"num_key_value_heads\": 3", {"num_key_value_heads", "3", "4"});
    refused("\"num_attention_heads\": 4", "\"num_attention_heads\": 132", {"num_attention_heads", "132", "64"});
    refused("\"head_dim\": 24", "\"head_dim\": 514", {"head_dim", "514", "512"});
    refused("\"head_dim\": 24", "\"head_dim\": 23", {"head_dim", "23"});
    refused("\"hidden_size\": 64", "\"hidden_size\": 66", {"hidden_size", "66", "head_dim"}, "micro_qwen2");
    refused("\"rms_norm_eps\": 1e-06", "\"rms_norm_eps\": -1", {"rms_norm_eps", "-1"});
    refused("\"rope_theta\": 10000.0,", "", {"rope_theta", "missing"});
    refused("\"rope_theta\": 10000.0", "\"rope_theta\": 0", {"rope_theta", "0"});
    refused("\"rope_scaling\": null", R"("rope_scaling": {"rope_type": "longrope", "factor": 8})", {"rope_type", "longrope"});
    refused("\"rope_scaling\": null", R"("rope_scaling": {"rope_type": "llama3", "factor": 8})",
            {"original_max_position_embeddings", "missing"});
    refused("\"low_freq_factor\": 1.0", "\"low_freq_factor\": 4.0", {"high_freq_factor is 4.0"}, "micro_llama3");
    refused("\"factor\": 4.0", "\"factor\": 0.5", {"factor", "0.5"}, "micro_llama_linear");
    refused("\"attention_bias\": false", "\"attention_bias\": true", {"attention_bias"}, "micro_llama");
    refused("\"mlp_bias\": false", "\"mlp_bias\": true", {"mlp_bias"}, "micro_llama");
    refused("\"sliding_window\": 64", "\"sliding_window\": 0", {"sliding_window", "0"}, "micro_mistral");
    refused("\"rope_scaling\": null", R"("rope_scaling": {"rope_type": "yarn"})", {"factor", "missing"});
    for (const char* field : {"attention_factor", "attn_factor", "mscale"})
        refused("\"rope_scaling\": null", R"("rope_scaling": {"rope_type": "yarn", "factor": 4, ")" + std::string(field) + "\": -1}",
                {field, "-1"});
    refused("\"rope_scaling\": null", R"("rope_scaling": {"rope_type": "yarn", "factor": 4, "beta_fast": 30})", {"beta_fast"});
    refused("\"rope_scaling\": null", "\"rope_scaling\": 3", {"rope_scaling", "3"});
    for (const char* value : {"null", "false"})
        refused("\"rope_scaling\": null", R"("rope_scaling": {"rope_type": "yarn", "factor": 4, "truncate": )" + std::string(value) + "}",
                {"truncate", value});
    refused("\"rope_scaling\": null",
            R"("rope_scaling": {"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 64},
               "original_max_position_embeddings": 32)",
            {"original_max_position_embeddings", "32", "64"});
    refused("\"rope_scaling\": null", R"("rope_scaling": {"full_attention": {"rope_type": "yarn"}})", {"full_attention", "not supported"});
    for (const char* place :
         {R"("rope_scaling": {"rope_type": "yarn", "factor": 4, "partial_rotary_factor": 0.5})",
          R"("rope_scaling": null, "partial_rotary_factor": 0.5)", R"("rope_parameters": {"partial_rotary_factor": 0.5})",
          R"("rope_scaling": {"rope_type": "default", "partial_rotary_factor": 0.5})"})
        refused("\"rope_scaling\": null", place, {"partial_rotary_factor is 0.5", "part of each head"});
    refused("\"hidden_act\"", "\"is_causal\": false, \"hidden_act\"", {"is_causal"});
    refused("\"use_sliding_window\": false,\n \"sliding_window\": null,\n \"max_window_layers\": 4",
            R"("use_sliding_window": true, "sliding_window": 64, "max_window_layers": 3)",
            {"use_sliding_window", "layers 3 to 3", "not supported yet"});
    refused("\"attention_bias\": false", "\"attention_bias\": true", {"attention_bias"});
    refused("\"attention_bias\": false", "\"attention_bias\": 1", {"attention_bias", "true or false"});
    refused("\"hidden_act\": \"silu\"", "\"hidden_act\": \"gelu\"", {"hidden_act", "gelu"});
    refused("\"hidden_act\"", "\"quantization_config\": {}, \"hidden_act\"", {"quantization_config"});
    refused("\"hidden_act\"", "\"layer_types\": [\"sliding_attention\"], \"hidden_act\"", {"layer_types", "sliding_attention"});
    refused("\"hidden_act\"", "\"layer_types\": [\"full_attention\"], \"hidden_act\"", {"layer_types", "1", "4"});
    refused("\"eos_token_id\": 502", "\"eos_token_id\": 512", {"eos_token_id", "512", "511"});
    refused("\"intermediate_size\": 48", "\"intermediate_size\": 1000000, \"hidden_size\": 100000", {"numbers"});
}

// Their layers are not Qwen3's, though their tensors have its names: some without rotation, others scaled, with other norms or other
// orders.
TEST(ModelConfigFile, TheNewestFamiliesAreRefusedByName) {
    for (const char* name : {"SmolLM3ForCausalLM", "Ministral3ForCausalLM", "Mistral3ForConditionalGeneration", "GraniteForCausalLM",
                             "GraniteMoeHybridForCausalLM", "Olmo2ForCausalLM", "Gemma3ForCausalLM", "Lfm2ForCausalLM"}) {
        const ModelFolder folder("micro_qwen3");
        folder.edit("config.json", "Qwen3ForCausalLM", name);
        expect_error([&] { static_cast<void>(read_config(folder.path())); },
                     {"folder/config.json", "architectures names " + std::string(name), "not supported"});
    }
    const ModelFolder lfm2("micro_qwen3"); // with the reason, where the file says it
    lfm2.edit("config.json", "Qwen3ForCausalLM", "Lfm2ForCausalLM");
    lfm2.edit("config.json", "\"hidden_act\"", R"("layer_types": ["conv", "conv", "full_attention", "conv"], "hidden_act")");
    expect_error([&] { static_cast<void>(read_config(lfm2.path())); }, {"Lfm2ForCausalLM", "three of four layers carry a recurrent state"});
}

TEST(ModelConfigFile, ALongContextIsCutToWhatIsKeptHere) {
    const ModelFolder folder("micro_qwen3");
    folder.edit("config.json", "\"max_position_embeddings\": 256", "\"max_position_embeddings\": 262144");
    EXPECT_EQ(read_config(folder.path()).max_positions, 262144);
    EXPECT_EQ(read_config(folder.path()).context(), kLargestContext);
    EXPECT_EQ(load_models({.target = folder.path()}).holds(), kLargestContext);
}

TEST(ModelConfigFile, BrokenGenerationConfigAndMissingFilesAreNamed) {
    const ModelFolder folder("micro_qwen3");
    write_file(folder / "generation_config.json", "[");
    expect_error([&] { static_cast<void>(read_config(folder.path())); }, {"generation_config.json", "not valid JSON"});
    write_file(folder / "generation_config.json", R"({"eos_token_id":["x"]})");
    expect_error([&] { static_cast<void>(read_config(folder.path())); }, {"generation_config.json", "eos_token_id"});
    expect_error([&] { static_cast<void>(read_config("no/such/folder")); }, {"no/such/folder/config.json does not exist"});
}

TEST(Geometry, KnowsThePublishedShapes) {
    for (const std::string& name : geometry_names()) EXPECT_GT(geometry(name).vocab, 0) << name;
    EXPECT_EQ(geometry("qwen3-0.6b").head_dim, 128);
    EXPECT_FALSE(geometry("qwen3-8b").tied);
    EXPECT_TRUE(geometry("qwen2.5-0.5b").qkv_bias);
    expect_error([] { static_cast<void>(geometry("gpt-5")); }, {"gpt-5"});
    try {
        static_cast<void>(geometry("gpt-5"));
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Exit::usage);
        EXPECT_NE(error.remedy().find("qwen3-0.6b, qwen3-1.7b"), std::string::npos);
    }
}

TEST(Geometry, HasAShapeThatNoCacheHoldsAndEveryMachineDoes) {
    const ModelConfig config = geometry("smollm2-135m");
    EXPECT_FALSE(config.qkv_bias);
    EXPECT_FALSE(config.qk_norm);
    EXPECT_TRUE(config.tied);
    EXPECT_NEAR(static_cast<double>(Model::weight_bytes(config)), 2 * 134.5e6, 8e6) << "with the table of angles";
    EXPECT_TRUE(geometry("qwen2.5-0.5b").qkv_bias);
}

} // namespace
} // namespace speclens
