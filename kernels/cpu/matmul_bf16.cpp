// out = x * weightᵀ with bf16 weights in tiles (weight_tiles.h) and x rounded to bf16, by the processor's sums of two
// products (AVX512_BF16, VDPBF16PS): a line of a tile is its operand as it stands. Otherwise as matmul_tiles.cpp: a line is
// loaded once while up to eight rows of x pass by, one broadcast pair of values each.
//
// Bits: one output is one chain in its own lane, k ascending by pairs, and of a pair first the odd column and then the even
// one is added, each by a fused multiply-add that takes subnormal numbers for zeros and makes none (Intel's Software
// Developer's Manual; a Zen 4 does the same). Block shapes only decide which outputs are computed side by side, so they, and
// with them the number of rows and of threads, cannot change a result.
//
// The instruction stands here as assembly: Highway 1.0 has no target with it, and for the compiler's own function all of
// this file would have to be compiled for such processors.
#include "kernels/cpu/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/matmul_bf16.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <utility>

#include "hwy/cache_control.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/simd-inl.h"

#if HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace speclens {
namespace HWY_NAMESPACE {
namespace {

static_assert(kLanes == kTiledRows); // a vector is a line of a tile

constexpr int kMaxColumns = 8;                 // rows of x per load of a weight
constexpr std::int64_t kAhead = 8;             // lines between prefetch and use, in each tile
constexpr std::int64_t kPanelBytes = 64 << 10; // weights that wait in L2 for the next rows of x

using Pairs = hn::Vec<hn::Repartition<std::uint32_t, F>>; // of bf16, the even column in the low half
constexpr hn::Repartition<std::uint32_t, F> kPairs;

// Tiles side by side for C rows of x: with many rows enough chains to hide the latency of a sum of products (six cycles at
// one a round), few enough for 32 registers. One or two rows wait for memory, which is read faster in few places at once.
constexpr int tiles_for(int columns) { return columns <= 2 ? 2 : columns <= 5 ? 4 : 3; }

// acc + both products of every lane
HWY_INLINE void add_products(V& acc, Pairs weights, Pairs x) { asm("vdpbf16ps %2, %1, %0" : "+v"(acc.raw) : "v"(weights.raw), "v"(x.raw)); }

template <std::size_t... Gs>
HWY_INLINE void multiply_line(const Pairs* HWY_RESTRICT w, Pairs x, V* HWY_RESTRICT acc, std::index_sequence<Gs...>) {
    (add_products(acc[Gs], w[Gs], x), ...);
}

// One line of G tiles, C rows of x; the accumulator of (c, g) is acc[c * G + g]. Index sequences instead of loops: the
// accumulators stay in registers only when every index is a constant.
template <std::size_t... Gs, std::size_t... Cs>
HWY_INLINE void step(const std::uint32_t* lines, std::int64_t tile_size, const std::uint32_t* const* x, std::int64_t line,
                     V* HWY_RESTRICT acc, std::index_sequence<Gs...> tiles, std::index_sequence<Cs...>) {
    constexpr std::size_t G = sizeof...(Gs);
    const Pairs w[G] = {hn::Load(kPairs, lines + static_cast<std::int64_t>(Gs) * tile_size)...};
    (multiply_line(w, hn::Set(kPairs, x[Cs][line]), acc + Cs * G, tiles), ...);
}

template <std::size_t... Gs>
HWY_INLINE void prefetch_lines(const std::uint32_t* lines, std::int64_t tile_size, std::int64_t distance, std::index_sequence<Gs...>) {
    const auto at = reinterpret_cast<std::uintptr_t>(lines);
    (hwy::Prefetch(reinterpret_cast<const std::uint32_t*>(
         at + static_cast<std::uintptr_t>(4 * (static_cast<std::int64_t>(Gs) * tile_size + distance)))),
     ...);
}

std::int64_t packed_row(std::int64_t k) { return (2 * k + 63) / 64 * 64; }

// G tiles for C rows of x.
template <int G, int C>
HWY_INLINE void block(const std::uint32_t* tile, std::int64_t k, const std::byte* HWY_RESTRICT x, const float* bias,
                      float* HWY_RESTRICT out, std::int64_t out_stride) {
    constexpr auto tiles = std::make_index_sequence<G>();
    constexpr auto columns = std::make_index_sequence<C>();
    constexpr auto all = std::make_index_sequence<G * C>();
    const std::int64_t lines = k / 2, tile_size = lines * kLanes;
    const std::uint32_t* rows[C];
    for (int c = 0; c < C; ++c) rows[c] = reinterpret_cast<const std::uint32_t*>(x + c * packed_row(k));
    V acc[G * C];
    clear(acc, all);
    // Near the end of a tile the next lines to come are those of the next block, G tiles further on.
    const std::int64_t ahead = kAhead * kLanes, wrap = ahead + (G - 1) * tile_size;
    for (std::int64_t line = 0; line < lines; ++line) {
        prefetch_lines(tile + line * kLanes, tile_size, line + kAhead < lines ? ahead : wrap, tiles);
        step(tile + line * kLanes, tile_size, rows, line, acc, tiles, columns);
    }
    store_vectors<G>(acc, bias, out, out_stride, all);
}

// Outputs [first, last) for C rows of x, in blocks of G tiles and what is left one by one. `out` is where output `first` of
// the first of these rows goes.
template <int C>
HWY_NOINLINE void outputs_for_rows(const MatmulTask& task, const std::byte* x, float* out, std::int64_t first, std::int64_t last) {
    constexpr int G = tiles_for(C);
    const auto* weight = static_cast<const std::uint32_t*>(task.weight);
    const auto bias = [&](std::int64_t j) { return task.bias ? task.bias + j : nullptr; };
    std::int64_t j = first;
    for (; j + G * kLanes <= last; j += G * kLanes)
        block<G, C>(weight + j * task.k / 2, task.k, x, bias(j), out + (j - first), task.out_stride);
    for (; j + 2 * kLanes <= last; j += 2 * kLanes)
        block<2, C>(weight + j * task.k / 2, task.k, x, bias(j), out + (j - first), task.out_stride);
    if (j < last) block<1, C>(weight + j * task.k / 2, task.k, x, bias(j), out + (j - first), task.out_stride);
}

// Rows of x are dealt with in blocks of at most kMaxColumns, as equal as possible: block i begins at this row.
int block_begin(int rows, int i) {
    const int blocks = (rows + kMaxColumns - 1) / kMaxColumns;
    return rows * i / blocks;
}

using RowsFunction = void (*)(const MatmulTask&, const std::byte*, float*, std::int64_t, std::int64_t);
template <std::size_t... Cs>
RowsFunction rows_function(int columns, std::index_sequence<Cs...>) {
    static constexpr RowsFunction kFunctions[] = {outputs_for_rows<static_cast<int>(Cs) + 1>...};
    return kFunctions[columns - 1];
}

void multiply_bf16(const MatmulTask& task, std::int64_t first, std::int64_t last) {
    // With several blocks, a panel of weights stays in cache until all have passed.
    constexpr std::int64_t kUnit = 12 * kLanes; // whole blocks of three and of four tiles
    const std::int64_t in_cache = kPanelBytes / (2 * task.k) / kUnit * kUnit;
    const std::int64_t height = task.rows <= kMaxColumns ? last - first : std::max(kUnit, in_cache);
    for (std::int64_t j = first; j < last; j += height) {
        for (int i = 0, row = 0; row < task.rows; row = block_begin(task.rows, ++i)) {
            rows_function(block_begin(task.rows, i + 1) - row, std::make_index_sequence<kMaxColumns>())(
                task, static_cast<const std::byte*>(task.x) + row * packed_row(task.k), task.out + row * task.out_stride + (j - first), j,
                std::min(last, j + height));
        }
    }
}

void pack_bf16(const float* x, int rows, std::int64_t k, DType, std::byte* packed) {
    const hn::Rebind<std::uint16_t, F> u16;
    const auto narrow = [&](V v) { return hn::TruncateTo(u16, hn::ShiftRight<16>(hn::BitCast(kPairs, round_to_bf16(v)))); };
    for (int row = 0; row < rows; ++row) {
        const float* from = x + row * k;
        auto* to = reinterpret_cast<std::uint16_t*>(packed + row * packed_row(k));
        std::int64_t i = 0;
        for (; i + kLanes <= k; i += kLanes) hn::StoreU(narrow(hn::LoadU(F(), from + i)), u16, to + i);
        if (i < k) hn::StoreU(narrow(load_first(from + i, k - i)), u16, to + i); // a row has room for whole lines
    }
}

} // namespace

const MatmulKernels kBf16Matmul = {pack_bf16, packed_row, multiply_bf16};

} // namespace HWY_NAMESPACE
} // namespace speclens
HWY_AFTER_NAMESPACE();
#endif // HWY_TARGET == HWY_AVX3

#if HWY_ONCE
namespace speclens {

const MatmulKernels* bf16_matmul() {
#if HWY_ARCH_X86
    return &N_AVX3::kBf16Matmul;
#else
    return nullptr;
#endif
}

} // namespace speclens
#endif // HWY_ONCE
