// Token embeddings: rows picked out of a weight matrix, whatever its layout, as f32.
#pragma once

#include "kernels/cuda/matrix.cuh"

namespace speclens::cuda {

inline constexpr int kEmbedThreads = 256;

// out[i] = table[ids[i]]; one block per row i.
__global__ void embed_rows(Matrix table, std::int64_t rows, const std::int32_t* ids, float* out) {
    const std::int64_t id = ids[blockIdx.x];
    if (id < 0 || id >= rows) __trap(); // ids come from us: a bug, not an input
    for (std::int64_t c = threadIdx.x; c < table.cols; c += blockDim.x) out[blockIdx.x * table.cols + c] = value_at(table, id, c);
}

} // namespace speclens::cuda
