#include "engine/draft_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "engine/config_fields.h"
#include "engine/decoder.h"
#include "engine/model_parts.h"

namespace speclens {
namespace {

using Method = DraftConfig::Method;
const char* const kSupported =
    "Supported are EAGLE-3, DFlash, Domino, DSpark and Medusa heads for Qwen3 and Qwen2.5 targets.";
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
        fields.fail("architectures", "does not name an architecture", kSupported);
    return (*list)[0].get<std::string>();
}

Method block_method(const Nested& own) {
    const Fields& fields = own.of("projector_type");
    const std::string type = fields.text_or("projector_type", "dflash");
    if (type == "dflash") return Method::dflash;
    if (type == "domino" || type == "causal_v5") return Method::domino; // its name before the release
    if (type == "dspark") return Method::dspark;
    fields.fail("projector_type", "is \"" + type + "\", which is not supported", kSupported);
}

// Evenly from layer 1 to layer L-3, rounded half to even (formats §1.5).
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

void read_block(const Fields& fields, const ModelConfig& target, DraftConfig& config) {
    const Nested own(fields, "dflash_config");
    const bool deepspec = config.architecture == "Qwen3DSparkModel";
    config.method = deepspec ? Method::dspark : block_method(own);
    config.block = own.of("block_size").integer("block_size", 2, 64);
    config.mask_id = own.of("mask_token_id").integer("mask_token_id", 0, target.vocab - 1);
    config.taps = own.of("target_layer_ids").integers("target_layer_ids", kTapEmbedding, 1 << 20);
    if (config.taps.empty()) config.taps = even_taps(config.layer.layers, target.layers);
    check_taps(own.of("target_layer_ids"), "target_layer_ids", config.taps, target.layers);
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
        if (config.markov_rank > 0 && type != "vanilla")
            head.fail("markov_head_type", "is \"" + type + "\", which is not supported yet",
                      "All public DSpark heads are \"vanilla\".");
        config.confidence = own.of("enable_confidence_head").flag_or("enable_confidence_head", false);
        config.confidence_with_markov =
            config.markov_rank > 0 &&
            own.of("confidence_head_with_markov").flag_or("confidence_head_with_markov", false);
        // deepseek-ai's block-7 DFlash: the same class without its heads, and still anchor-aligned
        if (config.markov_rank == 0 && !config.confidence) config.method = Method::dflash;
    }
}

void read_eagle3(const Fields& fields, const ModelConfig& target, DraftConfig& config) {
    config.method = Method::eagle3;
    const bool deepspec = config.architecture == "Qwen3Eagle3Model";
    config.layer.qk_norm = deepspec;
    const Nested own(fields, "eagle_config");
    const char* const name = deepspec ? "target_layer_ids" : "eagle_aux_hidden_state_layer_ids";
    config.taps = own.of(name).integers(name, kTapEmbedding, 1 << 20);
    // the outputs below layers 2, L/2 and L-3
    if (config.taps.empty()) config.taps = {1, target.layers / 2 - 1, target.layers - 4};
    check_taps(own.of(name), name, config.taps, target.layers);
    if (!own.of("use_aux_hidden_state").flag_or("use_aux_hidden_state", true))
        own.of("use_aux_hidden_state")
            .fail("use_aux_hidden_state", "is false, which is not supported", kSupported);
    config.draft_vocab = fields.integer_or("draft_vocab_size", target.vocab, 1, target.vocab);
    config.norm_before_residual = fields.flag_or("norm_before_residual", false);
    config.norm_output = fields.flag_or("norm_output", true);
    if (fields.flag_or("fc_norm", false))
        fields.fail("fc_norm", "is true, which is not supported yet", kSupported);
    if (config.layer.layers != 1)
        fields.fail("num_hidden_layers", "is " + std::to_string(config.layer.layers) +
                                             ", which is not supported: an EAGLE-3 head has one layer");
}

void read_medusa(const Fields& fields, DraftConfig& config) {
    config.method = Method::medusa;
    config.medusa_heads = fields.integer_or("medusa_num_heads", 5, 1, 32);
    config.medusa_blocks = fields.integer_or("medusa_num_layers", 1, 1, 8);
    config.shared_head = fields.flag_or("shared_lm_head", false);
}

void check_against_target(const Fields& fields, const ModelConfig& target, const DraftConfig& config) {
    const auto differ = [&](const char* name, int here, int there) {
        fields.fail(name, "is " + std::to_string(here) + ", the target has " + std::to_string(there),
                    "This head belongs to another target: give that one with --model.");
    };
    if (config.layer.hidden != target.hidden) differ("hidden_size", config.layer.hidden, target.hidden);
    if (config.layer.vocab != target.vocab) differ("vocab_size", config.layer.vocab, target.vocab);
    const int layers = fields.integer_or("num_target_layers", target.layers, 1, 1000);
    if (layers != target.layers) differ("num_target_layers", layers, target.layers);
}

} // namespace

const char* name_of(Method method) {
    constexpr std::array kNames = {"eagle3", "dflash", "domino", "dspark", "medusa"};
    return kNames[static_cast<std::size_t>(method)];
}

int DraftConfig::most_drafts() const {
    switch (method) {
    case Method::eagle3:
        return 64;
    case Method::medusa:
        return medusa_heads;
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
    const bool eagle = name == "LlamaForCausalLMEagle3" || name == "Qwen3Eagle3Model";
    static const std::set<std::string> kBlocks = {"DFlashDraftModel", "DominoDraftModel", "DSparkDraftModel",
                                                  "Qwen3DSparkModel"};
    if (!medusa && !eagle && !kBlocks.contains(name))
        fields.fail("architectures", "names " + name + ", which is not supported", kSupported);
    if (medusa) {
        config.layer.hidden = fields.integer_or("hidden_size", target.hidden, 1, 1 << 17);
        config.layer.vocab = fields.integer_or("vocab_size", target.vocab, 1, 1 << 22);
        config.taps = {target.layers}; // the last state, after the final norm
    } else {
        read_geometry(fields, config.layer);
        refuse_variants(fields, kSupported);
        if (fields.flag_or("attention_bias", false))
            fields.fail("attention_bias", "is true, which is not supported", kSupported);
        check_config(config.layer, file);
    }
    check_against_target(fields, target, config);
    if (medusa) {
        read_medusa(fields, config);
    } else if (eagle) {
        read_eagle3(fields, target, config);
    } else {
        read_block(fields, target, config);
    }
    return config;
}

} // namespace speclens
