// The inner kernels of the CPU backend: plain functions over raw pointers that compute a share of the outputs
// on the calling thread. One table per instruction set; cpu_backend.cpp checks shapes, deals out the shares
// and calls them. "Row" below is a row of the pass (one token), "output" a row of a weight matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/backend.h"
#include "kernels/cpu/isa.h"

namespace speclens {

// ---- products: matmul_*.cpp; products.h chooses among them ----

struct MatmulTask {
    const void* x = nullptr; // as `pack` left it, or (rows, k) f32
    int rows = 0;
    const void* weight = nullptr; // (n, k)
    DType dtype = DType::bf16;
    std::int64_t k = 0;
    const float* bias = nullptr; // (n) or null
    float* out = nullptr;        // where output `first` of the first row goes; rows `out_stride` apart
    std::int64_t out_stride = 0;
};

struct MatmulKernels {
    // Rearranges and rounds x (rows, k) for multiply; `packed` is 64-byte aligned. Null: multiply takes x as it is.
    void (*pack)(const float* x, int rows, std::int64_t k, DType weights, std::byte* packed) = nullptr;
    // Bytes of a row that was packed, a multiple of 64 where rows have to begin at a cache line.
    std::int64_t (*packed_row)(std::int64_t k) = nullptr;
    // Outputs [first, last) of all rows. For tiled weights both are multiples of kTiledRows, or `last` is the end of a
    // quantised matrix.
    void (*multiply)(const MatmulTask& task, std::int64_t first, std::int64_t last) = nullptr;
};
// Products in f32 of bf16 weights in tiles, of quantised ones, of weights as rows. `rounded`: x is rounded to bf16 first.
[[nodiscard]] const MatmulKernels& tile_matmul(Isa isa, bool rounded = false);
[[nodiscard]] const MatmulKernels& quant_matmul(Isa isa);
[[nodiscard]] const MatmulKernels& row_matmul(Isa isa, bool rounded = false);
// Products of bf16 weights in tiles with x rounded to bf16, by AVX512_BF16. Null in a program for another architecture.
[[nodiscard]] const MatmulKernels* bf16_matmul();
// The same by AMX-BF16, in another order of additions.
[[nodiscard]] const MatmulKernels* amx_matmul();
// Products of quantised weights, whose numbers are multiplied as they are, with x rounded to bf16; `bf16`: by AVX512_BF16.
// By AVX-512 or AVX2; null for another instruction set.
[[nodiscard]] const MatmulKernels* kept_matmul(Isa isa, bool bf16);
// What the same by AMX-BF16 is made of (amx_tiles.h), for weights of one type and sixteen outputs, whose blocks begin at `tile`:
// stretches [first, first + count), at most 128 columns (matmul_kept.cpp).
struct KeptSteps {
    int values = 0, bytes = 0, stretch = 0; // of a block of sixteen rows; columns of a stretch
    // Their numbers, as `stretch / 2` lines of sixteen pairs of bf16 each.
    void (*unpack)(const std::byte* tile, int first, int count, std::uint32_t* lines) = nullptr;
    // acc (rows, 16) += their scaled sums (count, 16, 16), of which the first `rows` of sixteen are there. x: what was packed behind
    // the columns of the first row, rows x_stride bytes apart.
    void (*add)(const std::byte* tile, int first, int count, const std::byte* x, std::int64_t x_stride, const float* sums, int rows,
                float* acc) = nullptr;
};
// Null in a program for another architecture.
[[nodiscard]] const KeptSteps* kept_steps(DType weights);
// How x is packed for them, and the product of one row alone, by AVX-512 in the same order of additions. Null as above.
[[nodiscard]] const MatmulKernels* kept_tile_matmul();
// By the processor; null as above.
[[nodiscard]] const MatmulKernels* amx_kept_matmul();
// Products of quantised weights with x in 8 bits (quant_activations.h). `vnni`: by AVX512_VNNI or, beside AVX2, AVX-VNNI.
[[nodiscard]] const MatmulKernels& int8_matmul(Isa isa, bool vnni);

// ---- attention.cpp ----

// Running softmax of one query head of one row.
struct AttentionState {
    float max = -std::numeric_limits<float>::infinity(); // of the scores
    float sum = 0;                                       // of exp(score - max); 0: nothing was seen
};

struct AttentionTask {
    HeadShape shape;
    int rows = 0;
    const float* q = nullptr; // (rows, H * d)
    DType cache = DType::f32; // or f16
    const void* k = nullptr;  // (slots, K * d)
    const void* v = nullptr;  // (slots, K * d)
    float* out = nullptr;     // (rows, H * d)
    int prefix = 0;
    int first_slot = 0;
    const std::uint64_t* ancestors = nullptr; // (rows, words), null: causal
    int words = 0;
    // Where the slots lie in blocks of 1 << block_bits: slot s is row blocks[s >> block_bits] << block_bits | the rest of s of
    // the cache; null: slot s is row s.
    const int* blocks = nullptr;
    int block_bits = 0;
    int part = 0; // visits that have a softmax of their own; 0: all
    // Only for attend_part and join_parts; parts: of a row that sees everything.
    int parts = 1;
    float* part_sums = nullptr;            // (rows, K, parts, H / K * d)
    AttentionState* part_states = nullptr; // (rows, K, parts, H / K)
};

inline constexpr int kAttentionRows = 8; // rows that may share a walk over the prefix
inline constexpr int kAttentionGroup = kMostGroup;
inline constexpr int kAttentionBlock = 64; // visits whose keys and values stay in cache for all rows and heads that see them
inline constexpr int kAttentionPart = 256; // visits of a part, where there are parts
static_assert(kAttentionPart % kAttentionBlock == 0);

struct AttentionKernels {
    // All query heads of key/value head `kv_head` for rows [first_row, last_row), at most kAttentionRows.
    void (*attend)(const AttentionTask& task, int first_row, int last_row, int kv_head);
    // The same in pieces, with the same bits: one of the parts [0, 1 + prefix / 64 * 64 / part), the last of which takes
    // what is left, of key/value heads [first_head, last_head); then, when all are done, each row and head is put together.
    void (*attend_part)(const AttentionTask& task, int first_row, int last_row, int first_head, int last_head, int part);
    void (*join_parts)(const AttentionTask& task, int row, int kv_head);
};
[[nodiscard]] const AttentionKernels& attention_kernels(Isa isa);

// ---- norm_rope.cpp ----

struct NormRopeKernels {
    // residual += delta (unless null); out = RMSNorm(residual) * weight (unless null).
    void (*add_norm)(float* residual, const float* delta, const float* weight, float eps, float* out, std::int64_t h);
    // to = rotate(RMSNorm(from) * weight) over one head; weight null: no norm; from == to is fine.
    void (*rope_head)(const float* from, float* to, const float* weight, float eps, const float* cos_sin, int d);
    // f16 to the nearest, ties to even; what is larger than any finite one becomes the largest. NaN stays NaN.
    void (*to_f16)(const float* from, std::uint16_t* to, std::int64_t n);
    // out = silu(gate) * up
    void (*silu_times)(const float* gate, const float* up, float* out, std::int64_t n);
};
[[nodiscard]] const NormRopeKernels& norm_rope_kernels(Isa isa);

// ---- gates.cpp ----

// Backend::convolve; `added` begins with the columns that are meant.
struct ConvolutionTask {
    float* x;           // (rows, h)
    const float* base;  // (taps, h)
    const float* added; // (rows, stride)
    std::int64_t rows, h, taps, stride, groups;
};

struct GateKernels {
    void (*silu)(float* x, std::int64_t n); // in place
    // One step of a GRU of width g; see Backend::gru. gates may be null, out may be state.
    void (*gru)(const float* in, const float* hid, const float* state, float* out, float* gates, std::int64_t g);
    // The columns of the groups [first, last).
    void (*convolve)(const ConvolutionTask& task, std::int64_t first, std::int64_t last);
};
[[nodiscard]] const GateKernels& gate_kernels(Isa isa);

// ---- rows.cpp ----

struct RowKernels {
    void (*softmax)(const float* in, std::int64_t n, float temperature, float* out);
    std::int32_t (*argmax)(const float* in, std::int64_t n);
    void (*top_k)(const float* in, std::int64_t n, int k, std::int32_t* ids, float* values);
    // Reads everything once and returns a sum, so that the reads cannot be optimised away.
    std::uint64_t (*read_all)(const std::uint64_t* data, std::int64_t words);
};
[[nodiscard]] const RowKernels& row_kernels(Isa isa);

} // namespace speclens
