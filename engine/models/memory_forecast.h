// What a run needs of the backend's memory, known from shapes alone: for `speclens check`.
#pragma once

#include <cstddef>
#include <span>

namespace speclens {

class Backend;      // kernels/backend.h
struct DraftConfig; // engine/heads/draft_config.h
struct ModelConfig; // engine/model/model.h
struct Models;      // engine/models/models.h

// Bytes. What a trace keeps is small beside this and left out.
struct MemoryForecast {
    std::size_t target = 0, draft = 0,
                heads = 0;           // weights: of the target, a separate draft model, the trained heads
    std::size_t cache_per_token = 0; // keys and values: the target's, and those of the drafter that keeps most
    std::size_t scratch = 0;         // activations and logits of the widest pass
    int longest = 0;                 // tokens of text for which `free` bytes have room, as far as the model goes

    [[nodiscard]] std::size_t weights() const { return target + draft + heads; }
    [[nodiscard]] std::size_t run(int context) const { return cache_per_token * static_cast<std::size_t>(context) + scratch; }
    // What is needed however it is computed: weights, and keys and values of so many tokens. A process has more at its peak.
    [[nodiscard]] std::size_t stays(int context) const { return weights() + cache_per_token * static_cast<std::size_t>(context); }
};

// For a text of up to `context` tokens where the weights are loaded and `free` bytes are left. All zero for
// tables.
[[nodiscard]] MemoryForecast forecast_memory(const Models& models, int context, std::size_t free);

// The same for shapes of which nothing is loaded yet, with weights in bf16.
[[nodiscard]] MemoryForecast forecast_memory(const Backend& backend, const ModelConfig& target, std::span<const DraftConfig> heads,
                                             int context, std::size_t free);

} // namespace speclens
