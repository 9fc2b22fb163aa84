#include "engine/heads/official_layout.h"

#include <algorithm>

#include "engine/base/json_read.h"
#include "engine/weights/safetensors.h"
#include "engine/weights/safetensors_write.h"
#include "engine/weights/scaled_tensors.h"
#include "files/atomic_file.h"
#include "kernels/error.h"

namespace speclens {
namespace fs = std::filesystem;
namespace {

[[noreturn]] void no_such_head(const std::string& file, const std::string& why) {
    throw Error(
        file + ": " + why + ", which transformers' DFlash does not have",
        "It has blocks whose layers are Qwen3's and see the whole block, guesses behind the anchor, and the target's ids, output matrix "
        "and mask token.");
}

// z-lab's config.json as transformers 5.23 has it: one level, with a rotary section and the windows counted as its masks count them.
Json assistant_config(const Json& own, const std::string& file) {
    const Json none = Json::object(), section = own.value("dflash_config", none);
    const auto of = [&](const char* key) { return section.contains(key) ? section[key] : own.value(key, Json()); };
    const auto says = [&](const char* key, const Json& usual) { return !of(key).is_null() && of(key) != usual; };
    if (own.value("architectures", none) != Json{"DFlashDraftModel"} || own.contains("transformer_layer_config"))
        no_such_head(file, "is not a DFlash head in z-lab's layout");
    for (const auto& [key, usual] : {std::pair<const char*, Json>{"projector_type", "dflash"},
                                     {"draft_vocab_size", own.value("vocab_size", none)},
                                     {"sample_from_anchor", false},
                                     {"conditioning", "features"},
                                     {"is_neox_style", true},
                                     {"causal", false},
                                     {"is_causal", false},
                                     {"model_type", "qwen3"}})
        if (says(key, usual)) no_such_head(file, std::string(key) + " is " + shown(of(key)));
    Json config = {{"architectures", {"MuseGlimmerAssistantModel"}}, {"model_type", "muse_glimmer_assistant"}};
    for (const char* key :
         {"block_size", "mask_token_id", "target_layer_ids", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
          "num_key_value_heads", "head_dim", "rms_norm_eps", "max_position_embeddings", "hidden_act", "attention_dropout",
          "initializer_range", "num_target_layers", "vocab_size", "torch_dtype", "target_fingerprint"}) {
        if (!of(key).is_null()) config[key] = of(key);
    }
    if (!config.contains("target_layer_ids")) no_such_head(file, "does not name the layers that it reads");
    Json rope = own.value("rope_scaling", Json());
    if (!rope.is_object()) rope = own.value("rope_parameters", Json{{"rope_type", "default"}});
    if (!rope.contains("rope_theta")) rope["rope_theta"] = own.value("rope_theta", Json());
    config["rope_parameters"] = rope;
    const auto layers = own.value("num_hidden_layers", Json(0)).get<std::size_t>();
    const Json types = own.value("layer_types", Json(std::vector<std::string>(layers, "full_attention")));
    config["layer_types"] = types;
    if (std::ranges::none_of(types, [](const Json& type) { return type == "sliding_attention"; })) return config;
    if (of("is_causal").is_null() && of("causal").is_null())
        no_such_head(file, "has windows in which rows do not see later ones (is_causal is not false)");
    config["sliding_window"] = own.value("sliding_window", Json(1)).get<int>() - 1;
    return config;
}

std::string assistant_tensor(const std::string& name, const std::string& file) {
    if (name == "fc.weight") return "encoder.fc.weight";
    if (name == "hidden_norm.weight") return "encoder.output_norm_enc.weight";
    if (name == "norm.weight" || name.starts_with("layers.")) return name;
    if (name == "embed_tokens.weight" || name == "lm_head.weight") return ""; // copies of the target's
    no_such_head(file, "has the tensor " + name);
}

// EAGLE-3's layers stand in eagle_config, counted as a state leaves them, where SGLang reads them. vLLM and llama.cpp's converter read a
// list at the top alone, counted as a state enters them, and without it take layers 2, L/2 and L-3, which need not be those.
std::string with_entered_layers(const std::string& config, const std::string& file) {
    constexpr const char* kLayers = "eagle_aux_hidden_state_layer_ids";
    Json own = parse_json_object(config, file, "Is this a draft head?");
    const auto section = own.find("eagle_config");
    if (section == own.end() || !section->is_object() || !own.value(kLayers, Json()).is_null() || !section->contains(kLayers))
        return config;
    Json entered = (*section)[kLayers];
    const auto names_one = [](const Json& layer) { return layer.is_number_integer() && layer >= 0 && layer < 1 << 20; };
    if (!entered.is_array() || !std::ranges::all_of(entered, names_one)) return config;
    for (Json& layer : entered) layer = layer.get<int>() + 1;
    own[kLayers] = entered;
    return own.dump(2) + "\n";
}

} // namespace

void write_head(const fs::path& from, const fs::path& to, HeadLayout layout) {
    constexpr std::size_t kLargest = 1 << 20;
    const bool assistant = layout == HeadLayout::transformers;
    std::string config = read_text_file(from / "config.json", kLargest);
    const std::string name = short_name(from / "config.json");
    config = assistant ? assistant_config(parse_json_object(config, name, "Is this a draft head?"), name).dump(2) + "\n"
                       : with_entered_layers(config, name);
    const Safetensors file = Safetensors::open_folder(from);
    const ScaledTensors scaled(file);
    std::vector<TensorToWrite> tensors;
    for (const auto& [own, stored] : scaled.tensors())
        if (const std::string called = assistant ? assistant_tensor(own, scaled.file_name(stored)) : own; !called.empty())
            tensors.push_back({called, stored.dtype, stored.shape, [&scaled, &stored] { return scaled.read(stored); }});
    std::error_code failure;
    fs::create_directories(to, failure);
    if (failure) throw Error("cannot make " + to.string() + ": " + failure.message(), "Choose another folder.");
    AtomicFile copy(to / "config.json");
    copy.write(config);
    copy.commit();
    write_safetensors(to / "model.safetensors", std::move(tensors));
}

} // namespace speclens
