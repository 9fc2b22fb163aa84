// Attention on the GPU, and what it sees: keys with their positions and values go into the cache.
#include <algorithm>

#include "kernels/cuda/attention.cuh"
#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/rope.cuh"
#include "kernels/error.h"

namespace speclens::cuda {

static_assert(kMostDim == kMostHeadDim);

namespace {

constexpr std::size_t kPartialBytes = std::size_t{256} << 20; // of attention, for the rows of one launch

int chunks_of(int context) {
    return (context + kChunk - 1) / kChunk;
}

std::size_t partial_bytes(const HeadShape& shape, int context) { // of one row
    return static_cast<std::size_t>(shape.heads) * static_cast<std::size_t>(chunks_of(context)) *
           static_cast<std::size_t>(shape.dim + 2) * sizeof(float);
}

int rows_together(std::size_t row_bytes, int rows) {
    return static_cast<int>(
        std::clamp<std::size_t>(kPartialBytes / row_bytes, 1, static_cast<std::size_t>(rows)));
}

} // namespace

void CudaBackend::rope_store(const HeadShape& shape, const Tensor& q, const Tensor& k, const Tensor& v,
                             const Tensor& q_norm, const Tensor& k_norm, float eps, const Tensor& cos_sin,
                             const Tensor& positions, const KvLayer& cache, int first_slot) {
    shapes::rope_store(shape, q, k, v, q_norm, k_norm, cos_sin, positions, cache, first_slot);
    CHECK(cache.k.dtype == DType::f32, "rope_store: a cache of this device is f32");
    const int d = shape.dim;
    const std::int64_t rows = k.rows;
    const RopeTask task = {.rows = static_cast<int>(rows),
                           .heads = q.empty() ? 0 : shape.heads,
                           .kv_heads = shape.kv_heads,
                           .dim = d,
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
                           .v_cache = data_of<float>(cache.v),
                           .first_slot = first_slot};
    const std::int64_t warps = rows * (task.heads + 2 * task.kv_heads);
    list_.add(cuda::rope_store, blocks(warps, kRopeThreads / kWarp), kRopeThreads, 0, task);
}

std::size_t CudaBackend::attention_scratch(const HeadShape& shape, int rows, int context) const {
    const std::size_t row_bytes = partial_bytes(shape, context);
    if (row_bytes == 0) return 0; // no heads, or nothing to look at
    return row_bytes * static_cast<std::size_t>(rows_together(row_bytes, rows));
}

void CudaBackend::attention(const HeadShape& shape, const Tensor& q, const KvLayer& cache,
                            const AttentionMask& mask, const Tensor& out) {
    shapes::attention(shape, q, cache, mask, out);
    CHECK(shape.dim <= kMostDim, "attention: head dimension");
    CHECK(cache.k.dtype == DType::f32, "attention: a cache of this device is f32");
    const int rows = static_cast<int>(q.rows), d = shape.dim;
    const std::int64_t q_cols = static_cast<std::int64_t>(shape.heads) * d;
    const int words = (rows + 63) / 64;
    const bool causal = mask.ancestors.empty();

    const int context = mask.prefix + rows, chunks = chunks_of(context);
    const int together = rows_together(partial_bytes(shape, context), rows);
    auto* partial = static_cast<float*>(reserve(partial_, attention_scratch(shape, rows, context)));
    const int group = shape.heads / shape.kv_heads;
    for (int first = 0; first < rows; first += together) {
        const int some = std::min(together, rows - first);
        const AttentionTask task = {.rows = some,
                                    .heads = shape.heads,
                                    .kv_heads = shape.kv_heads,
                                    .dim = d,
                                    .q = data_of<const float>(q) + first * q_cols,
                                    .k = data_of<const float>(cache.k),
                                    .v = data_of<const float>(cache.v),
                                    .prefix = mask.prefix,
                                    .first_slot = mask.first_slot,
                                    .first_row = first,
                                    .ancestors = data_or_null<const unsigned long long>(mask.ancestors),
                                    .words = words,
                                    .chunks = chunks,
                                    .shared_chunks = causal ? chunks : mask.prefix / kChunk,
                                    .partial = partial,
                                    .out = data_of<float>(out) + first * q_cols};
        const int units = task.shared_chunks * ((some * group + kQueries - 1) / kQueries) +
                          (chunks - task.shared_chunks) * some * ((group + kQueries - 1) / kQueries);
        list_.add(attend_chunks, dim3(static_cast<unsigned>(units), static_cast<unsigned>(shape.kv_heads)),
                  kAttentionThreads, static_cast<std::size_t>(attention_shared(d)), task);
        list_.add(combine_chunks, dim3(static_cast<unsigned>(shape.heads), static_cast<unsigned>(some)),
                  kAttentionThreads, 0, task);
    }
}

} // namespace speclens::cuda
