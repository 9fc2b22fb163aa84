// What the kernels of attention.cuh are asked for, and how many blocks of a grid that takes.
#pragma once

#include "kernels/cuda/dialect.h"

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
    int chunks = 0;                       // of the longest row
    int shared_chunks = 0;                // chunks in which all rows see the same slots (some perhaps fewer of them)
    float* partial = nullptr;             // (rows, heads, chunks, dim + 2): sums of values, largest score, sum of weights
    float* out = nullptr;                 // (rows, heads * dim)
    const std::int32_t* blocks = nullptr; // slots are positions of a text, which lie in these blocks; null: rows of the cache
    int block_bits = 0;                   // a block has 2^block_bits positions
};

// Rows of one text in a launch over several.
struct TextTask {
    int rows = 0, prefix = 0;
    int first_row = 0; // of this launch inside the text's own rows
    int words = 0, chunks = 0, shared_chunks = 0;
    int launch_row = 0;                            // its first row among those of the launch
    int unit = 0;                                  // its first block of the grid
    std::int64_t table = 0;                        // where its blocks begin in those of all texts
    std::int64_t partial = 0;                      // where its results begin, in floats
    const unsigned long long* ancestors = nullptr; // of all its rows
};

[[nodiscard]] inline constexpr int attention_shared(int dim) {
    return (kQueries * dim + kQueries * kChunk) * static_cast<int>(sizeof(float)) + (kChunk + kQueries) * static_cast<int>(sizeof(int));
}

// Blocks of a grid for the chunks of one key/value head.
[[nodiscard]] inline constexpr int attention_units(int rows, int group, int chunks, int shared_chunks) {
    const int tiles = (rows * group + kQueries - 1) / kQueries, row_tiles = (group + kQueries - 1) / kQueries;
    return shared_chunks * tiles + (chunks - shared_chunks) * rows * row_tiles;
}

} // namespace speclens::cuda
