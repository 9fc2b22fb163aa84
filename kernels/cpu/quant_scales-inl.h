// The scales of quantised weights in tiles (quant_tiles.h), one vector of outputs at a time, as kernels/quant.cpp computes
// them. Compiled once per instruction set (hence the odd include guard).
#if defined(SPECLENS_QUANT_SCALES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SPECLENS_QUANT_SCALES_INL_H_
#undef SPECLENS_QUANT_SCALES_INL_H_
#else
#define SPECLENS_QUANT_SCALES_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/cpu/quant_tiles.h"
#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace speclens {
namespace HWY_NAMESPACE {

using U = hn::Vec<hn::Repartition<std::uint32_t, F>>;
using I = hn::Vec<hn::Repartition<std::int32_t, F>>;
constexpr hn::Repartition<std::uint32_t, F> kWords;
constexpr hn::Repartition<std::int32_t, F> kInts;

HWY_INLINE U load_words(const std::byte* from) { return hn::LoadU(kWords, reinterpret_cast<const std::uint32_t*>(from)); }

HWY_INLINE V load_halves(const std::byte* from) {
#if HWY_TARGET == HWY_SSSE3 // as widen_f16 in kernels/quant.cpp; the other sets have an instruction
    const hn::Rebind<std::uint16_t, F> u16;
    const U bits = hn::PromoteTo(kWords, hn::LoadU(u16, reinterpret_cast<const std::uint16_t*>(from)));
    const U magnitude = hn::ShiftLeft<13>(hn::And(bits, hn::Set(kWords, 0x7FFF)));
    const U scaled = hn::BitCast(kWords, hn::Mul(hn::BitCast(F(), magnitude), hn::Set(F(), 0x1p112f)));
    const U exponent = hn::Set(kWords, 0x7C00u << 13);
    const U special = hn::IfThenElseZero(hn::Eq(hn::And(magnitude, exponent), exponent), hn::Set(kWords, 0x7F800000u));
    const U sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(kWords, 0x8000)));
    return hn::BitCast(F(), hn::Or3(scaled, special, sign));
#else
    const hn::Rebind<hwy::float16_t, F> f16;
    return hn::PromoteTo(F(), hn::LoadU(f16, reinterpret_cast<const hwy::float16_t*>(from)));
#endif
}

// Bit `from` of a word at bit `to`.
template <int from, int to>
HWY_INLINE U shifted(U word) {
    if constexpr (from > to) return hn::ShiftRight<from - to>(word);
    if constexpr (from < to) return hn::ShiftLeft<to - from>(word);
    return word;
}

HWY_INLINE V to_float(U small) { return hn::ConvertTo(F(), hn::BitCast(kInts, small)); }

// Of a stretch, a run of columns with one scale (and offset).
template <DType T>
struct Scales {
    static constexpr QuantLayout kLayout = *quant_layout(T);
    static constexpr bool kOffset = T == DType::q4_1 || T == DType::q4_k;

    V scale, offset;

    // block: sixteen rows; sub: vector of the tile
    HWY_INLINE void begin_stretch(const std::byte* block, std::int64_t sub, int stretch) {
        const V d = load_halves(block + 2 * kLanes * sub);
        const std::byte* words = block + kLayout.words_at() + 4 * kLanes * sub;
        if constexpr (T == DType::q4_k) {
            const U s = load_words(words), m = load_words(words + 64), rest = load_words(words + 128);
            const U six = hn::Set(kWords, 63), four = hn::Set(kWords, 15), top = hn::Set(kWords, 48);
            const int shift = 8 * (stretch % 4);
            U scales, mins;
            if (stretch < 4) {
                scales = hn::And(hn::ShiftRightSame(s, shift), six);
                mins = hn::And(hn::ShiftRightSame(m, shift), six);
            } else {
                scales = hn::Or(hn::And(hn::ShiftRightSame(rest, shift), four), hn::And(hn::ShiftRightSame(s, shift + 2), top));
                mins = hn::Or(hn::And(hn::ShiftRightSame(rest, shift + 4), four), hn::And(hn::ShiftRightSame(m, shift + 2), top));
            }
            scale = hn::Mul(d, to_float(scales));
            offset = hn::Mul(load_halves(block + 32 + 2 * kLanes * sub), to_float(mins));
        } else if constexpr (T == DType::q6_k) {
            const U s = hn::ShiftLeftSame(load_words(words + 64 * (stretch / 4)), 24 - 8 * (stretch % 4));
            scale = hn::Mul(d, hn::ConvertTo(F(), hn::ShiftRight<24>(hn::BitCast(kInts, s))));
        } else {
            scale = d;
            if constexpr (kOffset) offset = load_halves(block + 32 + 2 * kLanes * sub);
        }
    }
};

} // namespace HWY_NAMESPACE
} // namespace speclens
HWY_AFTER_NAMESPACE();

#endif // SPECLENS_QUANT_SCALES_INL_H_
