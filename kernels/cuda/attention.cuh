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
//
// Several texts in one launch (paged attention: Kwon et al. 2023, arXiv 2309.06180) are as many tasks side by side: a text's
// chunks are cut in its own sequence, and a table says in which row of the cache a slot of it lies. The sums are the same
// instructions in the same order, so a row has the bits of its text alone in a cache of its own.
#pragma once

#include "kernels/cuda/attention_task.h"
#include "kernels/cuda/reduce.cuh"

namespace speclens::cuda {

// Keys that row `row` of the pass sees.
__device__ inline int keys_of(const AttentionTask& t, int row) {
    if (t.ancestors == nullptr) return t.prefix + row + 1;
    int keys = t.prefix;
    for (int w = 0; w < t.words; ++w) keys += __popcll(t.ancestors[static_cast<std::int64_t>(row) * t.words + w]);
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

// Row of the cache in which a slot lies.
__device__ inline int cache_row(const AttentionTask& t, int slot) {
    if (t.blocks == nullptr || slot < 0) return slot;
    return (t.blocks[slot >> t.block_bits] << t.block_bits) + (slot & ((1 << t.block_bits) - 1));
}

// Unit `unit` of one text, of key/value head blockIdx.y.
__device__ inline void attend_unit(const AttentionTask& t, int unit) {
    SIMT_SHARED(float, q);                                               // (kQueries, dim), scaled
    float* const score = q + kQueries * t.dim;                           // (kQueries, kChunk)
    int* const slot = reinterpret_cast<int*>(score + kQueries * kChunk); // (kChunk)
    int* const keys = slot + kChunk;                                     // (kQueries): keys of each query in this chunk
    const int group = t.heads / t.kv_heads, kv_head = static_cast<int>(blockIdx.y), tid = static_cast<int>(threadIdx.x);

    // Which chunk, and which queries: numbers in [first, last) of row * group + head of the group.
    const int tiles = (t.rows * group + kQueries - 1) / kQueries, row_tiles = (group + kQueries - 1) / kQueries;
    int chunk, first, last;
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
    if (tid < kChunk) slot[tid] = cache_row(t, slot_of(t, t.first_row + first / group, chunk * kChunk + tid));
    if (tid < count) {
        const int left = keys_of(t, t.first_row + (first + tid) / group) - chunk * kChunk;
        keys[tid] = max(0, min(left, kChunk));
    }
    const float scale = 1.0f / sqrtf(static_cast<float>(t.dim));
    for (int i = tid; i < count * t.dim; i += kAttentionThreads) {
        const int query = first + i / t.dim;
        const std::int64_t head = static_cast<std::int64_t>(query / group) * t.heads + kv_head * group + query % group;
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
        const std::int64_t head = static_cast<std::int64_t>(query / group) * t.heads + kv_head * group + query % group;
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
                if (begin + i < count && n < keys[begin + i]) sum[i] = fmaf(score[(begin + i) * kChunk + n], value, sum[i]);
        }
        for (int i = 0; i < kShare; ++i) {
            if (begin + i >= count || keys[begin + i] == 0) continue;
            const int query = first + begin + i;
            const std::int64_t head = static_cast<std::int64_t>(query / group) * t.heads + kv_head * group + query % group;
            t.partial[(head * t.chunks + chunk) * (t.dim + 2) + column] = sum[i];
        }
    }
}

// Head blockIdx.x of one row.
__device__ inline void combine_row(const AttentionTask& t, int row) {
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

// grid: (attention_units(…), kv_heads)
__global__ void __launch_bounds__(kAttentionThreads) attend_chunks(AttentionTask t) { attend_unit(t, static_cast<int>(blockIdx.x)); }

// grid: (heads, rows)
__global__ void __launch_bounds__(kAttentionThreads) combine_chunks(AttentionTask t) { combine_row(t, static_cast<int>(blockIdx.y)); }

// The last text that begins at or before `at`: of the blocks of a grid by `unit`, of rows by `launch_row`.
__device__ inline const TextTask& text_at(const TextTask* texts, int count, int TextTask::*begins, int at) {
    int low = 0, high = count;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (texts[middle].*begins <= at)
            low = middle;
        else
            high = middle;
    }
    return texts[low];
}

// `pass`: what all texts have in common, from the first row of the launch on.
__device__ inline AttentionTask task_of(AttentionTask pass, const TextTask& text) {
    const std::int64_t before = static_cast<std::int64_t>(text.launch_row) * pass.heads * pass.dim;
    pass.rows = text.rows;
    pass.q += before;
    pass.out += before;
    pass.prefix = pass.first_slot = text.prefix;
    pass.first_row = text.first_row;
    pass.ancestors = text.ancestors;
    pass.words = text.words;
    pass.chunks = text.chunks;
    pass.shared_chunks = text.shared_chunks;
    pass.partial += text.partial;
    pass.blocks += text.table;
    return pass;
}

// grid: (attention_units(…) of every text, kv_heads)
__global__ void __launch_bounds__(kAttentionThreads) attend_texts(AttentionTask pass, const TextTask* texts, int count) {
    const int unit = static_cast<int>(blockIdx.x);
    const TextTask& text = text_at(texts, count, &TextTask::unit, unit);
    attend_unit(task_of(pass, text), unit - text.unit);
}

// grid: (heads, rows of the launch)
__global__ void __launch_bounds__(kAttentionThreads) combine_texts(AttentionTask pass, const TextTask* texts, int count) {
    const int row = static_cast<int>(blockIdx.y);
    const TextTask& text = text_at(texts, count, &TextTask::launch_row, row);
    combine_row(task_of(pass, text), row - text.launch_row);
}

} // namespace speclens::cuda
