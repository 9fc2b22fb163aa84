// The calls of the CUDA runtime that kernels/cuda makes, on the emulated device of simt.h.
#include "kernels/simt/simt.h"

#include <chrono>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

struct simt_event {
    std::chrono::steady_clock::time_point at;
};
struct simt_node {
    cudaKernelNodeParams params;
    std::vector<std::vector<std::byte>> values; // of the arguments
    std::vector<void*> arguments;
};
struct simt_graph {
    std::vector<std::unique_ptr<simt_node>> nodes;
    bool uploaded = false;
};

namespace {

std::unordered_map<void*, std::size_t>& allocations() {
    static std::unordered_map<void*, std::size_t> map;
    return map;
}

#define SIMT_FAIL_IF_FAULTY                                                                                                                \
    if (simt::device.fault != cudaSuccess) return simt::device.fault

} // namespace

const char* cudaGetErrorString(cudaError_t error) {
    switch (error) {
    case cudaSuccess: return "no error";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInsufficientDriver: return "CUDA driver version is insufficient for CUDA runtime version";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorIllegalAddress: return "an illegal memory access was encountered";
    }
    return "unknown error";
}
cudaError_t cudaGetLastError() { return simt::device.fault; }
cudaError_t cudaGetDeviceCount(int* count) {
    *count = 1;
    return simt::device.fault;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
    *properties = {};
    std::strcpy(properties->name, "emulated");
    properties->totalGlobalMem = simt::device.memory;
    properties->major = simt::device.major;
    properties->multiProcessorCount = 4;
    properties->l2CacheSize = 1 << 16; // so that what fills it is soon done
    return simt::device.fault;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    *total = simt::device.memory;
    *free = simt::device.memory - simt::device.used;
    return simt::device.fault;
}
cudaError_t cudaMalloc(void** data, std::size_t bytes) {
    SIMT_FAIL_IF_FAULTY;
    if (bytes > simt::device.memory - simt::device.used) return cudaErrorMemoryAllocation;
    *data = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    std::memset(*data, 0xFF, bytes); // NaN: nothing may rely on zeroes
    allocations()[*data] = bytes;
    simt::device.used += bytes;
    return cudaSuccess;
}
cudaError_t cudaFree(void* data) {
    if (const auto found = allocations().find(data); found != allocations().end()) {
        simt::device.used -= found->second;
        allocations().erase(found);
        std::free(data);
        return simt::device.fault;
    }
    return cudaErrorInvalidValue;
}
cudaError_t cudaMallocHost(void** data, std::size_t bytes) {
    SIMT_FAIL_IF_FAULTY;
    *data = std::malloc(bytes);
    return *data == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaFreeHost(void* data) {
    std::free(data);
    return simt::device.fault;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t) {
    SIMT_FAIL_IF_FAULTY;
    std::memmove(to, from, bytes);
    return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t) {
    SIMT_FAIL_IF_FAULTY;
    std::memset(to, value, bytes);
    return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
    *stream = nullptr;
    return simt::device.fault;
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return simt::device.fault; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return simt::device.fault; }
cudaError_t cudaEventCreate(cudaEvent_t* event) {
    *event = new simt_event{};
    return simt::device.fault;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return simt::device.fault;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
    event->at = std::chrono::steady_clock::now();
    return simt::device.fault;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return simt::device.fault; }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
    *ms = std::chrono::duration<float, std::milli>(to->at - from->at).count();
    return simt::device.fault;
}
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t) {
    SIMT_FAIL_IF_FAULTY;
    if (simt::device.refusals > 0) return --simt::device.refusals, cudaErrorMemoryAllocation;
    ++simt::device.launches;
    simt::run_grid(kernel, grid, block, arguments, shared);
    return cudaSuccess;
}

// A node takes copies of the arguments when it is made or changed, as a real one does.
cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
    SIMT_FAIL_IF_FAULTY;
    *graph = new simt_graph;
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return simt::device.fault;
}
namespace {
void take(simt_node& node, const cudaKernelNodeParams& params) {
    node.params = params;
    node.values.clear();
    node.arguments.clear();
    const std::vector<std::size_t>& sizes = simt::argument_sizes(params.func);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto* from = static_cast<const std::byte*>(params.kernelParams[i]);
        node.values.emplace_back(from, from + sizes[i]);
    }
    for (auto& value : node.values) node.arguments.push_back(value.data());
}
} // namespace
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t*, std::size_t,
                                   const cudaKernelNodeParams* params) {
    SIMT_FAIL_IF_FAULTY;
    graph->nodes.push_back(std::make_unique<simt_node>());
    take(*graph->nodes.back(), *params);
    *node = graph->nodes.back().get();
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
    SIMT_FAIL_IF_FAULTY;
    if (simt::device.refusals > 0) return --simt::device.refusals, cudaErrorMemoryAllocation;
    ++simt::device.graphs;
    *exec = new simt_graph;
    (*exec)->nodes = std::move(graph->nodes);
    return cudaSuccess;
}
// An executable graph takes its memory on the device when it is uploaded, at the latest when it first runs.
cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
    SIMT_FAIL_IF_FAULTY;
    if (exec->uploaded) return cudaSuccess;
    if (simt::device.refusals > 0) return --simt::device.refusals, cudaErrorMemoryAllocation;
    exec->uploaded = true;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
    delete exec;
    return simt::device.fault;
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t, cudaGraphNode_t node, const cudaKernelNodeParams* params) {
    SIMT_FAIL_IF_FAULTY;
    if (node->params.func != params->func) return cudaErrorInvalidValue;
    ++simt::device.node_updates;
    take(*node, *params);
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
    if (const cudaError_t error = cudaGraphUpload(exec, stream); error != cudaSuccess) return error;
    ++simt::device.graph_launches;
    for (const auto& node : exec->nodes)
        simt::run_grid(node->params.func, node->params.gridDim, node->params.blockDim, node->arguments.data(), node->params.sharedMemBytes);
    return cudaSuccess;
}
