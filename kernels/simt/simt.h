// A CUDA device that is a CPU: enough of the language and of the runtime to run the plain kernels of
// kernels/cuda under the address sanitizer, for tests only. It proves indexing, tails, launch geometry,
// barriers and masks; it proves nothing about speed, about memory order between threads, or about a real GPU.
//
// One block runs at a time, one fibre per thread. Shared memory is dynamic only; every block starts with NaN
// in it, in an allocation of exactly the size the launch asked for. The order in which lanes run can be
// permuted: code that needs a barrier it lacks then gives other results. Reported as simt::Fault: a barrier
// that some threads reach and others do not, a warp operation that part of a warp executes, a launch without
// threads, a trap.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define SIMT_EMULATED 1

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    dim3() = default;
    dim3(unsigned x_, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {} // NOLINT: as CUDA has it
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
extern dim3 threadIdx, blockIdx, blockDim, gridDim; // of the fibre that runs

namespace simt {

struct Fault : std::logic_error {
    using std::logic_error::logic_error;
};

enum class Order : std::uint8_t { ascending, descending, shuffled };

extern unsigned char* shared; // of the block that runs
extern Order order;           // of the lanes, for the launches that follow

// Waits for all threads of the block. `place` names the line.
void barrier(const char* place);
// Waits for all lanes of the warp, then calls work(lanes) once, where lanes[i] is what lane i passed.
using WarpWork = void (*)(void* const lanes[32]);
void warp_collective(const char* place, WarpWork work, void* own);
void trap(const char* place); // does not return; saying so would make the address sanitizer look at the wrong stack

// What a launch calls for every thread; registered under the address of the kernel.
struct Kernel {
    void (*call)(const void* kernel, void** arguments) = nullptr;
    std::vector<std::size_t> sizes; // bytes of each argument
};
void remember(const void* address, Kernel kernel);
[[nodiscard]] const std::vector<std::size_t>& argument_sizes(const void* kernel);
// Runs all blocks, one after the other. Throws Fault.
void run_grid(const void* kernel, dim3 grid, dim3 size, void** arguments, std::size_t shared_bytes);

template <class... P>
void remember(void (*kernel)(P...)) {
    const auto call = [](const void* address, void** arguments) {
        const auto typed = reinterpret_cast<void (*)(P...)>(const_cast<void*>(address));
        [&]<std::size_t... I>(std::index_sequence<I...>) { typed(*static_cast<std::remove_cv_t<P>*>(arguments[I])...); }
        (std::index_sequence_for<P...>{});
    };
    remember(reinterpret_cast<const void*>(kernel), {call, {sizeof(P)...}});
}

template <class T>
struct Exchange {
    T value;
    int source; // lane to read from
    T result;
};

template <class T>
T shuffle(const char* place, T value, int source) {
    Exchange<T> own = {value, source & 31, {}};
    warp_collective(
        place,
        [](void* const lanes[32]) {
            for (int i = 0; i < 32; ++i) {
                auto* lane = static_cast<Exchange<T>*>(lanes[i]);
                lane->result = static_cast<Exchange<T>*>(lanes[lane->source])->value;
            }
        },
        &own);
    return own.result;
}

inline int lane() { return static_cast<int>(threadIdx.x % 32); }

} // namespace simt

#define SIMT_PLACE_(file, line) file ":" #line
#define SIMT_PLACE2_(file, line) SIMT_PLACE_(file, line)
#define SIMT_PLACE SIMT_PLACE2_(__FILE__, __LINE__)

#define SIMT_UNROLL
#define SIMT_SHARED(T, name) T* const name = reinterpret_cast<T*>(simt::shared)
#define __syncthreads() simt::barrier(SIMT_PLACE)
#define __syncwarp() ((void)simt::shuffle<int>(SIMT_PLACE, 0, 0))
#define __shfl_sync(mask, value, source) simt::shuffle(SIMT_PLACE, (value), (source))
#define __shfl_xor_sync(mask, value, bits) simt::shuffle(SIMT_PLACE, (value), simt::lane() ^ (bits))
#define __trap() simt::trap(SIMT_PLACE)

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline float __uint_as_float(unsigned bits) { return std::bit_cast<float>(bits); }
inline unsigned __float_as_uint(float value) { return std::bit_cast<unsigned>(value); }
inline int __popcll(unsigned long long bits) { return std::popcount(bits); }
inline int atomicAdd(int* at, int value) {
    const int before = *at;
    *at += value;
    return before;
}

// ---- the part of the CUDA runtime that kernels/cuda uses ----

enum cudaError_t : int {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInsufficientDriver = 35,
    cudaErrorNoDevice = 100,
    cudaErrorIllegalAddress = 700,
};
enum cudaMemcpyKind : int { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2, cudaMemcpyDeviceToDevice = 3 };
using cudaStream_t = struct simt_stream*;
using cudaEvent_t = struct simt_event*;
using cudaGraph_t = struct simt_graph*;
using cudaGraphExec_t = struct simt_graph*;
using cudaGraphNode_t = struct simt_node*;
struct cudaDeviceProp {
    char name[256];
    std::size_t totalGlobalMem;
    int major, minor, multiProcessorCount, l2CacheSize;
};
struct cudaFuncAttributes {
    int ptxVersion;
};
struct cudaKernelNodeParams {
    void* func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void** kernelParams;
    void** extra;
};

const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaMalloc(void** data, std::size_t bytes);
cudaError_t cudaFree(void* data);
cudaError_t cudaMallocHost(void** data, std::size_t bytes);
cudaError_t cudaFreeHost(void* data);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream);
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* after, std::size_t count,
                                   const cudaKernelNodeParams* params);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec);
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, const cudaKernelNodeParams* params);
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream);

namespace simt {

// The device as the tests want it.
struct Device {
    std::size_t memory = std::size_t{1} << 30; // bytes that cudaMalloc may hand out in all
    std::size_t used = 0;
    int major = 8;
    int built_for = 80;              // the architecture that kernels were compiled for
    cudaError_t fault = cudaSuccess; // returned by every call from now on, as after a fault of a real device
    int fault_after = -1;            // launches until such a fault; negative: never
    int refusals = 0;                // launches and graphs that find no memory, which harms nothing else
    int launches = 0, graph_launches = 0, graphs = 0, node_updates = 0;
};
extern Device device;

} // namespace simt

template <class Kernel>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Kernel*) {
    attributes->ptxVersion = simt::device.built_for;
    return simt::device.fault;
}
