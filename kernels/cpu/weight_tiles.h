// The memory order of bf16 weights that matmul_tiles.cpp multiplies with.
//
// Sixteen rows of the matrix (outputs) form a tile, tiles follow each other. Inside a tile, one 64-byte line
// holds two neighbouring columns of its sixteen rows, as sixteen 32-bit pairs (low half: even column):
//
//     line p:  w[0][2p] w[0][2p+1]  w[1][2p] w[1][2p+1]  …  w[15][2p] w[15][2p+1]
//
// So lanes are outputs and nothing has to be summed over lanes, a pair is widened to two f32 vectors by a
// shift and a mask, and a thread reads its share of the matrix from front to back. The size is that of the
// rows.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/backend.h"

namespace speclens {

[[nodiscard]] inline bool divides_into_tiles(std::int64_t rows, std::int64_t cols) {
    return rows > 0 && rows % kTiledRows == 0 && cols % 2 == 0;
}

// Tiles [first, last) of a matrix whose rows of bf16 start at `from`, which need not be aligned.
inline void pack_tiles(const std::byte* from, std::int64_t cols, std::int64_t first, std::int64_t last, std::uint16_t* to) {
    for (std::int64_t tile = first; tile < last; ++tile) {
        const std::byte* rows = from + 2 * tile * kTiledRows * cols;
        std::uint16_t* lines = to + tile * kTiledRows * cols;
        for (std::int64_t pair = 0; pair < cols / 2; ++pair) {
            for (std::int64_t row = 0; row < kTiledRows; ++row) {
                std::memcpy(lines + 2 * (pair * kTiledRows + row), rows + 2 * (row * cols + 2 * pair), 4);
            }
        }
    }
}

// Where column `col` of row `row` is.
[[nodiscard]] inline std::int64_t index_in_tiles(std::int64_t row, std::int64_t col, std::int64_t cols) {
    const std::int64_t tile = row / kTiledRows;
    return tile * kTiledRows * cols + (col / 2) * 2 * kTiledRows + (row % kTiledRows) * 2 + col % 2;
}

} // namespace speclens
