// Softmax attention of one row over the slots it may see, without a score matrix (online softmax: Milakov and
// Gimelshein 2018, as in FlashAttention).
//
// Bits: the slots a row sees are numbered 0, 1, 2, … in slot order and everything (vector lanes, blocks, the
// running maximum) goes by that visit number. Slots that are not seen take no part, not even with weight
// zero. So a token at the end of a tree path gets the same bits as in plain decoding, where its ancestors are
// neighbours, and another row of the pass cannot matter.
#include "kernels/cpu/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/attention.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/cpu/kernels.h"
#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace speclens {
namespace HWY_NAMESPACE {
namespace {

constexpr int kBlock =
    64; // visits per block: their keys and values stay in cache for all rows and heads that see them
constexpr int kRows = kAttentionRows;
constexpr int kHeads = kLanes == 16 ? 4 : 2; // query heads that share a load: as many as the registers hold
constexpr int kStride = static_cast<int>(kLanes);

// Walks the slots that one row sees.
class Visits {
  public:
    // Begins at visit `slot`, which must be in the prefix or just behind it.
    Visits(const AttentionTask& task, int row, std::int64_t slot) : task_(task), row_(row), slot_(slot) {}

    // Writes the next slots, at most kBlock; returns how many.
    int next(std::int64_t* slots) {
        int count = 0;
        while (count < kBlock && slot_ < task_.prefix) slots[count++] = slot_++;
        while (count < kBlock && (node_ = next_node(node_)) < task_.rows) {
            slots[count++] = task_.first_slot + node_++;
        }
        return count;
    }

  private:
    // The first row of this pass at or after `node` that is seen; `rows` when there is none.
    int next_node(int node) const {
        if (task_.ancestors == nullptr) return node <= row_ ? node : task_.rows;
        const std::uint64_t* bits = task_.ancestors + static_cast<std::int64_t>(row_) * task_.words;
        while (node < task_.rows) {
            const std::uint64_t rest = bits[node / 64] >> (node % 64);
            if (rest != 0) return node + std::countr_zero(rest);
            node = (node / 64 + 1) * 64;
        }
        return task_.rows;
    }

    const AttentionTask& task_;
    int row_;
    std::int64_t slot_;
    int node_ = 0;
};

// Where the keys and values of a block of visits are.
struct Block {
    const float* keys[kBlock];
    const float* values[kBlock];
    int count = 0;
};

Block block_of(const AttentionTask& task, int kv_head, Visits& visits) {
    Block block;
    std::int64_t slots[kBlock];
    block.count = visits.next(slots);
    const std::int64_t slot_size = static_cast<std::int64_t>(task.shape.kv_heads) * task.shape.dim;
    const std::int64_t column = static_cast<std::int64_t>(kv_head) * task.shape.dim;
    for (int i = 0; i < block.count; ++i) {
        block.keys[i] = task.k + slots[i] * slot_size + column;
        block.values[i] = task.v + slots[i] * slot_size + column;
    }
    return block;
}

HWY_INLINE void dot4(V q, V k0, V k1, V k2, V k3, V* s) {
    s[0] = hn::MulAdd(q, k0, s[0]);
    s[1] = hn::MulAdd(q, k1, s[1]);
    s[2] = hn::MulAdd(q, k2, s[2]);
    s[3] = hn::MulAdd(q, k3, s[3]);
}

template <std::size_t... I>
HWY_INLINE void clear(V* v, std::index_sequence<I...>) {
    ((v[I] = hn::Zero(F())), ...);
}

// scores[head][i] = scale * (q[head] · keys[i]) for i < count, −inf up to the end of the last vector.
template <std::size_t... Hs>
HWY_INLINE void score(const float* q, const Block& block, int d, float scale, float* scores,
                      std::index_sequence<Hs...>) {
    const F f;
    constexpr int H = sizeof...(Hs);
    const int count = block.count;
    const int whole = d / kStride * kStride;
    for (int i = 0; i < count; i += 4) {
        // Behind the last visit the last one is computed again; nobody reads those.
        const float* k0 = block.keys[i];
        const float* k1 = block.keys[std::min(i + 1, count - 1)];
        const float* k2 = block.keys[std::min(i + 2, count - 1)];
        const float* k3 = block.keys[std::min(i + 3, count - 1)];
        V s[4 * H];
        clear(s, std::make_index_sequence<4 * H>());
        for (int c = 0; c < whole; c += kStride) {
            const V v0 = load_once(k0 + c), v1 = load_once(k1 + c), v2 = load_once(k2 + c),
                    v3 = load_once(k3 + c);
            (dot4(hn::LoadU(f, q + static_cast<int>(Hs) * d + c), v0, v1, v2, v3, s + 4 * Hs), ...);
        }
        if (const int left = d - whole; left > 0) {
            const V v0 = load_first(k0 + whole, left), v1 = load_first(k1 + whole, left);
            const V v2 = load_first(k2 + whole, left), v3 = load_first(k3 + whole, left);
            (dot4(load_first(q + static_cast<int>(Hs) * d + whole, left), v0, v1, v2, v3, s + 4 * Hs), ...);
        }
        const V4 factor = hn::Set(F4(), scale);
        (hn::Store(hn::Mul(reduce4(s[4 * Hs], s[4 * Hs + 1], s[4 * Hs + 2], s[4 * Hs + 3]), factor), F4(),
                   scores + static_cast<int>(Hs) * kBlock + i),
         ...);
    }
    const int padded = (count + kStride - 1) / kStride * kStride;
    for (int h = 0; h < H; ++h) {
        std::fill(scores + h * kBlock + count, scores + h * kBlock + padded,
                  -std::numeric_limits<float>::infinity());
    }
}

template <std::size_t... Ns>
HWY_INLINE void add_weighted(V weight, const V* values, V* sum, std::index_sequence<Ns...>) {
    ((sum[Ns] = hn::MulAdd(weight, values[Ns], sum[Ns])), ...);
}

template <std::size_t... Ns>
HWY_INLINE void load_scaled(const float* out, float keep, V* sum, std::index_sequence<Ns...>) {
    ((sum[Ns] = hn::Mul(hn::LoadU(F(), out + static_cast<int>(Ns) * kStride), hn::Set(F(), keep))), ...);
}

template <std::size_t... Ns>
HWY_INLINE void store_sums(const V* sum, float* out, std::index_sequence<Ns...>) {
    (hn::StoreU(sum[Ns], F(), out + static_cast<int>(Ns) * kStride), ...);
}

// out[head] = out[head] * keep[head] + Σ weights[head][i] * values[i], on N vectors of columns from c on.
template <std::size_t... Ns, std::size_t... Hs>
HWY_INLINE void weigh_columns(const float* weights, const Block& block, const float* keep, int c, int d,
                              float* out, std::index_sequence<Ns...> vectors, std::index_sequence<Hs...>) {
    constexpr int N = sizeof...(Ns);
    const F f;
    V sum[N * sizeof...(Hs)];
    (load_scaled(out + static_cast<int>(Hs) * d + c, keep[Hs], sum + N * Hs, vectors), ...);
    for (int i = 0; i < block.count; ++i) {
        const float* at = block.values[i] + c;
        const V values[N] = {hn::LoadU(f, at + static_cast<int>(Ns) * kStride)...};
        (add_weighted(hn::Set(f, weights[static_cast<int>(Hs) * kBlock + i]), values, sum + N * Hs, vectors),
         ...);
    }
    (store_sums(sum + N * Hs, out + static_cast<int>(Hs) * d + c, vectors), ...);
}

template <std::size_t... Hs>
HWY_INLINE void weigh(const float* weights, const Block& block, const float* keep, int d, float* out,
                      std::index_sequence<Hs...> heads) {
    int c = 0;
    for (; c + 4 * kStride <= d; c += 4 * kStride) {
        weigh_columns(weights, block, keep, c, d, out, std::make_index_sequence<4>(), heads);
    }
    for (; c + kStride <= d; c += kStride) {
        weigh_columns(weights, block, keep, c, d, out, std::make_index_sequence<1>(), heads);
    }
    if (c == d) return;
    for (int h = 0; h < static_cast<int>(sizeof...(Hs)); ++h) {
        V sum = hn::Mul(load_first(out + h * d + c, d - c), hn::Set(F(), keep[h]));
        for (int i = 0; i < block.count; ++i) {
            sum = hn::MulAdd(hn::Set(F(), weights[h * kBlock + i]), load_first(block.values[i] + c, d - c),
                             sum);
        }
        store_first(sum, out + h * d + c, d - c);
    }
}

// Running softmax of one query head of one row.
struct Online {
    float max = -std::numeric_limits<float>::infinity();
    float sum = 0;
};

// Turns scores into weights exp(score − max) in place and returns the factor for what was summed before.
HWY_INLINE float weigh_scores(float* scores, int count, Online& state) {
    const F f;
    V high = hn::Set(f, state.max);
    for (int i = 0; i < count; i += kStride) high = hn::Max(high, hn::Load(f, scores + i));
    const float max = max_lanes(high);
    const float keep = hn::GetLane(exp_nonpositive(hn::Set(f, state.max - max)));
    V sum = hn::Zero(f);
    for (int i = 0; i < count; i += kStride) {
        const V weight = exp_nonpositive(hn::Sub(hn::Load(f, scores + i), hn::Set(f, max)));
        hn::Store(weight, f, scores + i);
        sum = hn::Add(sum, weight);
    }
    state.sum = state.sum * keep + sum_lanes(sum);
    state.max = max;
    return keep;
}

// Adds a block of visits to H heads of one row.
template <int H>
HWY_NOINLINE void add_block(const float* q, const Block& block, int d, float scale, Online* state,
                            float* out) {
    constexpr auto heads = std::make_index_sequence<H>();
    HWY_ALIGN float scores[H * kBlock];
    float keep[H];
    score(q, block, d, scale, scores, heads);
    for (int h = 0; h < H; ++h) keep[h] = weigh_scores(scores + h * kBlock, block.count, state[h]);
    weigh(scores, block, keep, d, out, heads);
}

void add_block_to_group(const AttentionTask& task, int row, int kv_head, const Block& block, Online* state) {
    const int d = task.shape.dim;
    const int group = task.shape.heads / task.shape.kv_heads;
    const float scale = 1.0f / std::sqrt(static_cast<float>(d));
    const std::int64_t first = (static_cast<std::int64_t>(row) * task.shape.heads + kv_head * group) * d;
    for (int g = 0; g < group; g += kHeads) {
        const float* q = task.q + first + g * d;
        float* out = task.out + first + g * d;
        switch (std::min(group - g, kHeads)) {
        case 1:
            add_block<1>(q, block, d, scale, state + g, out);
            break;
        case 2:
            add_block<2>(q, block, d, scale, state + g, out);
            break;
        case 3:
            add_block<std::min(3, kHeads)>(q, block, d, scale, state + g, out);
            break;
        default:
            add_block<kHeads>(q, block, d, scale, state + g, out);
            break;
        }
    }
}

void attend(const AttentionTask& task, int first_row, int last_row, int kv_head) {
    const int d = task.shape.dim;
    const int group = task.shape.heads / task.shape.kv_heads;
    const std::int64_t row_size = static_cast<std::int64_t>(task.shape.heads) * d;
    const std::int64_t first = static_cast<std::int64_t>(kv_head) * group * d;
    Online state[kRows * kAttentionGroup];
    for (int row = first_row; row < last_row; ++row)
        std::fill_n(task.out + row * row_size + first, group * d, 0.0f);

    // Whole blocks of the prefix are the same for every row and are read once for all of them.
    const std::int64_t shared = task.prefix / kBlock * kBlock;
    Visits prefix(task, first_row, 0);
    for (std::int64_t slot = 0; slot < shared; slot += kBlock) {
        const Block block = block_of(task, kv_head, prefix);
        for (int row = first_row; row < last_row; ++row) {
            add_block_to_group(task, row, kv_head, block, state + (row - first_row) * kAttentionGroup);
        }
    }
    for (int row = first_row; row < last_row; ++row) {
        Online* own = state + (row - first_row) * kAttentionGroup;
        Visits visits(task, row, shared);
        for (Block block = block_of(task, kv_head, visits); block.count > 0;
             block = block_of(task, kv_head, visits)) {
            add_block_to_group(task, row, kv_head, block, own);
        }
        float* out = task.out + row * row_size + first;
        for (int g = 0; g < group; ++g) {
            const float inverse = 1.0f / own[g].sum;
            for (int c = 0; c < d; ++c) out[g * d + c] *= inverse;
        }
    }
}

} // namespace

const AttentionKernels kAttentionKernels = {attend};

} // namespace HWY_NAMESPACE
} // namespace speclens
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace speclens {

const AttentionKernels& attention_kernels(Isa isa) {
#if HWY_ARCH_X86
    if (isa == Isa::avx512) return N_AVX3::kAttentionKernels;
    if (isa == Isa::avx2) return N_AVX2::kAttentionKernels;
#endif
    (void)isa;
    return HWY_NAMESPACE::kAttentionKernels;
}

} // namespace speclens
#endif // HWY_ONCE
