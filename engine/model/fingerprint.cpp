#include "engine/model/fingerprint.h"

#include <cmath>
#include <vector>

#include "engine/base/fnv.h"
#include "engine/text/tokenizer.h"
#include "kernels/backend.h"
#include "kernels/bf16.h"

namespace speclens {

std::string fingerprint(const Model& model) {
    const ModelConfig& c = model.config;
    Fnv hash;
    for (const int size : {c.hidden, c.ffn, c.layers, c.heads, c.kv_heads, c.head_dim, c.vocab, int{c.qkv_bias}, int{c.qk_norm}})
        hash.add(size);
    hash.add(static_cast<double>(static_cast<float>(c.rope_theta)));
    for (int id = 0; model.tokenizer && id < model.tokenizer->size(); ++id) {
        const std::string bytes = model.tokenizer->bytes_of(id);
        if (bytes.empty() || bytes == "[PAD" + std::to_string(id) + "]") continue; // how llama.cpp's converter fills up ids without a token
        hash.add(id), hash.add(bytes);
    }
    std::vector<float> values;
    const auto norm = [&](const Buffer& vector) {
        if (vector.empty()) return;
        values.resize(static_cast<std::size_t>(vector.view().size()));
        model.backend->download(vector.view(), values.data());
        for (const float value : values) hash.add(std::isnan(value) ? -1 : int{narrow_bf16(value)});
    };
    norm(model.final_norm);
    for (const LayerWeights& layer : model.layer) norm(layer.input_norm), norm(layer.post_norm), norm(layer.q_norm), norm(layer.k_norm);
    return hash.hex();
}

} // namespace speclens
