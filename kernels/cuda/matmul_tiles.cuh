// The matrix product of decoding and verification: a few rows times tiled bf16 weights on the tensor cores.
//
// A block owns kTiles x 16 outputs for kGroups x 8 rows. Its eight warps deal the tiles along the inputs out
// like cards (so that together they read the weights front to back) and add their sums in warp order. Every
// output is therefore summed in one order whatever the number of rows, its place among them, kTiles or
// kGroups: decoding one token and verifying sixteen give the same bits. Activations stay f32: each is split
// into three bf16 (mma.cuh), smallest part first; the tensor cores have time for that while the weights come
// from memory.
#pragma once

#include "kernels/cuda/matmul.cuh"
#include "kernels/cuda/mma.cuh"

namespace speclens::cuda {

inline constexpr int kTileWarps = 8;
inline constexpr int kTileThreads = kTileWarps * kWarp;
inline constexpr int kGroupRows = 8; // columns of B: rows of the pass

[[nodiscard]] constexpr int tile_shared(int tiles, int groups) {
    return kTileWarps * tiles * kTile * groups * kGroupRows * static_cast<int>(sizeof(float));
}

// Adds this warp's share of the products to acc[tile][group]. `tile[t]` points at the first tile of sixteen
// outputs; x at the first row of the block; `rows` of them exist.
template <int kTiles, int kGroups>
__device__ inline void multiply_share(const float* x, std::int64_t rows, std::int64_t cols, const uint4* const (&tile)[kTiles],
                                      float (&acc)[kTiles][kGroups][4]) {
    const int lane = static_cast<int>(threadIdx.x % kWarp), warp = static_cast<int>(threadIdx.x / kWarp);
    for (std::int64_t k = warp; k < cols / kTile; k += kTileWarps) {
        uint4 a[kTiles];
        SIMT_UNROLL
        for (int t = 0; t < kTiles; ++t) a[t] = load_once(tile[t] + k * kWarp + lane);
        SIMT_UNROLL
        for (int g = 0; g < kGroups; ++g) {
            const std::int64_t row = g * kGroupRows + lane / 4;
            float v[4] = {0, 0, 0, 0};
            if (row < rows) {
                const float* const from = x + row * cols + k * kTile + lane % 4 * 2;
                v[0] = from[0];
                v[1] = from[1];
                v[2] = from[8];
                v[3] = from[9];
            }
            Split s[4];
            SIMT_UNROLL
            for (int i = 0; i < 4; ++i) s[i] = split(v[i]);
            SIMT_UNROLL
            for (int p = 2; p >= 0; --p) {
                const Pair b = {s[0].parts[p] >> 16 | s[1].parts[p], s[2].parts[p] >> 16 | s[3].parts[p]};
                SIMT_UNROLL
                for (int t = 0; t < kTiles; ++t) multiply_add(acc[t][g], a[t], b);
            }
        }
    }
}

// Leaves the sums of the warps in `sums`, (warp, tile * 16 + output, group * 8 + row).
template <int kTiles, int kGroups>
__device__ inline void put_sums(const float (&acc)[kTiles][kGroups][4], float* sums) {
    const int lane = static_cast<int>(threadIdx.x % kWarp), warp = static_cast<int>(threadIdx.x / kWarp);
    constexpr int kColumns = kGroups * kGroupRows;
    SIMT_UNROLL
    for (int t = 0; t < kTiles; ++t) SIMT_UNROLL
    for (int g = 0; g < kGroups; ++g) SIMT_UNROLL
    for (int e = 0; e < 4; ++e) {
        const int output = t * kTile + lane / 4 + e / 2 * 8, row = g * kGroupRows + lane % 4 * 2 + e % 2;
        sums[(warp * kTiles * kTile + output) * kColumns + row] = acc[t][g][e];
    }
    __syncthreads();
}

template <int kTiles, int kGroups>
__device__ inline float total(const float* sums, int output, int row) {
    float sum = 0;
    SIMT_UNROLL
    for (int w = 0; w < kTileWarps; ++w) sum += sums[(w * kTiles * kTile + output) * kGroups * kGroupRows + row];
    return sum;
}

__device__ inline const uint4* tile_at(const Matrix& weight, std::int64_t tile) {
    return static_cast<const uint4*>(weight.data) + tile * (weight.cols / kTile) * kWarp;
}

// grid: (blocks of kTiles tiles over all parts, blocks of kGroups * 8 rows). n of every part divides by
// kTiles * 16; `end` counts blocks.
template <int kTiles, int kGroups>
__global__ void __launch_bounds__(kTileThreads) matmul_tiles(const float* x, std::int64_t rows, Parts parts) {
    SIMT_SHARED(float, sums);
    std::int64_t unit = blockIdx.x;
    const Part& part = parts.part[part_of(parts, unit)];
    const std::int64_t cols = part.weight.cols, first = static_cast<std::int64_t>(blockIdx.y) * kGroups * kGroupRows;
    const uint4* tile[kTiles];
    SIMT_UNROLL
    for (int t = 0; t < kTiles; ++t) tile[t] = tile_at(part.weight, unit * kTiles + t);
    float acc[kTiles][kGroups][4] = {};
    multiply_share<kTiles, kGroups>(x + first * cols, rows - first, cols, tile, acc);
    put_sums<kTiles, kGroups>(acc, sums);
    constexpr int kOutputs = kTiles * kTile;
    for (int i = static_cast<int>(threadIdx.x); i < kOutputs * kGroups * kGroupRows; i += kTileThreads) {
        const int output = i % kOutputs, row = i / kOutputs;
        if (first + row >= rows) continue;
        const std::int64_t j = unit * kOutputs + output;
        const float sum = total<kTiles, kGroups>(sums, output, row);
        part.out[(first + row) * part.n + j] = part.bias == nullptr ? sum : sum + part.bias[j];
    }
}

// grid: (tiles of the outputs, blocks of kGroups * 8 rows)
template <int kGroups>
__global__ void __launch_bounds__(kTileThreads)
    swiglu_tiles(const float* x, std::int64_t rows, Matrix gate, Matrix up, std::int64_t n, float* out) {
    SIMT_SHARED(float, sums);
    const std::int64_t cols = gate.cols, first = static_cast<std::int64_t>(blockIdx.y) * kGroups * kGroupRows;
    const uint4* const tile[2] = {tile_at(gate, blockIdx.x), tile_at(up, blockIdx.x)};
    float acc[2][kGroups][4] = {};
    multiply_share<2, kGroups>(x + first * cols, rows - first, cols, tile, acc);
    put_sums<2, kGroups>(acc, sums);
    for (int i = static_cast<int>(threadIdx.x); i < kTile * kGroups * kGroupRows; i += kTileThreads) {
        const int output = i % kTile, row = i / kTile;
        if (first + row >= rows) continue;
        const float g = total<2, kGroups>(sums, output, row), u = total<2, kGroups>(sums, kTile + output, row);
        out[(first + row) * n + static_cast<std::int64_t>(blockIdx.x) * kTile + output] = silu_of(g) * u;
    }
}

} // namespace speclens::cuda
