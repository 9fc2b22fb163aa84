// Types of numbers, precisions of products, and matrices on a device as who does not compute sees them. What computes is
// kernels/backend.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace speclens {

// The last ten are quantised in blocks (quant.h): weights only.
enum class DType : std::uint8_t { f32, f16, bf16, i64, i32, u8, boolean, q4_0, q4_1, q5_0, q5_1, q8_0, q2_k, q3_k, q4_k, q5_k, q6_k };
[[nodiscard]] const char* name_of(DType dtype); // "bf16", "Q4_K"
// What is stored together: a block of a quantised type, one value of any other.
struct Block {
    std::int64_t values = 1;
    std::size_t bytes = 0;
};
[[nodiscard]] Block block_of(DType dtype);
[[nodiscard]] bool is_quantised(DType dtype);
[[nodiscard]] std::size_t bytes_of(DType dtype);                      // of one value, not of a quantised type
[[nodiscard]] std::size_t bytes_of(DType dtype, std::int64_t values); // of a whole number of blocks

inline constexpr std::int64_t kTiledRows = 16;

// How a product rounds the activations that meet a weight. Sums are f32 in every precision.
enum class Precision : std::uint8_t {
    f32,  // not at all
    bf16, // to bf16, to nearest even, as engines on GPUs do
    int8  // with a quantised weight: in blocks of 32 values, to 8 bits and one scale a block; with any other, to bf16
};
[[nodiscard]] const char* name_of(Precision precision); // "f32", "bf16", "int8"

// A view of device memory that somebody else owns. A vector is a tensor with one row.
struct Tensor {
    void* data = nullptr; // device pointer; only the backend that made it may dereference it
    DType dtype = DType::f32;
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    // Only weights from Backend::import_weight: stored in the order this backend multiplies fastest. The
    // operations know how to read it; nobody else should. Slices begin and end at multiples of kTiledRows.
    // Quantised matrices always are, with any number of rows: the last tile counts as a whole one, and a slice may end
    // with the matrix.
    bool tiled = false;
    // Only weights: what Backend::allocate_weight was asked for. Slices keep it.
    Precision precision = Precision::f32;

    [[nodiscard]] bool empty() const { return data == nullptr; }
    [[nodiscard]] std::int64_t size() const { return rows * cols; }
    [[nodiscard]] std::size_t bytes() const; // of memory
    // Rows [first, first + count) of this tensor.
    [[nodiscard]] Tensor slice(std::int64_t first, std::int64_t count) const;
};

} // namespace speclens
