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
// Throws Error for windows of attention and activations that no forward pass here has.
void refuse_variants(const Fields& fields, const char* supported);
// The same, where the caller reads windows itself.
void refuse_activations(const Fields& fields, const char* supported);

} // namespace speclens
