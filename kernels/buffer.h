// Memory on a device, with its owner: what models and caches are made of.
#pragma once

#include "kernels/types.h"

namespace speclens {

class Backend;

// Owns one allocation of one backend. Movable, not copyable. The backend must outlive it.
class Buffer {
  public:
    Buffer() = default;
    Buffer(Backend& backend, DType dtype, std::int64_t rows, std::int64_t cols);
    // Takes over memory that `backend` allocated for this tensor.
    Buffer(Backend& backend, const Tensor& owned);
    Buffer(Buffer&& other) noexcept;
    Buffer& operator=(Buffer&& other) noexcept;
    ~Buffer();

    [[nodiscard]] const Tensor& view() const { return tensor_; }
    [[nodiscard]] bool empty() const { return tensor_.empty(); }
    [[nodiscard]] std::size_t bytes() const { return tensor_.bytes(); }

  private:
    Backend* backend_ = nullptr;
    Tensor tensor_;
};

} // namespace speclens
