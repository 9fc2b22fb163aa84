#include "kernels/backend.h"

#include <utility>

#include "kernels/error.h"

namespace speclens {

std::size_t bytes_of(DType dtype) {
    switch (dtype) {
    case DType::i64:
        return 8;
    case DType::f32:
    case DType::i32:
        return 4;
    case DType::f16:
    case DType::bf16:
        return 2;
    case DType::u8:
    case DType::boolean:
        return 1;
    }
    check_failed("known dtype", __FILE__, __LINE__, "dtype out of range");
}

const char* name_of(DType dtype) {
    switch (dtype) {
    case DType::f32:
        return "f32";
    case DType::f16:
        return "f16";
    case DType::bf16:
        return "bf16";
    case DType::i64:
        return "i64";
    case DType::i32:
        return "i32";
    case DType::u8:
        return "u8";
    case DType::boolean:
        return "bool";
    }
    check_failed("known dtype", __FILE__, __LINE__, "dtype out of range");
}

Tensor Tensor::slice(std::int64_t first, std::int64_t count) const {
    CHECK(first >= 0 && count >= 0 && first + count <= rows, "slice outside the tensor");
    CHECK(!tiled || (first % kTiledRows == 0 && count % kTiledRows == 0), "slice cuts a tile of a weight");
    Tensor part = *this;
    part.rows = count;
    if (data != nullptr) {
        part.data = static_cast<std::byte*>(data) + static_cast<std::size_t>(first * cols) * bytes_of(dtype);
    }
    return part;
}

Buffer::Buffer(Backend& backend, DType dtype, std::int64_t rows, std::int64_t cols) : backend_(&backend) {
    CHECK(rows >= 0 && cols >= 0, "negative tensor size");
    tensor_ = {.data = nullptr, .dtype = dtype, .rows = rows, .cols = cols};
    tensor_.data = backend.allocate(tensor_.bytes());
}

Buffer::Buffer(Backend& backend, const Tensor& owned) : backend_(&backend), tensor_(owned) {}

Buffer::Buffer(Buffer&& other) noexcept
    : backend_(std::exchange(other.backend_, nullptr)), tensor_(std::exchange(other.tensor_, {})) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
    std::swap(backend_, other.backend_);
    std::swap(tensor_, other.tensor_);
    return *this;
}

Buffer::~Buffer() {
    if (backend_ != nullptr && tensor_.data != nullptr) backend_->release(tensor_.data, tensor_.bytes());
}

Buffer Backend::import_weight(const void* host, DType stored, std::int64_t rows, std::int64_t cols) {
    Buffer weight = allocate_weight(stored, rows, cols);
    import_weight(weight.view(), stored, host);
    return weight;
}

} // namespace speclens
