#include "kernels/product_probe.h"

#include <chrono>
#include <cstddef>

namespace speclens {
namespace {

struct Sizes {
    std::int64_t rows, width;
};

// At least half a megabyte of weights for a processor, as wide as the second cache of a core holds: few large products, so that what
// a call costs hardly counts. A GPU needs more to be filled at all: as much as half of its second cache, up to 8 MB.
Sizes sizes_for(const Backend& backend, DType stored) {
    if (backend.name() == "cpu") return {128, bytes_of(stored, 1024 * 1024) <= 640 * 1024 ? 1024 : 512};
    std::int64_t width = 2048;
    while (backend.cache_bytes() > 0 && width > 64 && bytes_of(DType::bf16, 2 * width * width) > backend.cache_bytes()) width /= 2;
    return {256, width};
}

// Finite ones, and none so small that a processor takes longer for them: floats of about 2^-7, blocks whose scales and
// values are small.
std::vector<std::byte> small_values(DType stored, std::int64_t count) {
    std::vector<std::byte> bytes(bytes_of(stored, count), std::byte{0x11});
    if (is_quantised(stored)) return bytes;
    for (std::size_t i = bytes_of(stored) - 1; i < bytes.size(); i += bytes_of(stored)) // the highest of each, sign and exponent
        bytes[i] = stored == DType::f16 ? std::byte{0x20} : std::byte{0x3C};
    return bytes;
}

} // namespace

ProductProbe::ProductProbe(Backend& backend, DType stored, Precision precision) : backend_(&backend) {
    const Sizes sizes = sizes_for(backend, stored);
    const std::vector<std::byte> values = small_values(stored, sizes.width * sizes.width);
    weight_ = backend.import_weight(values.data(), stored, sizes.width, sizes.width, precision);
    rows_ = Buffer(backend, DType::f32, sizes.rows, sizes.width);
    out_ = Buffer(backend, DType::f32, sizes.rows, sizes.width);
    const std::vector<float> x(static_cast<std::size_t>(sizes.rows * sizes.width), 1.0F);
    backend.upload(rows_.view(), x.data());
}

std::vector<int> ProductProbe::rows() const {
    std::vector<int> rows;
    for (int count = 8; count <= rows_.view().rows; count *= 2) rows.push_back(count);
    return rows;
}

double ProductProbe::multiply_adds(int rows) const { return static_cast<double>(rows) * static_cast<double>(weight_.view().size()); }

double ProductProbe::ms(int rows) {
    const Projection part[] = {{weight_.view(), {}, out_.view().slice(0, rows)}};
    const Tensor x = rows_.view().slice(0, rows);
    backend_->sync();
    const auto start = std::chrono::steady_clock::now();
    backend_->matmul(x, part);
    backend_->sync();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

} // namespace speclens
