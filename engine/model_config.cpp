// config.json and generation_config.json to a ModelConfig. Everything the forward pass does not implement is
// refused here, by name, so that no checkpoint runs with silently different arithmetic.
#include <algorithm>
#include <cmath>
#include <set>

#include "engine/json_read.h"
#include "engine/model.h"
#include "engine/model_parts.h"

namespace speclens {
namespace {

constexpr std::size_t kLargestConfig = 16'000'000;
const char* const kSupported =
    "Supported are dense Qwen3 (Qwen3ForCausalLM) and Qwen2.5 (Qwen2ForCausalLM) checkpoints.";
const char* const kCheckConfig = "Is this the config.json of a dense Qwen3 or Qwen2.5 model?";

// Typed access to the fields of one JSON object; null counts as absent.
class Fields {
  public:
    Fields(const Json& json, std::string file) : json_(&json), file_(std::move(file)) {}

    [[nodiscard]] const Json* find(const char* name) const {
        const auto found = json_->find(name);
        return found == json_->end() || found->is_null() ? nullptr : &*found;
    }
    [[nodiscard]] int integer(const char* name, int low, int high) const {
        const Json* value = find(name);
        if (value == nullptr) fail(name, "is missing");
        const bool whole = value->is_number_integer() || value->is_number_unsigned();
        if (!whole || *value < low || *value > high)
            fail(name, "is " + shown(*value) + ", expected an integer from " + std::to_string(low) + " to " +
                           std::to_string(high));
        return value->get<int>();
    }
    [[nodiscard]] int integer_or(const char* name, int otherwise, int low, int high) const {
        return find(name) == nullptr ? otherwise : integer(name, low, high);
    }
    [[nodiscard]] double number(const char* name, double low, double high) const {
        const Json* value = find(name);
        if (value == nullptr) fail(name, "is missing");
        const double number = value->is_number() ? value->get<double>() : std::nan("");
        if (!(number >= low && number <= high))
            fail(name, "is " + shown(*value) + ", which makes no sense there");
        return number;
    }
    [[nodiscard]] double number_or(const char* name, double otherwise, double low, double high) const {
        return find(name) == nullptr ? otherwise : number(name, low, high);
    }
    [[nodiscard]] bool flag_or(const char* name, bool otherwise) const {
        const Json* value = find(name);
        if (value == nullptr) return otherwise;
        if (!value->is_boolean()) fail(name, "is " + shown(*value) + ", expected true or false");
        return value->get<bool>();
    }
    [[nodiscard]] std::string text_or(const char* name, const std::string& otherwise) const {
        const Json* value = find(name);
        if (value == nullptr) return otherwise;
        if (!value->is_string()) fail(name, "is " + shown(*value) + ", expected text");
        return value->get<std::string>();
    }
    [[noreturn]] void fail(const char* name, const std::string& what,
                           const char* remedy = kCheckConfig) const {
        throw Error(file_ + ": " + name + " " + what, remedy);
    }

  private:
    const Json* json_;
    std::string file_;
};

ModelConfig::Family read_family(const Fields& fields) {
    const Json* list = fields.find("architectures");
    if (list == nullptr || !list->is_array() || list->empty() || !(*list)[0].is_string())
        fields.fail("architectures", "does not name an architecture", kSupported);
    const std::string name = (*list)[0].get<std::string>();
    if (name == "Qwen3ForCausalLM") return ModelConfig::Family::qwen3;
    if (name == "Qwen2ForCausalLM") return ModelConfig::Family::qwen2;
    fields.fail("architectures", "names " + name + ", which is not supported", kSupported);
}

// Both spellings: rope_theta with rope_scaling, or all of it inside rope_parameters (transformers v5).
void read_rope(const Fields& fields, const std::string& file, ModelConfig& config) {
    const Json* parameters = fields.find("rope_parameters");
    const Json* scaling = parameters != nullptr ? parameters : fields.find("rope_scaling");
    const char* section = parameters != nullptr ? "rope_parameters" : "rope_scaling";
    if (scaling != nullptr && !scaling->is_object()) fields.fail(section, "is " + shown(*scaling));

    const Json none = Json::object();
    const Fields rope(scaling != nullptr ? *scaling : none, file + ": " + section);
    const Fields& theta = parameters != nullptr && rope.find("rope_theta") != nullptr ? rope : fields;
    config.rope_theta = theta.number("rope_theta", 1.0001, 1e12);
    if (scaling == nullptr) return;

    const std::string type = rope.text_or("rope_type", rope.text_or("type", "default"));
    if (type == "default") return;
    if (type != "yarn")
        rope.fail("rope_type", "is \"" + type + "\", which is not supported",
                  "Supported are default and yarn.");
    config.rope_factor = rope.number("factor", 1, 1e4);
    config.rope_original_positions =
        rope.integer_or("original_max_position_embeddings", config.max_positions, 1, 1 << 30);
    // variants of yarn that these families do not use
    for (const auto& [name, usual] : {std::pair{"beta_fast", 32.0}, std::pair{"beta_slow", 1.0}})
        if (rope.number_or(name, usual, 0, 1e6) != usual)
            rope.fail(name, "has a value that is not supported");
    for (const char* name : {"attention_factor", "mscale", "mscale_all_dim"})
        if (rope.find(name) != nullptr)
            rope.fail(name, "is not supported", "Remove the field to use its default.");
    if (!rope.flag_or("truncate", true)) rope.fail("truncate", "is false, which is not supported");
    const double stretched = config.rope_factor * config.rope_original_positions;
    config.max_positions = std::max(config.max_positions, static_cast<int>(std::min(stretched, 1e9)));
}

void add_stops(const Fields& fields, int vocab, std::vector<int>& stops) {
    const Json* value = fields.find("eos_token_id");
    if (value == nullptr) return;
    const auto add = [&](const Json& id) {
        if (!(id.is_number_integer() || id.is_number_unsigned()) || id < 0 || id >= vocab)
            fields.fail("eos_token_id", "has the entry " + shown(id) + ", expected ids from 0 to " +
                                            std::to_string(vocab - 1));
        const int stop = id.get<int>();
        if (std::ranges::find(stops, stop) == stops.end()) stops.push_back(stop);
    };
    if (!value->is_array()) return add(*value);
    for (const Json& id : *value) add(id);
}

void refuse_unsupported(const Fields& fields, const ModelConfig& config) {
    if (fields.flag_or("use_sliding_window", false))
        fields.fail("use_sliding_window", "is true, which is not supported yet",
                    "Use a checkpoint with full attention (all dense Qwen3 and Qwen2.5 releases have it).");
    if (const Json* types = fields.find("layer_types"); types != nullptr && types->is_array())
        for (const Json& type : *types)
            if (type != "full_attention")
                fields.fail("layer_types", "has the entry " + shown(type) + ", which is not supported yet",
                            kSupported);
    const std::string activation = fields.text_or("hidden_act", "silu");
    if (activation != "silu")
        fields.fail("hidden_act", "is \"" + activation + "\", which is not supported", kSupported);
    if (config.family == ModelConfig::Family::qwen3 && fields.flag_or("attention_bias", false))
        fields.fail("attention_bias", "is true, which is not supported for Qwen3", kSupported);
    if (fields.find("quantization_config") != nullptr)
        fields.fail("quantization_config", "is present: quantised weights are not supported",
                    "Use the original bf16 checkpoint.");
}

} // namespace

void check_config(const ModelConfig& config, const std::string& file) {
    const auto fail = [&](const std::string& what) { throw Error(file + ": " + what, kCheckConfig); };
    if (config.heads % config.kv_heads != 0)
        fail("num_attention_heads is " + std::to_string(config.heads) +
             ", not a multiple of num_key_value_heads " + std::to_string(config.kv_heads));
    if (config.head_dim % 2 != 0)
        fail("head_dim is " + std::to_string(config.head_dim) +
             ", an even number is needed for rotary positions");
    const double largest =
        std::max({1.0 * config.vocab, 1.0 * config.ffn, 1.0 * config.heads * config.head_dim}) *
        config.hidden;
    if (largest > 2e10)
        fail("the sizes give a matrix of " + std::to_string(static_cast<long long>(largest)) + " numbers");
}

ModelConfig read_config(const std::filesystem::path& folder) {
    const auto path = folder / "config.json";
    const std::string file = short_name(path);
    const Json json = parse_json_object(read_text_file(path, kLargestConfig), file, kCheckConfig);
    const Fields fields(json, file);

    ModelConfig config;
    config.family = read_family(fields);
    config.hidden = fields.integer("hidden_size", 1, 1 << 17);
    config.ffn = fields.integer("intermediate_size", 1, 1 << 20);
    config.layers = fields.integer("num_hidden_layers", 1, 1000);
    config.heads = fields.integer("num_attention_heads", 1, 1024);
    config.kv_heads = fields.integer_or("num_key_value_heads", config.heads, 1, 1024);
    config.vocab = fields.integer("vocab_size", 1, 1 << 22);
    if (fields.find("head_dim") == nullptr && config.hidden % config.heads != 0)
        fields.fail("hidden_size", "is " + std::to_string(config.hidden) + ", not a multiple of the " +
                                       std::to_string(config.heads) + " heads, and head_dim is missing");
    config.head_dim = fields.integer_or("head_dim", config.hidden / config.heads, 1, 4096);
    config.rms_eps = static_cast<float>(fields.number_or("rms_norm_eps", 1e-6, 1e-30, 1));
    config.tied = fields.flag_or("tie_word_embeddings", false);
    config.qkv_bias = config.family == ModelConfig::Family::qwen2;
    config.max_positions = fields.integer_or("max_position_embeddings", 32768, 1, 1 << 30);
    read_rope(fields, file, config);
    refuse_unsupported(fields, config);
    check_config(config, file);

    // generation_config.json first: its list is the complete one ([<|im_end|>, <|endoftext|>] for Qwen)
    const auto generation = folder / "generation_config.json";
    std::error_code failure;
    if (std::filesystem::exists(generation, failure)) {
        const Json extra =
            parse_json_object(read_text_file(generation, kLargestConfig), short_name(generation),
                              "Delete the file or download it again; config.json is enough.");
        add_stops(Fields(extra, short_name(generation)), config.vocab, config.stops);
    }
    add_stops(fields, config.vocab, config.stops);
    return config;
}

} // namespace speclens
