// out = x * weightᵀ with bf16 weights in tiles (weight_tiles.h) and x rounded to bf16, by products of whole tiles (AMX-BF16;
// Intel's Software Developer's Manual, volume 1, chapter 18, and TDPBF16PS). A tile register has sixteen rows of 64 bytes:
// sixteen lines of a weight's tile, that is 32 columns of sixteen outputs, as they stand; sixteen rows of 32 columns of x; or
// the sums of sixteen rows and sixteen outputs. Everything is written against a `Unit`, which is the processor
// (matmul_amx.cpp) or, in the tests, a plain model of it, which the processor is held against
// where there is one (tests/kernels/amx_test.cpp).
//
// Bits: the sum of an output begins at 0, and for every 32 columns, ascending, a sum of its own is added to it: one chain of
// fused multiply-adds over the even columns plus one over the odd ones. Subnormal numbers count as zeros and none are made.
// So neither the number of rows nor that of threads can change a result. One row costs a sixteenth of the arithmetic of
// sixteen, and its weights are read once, too: one kernel for all numbers of rows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "kernels/cpu/kernels.h"

namespace speclens::amx {

inline constexpr int kRows = 16, kRowBytes = 64; // of a register
inline constexpr std::int64_t kColumns = 32;     // of bf16 in a row

// The operand of LDTILECFG: rows and bytes of a row of every register.
struct alignas(64) Shapes {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {};
    std::uint8_t rows[16] = {};
};
static_assert(sizeof(Shapes) == 64);

// Registers 0 to 3 hold the sums of four tiles of outputs, 4 x and 5 weights; 6 and 7 x and weights of the last columns, where
// fewer than 32 are left.
inline constexpr int kSumTiles = 4, kX = 4, kWeights = 5, kLastX = 6, kLastWeights = 7;

[[nodiscard]] inline Shapes shapes_for(int rows, std::int64_t k) {
    const auto rows_of_x = static_cast<std::uint8_t>(rows);
    const auto last = static_cast<int>(k % kColumns);
    Shapes shapes;
    const auto set = [&](int tile, std::uint8_t height, int bytes) {
        shapes.rows[tile] = height;
        shapes.row_bytes[tile] = static_cast<std::uint16_t>(bytes);
    };
    for (int tile = 0; tile < kSumTiles; ++tile) set(tile, rows_of_x, kRowBytes);
    set(kX, rows_of_x, kRowBytes);
    set(kWeights, kRows, kRowBytes);
    if (last > 0) {
        set(kLastX, rows_of_x, 2 * last);
        set(kLastWeights, static_cast<std::uint8_t>(last / 2), kRowBytes);
    }
    return shapes;
}

// Some rows of x, and where the output of the first of them and of the first weight goes.
struct Rows {
    const std::byte* x = nullptr; // bf16
    std::int64_t x_stride = 0;    // bytes
    float* out = nullptr;
    std::int64_t out_stride = 0; // floats
};

template <class Unit, int tile_of_x, int tile_of_weights, int... Tiles>
void add_products(const std::byte* weights, std::int64_t tile_bytes, const std::byte* x, std::int64_t x_stride,
                  std::integer_sequence<int, Tiles...>) {
    Unit::template load<tile_of_x>(x, x_stride);
    ((Unit::template load<tile_of_weights>(weights + Tiles * tile_bytes, kRowBytes),
      Unit::template add_product<Tiles, tile_of_x, tile_of_weights>()),
     ...);
}

// So many tiles of outputs side by side. The registers have their shapes.
template <class Unit, int... Tiles>
void multiply_tiles(const std::byte* weights, std::int64_t k, const Rows& rows, std::integer_sequence<int, Tiles...> tiles) {
    const std::int64_t tile_bytes = 2 * kTiledRows * k;
    (Unit::template clear<Tiles>(), ...);
    std::int64_t column = 0;
    for (; column + kColumns <= k; column += kColumns)
        add_products<Unit, kX, kWeights>(weights + 2 * kTiledRows * column, tile_bytes, rows.x + 2 * column, rows.x_stride, tiles);
    if (column < k)
        add_products<Unit, kLastX, kLastWeights>(weights + 2 * kTiledRows * column, tile_bytes, rows.x + 2 * column, rows.x_stride, tiles);
    (Unit::template store<Tiles>(rows.out + Tiles * kTiledRows, rows.out_stride * static_cast<std::int64_t>(sizeof(float))), ...);
}

// Outputs [first, last), whole tiles, for these rows.
template <class Unit>
void multiply_outputs(const std::byte* weights, std::int64_t k, Rows rows, std::int64_t first, std::int64_t last) {
    const std::int64_t output_bytes = 2 * k;
    std::int64_t j = first;
    for (; j + kSumTiles * kTiledRows <= last; j += kSumTiles * kTiledRows, rows.out += kSumTiles * kTiledRows)
        multiply_tiles<Unit>(weights + j * output_bytes, k, rows, std::make_integer_sequence<int, kSumTiles>());
    for (; j < last; j += kTiledRows, rows.out += kTiledRows)
        multiply_tiles<Unit>(weights + j * output_bytes, k, rows, std::make_integer_sequence<int, 1>());
}

// x as bf16_matmul() packs it, rows `x_stride` bytes apart.
template <class Unit>
void multiply(const MatmulTask& task, std::int64_t x_stride, std::int64_t first, std::int64_t last) {
    constexpr std::int64_t kPanelBytes = 512 << 10; // weights that wait in L2 for the next rows of x
    constexpr std::int64_t kUnit = kSumTiles * kTiledRows;
    const int blocks = (task.rows + kRows - 1) / kRows; // of rows, as equal as possible
    const auto begin_of = [&](int i) { return task.rows * i / blocks; };
    const std::int64_t height = blocks == 1 ? last - first : std::max(kUnit, kPanelBytes / (2 * task.k) / kUnit * kUnit);
    for (std::int64_t j = first; j < last; j += height) {
        const std::int64_t end = std::min(last, j + height);
        for (int i = 0; i < blocks; ++i) {
            const int row = begin_of(i), count = begin_of(i + 1) - row;
            float* out = task.out + row * task.out_stride + (j - first);
            Unit::set_shapes(shapes_for(count, task.k));
            multiply_outputs<Unit>(static_cast<const std::byte*>(task.weight), task.k,
                                   {.x = static_cast<const std::byte*>(task.x) + row * x_stride,
                                    .x_stride = x_stride,
                                    .out = out,
                                    .out_stride = task.out_stride},
                                   j, end);
            if (task.bias == nullptr) continue;
            for (int r = 0; r < count; ++r)
                for (std::int64_t o = j; o < end; ++o) out[r * task.out_stride + (o - j)] += task.bias[o];
        }
    }
    Unit::release();
}

// Sixteen outputs of kept weights (matmul_kept.cpp) for at most kRows rows, into acc (rows, 16). The registers have the shapes of
// kept_shapes(). Each stretch is a product of one tile, summed from 0 and stored: its scales meet it there.
template <class Unit>
void multiply_kept_tile(const std::byte* tile, std::int64_t k, const KeptSteps& steps, const std::byte* x, std::int64_t x_stride, int rows,
                        std::int64_t x_block, float* acc) {
    alignas(64) std::uint32_t lines[2][kRows * kTiledRows];
    alignas(64) float sums[2][kRows * kTiledRows];
    const int stretches = steps.values / steps.stretch, of_block = static_cast<int>(kColumns) / steps.stretch;
    std::fill_n(acc, rows * kTiledRows, 0.0f);
    std::int64_t done = 0; // stretches
    for (std::int64_t column = 0; column < k; column += steps.values, tile += steps.bytes)
        for (int stretch = 0; stretch < stretches; ++stretch, ++done) {
            const int at = static_cast<int>(done % 2); // what was stored last may be on its way yet
            const std::byte* block = x + done / of_block * x_block;
            steps.unpack(tile, stretch, lines[at]);
            Unit::template clear<0>();
            Unit::template load<kX>(block + done % of_block * 2 * steps.stretch, x_stride);
            Unit::template load<kWeights>(lines[at], kRowBytes);
            Unit::template add_product<0, kX, kWeights>();
            Unit::template store<0>(sums[at], kRowBytes);
            steps.add(tile, stretch, block, x_stride, sums[at], rows, acc);
        }
}

[[nodiscard]] inline Shapes kept_shapes(int rows, int stretch) {
    Shapes shapes;
    shapes.rows[0] = shapes.rows[kX] = static_cast<std::uint8_t>(rows);
    shapes.row_bytes[0] = shapes.row_bytes[kWeights] = kRowBytes;
    shapes.row_bytes[kX] = static_cast<std::uint16_t>(2 * stretch);
    shapes.rows[kWeights] = static_cast<std::uint8_t>(stretch / 2);
    return shapes;
}

// Outputs [first, last) of kept weights; x as kept_matmul() packs it for AVX512_BF16, blocks of kColumns columns x_block bytes apart.
template <class Unit>
void multiply_kept(const MatmulTask& task, const KeptSteps& steps, std::int64_t x_stride, std::int64_t first, std::int64_t last) {
    const std::int64_t x_block = x_stride / (task.k / kColumns);
    const int blocks = (task.rows + kRows - 1) / kRows; // of rows, as equal as possible
    const auto begin_of = [&](int i) { return task.rows * i / blocks; };
    for (std::int64_t j = first; j < last; j += kTiledRows) { // a tile of weights stays in the first cache for all rows
        const std::byte* tile = static_cast<const std::byte*>(task.weight) + j / kTiledRows * (task.k / steps.values) * steps.bytes;
        const std::int64_t outputs = std::min(kTiledRows, last - j);
        for (int i = 0; i < blocks; ++i) {
            const int row = begin_of(i), count = begin_of(i + 1) - row;
            alignas(64) float acc[kRows * kTiledRows];
            Unit::set_shapes(kept_shapes(count, steps.stretch));
            multiply_kept_tile<Unit>(tile, task.k, steps, static_cast<const std::byte*>(task.x) + row * x_stride, x_stride, count, x_block,
                                     acc);
            for (int r = 0; r < count; ++r)
                for (std::int64_t o = 0; o < outputs; ++o)
                    task.out[(row + r) * task.out_stride + (j - first + o)] =
                        task.bias ? acc[r * kTiledRows + o] + task.bias[j + o] : acc[r * kTiledRows + o];
        }
    }
    Unit::release();
}

} // namespace speclens::amx
