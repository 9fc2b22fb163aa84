// Activations in 8 bits, for products with quantised weights (Precision::int8; matmul_int8.cpp). A row is cut into blocks of
// 32 values as ggml's Q8_0 has them, but with a scale in f32:
//
//     a = the largest magnitude of the block;  scale = a / 127;  q = the integer nearest to x · (127 / a), ties to even
//
// each operation in f32. The values of a block with a < 2^-100 count as zeros. A block with a NaN or an infinite value has
// the scale NaN, so all outputs of its row are NaN.
#pragma once

#include <cstdint>

#include "kernels/cpu/quant_tiles.h"

namespace speclens {

inline constexpr int kActivationBlock = 32;
inline constexpr float kSmallestActivation = 0x1p-100f;

// The integers stand in the order in which the numbers of such a weight come out of its words: see quad_column.
struct ActivationBlock {
    std::int8_t q[kActivationBlock];
    float scale;
    float scaled_sum;      // scale · the sum of q: for weights with an offset (d·q + m)
    std::int32_t start[2]; // -quad_offset · the sum of q; of all of them, or of each half where a stretch is 16 columns
};
static_assert(sizeof(ActivationBlock) == 48);

// What is to be subtracted from the numbers of the weights as they are multiplied. Q8_0: 128 was added to make them positive.
[[nodiscard]] constexpr int quad_offset(DType weights) {
    switch (weights) {
    case DType::q8_0: return 128;
    case DType::q4_0: return 8;
    case DType::q5_0: return 16;
    case DType::q6_k: return 32;
    default: return 0;
    }
}

// Four columns of sixteen rows are multiplied at once, a quad: the four bytes of a 32-bit lane. Which column of a stretch is
// byte `byte` of quad `quad`: the even places of a word of eight columns, then the odd ones.
[[nodiscard]] constexpr int quad_column(const QuantLayout& layout, int quad, int byte) {
    return layout.bits == 8 ? 4 * quad + byte : quad / 2 * 8 + 2 * byte + quad % 2;
}
static_assert([] { // every column once
    for (const QuantLayout& layout : kQuantLayouts) {
        std::uint32_t seen = 0;
        for (int i = 0; i < layout.stretch; ++i) seen |= 1u << quad_column(layout, i / 4, i % 4);
        if (seen != 0xFFFFFFFFu >> (32 - layout.stretch)) return false;
    }
    return true;
}());

} // namespace speclens
