// Rows picked out of a tensor, and slots of a cache moved to their new place.
#pragma once

#include "kernels/cuda/dialect.h"

namespace speclens::cuda {

inline constexpr int kGatherThreads = 256;

// out[i] = in[indices[i]], rows of `bytes`; one block per row i.
template <class Word>
__global__ void gather_rows(const Word* in, std::int64_t rows, std::int64_t words, const std::int32_t* indices, Word* out) {
    const std::int64_t index = indices[blockIdx.x];
    if (index < 0 || index >= rows) __trap();
    for (std::int64_t w = threadIdx.x; w < words; w += blockDim.x) out[blockIdx.x * words + w] = in[index * words + w];
}

// Slot to[i] = slot from[i], one move after the other: a thread owns its columns.
struct Moves {
    static constexpr int kMost = 64;
    int count = 0;
    int from[kMost] = {}, to[kMost] = {};
};

__global__ void move_slots(Moves moves, float* k, float* v, std::int64_t cols) {
    const std::int64_t c = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    for (int i = 0; i < moves.count; ++i) {
        k[moves.to[i] * cols + c] = k[moves.from[i] * cols + c];
        v[moves.to[i] * cols + c] = v[moves.from[i] * cols + c];
    }
}

} // namespace speclens::cuda
