#include "engine/model/config_keys.h"

#include <algorithm>
#include <array>

#include "engine/model/config_geometry.h"
#include "engine/weights/config_fields.h"
#include "engine/weights/gguf.h"

namespace speclens {
namespace {

constexpr std::string_view kGeometry[] = {
    "hidden_size",       "intermediate_size",    "num_hidden_layers",   "num_attention_heads",
    "head_dim",          "num_key_value_heads",  "vocab_size",          "max_position_embeddings",
    "rms_norm_eps",      "rope_theta",           "rope_scaling",        "rope_parameters",
    "hidden_act",        "attention_bias",       "layer_types",         "sliding_window",
    "max_window_layers", "use_sliding_window",   "tie_word_embeddings", "original_max_position_embeddings",
    "architectures",     "partial_rotary_factor"};
constexpr std::string_view kRope[] = {"rope_theta",
                                      "factor",
                                      "original_max_position_embeddings",
                                      "low_freq_factor",
                                      "high_freq_factor",
                                      "attention_factor",
                                      "attn_factor",
                                      "mscale",
                                      "mscale_all_dim",
                                      "beta_fast",
                                      "beta_slow",
                                      "truncate",
                                      "partial_rotary_factor"};
constexpr std::string_view kModel[] = {
    "mlp_bias", "is_causal", "quantization_config", "num_nextn_predict_layers", "num_mtp_layers", "mtp_num_hidden_layers"};
constexpr std::string_view kGgufGeometry[] = {
    "block_count",
    "context_length",
    "embedding_length",
    "feed_forward_length",
    "attention.head_count",
    "attention.head_count_kv",
    "attention.key_length",
    "attention.value_length",
    "attention.layer_norm_rms_epsilon",
    "rope.dimension_count",
    "rope.freq_base",
    "rope.scale_linear",
    "rope.scaling.factor",
    "rope.scaling.original_context_length",
    "rope.scaling.attn_factor",
    "rope.scaling.yarn_beta_fast",
    "rope.scaling.yarn_beta_slow",
    "rope.scaling.yarn_ext_factor",
    "rope.scaling.yarn_attn_factor",
    "rope.scaling.yarn_log_multiplier",
};
constexpr std::string_view kGgufModel[] = {"expert_count", "attention.sliding_window", "attention.causal"};

// Read in transformers 5.23, speculators 0.9, SpecForge a6b6b02 and llama.cpp b11549.
constexpr std::string_view kTokens = "transformers, PreTrainedConfig: an id for tokenizers and generate()";
constexpr std::string_view kGenerate = "transformers before 5, PreTrainedConfig: how generate() samples, which options say here";
constexpr std::string_view kReturned = "transformers, PreTrainedConfig: what a call returns";
constexpr std::string_view kLabels = "transformers, PreTrainedConfig: names for classification";
constexpr HarmlessKey kHarmless[] = {
    {"attention_dropout", "transformers, modeling_llama and modeling_qwen3: 0 outside training"},
    {"_attn_implementation_autoset", "transformers 4.4x: that it chose a kernel itself"},
    {"initializer_range", "transformers, PreTrainedConfig: how weights are drawn before training"},
    {"use_cache", "transformers, PreTrainedConfig: whether keys and values are kept, not what they are"},
    {"pretraining_tp", "transformers 4, LlamaConfig: in how many slices the same products are computed"},
    {"bos_token_id", kTokens},
    {"eos_token_id", kTokens},
    {"pad_token_id", kTokens},
    {"sep_token_id", kTokens},
    {"decoder_start_token_id", kTokens},
    {"return_dict", kReturned},
    {"output_attentions", kReturned},
    {"output_hidden_states", kReturned},
    {"id2label", kLabels},
    {"label2id", kLabels},
    {"num_labels", kLabels},
    {"task_specific_params", kGenerate},
    {"max_length", kGenerate},
    {"min_length", kGenerate},
    {"do_sample", kGenerate},
    {"early_stopping", kGenerate},
    {"num_beams", kGenerate},
    {"num_return_sequences", kGenerate},
    {"temperature", kGenerate},
    {"top_k", kGenerate},
    {"top_p", kGenerate},
    {"typical_p", kGenerate},
    {"repetition_penalty", kGenerate},
    {"length_penalty", kGenerate},
    {"no_repeat_ngram_size", kGenerate},
    {"max_sequence_length", "conversions of Llama 1: not read by LlamaConfig, which has max_position_embeddings"},
    {"is_llama_config", "SmolLM2: its trainer's mark, not read by LlamaConfig"},
    {"transformers.js_config", "transformers.js: which of its own files a browser takes"},
    {"unsloth_fixed", "unsloth: a mark of repaired uploads, read by nobody else"},
    {"speculators_config", "speculators, SpeculatorsConfig: the verifier's name and how many tokens a server asks for"},
    {"embed_requires_grad", "speculators, Eagle3SpeculatorConfig: whether training moves the embedding"},
    {"num_steps", "speculators, MTP: how many guesses training made"},
    {"num_speculative_steps", "speculators, MTP: how many guesses a server asks for"},
    {"qkv_bias", "whether there are biases of q, k and v, their tensors say"},
    {"num_anchors", "DeepSpec: how many places of a text training drafts from"},
    {"ttt_length", "DeepSpec: steps of the training-time test"},
    {"confidence_head_alpha", "SpecForge, DSpark: weight of a loss"},
    {"lambda_base_start", "speculators, DominoSpeculatorConfig: weight of a loss, which serving ignores"},
    {"lambda_base_decay_ratio", "speculators, DominoSpeculatorConfig: how that weight falls"},
};
constexpr HarmlessKey kHarmlessGguf[] = {
    {"vocab_size", "llama.cpp counts tokenizer.ggml.tokens"},
    {"rope.scaling.finetuned", "llama.cpp prints it"},
    {"pooling_type", "llama.cpp: how embeddings of texts are made"},
    {"expert_used_count", "llama.cpp: of mixtures of experts, and expert_count is read"},
    {"attention.layer_norm_epsilon", "llama.cpp: of LayerNorm, which these architectures do not have"},
};

bool has(KeyList keys, std::string_view key) { return std::ranges::find(keys, key) != keys.end(); }

template <class Rows>
bool harmless(const Rows& rows, std::string_view key) {
    return std::ranges::find(rows, key, &HarmlessKey::name) != std::end(rows);
}

// 0 times something is not nothing; as a cap, a count or a chance it is.
bool is_factor(std::string_view key) {
    return std::ranges::any_of(std::array{"scale", "scaling", "multiplier", "factor"},
                               [&](const char* part) { return key.find(part) != std::string_view::npos; });
}

// Where in `value` the first thing stands that may be computed with, "key.inner.key"; empty: nothing does.
std::string computing_part(const std::string& key, const Json& value) {
    if (value.is_object()) {
        for (const auto& [name, inner] : value.items())
            if (!harmless(kHarmless, name))
                if (const std::string part = computing_part(key + "." + std::string(name), inner); !part.empty()) return part;
        return "";
    }
    const bool counts = value.is_number()    ? value != 1 && (value != 0 || is_factor(key))
                        : value.is_boolean() ? value.get<bool>()
                                             : value.is_array() && !value.empty();
    return counts ? key : "";
}

bool computes(const GgufValue& value) { // 0 is how llama.cpp says that nothing was said
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole != 0 && *whole != 1;
    if (const auto* real = std::get_if<double>(&value)) return *real != 0 && *real != 1;
    if (const auto* flag = std::get_if<bool>(&value)) return *flag;
    if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) return !texts->empty();
    if (const auto* numbers = std::get_if<GgufNumbers>(&value)) return std::visit([](const auto& list) { return !list.empty(); }, *numbers);
    return std::holds_alternative<std::uint64_t>(value);
}

[[noreturn]] void refuse(const std::string& file, const std::string& key, const std::string& value) {
    throw Error(file + ": " + key + (value.empty() ? "" : " (" + value + ")") +
                    " is not known here: if it changes what the network computes, that would be left out",
                "docs/models.md has the keys that are read. Where this one changes nothing, or at your own risk: --ignore-config " + key +
                    ".");
}

const Json* part_of(const Json& value, std::string_view path) { // "a.b" of an object
    const Json* at = &value;
    while (!path.empty()) {
        const std::size_t dot = path.find('.');
        const auto found = at->find(path.substr(0, dot));
        if (found == at->end()) return nullptr;
        at = &*found;
        path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
    }
    return at;
}

void take_from(Json& json, const std::string& place, const IgnoredKeys& ignored, std::vector<std::string>& taken) {
    std::vector<std::string> here;
    for (auto& [name, value] : json.items()) {
        const std::string whole = place + std::string(name);
        if (std::ranges::any_of(ignored, [&](const std::string& key) { return is_named(whole, key); })) {
            here.push_back(std::string(name));
            taken.push_back(whole);
        } else if (value.is_object()) {
            take_from(value, whole + ".", ignored, taken);
        }
    }
    for (const std::string& name : here) json.erase(name);
}

} // namespace

KeyList geometry_keys() { return kGeometry; }
KeyList rope_keys() { return kRope; }
KeyList model_keys() { return kModel; }
KeyList gguf_geometry_keys() { return kGgufGeometry; }
KeyList gguf_model_keys() { return kGgufModel; }
std::span<const HarmlessKey> harmless_keys() { return kHarmless; }
std::span<const HarmlessKey> harmless_gguf_keys() { return kHarmlessGguf; }

void refuse_unread(const Fields& fields, std::initializer_list<KeyList> applied) {
    for (const std::string& name : fields.names()) {
        if (harmless(kHarmless, name) || std::ranges::any_of(applied, [&](KeyList keys) { return has(keys, name); })) continue;
        const Json& value = *fields.find(name.c_str());
        const std::string part = computing_part(name, value);
        if (part.empty()) continue;
        const Json* inner = part.size() > name.size() ? part_of(value, std::string_view(part).substr(name.size() + 1)) : &value;
        refuse(fields.file(), part, inner == nullptr ? "" : shown(*inner));
    }
}

void refuse_unread(const Gguf& file, const std::string& architecture, std::initializer_list<KeyList> applied) {
    const std::string prefix = architecture + ".";
    for (const auto& [key, value] : file.metadata()) {
        if (!key.starts_with(prefix)) continue;
        const std::string_view name = std::string_view(key).substr(prefix.size());
        if (harmless(kHarmlessGguf, name) || std::ranges::any_of(applied, [&](KeyList keys) { return has(keys, name); })) continue;
        if (computes(value)) {
            const auto* whole = std::get_if<std::int64_t>(&value);
            const auto* real = std::get_if<double>(&value);
            refuse(file.name(), key,
                   whole != nullptr                      ? std::to_string(*whole)
                   : real != nullptr                     ? digits(*real)
                   : std::holds_alternative<bool>(value) ? "true"
                                                         : "");
        }
    }
}

bool is_named(std::string_view place, std::string_view key) {
    return place == key || (place.size() > key.size() && place.ends_with(key) && place[place.size() - key.size() - 1] == '.');
}

std::vector<std::string> take_ignored(Json& json, const IgnoredKeys& ignored) {
    std::vector<std::string> taken;
    if (!ignored.empty()) take_from(json, "", ignored, taken);
    return taken;
}

std::vector<std::string> take_ignored(Gguf& file, const IgnoredKeys& ignored) {
    std::vector<std::string> taken;
    for (const auto& [key, value] : file.metadata())
        if (std::ranges::any_of(ignored, [&](const std::string& name) { return is_named(key, name); })) taken.push_back(key);
    for (const std::string& key : taken) file.forget(key);
    return taken;
}

std::string ignored_notice(const std::string& file, const std::vector<std::string>& places) {
    std::string lines;
    for (const std::string& place : places)
        add_notice(lines, file + ": " + place + " is ignored (--ignore-config): what is computed may not be what was trained");
    return lines;
}

} // namespace speclens
