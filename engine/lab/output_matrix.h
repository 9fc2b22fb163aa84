// The target's output matrix from its other side: what goes back through it.
#pragma once

#include <span>
#include <vector>

#include "engine/model/model.h"

namespace speclens {

[[nodiscard]] Buffer transposed_head(const Model& target); // (h, V); bf16 where that is exact, else f32. Throws Error (memory)
// slopes (rows, V) · E: (rows, h)
[[nodiscard]] std::vector<float> through_head(const Model& target, const Buffer& transposed, std::span<const float> slopes);

} // namespace speclens
