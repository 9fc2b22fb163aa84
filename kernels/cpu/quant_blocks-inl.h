// The walk over quantised weights in tiles (quant_tiles.h) that their products with rounded activations share: lanes are
// outputs, a stretch (a run of columns with one scale) is summed by itself and added to the output's chain, and a weight is
// loaded once while a few rows of x pass by. Compiled once per instruction set (hence the odd include guard).
//
// What multiplies is a `Kernel`:
//     kType               of the weights
//     kMaxRows            rows of x per weight that is loaded
//     vectors_for(C)      vectors of outputs side by side for C rows
//     Block               kActivationBlock values of x as they were packed
//     more_rows(task, first, last)   of whole tiles, for more than kMostRows rows, in place of the walk; both may be left out
//     Stretch<G, C>       ::multiply(block, sub, tile_bytes, stretch, x, acc): adds stretch `stretch` of the block of sixteen
//                         rows at `block`, from vector `sub` of the tile on, to acc[c * G + g]; x: the Blocks of C rows
#if defined(SPECLENS_QUANT_BLOCKS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SPECLENS_QUANT_BLOCKS_INL_H_
#undef SPECLENS_QUANT_BLOCKS_INL_H_
#else
#define SPECLENS_QUANT_BLOCKS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <utility>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/quant_activations.h"
#include "kernels/cpu/quant_scales-inl.h"
#include "kernels/cpu/quant_tiles.h"
#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace speclens {
namespace HWY_NAMESPACE {
namespace {

constexpr std::int64_t kVectors = kTiledRows / kLanes; // vectors per tile
constexpr bool kManyRegisters = kLanes == 16;          // 32 with AVX-512, 16 otherwise
constexpr std::int64_t kAhead = 2048;                  // bytes between prefetch and use, in each tile
constexpr std::int64_t kPanelBytes = 64 << 10;         // weights that wait in L2 for the next rows of x

// Where the tile of vector i of a block of outputs is that starts at vector `sub` of its tile.
HWY_INLINE const std::byte* tile_of(const std::byte* tile, std::int64_t sub, std::int64_t i, std::int64_t tile_bytes) {
    return tile + (sub + i) / kVectors * tile_bytes;
}

HWY_INLINE void prefetch(const std::byte* from, std::int64_t distance) {
    hwy::Prefetch(reinterpret_cast<const std::byte*>(reinterpret_cast<std::uintptr_t>(from) + static_cast<std::uintptr_t>(distance)));
}

// Bytes of a row of x that was packed.
template <class Block>
std::int64_t packed_row(std::int64_t k) {
    return k / kActivationBlock * static_cast<std::int64_t>(sizeof(Block));
}

// G vectors of outputs for C rows of x, starting at vector `sub` of the tile at `tile`.
template <class Kernel, int G, int C>
HWY_INLINE void block(const std::byte* tile, std::int64_t sub, std::int64_t k, const std::byte* HWY_RESTRICT x, const float* bias,
                      float* HWY_RESTRICT out, std::int64_t out_stride) {
    using Block = typename Kernel::Block;
    constexpr QuantLayout kLayout = *quant_layout(Kernel::kType);
    constexpr auto all = std::make_index_sequence<G * C>();
    constexpr std::int64_t kTiles = G < kVectors ? 1 : G / kVectors;
    constexpr int kStretches = kLayout.values / kLayout.stretch;
    constexpr std::int64_t kStretchBytes = kLayout.tile_bytes() / kStretches;
    const std::int64_t tile_bytes = k / kLayout.values * kLayout.tile_bytes();
    const Block* rows[C];
    for (int c = 0; c < C; ++c) rows[c] = reinterpret_cast<const Block*>(x + c * packed_row<Block>(k));
    V acc[G * C];
    clear(acc, all);

    for (std::int64_t at = 0; at < tile_bytes; at += kLayout.tile_bytes()) {
        for (int number = 0; number < kStretches; ++number) {
            // Near the end of a tile the next bytes to come are those of the next block, kTiles tiles further on.
            const std::int64_t next = at + number * kStretchBytes + kAhead;
            const std::byte* ahead = tile + (next < tile_bytes ? next : next + (kTiles - 1) * tile_bytes);
            for (std::int64_t t = 0; t < kTiles; ++t)
                for (std::int64_t line = 0; line < kStretchBytes; line += 64) prefetch(ahead, t * tile_bytes + line);
            Kernel::template Stretch<G, C>::multiply(tile + at, sub, tile_bytes, number, rows, acc);
            if (kLayout.stretch == kActivationBlock || number % 2 == 1)
                for (int c = 0; c < C; ++c) ++rows[c];
        }
    }
    store_vectors<G>(acc, bias, out, out_stride, all);
}

// Outputs [first, last), whole tiles, for C rows of x, in blocks of G vectors and what is left in smaller ones.
// `out` is where output `first` of the first of these rows goes.
template <class Kernel, int G, int C>
HWY_NOINLINE void outputs_for_rows(const MatmulTask& task, const std::byte* x, float* out, std::int64_t first, std::int64_t last) {
    constexpr QuantLayout kLayout = *quant_layout(Kernel::kType);
    const auto* weight = static_cast<const std::byte*>(task.weight);
    const std::int64_t tile_bytes = task.k / kLayout.values * kLayout.tile_bytes();
    std::int64_t j = first;
    for (; j + G * kLanes <= last; j += G * kLanes) {
        block<Kernel, G, C>(weight + j / kTiledRows * tile_bytes, j % kTiledRows / kLanes, task.k, x, task.bias ? task.bias + j : nullptr,
                            out + (j - first), task.out_stride);
    }
    if constexpr (G > 1) {
        if (j < last) outputs_for_rows<Kernel, G / 2, C>(task, x, out + (j - first), j, last);
    }
}

using RowsFunction = void (*)(const MatmulTask&, const std::byte*, float*, std::int64_t, std::int64_t);
template <class Kernel, std::size_t... Cs>
RowsFunction rows_function(int rows, std::index_sequence<Cs...>) {
    static constexpr RowsFunction kFunctions[] = {
        outputs_for_rows<Kernel, Kernel::vectors_for(static_cast<int>(Cs) + 1), static_cast<int>(Cs) + 1>...};
    return kFunctions[rows - 1];
}

template <class Kernel>
void multiply_whole_tiles(const MatmulTask& task, std::int64_t first, std::int64_t last) {
    if constexpr (requires { Kernel::more_rows(task, first, last); })
        if (task.rows > Kernel::kMostRows) return Kernel::more_rows(task, first, last);
    // Rows of x are dealt with in blocks of at most kMaxRows, as equal as possible: block i begins at this row.
    const int blocks = (task.rows + Kernel::kMaxRows - 1) / Kernel::kMaxRows;
    const auto begin_of = [&](int i) { return task.rows * i / blocks; };
    // With several blocks, a panel of weights stays in cache until all have passed.
    constexpr std::int64_t kUnit = 4 * kTiledRows;
    const auto output_bytes = static_cast<std::int64_t>(bytes_of(Kernel::kType, task.k));
    const std::int64_t height = blocks == 1 ? last - first : std::max(kUnit, kPanelBytes / output_bytes / kUnit * kUnit);
    for (std::int64_t j = first; j < last; j += height) {
        for (int i = 0; i < blocks; ++i) {
            const int row = begin_of(i);
            const auto function = rows_function<Kernel>(begin_of(i + 1) - row, std::make_index_sequence<Kernel::kMaxRows>());
            function(task, static_cast<const std::byte*>(task.x) + row * packed_row<typename Kernel::Block>(task.k),
                     task.out + row * task.out_stride + (j - first), j, std::min(last, j + height));
        }
    }
}

// Outputs [first, last) of rows of x that are row_bytes apart, by `whole_tiles`, which takes a task and whole tiles of it.
template <class WholeTiles>
void multiply_any(const MatmulTask& task, std::int64_t first, std::int64_t last, std::int64_t row_bytes, const WholeTiles& whole_tiles) {
    const std::int64_t whole = last / kTiledRows * kTiledRows;
    if (first < whole) whole_tiles(task, first, whole);
    if (whole == last) return;
    // The last tile has fewer rows than lanes: beside `out`, which has no room for the others.
    constexpr int kTogether = 64;
    HWY_ALIGN float lanes[kTogether * kTiledRows];
    for (int row = 0; row < task.rows; row += kTogether) {
        MatmulTask part = task;
        part.x = static_cast<const std::byte*>(task.x) + row * row_bytes;
        part.rows = std::min(kTogether, task.rows - row);
        part.bias = nullptr;
        part.out = lanes;
        part.out_stride = kTiledRows;
        whole_tiles(part, whole, whole + kTiledRows);
        for (int r = 0; r < part.rows; ++r)
            for (std::int64_t j = whole; j < last; ++j)
                task.out[(row + r) * task.out_stride + (j - first)] =
                    task.bias ? lanes[r * kTiledRows + (j - whole)] + task.bias[j] : lanes[r * kTiledRows + (j - whole)];
    }
}

// work(std::integral_constant<DType, T>()) for the type T of the weights.
template <class Work>
void for_type(DType weights, const Work& work) {
    switch (weights) {
    case DType::q8_0: return work(std::integral_constant<DType, DType::q8_0>());
    case DType::q4_0: return work(std::integral_constant<DType, DType::q4_0>());
    case DType::q4_1: return work(std::integral_constant<DType, DType::q4_1>());
    case DType::q5_0: return work(std::integral_constant<DType, DType::q5_0>());
    case DType::q4_k: return work(std::integral_constant<DType, DType::q4_k>());
    case DType::q6_k: return work(std::integral_constant<DType, DType::q6_k>());
    default: check_failed("a quantised type with tiles", __FILE__, __LINE__, name_of(weights));
    }
}

// Kernel<T> for the type T of the task's weights.
template <template <DType> class Kernel>
void multiply_quantised(const MatmulTask& task, std::int64_t first, std::int64_t last) {
    for_type(task.dtype, [&]<DType T>(std::integral_constant<DType, T>) {
        using Own = Kernel<T>;
        multiply_any(task, first, last, packed_row<typename Own::Block>(task.k),
                     [](const MatmulTask& part, std::int64_t begin, std::int64_t end) { multiply_whole_tiles<Own>(part, begin, end); });
    });
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace speclens
HWY_AFTER_NAMESPACE();

#endif // SPECLENS_QUANT_BLOCKS_INL_H_
