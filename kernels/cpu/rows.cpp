// Operations on one row of logits: softmax, argmax, the k largest; and the read loop of the bandwidth test.
// NaN: argmax and top_k treat a NaN as −inf; softmax makes the whole row NaN, so that it cannot go unnoticed.
#include "kernels/cpu/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "hwy/cache_control.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace speclens {
namespace HWY_NAMESPACE {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// Largest value of a row, NaN counted as −inf.
HWY_INLINE float row_max(const float* in, std::int64_t n) {
    const F f;
    V high = hn::Set(f, -kInfinity);
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const V v = hn::LoadU(f, in + i);
        high = hn::IfThenElse(hn::Gt(v, high), v, high);
    }
    float max = max_lanes(high);
    for (; i < n; ++i) {
        if (in[i] > max) max = in[i];
    }
    return max;
}

void softmax(const float* in, std::int64_t n, float temperature, float* out) {
    const F f;
    const V max = hn::Set(f, row_max(in, n));
    const V scale = hn::Set(f, 1.0f / temperature);
    V sum = hn::Zero(f);
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const V weight = exp_nonpositive(hn::Mul(hn::Sub(hn::LoadU(f, in + i), max), scale));
        hn::StoreU(weight, f, out + i);
        sum = hn::Add(sum, weight);
    }
    if (i < n) {
        const V weight = exp_nonpositive(hn::Mul(hn::Sub(load_first(in + i, n - i), max), scale));
        store_first(weight, out + i, n - i);
        for (std::int64_t j = i; j < n; ++j) sum = hn::Add(sum, load_first(out + j, 1));
    }
    const float inverse = 1.0f / sum_lanes(sum);
    for (i = 0; i + kLanes <= n; i += kLanes) {
        hn::StoreU(hn::Mul(hn::LoadU(f, out + i), hn::Set(f, inverse)), f, out + i);
    }
    for (; i < n; ++i) out[i] *= inverse;
}

std::int32_t argmax(const float* in, std::int64_t n) {
    const F f;
    const float max = row_max(in, n);
    if (max == -kInfinity) return 0; // nothing but −inf and NaN: all tie
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
        const std::intptr_t lane = hn::FindFirstTrue(f, hn::Eq(hn::LoadU(f, in + i), hn::Set(f, max)));
        if (lane >= 0) return static_cast<std::int32_t>(i + lane);
    }
    while (in[i] != max) ++i;
    return static_cast<std::int32_t>(i);
}

struct Candidate {
    float value;
    std::int32_t id;
};

// Order of the result: larger first, ties by lower index.
bool before(const Candidate& a, const Candidate& b) {
    return a.value > b.value || (a.value == b.value && a.id < b.id);
}

// A heap of the best k so far with the worst on top; a vector of values is skipped when none beats the worst.
// The k-th largest of the maxima of small blocks is a lower bound for the k-th largest value of the row: one
// pass finds the bound, a second one the few candidates at or above it, and only those are sorted.
void top_k(const float* in, std::int64_t n, int k, std::int32_t* ids, float* values) {
    const F f;
    constexpr std::int64_t kBlock = 2 * kLanes;
    float bound = -kInfinity;
    if (n / kBlock >= k) {
        std::vector<float> maxima;
        maxima.reserve(static_cast<std::size_t>(n / kBlock));
        for (std::int64_t i = 0; i + kBlock <= n; i += kBlock) maxima.push_back(row_max(in + i, kBlock));
        std::nth_element(maxima.begin(), maxima.begin() + (k - 1), maxima.end(), std::greater<>());
        bound = maxima[static_cast<std::size_t>(k - 1)];
    }
    std::vector<Candidate> candidates;
    candidates.reserve(static_cast<std::size_t>(2 * k));
    const auto consider = [&](std::int64_t i) {
        const float value = std::isnan(in[i]) ? -kInfinity : in[i];
        if (value >= bound) candidates.push_back({value, static_cast<std::int32_t>(i)});
    };
    std::int64_t i = 0;
    const V lowest = hn::Set(f, bound);
    for (; bound > -kInfinity && i + kLanes <= n; i += kLanes) {
        if (hn::AllFalse(f, hn::Ge(hn::LoadU(f, in + i), lowest))) continue;
        for (std::int64_t j = i; j < i + kLanes; ++j) consider(j);
    }
    for (; i < n; ++i) consider(i);
    std::partial_sort(candidates.begin(), candidates.begin() + k, candidates.end(), before);
    for (int j = 0; j < k; ++j) {
        ids[j] = candidates[static_cast<std::size_t>(j)].id;
        values[j] = candidates[static_cast<std::size_t>(j)].value;
    }
}

std::uint64_t read_all(const std::uint64_t* data, std::int64_t words) {
    const hn::ScalableTag<std::uint64_t> u;
    const std::int64_t lanes = static_cast<std::int64_t>(hn::MaxLanes(u));
    const std::int64_t ahead = 4096 / 8;
    auto a = hn::Zero(u), b = a, c = a, d = a;
    std::int64_t i = 0;
    for (; i + 4 * lanes <= words; i += 4 * lanes) {
        for (std::int64_t line = 0; line < 4 * lanes; line += 8) {
            hwy::Prefetch(
                reinterpret_cast<const std::uint64_t*>(reinterpret_cast<std::uintptr_t>(data + i) +
                                                       static_cast<std::uintptr_t>((ahead + line) * 8)));
        }
        a = hn::Add(a, hn::LoadU(u, data + i));
        b = hn::Add(b, hn::LoadU(u, data + i + lanes));
        c = hn::Add(c, hn::LoadU(u, data + i + 2 * lanes));
        d = hn::Add(d, hn::LoadU(u, data + i + 3 * lanes));
    }
    HWY_ALIGN std::uint64_t parts[hn::MaxLanes(u)];
    hn::Store(hn::Add(hn::Add(a, b), hn::Add(c, d)), u, parts);
    std::uint64_t sum = 0;
    for (std::uint64_t part : parts) sum += part;
    for (; i < words; ++i) sum += data[i];
    return sum;
}

} // namespace

const RowKernels kRowKernels = {softmax, argmax, top_k, read_all};

} // namespace HWY_NAMESPACE
} // namespace speclens
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace speclens {

const RowKernels& row_kernels(Isa isa) {
#if HWY_ARCH_X86
    if (isa == Isa::avx512) return N_AVX3::kRowKernels;
    if (isa == Isa::avx2) return N_AVX2::kRowKernels;
#endif
    (void)isa;
    return HWY_NAMESPACE::kRowKernels;
}

} // namespace speclens
#endif // HWY_ONCE
