// Weights quantised in blocks, as ggml stores them (ggml-common.h and ggml-quants.c of llama.cpp define the layouts): a
// row is a whole number of blocks, and a block holds small integers with their scales. Every type is widened to f32 by
// one formula in single precision, operation by operation as there, so that a file means the same numbers everywhere.
//
//   q8_0            32 values   d·q                        q from -128 to 127
//   q4_0, q5_0      32 values   d·(q - 8), d·(q - 16)
//   q4_1, q5_1      32 values   d·q + m
//   q2_k            256 values  (d·s)·q - (dmin·m)         s and m of 4 bits for every 16 values
//   q3_k            256 values  (d·(s - 32))·(q - 4)       s of 6 bits for every 16 values
//   q4_k, q5_k      256 values  (d·s)·q - (dmin·m)         s and m of 6 bits for every 32 values
//   q6_k            256 values  (d·s)·(q - 32)             s of 8 bits for every 16 values
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/backend.h"

namespace speclens {

// Exact: every f16 is an f32.
[[nodiscard]] float widen_f16(std::uint16_t bits);
// To the nearest, ties to even; too large: infinite. No NaN.
[[nodiscard]] std::uint16_t narrow_f16(float value);

// `values` numbers of a quantised type, bf16, f16 or f32 from `from`, which need not be aligned; a whole number of blocks.
void widen(DType stored, const std::byte* from, std::int64_t values, float* to);

} // namespace speclens
