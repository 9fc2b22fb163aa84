// RMSNorm (Zhang and Sennrich 2019), the residual addition before it, rotary position embedding in the
// rotate-half layout (Su et al. 2021 as Qwen stores it), and the gate of SwiGLU (Shazeer 2020). One call is
// one row or one head.
#include "kernels/cpu/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/norm_rope.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/kernels.h"
#include "kernels/cpu/simd-inl.h"
#include "kernels/quant.h"

HWY_BEFORE_NAMESPACE();
namespace speclens {
namespace HWY_NAMESPACE {
namespace {

HWY_INLINE float inverse_rms(const float* x, std::int64_t n, float eps) {
    const F f;
    V squares = hn::Zero(f);
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const V v = hn::LoadU(f, x + i);
        squares = hn::MulAdd(v, v, squares);
    }
    if (i < n) {
        const V v = load_first(x + i, n - i);
        squares = hn::MulAdd(v, v, squares);
    }
    return 1.0f / std::sqrt(sum_lanes(squares) / static_cast<float>(n) + eps);
}

// out = x * scale * weight; x == out is fine.
HWY_INLINE void scale_by(const float* x, float scale, const float* weight, float* out, std::int64_t n) {
    const F f;
    const V factor = hn::Set(f, scale);
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        hn::StoreU(hn::Mul(hn::Mul(hn::LoadU(f, x + i), factor), hn::LoadU(f, weight + i)), f, out + i);
    }
    for (; i < n; ++i) out[i] = (x[i] * scale) * weight[i];
}

void add_norm(float* residual, const float* delta, const float* weight, float eps, float* out, std::int64_t h) {
    const F f;
    if (delta != nullptr) {
        std::int64_t i = 0;
        for (; i + kLanes <= h; i += kLanes) {
            hn::StoreU(hn::Add(hn::LoadU(f, residual + i), hn::LoadU(f, delta + i)), f, residual + i);
        }
        for (; i < h; ++i) residual[i] += delta[i];
    }
    if (out != nullptr) scale_by(residual, inverse_rms(residual, h, eps), weight, out, h);
}

void rope_head(const float* from, float* to, const float* weight, float eps, const float* cos_sin, int d) {
    if (weight != nullptr) {
        scale_by(from, inverse_rms(from, d, eps), weight, to, d);
        from = to;
    }
    // Written without fused multiply-add on purpose: vector and tail must round alike.
    const F f;
    const int half = d / 2;
    const float* cos = cos_sin;
    const float* sin = cos_sin + half;
    int i = 0;
    for (; i + static_cast<int>(kLanes) <= half; i += static_cast<int>(kLanes)) {
        const V a = hn::LoadU(f, from + i);
        const V b = hn::LoadU(f, from + half + i);
        const V c = hn::LoadU(f, cos + i);
        const V s = hn::LoadU(f, sin + i);
        hn::StoreU(hn::Sub(hn::Mul(a, c), hn::Mul(b, s)), f, to + i);
        hn::StoreU(hn::Add(hn::Mul(b, c), hn::Mul(a, s)), f, to + half + i);
    }
    for (; i < half; ++i) {
        const float a = from[i];
        const float b = from[half + i];
        to[i] = a * cos[i] - b * sin[i];
        to[half + i] = b * cos[i] + a * sin[i];
    }
}

void to_f16(const float* from, std::uint16_t* to, std::int64_t n) {
    constexpr float kMost = 65504;
    std::int64_t i = 0;
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_ARCH_ARM_A64
    const F f;
    const hn::Rebind<hwy::float16_t, F> f16;
    for (; i + kLanes <= n; i += kLanes) {
        const V v = hn::LoadU(f, from + i);
        const V clamped = hn::Max(hn::Set(f, -kMost), hn::Min(hn::Set(f, kMost), v));
        hn::StoreU(hn::DemoteTo(f16, hn::IfThenElse(hn::IsNaN(v), v, clamped)), f16, reinterpret_cast<hwy::float16_t*>(to + i));
    }
#endif
    for (; i < n; ++i) to[i] = std::isnan(from[i]) ? 0x7E00 : narrow_f16(std::clamp(from[i], -kMost, kMost));
}

// silu(g) = g * sigmoid(g), with only non-positive arguments to exp.
HWY_INLINE V silu_product(V gate, V up) {
    const F f;
    const V one = hn::Set(f, 1.0f);
    const V small = exp_nonpositive(hn::Neg(hn::Abs(gate)));
    const V numerator = hn::Mul(gate, hn::IfThenElse(hn::Lt(gate, hn::Zero(f)), small, one));
    return hn::Mul(hn::Div(numerator, hn::Add(one, small)), up);
}

void silu_times(const float* gate, const float* up, float* out, std::int64_t n) {
    const F f;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        hn::StoreU(silu_product(hn::LoadU(f, gate + i), hn::LoadU(f, up + i)), f, out + i);
    }
    if (i < n) store_first(silu_product(load_first(gate + i, n - i), load_first(up + i, n - i)), out + i, n - i);
}

} // namespace

const NormRopeKernels kNormRopeKernels = {add_norm, rope_head, to_f16, silu_times};

} // namespace HWY_NAMESPACE
} // namespace speclens
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace speclens {

const NormRopeKernels& norm_rope_kernels(Isa isa) {
#if HWY_ARCH_X86
    if (isa == Isa::avx512) return N_AVX3::kNormRopeKernels;
    if (isa == Isa::avx2) return N_AVX2::kNormRopeKernels;
#endif
    (void)isa;
    return HWY_NAMESPACE::kNormRopeKernels;
}

} // namespace speclens
#endif // HWY_ONCE
