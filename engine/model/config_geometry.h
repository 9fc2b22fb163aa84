// What the config.json of all our architectures spell alike: sizes and rotary positions. Every failure is an Error that
// names the file, the field and the value. Internal to the engine.
#pragma once

#include "engine/model/model.h"
#include "engine/weights/config_fields.h"

namespace speclens {

// Sizes of the layers, vocabulary, positions and rotary fields.
void read_geometry(const Fields& fields, ModelConfig& config);
// Why a model whose layers are not all attention is refused: "three of four layers carry a recurrent state
// …"; empty: all are.
[[nodiscard]] std::string recurrent_layers(const Fields& fields);
inline constexpr const char* kServeIt = "Serve it with an engine that does that, and attach: speclens attach URL.";
// Appends a line to what a user is told.
inline void add_notice(std::string& notice, const std::string& more) {
    if (!more.empty()) notice += (notice.empty() ? "" : "\n") + more;
}
// What YaRN multiplies cos and sin by to sharpen attention in a text that is `factor` times as long (Peng et al. 2023, eq. 22);
// `mscale` as DeepSeek's checkpoints weigh it.
[[nodiscard]] double yarn_attention(double factor, double mscale = 1);
// "1.139", for notices.
[[nodiscard]] std::string digits(double value);
// Which layers have windows of attention by use_sliding_window, sliding_window and max_window_layers, as transformers'
// configurations of Qwen2 and Qwen3 read them where layer_types is absent: those from this one on; config.layers: none.
[[nodiscard]] int first_window_layer(const Fields& fields, const ModelConfig& config);
// Throws Error for windows of attention and activations that no forward pass here has. `config`: its sizes.
void refuse_variants(const Fields& fields, const ModelConfig& config, const char* supported);
// The same, where the caller reads windows itself.
void refuse_activations(const Fields& fields, const char* supported);

} // namespace speclens
