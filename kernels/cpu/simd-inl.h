// The vector vocabulary shared by the kernels, compiled once per instruction set (hence the odd include
// guard). Every reduction over lanes in the CPU backend goes through reduce4, so its order is written down
// once: inside each block of four lanes (l0 + l2) + (l1 + l3), then blocks half against half.
#if defined(SPECLENS_SIMD_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef SPECLENS_SIMD_INL_H_
#undef SPECLENS_SIMD_INL_H_
#else
#define SPECLENS_SIMD_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <utility>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace speclens {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using F = hn::ScalableTag<float>;
using V = hn::Vec<F>;
using F4 = hn::FixedTag<float, 4>;
using V4 = hn::Vec<F4>;
inline constexpr std::int64_t kLanes = hn::MaxLanes(F());

// A vector in a register, for a value that several multiplications share. Left alone, GCC makes the load an
// operand of each of them and reads the memory as often, which costs a third of the arithmetic throughput;
// the empty assembly hides where the value came from.
HWY_INLINE V load_once(const float* p) {
    V v = hn::LoadU(F(), p);
#if HWY_ARCH_X86 && (HWY_COMPILER_GCC || HWY_COMPILER_CLANG)
#if HWY_TARGET <= HWY_AVX3
    asm("" : "+v"(v.raw));
#else
    asm("" : "+x"(v.raw));
#endif
#endif
    return v;
}

// The first n < kLanes values at p, zeros after them; reads nothing beyond p[n - 1].
HWY_INLINE V load_first(const float* p, std::int64_t n) {
    HWY_ALIGN float padded[kLanes] = {};
    for (std::int64_t i = 0; i < n; ++i) padded[i] = p[i];
    return hn::Load(F(), padded);
}

HWY_INLINE void store_first(V v, float* p, std::int64_t n) {
    HWY_ALIGN float padded[kLanes];
    hn::Store(v, F(), padded);
    for (std::int64_t i = 0; i < n; ++i) p[i] = padded[i];
}

// Adds the upper half to the lower half until four lanes are left.
template <class D>
HWY_INLINE V4 fold_to_four(D, hn::Vec<D> v) {
    if constexpr (hn::MaxLanes(D()) == 4) {
        return v;
    } else {
        const hn::Half<D> half;
        return fold_to_four(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
    }
}

// The sums of the lanes of four vectors, as one vector of four.
HWY_INLINE V4 reduce4(V a, V b, V c, V d) {
    const F f;
    const hn::Repartition<std::uint64_t, F> pairs;
    // a0+a2, b0+b2, a1+a3, b1+b3 in every block of four lanes, then the same for c and d.
    const auto ab = hn::BitCast(pairs, hn::Add(hn::InterleaveLower(f, a, b), hn::InterleaveUpper(f, a, b)));
    const auto cd = hn::BitCast(pairs, hn::Add(hn::InterleaveLower(f, c, d), hn::InterleaveUpper(f, c, d)));
    const V low = hn::BitCast(f, hn::InterleaveLower(pairs, ab, cd));
    const V high = hn::BitCast(f, hn::InterleaveUpper(pairs, ab, cd));
    return fold_to_four(f, hn::Add(low, high));
}

template <std::size_t... Is>
HWY_INLINE void clear(V* acc, std::index_sequence<Is...>) {
    ((acc[Is] = hn::Zero(F())), ...);
}

// Vectors of outputs, G side by side for every row, each plus its bias where there is one.
template <int G, std::size_t... Is>
HWY_INLINE void store_vectors(const V* acc, const float* bias, float* HWY_RESTRICT out, std::int64_t out_stride,
                              std::index_sequence<Is...>) {
    const F f;
    (hn::StoreU(bias ? hn::Add(acc[Is], hn::LoadU(f, bias + Is % G * kLanes)) : acc[Is], f,
                out + static_cast<std::int64_t>(Is / G) * out_stride + Is % G * kLanes),
     ...);
}

HWY_INLINE float sum_lanes(V v) {
    const V zero = hn::Zero(F());
    return hn::GetLane(reduce4(v, zero, zero, zero));
}

HWY_INLINE float max_lanes(V v) { return hn::GetLane(hn::MaxOfLanes(F(), v)); }

// The nearest bf16, ties to even, as a float; NaN stays NaN.
HWY_INLINE V round_to_bf16(V x) {
    const hn::RebindToUnsigned<F> u32;
    const auto bits = hn::BitCast(u32, x);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(u32, 1));
    const auto nearest = hn::Add(bits, hn::Add(odd, hn::Set(u32, 0x7FFF)));
    const auto quiet = hn::Or(bits, hn::Set(u32, 0x00400000)); // whose upper half is a NaN, too
    const auto kept = hn::IfThenElse(hn::RebindMask(u32, hn::IsNaN(x)), quiet, nearest);
    return hn::BitCast(F(), hn::And(kept, hn::Set(u32, 0xFFFF0000u)));
}
// `size` values, one after the other.
HWY_INLINE void round_all_to_bf16(const float* from, std::int64_t size, float* to) {
    std::int64_t i = 0;
    for (; i + kLanes <= size; i += kLanes) hn::StoreU(round_to_bf16(hn::LoadU(F(), from + i)), F(), to + i);
    if (i < size) store_first(round_to_bf16(load_first(from + i, size - i)), to + i, size - i);
}

// exp(x) for x <= 0, within 2 units in the last place. Below e^-87 the result is 0 and not a subnormal
// number; NaN stays NaN. x = n ln 2 + r with |r| <= ln 2 / 2; e^r is the polynomial of Cephes' expf
// (Moshier), 2^n an addition to the exponent, and a float that is too large for fractions rounds n.
HWY_INLINE V exp_nonpositive(V x) {
    const F f;
    const hn::RebindToSigned<F> i32;
    const V tiny = hn::Set(f, -87.0f);
    const V clamped = hn::Max(x, tiny);
    const V whole = hn::Set(f, 12582912.0f); // 1.5 * 2^23
    const V shifted = hn::MulAdd(clamped, hn::Set(f, 1.44269504f), whole);
    const V n = hn::Sub(shifted, whole);
    V r = hn::NegMulAdd(n, hn::Set(f, 0.693359375f), clamped); // exact: the factor has few bits
    r = hn::NegMulAdd(n, hn::Set(f, -2.12194440e-4f), r);
    V p = hn::MulAdd(hn::Set(f, 1.9875691500e-4f), r, hn::Set(f, 1.3981999507e-3f));
    p = hn::MulAdd(p, r, hn::Set(f, 8.3334519073e-3f));
    p = hn::MulAdd(p, r, hn::Set(f, 4.1665795894e-2f));
    p = hn::MulAdd(p, r, hn::Set(f, 1.6666665459e-1f));
    p = hn::MulAdd(p, r, hn::Set(f, 5.0000001201e-1f));
    p = hn::Add(hn::MulAdd(p, hn::Mul(r, r), r), hn::Set(f, 1.0f));
    const V scaled = hn::BitCast(f, hn::Add(hn::BitCast(i32, p), hn::ShiftLeft<23>(hn::BitCast(i32, shifted))));
    const V value = hn::IfThenZeroElse(hn::Lt(x, tiny), scaled);
    return hn::IfThenElse(hn::IsNaN(x), x, value);
}

} // namespace HWY_NAMESPACE
} // namespace speclens
HWY_AFTER_NAMESPACE();

#endif // SPECLENS_SIMD_INL_H_
