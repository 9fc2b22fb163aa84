#include "engine/model/model_memory.h"

#include <algorithm>

#include "engine/base/printed.h"
#include "engine/model/model_parts.h"
#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr int kLogitRows = 65; // of the widest verify pass: 64 draft tokens and the token before them

std::string size_text(std::size_t bytes) {
    const double size = static_cast<double>(bytes);
    return printed(size < 1e8 ? "%.1f MB" : "%.2f GB", size < 1e8 ? size / 1e6 : size / 1e9);
}

// Tokens of context for which there is room; 0 when not even the first slots fit.
int possible_context(const MemoryNeed& need, std::size_t free) {
    if (need.context == 0 || need.weights + need.scratch >= free) return 0;
    const std::size_t per_token = std::max<std::size_t>(need.cache / static_cast<std::size_t>(need.context), 1);
    const std::size_t tokens = (free - need.weights - need.scratch) / per_token;
    return tokens < kFirstSlots ? 0 : static_cast<int>(std::min<std::size_t>(tokens, kLargestContext));
}

} // namespace

MemoryNeed decoder_memory(const ModelConfig& c, const Backend& backend, int context, Precision precision) {
    const auto size = [](int number) { return static_cast<std::size_t>(number); };
    const std::size_t q = size(c.heads) * size(c.head_dim), kv = size(c.kv_heads) * size(c.head_dim);
    const auto rows = size(std::min(backend.max_rows(), context));
    const std::size_t activations = rows * (3 * size(c.hidden) + 2 * q + 2 * kv + size(c.ffn));
    const std::size_t logits = 2 * std::min(rows, size(kLogitRows)) * size(c.vocab); // and their softmax
    MemoryNeed need;
    need.context = context;
    need.cache = 2 * size(c.layers) * size(context) * kv * bytes_of(backend.cache_dtype(precision));
    need.scratch =
        (activations + logits) * sizeof(float) +
        backend.attention_scratch({.heads = c.heads, .kv_heads = c.kv_heads, .dim = c.head_dim}, static_cast<int>(rows), context);
    return need;
}

MemoryNeed loading_memory(const ModelConfig& config, const Backend& backend, std::size_t weights) {
    const int positions = config.context();
    MemoryNeed need = decoder_memory(config, backend, std::min(positions, kFirstSlots));
    need.weights = weights + cos_sin_bytes(config);
    return need;
}

void check_memory(const std::string& name, const MemoryNeed& need, std::size_t free) {
    if (need.total() <= free) return;
    std::string parts;
    const auto part = [&](const char* what, std::size_t bytes) {
        if (bytes > 0) parts += (parts.empty() ? "" : ", ") + size_text(bytes) + " " + what;
    };
    part("weights", need.weights);
    part(("cache for a context of " + std::to_string(need.context) + " tokens").c_str(), need.cache);
    part("scratch", need.scratch);
    const int context = possible_context(need, free);
    const std::string remedy = context > 0 ? "There is room for a context of " + std::to_string(context) +
                                                 " tokens: shorten the prompt, ask for fewer new tokens, or choose a smaller model."
                                           : "Choose a smaller model, or close other programs.";
    throw Error(name + " needs " + size_text(need.total()) + " of memory (" + parts + "), " + size_text(free) + " are free", remedy,
                Exit::device);
}

} // namespace speclens
