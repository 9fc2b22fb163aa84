// Operations on one row of logits: softmax, argmax, the k largest; and the read loop of the bandwidth test.
// NaN: argmax and top_k treat a NaN as −inf; softmax makes the whole row NaN, so that it cannot go unnoticed.
#include "kernels/cpu/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/rows.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
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

// ranks[i] = how many of the n values come before value i: larger ones, and equal ones with a lower index.
// n * n comparisons without a branch, which beats sorting for the few hundred candidates of top_k. All three
// arrays hold whole vectors; what is behind the n values only spoils the ranks behind the n ranks.
void rank_values(const float* values, int n, std::int32_t* ranks) {
    const F f;
    const hn::RebindToSigned<F> i32;
    constexpr int kStride = static_cast<int>(kLanes);
    const auto one = hn::Set(i32, 1);
    for (int block = 0; block < n; block += kStride) {
        const V own = hn::Load(f, values + block);
        auto rank = hn::Zero(i32);
        const auto count = [&](auto comes_before) { rank = hn::IfThenElse(hn::RebindMask(i32, comes_before), hn::Add(rank, one), rank); };
        for (int i = 0; i < block; ++i) count(hn::Ge(hn::Set(f, values[i]), own));
        for (int i = block; i < std::min(block + kStride, n); ++i) {
            const V value = hn::Set(f, values[i]);
            const auto later = hn::Gt(hn::Iota(f, static_cast<float>(block)), hn::Set(f, static_cast<float>(i)));
            count(hn::Or(hn::Gt(value, own), hn::And(hn::Eq(value, own), later)));
        }
        for (int i = block + kStride; i < n; ++i) count(hn::Gt(hn::Set(f, values[i]), own));
        hn::Store(rank, i32, ranks + block);
    }
}

// Values that may be among the k largest, in index order, −inf behind them.
struct Candidates {
    static constexpr int kMost = 512;
    HWY_ALIGN float values[kMost + kLanes];
    HWY_ALIGN std::int32_t ids[kMost + kLanes];
    HWY_ALIGN std::int32_t ranks[kMost + kLanes];
    int count = 0;

    // False when there are too many for ranking.
    bool collect(const float* in, std::int64_t n, float bound) {
        const F f;
        const hn::RebindToSigned<F> i32;
        const V lowest = hn::Set(f, bound);
        count = 0;
        std::int64_t i = 0;
        for (; i + kLanes <= n; i += kLanes) {
            const V v = hn::LoadU(f, in + i);
            const auto among = hn::Ge(v, lowest);
            if (hn::AllFalse(f, among)) continue;
            if (count + kLanes > kMost) return false;
            hn::CompressStore(hn::Iota(i32, static_cast<std::int32_t>(i)), hn::RebindMask(i32, among), i32, ids + count);
            count += static_cast<int>(hn::CompressStore(v, among, f, values + count));
        }
        for (; i < n; ++i) {
            if (!(in[i] >= bound)) continue;
            if (count == kMost) return false;
            values[count] = in[i];
            ids[count++] = static_cast<std::int32_t>(i);
        }
        std::fill_n(values + count, kLanes, -kInfinity);
        return true;
    }
};

// Deals the row out to a few times k piles like cards and keeps the maximum of each: the k-th largest of the
// maxima is a lower bound for the k-th largest value of the row. One pass finds the bound, a second one the
// few candidates at or above it. False when the row is too short for k or has too many candidates (many
// ties).
bool top_k_of_candidates(const float* in, std::int64_t n, int k, std::int32_t* ids, float* values) {
    const F f;
    const int piles = static_cast<int>((2 * k + kLanes - 1) / kLanes * kLanes);
    if (piles > Candidates::kMost || n < 2 * piles) return false;
    Candidates found;
    std::copy_n(in, piles, found.values);
    for (std::int64_t i = piles; i + piles <= n; i += piles) {
        for (int j = 0; j < piles; j += static_cast<int>(kLanes)) {
            const V v = hn::LoadU(f, in + i + j), high = hn::Load(f, found.values + j);
            hn::Store(hn::IfThenElse(hn::Gt(v, high), v, high), f, found.values + j);
        }
    }
    for (int j = 0; j < piles; ++j)
        if (std::isnan(found.values[j])) found.values[j] = -kInfinity; // as the first of its pile
    rank_values(found.values, piles, found.ranks);
    const float bound = found.values[std::find(found.ranks, found.ranks + piles, k - 1) - found.ranks];
    if (bound == -kInfinity || !found.collect(in, n, bound)) return false;
    rank_values(found.values, found.count, found.ranks);
    for (int i = 0; i < found.count; ++i) {
        if (found.ranks[i] >= k) continue;
        ids[found.ranks[i]] = found.ids[i];
        values[found.ranks[i]] = found.values[i];
    }
    return true;
}

void top_k(const float* in, std::int64_t n, int k, std::int32_t* ids, float* values) {
    if (top_k_of_candidates(in, n, k, ids, values)) return;
    const auto value_of = [&](std::int32_t id) { return std::isnan(in[id]) ? -kInfinity : in[id]; };
    std::vector<std::int32_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::partial_sort(order.begin(), order.begin() + k, order.end(),
                      [&](std::int32_t a, std::int32_t b) { return value_of(a) > value_of(b) || (value_of(a) == value_of(b) && a < b); });
    for (int i = 0; i < k; ++i) {
        ids[i] = order[static_cast<std::size_t>(i)];
        values[i] = value_of(ids[i]);
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
            hwy::Prefetch(reinterpret_cast<const std::uint64_t*>(reinterpret_cast<std::uintptr_t>(data + i) +
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
