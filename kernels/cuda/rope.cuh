// Per head: RMSNorm of q and k (Qwen3), rotary embedding (Su et al. 2021, rotate-half layout), and the write
// of k and v into the cache. One warp per head of one row; the value heads are copied.
#pragma once

#include "kernels/cuda/reduce.cuh"

namespace speclens::cuda {

inline constexpr int kRopeThreads = 128;

struct RopeTask {
    int rows = 0, heads = 0, kv_heads = 0, dim = 0;   // heads 0: no queries
    float* q = nullptr;                               // (rows, heads * dim), in place
    const float *k = nullptr, *v = nullptr;           // (rows, kv_heads * dim)
    const float *q_norm = nullptr, *k_norm = nullptr; // (dim) or null
    float eps = 0;
    const float* cos_sin = nullptr; // (positions, dim): cosines, then sines
    std::int64_t positions = 0;
    const std::int32_t* position = nullptr; // (rows)
    float *k_cache = nullptr, *v_cache = nullptr;
    int first_slot = 0;
    const std::int32_t* slots = nullptr; // (rows): where each row goes; null: first_slot and those behind it
};

__device__ inline void rotate_head(const float* from, float* to, const float* norm, float eps, const float* angles, int dim) {
    const int lane = static_cast<int>(threadIdx.x % kWarp), half = dim / 2;
    float scale = 1;
    if (norm != nullptr) {
        float squares = 0;
        for (int i = lane; i < dim; i += kWarp) squares = fmaf(from[i], from[i], squares);
        scale = 1.0f / sqrtf(warp_sum(squares) / static_cast<float>(dim) + eps);
    }
    for (int i = lane; i < half; i += kWarp) { // a lane owns both values of a pair, so `to` may be `from`
        const float a = norm == nullptr ? from[i] : from[i] * scale * norm[i];
        const float b = norm == nullptr ? from[i + half] : from[i + half] * scale * norm[i + half];
        const float cosine = angles[i], sine = angles[i + half];
        to[i] = fmaf(a, cosine, -(b * sine));
        to[i + half] = fmaf(b, cosine, a * sine);
    }
}

__global__ void __launch_bounds__(kRopeThreads) rope_store(RopeTask t) {
    const int per_row = t.heads + 2 * t.kv_heads;
    const std::int64_t unit = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / kWarp;
    if (unit >= static_cast<std::int64_t>(t.rows) * per_row) return; // whole warps
    const int row = static_cast<int>(unit / per_row), head = static_cast<int>(unit % per_row);
    const std::int64_t position = t.position[row];
    if (position < 0 || position >= t.positions) __trap();
    const float* const angles = t.cos_sin + position * t.dim;
    const std::int64_t kv_cols = static_cast<std::int64_t>(t.kv_heads) * t.dim;
    const std::int64_t slot = t.slots == nullptr ? t.first_slot + row : t.slots[row];
    if (head < t.heads) {
        float* const q = t.q + (static_cast<std::int64_t>(row) * t.heads + head) * t.dim;
        rotate_head(q, q, t.q_norm, t.eps, angles, t.dim);
    } else if (head < t.heads + t.kv_heads) {
        const std::int64_t at = static_cast<std::int64_t>(head - t.heads) * t.dim;
        rotate_head(t.k + row * kv_cols + at, t.k_cache + slot * kv_cols + at, t.k_norm, t.eps, angles, t.dim);
    } else {
        const std::int64_t at = static_cast<std::int64_t>(head - t.heads - t.kv_heads) * t.dim;
        for (int i = static_cast<int>(threadIdx.x % kWarp); i < t.dim; i += kWarp)
            t.v_cache[slot * kv_cols + at + i] = t.v[row * kv_cols + at + i];
    }
}

} // namespace speclens::cuda
