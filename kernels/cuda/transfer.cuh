// Bytes on their way: small uploads, copies, weights brought into the order of matrix.cuh, and the read that
// measures the memory. One thread per value unless said otherwise.
#pragma once

#include "kernels/cuda/matrix.cuh"

namespace speclens::cuda {

inline constexpr int kCopyThreads = 256;

__global__ void pack_tiles(const std::uint16_t* from, std::int64_t rows, std::int64_t cols, std::uint16_t* to) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < rows * cols) to[index_in_tiles(i / cols, i % cols, cols)] = from[i];
}

// Exact: a multiplication moves the exponent and makes subnormal halves normal floats.
__global__ void widen_halves(const std::uint16_t* from, std::int64_t count, float* to) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const unsigned half = from[i];
    const unsigned scaled = __float_as_uint(__uint_as_float((half & 0x7FFFu) << 13) * 0x1p112f);
    const unsigned special = (half & 0x7C00u) == 0x7C00u ? 0x7F800000u : 0u; // inf and NaN keep theirs
    to[i] = __uint_as_float(scaled | special | (half & 0x8000u) << 16);
}

// A small upload: the bytes travel as an argument of the launch, so nothing waits and a graph can hold it.
struct Letter {
    static constexpr int kWords = 256;
    std::int32_t count = 0;
    std::int32_t word[kWords] = {};
};

__global__ void deliver(Letter letter, std::int32_t* to) {
    for (int i = static_cast<int>(threadIdx.x); i < letter.count; i += static_cast<int>(blockDim.x)) to[i] = letter.word[i];
}

__global__ void copy_words(const std::int32_t* from, std::int64_t words, std::int32_t* to) {
    const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < words) to[i] = from[i];
}

inline constexpr int kReadThreads = 256;

// Reads everything once; the sum of the words of each thread keeps the reads alive.
__global__ void __launch_bounds__(kReadThreads) read_all(const uint4* data, std::int64_t count, unsigned* sums) {
    unsigned sum = 0;
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (std::int64_t i = first; i < count; i += stride) {
        const uint4 v = data[i];
        sum += v.x ^ v.y ^ v.z ^ v.w;
    }
    sums[first] = sum;
}

} // namespace speclens::cuda
