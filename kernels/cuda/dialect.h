// The language of the kernels in this folder: CUDA C++ that also runs on the emulator of the tests.
//
//  * shared memory is dynamic and comes from SIMT_SHARED(T, name), at most 48 KiB, its size given to the
//  launch;
//  * warp operations run on whole warps (mask kWholeWarp); no block waits for another one;
//  * one owner and one order per output, no float atomics: the bits must not depend on who is first;
//  * inline PTX stands only in mma.cuh, whose emulated twin is beside it.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#include <cuda_runtime.h>
#define SIMT_UNROLL _Pragma("unroll")
#define SIMT_SHARED(T, name)                                                                                                               \
    extern __shared__ uint4 simt_shared_memory[];                                                                                          \
    T* const name = reinterpret_cast<T*>(simt_shared_memory)
#else
#include "kernels/simt/simt.h"
#endif

namespace speclens::cuda {

inline constexpr unsigned kWholeWarp = 0xFFFFFFFFu;
inline constexpr int kWarp = 32;

} // namespace speclens::cuda
