// The memory order of quantised weights that matmul_quant.cpp multiplies with. Nothing of a block is changed or rounded:
// its bits are only moved, and the size is that of the file (of whole tiles: lanes without a row in the last one count).
//
// Sixteen rows of the matrix (outputs) form a tile, tiles follow each other, and in a tile one block of columns follows
// the other. In such a block of sixteen rows, in this order (row r is lane r of every line):
//
//     f16 scales     one line of 16 halves (32 bytes) for each: d, then m or dmin
//     small scales   lines of 16 words: four bytes of each row's, as in the file (Q4_K: 3 lines, Q6_K: 4)
//     numbers        of eight bits: a line of 16 bytes for each column;
//                    of four, five, six: stretch by stretch lines of 16 words. A word holds the lowest four bits of eight
//                    columns of its row, the first one lowest; of five and six bits the others stand in one more word
//                    behind those of the stretch, see high_bit. So whatever is wanted of a word, numbers as the bytes of
//                    a lane or as its halves, takes a shift and a mask.
//
//            block   halves   small scales   numbers    bytes of sixteen rows
//     q8_0      32   d                       32 × 16      544
//     q4_0      32   d                        4 × 64      288
//     q4_1      32   d, m                     4 × 64      320
//     q5_0      32   d                        5 × 64      352
//     q4_k     256   d, dmin       3 × 64    32 × 64     2304
//     q6_k     256   d             4 × 64    48 × 64     3360
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/backend.h"
#include "kernels/error.h"

namespace speclens {

struct QuantLayout {
    DType dtype = DType::q8_0;
    int values = 0;      // columns of a block
    int bytes = 0;       // of one row's block in the file
    int halves = 0;      // f16 scales of a row
    int half_at[2] = {}; // where they are in the file's block
    int words = 0;       // small scales, in words of four bytes
    int word_at = 0;     // where they are in the file's block
    int bits = 0;        // of a number
    int stretch = 0;     // columns with one scale

    // Of a stretch: words with the lowest four bits of eight columns each, and all words.
    [[nodiscard]] constexpr int low_words() const { return stretch / 8; }
    [[nodiscard]] constexpr int stretch_words() const { return stretch * bits / 32; }
    // Where in the last word of a stretch the bits above the lowest four of column 8 · word + place begin. A quad takes
    // places 0, 2, 4, 6 or 1, 3, 5, 7 of a word, a pair two that lie four apart: theirs are a byte or half a word apart, too.
    [[nodiscard]] constexpr int high_bit(int word, int place) const { return place / 2 * 8 + (bits - 4) * (2 * word + place % 2); }

    // Where the parts of a block of sixteen rows begin, in bytes.
    [[nodiscard]] constexpr int words_at() const { return halves * 32; }
    [[nodiscard]] constexpr int numbers_at() const { return words_at() + words * 64; }
    [[nodiscard]] constexpr int tile_bytes() const { return numbers_at() + values * bits * 2; }
};

inline constexpr QuantLayout kQuantLayouts[] = {
    {DType::q8_0, 32, 34, 1, {0}, 0, 0, 8, 32},      {DType::q4_0, 32, 18, 1, {0}, 0, 0, 4, 32},
    {DType::q4_1, 32, 20, 2, {0, 2}, 0, 0, 4, 32},   {DType::q5_0, 32, 22, 1, {0}, 0, 0, 5, 32},
    {DType::q4_k, 256, 144, 2, {0, 2}, 3, 4, 4, 32}, {DType::q6_k, 256, 210, 1, {208}, 4, 192, 6, 16},
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

// Where a number's bits are in a block of the file: the lowest four (of Q8_0: all), and the others.
struct QuantPlace {
    int byte = 0, shift = 0;
};
[[nodiscard]] constexpr QuantPlace low_place(DType dtype, int col) {
    const int half = col / 128, within = col % 128;
    switch (dtype) {
    case DType::q8_0: return {2 + col, 0};
    case DType::q4_0: return {2 + col % 16, col / 16 * 4};
    case DType::q4_1: return {4 + col % 16, col / 16 * 4};
    case DType::q5_0: return {6 + col % 16, col / 16 * 4};
    case DType::q4_k: return {16 + col / 64 * 32 + col % 32, col / 32 % 2 * 4};
    default: // q6_k
        return {64 * half + within % 64, within / 64 * 4};
    }
}
[[nodiscard]] constexpr QuantPlace high_place(DType dtype, int col) {
    if (dtype == DType::q5_0) return {2 + col / 8, col % 8};
    return {128 + 32 * (col / 128) + col % 32, col % 128 / 32 * 2}; // q6_k
}

// The number in column `col` of a block of the file, as its bits are.
[[nodiscard]] inline std::uint32_t number_in_block(const QuantLayout& layout, const std::byte* block, int col) {
    const auto bits_at = [&](QuantPlace place, int bits) {
        return std::to_integer<std::uint32_t>(block[place.byte]) >> place.shift & ((1u << bits) - 1);
    };
    if (layout.bits <= 4) return bits_at(low_place(layout.dtype, col), 4);
    return bits_at(low_place(layout.dtype, col), 4) | bits_at(high_place(layout.dtype, col), layout.bits - 4) << 4;
}
inline void number_to_block(const QuantLayout& layout, std::uint32_t number, int col, std::byte* block) {
    const QuantPlace low = low_place(layout.dtype, col);
    block[low.byte] |= static_cast<std::byte>((number & 15) << low.shift);
    if (layout.bits <= 4) return;
    const QuantPlace high = high_place(layout.dtype, col);
    block[high.byte] |= static_cast<std::byte>(number >> 4 << high.shift);
}

// Eight bytes of 2^bits - 1 or less, the first one lowest, side by side: a word of numbers, or the spread bits of one.
[[nodiscard]] inline std::uint32_t nibbles_of(std::uint64_t bytes) {
    bytes = (bytes | bytes >> 4) & 0x00FF00FF00FF00FFu;
    bytes = (bytes | bytes >> 8) & 0x0000FFFF0000FFFFu;
    return static_cast<std::uint32_t>(bytes | bytes >> 16);
}
// Bytes of `bits` (one or two) each, to where high_bit puts those of word 0.
[[nodiscard]] inline std::uint32_t high_bits_of(std::uint64_t bytes, int bits) {
    bytes = (bytes | bytes >> (8 - bits)) & 0x000F000F000F000Fu;
    bytes = (bytes | bytes >> 8) & 0x0000FFFF0000FFFFu;
    return static_cast<std::uint32_t>(bytes | bytes >> 16);
}

// Columns [first, first + 8) of a block of the file, as eight bytes: their lowest four bits, and those above.
[[nodiscard]] inline std::uint64_t low_bytes(const QuantLayout& layout, const std::byte* block, int first) {
    const QuantPlace place = low_place(layout.dtype, first); // eight columns are eight bytes that follow each other
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, block + place.byte, 8);
    return bytes >> place.shift & 0x0F0F0F0F0F0F0F0Fu;
}
[[nodiscard]] inline std::uint64_t high_bytes(const QuantLayout& layout, const std::byte* block, int first) {
    const QuantPlace place = high_place(layout.dtype, first);
    if (layout.bits == 5) { // eight columns are a byte: bit i to byte i
        const std::uint64_t all = std::to_integer<std::uint64_t>(block[place.byte]) * 0x0101010101010101u & 0x8040201008040201u;
        return (all + 0x00406070787C7E7Fu) >> 7 & 0x0101010101010101u;
    }
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, block + place.byte, 8);
    return bytes >> place.shift & 0x0303030303030303u;
}

// Moves the bits of one row's block from the file's order to lane `row` of a block of sixteen rows.
inline void block_to_lane(const QuantLayout& layout, const std::byte* block, std::int64_t row, std::byte* to) {
    for (int i = 0; i < layout.halves; ++i) std::memcpy(to + 32 * i + 2 * row, block + layout.half_at[i], 2);
    for (int i = 0; i < layout.words; ++i) std::memcpy(to + layout.words_at() + 64 * i + 4 * row, block + layout.word_at + 4 * i, 4);
    std::byte* numbers = to + layout.numbers_at();
    if (layout.bits == 8) {
        for (int col = 0; col < layout.values; ++col) numbers[16 * col + row] = block[low_place(layout.dtype, col).byte];
        return;
    }
    numbers += 4 * row;
    for (int first = 0; first < layout.values; first += layout.stretch) {
        std::uint32_t high = 0;
        for (int w = 0; w < layout.low_words(); ++w, numbers += 64) {
            const std::uint32_t word = nibbles_of(low_bytes(layout, block, first + 8 * w));
            std::memcpy(numbers, &word, 4);
            if (layout.bits > 4) high |= high_bits_of(high_bytes(layout, block, first + 8 * w), layout.bits - 4) << layout.high_bit(w, 0);
        }
        if (layout.bits == 4) continue;
        std::memcpy(numbers, &high, 4);
        numbers += 64;
    }
}

// And back.
inline void lane_to_block(const QuantLayout& layout, const std::byte* from, std::int64_t row, std::byte* block) {
    std::memset(block, 0, static_cast<std::size_t>(layout.bytes));
    for (int i = 0; i < layout.halves; ++i) std::memcpy(block + layout.half_at[i], from + 32 * i + 2 * row, 2);
    for (int i = 0; i < layout.words; ++i) std::memcpy(block + layout.word_at + 4 * i, from + layout.words_at() + 64 * i + 4 * row, 4);
    const std::byte* numbers = from + layout.numbers_at();
    if (layout.bits == 8) {
        for (int col = 0; col < layout.values; ++col) block[low_place(layout.dtype, col).byte] = numbers[16 * col + row];
        return;
    }
    const auto word_at = [&](int stretch, int w) {
        std::uint32_t word = 0;
        std::memcpy(&word, numbers + 64 * (stretch * layout.stretch_words() + w) + 4 * row, 4);
        return word;
    };
    const std::uint32_t above = (1u << (layout.bits - 4)) - 1;
    for (int col = 0; col < layout.values; ++col) {
        const int stretch = col / layout.stretch, w = col % layout.stretch / 8, place = col % 8;
        std::uint32_t number = word_at(stretch, w) >> (4 * place) & 15;
        if (layout.bits > 4) number |= (word_at(stretch, layout.low_words()) >> layout.high_bit(w, place) & above) << 4;
        number_to_block(layout, number, col, block);
    }
}

// Tiles [first, last) of a matrix with `rows` rows, whose first row in the file's order is at `from`.
inline void pack_quant_tiles(const QuantLayout& layout, const std::byte* from, std::int64_t rows, std::int64_t cols, std::int64_t first,
                             std::int64_t last, std::byte* to) {
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
inline void row_of_quant_tiles(const QuantLayout& layout, const std::byte* tiles, std::int64_t cols, std::int64_t row, std::byte* to) {
    const std::int64_t blocks = cols / layout.values;
    const std::byte* tile = tiles + row / kTiledRows * kTiledRows * blocks * layout.bytes;
    for (std::int64_t block = 0; block < blocks; ++block)
        lane_to_block(layout, tile + block * layout.tile_bytes(), row % kTiledRows, to + block * layout.bytes);
}
// Writes such a row into a matrix in tiles, over whatever is there.
inline void row_into_quant_tiles(const QuantLayout& layout, const std::byte* from, std::int64_t cols, std::int64_t row, std::byte* tiles) {
    const std::int64_t blocks = cols / layout.values;
    std::byte* tile = tiles + row / kTiledRows * kTiledRows * blocks * layout.bytes;
    for (std::int64_t block = 0; block < blocks; ++block)
        block_to_lane(layout, from + block * layout.bytes, row % kTiledRows, tile + block * layout.tile_bytes());
}

} // namespace speclens
