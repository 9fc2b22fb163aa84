// The scalar functions of gates and feed-forward layers.
#pragma once

#include "kernels/cuda/dialect.h"

namespace speclens::cuda {

__device__ inline float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
__device__ inline float silu_of(float x) { return x / (1.0f + expf(-x)); } // far out: x, and −0

} // namespace speclens::cuda
