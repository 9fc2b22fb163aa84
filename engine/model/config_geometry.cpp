#include "engine/model/config_geometry.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include "engine/base/printed.h"

namespace speclens {
namespace {

// What cos and sin are multiplied by: attention_factor, else the ratio of both mscale, else YaRN's own, as transformers 5.23 has it.
// vLLM (get_rope, 07b12f1) multiplies YaRN's own by attn_factor and reads neither of the others; llama.cpp's converter (b11549) writes
// them where its loader of these families does not look. Who gets another number is told.
void read_yarn_attention(const Fields& rope, ModelConfig& config) {
    const double usual = yarn_attention(config.rope_factor);
    const double one = rope.number_or("mscale", 0, 0, 1e3), all = rope.number_or("mscale_all_dim", 0, 0, 1e3);
    const char* read = "factor";
    config.rope_attention = usual;
    if (rope.find("attention_factor") != nullptr) {
        read = "attention_factor";
        config.rope_attention = rope.number(read, 1e-3, 1e3);
    } else if (one > 0 && all > 0) {
        read = "mscale and mscale_all_dim";
        config.rope_attention = yarn_attention(config.rope_factor, one) / yarn_attention(config.rope_factor, all);
    }
    const double vllm = usual * rope.number_or("attn_factor", 1, 1e-3, 1e3);
    const auto same = [&](double other) { return std::abs(config.rope_attention - other) < 1e-6; };
    if (same(vllm) && same(usual)) return;
    add_notice(config.notice, rope.file() + ": yarn multiplies cos and sin by " + digits(config.rope_attention) +
                                  ", which transformers reads from " + read + (same(vllm) ? "" : "; vLLM by " + digits(vllm)) +
                                  (same(usual) ? "" : "; llama.cpp by " + digits(usual)) + ": they compute another model from this file");
}

// Only the whole head is rotated here, and which of the places counts is a matter of the engine: one answer in all of them.
void refuse_partial_rotation(const Fields& fields) {
    const char* const name = "partial_rotary_factor";
    const double part = fields.number_or(name, 1, 0, 1);
    if (part != 1)
        fields.fail(
            name, "is " + digits(part) + ": a part of each head would be rotated, which is not supported",
            "Some trainers carry this field over from the target's config.json into a head that rotates all of it: ask whoever made "
            "the head, and remove the field then.");
}

// Both spellings: rope_theta with rope_scaling, or all of it inside rope_parameters (transformers v5). Where
// both are there, transformers reads rope_scaling and nothing of the other, not even its rope_theta.
void read_rope(const Fields& fields, ModelConfig& config) {
    constexpr double kTransformersTheta = 10'000; // where neither rope_scaling nor the top level has one
    const Json* parameters = fields.find("rope_parameters");
    const Json* scaling = fields.find("rope_scaling");
    const bool both = parameters != nullptr && scaling != nullptr && !scaling->empty();
    const bool recent = parameters != nullptr && !both;
    if (recent) scaling = parameters;
    const char* section = recent ? "rope_parameters" : "rope_scaling";
    refuse_partial_rotation(fields);
    for (const char* place : {"rope_parameters", "rope_scaling"})
        if (const Json* inner = fields.find(place); inner != nullptr && inner->is_object())
            refuse_partial_rotation(Fields(*inner, fields.file() + ": " + place, fields.remedy()));
    if (scaling != nullptr && !scaling->is_object()) fields.fail(section, "is " + shown(*scaling));

    const Json none = Json::object();
    const Fields rope(scaling != nullptr ? *scaling : none, fields.file() + ": " + section, fields.remedy());
    const Fields& theta = rope.find("rope_theta") != nullptr ? rope : fields;
    if (both && theta.find("rope_theta") == nullptr) {
        const Json own = parameters->is_object() ? parameters->value("rope_theta", Json()) : Json();
        if (!own.is_null() && own != kTransformersTheta)
            fields.fail("rope_parameters", "has a rope_theta of " + shown(own) + ", which rope_scaling beside it switches off",
                        "Put rope_theta into rope_scaling, or remove one of the two sections.");
        config.rope_theta = kTransformersTheta;
    } else {
        if (theta.find("rope_theta") == nullptr)
            fields.fail("rope_theta", "is missing",
                        "Add what the model was trained with: 10000 in Llama 1 and 2, 500000 in Llama 3, "
                        "1000000 in Qwen2.5 "
                        "and Qwen3.");
        config.rope_theta = theta.number("rope_theta", 1.0001, 1e12);
        if (&theta == &rope && fields.find("rope_theta") != nullptr && *fields.find("rope_theta") != *rope.find("rope_theta"))
            add_notice(config.notice, fields.file() + ": rope_theta is " + shown(*fields.find("rope_theta")) + " at the top and " +
                                          shown(*rope.find("rope_theta")) + " in " + section + ", which counts");
    }
    if (scaling == nullptr) return;

    for (const auto& [name, value] : scaling->items())
        if (value.is_object()) rope.fail(name.c_str(), "is an object: one set of rotary positions for each type of layer is not supported");
    const std::string type = rope.text_or("rope_type", rope.text_or("type", "default"));
    using Scaling = ModelConfig::RopeScaling;
    if (type == "default") return;
    if (type == "linear") {
        config.rope_scaling = Scaling::linear;
        config.rope_factor = rope.number("factor", 1, 1e4);
        return;
    }
    if (type == "llama3") {
        config.rope_scaling = Scaling::llama3;
        config.rope_factor = rope.number("factor", 1, 1e4);
        config.rope_original_positions = rope.integer("original_max_position_embeddings", 1, 1 << 30);
        config.rope_low = rope.number("low_freq_factor", 1e-3, 1e4);
        config.rope_high = rope.number("high_freq_factor", 1e-3, 1e4);
        if (config.rope_high <= config.rope_low)
            rope.fail("high_freq_factor", "is " + shown(*rope.find("high_freq_factor")) + ", not above low_freq_factor");
        return;
    }
    if (type != "yarn")
        rope.fail("rope_type", "is \"" + type + "\", which is not supported", "Supported are default, linear, llama3 and yarn.");
    config.rope_scaling = Scaling::yarn;
    config.rope_factor = rope.number("factor", 1, 1e4);
    const char* const original = "original_max_position_embeddings";
    config.rope_original_positions = rope.integer_or(original, config.max_positions, 1, 1 << 30);
    // transformers 4 does not read this one and transformers 5 prefers it
    if (fields.integer_or(original, config.rope_original_positions, 1, 1 << 30) != config.rope_original_positions)
        fields.fail(original,
                    "is " + shown(*fields.find(original)) + " beside " + std::to_string(config.rope_original_positions) + " for yarn",
                    "Put it into the section of yarn, and remove the other one.");
    // variants of yarn that these families do not use
    for (const auto& [name, default_value] : {std::pair{"beta_fast", 32.0}, std::pair{"beta_slow", 1.0}})
        if (rope.number_or(name, default_value, 0, 1e6) != default_value) rope.fail(name, "has a value that is not supported");
    read_yarn_attention(rope, config);
    if (scaling->contains("truncate") && scaling->at("truncate") != true) // null is false to transformers
        rope.fail("truncate", "is " + shown(scaling->at("truncate")) + ", only true is supported");
    const double stretched = config.rope_factor * config.rope_original_positions;
    config.max_positions = std::max(config.max_positions, static_cast<int>(std::min(stretched, 1e9)));
}

// "three", "37".
std::string in_words(std::size_t number) {
    constexpr const char* kWords[] = {"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"};
    return number < std::size(kWords) ? kWords[number] : std::to_string(number);
}

bool recurrent(const Json& type) {
    if (!type.is_string()) return false;
    const std::string name = type.get<std::string>();
    for (const char* part : {"linear", "mamba", "recurrent", "conv", "ssm"})
        if (name.find(part) != std::string::npos) return true;
    return false;
}

} // namespace

double yarn_attention(double factor, double mscale) { return factor > 1 ? 0.1 * mscale * std::log(factor) + 1 : 1; }

std::string digits(double value) { return printed("%.4g", value); }

std::string recurrent_layers(const Fields& fields) {
    const Json* section = fields.find("text_config"); // of models that see pictures too
    const Json none = Json::object();
    const Fields inner(section != nullptr && section->is_object() ? *section : none, fields.file(), fields.remedy());
    std::size_t layers = 0, states = 0;
    for (const Fields* where : {&fields, &inner}) {
        const Json* types = where->find("layer_types");
        const Json* interval = where->find("full_attention_interval"); // one of so many is attention
        if (types != nullptr && types->is_array()) {
            layers = types->size();
            states = static_cast<std::size_t>(std::ranges::count_if(*types, recurrent));
        } else if (interval != nullptr && interval->is_number_unsigned() && *interval > 1) {
            layers = interval->get<std::size_t>();
            states = layers - 1;
        }
        if (states > 0) break;
    }
    if (states == 0) return "";
    const std::size_t common = std::gcd(states, layers);
    return in_words(states / common) + " of " + in_words(layers / common) +
           " layers carry a recurrent state that would have to be rolled back after a refusal";
}

void read_geometry(const Fields& fields, ModelConfig& config) {
    config.hidden = fields.integer("hidden_size", 1, 1 << 17);
    config.ffn = fields.integer("intermediate_size", 1, 1 << 20);
    config.layers = fields.integer("num_hidden_layers", 1, 1000);
    config.heads = fields.integer("num_attention_heads", 1, 1024);
    config.kv_heads = fields.integer_or("num_key_value_heads", config.heads, 1, 1024);
    config.vocab = fields.integer("vocab_size", 1, 1 << 22);
    if (fields.find("head_dim") == nullptr && config.hidden % config.heads != 0)
        fields.fail("hidden_size", "is " + std::to_string(config.hidden) + ", not a multiple of the " + std::to_string(config.heads) +
                                       " heads, and head_dim is missing");
    config.head_dim = fields.integer_or("head_dim", config.hidden / config.heads, 1, 4096);
    config.rms_eps = static_cast<float>(fields.number_or("rms_norm_eps", 1e-6, 1e-30, 1));
    config.max_positions = fields.integer_or("max_position_embeddings", 32768, 1, 1 << 30);
    read_rope(fields, config);
}

int first_window_layer(const Fields& fields, const ModelConfig& config) {
    constexpr int kWindow = 4096, kFirst = 28; // where the fields are absent
    const bool used = fields.flag_or("use_sliding_window", false) && !fields.is_null("sliding_window");
    const int window = fields.integer_or("sliding_window", kWindow, 1, 1 << 30);
    if (!used || window >= config.max_positions) return config.layers; // no text is longer
    return std::min(fields.integer_or("max_window_layers", kFirst, 0, 1 << 20), config.layers);
}

void refuse_variants(const Fields& fields, const ModelConfig& config, const char* supported) {
    const Json* types = fields.find("layer_types");
    const bool listed = types != nullptr && types->is_array();
    if (const int first = listed ? config.layers : first_window_layer(fields, config); first < config.layers)
        fields.fail("use_sliding_window",
                    "is true: layers " + std::to_string(first) + " to " + std::to_string(config.layers - 1) +
                        " look back a window only (sliding_window, max_window_layers), which is not supported yet",
                    "Use a checkpoint with full attention (all dense Qwen3 and Qwen2.5 releases have it).");
    if (listed)
        for (const Json& type : *types)
            if (type != "full_attention") {
                if (const std::string state = recurrent_layers(fields); !state.empty())
                    fields.fail("layer_types", "has the entry " + shown(type) + ": " + state, kServeIt);
                fields.fail("layer_types", "has the entry " + shown(type) + ", which is not supported yet", supported);
            }
    refuse_activations(fields, supported);
}

void refuse_activations(const Fields& fields, const char* supported) {
    const std::string activation = fields.text_or("hidden_act", "silu");
    if (activation != "silu") fields.fail("hidden_act", "is \"" + activation + "\", which is not supported", supported);
}

} // namespace speclens
