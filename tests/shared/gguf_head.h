// A head's folder as a GGUF file, with the keys, names, layer numbers, ids and row order of llama.cpp's converter: for the tests of the
// reader, written down here a second time.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/drafters/draft_network.h"
#include "tests/shared/gguf_model.h"

namespace speclens::test {

struct GgufHeadEdits {
    std::function<void(GgufWriter&)> more = {};                  // further metadata or tensors
    std::set<std::string> without = {};                          // metadata or tensors that are left out
    std::vector<std::int64_t> d2t = {};                          // instead of the head's own ids
    std::function<void(std::vector<std::int32_t>&)> layers = {}; // of target_layers
    std::string architecture = {};                               // another one; keys follow
    int tokens = 0;                                              // of the vocabulary; 0: the target's
};

inline GgufWriter gguf_of_head(const fs::path& folder, const DraftNetwork& network, DType matrices, const GgufHeadEdits& edits = {}) {
    const DraftConfig& c = network.config;
    const bool eagle = c.method == DraftConfig::Method::eagle3, spark = c.method == DraftConfig::Method::dspark;
    const bool selects = c.method == DraftConfig::Method::dflash2;
    const std::string arch = !edits.architecture.empty() ? edits.architecture : eagle ? "eagle3" : "dflash";
    GgufWriter file;
    const auto wanted = [&](const std::string& key) { return !edits.without.contains(key); };
    const auto u32 = [&](const std::string& key, int value) {
        if (wanted(key)) file.u32(arch + "." + key, static_cast<std::uint32_t>(value));
    };
    const auto flag = [&](const std::string& key, bool value) {
        if (wanted(key)) file.flag(arch + "." + key, value);
    };
    file.text("general.architecture", arch);
    file.text("general.name", "toy head");
    u32("block_count", c.layer.layers);
    u32("embedding_length", c.layer.hidden);
    u32("feed_forward_length", c.layer.ffn);
    u32("attention.head_count", c.layer.heads);
    u32("attention.head_count_kv", c.layer.kv_heads);
    u32("attention.key_length", c.layer.head_dim);
    u32("attention.value_length", c.layer.head_dim);
    u32("context_length", c.layer.max_positions);
    file.f32(arch + ".attention.layer_norm_rms_epsilon", c.layer.rms_eps);
    file.f32(arch + ".rope.freq_base", static_cast<float>(c.layer.rope_theta));
    std::vector<std::int32_t> layers;
    for (const int tap : c.taps) layers.push_back(tap + 1); // that a state enters
    if (edits.layers) edits.layers(layers);
    if (wanted("target_layers")) file.array(arch + ".target_layers", 5, layers);
    if (eagle) {
        u32("target_hidden_size", c.layer.hidden);
        flag("norm_before_residual", c.norm_before_residual);
        flag("norm_before_fc", c.norm_before_fc);
    } else {
        u32("block_size", c.block);
        if (wanted("mask_token_id")) file.u32("tokenizer.ggml.mask_token_id", static_cast<std::uint32_t>(c.mask_id));
        if (selects) {
            u32("conv_kernel_size", c.conv_taps);
            u32("conv_group_size", c.conv_group);
            u32("selector_rank", c.selector_rank);
            u32("selector_top_k", c.candidates);
        }
        if (spark) flag("sample_from_anchor", c.anchor_aligned), flag("has_confidence_head", c.confidence);
        if (!c.windows.empty()) {
            u32("attention.sliding_window", *std::ranges::max_element(c.windows));
            std::vector<std::uint8_t> pattern;
            for (const int window : c.windows) pattern.push_back(window > 0 ? 1 : 0);
            file.array(arch + ".attention.sliding_window_pattern", 7, pattern);
            flag("attention.causal", c.window_causal);
        }
    }
    std::vector<std::string> tokens;
    for (int id = 0; id < (edits.tokens > 0 ? edits.tokens : c.layer.vocab); ++id) tokens.push_back("t" + std::to_string(id));
    file.texts("tokenizer.ggml.tokens", tokens);
    if (edits.more) edits.more(file);

    const Safetensors source = Safetensors::open_folder(folder);
    // clang-format off
    const std::map<std::string, std::string> kNames = {
        {"fc.weight", "fc.weight"},           {"norm.weight", "output_norm.weight"},
        {"hidden_norm.weight", "enc.output_norm.weight"}, {"input_norm.weight", "enc.output_norm.weight"},
        {"lm_head.weight", "output.weight"},  {"markov_head.markov_w1.weight", "markov_w1.weight"},
        {"markov_head.markov_w2.weight", "markov_w2.weight"}, {"candidate_selector.hidden_projection.weight", "selector_hidden.weight"},
        {"candidate_selector.predecessor_codebook", "selector_predecessor.weight"},
        {"candidate_selector.successor_codebook", "selector_successor.weight"},
        {"confidence_head.proj.weight", "conf_proj.weight"}, {"confidence_head.proj.bias", "conf_proj.bias"}};
    const std::map<std::string, std::string> kOfLayer = {
        {"input_layernorm", "attn_norm"},     {"self_attn.q_proj", "attn_q"},       {"self_attn.k_proj", "attn_k"},
        {"self_attn.v_proj", "attn_v"},       {"self_attn.o_proj", "attn_output"},  {"self_attn.q_norm", "attn_q_norm"},
        {"self_attn.k_norm", "attn_k_norm"},  {"post_attention_layernorm", "ffn_norm"}, {"mlp.gate_proj", "ffn_gate"},
        {"mlp.up_proj", "ffn_up"},            {"mlp.down_proj", "ffn_down"},        {"hidden_norm", "attn_norm_2"}};
    const std::map<std::string, std::string> kWholeOfLayer = {
        {"attention_conv.base_kernel", "attn_conv_base"}, {"attention_conv.kernel_projection.weight", "attn_conv_proj.weight"},
        {"mlp_conv.base_kernel", "ffn_conv_base"},        {"mlp_conv.kernel_projection.weight", "ffn_conv_proj.weight"}};
    // clang-format on
    for (const auto& [name, tensor] : source.tensors()) {
        if (name == "t2d") continue;
        std::string to;
        if (name == "d2t") {
            std::vector<std::int64_t> ids = edits.d2t;
            if (ids.empty()) ids.assign(network.target_id.begin(), network.target_id.end());
            if (wanted("d2t"))
                file.tensor("d2t", {static_cast<std::int64_t>(ids.size())}, std::uint32_t{27}, std::as_bytes(std::span(ids)));
            continue;
        }
        if (const auto known = kNames.find(name); known != kNames.end()) to = known->second;
        const std::string layer = name.starts_with("midlayer.") ? "midlayer."
                                  : name.starts_with("layers.") ? name.substr(0, name.find('.', 7) + 1)
                                                                : "";
        if (!layer.empty()) {
            const std::size_t last = name.rfind('.');
            const auto part = kOfLayer.find(name.substr(layer.size(), last - layer.size()));
            to = "blk." + (layer == "midlayer." ? "0" : layer.substr(7, layer.size() - 8)) + "." +
                 (part != kOfLayer.end() ? part->second + name.substr(last) : kWholeOfLayer.at(name.substr(layer.size())));
        }
        EXPECT_FALSE(to.empty()) << name;
        if (!wanted(to)) continue;
        const bool paired = eagle && (to.ends_with("attn_q.weight") || to.ends_with("attn_k.weight"));
        add_tensor(file, to, source, tensor, matrices, paired ? static_cast<std::size_t>(c.layer.head_dim) : 0);
    }
    return file;
}

} // namespace speclens::test
