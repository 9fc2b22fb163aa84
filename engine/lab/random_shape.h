// A model with random weights of a real shape, for timing alone: speed depends on the shape, not on what weights say.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/progress.h"
#include "kernels/types.h"

namespace speclens {

class Backend; // kernels/backend.h
struct Models; // engine/models/models.h

// A geometry (engine/model/model.h) on this backend, without tokenizer and heads; matrices as Model::random has them.
// Throws Error (usage: unknown name, a form that cannot be made; memory) or Cancelled.
[[nodiscard]] std::shared_ptr<Models> random_shape(std::shared_ptr<Backend> backend, const std::string& name, std::uint64_t seed,
                                                   const Progress& progress = {}, DType form = DType::bf16,
                                                   Precision precision = Precision::f32);

} // namespace speclens
