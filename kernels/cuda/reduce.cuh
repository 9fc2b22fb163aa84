// Sums and maxima over a warp and a block, in an order that depends on nothing but the number of threads.
#pragma once

#include "kernels/cuda/dialect.h"

namespace speclens::cuda {

// Every lane gets the sum.
__device__ inline float warp_sum(float value) {
    for (int bits = kWarp / 2; bits > 0; bits /= 2) value += __shfl_xor_sync(kWholeWarp, value, bits);
    return value;
}

__device__ inline float warp_max(float value) { // NaN never wins
    for (int bits = kWarp / 2; bits > 0; bits /= 2) value = fmaxf(value, __shfl_xor_sync(kWholeWarp, value, bits));
    return value;
}

// Every thread gets the result. `scratch` holds one float per warp and is free again afterwards.
__device__ inline float block_sum(float value, float* scratch) {
    value = warp_sum(value);
    if (threadIdx.x % kWarp == 0) scratch[threadIdx.x / kWarp] = value;
    __syncthreads();
    float sum = 0;
    for (unsigned warp = 0; warp < blockDim.x / kWarp; ++warp) sum += scratch[warp];
    __syncthreads();
    return sum;
}

__device__ inline float block_max(float value, float* scratch) {
    value = warp_max(value);
    if (threadIdx.x % kWarp == 0) scratch[threadIdx.x / kWarp] = value;
    __syncthreads();
    float max = scratch[0];
    for (unsigned warp = 1; warp < blockDim.x / kWarp; ++warp) max = fmaxf(max, scratch[warp]);
    __syncthreads();
    return max;
}

} // namespace speclens::cuda
