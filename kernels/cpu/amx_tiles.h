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

// ---- kept weights (matmul_kept.cpp) ----
//
// Each stretch is a product of one tile, summed from 0 and stored: its scales meet it there. A register cannot take lines or sums
// before what stored them has reached the cache, some hundred cycles; so three things go on at once, a span (columns that are
// unpacked together) apart: the lines of the next one are unpacked, the products of this one begin, and the sums of the one
// before meet their scales.

inline constexpr int kSpan = 128;                 // columns
inline constexpr int kMostStretches = kSpan / 16; // of a span
inline constexpr int kMostBlocks = 8;             // blocks of rows for which lines are unpacked once

// Registers 0 to 3 hold the sums of stretches that follow each other, 4 and 5 x, 6 and 7 weights.
[[nodiscard]] inline Shapes kept_shapes(int rows, int stretch) {
    Shapes shapes;
    for (int tile = 0; tile < 8; ++tile) {
        shapes.rows[tile] = static_cast<std::uint8_t>(tile < 6 ? rows : stretch / 2);
        shapes.row_bytes[tile] = static_cast<std::uint16_t>(tile == 4 || tile == 5 ? 2 * stretch : kRowBytes);
    }
    return shapes;
}

template <class Unit, int sums_tile, int x_tile, int weights_tile>
void multiply_stretch(const std::uint32_t* lines, const std::byte* x, std::int64_t x_stride, float* sums) {
    Unit::template clear<sums_tile>();
    Unit::template load<x_tile>(x, x_stride);
    Unit::template load<weights_tile>(lines, kRowBytes);
    Unit::template add_product<sums_tile, x_tile, weights_tile>();
    Unit::template store<sums_tile>(sums, kRowBytes);
}

// The sums (stretch, row, 16) of so many stretches. x: the first column of the first row.
template <class Unit>
void multiply_stretches(int count, int stretch, const std::uint32_t* lines, const std::byte* x, std::int64_t x_stride, float* sums) {
    constexpr int kSums = kRows * kTiledRows;
    const int of_lines = stretch / 2 * static_cast<int>(kTiledRows), of_x = 2 * stretch;
    int i = 0;
    for (; i + 4 <= count; i += 4, lines += 4 * of_lines, x += 4 * of_x, sums += 4 * kSums) {
        multiply_stretch<Unit, 0, 4, 6>(lines, x, x_stride, sums);
        multiply_stretch<Unit, 1, 5, 7>(lines + of_lines, x + of_x, x_stride, sums + kSums);
        multiply_stretch<Unit, 2, 4, 6>(lines + 2 * of_lines, x + 2 * of_x, x_stride, sums + 2 * kSums);
        multiply_stretch<Unit, 3, 5, 7>(lines + 3 * of_lines, x + 3 * of_x, x_stride, sums + 3 * kSums);
    }
    for (; i < count; ++i, lines += of_lines, x += of_x, sums += kSums) multiply_stretch<Unit, 0, 4, 6>(lines, x, x_stride, sums);
}

// Some blocks of `height` rows each, at the rows `begin`.
struct KeptPanel {
    int blocks = 0, height = 0;
    int begin[kMostBlocks] = {};
};

// Outputs [first, last) of these rows. The registers have their shapes.
template <class Unit>
void multiply_kept_panel(const MatmulTask& task, const KeptSteps& steps, std::int64_t x_stride, const KeptPanel& panel, std::int64_t first,
                         std::int64_t last) {
    alignas(64) std::uint32_t lines[2][kSpan / 2 * kTiledRows];
    alignas(64) float sums[2][kMostStretches * kRows * kTiledRows];
    alignas(64) float acc[kMostBlocks][kRows * kTiledRows];
    struct Span {
        std::int64_t output = 0; // the first of sixteen
        int stretch = 0;         // the first one
        int count = 0;
    };
    const int stretches = static_cast<int>(task.k) / steps.stretch, most = kSpan / steps.stretch;
    const auto span_at = [&](std::int64_t output, int stretch) { return Span{output, stretch, std::min(most, stretches - stretch)}; };
    const auto after = [&](const Span& span) {
        const int next = span.stretch + span.count;
        return next < stretches ? span_at(span.output, next) : span_at(span.output + kTiledRows, 0);
    };
    const std::int64_t tile_bytes = task.k / steps.values * steps.bytes;
    const auto tile_of = [&](const Span& span) {
        return static_cast<const std::byte*>(task.weight) + span.output / kTiledRows * tile_bytes;
    };
    const auto row_of = [&](int block) { return static_cast<const std::byte*>(task.x) + panel.begin[block] * x_stride; };
    const auto finish = [&](const Span& span, int block, const float* of_span) {
        if (span.stretch == 0) std::fill_n(acc[block], panel.height * kTiledRows, 0.0f);
        steps.add(tile_of(span), span.stretch, span.count, row_of(block) + 2 * task.k, x_stride, of_span, panel.height, acc[block]);
        if (span.stretch + span.count < stretches) return;
        const std::int64_t outputs = std::min(kTiledRows, last - span.output);
        const float* bias = task.bias ? task.bias + span.output : nullptr;
        for (int r = 0; r < panel.height; ++r) {
            float* out = task.out + (panel.begin[block] + r) * task.out_stride + (span.output - first);
            for (std::int64_t o = 0; o < outputs; ++o)
                out[o] = bias ? acc[block][r * kTiledRows + o] + bias[o] : acc[block][r * kTiledRows + o];
        }
    };
    Span span = span_at(first, 0), before;
    int block_before = -1, at = 0; // whose sums wait, and in which half the next ones go
    steps.unpack(tile_of(span), span.stretch, span.count, lines[0]);
    for (int turn = 0; span.output < last; turn = 1 - turn) {
        const Span next = after(span);
        if (next.output < last) steps.unpack(tile_of(next), next.stretch, next.count, lines[1 - turn]);
        for (int block = 0; block < panel.blocks; ++block, at = 1 - at) {
            multiply_stretches<Unit>(span.count, steps.stretch, lines[turn], row_of(block) + 2 * steps.stretch * span.stretch, x_stride,
                                     sums[at]);
            if (block_before >= 0) finish(before, block_before, sums[1 - at]);
            before = span, block_before = block;
        }
        span = next;
    }
    finish(before, block_before, sums[1 - at]);
}

// Outputs [first, last) of kept weights; x as amx_kept_matmul() packs it.
template <class Unit>
void multiply_kept(const MatmulTask& task, const KeptSteps& steps, std::int64_t x_stride, std::int64_t first, std::int64_t last) {
    constexpr std::int64_t kPanelBytes = 1 << 20; // of x, which wait in L2 for the next outputs
    const int blocks = (task.rows + kRows - 1) / kRows, height = (task.rows + blocks - 1) / blocks;
    const std::int64_t touched = height * (2 * task.k + task.k / 2); // pairs and sums; what a row alone has lies behind them
    const int together = static_cast<int>(std::clamp<std::int64_t>(kPanelBytes / touched, 1, kMostBlocks));
    Unit::set_shapes(kept_shapes(height, steps.stretch));
    for (int done = 0; done < blocks; done += together) {
        KeptPanel panel{.blocks = std::min(together, blocks - done), .height = height};
        // All are of one height: the last one takes rows of the one before with it, whose outputs are written twice.
        for (int i = 0; i < panel.blocks; ++i) panel.begin[i] = std::min((done + i) * height, task.rows - height);
        multiply_kept_panel<Unit>(task, steps, x_stride, panel, first, last);
    }
    Unit::release();
}

} // namespace speclens::amx
