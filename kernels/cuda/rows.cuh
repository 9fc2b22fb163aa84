// Statistics of a row: softmax, argmax, the k largest. One block per row.
#pragma once

#include "kernels/cuda/reduce.cuh"

namespace speclens::cuda {

inline constexpr int kRowThreads = 256;
inline constexpr float kHopeless = -87.0f; // e^-87 of the largest is the smallest normal float: below is 0

[[nodiscard]] inline constexpr int softmax_shared() { return kRowThreads / kWarp * static_cast<int>(sizeof(float)); }

// out = softmax(in / temperature); out may be in. A NaN makes its whole row NaN.
__global__ void __launch_bounds__(kRowThreads) softmax(const float* in, std::int64_t cols, float scale, float* out) {
    SIMT_SHARED(float, scratch);
    const float* const row = in + blockIdx.x * cols;
    float* const to = out + blockIdx.x * cols;
    float max = -INFINITY;
    for (std::int64_t c = threadIdx.x; c < cols; c += blockDim.x)
        if (row[c] > max) max = row[c];
    max = block_max(max, scratch);
    float sum = 0;
    for (std::int64_t c = threadIdx.x; c < cols; c += blockDim.x) {
        const float x = (row[c] - max) * scale;
        const float weight = x < kHopeless ? 0.0f : expf(x);
        to[c] = weight;
        sum += weight;
    }
    const float inverse = 1.0f / block_sum(sum, scratch);
    for (std::int64_t c = threadIdx.x; c < cols; c += blockDim.x) to[c] *= inverse;
}

// ---- order of values: larger first, then the lower index; NaN as −∞ ----

// An integer that sorts like the float: NaN and −∞ lowest, −0 as 0.
__device__ inline unsigned rank_of(float value) {
    if (!(value > -INFINITY)) return 0;
    const unsigned bits = __float_as_uint(value == 0.0f ? 0.0f : value);
    return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

// Unique for every entry of a row, and larger for the one that comes first.
__device__ inline unsigned long long key_of(float value, std::int64_t index) {
    return static_cast<unsigned long long>(rank_of(value)) << 32 | (0xFFFFFFFFull - static_cast<unsigned>(index));
}
__device__ inline std::int32_t index_of(unsigned long long key) { return static_cast<std::int32_t>(0xFFFFFFFFull - (key & 0xFFFFFFFFull)); }

inline constexpr int kSpan = 4096; // columns of a row that one block looks at

[[nodiscard]] inline constexpr int argmax_shared() { return kRowThreads * static_cast<int>(sizeof(unsigned long long)); }

// Every thread of the block gets the largest key of the block.
__device__ inline unsigned long long block_best(unsigned long long own, unsigned long long* best) {
    best[threadIdx.x] = own;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half && best[threadIdx.x + half] > best[threadIdx.x]) best[threadIdx.x] = best[threadIdx.x + half];
    }
    __syncthreads();
    return best[0];
}

// grid: (spans, rows). best_keys (rows, spans): of each span.
__global__ void __launch_bounds__(kRowThreads) argmax_spans(const float* in, std::int64_t cols, unsigned long long* best_keys) {
    SIMT_SHARED(unsigned long long, best);
    const float* const row = in + blockIdx.y * cols;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kSpan;
    const std::int64_t last = first + kSpan < cols ? first + kSpan : cols;
    unsigned long long own = 0;
    for (std::int64_t c = first + threadIdx.x; c < last; c += blockDim.x) {
        const unsigned long long key = key_of(row[c], c);
        if (key > own) own = key;
    }
    own = block_best(own, best);
    if (threadIdx.x == 0) best_keys[blockIdx.y * static_cast<std::int64_t>(gridDim.x) + blockIdx.x] = own;
}

// grid: rows
__global__ void __launch_bounds__(kRowThreads) argmax_of_spans(const unsigned long long* best_keys, std::int64_t spans, std::int32_t* ids) {
    SIMT_SHARED(unsigned long long, best);
    unsigned long long own = 0;
    for (std::int64_t s = threadIdx.x; s < spans; s += blockDim.x) {
        const unsigned long long key = best_keys[blockIdx.x * spans + s];
        if (key > own) own = key;
    }
    own = block_best(own, best);
    if (threadIdx.x == 0) ids[blockIdx.x] = index_of(own);
}

// ---- the k largest: the k-th key is found digit by digit (a radix selection), then the keys that are not
// below it are ranked against each other. Keys are unique, so exactly k remain. ----

inline constexpr int kDigit = 8, kBuckets = 1 << kDigit;

[[nodiscard]] inline constexpr int top_k_shared() { return (kBuckets + 4) * static_cast<int>(sizeof(int)); }

// chosen (rows, k): room for the keys
__global__ void __launch_bounds__(kRowThreads)
    top_k(const float* in, std::int64_t cols, int k, unsigned long long* chosen, std::int32_t* ids, float* values) {
    SIMT_SHARED(int, count);             // keys per bucket
    int* const found = count + kBuckets; // bucket, keys wanted inside it, keys chosen
    const float* const row = in + blockIdx.x * cols;
    unsigned long long* const own = chosen + blockIdx.x * static_cast<std::int64_t>(k);
    unsigned long long prefix = 0;
    int wanted = k;
    for (int shift = 64 - kDigit; shift >= 0; shift -= kDigit) {
        for (int b = static_cast<int>(threadIdx.x); b < kBuckets; b += static_cast<int>(blockDim.x)) count[b] = 0;
        __syncthreads();
        for (std::int64_t c = threadIdx.x; c < cols; c += blockDim.x) {
            const unsigned long long key = key_of(row[c], c);
            const bool same = shift + kDigit == 64 || key >> (shift + kDigit) == prefix;
            if (same) atomicAdd(&count[static_cast<int>(key >> shift & (kBuckets - 1))], 1);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            int bucket = kBuckets - 1, left = wanted;
            while (bucket > 0 && count[bucket] < left) left -= count[bucket--];
            found[0] = bucket;
            found[1] = left;
            found[2] = 0;
        }
        __syncthreads();
        prefix = prefix << kDigit | static_cast<unsigned long long>(found[0]);
        wanted = found[1];
        __syncthreads();
    }
    for (std::int64_t c = threadIdx.x; c < cols; c += blockDim.x) {
        const unsigned long long key = key_of(row[c], c);
        if (key >= prefix) own[atomicAdd(&found[2], 1)] = key; // in any order: ranked next
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < k; i += static_cast<int>(blockDim.x)) {
        int rank = 0;
        for (int j = 0; j < k; ++j) rank += own[j] > own[i];
        const std::int32_t id = index_of(own[i]);
        ids[blockIdx.x * static_cast<std::int64_t>(k) + rank] = id;
        values[blockIdx.x * static_cast<std::int64_t>(k) + rank] = row[id] > -INFINITY ? row[id] : -INFINITY;
    }
}

} // namespace speclens::cuda
