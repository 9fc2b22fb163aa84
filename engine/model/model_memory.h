// What a model and its decoder need on the backend, known before anything is allocated, and the message when
// that is more than there is. Internal to the engine.
#pragma once

#include <cstddef>
#include <string>

#include "engine/model/model.h"

namespace speclens {

// Bytes. What depends on a run's settings (distributions of a trace, kept layer outputs) is small and left out.
struct MemoryNeed {
    std::size_t weights = 0; // and the rotary table; 0 when they are already there
    std::size_t cache = 0;   // keys and values of `context` tokens in all layers
    std::size_t scratch = 0; // activations and logits of one pass
    int context = 0;         // tokens
    [[nodiscard]] std::size_t total() const { return weights + cache + scratch; }
};

// Cache slots that a decoder starts with; it doubles them as the text grows.
inline constexpr int kFirstSlots = 256;

// Cache and scratch of a ModelDecoder for `context` tokens.
[[nodiscard]] MemoryNeed decoder_memory(const ModelConfig& config, const Backend& backend, int context,
                                        Precision precision = Precision::f32);
// A model with `weights` bytes, the rotary table and the smallest decoder. How long a context will be asked
// for is not known yet: make_model_decoder looks again.
[[nodiscard]] MemoryNeed loading_memory(const ModelConfig& config, const Backend& backend, std::size_t weights);
// Throws Error with the numbers and what would help when `need` is more than `free` bytes.
void check_memory(const std::string& name, const MemoryNeed& need, std::size_t free);

} // namespace speclens
