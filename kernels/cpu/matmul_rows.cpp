// out = x * weightᵀ for weights stored as rows: f32 weights, and the few bf16 matrices that do not divide
// into tiles (matmul_tiles.cpp is the fast path). Lanes run along k, so each output ends with a sum over
// lanes.
//
// Bits: one output is one chain of fused multiply-adds per vector lane, k ascending, then one fixed sum over
// lanes (simd-inl.h). Tile shapes only decide which outputs are computed side by side, so they, and with them
// the number of rows and of threads, cannot change a result.
//
// bf16 is the upper half of an f32: of two neighbours in a 32-bit lane, the even one is widened by a shift
// and the odd one by a mask, two instructions per two vectors. x is packed in the same even/odd order
// beforehand.
#include "kernels/cpu/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/matmul_rows.cpp"
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

// Floats of a row of packed x: whole pairs of the widest vectors, and one cache line more so that rows do not fall on the
// same cache sets.
constexpr std::int64_t packed_stride(std::int64_t k) { return (k + 31) / 32 * 32 + 16; }

constexpr std::int64_t kStep = 2 * kLanes;      // columns consumed per step: an even and an odd vector
constexpr int kMaxColumns = 8;                  // rows of x per weight load
constexpr std::int64_t kPrefetchBytes = 8192;   // ahead of the weight row being read; the rows are contiguous
constexpr std::int64_t kPanelBytes = 128 << 10; // weights that wait in L2 for the next eight rows of x

// Outputs side by side for C rows of x: enough chains to hide the FMA latency, few enough to stay in
// registers (32 with AVX-512, 16 otherwise).
constexpr int outputs_for(int columns) {
    if (kLanes == 16) return columns <= 2 ? 8 : columns <= 6 ? 4 : 2;
    return columns == 1 ? 8 : columns == 2 ? 4 : columns <= 6 ? 2 : 1;
}

HWY_INLINE V even_part(const std::uint16_t* w) {
    const hn::Repartition<std::uint32_t, F> u32;
    const hn::Repartition<std::uint16_t, F> u16;
    return hn::BitCast(F(), hn::ShiftLeft<16>(hn::BitCast(u32, hn::LoadU(u16, w))));
}

HWY_INLINE V odd_part(const std::uint16_t* w) {
    const hn::Repartition<std::uint32_t, F> u32;
    const hn::Repartition<std::uint16_t, F> u16;
    return hn::BitCast(F(), hn::And(hn::BitCast(u32, hn::LoadU(u16, w)), hn::Set(u32, 0xFFFF0000u)));
}

HWY_INLINE V even_part(const float* w) { return hn::LoadU(F(), w); }
HWY_INLINE V odd_part(const float* w) { return hn::LoadU(F(), w + kLanes); }

template <class W>
HWY_INLINE void prefetch(const W* w) {
    hwy::Prefetch(reinterpret_cast<const W*>(reinterpret_cast<std::uintptr_t>(w) + kPrefetchBytes));
}

// acc[r] += w[r] * x over one vector: x is loaded once for all R outputs.
template <std::size_t... Rs>
HWY_INLINE void multiply(const V* HWY_RESTRICT w, V x, V* HWY_RESTRICT acc, std::index_sequence<Rs...>) {
    ((acc[Rs] = hn::MulAdd(w[Rs], x, acc[Rs])), ...);
}

// One even and one odd vector of R weight rows against C rows of x; the accumulator of (c, r) is acc[c * R +
// r]. Index sequences instead of loops: the accumulators stay in registers only when every index is a
// constant.
template <class W, std::size_t... Rs, std::size_t... Cs>
HWY_INLINE void step(const W* HWY_RESTRICT w, std::int64_t w_stride, const float* HWY_RESTRICT x, std::int64_t x_stride,
                     V* HWY_RESTRICT acc, std::index_sequence<Rs...> outputs, std::index_sequence<Cs...>) {
    constexpr std::size_t R = sizeof...(Rs);
    const V even[R] = {even_part(w + static_cast<std::int64_t>(Rs) * w_stride)...};
    (multiply(even, load_once(x + static_cast<std::int64_t>(Cs) * x_stride), acc + Cs * R, outputs), ...);
    const V odd[R] = {odd_part(w + static_cast<std::int64_t>(Rs) * w_stride)...};
    (multiply(odd, load_once(x + static_cast<std::int64_t>(Cs) * x_stride + kLanes), acc + Cs * R, outputs), ...);
}

template <class W, std::size_t... Rs>
HWY_INLINE void prefetch_rows(const W* w, std::int64_t w_stride, std::index_sequence<Rs...>) {
    (prefetch(w + static_cast<std::int64_t>(Rs) * w_stride), ...);
}

// Sums the lanes of the accumulators, adds the bias and stores R outputs for each of the C rows.
template <int R, std::size_t... Cs>
HWY_INLINE void store_outputs(const V* HWY_RESTRICT acc, const float* bias, float* HWY_RESTRICT out, std::int64_t out_stride,
                              std::index_sequence<Cs...>) {
    const F4 f;
    if constexpr (R % 4 == 0) {
        for (int r = 0; r < R; r += 4) {
            const V4 add = bias ? hn::LoadU(f, bias + r) : hn::Zero(f);
            (hn::StoreU(hn::Add(reduce4(acc[Cs * R + r], acc[Cs * R + r + 1], acc[Cs * R + r + 2], acc[Cs * R + r + 3]), add), f,
                        out + static_cast<std::int64_t>(Cs) * out_stride + r),
             ...);
        }
    } else {
        const V zero = hn::Zero(F());
        alignas(16) float sums[sizeof...(Cs) * 4];
        (hn::Store(reduce4(acc[Cs * R], R > 1 ? acc[Cs * R + R - 1] : zero, zero, zero), f, sums + 4 * Cs), ...);
        for (std::size_t c = 0; c < sizeof...(Cs); ++c) {
            for (int r = 0; r < R; ++r) {
                out[static_cast<std::int64_t>(c) * out_stride + r] = sums[4 * c + static_cast<std::size_t>(r)] + (bias ? bias[r] : 0.0f);
            }
        }
    }
}

// R outputs for C rows of x. w: first of the R weight rows; out: first output of the first row.
template <class W, int R, int C, bool kTail>
HWY_INLINE void tile(const W* HWY_RESTRICT w, std::int64_t k, const float* HWY_RESTRICT x, std::int64_t x_stride,
                     const float* HWY_RESTRICT bias, float* HWY_RESTRICT out, std::int64_t out_stride) {
    static_assert(R % 4 == 0 || R <= 2);
    constexpr auto outputs = std::make_index_sequence<R>();
    constexpr auto columns = std::make_index_sequence<C>();
    V acc[R * C];
    clear(acc, std::make_index_sequence<R * C>());

    const std::int64_t whole = k / kStep * kStep;
    for (std::int64_t i = 0; i < whole; i += kStep) {
        prefetch_rows(w + i, k, outputs);
        step(w + i, k, x + i, x_stride, acc, outputs, columns);
    }
    if constexpr (kTail) { // the last columns, padded with zeros like x
        W padded[R * kStep] = {};
        for (int r = 0; r < R; ++r) std::copy_n(w + r * k + whole, k - whole, padded + r * kStep);
        step(padded, kStep, x + whole, x_stride, acc, outputs, columns);
    }
    store_outputs<R>(acc, bias, out, out_stride, columns);
}

// All outputs of a panel for C rows of x.
template <class W, int C, bool kTail>
HWY_NOINLINE void panel(const W* w, std::int64_t outputs, std::int64_t k, const float* x, std::int64_t x_stride, const float* bias,
                        float* out, std::int64_t out_stride) {
    constexpr int R = outputs_for(C);
    std::int64_t j = 0;
    for (; j + R <= outputs; j += R) {
        tile<W, R, C, kTail>(w + j * k, k, x, x_stride, bias ? bias + j : nullptr, out + j, out_stride);
    }
    for (; j < outputs; ++j) {
        tile<W, 1, C, kTail>(w + j * k, k, x, x_stride, bias ? bias + j : nullptr, out + j, out_stride);
    }
}

template <class W, bool kTail>
void panel_for(int columns, const W* w, std::int64_t outputs, std::int64_t k, const float* x, std::int64_t x_stride, const float* bias,
               float* out, std::int64_t out_stride) {
    switch (columns) {
    case 1: return panel<W, 1, kTail>(w, outputs, k, x, x_stride, bias, out, out_stride);
    case 2: return panel<W, 2, kTail>(w, outputs, k, x, x_stride, bias, out, out_stride);
    case 3: return panel<W, 3, kTail>(w, outputs, k, x, x_stride, bias, out, out_stride);
    case 4: return panel<W, 4, kTail>(w, outputs, k, x, x_stride, bias, out, out_stride);
    case 5: return panel<W, 5, kTail>(w, outputs, k, x, x_stride, bias, out, out_stride);
    case 6: return panel<W, 6, kTail>(w, outputs, k, x, x_stride, bias, out, out_stride);
    case 7: return panel<W, 7, kTail>(w, outputs, k, x, x_stride, bias, out, out_stride);
    default: return panel<W, 8, kTail>(w, outputs, k, x, x_stride, bias, out, out_stride);
    }
}

// A panel for any number of rows: blocks of at most kMaxColumns, as equal as possible.
template <class W>
void all_rows(const W* w, std::int64_t outputs, std::int64_t k, const float* x, std::int64_t x_stride, int rows, const float* bias,
              float* out, std::int64_t out_stride) {
    const int blocks = (rows + kMaxColumns - 1) / kMaxColumns;
    for (int block = 0; block < blocks; ++block) {
        const int first = rows * block / blocks;
        const int columns = rows * (block + 1) / blocks - first;
        const auto run = k % kStep == 0 ? panel_for<W, false> : panel_for<W, true>;
        run(columns, w, outputs, k, x + first * x_stride, x_stride, bias, out + first * out_stride, out_stride);
    }
}

template <class W>
void multiply_typed(const MatmulTask& task, std::int64_t first, std::int64_t last) {
    const W* weight = static_cast<const W*>(task.weight);
    // With one block of rows nothing waits in L2, and one panel saves the loop.
    const std::int64_t in_l2 = kPanelBytes / (task.k * static_cast<std::int64_t>(sizeof(W))) / 8 * 8;
    const std::int64_t height = task.rows <= kMaxColumns ? last - first : std::max<std::int64_t>(8, in_l2);
    for (std::int64_t j = first; j < last; j += height) {
        all_rows(weight + j * task.k, std::min(height, last - j), task.k, static_cast<const float*>(task.x), packed_stride(task.k),
                 task.rows, task.bias ? task.bias + j : nullptr, task.out + (j - first), task.out_stride);
    }
}

void multiply_rows(const MatmulTask& task, std::int64_t first, std::int64_t last) {
    if (task.dtype == DType::bf16) {
        multiply_typed<std::uint16_t>(task, first, last);
    } else {
        multiply_typed<float>(task, first, last);
    }
}

template <bool kRound>
void pack_rows(const float* x, int rows, std::int64_t k, DType weights, std::byte* packed) {
    const F f;
    const std::int64_t stride = packed_stride(k);
    for (int row = 0; row < rows; ++row) {
        const float* from = x + row * k;
        float* to = reinterpret_cast<float*>(packed) + row * stride;
        for (std::int64_t i = 0; i < k; i += kStep) {
            const std::int64_t left = k - i;
            V low = left >= kLanes ? hn::LoadU(f, from + i) : load_first(from + i, left);
            V high = left >= kStep   ? hn::LoadU(f, from + i + kLanes)
                     : left > kLanes ? load_first(from + i + kLanes, left - kLanes)
                                     : hn::Zero(f);
            if constexpr (kRound) {
                low = round_to_bf16(low);
                high = round_to_bf16(high);
            }
            if (weights == DType::bf16) {
                const V even = hn::ConcatEven(f, high, low);
                high = hn::ConcatOdd(f, high, low);
                low = even;
            }
            hn::Store(low, f, to + i);
            hn::Store(high, f, to + i + kLanes);
        }
    }
}

std::int64_t packed_row(std::int64_t k) { return packed_stride(k) * static_cast<std::int64_t>(sizeof(float)); }

} // namespace

const MatmulKernels kRowMatmul = {pack_rows<false>, packed_row, multiply_rows};
const MatmulKernels kRoundedRowMatmul = {pack_rows<true>, packed_row, multiply_rows};

} // namespace HWY_NAMESPACE
} // namespace speclens
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace speclens {

const MatmulKernels& row_matmul(Isa isa, bool rounded) {
#if HWY_ARCH_X86
    if (isa == Isa::avx512) return rounded ? N_AVX3::kRoundedRowMatmul : N_AVX3::kRowMatmul;
    if (isa == Isa::avx2) return rounded ? N_AVX2::kRoundedRowMatmul : N_AVX2::kRowMatmul;
#endif
    (void)isa;
    return rounded ? HWY_NAMESPACE::kRoundedRowMatmul : HWY_NAMESPACE::kRowMatmul;
}

} // namespace speclens
#endif // HWY_ONCE
