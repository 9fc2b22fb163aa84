// Softmax attention of one row over the slots it may see, without a score matrix (online softmax: Milakov and
// Gimelshein 2018, as in FlashAttention).
//
// Bits: the slots a row sees are numbered 0, 1, 2, … in slot order and everything (vector lanes, blocks, the
// running maximum) goes by that visit number. Slots that are not seen take no part, not even with weight
// zero. So a token at the end of a tree path gets the same bits as in plain decoding, where its ancestors are
// neighbours, and another row of the pass cannot matter.
//
// The visits may be cut into parts of a fixed length, each with a softmax of its own, which are put together in order
// (flash decoding: Dao et al. 2023). Threads can then share a row: the bits are those of one that walks all parts.
#include "kernels/cpu/highway_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/attention.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "hwy/cache_control.h"
#include "kernels/cpu/kernels.h"
#include "kernels/cpu/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace speclens {
namespace HWY_NAMESPACE {
namespace {

constexpr int kBlock = kAttentionBlock;
constexpr int kRows = kAttentionRows;
constexpr int kHeads = kLanes == 16 ? 4 : 2; // query heads that share a load: as many as the registers hold
constexpr int kStride = static_cast<int>(kLanes);

// The row of the cache that holds a slot.
HWY_INLINE std::int64_t row_of(const AttentionTask& task, std::int64_t slot) {
    if (task.blocks == nullptr) return slot;
    const std::int64_t rest = slot & ((std::int64_t{1} << task.block_bits) - 1);
    return (static_cast<std::int64_t>(task.blocks[slot >> task.block_bits]) << task.block_bits) + rest;
}

// The rows of the cache in which some slots lie, in place. Most of the time they are a whole block of visits: then a look into
// the table serves all slots that lie side by side.
HWY_INLINE void slots_to_rows(const AttentionTask& task, std::int64_t* slots, int count) {
    const std::int64_t together = std::int64_t{1} << task.block_bits;
    if (count != kBlock || together > kBlock || slots[kBlock - 1] - slots[0] != kBlock - 1 || slots[0] % together != 0) {
        for (int i = 0; i < count; ++i) slots[i] = row_of(task, slots[i]);
        return;
    }
    const int* from = task.blocks + (slots[0] >> task.block_bits);
    for (std::int64_t* to = slots; to < slots + kBlock; to += together) {
        const std::int64_t first = static_cast<std::int64_t>(*from++) << task.block_bits;
        for (std::int64_t i = 0; i < together; ++i) to[i] = first + i;
    }
}

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

// What comes next of the keys or the values, asked for a line at a time while the block before it is worked on. Several
// heads walk over a block before the next one, so this is one stream through memory, as far as a walk has all heads.
struct Stream {
    const AttentionTask* task = nullptr;
    std::uintptr_t cache = 0;               // where what is asked for of row 0 is
    std::int64_t slot = 0;                  // the one that is asked for
    std::int64_t together = 0;              // of slots that lie side by side, less one; a power of two less one
    std::int64_t slot_bytes = 0, bytes = 0; // from row to row; of each
    int slots = 0;                          // left
    std::uintptr_t at = 0;                  // of the slot
    std::int64_t offset = 0;

    HWY_INLINE void ask(std::int64_t some) {
        for (; some > 0 && slots > 0; some -= 64) {
            hwy::Prefetch(reinterpret_cast<const char*>(at + static_cast<std::uintptr_t>(offset)));
            if ((offset += 64) < bytes) continue;
            offset = 0;
            if ((++slot & together) != 0)
                at += static_cast<std::uintptr_t>(slot_bytes);
            else if (slots > 1)
                seek();
            --slots;
        }
    }
    HWY_INLINE void seek() { at = cache + static_cast<std::uintptr_t>(row_of(*task, slot) * slot_bytes); }
};
struct Ahead {
    Stream keys, values;
};

// Keys and values are T: float, or std::uint16_t, which holds an f16.
// Where those of a block of visits are.
template <class T>
struct Block {
    const T* keys[kBlock];
    const T* values[kBlock];
    int count = 0;
    Ahead* ahead = nullptr; // who walks over the block asks for what comes next; null: nothing, or somebody did
};

template <class T>
Block<T> block_of(const AttentionTask& task, int kv_head, Visits& visits) {
    Block<T> block;
    std::int64_t slots[kBlock];
    block.count = visits.next(slots);
    const std::int64_t slot_size = static_cast<std::int64_t>(task.shape.kv_heads) * task.shape.dim;
    const std::int64_t column = static_cast<std::int64_t>(kv_head) * task.shape.dim;
    if (task.blocks != nullptr) slots_to_rows(task, slots, block.count);
    for (int i = 0; i < block.count; ++i) {
        block.keys[i] = static_cast<const T*>(task.k) + slots[i] * slot_size + column;
        block.values[i] = static_cast<const T*>(task.v) + slots[i] * slot_size + column;
    }
    return block;
}

HWY_INLINE V load_key(const float* p) { return load_once(p); }
HWY_INLINE V load_value(const float* p) { return hn::LoadU(F(), p); }

HWY_INLINE V load_value(const std::uint16_t* p) {
    const F f;
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || HWY_ARCH_ARM_A64
    const hn::Rebind<hwy::float16_t, F> f16;
    return hn::PromoteTo(f, hn::LoadU(f16, reinterpret_cast<const hwy::float16_t*>(p)));
#else // as widen_f16 in quant.h; Highway's own takes infinity and NaN for numbers
    const hn::Rebind<std::uint16_t, F> u16;
    const hn::RebindToUnsigned<F> u32;
    const auto bits = hn::PromoteTo(u32, hn::LoadU(u16, p));
    const auto high = hn::Set(u32, 0x7C00u);
    const V scaled = hn::Mul(hn::BitCast(f, hn::ShiftLeft<13>(hn::And(bits, hn::Set(u32, 0x7FFFu)))), hn::Set(f, 0x1p112f));
    const auto special = hn::IfThenElseZero(hn::Eq(hn::And(bits, high), high), hn::Set(u32, 0x7F800000u));
    const auto sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(u32, 0x8000u)));
    return hn::BitCast(f, hn::Or(hn::Or(hn::BitCast(u32, scaled), special), sign));
#endif
}
HWY_INLINE V load_key(const std::uint16_t* p) { return load_value(p); }

// The first n < kLanes of them, zeros after them.
HWY_INLINE V load_few(const float* p, std::int64_t n) { return load_first(p, n); }
HWY_INLINE V load_few(const std::uint16_t* p, std::int64_t n) {
    HWY_ALIGN std::uint16_t padded[kLanes] = {};
    for (std::int64_t i = 0; i < n; ++i) padded[i] = p[i];
    return load_value(padded);
}

HWY_INLINE void dot4(V q, V k0, V k1, V k2, V k3, V* s) {
    s[0] = hn::MulAdd(q, k0, s[0]);
    s[1] = hn::MulAdd(q, k1, s[1]);
    s[2] = hn::MulAdd(q, k2, s[2]);
    s[3] = hn::MulAdd(q, k3, s[3]);
}

// scores[head][i] = scale * (q[head] · keys[i]) for i < count, −inf up to the end of the last vector.
template <class T, std::size_t... Hs>
HWY_INLINE void score(const float* q, const Block<T>& block, int d, float scale, float* scores, std::index_sequence<Hs...>) {
    const F f;
    constexpr int H = sizeof...(Hs);
    const int count = block.count;
    const int whole = d / kStride * kStride;
    for (int i = 0; i < count; i += 4) {
        // Behind the last visit the last one is computed again; nobody reads those.
        const T* k0 = block.keys[i];
        const T* k1 = block.keys[std::min(i + 1, count - 1)];
        const T* k2 = block.keys[std::min(i + 2, count - 1)];
        const T* k3 = block.keys[std::min(i + 3, count - 1)];
        if (block.ahead != nullptr) block.ahead->keys.ask(static_cast<std::int64_t>(4 * sizeof(T)) * d);
        V s[4 * H];
        clear(s, std::make_index_sequence<4 * H>());
        for (int c = 0; c < whole; c += kStride) {
            const V v0 = load_key(k0 + c), v1 = load_key(k1 + c), v2 = load_key(k2 + c), v3 = load_key(k3 + c);
            (dot4(hn::LoadU(f, q + static_cast<int>(Hs) * d + c), v0, v1, v2, v3, s + 4 * Hs), ...);
        }
        if (const int left = d - whole; left > 0) {
            const V v0 = load_few(k0 + whole, left), v1 = load_few(k1 + whole, left);
            const V v2 = load_few(k2 + whole, left), v3 = load_few(k3 + whole, left);
            (dot4(load_first(q + static_cast<int>(Hs) * d + whole, left), v0, v1, v2, v3, s + 4 * Hs), ...);
        }
        const V4 factor = hn::Set(F4(), scale);
        (hn::Store(hn::Mul(reduce4(s[4 * Hs], s[4 * Hs + 1], s[4 * Hs + 2], s[4 * Hs + 3]), factor), F4(),
                   scores + static_cast<int>(Hs) * kBlock + i),
         ...);
    }
    const int padded = (count + kStride - 1) / kStride * kStride;
    for (int h = 0; h < H; ++h) {
        std::fill(scores + h * kBlock + count, scores + h * kBlock + padded, -std::numeric_limits<float>::infinity());
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
template <class T, std::size_t... Ns, std::size_t... Hs>
HWY_INLINE void weigh_columns(const float* weights, const Block<T>& block, const float* keep, int c, int d, float* out,
                              std::index_sequence<Ns...> vectors, std::index_sequence<Hs...>) {
    constexpr int N = sizeof...(Ns);
    const F f;
    V sum[N * sizeof...(Hs)];
    (load_scaled(out + static_cast<int>(Hs) * d + c, keep[Hs], sum + N * Hs, vectors), ...);
    for (int i = 0; i < block.count; ++i) {
        const T* at = block.values[i] + c;
        if (c == 0 && block.ahead != nullptr) block.ahead->values.ask(static_cast<std::int64_t>(sizeof(T)) * d);
        const V values[N] = {load_value(at + static_cast<int>(Ns) * kStride)...};
        (add_weighted(hn::Set(f, weights[static_cast<int>(Hs) * kBlock + i]), values, sum + N * Hs, vectors), ...);
    }
    (store_sums(sum + N * Hs, out + static_cast<int>(Hs) * d + c, vectors), ...);
}

template <class T, std::size_t... Hs>
HWY_INLINE void weigh(const float* weights, const Block<T>& block, const float* keep, int d, float* out, std::index_sequence<Hs...> heads) {
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
            sum = hn::MulAdd(hn::Set(F(), weights[h * kBlock + i]), load_few(block.values[i] + c, d - c), sum);
        }
        store_first(sum, out + h * d + c, d - c);
    }
}

using Online = AttentionState;

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
template <int H, class T>
HWY_NOINLINE void add_block(const float* q, const Block<T>& block, int d, float scale, Online* state, float* out) {
    constexpr auto heads = std::make_index_sequence<H>();
    HWY_ALIGN float scores[H * kBlock];
    float keep[H];
    score(q, block, d, scale, scores, heads);
    for (int h = 0; h < H; ++h) keep[h] = weigh_scores(scores + h * kBlock, block.count, state[h]);
    weigh(scores, block, keep, d, out, heads);
}

// Sums of the query heads of one key/value head for one row: out (group, d), not yet divided by the sum of the weights.
struct Sums {
    float* out = nullptr;
    Online* state = nullptr; // (group)
};

void clear(const Sums& sums, int group, int d) {
    std::fill_n(sums.out, group * d, 0.0f);
    std::fill_n(sums.state, group, Online());
}

template <class T>
void add_block_to_group(const AttentionTask& task, int row, int kv_head, Block<T>& block, const Sums& sums) {
    const int d = task.shape.dim;
    const int group = task.shape.heads / task.shape.kv_heads;
    const float scale = 1.0f / std::sqrt(static_cast<float>(d));
    const float* q = task.q + (static_cast<std::int64_t>(row) * task.shape.heads + kv_head * group) * d;
    for (int g = 0; g < group; g += kHeads) {
        const float* heads = q + g * d;
        float* out = sums.out + g * d;
        switch (std::min(group - g, kHeads)) {
        case 1: add_block<1>(heads, block, d, scale, sums.state + g, out); break;
        case 2: add_block<2>(heads, block, d, scale, sums.state + g, out); break;
        case 3: add_block<std::min(3, kHeads)>(heads, block, d, scale, sums.state + g, out); break;
        default: add_block<kHeads>(heads, block, d, scale, sums.state + g, out); break;
        }
        block.ahead = nullptr;
    }
}

// to = to and `from` together, as if their visits had been one part.
void add_part(const Sums& to, const Sums& from, int group, int d) {
    const F f;
    for (int g = 0; g < group; ++g) {
        Online& state = to.state[g];
        const Online other = from.state[g];
        const float max = std::max(state.max, other.max);
        const float keep = hn::GetLane(exp_nonpositive(hn::Set(f, state.max - max)));
        const float weight = hn::GetLane(exp_nonpositive(hn::Set(f, other.max - max)));
        const V keeps = hn::Set(f, keep), weights = hn::Set(f, weight);
        float* out = to.out + g * d;
        const float* more = from.out + g * d;
        int c = 0;
        for (; c + kStride <= d; c += kStride) {
            const V kept = hn::Mul(hn::LoadU(f, out + c), keeps);
            hn::StoreU(hn::MulAdd(hn::LoadU(f, more + c), weights, kept), f, out + c);
        }
        if (const int left = d - c; left > 0) {
            const V kept = hn::Mul(load_first(out + c, left), keeps);
            store_first(hn::MulAdd(load_first(more + c, left), weights, kept), out + c, left);
        }
        state = {.max = max, .sum = state.sum * keep + other.sum * weight};
    }
}

float* out_of(const AttentionTask& task, int row, int kv_head) {
    const int group = task.shape.heads / task.shape.kv_heads;
    return task.out + (static_cast<std::int64_t>(row) * task.shape.heads + kv_head * group) * task.shape.dim;
}

void finish(const AttentionTask& task, int row, int kv_head, const Sums& sums) {
    const int d = task.shape.dim, group = task.shape.heads / task.shape.kv_heads;
    float* out = out_of(task, row, kv_head);
    for (int g = 0; g < group; ++g) {
        const float inverse = 1.0f / sums.state[g].sum;
        for (int c = 0; c < d; ++c) out[g * d + c] = sums.out[g * d + c] * inverse;
    }
}

std::int64_t part_length(const AttentionTask& task) { return task.part > 0 ? task.part : std::numeric_limits<std::int64_t>::max() / 2; }

// A block in f32, exactly, for several rows: each of them would widen it again.
struct WideBlock {
    float keys[kBlock * kMostHeadDim], values[kBlock * kMostHeadDim];

    Block<float> of(const Block<std::uint16_t>& block, int d) {
        Block<float> wide;
        wide.count = block.count;
        for (int i = 0; i < block.count; ++i) {
            if (block.ahead != nullptr) {
                block.ahead->keys.ask(std::int64_t{2} * d);
                block.ahead->values.ask(std::int64_t{2} * d);
            }
            widen(block.keys[i], d, keys + i * d);
            widen(block.values[i], d, values + i * d);
            wide.keys[i] = keys + i * d;
            wide.values[i] = values + i * d;
        }
        return wide;
    }

  private:
    static void widen(const std::uint16_t* from, int d, float* to) {
        int c = 0;
        for (; c + kStride <= d; c += kStride) hn::StoreU(load_value(from + c), F(), to + c);
        if (c < d) store_first(load_few(from + c, d - c), to + c, d - c);
    }
};

// Which rows and key/value heads walk together.
struct Walkers {
    int first_row = 0, last_row = 0, first_head = 0, last_head = 0;
};

// Parts [first_part, last_part) of them; a row may have fewer. `sums(row, head, part)` says where they are to be collected
// and `done(row, head, part)` is told when a part has all its visits.
template <class T, class Where, class Done>
void walk(const AttentionTask& task, const Walkers& who, std::int64_t first_part, std::int64_t last_part, const Where& sums,
          const Done& done) {
    const int d = task.shape.dim, group = task.shape.heads / task.shape.kv_heads;
    const std::int64_t length = part_length(task);
    const std::int64_t shared = task.prefix / kBlock * kBlock;
    const auto each = [&](const auto& work) {
        for (int head = who.first_head; head < who.last_head; ++head)
            for (int row = who.first_row; row < who.last_row; ++row) work(row, head);
    };
    const std::int64_t slot_bytes = static_cast<std::int64_t>(sizeof(T)) * task.shape.kv_heads * d;
    const auto stream = [&](const void* cache, std::int64_t slot) {
        Stream ahead{.task = &task,
                     .cache = reinterpret_cast<std::uintptr_t>(cache) + sizeof(T) * static_cast<std::uintptr_t>(who.first_head * d),
                     .slot = slot,
                     .together =
                         task.blocks == nullptr ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << task.block_bits) - 1,
                     .slot_bytes = slot_bytes,
                     .bytes = static_cast<std::int64_t>(sizeof(T)) * (who.last_head - who.first_head) * d,
                     .slots = kBlock};
        ahead.seek();
        return ahead;
    };
    WideBlock buffer;
    std::int64_t part = first_part;
    // Whole blocks of the prefix are the same for every row and are read once for all of them.
    for (; part < last_part; ++part) {
        each([&](int row, int head) { clear(sums(row, head, part), group, d); });
        const std::int64_t begin = part * length, end = std::min(begin + length, shared);
        for (std::int64_t slot = begin; slot < end; slot += kBlock) {
            Ahead ahead;
            if (slot + kBlock < end) ahead = {stream(task.k, slot + kBlock), stream(task.v, slot + kBlock)};
            if (slot == begin && end - begin > kBlock) stream(task.k, slot).ask(kBlock * slot_bytes);
            for (int head = who.first_head; head < who.last_head; ++head) {
                Visits prefix(task, who.first_row, slot);
                Block<T> block = block_of<T>(task, head, prefix);
                block.ahead = &ahead;
                const auto add = [&](auto& seen) {
                    for (int row = who.first_row; row < who.last_row; ++row)
                        add_block_to_group(task, row, head, seen, sums(row, head, part));
                };
                if constexpr (std::is_same_v<T, std::uint16_t>) {
                    if (who.last_row - who.first_row > 1) {
                        Block<float> wide = buffer.of(block, d);
                        add(wide);
                        continue;
                    }
                }
                add(block);
            }
        }
        if (begin + length > shared) break;
        each([&](int row, int head) { done(row, head, part); });
    }
    if (part == last_part) return;
    each([&](int row, int head) {
        Visits visits(task, row, shared);
        std::int64_t at = part, left = (part + 1) * length - shared; // visits until this part is full
        for (Block<T> block = block_of<T>(task, head, visits); block.count > 0; block = block_of<T>(task, head, visits)) {
            if (left == 0) {
                done(row, head, at++);
                clear(sums(row, head, at), group, d);
                left = length;
            }
            add_block_to_group(task, row, head, block, sums(row, head, at));
            left -= block.count; // a block is whole or the last one, so no part ends inside of one
        }
        done(row, head, at);
    });
}

constexpr int kMostSums = kAttentionGroup * kMostHeadDim; // of one row; as many rows walk together as fit

template <class T>
void attend_all(const AttentionTask& task, int first_row, int last_row, int kv_head) {
    const int d = task.shape.dim, group = task.shape.heads / task.shape.kv_heads;
    // Every part is cleared before it is used: nothing else sets these thousand states.
    alignas(Online) std::byte memory[2 * kRows * kAttentionGroup * sizeof(Online)];
    Online* const totals = reinterpret_cast<Online*>(memory);
    Online* const states = totals + kRows * kAttentionGroup;
    float outs[kMostSums];
    const int together = std::clamp(kMostSums / (group * d), 1, kRows);
    for (int begin = first_row; begin < last_row; begin += together) {
        const auto total = [&](int row) { return Sums{out_of(task, row, kv_head), totals + (row - begin) * group}; };
        const auto where = [&](int row, int, std::int64_t part) {
            return part == 0 ? total(row) : Sums{outs + (row - begin) * group * d, states + (row - begin) * group};
        };
        const int end = std::min(begin + together, last_row);
        walk<T>(task, {begin, end, kv_head, kv_head + 1}, 0, std::numeric_limits<std::int64_t>::max(), where,
                [&](int row, int head, std::int64_t part) {
                    if (part > 0) add_part(total(row), where(row, head, part), group, d);
                });
        for (int row = begin; row < end; ++row) finish(task, row, kv_head, total(row));
    }
}

void attend(const AttentionTask& task, int first_row, int last_row, int kv_head) {
    if (task.cache == DType::f32) return attend_all<float>(task, first_row, last_row, kv_head);
    attend_all<std::uint16_t>(task, first_row, last_row, kv_head);
}

Sums part_of(const AttentionTask& task, int row, int kv_head, std::int64_t part) {
    const int group = task.shape.heads / task.shape.kv_heads;
    const std::int64_t index = ((static_cast<std::int64_t>(row) * task.shape.kv_heads + kv_head) * task.parts + part) * group;
    return {task.part_sums + index * task.shape.dim, task.part_states + index};
}

template <class T>
void attend_some(const AttentionTask& task, const Walkers& who, int part) {
    // The rows' own visits may fill more parts than the prefix leaves open: they belong to who walks the last one.
    const std::int64_t open = task.prefix / kBlock * kBlock / task.part;
    const int group = task.shape.heads / task.shape.kv_heads;
    if (part == open)
        for (int row = who.first_row; row < who.last_row; ++row)
            for (int head = who.first_head; head < who.last_head; ++head)
                for (std::int64_t at = part; at < task.parts; ++at) std::fill_n(part_of(task, row, head, at).state, group, Online());
    walk<T>(
        task, who, part, part < open ? part + 1 : task.parts,
        [&](int row, int head, std::int64_t at) { return part_of(task, row, head, at); }, [](int, int, std::int64_t) {});
}

void attend_part(const AttentionTask& task, int first_row, int last_row, int first_head, int last_head, int part) {
    const Walkers who = {first_row, last_row, first_head, last_head};
    if (task.cache == DType::f32) return attend_some<float>(task, who, part);
    attend_some<std::uint16_t>(task, who, part);
}

void join_parts(const AttentionTask& task, int row, int kv_head) {
    const int d = task.shape.dim, group = task.shape.heads / task.shape.kv_heads;
    const Sums total = part_of(task, row, kv_head, 0);
    for (int part = 1; part < task.parts; ++part) {
        const Sums more = part_of(task, row, kv_head, part);
        if (more.state->sum == 0) break; // the row sees less
        add_part(total, more, group, d);
    }
    finish(task, row, kv_head, total);
}

} // namespace

const AttentionKernels kAttentionKernels = {attend, attend_part, join_parts};

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
