#include "kernels/product_probe.h"

#include <chrono>
#include <vector>

namespace speclens {
namespace {

struct Sizes {
    std::int64_t rows, width;
};

// Half a megabyte of weights for a processor: the second cache of a core. A GPU needs more to be filled at all; its
// second cache holds that.
Sizes sizes_for(const Backend& backend) {
    return backend.name() == "cpu" ? Sizes{128, 512} : Sizes{256, 2048};
}

} // namespace

ProductProbe::ProductProbe(Backend& backend) : backend_(&backend) {
    const Sizes sizes = sizes_for(backend);
    const std::vector<std::uint16_t> ones(static_cast<std::size_t>(sizes.width * sizes.width), 0x3C00); // 2^-7
    weight_ = backend.import_weight(ones.data(), DType::bf16, sizes.width, sizes.width);
    rows_ = Buffer(backend, DType::f32, sizes.rows, sizes.width);
    out_ = Buffer(backend, DType::f32, sizes.rows, sizes.width);
    const std::vector<float> x(static_cast<std::size_t>(sizes.rows * sizes.width), 1.0F);
    backend.upload(rows_.view(), x.data());
}

double ProductProbe::multiply_adds() const {
    return static_cast<double>(rows_.view().rows) * static_cast<double>(weight_.view().size());
}

double ProductProbe::ms() {
    const Projection part[] = {{weight_.view(), {}, out_.view()}};
    backend_->sync();
    const auto start = std::chrono::steady_clock::now();
    backend_->matmul(rows_.view(), part);
    backend_->sync();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

} // namespace speclens
