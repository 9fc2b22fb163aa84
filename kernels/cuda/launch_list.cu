#include "kernels/cuda/launch_list.h"

#include <algorithm>
#include <string>

#include "kernels/error.h"

namespace speclens::cuda {

namespace {

constexpr std::size_t kWorthAGraph = 8; // launches; fewer are given to the driver one by one
constexpr std::size_t kMostGraphs = 32; // kept; then the one that was not used for longest goes

} // namespace

void check(cudaError_t status, const char* doing) {
    if (status == cudaSuccess) return;
    throw Error(std::string("the GPU failed while ") + doing + ": " + cudaGetErrorString(status),
                "Start again; if it happens twice, use --backend cpu and report it.", Exit::device);
}

LaunchList::Graph::~Graph() { // a device that failed says so again: nothing to add here
    if (exec != nullptr) (void)cudaGraphExecDestroy(exec);
    if (graph != nullptr) (void)cudaGraphDestroy(graph);
}

bool LaunchList::Launch::same(const Launch& other) const {
    const auto equal = [](const dim3& a, const dim3& b) { return a.x == b.x && a.y == b.y && a.z == b.z; };
    return kernel == other.kernel && equal(grid, other.grid) && equal(block, other.block) && shared == other.shared && bytes == other.bytes;
}

void LaunchList::Launch::point_at_arguments(std::vector<void*>& pointers) {
    pointers.clear();
    for (const std::size_t at : place) pointers.push_back(bytes.data() + at);
}

cudaKernelNodeParams LaunchList::Launch::node(std::vector<void*>& pointers) {
    point_at_arguments(pointers);
    return {.func = const_cast<void*>(kernel),
            .gridDim = grid,
            .blockDim = block,
            .sharedMemBytes = shared,
            .kernelParams = pointers.data(),
            .extra = nullptr};
}

void LaunchList::flush(cudaStream_t stream) {
    if (launches_.empty()) return;
    going_.clear();
    std::swap(going_, launches_); // when the device fails half-way the rest is dropped, not repeated
    ++flushes_;
    if (graphs_ && going_.size() >= kWorthAGraph) {
        if (Graph* graph = known()) return replay(*graph, stream);
        try {
            record(stream);
        } catch (const Error&) { // no memory for a graph: it works without
            (void)cudaGetLastError();
        }
    }
    for (Launch& launch : going_) {
        launch.point_at_arguments(pointers_);
        check(cudaLaunchKernel(launch.kernel, launch.grid, launch.block, pointers_.data(), launch.shared, stream), "starting a kernel");
    }
}

LaunchList::Graph* LaunchList::known() {
    for (const auto& graph : known_)
        if (std::ranges::equal(graph->launches, going_, &Launch::same_kernel)) return graph.get();
    return nullptr;
}

// Only what comes a second time is worth it: making a graph costs more than running it.
void LaunchList::record(cudaStream_t stream) {
    std::size_t hash = going_.size();
    for (const Launch& launch : going_) hash = (hash ^ reinterpret_cast<std::size_t>(launch.kernel)) * 0x100000001B3u;
    if (std::ranges::find(seen_, hash) == seen_.end()) {
        seen_[next_seen_++ % seen_.size()] = hash;
        return;
    }
    auto graph = std::make_unique<Graph>();
    graph->launches = going_;
    check(cudaGraphCreate(&graph->graph, 0), "making a graph");
    for (Launch& launch : graph->launches) {
        const cudaKernelNodeParams params = launch.node(pointers_);
        cudaGraphNode_t node = nullptr;
        const bool first = graph->nodes.empty();
        check(cudaGraphAddKernelNode(&node, graph->graph, first ? nullptr : &graph->nodes.back(), first ? 0 : 1, &params),
              "making a graph");
        graph->nodes.push_back(node);
    }
    check(cudaGraphInstantiate(&graph->exec, graph->graph, 0), "making a graph");
    // Else it asks for its memory when it first runs, where nothing can be done without it any more.
    check(cudaGraphUpload(graph->exec, stream), "making a graph");
    graph->used = flushes_;
    if (known_.size() == kMostGraphs) known_.erase(std::ranges::min_element(known_, {}, [](const auto& g) { return g->used; }));
    known_.push_back(std::move(graph));
}

void LaunchList::replay(Graph& graph, cudaStream_t stream) {
    for (std::size_t i = 0; i < going_.size(); ++i) {
        if (graph.launches[i].same(going_[i])) continue;
        const cudaKernelNodeParams params = going_[i].node(pointers_);
        check(cudaGraphExecKernelNodeSetParams(graph.exec, graph.nodes[i], &params), "changing a graph");
        graph.launches[i] = std::move(going_[i]); // after it: a change that failed must be tried again
    }
    graph.used = flushes_;
    check(cudaGraphLaunch(graph.exec, stream), "running a graph");
}

} // namespace speclens::cuda
