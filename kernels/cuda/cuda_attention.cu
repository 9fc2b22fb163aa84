// Attention on the GPU, and what it sees: keys with their positions and values go into the cache.
#include <algorithm>
#include <bit>
#include <utility>

#include "kernels/cuda/attention.cuh"
#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/rope.cuh"
#include "kernels/error.h"

namespace speclens::cuda {

static_assert(kMostDim == kMostHeadDim);

const PagedPass& CudaBackend::bring(const HeadShape& shape, const PagedRows& rows) {
    if (paged_.is_of(shape, rows)) return paged_;
    PagedPass pass(shape, rows, attention_bytes_);
    paged_ = {}; // until the new one is there
    void* const to = reserve(tables_, pass.bytes().size());
    upload({.data = to, .dtype = DType::u8, .rows = 1, .cols = std::ssize(pass.bytes())}, pass.bytes().data());
    return paged_ = std::move(pass);
}

namespace {

int rows_together(std::size_t row_bytes, int rows, std::size_t most_bytes) {
    return static_cast<int>(std::clamp<std::size_t>(most_bytes / row_bytes, 1, static_cast<std::size_t>(rows)));
}

RopeTask rope_task(const HeadShape& shape, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_norm, const Tensor& k_norm,
                   float eps, const Tensor& cos_sin, const Tensor& positions, const KvLayer& cache) {
    CHECK(cache.k.dtype == DType::f32, "rope_store: a cache of this device is f32");
    return {.rows = static_cast<int>(k.rows),
            .heads = q.empty() ? 0 : shape.heads,
            .kv_heads = shape.kv_heads,
            .dim = shape.dim,
            .q = data_or_null<float>(q),
            .k = data_of<const float>(k),
            .v = data_of<const float>(v),
            .q_norm = data_or_null<const float>(q_norm),
            .k_norm = data_or_null<const float>(k_norm),
            .eps = eps,
            .cos_sin = data_of<const float>(cos_sin),
            .positions = cos_sin.rows,
            .position = data_of<const std::int32_t>(positions),
            .k_cache = data_of<float>(cache.k),
            .v_cache = data_of<float>(cache.v)};
}

void add_rope(LaunchList& list, const RopeTask& task) {
    const std::int64_t warps = std::int64_t{task.rows} * (task.heads + 2 * task.kv_heads);
    list.add(cuda::rope_store, blocks(warps, kRopeThreads / kWarp), kRopeThreads, 0, task);
}

AttentionTask attention_task(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const Tensor& out) {
    CHECK(shape.dim <= kMostDim, "attention: head dimension");
    CHECK(cache.k.dtype == DType::f32, "attention: a cache of this device is f32");
    return {.rows = static_cast<int>(q.rows),
            .heads = shape.heads,
            .kv_heads = shape.kv_heads,
            .dim = shape.dim,
            .q = data_of<const float>(q),
            .k = data_of<const float>(cache.k),
            .v = data_of<const float>(cache.v),
            .out = data_of<float>(out)};
}

} // namespace

void CudaBackend::rope_store(const HeadShape& shape, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_norm,
                             const Tensor& k_norm, float eps, const Tensor& cos_sin, const Tensor& positions, const KvLayer& cache,
                             int first_slot) {
    shapes::rope_store(shape, q, k, v, q_norm, k_norm, cos_sin, positions, cache, first_slot);
    RopeTask task = rope_task(shape, q, k, v, q_norm, k_norm, eps, cos_sin, positions, cache);
    task.first_slot = first_slot;
    add_rope(list_, task);
}

void CudaBackend::rope_store_paged(const HeadShape& shape, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& q_norm,
                                   const Tensor& k_norm, float eps, const Tensor& cos_sin, const Tensor& positions, const KvLayer& cache,
                                   const PagedRows& rows) {
    shapes::rope_store_paged(shape, q, k, v, q_norm, k_norm, cos_sin, positions, cache, rows);
    RopeTask task = rope_task(shape, q, k, v, q_norm, k_norm, eps, cos_sin, positions, cache);
    const std::size_t slots = bring(shape, rows).slots_at();
    task.slots = reinterpret_cast<const std::int32_t*>(static_cast<const std::byte*>(tables_.data) + slots);
    add_rope(list_, task);
}

std::size_t CudaBackend::attention_scratch(const HeadShape& shape, int rows, int context) const {
    const std::size_t row_bytes = partial_bytes(shape, context);
    if (row_bytes == 0) return 0; // no heads, or nothing to look at
    return row_bytes * static_cast<std::size_t>(rows_together(row_bytes, rows, attention_bytes_));
}

void CudaBackend::attention(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const AttentionMask& mask, const Tensor& out) {
    shapes::attention(shape, q, cache, mask, out);
    AttentionTask task = attention_task(shape, q, cache, out);
    const int rows = task.rows, context = mask.prefix + rows;
    const std::int64_t q_cols = static_cast<std::int64_t>(shape.heads) * shape.dim;
    const int together = rows_together(partial_bytes(shape, context), rows, attention_bytes_);
    const bool causal = mask.ancestors.empty();
    task.prefix = mask.prefix;
    task.first_slot = mask.first_slot;
    task.ancestors = data_or_null<const unsigned long long>(mask.ancestors);
    task.words = (rows + 63) / 64;
    task.chunks = chunks_of(context);
    task.shared_chunks = causal ? task.chunks : mask.prefix / kChunk;
    task.partial = static_cast<float*>(reserve(partial_, attention_scratch(shape, rows, context)));
    for (int first = 0; first < rows; first += together, task.q += together * q_cols, task.out += together * q_cols) {
        task.first_row = first;
        task.rows = std::min(together, rows - first);
        const int units = attention_units(task.rows, shape.heads / shape.kv_heads, task.chunks, task.shared_chunks);
        list_.add(attend_chunks, dim3(static_cast<unsigned>(units), static_cast<unsigned>(shape.kv_heads)), kAttentionThreads,
                  static_cast<std::size_t>(attention_shared(shape.dim)), task);
        list_.add(combine_chunks, dim3(static_cast<unsigned>(shape.heads), static_cast<unsigned>(task.rows)), kAttentionThreads, 0, task);
    }
}

void CudaBackend::attention_paged(const HeadShape& shape, const Tensor& q, const KvLayer& cache, const PagedRows& rows, const Tensor& out) {
    shapes::attention_paged(shape, q, cache, rows, out);
    AttentionTask task = attention_task(shape, q, cache, out);
    const PagedPass& pass = bring(shape, rows);
    const auto* tables = static_cast<const std::byte*>(tables_.data);
    const auto* texts = reinterpret_cast<const TextTask*>(tables);
    task.partial = static_cast<float*>(reserve(partial_, pass.scratch()));
    task.blocks = reinterpret_cast<const std::int32_t*>(tables + pass.blocks_at());
    task.block_bits = std::countr_zero(static_cast<unsigned>(rows.block));
    const std::int64_t q_cols = static_cast<std::int64_t>(shape.heads) * shape.dim;
    for (const PagedPass::Launch& launch : pass.launches()) {
        task.q = data_of<const float>(q) + launch.first_row * q_cols;
        task.out = data_of<float>(out) + launch.first_row * q_cols;
        list_.add(attend_texts, dim3(static_cast<unsigned>(launch.units), static_cast<unsigned>(shape.kv_heads)), kAttentionThreads,
                  static_cast<std::size_t>(attention_shared(shape.dim)), task, texts + launch.first_text, launch.texts);
        list_.add(combine_texts, dim3(static_cast<unsigned>(shape.heads), static_cast<unsigned>(launch.rows)), kAttentionThreads, 0, task,
                  texts + launch.first_text, launch.texts);
    }
}

} // namespace speclens::cuda
