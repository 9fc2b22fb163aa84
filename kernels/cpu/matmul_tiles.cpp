// out = x * weightᵀ for the few rows of a verify pass, with bf16 weights in tiles (weight_tiles.h). The
// weights are the traffic (even an app-sized model does not fit the L2 cache), so a weight is loaded and
// widened once and stays in its register while up to eight rows of x pass by, one broadcast value each.
//
// Bits: one output is one chain of fused multiply-adds, k ascending, in its own lane. Block shapes only
// decide which outputs are computed side by side, so they, and with them the number of rows and of threads,
// cannot change a result.
#include "kernels/cpu/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/matmul_tiles.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <utility>

#include "hwy/cache_control.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace speclens {
namespace HWY_NAMESPACE {
namespace {

constexpr std::int64_t kLine = 2 * kTiledRows;         // bf16 values in a line: two columns of sixteen outputs
constexpr std::int64_t kVectors = kTiledRows / kLanes; // vectors per line
constexpr bool kManyRegisters = kLanes == 16;          // 32 with AVX-512, 16 otherwise
constexpr int kMaxColumns = kManyRegisters ? 8 : 6;    // rows of x per weight load
constexpr std::int64_t kAhead = 16;                    // lines between prefetch and use, in each tile
constexpr std::int64_t kPanelBytes = 64 << 10;         // weights that wait in L2 for the next rows of x

// Vectors of outputs side by side for C rows of x: enough chains to hide the latency of a multiply-add, few
// enough for the registers. Divides or is a multiple of kVectors.
constexpr int vectors_for(int columns) {
    if (kManyRegisters) return columns <= 2 ? 8 : columns <= 6 ? 4 : 2;
    return columns == 1 ? 8 : columns == 2 ? 4 : 2;
}

// Vector i of a block that starts at vector `sub` of its tile.
HWY_INLINE const std::uint16_t* vector_at(const std::uint16_t* tile, std::int64_t sub, std::int64_t i, std::int64_t tile_size) {
    return tile + (sub + i) / kVectors * tile_size + (sub + i) % kVectors * 2 * kLanes;
}

HWY_INLINE V even_part(const std::uint16_t* w) {
    const hn::Repartition<std::uint32_t, F> u32;
    const hn::Repartition<std::uint16_t, F> u16;
    return hn::BitCast(F(), hn::ShiftLeft<16>(hn::BitCast(u32, hn::Load(u16, w))));
}

HWY_INLINE V odd_part(const std::uint16_t* w) {
    const hn::Repartition<std::uint32_t, F> u32;
    const hn::Repartition<std::uint16_t, F> u16;
    return hn::BitCast(F(), hn::And(hn::BitCast(u32, hn::Load(u16, w)), hn::Set(u32, 0xFFFF0000u)));
}

HWY_INLINE void prefetch(const std::uint16_t* w, std::int64_t distance) {
    hwy::Prefetch(reinterpret_cast<const std::uint16_t*>(reinterpret_cast<std::uintptr_t>(w) + static_cast<std::uintptr_t>(2 * distance)));
}

// acc[g] += w[g] * x
template <std::size_t... Gs>
HWY_INLINE void multiply_vector(const V* HWY_RESTRICT w, V x, V* HWY_RESTRICT acc, std::index_sequence<Gs...>) {
    ((acc[Gs] = hn::MulAdd(w[Gs], x, acc[Gs])), ...);
}

// Two columns of the weights, G vectors of outputs, C rows of x; the accumulator of (c, g) is acc[c * G + g].
// Index sequences instead of loops: the accumulators stay in registers only when every index is a constant.
template <std::size_t... Gs, std::size_t... Cs>
HWY_INLINE void step(const std::uint16_t* tile, std::int64_t sub, std::int64_t tile_size, const float* const* x, std::int64_t column,
                     V* HWY_RESTRICT acc, std::index_sequence<Gs...> vectors, std::index_sequence<Cs...>) {
    constexpr std::size_t G = sizeof...(Gs);
    const F f;
    const V even[G] = {even_part(vector_at(tile, sub, Gs, tile_size))...};
    (multiply_vector(even, hn::Set(f, x[Cs][column]), acc + Cs * G, vectors), ...);
    const V odd[G] = {odd_part(vector_at(tile, sub, Gs, tile_size))...};
    (multiply_vector(odd, hn::Set(f, x[Cs][column + 1]), acc + Cs * G, vectors), ...);
}

template <std::size_t... Ts>
HWY_INLINE void prefetch_lines(const std::uint16_t* tile, std::int64_t tile_size, std::int64_t distance, std::index_sequence<Ts...>) {
    (prefetch(tile + static_cast<std::int64_t>(Ts) * tile_size, distance), ...);
}

template <std::size_t... I>
HWY_INLINE void set_all(V* acc, V value, std::index_sequence<I...>) {
    ((acc[I] = value), ...);
}

// G vectors of outputs for C rows of x, starting at vector `sub` of the tile at `tile`.
template <int G, int C>
HWY_INLINE void block(const std::uint16_t* tile, std::int64_t sub, std::int64_t k, const float* HWY_RESTRICT x, const float* bias,
                      float* HWY_RESTRICT out, std::int64_t out_stride) {
    constexpr auto vectors = std::make_index_sequence<G>();
    constexpr auto columns = std::make_index_sequence<C>();
    constexpr auto all = std::make_index_sequence<G * C>();
    constexpr std::int64_t kTiles = G < kVectors ? 1 : G / kVectors;
    constexpr auto tiles = std::make_index_sequence<kTiles>();
    const std::int64_t tile_size = kTiledRows * k;
    const float* rows[C];
    for (int c = 0; c < C; ++c) rows[c] = x + c * k;
    V acc[G * C];
    set_all(acc, hn::Zero(F()), all);

    const std::int64_t lines = k / 2;
    // Near the end of a tile the next lines to come are those of the next block, kTiles tiles further on.
    const std::int64_t wrap = (kAhead - lines) * kLine + kTiles * tile_size;
    for (std::int64_t line = 0; line < lines; ++line) {
        prefetch_lines(tile + line * kLine, tile_size, line + kAhead < lines ? kAhead * kLine : wrap, tiles);
        step(tile + line * kLine, sub, tile_size, rows, 2 * line, acc, vectors, columns);
    }
    store_vectors<G>(acc, bias, out, out_stride, all);
}

// Outputs [first, last) for C rows of x, in blocks of G vectors and what is left in smaller ones.
// `out` is where output `first` of the first of these rows goes.
template <int G, int C>
HWY_NOINLINE void outputs_for_rows(const MatmulTask& task, const float* x, float* out, std::int64_t first, std::int64_t last) {
    const std::uint16_t* weight = static_cast<const std::uint16_t*>(task.weight);
    std::int64_t j = first;
    for (; j + G * kLanes <= last; j += G * kLanes) {
        block<G, C>(weight + j / kTiledRows * kTiledRows * task.k, j % kTiledRows / kLanes, task.k, x, task.bias ? task.bias + j : nullptr,
                    out + (j - first), task.out_stride);
    }
    if constexpr (G > 1) {
        if (j < last) outputs_for_rows<G / 2, C>(task, x, out + (j - first), j, last);
    }
}

template <int C>
void outputs_for_rows(const MatmulTask& task, const float* x, float* out, std::int64_t first, std::int64_t last) {
    outputs_for_rows<vectors_for(C), C>(task, x, out, first, last);
}

// Rows of x are dealt with in blocks of at most kMaxColumns, as equal as possible: block i begins at this
// row.
int block_begin(int rows, int i) {
    const int blocks = (rows + kMaxColumns - 1) / kMaxColumns;
    return rows * i / blocks;
}

void multiply_tiles(const MatmulTask& task, std::int64_t first, std::int64_t last) {
    // With several blocks, a panel of weights stays in cache until all have passed.
    const std::int64_t in_cache = kPanelBytes / (2 * task.k) / (4 * kTiledRows) * (4 * kTiledRows);
    const std::int64_t height = task.rows <= kMaxColumns ? last - first : std::max(4 * kTiledRows, in_cache);
    for (std::int64_t j = first; j < last; j += height) {
        const std::int64_t end = std::min(last, j + height);
        for (int i = 0, row = 0; row < task.rows; row = block_begin(task.rows, ++i)) {
            const float* x = static_cast<const float*>(task.x) + row * task.k;
            float* out = task.out + row * task.out_stride + (j - first);
            switch (block_begin(task.rows, i + 1) - row) {
            case 1: outputs_for_rows<1>(task, x, out, j, end); break;
            case 2: outputs_for_rows<2>(task, x, out, j, end); break;
            case 3: outputs_for_rows<3>(task, x, out, j, end); break;
            case 4: outputs_for_rows<4>(task, x, out, j, end); break;
            case 5: outputs_for_rows<5>(task, x, out, j, end); break;
            case 6: outputs_for_rows<6>(task, x, out, j, end); break;
            case 7: outputs_for_rows<std::min(7, kMaxColumns)>(task, x, out, j, end); break;
            default: outputs_for_rows<kMaxColumns>(task, x, out, j, end); break;
            }
        }
    }
}

void pack_rounded(const float* x, int rows, std::int64_t k, DType, std::byte* packed) {
    round_all_to_bf16(x, rows * k, reinterpret_cast<float*>(packed));
}
std::int64_t rounded_row(std::int64_t k) { return k * static_cast<std::int64_t>(sizeof(float)); }

} // namespace

const MatmulKernels kTileMatmul = {.multiply = multiply_tiles};
const MatmulKernels kRoundedTileMatmul = {pack_rounded, rounded_row, multiply_tiles};

} // namespace HWY_NAMESPACE
} // namespace speclens
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace speclens {

const MatmulKernels& tile_matmul(Isa isa, bool rounded) {
#if HWY_ARCH_X86
    if (isa == Isa::avx512) return rounded ? N_AVX3::kRoundedTileMatmul : N_AVX3::kTileMatmul;
    if (isa == Isa::avx2) return rounded ? N_AVX2::kRoundedTileMatmul : N_AVX2::kTileMatmul;
#endif
    (void)isa;
    return rounded ? HWY_NAMESPACE::kRoundedTileMatmul : HWY_NAMESPACE::kTileMatmul;
}

} // namespace speclens
#endif // HWY_ONCE
