// The shapes of published models (Qwen3 technical report, Qwen2.5 and SmolLM2 releases) for cost measurements
// with random weights: speed depends on the shape, not on what the weights say.
#include "engine/model/model.h"
#include "kernels/error.h"

namespace speclens {
namespace {

struct Shape {
    const char* name;
    ModelConfig::Family family;
    int hidden, ffn, layers, heads, kv_heads, head_dim, vocab;
    bool tied;
    int max_positions;
    bool qkv_bias = family == ModelConfig::Family::qwen2;
};
constexpr auto kQwen3 = ModelConfig::Family::qwen3;
constexpr auto kQwen2 = ModelConfig::Family::qwen2;
constexpr Shape kShapes[] = {
    {"qwen3-0.6b", kQwen3, 1024, 3072, 28, 16, 8, 128, 151936, true, 40960},
    {"qwen3-1.7b", kQwen3, 2048, 6144, 28, 16, 8, 128, 151936, true, 40960},
    {"qwen3-4b", kQwen3, 2560, 9728, 36, 32, 8, 128, 151936, true, 40960},
    {"qwen3-8b", kQwen3, 4096, 12288, 36, 32, 8, 128, 151936, false, 40960},
    {"qwen2.5-0.5b", kQwen2, 896, 4864, 24, 14, 2, 64, 151936, true, 32768},
    {"smollm2-135m", kQwen2, 576, 1536, 30, 9, 3, 64, 49152, true, 8192, false}, // Llama's layers: no biases, no norms of q and k
    {"bundle-s", kQwen3, 192, 512, 12, 3, 1, 64, 4096, true, 4096},
    {"micro", kQwen3, 32, 64, 4, 2, 1, 16, 96, true, 4096}, // for trying a command in a second
};

} // namespace

std::vector<std::string> geometry_names() {
    std::vector<std::string> names;
    for (const Shape& shape : kShapes) names.emplace_back(shape.name);
    return names;
}

ModelConfig geometry(const std::string& name) {
    for (const Shape& shape : kShapes) {
        if (name != shape.name) continue;
        ModelConfig config;
        config.family = shape.family;
        config.hidden = shape.hidden;
        config.ffn = shape.ffn;
        config.layers = shape.layers;
        config.heads = shape.heads;
        config.kv_heads = shape.kv_heads;
        config.head_dim = shape.head_dim;
        config.vocab = shape.vocab;
        config.tied = shape.tied;
        config.qkv_bias = shape.qkv_bias;
        config.qk_norm = shape.family == kQwen3;
        config.max_positions = shape.max_positions;
        return config;
    }
    std::string known;
    for (const Shape& shape : kShapes) known += std::string(known.empty() ? "" : ", ") + shape.name;
    throw Error("unknown geometry \"" + name + "\"", "Known are: " + known + ".", Exit::usage);
}

} // namespace speclens
