// How fast a device multiplies when it need not wait for memory: one weight matrix that stays in the caches, and several
// rows, as in a wide pass. It is the product kernel's own peak, not the device's: what other instructions or layouts
// could reach is not measured.
#pragma once

#include <vector>

#include "kernels/backend.h"

namespace speclens {

class ProductProbe {
  public:
    // `backend` must outlive it. The product is that of a matrix stored as `stored` in this precision.
    // Throws Error (memory; a type or precision that the backend does not multiply: device).
    explicit ProductProbe(Backend& backend, DType stored = DType::bf16, Precision precision = Precision::f32);
    // Numbers of rows, ascending: which of them a kernel does best is the kernel's affair.
    [[nodiscard]] std::vector<int> rows() const;
    [[nodiscard]] double multiply_adds(int rows) const; // of one product
    [[nodiscard]] double ms(int rows);                  // that one product takes; waits

  private:
    Backend* backend_;
    Buffer weight_, rows_, out_;
};

} // namespace speclens
