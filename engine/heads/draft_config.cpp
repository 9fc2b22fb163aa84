#include "engine/heads/draft_config.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "engine/heads/head_keys.h"
#include "engine/model/config_geometry.h"
#include "engine/model/model_parts.h"

namespace speclens {
namespace {

using Method = DraftConfig::Method;
const char* const kSupportedHeads = "Supported are EAGLE-3, DART, DFlash, DFlash 2, Domino, DSpark, Medusa and MTP heads "
                                    "for Llama, Mistral, Qwen3 and Qwen2.5 targets.";
constexpr const char* kDflash2 = "DFlash2DraftModel";           // z-lab's architecture and speculators'
constexpr const char* kAssistant = "MuseGlimmerAssistantModel"; // DFlash in transformers 5.23
const char* const kCheck = "Is this the config.json of a draft head for this target?";

// Fields that one dialect nests in an object and another keeps at the top.
class Nested {
  public:
    Nested(const Fields& fields, const char* section) : outer_(fields) {
        const Json* found = fields.find(section);
        if (found != nullptr && !found->is_object()) fields.fail(section, "is " + shown(*found));
        if (found != nullptr) inner_.emplace(*found, fields.file() + ": " + section, fields.remedy());
    }
    [[nodiscard]] const Fields& of(const char* name) const { return inner_ && inner_->find(name) != nullptr ? *inner_ : outer_; }

  private:
    const Fields& outer_;
    std::optional<Fields> inner_;
};

// The tensor `name`, perhaps behind "model."; null: there is none.
const StoredTensor* tensor_of(const TensorFiles& file, const std::string& name) {
    const StoredTensor* found = file.find(name);
    return found != nullptr ? found : file.find("model." + name);
}

// The first layer of an EAGLE-3 head alone norms the feature beside its input.
std::string eagle3_layer(const TensorFiles& file) {
    for (const char* layer : {"midlayer.", "layers.0."})
        if (tensor_of(file, std::string(layer) + "hidden_norm.weight") != nullptr) return layer;
    return "";
}

// Layers of an EAGLE-3 head, by its tensors.
int eagle3_layers(const TensorFiles& file) {
    int layers = 1;
    while (tensor_of(file, "layers." + std::to_string(layers) + ".input_layernorm.weight") != nullptr) ++layers;
    return layers;
}

enum class Kind : std::uint8_t { eagle, block, medusa, mtp };

// What stands before the tensors of an MTP head; empty: there is none.
std::string mtp_tensors(const TensorFiles& file) {
    for (const char* layers : {"mtp_layers.0.", "model.mtp_layers.0."})
        if (file.find(layers + std::string("input_proj.weight")) != nullptr) return layers;
    return file.find(kQwenMtp + std::string("fc.weight")) != nullptr ? kQwenMtp : "";
}

// What kind of head it is: by the name of its architecture, or by its tensors where that is no head's name,
// which is said.
Kind kind_of(const Fields& fields, const TensorFiles& file, DraftConfig& config) {
    static const std::set<std::string> kEagle = {"LlamaForCausalLMEagle3", "Qwen3Eagle3Model", "Eagle3Speculator", "Eagle3DraftModel",
                                                 "LlamaForCausalLMDart"};
    static const std::set<std::string> kBlocks = {"DFlashDraftModel", kDflash2,           "DominoDraftModel",
                                                  "DSparkDraftModel", kAssistant,         "Qwen3DSparkModel",
                                                  "DFlashSpeculator", "DominoSpeculator", "DSparkSpeculator"};
    const Json* list = fields.find("architectures");
    const bool named = list != nullptr && list->is_array() && !list->empty() && (*list)[0].is_string();
    if (named) config.architecture = (*list)[0].get<std::string>();
    const std::string& name = config.architecture;
    if (name == "MedusaModel") return Kind::medusa;
    if (!mtp_tensors(file).empty()) return Kind::mtp;
    if (kBlocks.contains(name)) return Kind::block;
    if (name == "PEagleDraftModel" || name == "PEagleSpeculator" || tensor_of(file, "mask_hidden") != nullptr)
        fields.fail("architectures",
                    "names " + name + ", a P-EAGLE head: it guesses all places in one pass, from masks and a trained state " +
                        "(mask_hidden), which is not supported",
                    kSupportedHeads);
    if (kEagle.contains(name)) return Kind::eagle;

    const std::string says = named ? "names " + name : "does not name an architecture";
    const StoredTensor* fuse = tensor_of(file, "fc.weight");
    if (const std::string layer = eagle3_layer(file); !layer.empty() && fuse != nullptr) {
        add_notice(config.notice, fields.file() + ": architectures " + says + "; by its tensors (fc.weight, " + layer +
                                      "hidden_norm.weight) it is an EAGLE-3 head, and is used as one");
        return Kind::eagle;
    }
    if (fuse != nullptr && fuse->shape.size() == 2 && fuse->shape[1] == 2 * fuse->shape[0])
        fields.fail("architectures",
                    says + "; by its tensors (fc.weight joins two states) it is an EAGLE-1 or EAGLE-2 head, "
                           "which is not supported",
                    kSupportedHeads);
    if (file.find("model.embed_tokens.weight") != nullptr && file.find("model.layers.0.mlp.gate_proj.weight") != nullptr)
        fields.fail("architectures", says + ", and the folder holds a whole model, not a head",
                    "A model drafts for another with --drafter small=DIR.");
    fields.fail("architectures", named ? says + ", which is not supported" : says, kSupportedHeads);
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
    for (int i = 0; i < count; ++i) taps.push_back(static_cast<int>(std::nearbyint(1 + i * (layers - 4.0) / (count - 1))));
    return taps;
}

// How many of the target's layers `fc` joins; 0: its form is another, which is told where it is loaded.
std::size_t joined_layers(const TensorFiles& file, int hidden) {
    const StoredTensor* fuse = tensor_of(file, "fc.weight");
    if (fuse == nullptr) fuse = file.find(kAssistantTensors + std::string("fc.weight"));
    if (fuse == nullptr || fuse->shape.size() != 2 || fuse->shape[0] != hidden || fuse->shape[1] % hidden != 0) return 0;
    return static_cast<std::size_t>(fuse->shape[1] / hidden);
}

// Which layers of a block drafter have a window, and how wide; the fields of Hugging Face, of vLLM and of
// speculators.
void read_windows(const Fields& fields, const Fields& geometry, DraftConfig& config) {
    const Nested own(fields, "dflash_config");
    for (const char* name : {"use_swa", "attention_sink_bias"})
        if (own.of(name).flag_or(name, false))
            own.of(name).fail(name, "is true, which is not supported", "Windows are read from layer_types and sliding_window.");
    if (const std::string mode = own.of("attention_mode").text_or("attention_mode", "gqa"); mode != "gqa")
        own.of("attention_mode").fail("attention_mode", "is \"" + mode + "\", which is not supported", kSupportedHeads);
    const Json* types = geometry.find("layer_types");
    bool any = false;
    if (types != nullptr) {
        if (!types->is_array()) geometry.fail("layer_types", "is " + shown(*types) + ", expected a list");
        for (const Json& type : *types) {
            if (type != "full_attention" && type != "sliding_attention")
                geometry.fail("layer_types", "has the entry " + shown(type) + ", which is not supported", kSupportedHeads);
            any = any || type == "sliding_attention";
        }
    }
    if (any && !geometry.flag_or("use_sliding_window", true))
        geometry.fail("use_sliding_window", "is false, but layer_types has layers with a window");
    if (types == nullptr && first_window_layer(geometry, config.layer) < config.layer.layers)
        geometry.fail("use_sliding_window", "is true for layers from max_window_layers on, and no layer_types names them");
    const bool assistant = config.architecture == kAssistant;
    if (assistant && types == nullptr) geometry.fail("layer_types", "is missing, for which transformers has a default of one model");
    const bool causal = own.of("causal").flag_or("causal", fields.flag_or("is_causal", any && !assistant));
    if (causal && !any) own.of("causal").fail("causal", "is true for layers that see the whole block, which is not supported");
    if (!any) return;
    if (static_cast<int>(types->size()) != config.layer.layers)
        geometry.fail("layer_types",
                      "has " + std::to_string(types->size()) + " entries for " + std::to_string(config.layer.layers) + " layers");
    // transformers' mask of a block sees what is up to W places away (|i - j| <= W), one more than everybody else's W
    const int window = geometry.integer("sliding_window", 1, 1 << 30) + (assistant ? 1 : 0);
    for (const Json& type : *types) config.windows.push_back(type == "sliding_attention" ? window : 0);
    const bool opened = config.architecture == kDflash2 && fields.find("transformer_layer_config") != nullptr; // speculators' default
    config.window_causal = causal && !fields.flag_or("sliding_window_non_causal", opened);
}

// speculators numbers hidden states as they enter a layer, everybody else the layers that they leave.
std::vector<int> from_entering(std::vector<int> taps) {
    for (int& tap : taps) --tap;
    return taps;
}

std::string listed(const std::vector<int>& ids) {
    std::string text;
    for (std::size_t i = 0; i < ids.size(); ++i) text += (i == 0 ? "" : i + 1 == ids.size() ? " and " : ", ") + std::to_string(ids[i]);
    return text;
}

// Whose outputs the head reads. Lists come under three names and in two counts: the layers that a state
// leaves, or, by speculators, those that it enters. `first` is the name of the head's dialect, `default_taps` what
// is taken where no list is given. What could have been meant in another way is said.
void read_taps(const Nested& own, const char* first, bool speculators, const std::vector<int>& default_taps, const TensorFiles& tensors,
               int layers, DraftConfig& config) {
    const auto enters = [&](const std::string& name) {
        return name == "aux_hidden_state_layer_ids" || (speculators && name == "eagle_aux_hidden_state_layer_ids");
    };
    const auto outputs = [&](const char* name) {
        const std::vector<int> ids = own.of(name).integers(name, -(1 << 20), 1 << 20);
        return enters(name) ? from_entering(ids) : ids;
    };
    const char* used = first;
    config.taps = outputs(first);
    for (const char* other : {"target_layer_ids", "eagle_aux_hidden_state_layer_ids", "aux_hidden_state_layer_ids"}) {
        if (other == std::string_view(first)) continue;
        const std::vector<int> same = outputs(other);
        if (same.empty() || same == config.taps) continue;
        if (!config.taps.empty()) {
            add_notice(config.notice, own.of(used).file() + ": names the target's layers twice; " + used +
                                          " counts (the outputs of layers " + listed(config.taps) + "), " + other + " means those of " +
                                          listed(same));
            continue;
        }
        config.taps = same;
        used = other;
    }
    const std::string& file = own.of(used).file();
    const std::size_t joined = joined_layers(tensors, config.layer.hidden);
    if (config.taps.empty()) {
        const std::set<int> different(default_taps.begin(), default_taps.end());
        const bool usual = different.size() == default_taps.size() && *different.begin() >= 0 && *different.rbegin() < layers;
        if (!usual || (joined > 0 && joined != default_taps.size()))
            own.of(first).fail(first,
                               "is missing or empty, and fc.weight joins " + std::to_string(joined) + " of the target's " +
                                   std::to_string(layers) + " layers: which ones, nothing tells",
                               "Whoever made the head knows: add the list. The usual one does not fit this head, and with any other one it "
                               "would only be right less often.");
        config.taps = default_taps;
        add_notice(config.notice, file + ": does not name the target's layers that it reads (" + first +
                                      "); the usual ones are used, the outputs of layers " + listed(default_taps));
        return;
    }
    if (const std::string problem = taps_problem(config.taps, enters(used) ? 1 : 0, joined, layers); !problem.empty())
        own.of(used).fail(used, problem, kTapsRemedy);
    if (config.taps.size() == 3 && layers >= 8) { // what everybody means, in the other count
        std::vector<int> meant = {1, layers / 2 - 1, layers - 4};
        for (int& tap : meant) tap += enters(used) ? -1 : 1;
        if (config.taps == meant)
            add_notice(config.notice, file + ": " + used + " is taken for the layers that a state " + (enters(used) ? "enters" : "leaves") +
                                          ", the outputs of layers " + listed(config.taps) + "; most heads read those of " +
                                          listed({1, layers / 2 - 1, layers - 4}) + ", which the same list means in the other count");
    }
}

// Rows that propose: speculators' heads say whether the anchor's own row is one of them, older ones only by
// how many tokens they are served with.
bool samples_from_anchor(const Fields& fields, const DraftConfig& config) {
    if (fields.find("sample_from_anchor") != nullptr) return fields.flag_or("sample_from_anchor", false);
    const Json* about = fields.find("speculators_config");
    if (about == nullptr || !about->is_object()) return false;
    const Json* methods = Fields(*about, fields.file(), fields.remedy()).find("proposal_methods");
    if (methods == nullptr || !methods->is_array() || methods->empty() || !(*methods)[0].is_object()) return false;
    const Fields method((*methods)[0], fields.file() + ": proposal_methods", fields.remedy());
    return method.integer_or("speculative_tokens", 0, 0, 1 << 20) == config.block;
}

// What stands for a place to be filled: a token of the target, as published heads have it, or a row of the head's own
// for targets that have no token to spare.
void read_mask(const Nested& own, const ModelConfig& target, const TensorFiles& file, DraftConfig& config) {
    const char* const token = "mask_token_id";
    const Fields& fields = own.of(token);
    config.own_mask = file.find(kMaskTensor) != nullptr;
    if (!config.own_mask) {
        if (fields.find(token) == nullptr)
            throw Error(fields.file() + ": mask_token_id is missing, and model.safetensors has no " + kMaskTensor,
                        "One of the two must say what stands for a place to be filled: a token of the target, or a row "
                        "(1, hidden_size) of the head's own.");
        config.mask_id = fields.integer(token, 0, target.vocab - 1);
    } else if (fields.find(token) != nullptr) {
        throw Error(fields.file() + ": names mask_token_id, and model.safetensors holds " + kMaskTensor,
                    "Only one of the two can stand for a place to be filled: leave the other out.");
    }
}

void read_selector(const Nested& own, DraftConfig& config) {
    const auto integer = [&](const char* name, int most) { return own.of(name).integer(name, 1, most); };
    config.conv_taps = integer("conv_kernel_size", config.block);
    config.conv_group = integer("conv_group_size", config.layer.hidden);
    if (config.layer.hidden % config.conv_group != 0)
        own.of("conv_group_size")
            .fail("conv_group_size",
                  "is " + std::to_string(config.conv_group) + ", no divisor of the hidden size " + std::to_string(config.layer.hidden));
    config.selector_rank = integer("selector_rank", 1 << 16);
    config.candidates = integer("selector_top_k", std::min(config.layer.vocab, kMostCandidates));
    if (config.draft_vocab > 0)
        own.of("draft_vocab_size")
            .fail("draft_vocab_size",
                  "is " + std::to_string(config.draft_vocab) +
                      ": a DFlash 2 head over some of the ids is not documented, and not supported",
                  kSupportedHeads);
}

void read_block(const Fields& fields, const ModelConfig& target, const TensorFiles& file, DraftConfig& config, bool speculators) {
    const Nested own(fields, "dflash_config");
    // speculators writes the name of the format or that of the class
    const auto exported = [&](const char* format, const char* model) {
        return config.architecture == format || (speculators && config.architecture == model);
    };
    const bool spark = exported("DSparkSpeculator", "DSparkDraftModel"), domino = exported("DominoSpeculator", "DominoDraftModel");
    config.method = spark || config.architecture == "Qwen3DSparkModel" ? Method::dspark
                    : domino                                           ? Method::domino
                    : config.architecture == kDflash2                  ? Method::dflash2
                                                                       : block_method(own);
    config.block = own.of("block_size").integer("block_size", 2, 64);
    read_mask(own, target, file, config);
    read_taps(own, speculators ? "aux_hidden_state_layer_ids" : "target_layer_ids", speculators,
              even_taps(config.layer.layers, target.layers), file, target.layers, config);
    if (speculators) {
        if (config.method == Method::dspark && !spark)
            fields.fail("architectures",
                        "names " + config.architecture + " of the speculators library with another " +
                            "head than DFlash, DFlash 2, Domino or DSpark, which is not supported",
                        kSupportedHeads);
        config.anchor_aligned = domino ? fields.flag_or("sample_from_anchor", true) : samples_from_anchor(fields, config);
    } else if (config.method == Method::dflash || config.method == Method::dflash2) {
        config.anchor_aligned = own.of("sample_from_anchor").flag_or("sample_from_anchor", false);
    }
    const Fields& ranked = own.of("draft_vocab_size");
    if (ranked.find("draft_vocab_size") == nullptr && file.find("d2t") != nullptr)
        throw Error(ranked.file() + ": draft_vocab_size is missing, and model.safetensors holds d2t, the ids of a reduced "
                                    "vocabulary",
                    "draft_vocab_size is how many ids d2t names.");
    const int ids = ranked.integer_or("draft_vocab_size", target.vocab, 1, target.vocab);
    if (ids != target.vocab) config.draft_vocab = ids;
    config.gathers_head = config.draft_vocab > 0 && !speculators && file.find("lm_head.weight") == nullptr;
    const Fields& conditioning = own.of("conditioning");
    const std::string source = conditioning.text_or("conditioning", "features");
    if (source != "features" && source != "none") conditioning.fail("conditioning", "is \"" + source + "\", expected features or none");
    config.conditioned = source == "features";

    if (config.method == Method::dflash2) {
        read_selector(own, config);
    } else if (config.method == Method::domino) {
        const char* const width =
            domino && speculators ? "logits_correction_emb_dim" : "emb_dim"; // speculators' branch before it: the latter
        config.gru = own.of("gru_hidden_dim").integer("gru_hidden_dim", 1, 1 << 16);
        config.rank = own.of(width).integer(width, 1, 1 << 16);
        config.prefix = own.of("pure_draft_prefix_len").integer_or("pure_draft_prefix_len", speculators ? 1 : 0, 0, config.block);
        if (!speculators || fields.find("shift_label") != nullptr)
            config.anchor_aligned = own.of("shift_label").flag_or("shift_label", false);
    } else if (config.method == Method::dspark) {
        if (!speculators) config.anchor_aligned = true;
        config.markov_rank = own.of("markov_rank").integer_or("markov_rank", 0, 0, 1 << 16);
        const Fields& head = own.of("markov_head_type");
        const std::string type = head.text_or("markov_head_type", "vanilla");
        if (type != "vanilla" && type != "gated" && type != "rnn")
            head.fail("markov_head_type", "is \"" + type + "\", which is not supported", "Supported are vanilla, gated and rnn.");
        config.markov = type == "gated" ? DraftConfig::Markov::gated
                        : type == "rnn" ? DraftConfig::Markov::rnn
                                        : DraftConfig::Markov::vanilla;
        if (config.markov == DraftConfig::Markov::rnn && !config.anchor_aligned)
            head.fail("markov_head_type",
                      "is \"rnn\" for a block whose first row is no guess: whether its state reads that row "
                      "is not documented, and so not supported",
                      kSupportedHeads);
        config.confidence = own.of("enable_confidence_head").flag_or("enable_confidence_head", false);
        config.confidence_with_markov =
            config.markov_rank > 0 && own.of("confidence_head_with_markov").flag_or("confidence_head_with_markov", false);
        // deepseek-ai's block-7 DFlash: the same class without its heads, and still anchor-aligned
        if (config.markov_rank == 0 && !config.confidence) config.method = Method::dflash;
    }
}

// A config.json that was copied from the target's counts the target's layers.
void count_layers(const Fields& geometry, const ModelConfig& target, const TensorFiles& file, DraftConfig& config) {
    const int here = eagle3_layers(file), said = config.layer.layers;
    const bool by_tensors = !config.notice.empty(); // its name was no head's either
    if (here == said || (said != target.layers && !by_tensors)) return;
    config.layer.layers = here;
    add_notice(config.notice, geometry.file() + ": num_hidden_layers is " + std::to_string(said) + ", and the head holds " +
                                  std::to_string(here) + (here == 1 ? " layer" : " layers") + ", which counts");
}

// DART's head is EAGLE-3's with one more tensor; its config.json says how many places it looks ahead (draft_length).
void read_eagle3(const Fields& fields, const ModelConfig& target, const TensorFiles& file, bool speculators, DraftConfig& config) {
    const bool dart = config.architecture == "LlamaForCausalLMDart" || fields.find("draft_length") != nullptr;
    config.method = dart ? Method::dart : Method::eagle3;
    if (dart) config.masks = fields.integer("draft_length", 1, 32);
    const bool deepspec = config.architecture == "Qwen3Eagle3Model";
    config.layer.qk_norm = deepspec || tensor_of(file, eagle3_layer(file) + "self_attn.q_norm.weight") != nullptr;
    const Nested own(fields, "eagle_config");
    // the outputs below layers 2, L/2 and L-3
    read_taps(own, deepspec ? "target_layer_ids" : "eagle_aux_hidden_state_layer_ids", speculators,
              {1, target.layers / 2 - 1, target.layers - 4}, file, target.layers, config);
    // what NVIDIA's exports say of the layout that everybody else has, too
    for (const char* usual : {"use_aux_hidden_state", "use_last_layernorm", "use_input_layernorm_in_first_layer", "is_causal"})
        if (!own.of(usual).flag_or(usual, true)) own.of(usual).fail(usual, "is false, which is not supported", kSupportedHeads);
    config.draft_vocab = fields.integer_or("draft_vocab_size", target.vocab, 1, target.vocab);
    // NVIDIA keeps these beside eagle_aux_hidden_state_layer_ids, speculators at the top
    const auto says = [&](const char* name) { return own.of(name).flag_or(name, false); };
    config.norm_before_residual = says("norm_before_residual");
    config.output_norms = dart ? 2 : 1;
    config.norm_output = says("norm_output");
    if (!dart && !speculators && fields.find("norm_output") != nullptr) // where SpecForge writes it; NVIDIA keeps it in eagle_config
        add_notice(config.notice, fields.file() + ": norm_output is " + (config.norm_output ? "true" : "false") +
                                      ": the next guess reads the state " + (config.norm_output ? "behind" : "before") +
                                      " the final norm and logits come from the normed one, as speculators, vLLM and SGLang have it; a "
                                      "head of SpecForge (a6b6b02) was trained to " +
                                      (config.norm_output ? "read the one before it" : "take its logits from a state without a norm"));
    config.norm_before_fc = says("norm_before_fc");
    config.fc_norm = says("fc_norm");
    if (config.norm_before_fc && config.fc_norm)
        own.of("norm_before_fc").fail("norm_before_fc", "is true beside fc_norm: one norm of all taps, or one for each, not both");
    if (dart && config.norm_output)
        own.of("norm_output").fail("norm_output", "is true for a DART head, which does not go on from its own states", kSupportedHeads);
}

void read_mtp(const Fields& fields, const Fields& geometry, const TensorFiles& file, const ModelConfig& target, DraftConfig& config) {
    config.method = Method::mtp;
    config.tensors = mtp_tensors(file);
    config.taps = {target.layers}; // the state after the final norm
    config.layer.layers = 1;
    // MiMo's trainer joins the other way round and leaves the first token out; speculators writes every head as embedding first.
    config.state_first = config.zeroes_first = config.tensors.starts_with("model.");
    const std::string type = geometry.text_or("model_type", "");
    for (const char* gated : {"qwen3_next", "qwen3_5", "qwen3_5_text"})
        if (type == gated)
            geometry.fail("model_type", "is \"" + type + "\", whose MTP layer has gated attention, which is not supported",
                          kSupportedHeads);
    for (const char* count : {"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers"})
        if (const int layers = fields.integer_or(count, 1, 0, 1000); layers > 1)
            fields.fail(count, "is " + std::to_string(layers) + "; one MTP layer is supported, which is used again for every guess",
                        kSupportedHeads);
    const std::string layer = config.tensors == kQwenMtp ? config.tensors + "layers.0." : config.tensors;
    config.layer.qk_norm = file.find(layer + "self_attn.q_norm.weight") != nullptr;
    config.layer.qkv_bias = file.find(layer + "self_attn.q_proj.bias") != nullptr;
}

void read_medusa(const Fields& fields, DraftConfig& config) {
    config.method = Method::medusa;
    config.medusa_heads = fields.integer_or("medusa_num_heads", 5, 1, 32);
    config.medusa_blocks = fields.integer_or("medusa_num_layers", 1, 1, 8);
    config.shared_head = fields.flag_or("shared_lm_head", false);
}

void check_against_target(const Fields& fields, const Fields& geometry, const ModelConfig& target, const DraftConfig& config) {
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

// RFC 7396: members take the place of those of the same name, null removes one.
void merge(Json& into, const Json& patch) {
    for (const auto& [name, value] : patch.items()) {
        if (value.is_null()) {
            into.erase(name);
        } else if (value.is_object()) {
            if (!into.contains(name) || !into[name].is_object()) into[name] = Json::object();
            merge(into[name], value);
        } else {
            into[name] = value;
        }
    }
}

// What is no matter of the method: which two numbers of a row are rotated together, and what d2t counts.
void read_layouts(const Fields& fields, DraftConfig& config) {
    for (const char* section : {"eagle_config", "dflash_config"}) {
        const Nested own(fields, section);
        if (!own.of("is_neox_style").flag_or("is_neox_style", true)) config.interleaved = true;
        const std::string holds = own.of("d2t_holds").text_or("d2t_holds", "offsets");
        if (holds != "offsets" && holds != "ids") own.of("d2t_holds").fail("d2t_holds", "is \"" + holds + "\", expected offsets or ids");
        config.d2t_ids = config.d2t_ids || holds == "ids";
    }
}

} // namespace

std::string taps_problem(const std::vector<int>& taps, int one_above, std::size_t joined, int layers) {
    for (auto tap = taps.begin(); tap != taps.end(); ++tap) {
        const std::string entry = "has the entry " + std::to_string(*tap + one_above);
        if (*tap + one_above < 0) return entry + "; layers are counted from 0 on, and not from the last one";
        if (*tap > layers - 1)
            return entry + "; the target has layers 0 to " + std::to_string(layers - 1) +
                   (one_above > 0 ? ", and these are counted one above" : "");
        if (std::find(taps.begin(), tap, *tap) != tap) return entry + " twice";
    }
    if (joined == 0 || joined == taps.size()) return "";
    return "names " + std::to_string(taps.size()) + (taps.size() == 1 ? " layer" : " layers") + ", and fc.weight joins " +
           std::to_string(joined);
}

// Trainers take the raw output of the last layer, transformers and some servers the state after the final
// norm.
std::string ambiguous_tap(const std::string& file, const std::vector<int>& taps, int layers) {
    if (std::ranges::find(taps, layers - 1) == taps.end()) return "";
    return file + ": the head reads the target's last layer (" + std::to_string(layers - 1) +
           "); its raw output is used, and the guesses are poor if it was trained on the state after the "
           "final norm";
}

const char* name_of(Method method) {
    constexpr std::array kNames = {"eagle3", "dflash", "domino", "dspark", "medusa", "dart", "mtp", "dflash2"};
    return kNames[static_cast<std::size_t>(method)];
}

int DraftConfig::most_drafts() const {
    switch (method) {
    case Method::eagle3:
    case Method::mtp: return 64;
    case Method::medusa: return medusa_heads;
    case Method::dart: return masks + 1; // the newest column's place, and one for each mask
    default: return anchor_aligned ? block : block - 1;
    }
}

DraftConfig read_draft_config(const std::filesystem::path& folder, const ModelConfig& target, const TensorFiles& tensors,
                              const IgnoredKeys& ignored, std::string_view changes) {
    const auto path = folder / "config.json";
    const std::string file = short_name(path);
    Json json = parse_json_object(read_text_file(path, kLargestConfig), file, kCheck);
    if (!changes.empty()) merge(json, parse_json_object(changes, file + ", changed", kCheck));
    DraftConfig config;
    config.ignored = take_ignored(json, ignored);
    // transformers ranks with the target's output matrix, and its file does not say how many ids that has
    if (json.value("model_type", Json()) == "muse_glimmer_assistant" && !json.contains("vocab_size")) json["vocab_size"] = target.vocab;
    const Fields fields(json, file, kCheck);

    const Kind kind = kind_of(fields, tensors, config);
    const Json* nested = fields.find("transformer_layer_config"); // speculators exports keep the geometry there
    if (nested != nullptr && !nested->is_object()) fields.fail("transformer_layer_config", "is " + shown(*nested));
    const bool speculators = nested != nullptr;
    const Fields geometry(speculators ? *nested : json, speculators ? file + ": transformer_layer_config" : file, fields.remedy());
    if (kind == Kind::medusa) {
        config.layer.hidden = fields.integer_or("hidden_size", target.hidden, 1, 1 << 17);
        config.layer.vocab = fields.integer_or("vocab_size", target.vocab, 1, 1 << 22);
        config.taps = {target.layers}; // the last state, after the final norm
    } else {
        read_geometry(geometry, config.layer);
        if (kind == Kind::eagle) count_layers(geometry, target, tensors, config);
        add_notice(config.notice, config.layer.notice);
        if (kind == Kind::block)
            refuse_activations(geometry, kSupportedHeads);
        else
            refuse_variants(geometry, config.layer, kSupportedHeads);
        if (kind != Kind::mtp && geometry.flag_or("attention_bias", false))
            geometry.fail("attention_bias", "is true, which is not supported", kSupportedHeads);
        check_config(config.layer, file);
    }
    check_against_target(fields, geometry, target, config);
    KeyList keys;
    switch (kind) {
    case Kind::medusa:
        read_medusa(fields, config);
        keys = medusa_keys();
        break;
    case Kind::mtp:
        read_mtp(fields, geometry, tensors, target, config);
        keys = mtp_keys();
        break;
    case Kind::eagle:
        read_eagle3(fields, target, tensors, speculators, config);
        read_layouts(fields, config);
        keys = eagle3_keys();
        break;
    case Kind::block:
        // of layers as Llama has them or as Qwen3 does
        config.layer.qk_norm =
            tensor_of(tensors, "layers.0.self_attn.q_norm.weight") != nullptr || geometry.text_or("model_type", "") != "llama";
        read_windows(fields, geometry, config);
        read_block(fields, target, tensors, config, speculators);
        read_layouts(fields, config);
        keys = config.method == Method::dflash2 ? dflash2_keys() : block_keys();
        break;
    }
    // one that stands in its model's checkpoint was read with the model
    if (kind != Kind::mtp || tensors.find("model.layers.0.input_layernorm.weight") == nullptr) refuse_unread_keys(fields, keys);
    add_notice(config.notice, ignored_notice(file, config.ignored));
    add_notice(config.notice, ambiguous_tap(file, config.taps, target.layers));
    return config;
}

} // namespace speclens
