// From the tensors of a checkpoint to the matrices of a model or a draft network: all names, dtypes and
// shapes are compared before the first byte is imported, so that a wrong folder fails in milliseconds and not
// after a gigabyte. Internal to the engine.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/model_parts.h"
#include "engine/weights/tensor_files.h"

namespace speclens {

class StoredWeights {
  public:
    // `file` must outlive this object. `ignorable` names the tensors that may be there without a slot.
    // Throws Error: a tensor is missing, unknown, quantised or of the wrong shape.
    StoredWeights(const TensorFiles& file, std::vector<WeightSlot> slots, const std::function<bool(std::string_view)>& ignorable);

    [[nodiscard]] std::size_t bytes_on_device() const;
    // Fills every slot and adds to `bytes`; products with the matrices are in `precision`. Progress counts megabytes of
    // `what`. Throws Error or Cancelled.
    void import_into(Backend& backend, const std::string& what, const Progress& progress, WeightBytes& bytes, Precision precision) const;

  private:
    const TensorFiles& file_;
    std::vector<WeightSlot> slots_;
    std::vector<const StoredTensor*> stored_; // of each slot
};

} // namespace speclens
