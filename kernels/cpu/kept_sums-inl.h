// What the ways to multiply kept weights (matmul_kept.cpp) have in common: where the numbers of a stretch are, the sums of x that its
// offset meets, and how a stretch's sums meet its scale. Compiled once per instruction set (hence the odd include guard).
#if defined(SPECLENS_KEPT_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SPECLENS_KEPT_SUMS_INL_H_
#undef SPECLENS_KEPT_SUMS_INL_H_
#else
#define SPECLENS_KEPT_SUMS_INL_H_
#endif

#include <cstring>
#include <utility>

#include "hwy/highway.h"
#include "kernels/cpu/quant_blocks-inl.h"

#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX2
HWY_BEFORE_NAMESPACE();
namespace speclens {
namespace HWY_NAMESPACE {
namespace {

// What is subtracted from a number as its bits are.
constexpr int middle_of(DType weights) { return weights == DType::q8_0 ? 0 : quad_offset(weights); }
// The same for a number of a pair, to which 128 was added.
template <DType T>
constexpr float kBegin = T == DType::q8_0 ? 0.0f : -128.0f - static_cast<float>(middle_of(T));

// (bits & mask) | onto, in the register of `bits`.
HWY_INLINE U masked_onto(U bits, U mask, U onto) {
#if HWY_TARGET == HWY_AVX3
    return U{_mm512_ternarylogic_epi32(bits.raw, mask.raw, onto.raw, 0xEA)};
#else
    return hn::OrAnd(onto, bits, mask);
#endif
}

// S of both halves of 32 values, and of all.
struct Sums {
    float half[2];
    float all;
    float padding = 0;

    template <DType T> // of the stretch
    [[nodiscard]] float of(int stretch) const {
        return quant_layout(T)->stretch == kActivationBlock ? all : half[stretch % 2];
    }
};
Sums sums_of(const float* x) {
    Sums sums;
    for (int half = 0; half < 2; ++half) {
        float lanes[16];
        std::memcpy(lanes, x + 16 * half, sizeof lanes);
        for (int apart = 8; apart > 0; apart /= 2)
            for (int i = 0; i < apart; ++i) lanes[i] += lanes[i + apart];
        sums.half[half] = lanes[0];
    }
    sums.all = sums.half[0] + sums.half[1];
    return sums;
}

// What both ways have in common: the scales of a stretch, and what becomes of its sums.
template <DType T, int G, int C>
struct ScaledSums {
    Scales<T> scales[G];
    V sums[G * C];

    HWY_INLINE void read_scales(const std::byte* block, std::int64_t sub, std::int64_t tile_bytes, int stretch) {
        for (int g = 0; g < G; ++g) scales[g].begin_stretch(tile_of(block, sub, g, tile_bytes), (sub + g) % kVectors, stretch);
    }
    template <class Block, std::size_t... Is>
    HWY_INLINE void add_to(V* HWY_RESTRICT acc, const Block* const* x, std::index_sequence<Is...>) const {
        ((acc[Is] = hn::MulAdd(sums[Is], scales[Is % G].scale, acc[Is])), ...);
        if constexpr (T == DType::q4_1) ((acc[Is] = hn::MulAdd(scales[Is % G].offset, hn::Set(F(), x[Is / G]->sums.all), acc[Is])), ...);
        if constexpr (T == DType::q4_k) ((acc[Is] = hn::NegMulAdd(scales[Is % G].offset, hn::Set(F(), x[Is / G]->sums.all), acc[Is])), ...);
    }
};

// The sums of numbers of pairs, without the 128 and the half of the range that is too much.
template <DType T>
HWY_INLINE V with_begin(V sums, const Sums& x, int stretch) {
    return kBegin<T> == 0 ? sums : hn::MulAdd(hn::Set(F(), kBegin<T>), hn::Set(F(), x.of<T>(stretch)), sums);
}

// Of sixteen rows, where the numbers of a stretch of a block are.
template <DType T>
HWY_INLINE const std::byte* numbers_of(const std::byte* block, int stretch) {
    constexpr QuantLayout kLayout = *quant_layout(T);
    return block + kLayout.numbers_at() + 2 * kLayout.bits * kLayout.stretch * stretch;
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace speclens
HWY_AFTER_NAMESPACE();
#endif // AVX-512 or AVX2

#endif // SPECLENS_KEPT_SUMS_INL_H_
