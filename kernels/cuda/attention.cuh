// Attention of a few rows over the cache, in two launches: partial results of chunks of 64 keys, then their
// combination in chunk order.
//
// Chunks are cut in the sequence of keys that a row sees (prefix, then its own ancestors), at multiples of 64
// of its absolute index, never by slot: a token at the end of a tree path sees the same keys in the same
// chunks as the same token in a chain, and gets the same bits (kernels/backend.h). Inside a chunk
// every query is computed by itself: how many of them share a block changes nothing but how often keys are
// read.
//
// A block serves one key/value head, one chunk and up to sixteen queries (query heads of one or several
// rows).
#pragma once

#include "kernels/cuda/reduce.cuh"

namespace speclens::cuda {

inline constexpr int kChunk = 64;
inline constexpr int kQueries = 16;
inline constexpr int kAttentionThreads = 128;
inline constexpr int kMostDim = 512;

struct AttentionTask {
    int rows = 0, heads = 0, kv_heads = 0, dim = 0;
    const float* q = nullptr;                      // (rows, heads * dim)
    const float *k = nullptr, *v = nullptr;        // (slots, kv_heads * dim)
    int prefix = 0, first_slot = 0;                // of row 0 of the pass
    int first_row = 0;                             // of this launch inside the pass
    const unsigned long long* ancestors = nullptr; // (rows of the pass, words) or null: causal
    int words = 0;
    int chunks = 0;           // of the longest row
    int shared_chunks = 0;    // chunks in which all rows see the same slots (some perhaps fewer of them)
    float* partial = nullptr; // (rows, heads, chunks, dim + 2): sums of values, largest score, sum of weights
    float* out = nullptr;     // (rows, heads * dim)
};

[[nodiscard]] inline constexpr int attention_shared(int dim) {
    return (kQueries * dim + kQueries * kChunk) * static_cast<int>(sizeof(float)) +
           (kChunk + kQueries) * static_cast<int>(sizeof(int));
}

// Keys that row `row` of the pass sees.
__device__ inline int keys_of(const AttentionTask& t, int row) {
    if (t.ancestors == nullptr) return t.prefix + row + 1;
    int keys = t.prefix;
    for (int w = 0; w < t.words; ++w)
        keys += __popcll(t.ancestors[static_cast<std::int64_t>(row) * t.words + w]);
    return keys;
}

// Slot of key number `index` of row `row`; −1 behind its last key.
__device__ inline int slot_of(const AttentionTask& t, int row, int index) {
    if (index < t.prefix) return index;
    int rank = index - t.prefix;
    if (t.ancestors == nullptr) return rank < t.rows + t.first_row ? t.first_slot + rank : -1;
    for (int w = 0; w < t.words; ++w) {
        unsigned long long bits = t.ancestors[static_cast<std::int64_t>(row) * t.words + w];
        const int here = __popcll(bits);
        if (rank >= here) {
            rank -= here;
            continue;
        }
        for (; rank > 0; --rank) bits &= bits - 1; // drops the lowest bit
        return t.first_slot + w * 64 + __popcll((bits & (~bits + 1)) - 1);
    }
    return -1;
}

// grid: (shared_chunks * tiles of all queries + other chunks * rows * tiles of a row's queries, kv_heads)
__global__ void __launch_bounds__(kAttentionThreads) attend_chunks(AttentionTask t) {
    SIMT_SHARED(float, q);                                               // (kQueries, dim), scaled
    float* const score = q + kQueries * t.dim;                           // (kQueries, kChunk)
    int* const slot = reinterpret_cast<int*>(score + kQueries * kChunk); // (kChunk)
    int* const keys = slot + kChunk; // (kQueries): keys of each query in this chunk
    const int group = t.heads / t.kv_heads, kv_head = static_cast<int>(blockIdx.y),
              tid = static_cast<int>(threadIdx.x);

    // Which chunk, and which queries: numbers in [first, last) of row * group + head of the group.
    const int tiles = (t.rows * group + kQueries - 1) / kQueries,
              row_tiles = (group + kQueries - 1) / kQueries;
    int unit = static_cast<int>(blockIdx.x), chunk, first, last;
    if (unit < t.shared_chunks * tiles) {
        chunk = unit / tiles;
        first = unit % tiles * kQueries;
        last = min(first + kQueries, t.rows * group);
    } else {
        unit -= t.shared_chunks * tiles;
        const int row = unit / row_tiles % t.rows;
        chunk = t.shared_chunks + unit / row_tiles / t.rows;
        first = row * group + unit % row_tiles * kQueries;
        last = min(first + kQueries, (row + 1) * group);
    }
    const int count = last - first;
    if (tid < kChunk) slot[tid] = slot_of(t, t.first_row + first / group, chunk * kChunk + tid);
    if (tid < count) {
        const int left = keys_of(t, t.first_row + (first + tid) / group) - chunk * kChunk;
        keys[tid] = max(0, min(left, kChunk));
    }
    const float scale = 1.0f / sqrtf(static_cast<float>(t.dim));
    for (int i = tid; i < count * t.dim; i += kAttentionThreads) {
        const int query = first + i / t.dim;
        const std::int64_t head =
            static_cast<std::int64_t>(query / group) * t.heads + kv_head * group + query % group;
        q[i] = t.q[head * t.dim + i % t.dim] * scale;
    }
    __syncthreads();
    int most = 0;
    for (int i = 0; i < count; ++i) most = max(most, keys[i]);
    if (most == 0) return; // the same for the whole block

    // Scores: a thread owns one key for half of the queries.
    const std::int64_t stride = static_cast<std::int64_t>(t.kv_heads) * t.dim;
    const int key = tid % kChunk;
    if (key < most) {
        const float* const k = t.k + slot[key] * stride + static_cast<std::int64_t>(kv_head) * t.dim;
        for (int i = tid / kChunk; i < count; i += kAttentionThreads / kChunk) {
            float even = 0, odd = 0;
            for (int c = 0; c + 1 < t.dim; c += 2) {
                even = fmaf(q[i * t.dim + c], k[c], even);
                odd = fmaf(q[i * t.dim + c + 1], k[c + 1], odd);
            }
            if (t.dim % 2 != 0) even = fmaf(q[i * t.dim + t.dim - 1], k[t.dim - 1], even);
            score[i * kChunk + key] = even + odd;
        }
    }
    __syncthreads();

    // Weights: a warp owns a query. Keys that it does not see weigh nothing.
    const int lane = tid % kWarp;
    for (int i = tid / kWarp; i < count; i += kAttentionThreads / kWarp) {
        const float a = lane < keys[i] ? score[i * kChunk + lane] : -INFINITY;
        const float b = lane + kWarp < keys[i] ? score[i * kChunk + lane + kWarp] : -INFINITY;
        const float max = warp_max(fmaxf(a, b));
        const float wa = lane < keys[i] ? expf(a - max) : 0.0f;
        const float wb = lane + kWarp < keys[i] ? expf(b - max) : 0.0f;
        const float sum = warp_sum(wa + wb);
        score[i * kChunk + lane] = wa;
        score[i * kChunk + lane + kWarp] = wb;
        if (lane != 0 || keys[i] == 0) continue;
        const int query = first + i;
        const std::int64_t head =
            static_cast<std::int64_t>(query / group) * t.heads + kv_head * group + query % group;
        float* const to = t.partial + (head * t.chunks + chunk) * (t.dim + 2) + t.dim;
        to[0] = max;
        to[1] = sum;
    }
    __syncthreads();

    // Values: a thread owns one column for four queries.
    constexpr int kShare = 4;
    const int shares = (count + kShare - 1) / kShare;
    for (int item = tid; item < shares * t.dim; item += kAttentionThreads) {
        const int column = item % t.dim, begin = item / t.dim * kShare;
        const float* const v = t.v + static_cast<std::int64_t>(kv_head) * t.dim + column;
        float sum[kShare] = {0, 0, 0, 0};
        for (int n = 0; n < most; ++n) {
            const float value = v[slot[n] * stride];
            SIMT_UNROLL
            for (int i = 0; i < kShare; ++i)
                if (begin + i < count && n < keys[begin + i])
                    sum[i] = fmaf(score[(begin + i) * kChunk + n], value, sum[i]);
        }
        for (int i = 0; i < kShare; ++i) {
            if (begin + i >= count || keys[begin + i] == 0) continue;
            const int query = first + begin + i;
            const std::int64_t head =
                static_cast<std::int64_t>(query / group) * t.heads + kv_head * group + query % group;
            t.partial[(head * t.chunks + chunk) * (t.dim + 2) + column] = sum[i];
        }
    }
}

// grid: (heads, rows)
__global__ void __launch_bounds__(kAttentionThreads) combine_chunks(AttentionTask t) {
    const int row = static_cast<int>(blockIdx.y);
    const std::int64_t head = static_cast<std::int64_t>(row) * t.heads + blockIdx.x;
    const int chunks = (keys_of(t, t.first_row + row) + kChunk - 1) / kChunk;
    const float* const own = t.partial + head * t.chunks * (t.dim + 2);
    float max = -INFINITY;
    for (int c = 0; c < chunks; ++c) max = fmaxf(max, own[c * (t.dim + 2) + t.dim]);
    for (int column = static_cast<int>(threadIdx.x); column < t.dim; column += kAttentionThreads) {
        float sum = 0, weight = 0;
        for (int c = 0; c < chunks; ++c) {
            const float* const part = own + c * (t.dim + 2);
            const float factor = expf(part[t.dim] - max);
            sum = fmaf(factor, part[column], sum);
            weight = fmaf(factor, part[t.dim + 1], weight);
        }
        t.out[head * t.dim + column] = sum / weight;
    }
}

} // namespace speclens::cuda
