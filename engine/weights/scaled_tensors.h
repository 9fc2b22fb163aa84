// Eight-bit matrices of ours, as the bf16 matrices that they stand for. A matrix NAME (rows, cols) is stored as two tensors: NAME in
// U8, and NAME_scale in F32 (rows). A value is (byte - 128) times its row's scale, rounded to bf16. Every other tensor is as it was.
#pragma once

#include <string>
#include <vector>

#include "engine/weights/tensor_files.h"

namespace speclens {

class ScaledTensors final : public TensorFiles {
  public:
    // `file` must outlive this object. Throws Error where a matrix of bytes has no scales, or others than one for each row.
    explicit ScaledTensors(const TensorFiles& file);

    [[nodiscard]] const StoredTensors& tensors() const override { return tensors_; }
    using TensorFiles::read;
    // Of a matrix that is scaled: whole values.
    void read(const StoredTensor& tensor, std::size_t first, std::span<std::byte> to) const override;
    [[nodiscard]] const std::string& file_name(const StoredTensor& tensor) const override;
    [[nodiscard]] std::string name() const override { return file_.name(); }

  private:
    struct Item {
        const StoredTensor* stored = nullptr;
        std::vector<float> scale; // of each row; empty: stored as it is read
    };
    const TensorFiles& file_;
    StoredTensors tensors_; // begin: index into items_
    std::vector<Item> items_;
};

} // namespace speclens
