// Tensors of a file under other names and in another form: rows in another order, values widened to bf16, narrowed to
// eight bits. Whole rows are read at a time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/weights/tensor_files.h"

namespace speclens {

class RowTensors final : public TensorFiles {
  public:
    struct Source {
        std::string name;       // in the file
        DType as = DType::bf16; // what is read: the stored type itself, or f32, bf16, q8_0
        // Rows of ggml's llama come in pairs (x0, x_half, x1, …) within each head of so many rows; 0: as they stand. What is
        // read is in Hugging Face's order (all first halves, then all second ones). Each value of a vector is a row then.
        std::int64_t paired_rows = 0;
    };
    // `file` must outlive this object. Only tensors of `sources` are there, under the keys. Throws Error where one cannot be
    // read in that form.
    RowTensors(const TensorFiles& file, std::map<std::string, Source> sources);

    [[nodiscard]] const StoredTensors& tensors() const override { return tensors_; }
    using TensorFiles::read;
    // `first` and to.size() are whole rows.
    void read(const StoredTensor& tensor, std::size_t first, std::span<std::byte> to) const override;
    [[nodiscard]] const std::string& file_name(const StoredTensor& tensor) const override;
    [[nodiscard]] std::string name() const override { return file_.name(); }

  private:
    struct Item {
        const StoredTensor* stored = nullptr;
        std::int64_t paired_rows = 0, cols = 0; // cols: values of a row
    };
    const TensorFiles& file_;
    StoredTensors tensors_; // begin: index into items_
    std::vector<Item> items_;
};

// Eight bits for each of 32 values (quant.h), from f32: the largest of them becomes ±127.
void narrow_q8_0(const float* from, std::int64_t values, std::byte* to);

} // namespace speclens
