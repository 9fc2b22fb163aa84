// The operations of a forward pass on the GPU.
#include <algorithm>

#include "kernels/cuda/attention.cuh"
#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/embed.cuh"
#include "kernels/cuda/matmul_tiles.cuh"
#include "kernels/cuda/norm.cuh"
#include "kernels/cuda/rope.cuh"
#include "kernels/error.h"

namespace speclens::cuda {

static_assert(kMostDim == kMostHeadDim);

bool built_with_tensor_cores() {
    cudaFuncAttributes found = {};
    return cudaFuncGetAttributes(&found, matmul_tiles<1, 1>) == cudaSuccess && found.ptxVersion >= 80;
}

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

// Outputs from which a warp may take two tiles: enough blocks remain for every multiprocessor of a large GPU.
constexpr std::int64_t kWideOutputs = 8192;

// Launches that are worth handing over before the host asks for a result.
constexpr std::size_t kEnough = 64;

} // namespace

void CudaBackend::embed(const Tensor& table, const Tensor& ids, const Tensor& out) {
    shapes::embed(table, ids, out);
    if (list_.size() > kEnough)
        flush(); // a pass begins: a long prompt keeps the device busy from its first piece
    list_.add(embed_rows, dim3(static_cast<unsigned>(out.rows)), kEmbedThreads, 0, matrix_of(table),
              table.rows, data_of<const std::int32_t>(ids), data_of<float>(out));
}

void CudaBackend::add_norm(const Tensor& residual, const Tensor& delta, const Tensor& weight, float eps,
                           const Tensor& out) {
    shapes::add_norm(residual, delta, weight, out);
    const std::int64_t rows = residual.rows, cols = residual.cols;
    list_.add(cuda::add_norm, dim3(static_cast<unsigned>(rows)), kNormThreads, kNormShared,
              data_of<float>(residual), data_or_null<const float>(delta), data_or_null<const float>(weight),
              eps, data_or_null<float>(out), cols);
}

void CudaBackend::matmul(const Tensor& x, std::span<const Projection> parts) {
    shapes::matmul(x, parts, kMaxPassRows);
    // Neighbours of one kind share a launch.
    for (std::size_t first = 0; first < parts.size();) {
        const bool tiled = tensor_cores_ && parts[first].weight.tiled;
        std::size_t last = first + 1;
        while (last < parts.size() && last - first < Parts::kMost &&
               (tensor_cores_ && parts[last].weight.tiled) == tiled)
            ++last;
        launch_matmul(x, parts.subspan(first, last - first), tiled);
        first = last;
    }
}

void CudaBackend::launch_matmul(const Tensor& x, std::span<const Projection> projections, bool tiled) {
    bool wide = tiled;
    std::int64_t outputs = 0;
    for (const Projection& p : projections) {
        outputs += p.out.cols;
        wide = wide && p.out.cols % (2 * kTile) == 0;
    }
    wide = wide && outputs >= kWideOutputs;
    const std::int64_t unit = !tiled ? 1 : wide ? 2 * kTile : kTile;
    Parts parts;
    std::int64_t units = 0;
    for (const Projection& p : projections) {
        units += p.out.cols / unit;
        parts.part[parts.count++] = {matrix_of(p.weight), data_or_null<const float>(p.bias),
                                     data_of<float>(p.out), p.out.cols, units};
    }
    if (units == 0) return;
    const auto* from = data_of<const float>(x);
    if (!tiled) {
        list_.add(matmul_plain, blocks(units, kMatmulThreads / kWarp), kMatmulThreads, 0, from, x.rows,
                  parts);
        return;
    }
    const auto launch = [&](auto kernel, int tiles, int groups) {
        const dim3 grid(static_cast<unsigned>(units), blocks(x.rows, groups * kGroupRows).x);
        list_.add(kernel, grid, kTileThreads, static_cast<std::size_t>(tile_shared(tiles, groups)), from,
                  x.rows, parts);
    };
    if (x.rows <= kGroupRows)
        wide ? launch(matmul_tiles<2, 1>, 2, 1) : launch(matmul_tiles<1, 1>, 1, 1);
    else if (x.rows <= 2 * kGroupRows)
        wide ? launch(matmul_tiles<2, 2>, 2, 2) : launch(matmul_tiles<1, 2>, 1, 2);
    else
        wide ? launch(matmul_tiles<2, 4>, 2, 4) : launch(matmul_tiles<1, 4>, 1, 4);
}

void CudaBackend::matmul_swiglu(const Tensor& x, const Tensor& gate, const Tensor& up, const Tensor& out) {
    shapes::matmul_swiglu(x, gate, up, out, kMaxPassRows);
    const std::int64_t n = out.cols;
    const auto* from = data_of<const float>(x);
    if (!tensor_cores_ || !gate.tiled || !up.tiled) {
        list_.add(swiglu_plain, blocks(n, kMatmulThreads / kWarp), kMatmulThreads, 0, from, x.rows,
                  matrix_of(gate), matrix_of(up), n, data_of<float>(out));
        return;
    }
    const auto launch = [&](auto kernel, int groups) {
        const dim3 grid(static_cast<unsigned>(n / kTile), blocks(x.rows, groups * kGroupRows).x);
        list_.add(kernel, grid, kTileThreads, static_cast<std::size_t>(tile_shared(2, groups)), from, x.rows,
                  matrix_of(gate), matrix_of(up), n, data_of<float>(out));
    };
    if (x.rows <= kGroupRows)
        launch(swiglu_tiles<1>, 1);
    else if (x.rows <= 2 * kGroupRows)
        launch(swiglu_tiles<2>, 2);
    else
        launch(swiglu_tiles<4>, 4);
}

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
