// One tensor-core instruction: D (16 x 8, f32) += A (16 x 16, bf16) · B (16 x 8, bf16), and the split of an
// f32 into three bf16 whose sum it is, so that products of activations and bf16 weights are exact. Which lane
// holds which value: PTX ISA, "Matrix Fragments for mma.m16n8k16 with floating point type".
//   A: index_in_tiles (matrix.cuh)     B: lane l holds rows 2(l%4), +1, +8, +9 of column l/4
//   D: lane l holds columns 2(l%4), +1 of row l/4, then the same of row l/4 + 8
#pragma once

#include "kernels/cuda/dialect.h"

namespace speclens::cuda {

struct Pair { // B of one lane: rows (k) 2t and 2t+1, then 2t+8 and 2t+9; the lower row in the lower half
    unsigned low = 0, high = 0;
};

__device__ inline unsigned bf16_bits(float value) { // the upper half: rounded towards zero
    return __float_as_uint(value) & 0xFFFF0000u;
}

// value = parts[0] + parts[1] + parts[2], exactly unless it is subnormal: 8 bits of mantissa each. A NaN or
// an infinity is passed on by the first part.
struct Split {
    unsigned parts[3];
};
__device__ inline Split split(float value) {
    const unsigned first = bf16_bits(value);
    const bool finite = (__float_as_uint(value) & 0x7F800000u) != 0x7F800000u;
    const float rest = finite ? value - __uint_as_float(first) : 0.0f;
    const unsigned second = bf16_bits(rest);
    const unsigned third = bf16_bits(rest - __uint_as_float(second));
    // A NaN whose payload lies in the lower half would turn into an infinity.
    const unsigned quiet = value != value ? 0x7FC00000u : first;
    return {{quiet, second, third}};
}

#if defined(__CUDACC__)

__device__ inline void multiply_add(float (&d)[4], const uint4& a, const Pair& b) {
#if __CUDA_ARCH__ >= 800
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.low), "r"(b.high));
#else
    __trap();     // the host never launches these kernels on older devices
#endif
}

// Weights are read once: around the first cache, which the activations need.
__device__ inline uint4 load_once(const uint4* from) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
    uint4 value;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "l"(from));
    return value;
#else
    return *from; // no such hint there
#endif
}

#else

// The same by its definition: lane by lane as the table above says, products and sums in f32.
__device__ inline void multiply_add(float (&d)[4], const uint4& a, const Pair& b) {
    struct Lane {
        float* d;
        const unsigned* a;
        const unsigned* b;
    };
    const unsigned words[4] = {a.x, a.y, a.z, a.w}, columns[2] = {b.low, b.high};
    Lane own = {d, words, columns};
    simt::warp_collective(
        SIMT_PLACE,
        [](void* const lanes[32]) {
            const auto half = [](unsigned word, int which) { return __uint_as_float(which == 0 ? word << 16 : word & 0xFFFF0000u); };
            float left[16][16], right[16][8];
            for (int l = 0; l < 32; ++l) {
                const auto* lane = static_cast<const Lane*>(lanes[l]);
                for (int e = 0; e < 8; ++e) left[l / 4 + e / 2 % 2 * 8][l % 4 * 2 + e % 2 + e / 4 * 8] = half(lane->a[e / 2], e % 2);
                for (int e = 0; e < 4; ++e) right[l % 4 * 2 + e % 2 + e / 2 * 8][l / 4] = half(lane->b[e / 2], e % 2);
            }
            for (int l = 0; l < 32; ++l)
                for (int e = 0; e < 4; ++e) {
                    float& sum = static_cast<const Lane*>(lanes[l])->d[e];
                    for (int k = 0; k < 16; ++k) sum += left[l / 4 + e / 2 * 8][k] * right[k][l % 4 * 2 + e % 2];
                }
        },
        &own);
}

__device__ inline uint4 load_once(const uint4* from) { return *from; }

#endif

} // namespace speclens::cuda
