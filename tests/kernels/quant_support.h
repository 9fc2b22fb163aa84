// Weights as files have them, and products with them as plain scalar chains.
#pragma once

#include "hwy/highway.h"
#include "kernels/cpu/quant_tiles.h"
#include "kernels/quant.h"
#include "tests/kernels/support.h"

namespace speclens::test {

inline constexpr DType kKept[] = {DType::q8_0, DType::q4_0, DType::q4_1, DType::q5_0, DType::q4_k, DType::q6_k};

// A matrix as a file has it, and the numbers it means.
struct Stored {
    DType dtype = DType::q8_0;
    std::int64_t rows = 0, cols = 0;
    std::vector<std::byte> bytes;
    std::vector<float> values;

    [[nodiscard]] Buffer in(Backend& backend, Precision precision = Precision::f32) const {
        return backend.import_weight(bytes.data(), dtype, rows, cols, precision);
    }
};

// Numbers and small scales at random; the f16 scales are what `half` says.
template <class Half>
Stored stored_matrix(DType dtype, std::int64_t rows, std::int64_t cols, Numbers& numbers, const Half& half) {
    const QuantLayout& layout = *quant_layout(dtype);
    Stored stored = {dtype, rows, cols, {}, {}};
    stored.bytes.resize(bytes_of(dtype, rows * cols));
    for (std::byte& byte : stored.bytes) byte = static_cast<std::byte>(numbers.bits() >> 56);
    for (std::size_t at = 0; at < stored.bytes.size(); at += static_cast<std::size_t>(layout.bytes))
        for (int i = 0; i < layout.halves; ++i) {
            const std::uint16_t bits = half(i);
            std::memcpy(stored.bytes.data() + at + layout.half_at[i], &bits, 2);
        }
    stored.values.resize(static_cast<std::size_t>(rows * cols));
    widen(dtype, stored.bytes.data(), rows * cols, stored.values.data());
    return stored;
}
inline Stored stored_matrix(DType dtype, std::int64_t rows, std::int64_t cols, Numbers& numbers) {
    return stored_matrix(dtype, rows, cols, numbers, [&](int) { return narrow_f16(numbers.uniform(-0.01f, 0.01f)); });
}

// acc = w·x + acc as an instruction set does it: in one rounding, or in two where there is none for both.
inline float multiply_add(Isa isa, float w, float x, float acc) {
    const bool fused = isa != Isa::portable || !HWY_ARCH_X86;
    return fused ? std::fma(w, x, acc) : acc + w * x;
}

// Outputs [first, first + n) of x (rows, k), one chain each, k ascending.
inline std::vector<float> chains(Isa isa, const std::vector<float>& x, const Stored& w, std::int64_t first, std::int64_t n,
                                 const std::vector<float>& bias = {}) {
    std::vector<float> out;
    for (std::size_t row = 0; row < x.size(); row += static_cast<std::size_t>(w.cols))
        for (std::int64_t j = first; j < first + n; ++j) {
            float acc = 0;
            for (std::int64_t i = 0; i < w.cols; ++i)
                acc = multiply_add(isa, w.values[static_cast<std::size_t>(j * w.cols + i)], x[row + static_cast<std::size_t>(i)], acc);
            out.push_back(bias.empty() ? acc : acc + bias[static_cast<std::size_t>(j - first)]);
        }
    return out;
}

inline std::vector<float> product(Backend& backend, const std::vector<float>& x, const Tensor& weight,
                                  const std::vector<float>& bias = {}) {
    const auto rows = static_cast<std::int64_t>(x.size()) / weight.cols;
    const Guarded input(backend, DType::f32, rows, weight.cols, x), out(backend, DType::f32, rows, weight.rows);
    const Guarded add(backend, DType::f32, 1, weight.rows, bias.empty() ? std::vector<float>(static_cast<std::size_t>(weight.rows)) : bias);
    const Projection parts[] = {{weight, bias.empty() ? Tensor() : add.view(), out}};
    backend.matmul(input, parts);
    EXPECT_TRUE(out.guards_intact());
    return out.floats();
}

} // namespace speclens::test
