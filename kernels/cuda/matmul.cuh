// The plain matrix product out = x · weightᵀ (+ bias) for a few rows: the reference of the tensor-core one,
// and what serves weights that do not divide into tiles. One warp per output; its lanes stride over the
// inputs and are summed by shuffles, so the bits of an output depend on neither the number of rows nor its
// place.
#pragma once

#include "kernels/cuda/activation.cuh"
#include "kernels/cuda/matrix.cuh"
#include "kernels/cuda/reduce.cuh"

namespace speclens::cuda {

inline constexpr int kMatmulThreads = 128; // four outputs per block
inline constexpr int kRowsAtOnce = 8;      // rows that share one read of the weights

// Several projections of the same input in one launch; `end` counts the units (outputs, or tiles of sixteen)
// of all parts up to and with this one.
struct Part {
    Matrix weight;
    const float* bias = nullptr; // (n) or null
    float* out = nullptr;        // (rows, n)
    std::int64_t n = 0;
    std::int64_t end = 0;
};
struct Parts {
    static constexpr int kMost = 4;
    int count = 0;
    Part part[kMost];
};

// The part that owns `unit`, and the unit's place inside it.
__device__ inline int part_of(const Parts& parts, std::int64_t& unit) {
    int p = 0;
    while (p + 1 < parts.count && unit >= parts.part[p].end) ++p;
    if (p > 0) unit -= parts.part[p - 1].end;
    return p;
}

// Sums of rows [row, row + kRowsAtOnce) for one output; rows past the end repeat the last one and are not
// kept.
__device__ inline void dot_rows(const float* x, std::int64_t rows, std::int64_t row, const Matrix& weight, std::int64_t output,
                                float (&sum)[kRowsAtOnce]) {
    for (float& s : sum) s = 0;
    for (std::int64_t c = threadIdx.x % kWarp; c < weight.cols; c += kWarp) {
        const float w = value_at(weight, output, c);
        for (int r = 0; r < kRowsAtOnce; ++r)
            if (row + r < rows) sum[r] = fmaf(x[(row + r) * weight.cols + c], w, sum[r]);
    }
    for (int r = 0; r < kRowsAtOnce; ++r)
        if (row + r < rows) sum[r] = warp_sum(sum[r]); // the same for all lanes of the warp
}

// grid: outputs of all parts / 4
__global__ void __launch_bounds__(kMatmulThreads) matmul_plain(const float* x, std::int64_t rows, Parts parts) {
    std::int64_t output = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / kWarp;
    if (output >= parts.part[parts.count - 1].end) return; // whole warps
    const Part& part = parts.part[part_of(parts, output)];
    const float bias = part.bias == nullptr ? 0.0f : part.bias[output];
    for (std::int64_t row = 0; row < rows; row += kRowsAtOnce) {
        float sum[kRowsAtOnce];
        dot_rows(x, rows, row, part.weight, output, sum);
        for (int r = 0; r < kRowsAtOnce; ++r)
            if (row + r < rows && static_cast<int>(threadIdx.x % kWarp) == r)
                part.out[(row + r) * part.n + output] = part.bias == nullptr ? sum[r] : sum[r] + bias;
    }
}

// out = silu(x · gateᵀ) ⊙ (x · upᵀ).  grid: outputs / 4
__global__ void __launch_bounds__(kMatmulThreads)
    swiglu_plain(const float* x, std::int64_t rows, Matrix gate, Matrix up, std::int64_t n, float* out) {
    const std::int64_t output = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) / kWarp;
    if (output >= n) return;
    for (std::int64_t row = 0; row < rows; row += kRowsAtOnce) {
        float g[kRowsAtOnce], u[kRowsAtOnce];
        dot_rows(x, rows, row, gate, output, g);
        dot_rows(x, rows, row, up, output, u);
        for (int r = 0; r < kRowsAtOnce; ++r)
            if (row + r < rows && static_cast<int>(threadIdx.x % kWarp) == r) out[(row + r) * n + output] = silu_of(g[r]) * u[r];
    }
}

} // namespace speclens::cuda
