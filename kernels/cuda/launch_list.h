// The work that was asked for and not yet given to the device. Launches are collected; `flush` gives them to
// the stream, in order. A list whose kernels were seen before in the same order is replayed as a CUDA graph,
// with the nodes whose geometry or arguments changed brought up to date: one call to the driver instead of
// hundreds.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "kernels/cuda/dialect.h"

namespace speclens::cuda {

// Throws Error (exit 4) unless `status` is success. `doing` completes "The GPU failed while …".
void check(cudaError_t status, const char* doing);

class LaunchList {
  public:
    explicit LaunchList(bool graphs) : graphs_(graphs) {}
    LaunchList(const LaunchList&) = delete;
    LaunchList& operator=(const LaunchList&) = delete;

    // Nothing runs yet: what the arguments point to must stay until the next flush. A grid without blocks is
    // nothing to do.
    template <class... P, class... A>
    void add(void (*kernel)(P...), dim3 grid, dim3 block, std::size_t shared, const A&... arguments) {
        static_assert(sizeof...(P) == sizeof...(A));
        static_assert((std::is_trivially_copyable_v<P> && ...));
        if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
#if defined(SIMT_EMULATED)
        simt::remember(kernel);
#endif
        Launch launch = {reinterpret_cast<const void*>(kernel), grid, block, static_cast<unsigned>(shared), {}, {}};
        (put<P>(launch, static_cast<P>(arguments)), ...);
        launches_.push_back(std::move(launch));
    }

    [[nodiscard]] std::size_t size() const { return launches_.size(); }
    void flush(cudaStream_t stream);
    void drop() { launches_.clear(); } // what was asked for is not done

  private:
    struct Launch {
        const void* kernel;
        dim3 grid, block;
        unsigned shared;
        std::vector<std::byte> bytes;   // of the arguments, each at a multiple of 16
        std::vector<std::size_t> place; // of each argument in bytes
        [[nodiscard]] bool same_kernel(const Launch& other) const { return kernel == other.kernel; }
        [[nodiscard]] bool same(const Launch& other) const;
        void point_at_arguments(std::vector<void*>& pointers);
        // As a node of a graph; `pointers` must live until it was handed over.
        [[nodiscard]] cudaKernelNodeParams node(std::vector<void*>& pointers);
    };
    struct Graph {
        std::vector<Launch> launches; // as the nodes hold them now
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t exec = nullptr;
        std::vector<cudaGraphNode_t> nodes;
        long used = 0; // the flush that used it last
        ~Graph();
    };

    template <class P>
    static void put(Launch& launch, const P& value) {
        launch.place.push_back(launch.bytes.size());
        launch.bytes.resize((launch.bytes.size() + sizeof(P) + 15) / 16 * 16);
        std::memcpy(launch.bytes.data() + launch.place.back(), &value, sizeof(P));
    }
    [[nodiscard]] Graph* known();     // the graph for the list that is going, null when there is none
    void record(cudaStream_t stream); // makes one
    void replay(Graph& graph, cudaStream_t stream);

    bool graphs_;
    std::vector<Launch> launches_, going_; // asked for; being given to the stream
    std::vector<std::unique_ptr<Graph>> known_;
    std::array<std::size_t, 256> seen_{}; // a ring: hashes of the last lists that ran without a graph
    std::size_t next_seen_ = 0;
    std::vector<void*> pointers_;
    long flushes_ = 0;
};

} // namespace speclens::cuda
