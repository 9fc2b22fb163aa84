// The operations on rows and those of draft heads on the GPU.
#include <algorithm>

#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/gates.cuh"
#include "kernels/cuda/gather.cuh"
#include "kernels/cuda/rows.cuh"
#include "kernels/error.h"

namespace speclens::cuda {

namespace {

dim3 one_block_per(std::int64_t rows) { return dim3(static_cast<unsigned>(rows)); }

} // namespace

void CudaBackend::silu(const Tensor& x) {
    shapes::silu(x);
    list_.add(cuda::silu, blocks(x.size(), kGateThreads), kGateThreads, 0, data_of<float>(x), x.size());
}

void CudaBackend::gru(const Tensor& in, const Tensor& hid, const Tensor& state, const Tensor& out, const Tensor& gates) {
    shapes::gru(in, hid, state, out, gates);
    const std::int64_t rows = state.rows, g = state.cols;
    list_.add(cuda::gru, blocks(rows * g, kGateThreads), kGateThreads, 0, data_of<const float>(in), data_of<const float>(hid),
              data_of<const float>(state), data_of<float>(out), data_or_null<float>(gates), static_cast<int>(rows), static_cast<int>(g));
}

void CudaBackend::convolve(const Tensor& x, const Tensor& base, const Tensor& added, std::int64_t first, std::int64_t groups) {
    shapes::convolve(x, base, added, first, groups);
    list_.add(cuda::convolve, blocks(x.cols, kGateThreads), kGateThreads, 0, data_of<float>(x), data_of<const float>(base),
              data_of<const float>(added) + first, static_cast<int>(x.rows), static_cast<int>(base.rows), x.cols, added.cols, groups);
}

void CudaBackend::softmax(const Tensor& logits, float temperature, const Tensor& out) {
    shapes::softmax(logits, temperature, out);
    list_.add(cuda::softmax, one_block_per(out.rows), kRowThreads, static_cast<std::size_t>(softmax_shared()), data_of<const float>(logits),
              out.cols, 1.0f / temperature, data_of<float>(out));
}

void CudaBackend::argmax(const Tensor& rows, const Tensor& ids) {
    shapes::argmax(rows, ids);
    const std::int64_t spans = (rows.cols + kSpan - 1) / kSpan;
    auto* best = static_cast<unsigned long long*>(reserve(keys_, static_cast<std::size_t>(rows.rows * spans) * sizeof(unsigned long long)));
    list_.add(argmax_spans, dim3(static_cast<unsigned>(spans), static_cast<unsigned>(rows.rows)), kRowThreads,
              static_cast<std::size_t>(argmax_shared()), data_of<const float>(rows), rows.cols, best);
    list_.add(argmax_of_spans, one_block_per(rows.rows), kRowThreads, static_cast<std::size_t>(argmax_shared()), best, spans,
              data_of<std::int32_t>(ids));
}

void CudaBackend::top_k(const Tensor& rows, int k, const Tensor& ids, const Tensor& values) {
    shapes::top_k(rows, k, ids, values);
    auto* chosen = static_cast<unsigned long long*>(reserve(keys_, static_cast<std::size_t>(rows.rows * k) * sizeof(unsigned long long)));
    list_.add(cuda::top_k, one_block_per(rows.rows), kRowThreads, static_cast<std::size_t>(top_k_shared()), data_of<const float>(rows),
              rows.cols, k, chosen, data_of<std::int32_t>(ids), data_of<float>(values));
}

void CudaBackend::gather_rows(const Tensor& in, const Tensor& indices, const Tensor& out) {
    shapes::gather_rows(in, indices, out);
    const std::size_t bytes = static_cast<std::size_t>(in.cols) * bytes_of(in.dtype);
    if (out.rows == 0 || bytes == 0) return;
    if (bytes % sizeof(std::uint32_t) == 0)
        list_.add(cuda::gather_rows<std::uint32_t>, one_block_per(out.rows), kGatherThreads, 0, data_of<const std::uint32_t>(in), in.rows,
                  static_cast<std::int64_t>(bytes / 4), data_of<const std::int32_t>(indices), data_of<std::uint32_t>(out));
    else
        list_.add(cuda::gather_rows<std::uint8_t>, one_block_per(out.rows), kGatherThreads, 0, data_of<const std::uint8_t>(in), in.rows,
                  static_cast<std::int64_t>(bytes), data_of<const std::int32_t>(indices), data_of<std::uint8_t>(out));
}

void CudaBackend::move_slots(const KvLayer& cache, std::span<const int> from, std::span<const int> to) {
    shapes::move_slots(cache, from, to);
    CHECK(cache.k.dtype == DType::f32, "move_slots: a cache of this device is f32");
    for (std::size_t first = 0; first < from.size(); first += Moves::kMost) {
        Moves moves;
        for (std::size_t i = first; i < std::min(from.size(), first + Moves::kMost); ++i) {
            moves.from[moves.count] = from[i];
            moves.to[moves.count++] = to[i];
        }
        list_.add(cuda::move_slots, blocks(cache.k.cols, kGatherThreads), kGatherThreads, 0, moves, data_of<float>(cache.k),
                  data_of<float>(cache.v), cache.k.cols);
    }
}

} // namespace speclens::cuda
