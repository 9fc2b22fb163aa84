// What the config.json of all our architectures spell alike: sizes and rotary positions. Every failure is an Error that
// names the file, the field and the value. Internal to the engine.
#pragma once

#include "engine/model/model.h"
#include "engine/weights/config_fields.h"

namespace speclens {

// Sizes of the layers, vocabulary, positions and rotary fields.
void read_geometry(const Fields& fields, ModelConfig& config);
// Throws Error for windows of attention and activations that no forward pass here has.
void refuse_variants(const Fields& fields, const char* supported);
// The same, where the caller reads windows itself.
void refuse_activations(const Fields& fields, const char* supported);

} // namespace speclens
