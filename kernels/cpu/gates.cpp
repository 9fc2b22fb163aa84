// Element-wise functions that stand alone: silu, the gates of a GRU (Cho et al. 2014, in the variant of cuDNN and
// PyTorch, where the reset gate multiplies the product with the hidden state; one call is one row), and a short convolution
// down the rows.
#include "kernels/cpu/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gates.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>

#include "kernels/cpu/kernels.h"
#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace speclens {
namespace HWY_NAMESPACE {
namespace {

// With only non-positive arguments to exp, so that nothing overflows.
HWY_INLINE V sigmoid(V x) {
    const F f;
    const V one = hn::Set(f, 1.0f);
    const V small = exp_nonpositive(hn::Neg(hn::Abs(x)));
    return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(f)), small, one), hn::Add(one, small));
}

// Off by at most 2e-7; below that the sign and the zero are right, the digits are not.
HWY_INLINE V tanh(V x) {
    const F f;
    const V one = hn::Set(f, 1.0f);
    const V small = exp_nonpositive(hn::Mul(hn::Set(f, -2.0f), hn::Abs(x)));
    return hn::CopySign(hn::Div(hn::Sub(one, small), hn::Add(one, small)), x);
}

void silu(float* x, std::int64_t n) {
    const F f;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const V v = hn::LoadU(f, x + i);
        hn::StoreU(hn::Mul(v, sigmoid(v)), f, x + i);
    }
    if (i < n) {
        const V v = load_first(x + i, n - i);
        store_first(hn::Mul(v, sigmoid(v)), x + i, n - i);
    }
}

struct Gates {
    V r, z, n, state;
};

HWY_INLINE Gates gru_step(V in_r, V in_z, V in_n, V hid_r, V hid_z, V hid_n, V state) {
    const V r = sigmoid(hn::Add(in_r, hid_r));
    const V z = sigmoid(hn::Add(in_z, hid_z));
    const V n = tanh(hn::MulAdd(r, hid_n, in_n));
    return {r, z, n, hn::MulAdd(z, hn::Sub(state, n), n)};
}

void gru(const float* in, const float* hid, const float* state, float* out, float* gates, std::int64_t g) {
    const F f;
    for (std::int64_t i = 0; i < g; i += kLanes) {
        const std::int64_t count = std::min(kLanes, g - i);
        const auto load = [&](const float* p) { return count == kLanes ? hn::LoadU(f, p) : load_first(p, count); };
        const auto store = [&](V v, float* p) {
            if (count == kLanes) {
                hn::StoreU(v, f, p);
            } else {
                store_first(v, p, count);
            }
        };
        const Gates step = gru_step(load(in + i), load(in + g + i), load(in + 2 * g + i), load(hid + i), load(hid + g + i),
                                    load(hid + 2 * g + i), load(state + i));
        store(step.state, out + i);
        if (gates == nullptr) continue;
        store(step.r, gates + i);
        store(step.z, gates + g + i);
        store(step.n, gates + 2 * g + i);
    }
}

// From the last row up, so that a row still finds those before it as they were.
void convolve(const ConvolutionTask& task, std::int64_t first, std::int64_t last) {
    const F f;
    const std::int64_t size = task.h / task.groups;
    for (std::int64_t row = task.rows - 1; row >= 0; --row) {
        const std::int64_t taps = std::min(task.taps, row + 1);
        for (std::int64_t group = first; group < last; ++group) {
            const float* const added = task.added + row * task.stride + group;
            for (std::int64_t i = 0; i < size; i += kLanes) {
                const std::int64_t count = std::min(kLanes, size - i), column = group * size + i;
                const auto load = [&](const float* p) { return count == kLanes ? hn::LoadU(f, p) : load_first(p, count); };
                V sum = hn::Zero(f);
                for (std::int64_t tap = 0; tap < taps; ++tap) {
                    const V weight = hn::Add(load(task.base + tap * task.h + column), hn::Set(f, added[tap * task.groups]));
                    sum = hn::MulAdd(weight, load(task.x + (row - tap) * task.h + column), sum);
                }
                float* const to = task.x + row * task.h + column;
                if (count == kLanes) {
                    hn::StoreU(sum, f, to);
                } else {
                    store_first(sum, to, count);
                }
            }
        }
    }
}

} // namespace

const GateKernels kGateKernels = {silu, gru, convolve};

} // namespace HWY_NAMESPACE
} // namespace speclens
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace speclens {

const GateKernels& gate_kernels(Isa isa) {
#if HWY_ARCH_X86
    if (isa == Isa::avx512) return N_AVX3::kGateKernels;
    if (isa == Isa::avx2) return N_AVX2::kGateKernels;
#endif
    (void)isa;
    return HWY_NAMESPACE::kGateKernels;
}

} // namespace speclens
#endif // HWY_ONCE
