// Element-wise functions of draft heads: SiLU and one step of a GRU (Cho et al. 2014; gates stacked r, z, n).
#pragma once

#include "kernels/cuda/activation.cuh"

namespace speclens::cuda {

inline constexpr int kGateThreads = 256;

__global__ void silu(float* x, std::int64_t count) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) x[i] = silu_of(x[i]);
}

// in, hid, gates (rows, 3g); state, out (rows, g). gates may be null, out may be state.
__global__ void gru(const float* in, const float* hid, const float* state, float* out, float* gates, int rows, int g) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= static_cast<std::int64_t>(rows) * g) return;
    const std::int64_t row = i / g, j = i % g, at = row * 3 * g + j;
    const float r = sigmoid(in[at] + hid[at]);
    const float z = sigmoid(in[at + g] + hid[at + g]);
    const float n = tanhf(in[at + 2 * g] + r * hid[at + 2 * g]);
    out[i] = (1.0f - z) * n + z * state[i];
    if (gates == nullptr) return;
    gates[at] = r;
    gates[at + g] = z;
    gates[at + 2 * g] = n;
}

} // namespace speclens::cuda
