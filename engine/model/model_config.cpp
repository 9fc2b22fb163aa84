// config.json and generation_config.json to a ModelConfig. Everything the forward pass does not implement is
// refused here, by name, so that no checkpoint runs with silently different arithmetic.
#include <algorithm>

#include "engine/base/json_read.h"
#include "engine/model/config_geometry.h"
#include "engine/model/model.h"
#include "engine/model/model_parts.h"
#include "kernels/backend.h"

namespace speclens {
namespace {

const char* const kSupportedModels =
    "Supported are dense Llama (LlamaForCausalLM), Mistral (MistralForCausalLM), Qwen3 (Qwen3ForCausalLM), Qwen2.5 "
    "(Qwen2ForCausalLM) and MiMo (MiMoForCausalLM) checkpoints. Others can be served, and attached to.";
const char* const kCheckConfig = "Is this the config.json of a dense Llama, Mistral, Qwen3 or Qwen2.5 model?";

ModelConfig::Family read_family(const Fields& fields) {
    const Json* list = fields.find("architectures");
    if (list == nullptr || !list->is_array() || list->empty() || !(*list)[0].is_string())
        fields.fail("architectures", "does not name an architecture", kSupportedModels);
    const std::string name = (*list)[0].get<std::string>();
    if (name == "Qwen3ForCausalLM") return ModelConfig::Family::qwen3;
    if (name == "Qwen2ForCausalLM" || name == "MiMoForCausalLM") return ModelConfig::Family::qwen2; // MiMo: Qwen2.5 with an MTP layer
    if (name == "LlamaForCausalLM" || name == "MistralForCausalLM") return ModelConfig::Family::llama;
    if (const std::string state = recurrent_layers(fields); !state.empty())
        fields.fail("architectures", "names " + name + ", which is not supported: " + state, kServeIt);
    fields.fail("architectures", "names " + name + ", which is not supported", kSupportedModels);
}

// DeepSeek's name of the field, Qwen3.5's, and the one that transformers has for all.
int read_mtp_layers(const Fields& fields) {
    return std::max({fields.integer_or("num_nextn_predict_layers", 0, 0, 1000), fields.integer_or("mtp_num_hidden_layers", 0, 0, 1000),
                     fields.integer_or("num_mtp_layers", 0, 0, 1000)});
}

void add_stops(const Fields& fields, int vocab, std::vector<int>& stops) {
    const Json* value = fields.find("eos_token_id");
    if (value == nullptr) return;
    const auto add = [&](const Json& id) {
        if (!id.is_number_integer() || id < 0 || id >= vocab)
            fields.fail("eos_token_id", "has the entry " + shown(id) + ", expected ids from 0 to " + std::to_string(vocab - 1));
        const int stop = id.get<int>();
        if (std::ranges::find(stops, stop) == stops.end()) stops.push_back(stop);
    };
    if (!value->is_array()) return add(*value);
    for (const Json& id : *value) add(id);
}

void refuse_unsupported(const Fields& fields, const ModelConfig& config) {
    refuse_variants(fields, config, kSupportedModels);
    if (!fields.flag_or("is_causal", true))
        fields.fail("is_causal", "is false: a model that looks ahead cannot continue a text", kSupportedModels);
    if (const Json* types = fields.find("layer_types");
        types != nullptr && types->is_array() && static_cast<int>(types->size()) != config.layers)
        fields.fail("layer_types", "has " + std::to_string(types->size()) + " entries for " + std::to_string(config.layers) + " layers");
    if (config.family != ModelConfig::Family::qwen2 && fields.flag_or("attention_bias", false))
        fields.fail("attention_bias", "is true, which is supported for Qwen2.5 only", kSupportedModels);
    if (fields.flag_or("mlp_bias", false)) fields.fail("mlp_bias", "is true, which is not supported", kSupportedModels);
    if (fields.find("quantization_config") != nullptr)
        fields.fail("quantization_config", "is present: quantised weights are not supported", "Use the original bf16 checkpoint.");
}

// Mistral's first releases look back sliding_window positions. Within so many tokens the window changes nothing, so longer
// texts are refused rather than read in another way.
void limit_to_window(const Fields& fields, ModelConfig& config) {
    if (config.family != ModelConfig::Family::llama || fields.find("sliding_window") == nullptr) return;
    const int window = fields.integer("sliding_window", 1, 1 << 30);
    if (window >= config.max_positions) return;
    add_notice(config.notice, fields.file() + ": attention looks back " + std::to_string(window) +
                                  " tokens (sliding_window); texts are held to as many, where that changes nothing");
    config.max_positions = window;
}

} // namespace

void check_config(const ModelConfig& config, const std::string& file) {
    const auto fail = [&](const std::string& what) { throw Error(file + ": " + what, kCheckConfig); };
    if (config.heads % config.kv_heads != 0)
        fail("num_attention_heads is " + std::to_string(config.heads) + ", not a multiple of num_key_value_heads " +
             std::to_string(config.kv_heads));
    if (config.heads / config.kv_heads > kMostGroup)
        fail("num_attention_heads is " + std::to_string(config.heads) + " and num_key_value_heads " + std::to_string(config.kv_heads) +
             ": more than " + std::to_string(kMostGroup) + " query heads would share a key/value head");
    if (config.head_dim > kMostHeadDim)
        fail("head_dim is " + std::to_string(config.head_dim) + ", the attention takes " + std::to_string(kMostHeadDim) + " at most");
    if (config.head_dim % 2 != 0)
        fail("head_dim is " + std::to_string(config.head_dim) + ", an even number is needed for rotary positions");
    const double largest = std::max({1.0 * config.vocab, 1.0 * config.ffn, 1.0 * config.heads * config.head_dim}) * config.hidden;
    if (largest > 2e10) fail("the sizes give a matrix of " + std::to_string(static_cast<long long>(largest)) + " numbers");
}

ModelConfig read_config(const std::filesystem::path& folder, const IgnoredKeys& ignored) {
    const auto path = folder / "config.json";
    const std::string file = short_name(path);
    Json json = parse_json_object(read_text_file(path, kLargestConfig), file, kCheckConfig);
    ModelConfig config;
    config.ignored = take_ignored(json, ignored);
    config.notice = ignored_notice(file, config.ignored);
    const Fields fields(json, file, kCheckConfig);

    config.family = read_family(fields);
    read_geometry(fields, config);
    config.mtp_layers = read_mtp_layers(fields);
    config.tied = fields.flag_or("tie_word_embeddings", false);
    config.qkv_bias = config.family == ModelConfig::Family::qwen2;
    config.qk_norm = config.family == ModelConfig::Family::qwen3;
    refuse_unsupported(fields, config);
    limit_to_window(fields, config);
    check_config(config, file);
    refuse_unread(fields, {geometry_keys(), model_keys()});
    for (const char* name : {"rope_scaling", "rope_parameters"})
        if (const Json* section = fields.find(name); section != nullptr && section->is_object())
            refuse_unread(Fields(*section, file + ": " + name, kCheckConfig), {rope_keys()});

    // generation_config.json first: its list is the complete one ([<|im_end|>, <|endoftext|>] for Qwen)
    const auto generation = folder / "generation_config.json";
    std::error_code failure;
    if (std::filesystem::exists(generation, failure)) {
        const Json extra = parse_json_object(read_text_file(generation, kLargestConfig), short_name(generation),
                                             "Delete the file or download it again; config.json is enough.");
        add_stops(Fields(extra, short_name(generation), kCheckConfig), config.vocab, config.stops);
    }
    add_stops(fields, config.vocab, config.stops);
    return config;
}

} // namespace speclens
