// RMSNorm fused with the residual addition (Zhang and Sennrich 2019). One block per row of the pass.
#pragma once

#include "kernels/cuda/reduce.cuh"

namespace speclens::cuda {

inline constexpr int kNormThreads = 256;
inline constexpr int kNormShared = kNormThreads / kWarp * static_cast<int>(sizeof(float));

// residual += delta (unless null); out = RMSNorm(residual) * weight (unless null).  (rows, cols)
__global__ void __launch_bounds__(kNormThreads)
    add_norm(float* residual, const float* delta, const float* weight, float eps, float* out, std::int64_t cols) {
    SIMT_SHARED(float, scratch);
    float* const own = residual + blockIdx.x * cols;
    const float* const added = delta == nullptr ? nullptr : delta + blockIdx.x * cols;
    float squares = 0;
    for (std::int64_t c = threadIdx.x; c < cols; c += blockDim.x) {
        const float value = added == nullptr ? own[c] : own[c] + added[c];
        if (added != nullptr) own[c] = value;
        squares = fmaf(value, value, squares);
    }
    if (out == nullptr) return;
    const float scale = 1.0f / sqrtf(block_sum(squares, scratch) / static_cast<float>(cols) + eps);
    for (std::int64_t c = threadIdx.x; c < cols; c += blockDim.x)
        out[blockIdx.x * cols + c] = own[c] * scale * weight[c]; // each thread reads what it wrote
}

} // namespace speclens::cuda
