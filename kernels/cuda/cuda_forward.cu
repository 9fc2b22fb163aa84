// The operations of a forward pass on the GPU, but for attention (cuda_attention.cu).
#include <algorithm>

#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/embed.cuh"
#include "kernels/cuda/matmul_tiles.cuh"
#include "kernels/cuda/norm.cuh"
#include "kernels/error.h"

namespace speclens::cuda {

bool built_with_tensor_cores() {
    cudaFuncAttributes found = {};
    return cudaFuncGetAttributes(&found, matmul_tiles<1, 1>) == cudaSuccess && found.ptxVersion >= 80;
}

namespace {

// Outputs from which a warp may take two tiles: enough blocks remain for every multiprocessor of a large GPU.
constexpr std::int64_t kWideOutputs = 8192;

// Launches that are worth handing over before the host asks for a result.
constexpr std::size_t kEnough = 64;

} // namespace

void CudaBackend::embed(const Tensor& table, const Tensor& ids, const Tensor& out) {
    shapes::embed(table, ids, out);
    if (list_.size() > kEnough) flush(); // a pass begins: a long prompt keeps the device busy from its first piece
    list_.add(embed_rows, dim3(static_cast<unsigned>(out.rows)), kEmbedThreads, 0, matrix_of(table), table.rows,
              data_of<const std::int32_t>(ids), data_of<float>(out));
}

void CudaBackend::add_norm(const Tensor& residual, const Tensor& delta, const Tensor& weight, float eps, const Tensor& out) {
    shapes::add_norm(residual, delta, weight, out);
    const std::int64_t rows = residual.rows, cols = residual.cols;
    list_.add(cuda::add_norm, dim3(static_cast<unsigned>(rows)), kNormThreads, kNormShared, data_of<float>(residual),
              data_or_null<const float>(delta), data_or_null<const float>(weight), eps, data_or_null<float>(out), cols);
}

void CudaBackend::matmul(const Tensor& x, std::span<const Projection> parts) {
    shapes::matmul(x, parts, kMaxPassRows);
    // Neighbours of one kind share a launch.
    for (std::size_t first = 0; first < parts.size();) {
        const bool tiled = tensor_cores_ && parts[first].weight.tiled;
        std::size_t last = first + 1;
        while (last < parts.size() && last - first < Parts::kMost && (tensor_cores_ && parts[last].weight.tiled) == tiled) ++last;
        launch_matmul(x, parts.subspan(first, last - first), tiled);
        first = last;
    }
}

void CudaBackend::launch_matmul(const Tensor& x, std::span<const Projection> projections, bool tiled) {
    bool wide = tiled;
    std::int64_t outputs = 0;
    for (const Projection& p : projections) {
        outputs += p.out.cols;
        wide = wide && p.out.cols % (2 * kTile) == 0;
    }
    wide = wide && outputs >= kWideOutputs;
    const std::int64_t unit = !tiled ? 1 : wide ? 2 * kTile : kTile;
    Parts parts;
    std::int64_t units = 0;
    for (const Projection& p : projections) {
        units += p.out.cols / unit;
        parts.part[parts.count++] = {matrix_of(p.weight), data_or_null<const float>(p.bias), data_of<float>(p.out), p.out.cols, units};
    }
    if (units == 0) return;
    const auto* from = data_of<const float>(x);
    if (!tiled) {
        list_.add(matmul_plain, blocks(units, kMatmulThreads / kWarp), kMatmulThreads, 0, from, x.rows, parts);
        return;
    }
    const auto launch = [&](auto kernel, int tiles, int groups) {
        const dim3 grid(static_cast<unsigned>(units), blocks(x.rows, groups * kGroupRows).x);
        list_.add(kernel, grid, kTileThreads, static_cast<std::size_t>(tile_shared(tiles, groups)), from, x.rows, parts);
    };
    if (x.rows <= kGroupRows)
        wide ? launch(matmul_tiles<2, 1>, 2, 1) : launch(matmul_tiles<1, 1>, 1, 1);
    else if (x.rows <= 2 * kGroupRows)
        wide ? launch(matmul_tiles<2, 2>, 2, 2) : launch(matmul_tiles<1, 2>, 1, 2);
    else
        wide ? launch(matmul_tiles<2, 4>, 2, 4) : launch(matmul_tiles<1, 4>, 1, 4);
}

void CudaBackend::matmul_swiglu(const Tensor& x, const Tensor& gate, const Tensor& up, const Tensor& out) {
    shapes::matmul_swiglu(x, gate, up, out, kMaxPassRows);
    const std::int64_t n = out.cols;
    const auto* from = data_of<const float>(x);
    if (!tensor_cores_ || !gate.tiled || !up.tiled) {
        list_.add(swiglu_plain, blocks(n, kMatmulThreads / kWarp), kMatmulThreads, 0, from, x.rows, matrix_of(gate), matrix_of(up), n,
                  data_of<float>(out));
        return;
    }
    const auto launch = [&](auto kernel, int groups) {
        const dim3 grid(static_cast<unsigned>(n / kTile), blocks(x.rows, groups * kGroupRows).x);
        list_.add(kernel, grid, kTileThreads, static_cast<std::size_t>(tile_shared(2, groups)), from, x.rows, matrix_of(gate),
                  matrix_of(up), n, data_of<float>(out));
    };
    if (x.rows <= kGroupRows)
        launch(swiglu_tiles<1>, 1);
    else if (x.rows <= 2 * kGroupRows)
        launch(swiglu_tiles<2>, 2);
    else
        launch(swiglu_tiles<4>, 4);
}

} // namespace speclens::cuda
