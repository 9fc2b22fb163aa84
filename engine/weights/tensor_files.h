// Named tensors in files, whatever their format: what a loader of models and heads sees.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/types.h"

namespace speclens {

struct StoredTensor {
    DType dtype = DType::f32;
    std::vector<std::int64_t> shape; // rows before columns; empty: a scalar
    std::size_t begin = 0;           // first byte, counted from the start of the file
    std::size_t bytes = 0;
    int file = 0; // which of several
};
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape); // "(512, 64)"

using StoredTensors = std::map<std::string, StoredTensor, std::less<>>;

class TensorFiles {
  public:
    TensorFiles() = default;
    TensorFiles(const TensorFiles&) = delete;
    TensorFiles& operator=(const TensorFiles&) = delete;
    virtual ~TensorFiles() = default;

    [[nodiscard]] virtual const StoredTensors& tensors() const = 0;
    [[nodiscard]] const StoredTensor* find(std::string_view name) const { // null when absent
        const auto found = tensors().find(name);
        return found == tensors().end() ? nullptr : &found->second;
    }
    // Copies to.size() bytes of the tensor, from its byte `first` on. Throws Error when the file became
    // shorter since it was opened or cannot be read.
    virtual void read(const StoredTensor& tensor, std::size_t first, std::span<std::byte> to) const = 0;
    [[nodiscard]] std::vector<std::byte> read(const StoredTensor& tensor) const { // all of it
        std::vector<std::byte> bytes(tensor.bytes);
        read(tensor, 0, bytes);
        return bytes;
    }
    [[nodiscard]] virtual const std::string& file_name(const StoredTensor& tensor) const = 0;
    [[nodiscard]] virtual std::string name() const = 0; // where a tensor would be, for the message that it is missing

  protected:
    TensorFiles(TensorFiles&&) noexcept = default;
    TensorFiles& operator=(TensorFiles&&) noexcept = default;
};

} // namespace speclens
