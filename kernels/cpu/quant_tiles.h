// The memory order of quantised weights that matmul_quant.cpp multiplies with. Nothing of a block is changed or rounded:
// its bits are only moved, and the size is that of the file (of whole tiles: lanes without a row in the last one count).
//
// Sixteen rows of the matrix (outputs) form a tile, tiles follow each other, and in a tile one block of columns follows
// the other. In such a block of sixteen rows, in this order (row r is lane r of every line):
//
//     f16 scales     one line of 16 halves (32 bytes) for each: d, then m or dmin
//     small scales   lines of 16 words: four bytes of each row's, as in the file (Q4_K: 3 lines, Q6_K: 4)
//     low bits       of four bits: lines of 16 words, a row's eight columns from the lowest four bits up;
//                    of eight (Q8_0): one line of 16 bytes for each column
//     high bits      lines of 16 words, a row's columns from the lowest bits up: 32 columns of one bit (Q5_0), 16 of two (Q6_K)
//
//            block   halves  small  low         high        bytes of sixteen rows
//     q8_0      32   d              32 × 16                    544
//     q4_0      32   d               4 × 64                    288
//     q4_1      32   d, m            4 × 64                    320
//     q5_0      32   d               4 × 64     1 × 64         352
//     q4_k     256   d, dmin  12    32 × 64                   2304
//     q6_k     256   d        16    32 × 64    16 × 64        3360
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens {

struct QuantLayout {
    DType dtype = DType::q8_0;
    int values = 0;       // columns of a block
    int bytes = 0;        // of one row's block in the file
    int halves = 0;       // f16 scales of a row
    int half_at[2] = {};  // where they are in the file's block
    int words = 0;        // small scales, in words of four bytes
    int word_at = 0;      // where they are in the file's block
    int low_bits = 0, high_bits = 0;

    // Where the parts of a block of sixteen rows begin, in bytes.
    [[nodiscard]] constexpr int words_at() const { return halves * 32; }
    [[nodiscard]] constexpr int low_at() const { return words_at() + words * 64; }
    [[nodiscard]] constexpr int high_at() const { return low_at() + values * low_bits * 2; }
    [[nodiscard]] constexpr int tile_bytes() const { return high_at() + values * high_bits * 2; }
};

inline constexpr QuantLayout kQuantLayouts[] = {
    {DType::q8_0, 32, 34, 1, {0}, 0, 0, 8, 0},      {DType::q4_0, 32, 18, 1, {0}, 0, 0, 4, 0},
    {DType::q4_1, 32, 20, 2, {0, 2}, 0, 0, 4, 0},   {DType::q5_0, 32, 22, 1, {0}, 0, 0, 4, 1},
    {DType::q4_k, 256, 144, 2, {0, 2}, 3, 4, 4, 0}, {DType::q6_k, 256, 210, 1, {208}, 4, 192, 4, 2},
};
// Null for a type that has no tiles.
[[nodiscard]] constexpr const QuantLayout* quant_layout(DType dtype) {
    for (const QuantLayout& layout : kQuantLayouts)
        if (layout.dtype == dtype) return &layout;
    return nullptr;
}
static_assert([] {
    for (const QuantLayout& layout : kQuantLayouts)
        if (layout.tile_bytes() != kTiledRows * layout.bytes) return false;
    return true;
}());

// Where a number's bits are in a block of the file.
struct QuantPlace {
    int byte = 0, shift = 0;
};
[[nodiscard]] constexpr QuantPlace low_place(DType dtype, int col) {
    const int half = col / 128, within = col % 128;
    switch (dtype) {
    case DType::q8_0:
        return {2 + col, 0};
    case DType::q4_0:
        return {2 + col % 16, col / 16 * 4};
    case DType::q4_1:
        return {4 + col % 16, col / 16 * 4};
    case DType::q5_0:
        return {6 + col % 16, col / 16 * 4};
    case DType::q4_k:
        return {16 + col / 64 * 32 + col % 32, col / 32 % 2 * 4};
    default: // q6_k
        return {64 * half + within % 64, within / 64 * 4};
    }
}
[[nodiscard]] constexpr QuantPlace high_place(DType dtype, int col) {
    if (dtype == DType::q5_0) return {2 + col / 8, col % 8};
    return {128 + 32 * (col / 128) + col % 32, col % 128 / 32 * 2}; // q6_k
}

// Moves the bits of one row's block between the file's order and lane `row` of a block of sixteen rows.
inline void block_to_lane(const QuantLayout& layout, const std::byte* block, std::int64_t row, std::byte* to) {
    for (int i = 0; i < layout.halves; ++i) std::memcpy(to + 32 * i + 2 * row, block + layout.half_at[i], 2);
    for (int i = 0; i < layout.words; ++i)
        std::memcpy(to + layout.words_at() + 64 * i + 4 * row, block + layout.word_at + 4 * i, 4);
    const auto pack = [&](int bits, int begin, auto place) {
        const int per_word = 32 / bits;
        for (int first = 0; first < layout.values; first += per_word) {
            std::uint32_t word = 0;
            for (int i = 0; i < per_word; ++i) {
                const QuantPlace at = place(layout.dtype, first + i);
                const std::uint32_t number = std::to_integer<std::uint32_t>(block[at.byte]) >> at.shift & ((1u << bits) - 1);
                word |= number << (bits * i);
            }
            std::memcpy(to + begin + first / per_word * 64 + 4 * row, &word, 4);
        }
    };
    if (layout.low_bits == 4) pack(4, layout.low_at(), low_place);
    if (layout.low_bits == 8)
        for (int col = 0; col < layout.values; ++col)
            to[layout.low_at() + 16 * col + row] = block[low_place(layout.dtype, col).byte];
    if (layout.high_bits > 0) pack(layout.high_bits, layout.high_at(), high_place);
}

inline void lane_to_block(const QuantLayout& layout, const std::byte* from, std::int64_t row, std::byte* block) {
    std::memset(block, 0, static_cast<std::size_t>(layout.bytes));
    for (int i = 0; i < layout.halves; ++i) std::memcpy(block + layout.half_at[i], from + 32 * i + 2 * row, 2);
    for (int i = 0; i < layout.words; ++i)
        std::memcpy(block + layout.word_at + 4 * i, from + layout.words_at() + 64 * i + 4 * row, 4);
    const auto unpack = [&](int bits, int begin, auto place) {
        const int per_word = 32 / bits;
        for (int col = 0; col < layout.values; ++col) {
            std::uint32_t word = 0;
            std::memcpy(&word, from + begin + col / per_word * 64 + 4 * row, 4);
            const QuantPlace at = place(layout.dtype, col);
            const std::uint32_t number = word >> (bits * (col % per_word)) & ((1u << bits) - 1);
            block[at.byte] |= static_cast<std::byte>(number << at.shift);
        }
    };
    if (layout.low_bits == 4) unpack(4, layout.low_at(), low_place);
    if (layout.low_bits == 8)
        for (int col = 0; col < layout.values; ++col)
            block[low_place(layout.dtype, col).byte] = from[layout.low_at() + 16 * col + row];
    if (layout.high_bits > 0) unpack(layout.high_bits, layout.high_at(), high_place);
}

// Tiles [first, last) of a matrix with `rows` rows, whose first row in the file's order is at `from`.
inline void pack_quant_tiles(const QuantLayout& layout, const std::byte* from, std::int64_t rows, std::int64_t cols,
                             std::int64_t first, std::int64_t last, std::byte* to) {
    const std::int64_t blocks = cols / layout.values, row_bytes = blocks * layout.bytes;
    for (std::int64_t tile = first; tile < last; ++tile) {
        std::byte* place = to + tile * kTiledRows * row_bytes;
        const std::int64_t begin = tile * kTiledRows, there = rows - begin < kTiledRows ? rows - begin : kTiledRows;
        for (std::int64_t block = 0; block < blocks; ++block, place += layout.tile_bytes())
            for (std::int64_t row = 0; row < there; ++row)
                block_to_lane(layout, from + (begin + row) * row_bytes + block * layout.bytes, row, place);
    }
}

// Row `row` of a matrix in tiles, in the file's order.
inline void row_of_quant_tiles(const QuantLayout& layout, const std::byte* tiles, std::int64_t cols, std::int64_t row,
                               std::byte* to) {
    const std::int64_t blocks = cols / layout.values;
    const std::byte* tile = tiles + row / kTiledRows * kTiledRows * blocks * layout.bytes;
    for (std::int64_t block = 0; block < blocks; ++block)
        lane_to_block(layout, tile + block * layout.tile_bytes(), row % kTiledRows, to + block * layout.bytes);
}
// Writes such a row into a matrix in tiles, over whatever is there.
inline void row_into_quant_tiles(const QuantLayout& layout, const std::byte* from, std::int64_t cols, std::int64_t row,
                                 std::byte* tiles) {
    const std::int64_t blocks = cols / layout.values;
    std::byte* tile = tiles + row / kTiledRows * kTiledRows * blocks * layout.bytes;
    for (std::int64_t block = 0; block < blocks; ++block)
        block_to_lane(layout, from + block * layout.bytes, row % kTiledRows, tile + block * layout.tile_bytes());
}

} // namespace speclens
