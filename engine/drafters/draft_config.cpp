#include "engine/drafters/draft_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "engine/model/config_geometry.h"
#include "engine/model/decoder.h"
#include "engine/model/model_parts.h"

namespace speclens {
namespace {

using Method = DraftConfig::Method;
const char* const kSupportedHeads =
    "Supported are EAGLE-3, DART, DFlash, Domino, DSpark and Medusa heads for Qwen3 and Qwen2.5 targets.";
const char* const kCheck = "Is this the config.json of a draft head for this target?";

// Fields that one dialect nests in an object and another keeps at the top.
class Nested {
  public:
    Nested(const Fields& fields, const char* section) : outer_(fields) {
        const Json* found = fields.find(section);
        if (found != nullptr && !found->is_object()) fields.fail(section, "is " + shown(*found));
        if (found != nullptr) inner_.emplace(*found, fields.file() + ": " + section, fields.remedy());
    }
    [[nodiscard]] const Fields& of(const char* name) const {
        return inner_ && inner_->find(name) != nullptr ? *inner_ : outer_;
    }

  private:
    const Fields& outer_;
    std::optional<Fields> inner_;
};

std::string architecture_of(const Fields& fields) {
    const Json* list = fields.find("architectures");
    if (list == nullptr || !list->is_array() || list->empty() || !(*list)[0].is_string())
        fields.fail("architectures", "does not name an architecture", kSupportedHeads);
    return (*list)[0].get<std::string>();
}

Method block_method(const Nested& own) {
    const Fields& fields = own.of("projector_type");
    const std::string type = fields.text_or("projector_type", "dflash");
    if (type == "dflash") return Method::dflash;
    if (type == "domino" || type == "causal_v5") return Method::domino; // its name before the release
    if (type == "dspark") return Method::dspark;
    fields.fail("projector_type", "is \"" + type + "\", which is not supported", kSupportedHeads);
}

// Evenly from layer 1 to layer L-3, rounded half to even, as trainers do where no list is given.
std::vector<int> even_taps(int count, int layers) {
    if (count == 1) return {layers / 2};
    std::vector<int> taps;
    for (int i = 0; i < count; ++i)
        taps.push_back(static_cast<int>(std::nearbyint(1 + i * (layers - 4.0) / (count - 1))));
    return taps;
}

void check_taps(const Fields& fields, const char* name, const std::vector<int>& taps, int layers) {
    if (taps.empty()) fields.fail(name, "is empty");
    for (const int tap : taps)
        if (tap < kTapEmbedding || tap > layers - 1)
            fields.fail(name, "has the entry " + std::to_string(tap) + "; the target has layers 0 to " +
                                  std::to_string(layers - 1));
}

// Trainers take the raw output of the last layer, transformers and some servers the state after the final
// norm.
std::string ambiguous_tap(const std::string& file, const std::vector<int>& taps, int layers) {
    if (std::ranges::find(taps, layers - 1) == taps.end()) return "";
    return file + ": the head reads the target's last layer (" + std::to_string(layers - 1) +
           "); its raw output is used, and the guesses are poor if it was trained on the state after the "
           "final norm";
}

// Which layers of a block drafter have a window, and how wide; the fields of Hugging Face, of vLLM and of
// speculators.
void read_windows(const Fields& fields, const Fields& geometry, DraftConfig& config) {
    const Nested own(fields, "dflash_config");
    for (const char* name : {"use_swa", "attention_sink_bias"})
        if (own.of(name).flag_or(name, false))
            own.of(name).fail(name, "is true, which is not supported",
                              "Windows are read from layer_types and sliding_window.");
    if (!own.of("is_neox_style").flag_or("is_neox_style", true))
        own.of("is_neox_style").fail("is_neox_style", "is false, which is not supported", kSupportedHeads);
    const Json* types = geometry.find("layer_types");
    bool any = false;
    if (types != nullptr) {
        if (!types->is_array()) geometry.fail("layer_types", "is " + shown(*types) + ", expected a list");
        for (const Json& type : *types) {
            if (type != "full_attention" && type != "sliding_attention")
                geometry.fail("layer_types", "has the entry " + shown(type) + ", which is not supported",
                              kSupportedHeads);
            any = any || type == "sliding_attention";
        }
    }
    const bool wanted = geometry.flag_or("use_sliding_window", any);
    if (wanted != any)
        geometry.fail("use_sliding_window", wanted ? "is true, but layer_types names no layer with a window"
                                                   : "is false, but layer_types has layers with a window");
    const bool causal = own.of("causal").flag_or("causal", fields.flag_or("is_causal", any));
    if (causal && !any)
        own.of("causal").fail("causal",
                              "is true for layers that see the whole block, which is not supported");
    if (!any) return;
    if (static_cast<int>(types->size()) != config.layer.layers)
        geometry.fail("layer_types", "has " + std::to_string(types->size()) + " entries for " +
                                         std::to_string(config.layer.layers) + " layers");
    const int window = geometry.integer("sliding_window", 1, 1 << 30);
    for (const Json& type : *types) config.windows.push_back(type == "sliding_attention" ? window : 0);
    config.window_causal = causal && !fields.flag_or("sliding_window_non_causal", false);
}

// speculators numbers hidden states as they enter a layer, everybody else the layers that they leave.
void from_entering(std::vector<int>& taps) {
    for (int& tap : taps) --tap;
}

void read_block(const Fields& fields, const ModelConfig& target, DraftConfig& config, bool speculators) {
    const Nested own(fields, "dflash_config");
    const bool deepspec = config.architecture == "Qwen3DSparkModel";
    config.method = deepspec ? Method::dspark : block_method(own);
    config.block = own.of("block_size").integer("block_size", 2, 64);
    config.mask_id = own.of("mask_token_id").integer("mask_token_id", 0, target.vocab - 1);
    const char* const list = speculators ? "aux_hidden_state_layer_ids" : "target_layer_ids";
    config.taps = own.of(list).integers(list, speculators ? 0 : kTapEmbedding, 1 << 20);
    if (speculators) from_entering(config.taps);
    if (config.taps.empty()) config.taps = even_taps(config.layer.layers, target.layers);
    check_taps(own.of(list), list, config.taps, target.layers);
    if (speculators) {
        if (config.method != Method::dflash)
            fields.fail("architectures",
                        "names " + config.architecture + " of the speculators library with another " +
                            "head than DFlash, which is not supported",
                        kSupportedHeads);
        config.anchor_aligned = fields.flag_or("sample_from_anchor", false);
        const int ids = fields.integer_or("draft_vocab_size", target.vocab, 1, target.vocab);
        if (ids != target.vocab) config.draft_vocab = ids;
    } else if (own.of("draft_vocab_size").integer_or("draft_vocab_size", target.vocab, 1, 1 << 22) !=
               target.vocab) {
        own.of("draft_vocab_size")
            .fail("draft_vocab_size",
                  "differs from the target's " + std::to_string(target.vocab) +
                      " ids, which only speculators exports may do",
                  kSupportedHeads);
    }
    const Fields& conditioning = own.of("conditioning");
    const std::string source = conditioning.text_or("conditioning", "features");
    if (source != "features" && source != "none")
        conditioning.fail("conditioning", "is \"" + source + "\", expected features or none");
    config.conditioned = source == "features";

    if (config.method == Method::domino) {
        config.gru = own.of("gru_hidden_dim").integer("gru_hidden_dim", 1, 1 << 16);
        config.rank = own.of("emb_dim").integer("emb_dim", 1, 1 << 16);
        config.prefix =
            own.of("pure_draft_prefix_len").integer_or("pure_draft_prefix_len", 0, 0, config.block);
        config.anchor_aligned = own.of("shift_label").flag_or("shift_label", false);
    } else if (config.method == Method::dspark) {
        config.anchor_aligned = true;
        config.markov_rank = own.of("markov_rank").integer_or("markov_rank", 0, 0, 1 << 16);
        const Fields& head = own.of("markov_head_type");
        const std::string type = head.text_or("markov_head_type", "vanilla");
        if (type != "vanilla" && type != "gated" && type != "rnn")
            head.fail("markov_head_type", "is \"" + type + "\", which is not supported",
                      "Supported are vanilla, gated and rnn.");
        config.markov = type == "gated" ? DraftConfig::Markov::gated
                        : type == "rnn" ? DraftConfig::Markov::rnn
                                        : DraftConfig::Markov::vanilla;
        config.confidence = own.of("enable_confidence_head").flag_or("enable_confidence_head", false);
        config.confidence_with_markov =
            config.markov_rank > 0 &&
            own.of("confidence_head_with_markov").flag_or("confidence_head_with_markov", false);
        // deepseek-ai's block-7 DFlash: the same class without its heads, and still anchor-aligned
        if (config.markov_rank == 0 && !config.confidence) config.method = Method::dflash;
    }
}

// DART's head is EAGLE-3's with one more tensor; its config.json says how many places it looks ahead (draft_length).
void read_eagle3(const Fields& fields, const ModelConfig& target, DraftConfig& config, bool speculators) {
    const bool dart = config.architecture == "LlamaForCausalLMDart" || fields.find("draft_length") != nullptr;
    config.method = dart ? Method::dart : Method::eagle3;
    if (dart) config.masks = fields.integer("draft_length", 1, 32);
    const bool deepspec = config.architecture == "Qwen3Eagle3Model";
    config.layer.qk_norm = deepspec;
    const Nested own(fields, "eagle_config");
    const char* const name = deepspec ? "target_layer_ids" : "eagle_aux_hidden_state_layer_ids";
    config.taps = own.of(name).integers(name, speculators ? 0 : kTapEmbedding, 1 << 20);
    if (speculators) from_entering(config.taps);
    // the outputs below layers 2, L/2 and L-3
    if (config.taps.empty()) config.taps = {1, target.layers / 2 - 1, target.layers - 4};
    check_taps(own.of(name), name, config.taps, target.layers);
    if (!own.of("use_aux_hidden_state").flag_or("use_aux_hidden_state", true))
        own.of("use_aux_hidden_state")
            .fail("use_aux_hidden_state", "is false, which is not supported", kSupportedHeads);
    config.draft_vocab = fields.integer_or("draft_vocab_size", target.vocab, 1, target.vocab);
    config.norm_before_residual = fields.flag_or("norm_before_residual", false);
    config.output_norms = !fields.flag_or("norm_output", true) ? 0 : dart ? 2 : 1;
    config.fc_norm = fields.flag_or("fc_norm", false);
}

void read_medusa(const Fields& fields, DraftConfig& config) {
    config.method = Method::medusa;
    config.medusa_heads = fields.integer_or("medusa_num_heads", 5, 1, 32);
    config.medusa_blocks = fields.integer_or("medusa_num_layers", 1, 1, 8);
    config.shared_head = fields.flag_or("shared_lm_head", false);
}

void check_against_target(const Fields& fields, const Fields& geometry, const ModelConfig& target,
                          const DraftConfig& config) {
    const auto differ = [&](const char* name, int here, int there) {
        geometry.fail(name, "is " + std::to_string(here) + ", the target has " + std::to_string(there),
                      "This head belongs to another target: give that one with --model.");
    };
    if (config.layer.hidden != target.hidden) differ("hidden_size", config.layer.hidden, target.hidden);
    if (config.layer.vocab != target.vocab) differ("vocab_size", config.layer.vocab, target.vocab);
    const int layers = fields.integer_or("num_target_layers", target.layers, 1, 1000);
    if (layers != target.layers) differ("num_target_layers", layers, target.layers);
    const int width = fields.integer_or("target_hidden_size", target.hidden, 1, 1 << 17);
    if (width != target.hidden) differ("target_hidden_size", width, target.hidden);
}

} // namespace

const char* name_of(Method method) {
    constexpr std::array kNames = {"eagle3", "dflash", "domino", "dspark", "medusa", "dart"};
    return kNames[static_cast<std::size_t>(method)];
}

int DraftConfig::most_drafts() const {
    switch (method) {
    case Method::eagle3:
        return 64;
    case Method::medusa:
        return medusa_heads;
    case Method::dart:
        return masks + 1; // the newest column's place, and one for each mask
    default:
        return anchor_aligned ? block : block - 1;
    }
}

DraftConfig read_draft_config(const std::filesystem::path& folder, const ModelConfig& target) {
    const auto path = folder / "config.json";
    const std::string file = short_name(path);
    const Json json = parse_json_object(read_text_file(path, kLargestConfig), file, kCheck);
    const Fields fields(json, file, kCheck);

    DraftConfig config;
    config.architecture = architecture_of(fields);
    const std::string& name = config.architecture;
    const bool medusa = name == "MedusaModel";
    static const std::set<std::string> kEagle = {"LlamaForCausalLMEagle3", "Qwen3Eagle3Model", "Eagle3Speculator",
                                                 "Eagle3DraftModel", "LlamaForCausalLMDart"};
    static const std::set<std::string> kBlocks = {"DFlashDraftModel", "DominoDraftModel", "DSparkDraftModel",
                                                  "Qwen3DSparkModel", "DFlashSpeculator"};
    const bool eagle = kEagle.contains(name);
    if (!medusa && !eagle && !kBlocks.contains(name))
        fields.fail("architectures", "names " + name + ", which is not supported", kSupportedHeads);
    const Json* nested =
        fields.find("transformer_layer_config"); // speculators exports keep the geometry there
    if (nested != nullptr && !nested->is_object())
        fields.fail("transformer_layer_config", "is " + shown(*nested));
    const bool speculators = nested != nullptr;
    const Fields geometry(speculators ? *nested : json,
                          speculators ? file + ": transformer_layer_config" : file, fields.remedy());
    if (medusa) {
        config.layer.hidden = fields.integer_or("hidden_size", target.hidden, 1, 1 << 17);
        config.layer.vocab = fields.integer_or("vocab_size", target.vocab, 1, 1 << 22);
        config.taps = {target.layers}; // the last state, after the final norm
    } else {
        read_geometry(geometry, config.layer);
        if (eagle)
            refuse_variants(geometry, kSupportedHeads);
        else
            refuse_activations(geometry, kSupportedHeads);
        if (geometry.flag_or("attention_bias", false))
            geometry.fail("attention_bias", "is true, which is not supported", kSupportedHeads);
        check_config(config.layer, file);
    }
    check_against_target(fields, geometry, target, config);
    if (medusa) {
        read_medusa(fields, config);
    } else if (eagle) {
        read_eagle3(fields, target, config, speculators);
    } else {
        read_windows(fields, geometry, config);
        read_block(fields, target, config, speculators);
    }
    config.notice = ambiguous_tap(file, config.taps, target.layers);
    return config;
}

} // namespace speclens
