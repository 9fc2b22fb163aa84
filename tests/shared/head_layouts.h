// The layouts of the public draft heads, field by field and tensor by tensor, in miniature. Names are those of the public repositories,
// written down here a second time, apart from the loader.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/models/models.h"
#include "kernels/backend.h"
#include "tests/shared/checkpoint_writer.h"
#include "tests/shared/micro.h"

namespace speclens::test::layouts {

using Shapes = std::vector<StoredShape>;

// Sizes of the target that they are for (micro_config).
inline constexpr int kHidden = 48, kFfn = 96, kVocab = 61, kLayers = 36, kQ = 64, kKv = 32, kHead = 16;

inline Shapes layer(const std::string& prefix, int width, bool qk_norm, bool pair) {
    Shapes s = {{prefix + "input_layernorm.weight", {kHidden}},      {prefix + "self_attn.q_proj.weight", {kQ, width}},
                {prefix + "self_attn.k_proj.weight", {kKv, width}},  {prefix + "self_attn.v_proj.weight", {kKv, width}},
                {prefix + "self_attn.o_proj.weight", {kHidden, kQ}}, {prefix + "post_attention_layernorm.weight", {kHidden}},
                {prefix + "mlp.gate_proj.weight", {kFfn, kHidden}},  {prefix + "mlp.up_proj.weight", {kFfn, kHidden}},
                {prefix + "mlp.down_proj.weight", {kHidden, kFfn}}};
    if (qk_norm) {
        s.push_back({prefix + "self_attn.q_norm.weight", {kHead}});
        s.push_back({prefix + "self_attn.k_norm.weight", {kHead}});
    }
    if (pair) s.push_back({prefix + "hidden_norm.weight", {kHidden}});
    return s;
}

inline Shapes operator+(Shapes a, const Shapes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

inline Shapes backbone(int layers, int taps) {
    Shapes s = {{"fc.weight", {kHidden, taps * kHidden}}, {"hidden_norm.weight", {kHidden}}, {"norm.weight", {kHidden}}};
    for (int i = 0; i < layers; ++i) s = s + layer("layers." + std::to_string(i) + ".", kHidden, true, false);
    return s;
}

// What DFlash 2 adds to a backbone, by the header of z-lab's released file: convolutions over two rows with groups of 16 columns, a
// selector of rank 7. speculators writes the same names.
inline Shapes selector(int layers) {
    Shapes s = {{"candidate_selector.hidden_projection.weight", {7, kHidden}},
                {"candidate_selector.predecessor_codebook", {kVocab, 7}},
                {"candidate_selector.successor_codebook", {kVocab, 7}}};
    for (int i = 0; i < layers; ++i)
        for (const char* part : {"attention_conv", "mlp_conv"}) {
            const std::string prefix = "layers." + std::to_string(i) + "." + part + ".";
            s.push_back({prefix + "base_kernel", {2, 2, kHidden}});
            s.push_back({prefix + "kernel_projection.weight", {2 * 2 * kHidden / 16, kHidden}});
        }
    return s;
}

inline std::string geometry(int layers, const std::string& more = "") {
    return R"("hidden_size":48,"intermediate_size":96,"num_attention_heads":4,"num_key_value_heads":2,"head_dim":16,)"
           R"("vocab_size":61,"rms_norm_eps":1e-6,"rope_theta":1000000,"rope_scaling":null,"hidden_act":"silu",)"
           R"("attention_bias":false,"max_position_embeddings":512,"num_hidden_layers":)" +
           std::to_string(layers) + more;
}

inline std::string config(const std::string& architecture, const std::string& rest) {
    return R"({"architectures":[")" + architecture + "\"]," + rest + "}";
}

inline const Shapes kCopies = {{"embed_tokens.weight", {kVocab, kHidden}}, {"lm_head.weight", {kVocab, kHidden}}};
inline const std::string kTaps = "[1,9,17,25,33]";

struct Family {
    std::string name, drafter, config;
    Shapes tensors;
    int most_drafts;
    std::vector<int> taps;
};

inline std::vector<Family> families() {
    const std::vector<int> five = {1, 9, 17, 25, 33}, three = {1, 17, 32};
    const Shapes cut = {{"fc.weight", {kHidden, 3 * kHidden}},
                        {"norm.weight", {kHidden}},
                        {"lm_head.weight", {20, kHidden}},
                        {"d2t", {20}},
                        {"t2d", {kVocab}}};
    const Shapes head = {{"markov_head.markov_w1.weight", {kVocab, 5}},
                         {"markov_head.markov_w2.weight", {kVocab, 5}},
                         {"confidence_head.proj.weight", {1, kHidden + 5}},
                         {"confidence_head.proj.bias", {1}}};
    const std::string flat = R"(,"num_target_layers":36,"block_size":7,"mask_token_id":60,"target_layer_ids":)" + kTaps;
    const std::string z_lab = R"(,"num_target_layers":36,"block_size":16,"layer_types":["full_attention","full_attention"],)"
                              R"("use_sliding_window":false,"sliding_window":null,"dflash_config":{"mask_token_id":60,)"
                              R"("target_layer_ids":)" +
                              kTaps;
    const std::string nested = R"("speculators_config":{"algorithm":"x"},"transformer_layer_config":{)";
    return {
        {"AngelSlim EAGLE-3", "eagle3", config("LlamaForCausalLMEagle3", geometry(1, R"(,"model_type":"llama","draft_vocab_size":20)")),
         cut + layer("midlayer.", 2 * kHidden, false, true), 64, three},
        {"EAGLE-3.1 with norms of the taps, two layers", "eagle3",
         config("LlamaForCausalLMEagle3", geometry(2, R"(,"draft_vocab_size":20,"fc_norm":true,"norm_output":true)")),
         cut + layer("midlayer.", 2 * kHidden, false, true) + layer("layers.1.", kHidden, false, false) +
             Shapes{{"fc_norm.0.weight", {kHidden}}, {"fc_norm.1.weight", {kHidden}}, {"fc_norm.2.weight", {kHidden}}},
         64, three},
        {"NVIDIA EAGLE-3.1 with a norm before fc", "eagle3",
         config("LlamaForCausalLMEagle3",
                geometry(1, R"(,"draft_vocab_size":20,"eagle_config":{"eagle_aux_hidden_state_layer_ids":[1,17,32],"norm_before_fc":true,)"
                            R"("norm_output":true})")),
         cut + layer("midlayer.", 2 * kHidden, false, true) + Shapes{{"input_norm.weight", {3 * kHidden}}}, 64, three},
        {"RedHat EAGLE-3", "eagle3",
         config("Eagle3Speculator", R"("speculators_model_type":"eagle3","draft_vocab_size":20,"norm_before_residual":true,)"
                                    R"("target_hidden_size":null,"eagle_aux_hidden_state_layer_ids":[2,18,33],)" +
                                        nested + geometry(1, R"(,"model_type":"llama"})")),
         cut + layer("layers.0.", 2 * kHidden, false, true) + Shapes{{"embed_tokens.weight", {kVocab, kHidden}}}, 64, three},
        {"deepseek-ai EAGLE-3", "eagle3", config("Qwen3Eagle3Model", geometry(1, R"(,"ttt_length":7,"target_layer_ids":)" + kTaps)),
         kCopies + Shapes{{"fc.weight", {kHidden, 5 * kHidden}}, {"norm.weight", {kHidden}}} + layer("layers.0.", 2 * kHidden, true, true),
         64, five},
        {"z-lab DFlash", "dflash", config("DFlashDraftModel", geometry(2, z_lab + "}")), backbone(2, 5), 15, five},
        {"DFlash with windows", "dflash",
         config("DFlashDraftModel",
                geometry(2, R"(,"block_size":16,"layer_types":["sliding_attention","full_attention"],"use_sliding_window":true,)"
                            R"("sliding_window":6,"dflash_config":{"mask_token_id":60,"target_layer_ids":)" +
                                kTaps + "}")),
         backbone(2, 5), 15, five},
        {"deepseek-ai block-7 DFlash", "dflash",
         config("Qwen3DSparkModel", geometry(2, flat + R"(,"markov_rank":0,"enable_confidence_head":false)")), kCopies + backbone(2, 5), 7,
         five},
        {"speculators DFlash", "dflash",
         config("DFlashSpeculator", R"("speculators_model_type":"dflash","draft_vocab_size":20,"block_size":8,"mask_token_id":60,)"
                                    R"("aux_hidden_state_layer_ids":[2,18,33],"sliding_window_non_causal":false,)" +
                                        nested + geometry(2, R"(,"layer_types":["full_attention","full_attention"]})")),
         cut + Shapes{{"hidden_norm.weight", {kHidden}}} + layer("layers.0.", kHidden, true, false) +
             layer("layers.1.", kHidden, true, false),
         7, three},
        {"z-lab DFlash 2", "dflash2",
         config("DFlash2DraftModel",
                geometry(2, R"(,"model_type":"qwen3","num_target_layers":36,"is_causal":false,"max_window_layers":2,)"
                            R"("layer_types":["sliding_attention","sliding_attention"],"sliding_window":2048,"use_sliding_window":true,)"
                            R"("dflash_config":{"block_size":16,"conv_group_size":16,"conv_kernel_size":2,"mask_token_id":60,)"
                            R"("selector_rank":7,"selector_top_k":16,"target_layer_ids":)" +
                                kTaps + "}")),
         backbone(2, 5) + selector(2), 15, five},
        {"speculators DFlash 2", "dflash2",
         config("DFlash2DraftModel",
                R"("speculators_model_type":"dflash2","draft_vocab_size":61,"block_size":8,"mask_token_id":60,"sample_from_anchor":false,)"
                R"("aux_hidden_state_layer_ids":[2,18,33],"sliding_window_non_causal":true,"conv_kernel_size":2,"conv_group_size":16,)"
                R"("selector_rank":7,"selector_top_k":16,"target_hidden_size":null,)" +
                    nested +
                    geometry(2, R"(,"model_type":"qwen3","layer_types":["sliding_attention","full_attention"],)"
                                R"("sliding_window":2048,"use_sliding_window":true})")),
         backbone(2, 3) + selector(2) + Shapes{{"embed_tokens.weight", {kVocab, kHidden}}}, 7, three},
        {"speculators DFlash 2, whose anchor is a guess", "dflash2",
         config(
             "DFlash2DraftModel",
             R"("speculators_model_type":"dflash2","draft_vocab_size":61,"block_size":8,"mask_token_id":60,"sample_from_anchor":true,)"
             R"("aux_hidden_state_layer_ids":[2,18,33],"conv_kernel_size":2,"conv_group_size":16,"selector_rank":7,"selector_top_k":16,)" +
                 nested + geometry(2, "}")),
         backbone(2, 3) + selector(2), 8, three},
        {"speculators Domino", "domino",
         config("DominoSpeculator",
                R"("speculators_model_type":"domino","draft_vocab_size":20,"block_size":8,"mask_token_id":60,"sample_from_anchor":true,)"
                R"("gru_hidden_dim":10,"logits_correction_emb_dim":6,"pure_draft_prefix_len":1,"lambda_base_start":1.0,)"
                R"("lambda_base_decay_ratio":0.5,"aux_hidden_state_layer_ids":[2,18,33],"sliding_window_non_causal":false,)" +
                    nested + geometry(2, R"(,"model_type":"qwen3"})")),
         cut + Shapes{{"hidden_norm.weight", {kHidden}}, {"embed_tokens.weight", {kVocab, kHidden}}} +
             layer("layers.0.", kHidden, true, false) + layer("layers.1.", kHidden, true, false) +
             Shapes{{"logits_correction.prefix_gru.weight_ih_l0", {30, kHidden}},
                    {"logits_correction.prefix_gru.weight_hh_l0", {30, 10}},
                    {"logits_correction.embed_proj.0.weight", {6, kHidden + 10}},
                    {"logits_correction.embed_proj.2.weight", {20, 6}}},
         8, three},
        {"speculators Domino of July 2026", "domino", // its branch `projector_type`, of which orestis-z/domino-Qwen3-8B-ablation757-a2 is
         config("DFlashSpeculator",
                R"("speculators_model_type":"dflash","draft_vocab_size":20,"block_size":8,"mask_token_id":60,"projector_type":"domino",)"
                R"("gru_hidden_dim":10,"emb_dim":6,"pure_draft_prefix_len":1,"shift_label":false,"aux_hidden_state_layer_ids":[2,18,33],)" +
                    nested + geometry(2, R"(,"model_type":"qwen3"})")),
         cut + Shapes{{"hidden_norm.weight", {kHidden}}} + layer("layers.0.", kHidden, true, false) +
             layer("layers.1.", kHidden, true, false) +
             Shapes{{"domino_head.prefix_gru.weight_ih_l0", {30, kHidden}},
                    {"domino_head.prefix_gru.weight_hh_l0", {30, 10}},
                    {"domino_head.embed_proj.0.weight", {6, kHidden + 10}},
                    {"domino_head.embed_proj.2.weight", {20, 6}}},
         7, three},
        {"transformers DFlash", "dflash",
         config("MuseGlimmerAssistantModel",
                R"("model_type":"muse_glimmer_assistant","hidden_size":48,"intermediate_size":96,"num_attention_heads":4,)"
                R"("num_key_value_heads":2,"head_dim":16,"rms_norm_eps":1e-6,"hidden_act":"silu","max_position_embeddings":512,)"
                R"("num_hidden_layers":2,"rope_parameters":{"rope_theta":500000.0,"rope_type":"default"},"block_size":16,)"
                R"("mask_token_id":60,"sliding_window":6,"layer_types":["sliding_attention","full_attention"],"attention_dropout":0,)"
                R"("bos_token_id":58,"dtype":"bfloat16","transformers_version":"5.23.0","target_layer_ids":)" +
                    kTaps),
         Shapes{{"encoder.fc.weight", {kHidden, 5 * kHidden}}, {"encoder.output_norm_enc.weight", {kHidden}}, {"norm.weight", {kHidden}}} +
             layer("layers.0.", kHidden, true, false) + layer("layers.1.", kHidden, true, false),
         15, five},
        {"speculators DSpark", "dspark",
         config("DSparkSpeculator",
                R"("speculators_model_type":"dspark","draft_vocab_size":20,"block_size":8,"mask_token_id":60,)"
                R"("sample_from_anchor":true,"markov_rank":5,"markov_head_type":"vanilla","enable_confidence_head":true,)"
                R"("confidence_head_with_markov":true,"aux_hidden_state_layer_ids":[2,18,33],)" +
                    nested + geometry(2, R"(,"model_type":"qwen3"})")),
         cut + Shapes{{"hidden_norm.weight", {kHidden}}} + layer("layers.0.", kHidden, true, false) +
             layer("layers.1.", kHidden, true, false) +
             Shapes{{"markov_head.markov_w1.weight", {kVocab, 5}},
                    {"markov_head.markov_w2.weight", {20, 5}},
                    {"confidence_head.proj.weight", {1, kHidden + 5}},
                    {"confidence_head.proj.bias", {1}}},
         8, three},
        {"speculators DSpark, whose anchor is no guess", "dspark",
         config("DSparkSpeculator",
                R"("speculators_config":{"proposal_methods":[{"speculative_tokens":7}]},"draft_vocab_size":61,"block_size":8,)"
                R"("mask_token_id":60,"markov_rank":5,"enable_confidence_head":true,"confidence_head_with_markov":true,)"
                R"("aux_hidden_state_layer_ids":[2,18,33],"transformer_layer_config":{)" +
                    geometry(2, "}")),
         backbone(2, 3) + kCopies + head, 7, three},
        {"SafeAILab EAGLE-3 with the target's number of layers", "eagle3",
         config("LlamaForCausalLM", geometry(kLayers, R"(,"model_type":"llama","draft_vocab_size":20)")),
         cut + layer("midlayer.", 2 * kHidden, false, true), 64, three},
        {"NeMo EAGLE-3", "eagle3", config("Eagle3LlamaForCausalLM", geometry(1, R"(,"model_type":"llama","draft_vocab_size":20)")),
         cut + layer("layers.0.", 2 * kHidden, false, true), 64, three},
        {"EAGLE-3 for Llama 3", "eagle3",
         config("LlamaForCausalLMEagle3",
                R"("hidden_size":48,"intermediate_size":96,"num_attention_heads":4,"num_key_value_heads":2,"head_dim":16,)"
                R"("vocab_size":61,"rms_norm_eps":1e-5,"rope_theta":500000,"rope_scaling":{"rope_type":"llama3","factor":8,)"
                R"("low_freq_factor":1,"high_freq_factor":4,"original_max_position_embeddings":64},"hidden_act":"silu",)"
                R"("max_position_embeddings":512,"num_hidden_layers":1,"draft_vocab_size":20)"),
         cut + layer("midlayer.", 2 * kHidden, false, true), 64, three},
        {"DFlash of Llama's layers", "dflash", config("DFlashDraftModel", geometry(2, R"(,"model_type":"llama")" + z_lab + "}")),
         Shapes{{"fc.weight", {kHidden, 5 * kHidden}}, {"hidden_norm.weight", {kHidden}}, {"norm.weight", {kHidden}}} +
             layer("layers.0.", kHidden, false, false) + layer("layers.1.", kHidden, false, false),
         15, five},
        {"Huang2020 Domino", "domino",
         config("DFlashDraftModel", geometry(2, z_lab + R"(,"projector_type":"domino","gru_hidden_dim":10,"emb_dim":6,)"
                                                        R"("pure_draft_prefix_len":1,"shift_label":true})")),
         backbone(2, 5) + Shapes{{"prefix_gru.weight_ih_l0", {30, kHidden}},
                                 {"prefix_gru.weight_hh_l0", {30, 10}},
                                 {"embed_proj.0.weight", {6, kHidden + 10}},
                                 {"embed_proj.2.weight", {kVocab, 6}}},
         16, five},
        {"deepseek-ai DSpark", "dspark",
         config("Qwen3DSparkModel", geometry(2, flat + R"(,"markov_rank":5,"markov_head_type":"vanilla","num_anchors":512,)"
                                                       R"("enable_confidence_head":true,"confidence_head_with_markov":true)")),
         kCopies + backbone(2, 5) + head, 7, five},
        {"DSpark, gated", "dspark",
         config("Qwen3DSparkModel", geometry(2, flat + R"(,"markov_rank":5,"markov_head_type":"gated",)"
                                                       R"("enable_confidence_head":true,"confidence_head_with_markov":true)")),
         backbone(2, 5) + head + Shapes{{"markov_head.gate_proj.weight", {5, kHidden + 5}}, {"markov_head.gate_proj.bias", {5}}}, 7, five},
        {"DSpark, recurrent", "dspark",
         config("Qwen3DSparkModel", geometry(2, flat + R"(,"markov_rank":5,"markov_head_type":"rnn",)"
                                                       R"("enable_confidence_head":true,"confidence_head_with_markov":true)")),
         backbone(2, 5) + head + Shapes{{"markov_head.joint_proj.weight", {15, kHidden + 10}}, {"markov_head.joint_proj.bias", {15}}}, 7,
         five},
        {"Medusa",
         "medusa",
         config("MedusaModel", R"("medusa_num_heads":2,"medusa_num_layers":1,"hidden_size":48,"vocab_size":61)"),
         {{"medusa_head.0.0.linear.weight", {kHidden, kHidden}},
          {"medusa_head.0.0.linear.bias", {kHidden}},
          {"medusa_head.0.1.weight", {kVocab, kHidden}},
          {"medusa_head.1.0.linear.weight", {kHidden, kHidden}},
          {"medusa_head.1.0.linear.bias", {kHidden}},
          {"medusa_head.1.1.weight", {kVocab, kHidden}}},
         2,
         {kLayers}},
    };
}

// A target that all of them fit, with random weights.
inline std::shared_ptr<Models> models_of(ModelConfig::Family family) {
    ModelConfig config = micro_config(kLayers, kHidden);
    config.family = family;
    config.qk_norm = family == ModelConfig::Family::qwen3;
    auto models = std::make_shared<Models>();
    models->backend = make_cpu_backend({.threads = 2});
    models->target = Model::random(*models->backend, config, "micro target", 5);
    return models;
}

} // namespace speclens::test::layouts
