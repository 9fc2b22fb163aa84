// Which kernels multiply a weight: by how it is stored, by the precision asked for and by what the processor has.
//
//              weights             portable                   AVX2, AVX-512                AVX-512, extended
//   f32        all                 f32                        f32                          f32
//   bf16       bf16 in tiles       x rounded, then f32        x rounded, then f32          AMX-BF16, AVX512_BF16
//              quantised           x rounded, then widened    numbers as they are          AMX-BF16, AVX512_BF16
//              all others          x rounded, then f32        x rounded, then f32          x rounded, then f32
//   int8       quantised           pairs of products          pairs of products (AVX2      AVX512_VNNI
//                                                             with AVX-VNNI: that)
//              all others          as bf16                    as bf16                      as bf16
//
// Widened: as kernels/quant.cpp does it, each weight before its product. Elsewhere the numbers of quantised weights are
// multiplied as they are, and the sum of those that share a scale meets it in f32: no weight is rounded in any of them.
// AVX512_BF16 only where it is faster than f32.
#pragma once

#include <string>

#include "kernels/cpu/kernels.h"

namespace speclens {

struct Products {
    MatmulKernels tiles;     // bf16 in tiles (weight_tiles.h)
    MatmulKernels quantised; // in tiles (quant_tiles.h)
    MatmulKernels rows;      // f32, and bf16 that does not divide into tiles
    bool fast = false;       // quicker than in f32: by instructions for this precision, or because less has to be done for a weight
    std::string path;        // what multiplies, for people: "AVX-512 BF16"
};
[[nodiscard]] Products products_of(Isa isa, const NarrowProducts& narrow, Precision precision);

} // namespace speclens
