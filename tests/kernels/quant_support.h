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

// The scale (and offset) of column `col` of a block, and its number.
struct Number {
    float scale = 0, offset = 0;
    int number = 0;
};
inline Number number_at(const QuantLayout& layout, const std::byte* block, int col) {
    const auto half = [&](int i) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, block + layout.half_at[i], 2);
        return widen_f16(bits);
    };
    const auto byte = [&](int at) { return std::to_integer<int>(block[at]); };
    const int raw = layout.bits == 8 ? 0 : static_cast<int>(number_in_block(layout, block, col)), s = col / 32;
    switch (layout.dtype) {
    case DType::q8_0: return {half(0), 0, std::to_integer<int>(block[2 + col]) - (std::to_integer<int>(block[2 + col]) > 127 ? 256 : 0)};
    case DType::q4_0: return {half(0), 0, raw - 8};
    case DType::q5_0: return {half(0), 0, raw - 16};
    case DType::q4_1: return {half(0), half(1), raw};
    case DType::q4_k: { // get_scale_min_k4 of ggml-quants.c
        const int scale = s < 4 ? byte(4 + s) & 63 : (byte(8 + s) & 15) | (byte(s) >> 6) << 4;
        const int least = s < 4 ? byte(8 + s) & 63 : byte(8 + s) >> 4 | (byte(4 + s) >> 6) << 4;
        return {half(0) * static_cast<float>(scale), -(half(1) * static_cast<float>(least)), raw};
    }
    default: { // q6_k
        const int scale = byte(192 + col / 16);
        return {half(0) * static_cast<float>(scale > 127 ? scale - 256 : scale), 0, raw - 32};
    }
    }
}

// As kernels/cpu/matmul_kept.cpp sums sixteen columns of x.
inline float sum_of_half(const float* x) {
    std::vector<float> lanes(x, x + 16);
    for (std::size_t apart = 8; apart > 0; apart /= 2)
        for (std::size_t i = 0; i < apart; ++i) lanes[i] += lanes[i + apart];
    return lanes[0];
}
// Columns [first, first + a stretch) of row j of a matrix, and x there, rounded to bf16 (kernels/cpu/matmul_kept.cpp).
struct KeptStretch {
    KeptStretch(const Stored& w, std::int64_t j, std::int64_t first, const float* x) : dtype(w.dtype) {
        const QuantLayout& layout = *quant_layout(dtype);
        const auto row_bytes = static_cast<std::int64_t>(bytes_of(dtype, w.cols));
        for (std::int64_t i = first; i < first + layout.stretch; ++i)
            numbers.push_back(
                number_at(layout, w.bytes.data() + j * row_bytes + i / layout.values * layout.bytes, static_cast<int>(i % layout.values)));
        sum_of_x = layout.stretch == 16 ? sum_of_half(x + first) : sum_of_half(x + first) + sum_of_half(x + first + 16);
    }
    [[nodiscard]] float number(int i) const { return static_cast<float>(numbers[static_cast<std::size_t>(i)].number); }
    // Half of the range, which the bits of a number are more than it.
    [[nodiscard]] float middle() const { return dtype == DType::q4_0 ? 8 : dtype == DType::q5_0 ? 16 : dtype == DType::q6_k ? 32 : 0; }
    // 128 and the number's bits, and what is too much then, times x
    [[nodiscard]] float above() const { return dtype == DType::q8_0 ? 0 : 128 + middle(); }
    [[nodiscard]] float positive(int i) const { return number(i) + above(); }
    [[nodiscard]] float begin() const { return -above() * sum_of_x; }
    [[nodiscard]] float add(Isa isa, float sum, float acc) const {
        acc = multiply_add(isa, sum, numbers.front().scale, acc);
        return dtype == DType::q4_1 || dtype == DType::q4_k ? multiply_add(isa, numbers.front().offset, sum_of_x, acc) : acc;
    }

    DType dtype;
    std::vector<Number> numbers;
    float sum_of_x = 0;
};

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
