// Eight-bit matrices of ours. A matrix NAME (rows, cols) is stored as two tensors: NAME in U8, and NAME_scale in F32 (rows); a third,
// NAME_column_scale in F32 (cols), where columns differ by a thousand. A value is (byte - 128) times its row's scale: read as Q8_0, whose
// blocks of 32 all have the row's scale, rounded to f16, or as bf16, each value rounded. Both round by one part in 512 at most; Q8_0 is
// half as large, and products read nothing else. Every other tensor is as it was.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/weights/tensor_files.h"

namespace speclens {

class ScaledTensors final : public TensorFiles {
  public:
    // `file` must outlive this object. `kept(name, cols)`: whether a matrix of so many columns is Q8_0 (Backend::keeps()); bf16 all
    // the same where columns are not whole blocks or a scale is too small or large for f16. Throws Error where a matrix of bytes has no
    // scales, or others than one for each row.
    explicit ScaledTensors(const TensorFiles& file, const std::function<bool(const std::string& name, std::int64_t cols)>& kept = {});

    [[nodiscard]] const StoredTensors& tensors() const override { return tensors_; }
    using TensorFiles::read;
    // Of a matrix that is scaled: whole values, or whole blocks of Q8_0.
    void read(const StoredTensor& tensor, std::size_t first, std::span<std::byte> to) const override;
    [[nodiscard]] const std::string& file_name(const StoredTensor& tensor) const override;
    [[nodiscard]] std::string name() const override { return file_.name(); }

  private:
    struct Item {
        const StoredTensor* stored = nullptr;
        std::vector<float> scale;  // of each row; empty: stored as it is read
        std::vector<float> column; // of each column; empty: 1
    };
    const TensorFiles& file_;
    StoredTensors tensors_; // begin: index into items_
    std::vector<Item> items_;
};

} // namespace speclens
