// The emulator itself: it runs a block as CUDA would, and it notices the mistakes it exists for. Each planted
// bug is a kernel that a GPU might get away with.
#include <gtest/gtest.h>

#include "kernels/cuda/launch_list.h"
#include "kernels/cuda/reduce.cuh"

namespace speclens::cuda {
namespace {

constexpr int kThreads = 64;

template <class... P, class... A>
void launch(void (*kernel)(P...), dim3 grid, dim3 block, std::size_t shared, const A&... arguments) {
    LaunchList list(false);
    list.add(kernel, grid, block, shared, arguments...);
    list.flush(nullptr);
}

template <class Check>
void in_every_order(const Check& check) {
    for (const auto order : {simt::Order::ascending, simt::Order::descending, simt::Order::shuffled}) {
        simt::order = order;
        check();
    }
    simt::order = simt::Order::ascending;
}

__global__ void reverse(const float* in, float* out) {
    SIMT_SHARED(float, staged);
    staged[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x];
}

__global__ void reverse_without_barrier(const float* in, float* out) {
    SIMT_SHARED(float, staged);
    staged[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    out[blockIdx.x * blockDim.x + threadIdx.x] = staged[blockDim.x - 1 - threadIdx.x];
}

std::vector<float> reversed(void (*kernel)(const float*, float*)) {
    std::vector<float> in(3 * kThreads), out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i);
    launch(kernel, 3, kThreads, kThreads * sizeof(float), in.data(), out.data());
    return out;
}

TEST(Simt, RunsBlocksWithSharedMemoryAndBarriers) {
    in_every_order([] {
        const std::vector<float> out = reversed(reverse);
        for (int block = 0; block < 3; ++block)
            for (int i = 0; i < kThreads; ++i)
                EXPECT_EQ(out[static_cast<std::size_t>(block * kThreads + i)], static_cast<float>(block * kThreads + kThreads - 1 - i));
    });
}

TEST(Simt, ShowsAMissingBarrierAsNanInEveryOrder) {
    in_every_order([] {
        int wrong = 0;
        for (const float value : reversed(reverse_without_barrier)) wrong += std::isnan(value);
        EXPECT_GT(wrong, 0);
    });
}

__global__ void add_up(const float* in, float* out) {
    SIMT_SHARED(float, scratch);
    const float sum = block_sum(in[threadIdx.x], scratch);
    if (threadIdx.x == blockDim.x - 1) *out = sum;
}

TEST(Simt, SumsABlockTheSameInEveryOrder) {
    std::vector<float> in(kThreads);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = 1.0f / static_cast<float>(i + 1);
    std::vector<float> sums;
    in_every_order([&] {
        float sum = 0;
        launch(add_up, 1, kThreads, 2 * sizeof(float), in.data(), &sum);
        sums.push_back(sum);
    });
    EXPECT_NEAR(sums[0], 4.7438909, 1e-5);
    EXPECT_EQ(sums[0], sums[1]);
    EXPECT_EQ(sums[0], sums[2]);
}

// What the emulator reports for a launch of `kernel`, empty when it finds nothing.
std::string fault_of(void (*kernel)(float*), dim3 block = kThreads, std::size_t shared = 0) {
    float cell = 0;
    try {
        launch(kernel, 1, block, shared, &cell);
    } catch (const simt::Fault& fault) {
        return fault.what();
    }
    return "";
}

__global__ void two_barriers(float*) {
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
}
__global__ void barrier_for_some(float* out) {
    if (threadIdx.x < 32) return;
    __syncthreads();
    *out = 1;
}
__global__ void shuffle_of_half_a_warp(float* out) {
    if (threadIdx.x % kWarp < kWarp / 2) *out = __shfl_xor_sync(kWholeWarp, *out, 1);
}
__global__ void two_shuffles(float* out) {
    if (threadIdx.x % kWarp < kWarp / 2)
        *out = __shfl_xor_sync(kWholeWarp, *out, 1);
    else
        *out = __shfl_xor_sync(kWholeWarp, *out, 2);
}
__global__ void traps(float*) {
    if (threadIdx.x == 40) __trap();
}
__global__ void nothing(float*) {}

TEST(Simt, ReportsABarrierThatIsReachedFromTwoLines) {
    in_every_order([] { EXPECT_NE(fault_of(two_barriers).find("wait at different barriers"), std::string::npos); });
}

TEST(Simt, ReportsABarrierThatSomeThreadsNeverReach) {
    in_every_order([] {
        const std::string fault = fault_of(barrier_for_some);
        EXPECT_NE(fault.find("wait for ones that never come"), std::string::npos) << fault;
        EXPECT_NE(fault.find("simt_test.cpp"), std::string::npos) << fault;
    });
}

TEST(Simt, ReportsAWarpOperationOfPartOfAWarp) {
    in_every_order([] {
        EXPECT_NE(fault_of(shuffle_of_half_a_warp).find("never come"), std::string::npos);
        EXPECT_NE(fault_of(two_shuffles).find("different operations"), std::string::npos);
    });
}

TEST(Simt, ReportsTrapsAndImpossibleLaunches) {
    EXPECT_NE(fault_of(traps).find("trap at"), std::string::npos);
    EXPECT_EQ(fault_of(nothing), "");
    EXPECT_NE(fault_of(nothing, 2048).find("larger than a GPU allows"), std::string::npos);
    EXPECT_NE(fault_of(nothing, kThreads, 64 << 10).find("48 KiB"), std::string::npos);
}

} // namespace
} // namespace speclens::cuda
