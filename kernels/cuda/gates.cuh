// Element-wise functions of draft heads: SiLU, one step of a GRU (Cho et al. 2014; gates stacked r, z, n), and a short
// convolution down the rows.
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

// A thread is a column, from the last row up: what it still has to read is as it was. x (rows, h), base (taps, h),
// added (rows, stride), of which `groups` columns belong to a tap.
__global__ void convolve(float* x, const float* base, const float* added, int rows, int taps, std::int64_t h, std::int64_t stride,
                         std::int64_t groups) {
    const std::int64_t column = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column >= h) return;
    const std::int64_t group = column / (h / groups);
    for (int row = rows - 1; row >= 0; --row) {
        float sum = 0;
        for (int tap = 0; tap < taps && tap <= row; ++tap)
            sum += (base[tap * h + column] + added[row * stride + tap * groups + group]) * x[(row - tap) * h + column];
        x[row * h + column] = sum;
    }
}

} // namespace speclens::cuda
