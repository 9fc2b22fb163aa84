#include "engine/model/gguf_model.h"

#include <algorithm>
#include <set>

#include "engine/model/config_geometry.h"
#include "engine/model/model_parts.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr const char* kServeWithLlamaCpp = "Serve it with llama-server and attach to it: speclens attach http://127.0.0.1:PORT.";

[[noreturn]] void refuse(const Gguf& file, const std::string& what) { throw Error(file.name() + ": " + what, kServeWithLlamaCpp); }

// What is known of architectures that are refused, by the beginning of their name.
std::string why_refused(const std::string& name) {
    constexpr std::pair<const char*, const char*> kKnown[] = {
        {"qwen3next", "three of four layers carry a recurrent state that would have to be rolled back after a refusal"},
        {"qwen35", "three of four layers carry a recurrent state that would have to be rolled back after a refusal"},
        {"qwen2moe", "a mixture of experts"},
        {"qwen3moe", "a mixture of experts"},
        {"deepseek", "a mixture of experts with latent attention"},
        {"mamba", "a recurrent state that would have to be rolled back after a refusal"},
        {"rwkv", "a recurrent state that would have to be rolled back after a refusal"},
        {"eagle3", "a draft head, not a model that can write"},
        {"dflash", "a draft head, not a model that can write"},
    };
    for (const auto& [begin, why] : kKnown)
        if (name.starts_with(begin)) return why;
    return "";
}

ModelConfig::Family family_of(const Gguf& file, const std::string& name) {
    if (name == "llama") return ModelConfig::Family::llama;
    if (name == "qwen2") return ModelConfig::Family::qwen2;
    if (name == "qwen3") return ModelConfig::Family::qwen3;
    const std::string why = why_refused(name);
    if (name == "eagle3" || name == "dflash")
        throw Error(file.name() + ": is " + why + " (" + name + ")",
                    "Give it beside its target: --model TARGET --drafter " + name + "=FILE.gguf, or dspark=FILE.gguf.", Exit::usage);
    refuse(file, "is of the architecture " + (name.empty() ? "\"\"" : name) + (why.empty() ? "" : " (" + why + ")") +
                     ", which is not supported; llama, qwen2 and qwen3 are");
}

void read_scaling(const Gguf& file, const std::string& arch, ModelConfig& config) {
    using Scaling = ModelConfig::RopeScaling;
    const std::string base = arch + ".rope.scaling.";
    const std::string type = file.text(base + "type").value_or("linear"); // as llama.cpp (b11549) has it where nothing is said
    const double factor = file.number(base + "factor", 0, 1e4).value_or(file.number(arch + ".rope.scale_linear", 0, 1e4).value_or(1));
    if (type == "linear" && factor > 0 && factor < 1) file.fail(base + "factor", "is below 1"); // 0: nothing was said
    if (type == "linear" && factor > 1) {
        config.rope_scaling = Scaling::linear;
        config.rope_factor = factor;
    } else if (type == "yarn") {
        config.rope_scaling = Scaling::yarn;
        if (factor < 1) file.fail(base + "factor", "is below 1");
        config.rope_factor = factor;
        config.rope_original_positions =
            static_cast<int>(file.integer(base + "original_context_length", 1, 1 << 30).value_or(config.max_positions));
        for (const auto& [name, default_value] :
             {std::pair{"yarn_beta_fast", 32.0}, std::pair{"yarn_beta_slow", 1.0}, std::pair{"yarn_ext_factor", 1.0}})
            if (const auto value = file.number(base + name, -1e6, 1e6); value && *value != default_value)
                refuse(file, base + name + " has a value that is not supported");
        config.rope_attention = yarn_attention(factor);
        // llama.cpp (b11549) reads these two for other architectures; its converter writes the first one for all.
        for (const auto& [name, default_value] : {std::pair{"yarn_attn_factor", 1.0}, std::pair{"yarn_log_multiplier", 0.0}})
            if (const auto value = file.number(base + name, -1e6, 1e6); value && *value != default_value)
                add_notice(config.notice, file.name() + ": " + base + name + " is " + digits(*value) +
                                              ", which llama.cpp does not read for " + arch +
                                              ", and neither is it read here; transformers may, from the folder that the file was made of");
    } else if (type != "none" && type != "linear") {
        refuse(file, base + "type is \"" + type + "\", which is not supported");
    }
    config.rope_attention *= file.number(base + "attn_factor", 1e-3, 1e3).value_or(1);
    if (const StoredTensor* divisors = file.find("rope_freqs.weight")) { // Llama 3.1: transformers' llama3, worked out
        if (config.rope_scaling != Scaling::none) refuse(file, "stretches rotary positions in two ways");
        if (divisors->dtype != DType::f32 || divisors->shape != std::vector<std::int64_t>{config.head_dim / 2})
            refuse(file, "rope_freqs.weight is " + shape_text(divisors->shape) + " of " + name_of(divisors->dtype) +
                             ", expected one f32 for each of the " + std::to_string(config.head_dim / 2) + " pairs of a head");
        config.rope_divisors.resize(static_cast<std::size_t>(config.head_dim / 2));
        file.read(*divisors, 0, std::as_writable_bytes(std::span(config.rope_divisors)));
        if (std::ranges::any_of(config.rope_divisors, [](float value) { return !(value > 0) || value > 1e6f; }))
            refuse(file, "rope_freqs.weight holds a divisor that makes no sense");
        if (std::ranges::any_of(config.rope_divisors, [](float value) { return value != 1; })) config.rope_scaling = Scaling::divisors;
    }
}

// One number for all layers, also where the file lists it by layer.
int of_all_layers(const Gguf& file, const std::string& key, int otherwise, int layers) {
    const GgufValue* value = file.value(key);
    if (value == nullptr) return otherwise;
    if (!std::holds_alternative<GgufNumbers>(*value)) return static_cast<int>(*file.integer(key, 1, 1 << 20));
    const std::vector<std::int64_t> list = *file.integers(key, 0, 1 << 20);
    if (static_cast<int>(list.size()) < layers || list.empty()) file.fail(key, "has " + std::to_string(list.size()) + " entries");
    if (std::ranges::any_of(list, [&](std::int64_t one) { return one != list.front(); }))
        refuse(file, key + " differs from layer to layer, which is not supported");
    if (list.front() < 1) file.fail(key, "is 0");
    return static_cast<int>(list.front());
}

int needed(const Gguf& file, const std::string& key, int high) {
    const auto value = file.integer(key, 1, high);
    if (!value) file.fail(key, "is missing");
    return static_cast<int>(*value);
}

void refuse_variants_of(const Gguf& file, const std::string& arch) {
    if (file.integer(arch + ".expert_count", 0, 1 << 20).value_or(0) > 0)
        refuse(file,
               "is a mixture of " + std::to_string(*file.integer(arch + ".expert_count", 0, 1 << 20)) + " experts, which is not supported");
    if (!file.flag(arch + ".attention.causal").value_or(true))
        refuse(file, "looks ahead (" + arch + ".attention.causal is false), so it cannot continue a text");
    if (file.text("general.type").value_or("model") != "model")
        refuse(file, "is no model but " + *file.text("general.type") + " (general.type)");
}

void add_stop(const Gguf& file, const std::string& key, ModelConfig& config) {
    const auto id = file.integer(key, 0, (std::int64_t{1} << 32) - 1);
    if (!id || *id == (std::int64_t{1} << 32) - 1) return; // all bits: none
    if (*id >= config.vocab) file.fail(key, "is " + std::to_string(*id) + ", the vocabulary has " + std::to_string(config.vocab));
    const int stop = static_cast<int>(*id);
    if (std::ranges::find(config.stops, stop) == config.stops.end()) config.stops.push_back(stop);
}

constexpr std::pair<std::string_view, std::string_view> kLayer[] = {
    {"input_layernorm.weight", "attn_norm.weight"},
    {"self_attn.q_proj.weight", "attn_q.weight"},
    {"self_attn.k_proj.weight", "attn_k.weight"},
    {"self_attn.v_proj.weight", "attn_v.weight"},
    {"self_attn.q_proj.bias", "attn_q.bias"},
    {"self_attn.k_proj.bias", "attn_k.bias"},
    {"self_attn.v_proj.bias", "attn_v.bias"},
    {"self_attn.o_proj.weight", "attn_output.weight"},
    {"self_attn.q_norm.weight", "attn_q_norm.weight"},
    {"self_attn.k_norm.weight", "attn_k_norm.weight"},
    {"post_attention_layernorm.weight", "ffn_norm.weight"},
    {"mlp.gate_proj.weight", "ffn_gate.weight"},
    {"mlp.up_proj.weight", "ffn_up.weight"},
    {"mlp.down_proj.weight", "ffn_down.weight"},
};

} // namespace

std::span<const std::pair<std::string_view, std::string_view>> gguf_layer_names() { return kLayer; }

void read_gguf_geometry(const Gguf& file, const std::string& arch, ModelConfig& config) {
    config.layers = needed(file, arch + ".block_count", 1000);
    config.hidden = needed(file, arch + ".embedding_length", 1 << 17);
    config.ffn = of_all_layers(file, arch + ".feed_forward_length", 0, config.layers);
    config.heads = of_all_layers(file, arch + ".attention.head_count", 0, config.layers);
    if (config.ffn == 0) file.fail(arch + ".feed_forward_length", "is missing");
    if (config.heads == 0) file.fail(arch + ".attention.head_count", "is missing");
    config.kv_heads = of_all_layers(file, arch + ".attention.head_count_kv", config.heads, config.layers);
    const auto dim = file.integer(arch + ".attention.key_length", 1, 4096);
    if (!dim && config.hidden % config.heads != 0)
        file.fail(arch + ".embedding_length",
                  "is no multiple of the " + std::to_string(config.heads) + " heads, and attention.key_length is missing");
    config.head_dim = static_cast<int>(dim.value_or(config.hidden / config.heads));
    for (const char* name : {".attention.value_length", ".rope.dimension_count"})
        if (const auto other = file.integer(arch + name, 1, 4096); other && *other != config.head_dim)
            refuse(file, arch + name + " is " + std::to_string(*other) + " where a head has " + std::to_string(config.head_dim) +
                             ", which is not supported");
    const auto eps = file.number(arch + ".attention.layer_norm_rms_epsilon", 1e-30, 1);
    if (!eps) file.fail(arch + ".attention.layer_norm_rms_epsilon", "is missing");
    config.rms_eps = static_cast<float>(*eps);
    config.rope_theta = file.number(arch + ".rope.freq_base", 1.0001, 1e12).value_or(10'000); // as llama.cpp has it
    config.max_positions = needed(file, arch + ".context_length", 1 << 30);
    read_scaling(file, arch, config);
    if (config.rope_scaling == ModelConfig::RopeScaling::yarn)
        config.max_positions =
            std::max(config.max_positions, static_cast<int>(std::min(config.rope_factor * config.rope_original_positions, 1e9)));
}

ModelConfig gguf_config(const Gguf& file) {
    const std::string arch = file.text("general.architecture").value_or("");
    ModelConfig config;
    config.family = family_of(file, arch);
    refuse_variants_of(file, arch);
    read_gguf_geometry(file, arch, config);

    const StoredTensor* embedding = file.find("token_embd.weight");
    if (embedding == nullptr || embedding->shape.size() != 2) refuse(file, "has no token_embd.weight: it holds no language model");
    if (embedding->shape.front() > (1 << 22)) refuse(file, "token_embd.weight has " + std::to_string(embedding->shape.front()) + " rows");
    config.vocab = static_cast<int>(embedding->shape.front());
    config.tied = file.find("output.weight") == nullptr;
    config.qkv_bias = config.family == ModelConfig::Family::qwen2;
    config.qk_norm = config.family == ModelConfig::Family::qwen3;
    if (const auto window = file.integer(arch + ".attention.sliding_window", 0, 1 << 30);
        window && *window > 0 && *window < config.max_positions) {
        add_notice(config.notice, file.name() + ": attention looks back " + std::to_string(*window) +
                                      " tokens (sliding_window); texts are held to as many, where that changes nothing");
        config.max_positions = static_cast<int>(*window);
    }
    check_config(config, file.name());
    refuse_unread(file, arch, {gguf_geometry_keys(), gguf_model_keys()});
    for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"})
        add_stop(file, key, config);
    return config;
}

std::map<std::string, RowTensors::Source> gguf_tensors(const Gguf& file, const ModelConfig& config,
                                                       const std::function<DType(const StoredTensor&)>& as) {
    std::map<std::string, RowTensors::Source> sources;
    std::set<std::string> used = {"rope_freqs.weight"};
    const auto add = [&](const std::string& name, const std::string& stored) {
        const StoredTensor* tensor = file.find(stored);
        if (tensor == nullptr) return;
        used.insert(stored);
        RowTensors::Source source{stored, tensor->shape.size() < 2 ? DType::f32 : as(*tensor)};
        const bool paired =
            config.family == ModelConfig::Family::llama && (stored.ends_with(".attn_q.weight") || stored.ends_with(".attn_k.weight"));
        if (paired) source.paired_rows = config.head_dim;
        sources.emplace(name, std::move(source));
    };
    add("model.embed_tokens.weight", "token_embd.weight");
    add("model.norm.weight", "output_norm.weight");
    add("lm_head.weight", "output.weight");
    for (int l = 0; l < config.layers; ++l)
        for (const auto& [name, stored] : kLayer)
            add("model.layers." + std::to_string(l) + "." + std::string(name), "blk." + std::to_string(l) + "." + std::string(stored));
    for (const auto& [name, tensor] : file.tensors())
        if (!used.contains(name))
            refuse(file, "has the tensor " + name + ", which no dense " + file.text("general.architecture").value_or("") +
                             " model has: the result would be wrong");
    return sources;
}

VocabularyTable take_gguf_vocabulary(Gguf& file) {
    const auto id = [&](const char* key) {
        const auto value = file.integer(key, 0, (std::int64_t{1} << 32) - 1);
        return value && *value <= (1 << 22) ? static_cast<int>(*value) : -1;
    };
    const std::string base = "tokenizer.ggml.";
    VocabularyTable table;
    table.model = file.text(base + "model").value_or("");
    table.pre = file.text(base + "pre").value_or("");
    auto tokens = file.take_texts(base + "tokens");
    if (!tokens) throw Error(file.name() + ": has no vocabulary (tokenizer.ggml.tokens)", kServeWithLlamaCpp);
    table.tokens = std::move(*tokens);
    // Ids behind the last token, which the converter fills up to the rows of the embedding.
    const std::size_t all = table.tokens.size();
    std::size_t size = all;
    while (size > 0 && table.tokens[size - 1] == "[PAD" + std::to_string(size - 1) + "]") --size;
    table.tokens.resize(size);
    if (auto merges = file.take_texts(base + "merges")) table.merges = std::move(*merges);
    const auto of_tokens = [&](std::size_t listed, const char* key) { // as many as there are tokens, or it is said
        if (listed != all) file.fail(base + key, "has " + std::to_string(listed) + " entries for " + std::to_string(all) + " tokens");
        return static_cast<std::ptrdiff_t>(size);
    };
    if (const auto scores = file.numbers(base + "scores"))
        table.scores.assign(scores->begin(), scores->begin() + of_tokens(scores->size(), "scores"));
    if (const auto types = file.integers(base + "token_type", -1, 1000))
        table.types.assign(types->begin(), types->begin() + of_tokens(types->size(), "token_type"));
    table.bos = id("tokenizer.ggml.bos_token_id");
    table.eos = id("tokenizer.ggml.eos_token_id");
    table.unknown = id("tokenizer.ggml.unknown_token_id");
    table.padding = id("tokenizer.ggml.padding_token_id");
    table.add_bos = file.flag(base + "add_bos_token");
    table.add_eos = file.flag(base + "add_eos_token");
    table.add_space_prefix = file.flag(base + "add_space_prefix");
    table.remove_extra_whitespaces = file.flag(base + "remove_extra_whitespaces");
    return table;
}

} // namespace speclens
