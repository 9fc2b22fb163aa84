// How a weight matrix lies in device memory, and how one value of it is read.
//
// f32, and bf16 that does not divide into tiles, lie as rows. Other bf16 lies in tiles of 16 x 16 values in
// the order in which the lanes of a warp hold the first operand of mma.m16n8k16 (PTX ISA, "Matrix Fragments
// for mma.m16n8k16"): lane l holds eight values side by side, so a warp reads a tile as 512 bytes without a
// gap. Tiles of sixteen outputs follow each other along the inputs, then along the outputs; the size is that
// of rows.
#pragma once

#include "kernels/cuda/dialect.h"

namespace speclens::cuda {

inline constexpr int kTile = 16;

enum class Layout : std::uint8_t { f32_rows, bf16_rows, bf16_tiles };

struct Matrix {
    const void* data = nullptr;
    std::int64_t cols = 0;
    Layout layout = Layout::f32_rows;
};

__device__ inline float widen_bf16(std::uint16_t bits) { return __uint_as_float(static_cast<unsigned>(bits) << 16); }

// Where value (row, col) of a tiled matrix is.
__host__ __device__ inline std::int64_t index_in_tiles(std::int64_t row, std::int64_t col, std::int64_t cols) {
    const std::int64_t tile = row / kTile * (cols / kTile) + col / kTile;
    const int r = static_cast<int>(row % kTile), c = static_cast<int>(col % kTile);
    const int lane = r % 8 * 4 + c % 8 / 2;
    return tile * kTile * kTile + lane * 8 + c / 8 * 4 + r / 8 * 2 + c % 2;
}

__device__ inline float value_at(const Matrix& m, std::int64_t row, std::int64_t col) {
    if (m.layout == Layout::f32_rows) return static_cast<const float*>(m.data)[row * m.cols + col];
    const auto* bits = static_cast<const std::uint16_t*>(m.data);
    return widen_bf16(bits[m.layout == Layout::bf16_rows ? row * m.cols + col : index_in_tiles(row, col, m.cols)]);
}

} // namespace speclens::cuda
