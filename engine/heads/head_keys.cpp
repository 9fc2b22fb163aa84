#include "engine/heads/head_keys.h"

#include "engine/weights/config_fields.h"

namespace speclens {
namespace {

constexpr std::string_view kEagle3[] = {
    "draft_vocab_size",
    "norm_before_residual",
    "norm_before_fc",
    "norm_output",
    "fc_norm",
    "use_aux_hidden_state",
    "use_last_layernorm",
    "use_input_layernorm_in_first_layer",
    "target_layer_ids",
    "eagle_aux_hidden_state_layer_ids",
    "aux_hidden_state_layer_ids",
    "draft_length",
    "is_causal",
    "is_neox_style",
    "num_target_layers",
    "target_hidden_size",
};
constexpr std::string_view kBlock[] = {
    "block_size",
    "mask_token_id",
    "target_layer_ids",
    "aux_hidden_state_layer_ids",
    "eagle_aux_hidden_state_layer_ids",
    "draft_vocab_size",
    "conditioning",
    "causal",
    "is_causal",
    "is_neox_style",
    "use_swa",
    "attention_sink_bias",
    "sliding_window_non_causal",
    "sample_from_anchor",
    "shift_label",
    "pure_draft_prefix_len",
    "gru_hidden_dim",
    "emb_dim",
    "logits_correction_emb_dim",
    "markov_rank",
    "enable_confidence_head",
    "confidence_head_with_markov",
    "num_target_layers",
    "target_hidden_size",
    // DFlash 2's own, the last four
    "conv_kernel_size",
    "conv_group_size",
    "selector_rank",
    "selector_top_k",
};
constexpr std::string_view kMedusa[] = {"medusa_num_heads", "medusa_num_layers", "shared_lm_head",    "hidden_size",
                                        "vocab_size",       "num_target_layers", "target_hidden_size"};
constexpr std::string_view kMtp[] = {"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_layers", "num_target_layers",
                                     "target_hidden_size"};
constexpr std::string_view kSections[] = {"eagle_config", "dflash_config", "transformer_layer_config"};

} // namespace

KeyList eagle3_keys() { return kEagle3; }
KeyList block_keys() { return KeyList(kBlock).first(std::size(kBlock) - 4); }
KeyList dflash2_keys() { return kBlock; }
KeyList medusa_keys() { return kMedusa; }
KeyList mtp_keys() { return kMtp; }

void refuse_unread_keys(const Fields& fields, KeyList head) {
    refuse_unread(fields, {geometry_keys(), head, kSections});
    for (const char* name : {"eagle_config", "dflash_config", "transformer_layer_config", "rope_scaling", "rope_parameters"}) {
        const Json* section = fields.find(name);
        if (section == nullptr || !section->is_object()) continue;
        const Fields inner(*section, fields.file() + ": " + name, fields.remedy());
        const std::string_view called = name;
        if (called == "transformer_layer_config")
            refuse_unread_keys(inner, {});
        else if (called.starts_with("rope"))
            refuse_unread(inner, {rope_keys()});
        else
            refuse_unread(inner, {head});
    }
}

} // namespace speclens
