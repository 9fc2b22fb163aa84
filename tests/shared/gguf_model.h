// A folder of safetensors as a GGUF file, as llama.cpp's converter writes it: for the tests of the reader.
#pragma once

#include <functional>
#include <map>

#include "engine/base/json.h"
#include "engine/weights/row_tensors.h"
#include "kernels/bf16.h"
#include "kernels/quant.h"
#include "tests/shared/gguf_writer.h"
#include "tests/shared/model_support.h"

namespace speclens::test {

inline std::vector<std::byte> stored_as(DType as, const std::vector<float>& values) {
    std::vector<std::byte> bytes(bytes_of(as, static_cast<std::int64_t>(values.size())));
    if (as == DType::q8_0) {
        narrow_q8_0(values.data(), static_cast<std::int64_t>(values.size()), bytes.data());
    } else {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::uint16_t half = as == DType::bf16 ? narrow_bf16(values[i]) : narrow_f16(values[i]);
            as == DType::f32 ? std::memcpy(bytes.data() + 4 * i, &values[i], 4) : std::memcpy(bytes.data() + 2 * i, &half, 2);
        }
    }
    return bytes;
}

// A tensor of a folder, matrices as `matrices`. head_dim: of rows whose halves of a head become pairs; 0: they stay as they are.
inline void add_tensor(GgufWriter& file, const std::string& to, const Safetensors& source, const StoredTensor& tensor, DType matrices,
                       std::size_t head_dim) {
    const std::vector<std::byte> bytes = source.read(tensor);
    std::vector<float> values(bytes.size() / bytes_of(tensor.dtype));
    widen(tensor.dtype, bytes.data(), static_cast<std::int64_t>(values.size()), values.data());
    if (head_dim > 0) {
        const std::vector<float> halves = values;
        const auto cols = static_cast<std::size_t>(tensor.shape[1]);
        for (std::size_t row = 0; row < static_cast<std::size_t>(tensor.shape[0]); ++row) {
            const std::size_t within = row % head_dim, place = row - within + 2 * (within % (head_dim / 2)) + within / (head_dim / 2);
            std::copy_n(halves.begin() + static_cast<std::ptrdiff_t>(row * cols), cols,
                        values.begin() + static_cast<std::ptrdiff_t>(place * cols));
        }
    }
    // Rows that are no whole blocks are stored in another type, as llama.cpp does.
    const DType as = tensor.shape.size() != 2 ? DType::f32 : tensor.shape.back() % block_of(matrices).values == 0 ? matrices : DType::f16;
    file.tensor(to, tensor.shape, as, stored_as(as, values));
}

// `matrices`: the type they are stored in. `more` writes further metadata or tensors. `called`: what it says of itself.
inline GgufWriter gguf_of_folder(const fs::path& folder, DType matrices, const std::function<void(GgufWriter&)>& more = {},
                                 const std::string& called = "toy") {
    const ModelConfig c = read_config(folder);
    const std::string arch = c.family == ModelConfig::Family::llama ? "llama" : c.family == ModelConfig::Family::qwen2 ? "qwen2" : "qwen3";
    GgufWriter file;
    const auto u32 = [&](const char* name, int value) { file.u32(arch + name, static_cast<std::uint32_t>(value)); };
    file.text("general.architecture", arch);
    file.text("general.name", called);
    u32(".block_count", c.layers);
    u32(".embedding_length", c.hidden);
    u32(".feed_forward_length", c.ffn);
    u32(".attention.head_count", c.heads);
    u32(".attention.head_count_kv", c.kv_heads);
    u32(".attention.key_length", c.head_dim);
    u32(".attention.value_length", c.head_dim);
    u32(".rope.dimension_count", c.head_dim);
    u32(".context_length", c.max_positions);
    file.f32(arch + ".attention.layer_norm_rms_epsilon", c.rms_eps);
    file.f32(arch + ".rope.freq_base", static_cast<float>(c.rope_theta));

    std::vector<std::string> tokens(static_cast<std::size_t>(c.vocab));
    std::vector<std::int32_t> types(tokens.size(), 5); // unused
    std::vector<std::string> merges;
    if (fs::exists(folder / "tokenizer.json")) {
        const Json tokenizer = Json::parse(read_file(folder / "tokenizer.json"));
        for (const auto& [spelling, id] : tokenizer["model"]["vocab"].items())
            tokens[id.get<std::size_t>()] = spelling, types[id.get<std::size_t>()] = 1;
        for (const auto& added : tokenizer["added_tokens"]) {
            const auto id = added["id"].get<std::size_t>();
            tokens[id] = added["content"].text(), types[id] = added["special"].get<bool>() ? 3 : 4;
        }
        for (const auto& merge : tokenizer["model"]["merges"])
            merges.push_back(merge.is_string() ? merge.get<std::string>()
                                               : merge[0].get<std::string>() + " " + merge[1].get<std::string>());
    } else { // letters and one pair of them
        for (std::size_t id = 0; id < 26; ++id) tokens[id] = static_cast<char>('a' + id), types[id] = 1;
        tokens[26] = "ab", types[26] = 1;
        for (std::size_t id = 27; id < tokens.size(); ++id) tokens[id] = "x" + std::to_string(id), types[id] = 1;
        merges = {"a b"};
    }
    for (std::size_t id = 0; id < tokens.size(); ++id)
        if (tokens[id].empty()) tokens[id] = "[PAD" + std::to_string(id) + "]";
    file.text("tokenizer.ggml.model", "gpt2");
    file.text("tokenizer.ggml.pre", "qwen2");
    file.texts("tokenizer.ggml.tokens", tokens);
    file.array("tokenizer.ggml.token_type", 5, types);
    file.texts("tokenizer.ggml.merges", merges);
    if (!c.stops.empty()) file.u32("tokenizer.ggml.eos_token_id", static_cast<std::uint32_t>(c.stops.front()));
    if (more) more(file);

    const Safetensors source = Safetensors::open_folder(folder);
    // clang-format off
    const std::map<std::string, std::string> kLayer = {
        {"input_layernorm", "attn_norm"},     {"self_attn.q_proj", "attn_q"},       {"self_attn.k_proj", "attn_k"},
        {"self_attn.v_proj", "attn_v"},       {"self_attn.o_proj", "attn_output"},  {"self_attn.q_norm", "attn_q_norm"},
        {"self_attn.k_norm", "attn_k_norm"},  {"post_attention_layernorm", "ffn_norm"}, {"mlp.gate_proj", "ffn_gate"},
        {"mlp.up_proj", "ffn_up"},            {"mlp.down_proj", "ffn_down"}};
    // clang-format on
    for (const auto& [name, tensor] : source.tensors()) {
        std::string to;
        if (name == "model.embed_tokens.weight") to = "token_embd.weight";
        if (name == "model.norm.weight") to = "output_norm.weight";
        if (name == "lm_head.weight") to = "output.weight";
        if (const std::string layers = "model.layers."; name.starts_with(layers)) {
            const std::size_t dot = name.find('.', layers.size()), last = name.rfind('.');
            to = "blk." + name.substr(layers.size(), dot - layers.size()) + "." + kLayer.at(name.substr(dot + 1, last - dot - 1)) +
                 name.substr(last);
        }
        EXPECT_FALSE(to.empty()) << name;
        const bool paired = arch == "llama" && (to.ends_with("attn_q.weight") || to.ends_with("attn_k.weight"));
        add_tensor(file, to, source, tensor, matrices, paired ? static_cast<std::size_t>(c.head_dim) : 0);
    }
    return file;
}

} // namespace speclens::test
