// Products in bf16 and int8 on the CPU (kernels/cpu/products.h): the bits of plain scalar models of every path of this
// machine, and what the roundings may cost against the double-precision loop.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "kernels/cpu/cpu_backend.h"
#include "tests/kernels/quant_support.h"

namespace speclens::test {
namespace {

// An instruction set, and which of the machine's instructions for narrow numbers are used beside it.
struct Path {
    Isa isa = Isa::portable;
    NarrowProducts narrow;

    [[nodiscard]] std::unique_ptr<Backend> backend(int threads = 2) const { return std::make_unique<CpuBackend>(isa, narrow, threads); }
    [[nodiscard]] std::string text(Precision precision) const {
        return std::string(name_of(precision)) + " by " + products_of(isa, narrow, precision).path;
    }
};
std::vector<Path> paths() {
    std::vector<Path> all;
    for (const Isa isa : available_isas()) {
        all.push_back({isa, {}});
        NarrowProducts narrow = narrow_products(isa);
        if (narrow.amx_bf16) all.push_back({isa, narrow});
        narrow.amx_bf16 = false;
        if (narrow.vnni || narrow.bf16) all.push_back({isa, narrow});
    }
    return all;
}
template <class Check>
void on_every_path(Precision precision, const Check& check) {
    for (const Path& path : paths()) {
        SCOPED_TRACE(path.text(precision));
        check(path);
    }
}

std::vector<float> rounded_to_bf16(std::vector<float> values) {
    for (float& value : values)
        if (!std::isnan(value)) value = from_bf16(to_bf16(value));
    return values;
}

Stored stored_bf16(std::int64_t rows, std::int64_t cols, Numbers& numbers) {
    Stored w = {DType::bf16, rows, cols, {}, rounded_to_bf16(numbers.floats(rows * cols))};
    w.bytes.resize(w.values.size() * 2);
    for (std::size_t i = 0; i < w.values.size(); ++i) {
        const std::uint16_t bits = to_bf16(w.values[i]);
        std::memcpy(w.bytes.data() + 2 * i, &bits, 2);
    }
    return w;
}
Stored stored_f32(std::int64_t rows, std::int64_t cols, Numbers& numbers) {
    Stored w = {DType::f32, rows, cols, {}, numbers.floats(rows * cols)};
    w.bytes.resize(w.values.size() * 4);
    std::memcpy(w.bytes.data(), w.values.data(), w.bytes.size());
    return w;
}
Stored stored(DType dtype, std::int64_t rows, std::int64_t cols, Numbers& numbers) {
    return dtype == DType::bf16 ? stored_bf16(rows, cols, numbers)
           : dtype == DType::f32 ? stored_f32(rows, cols, numbers)
                                 : stored_matrix(dtype, rows, cols, numbers);
}

std::vector<double> exact(const std::vector<float>& x, const Stored& w) {
    std::vector<double> out;
    for (std::size_t row = 0; row < x.size(); row += static_cast<std::size_t>(w.cols))
        for (std::int64_t j = 0; j < w.rows; ++j) {
            double sum = 0;
            for (std::int64_t i = 0; i < w.cols; ++i)
                sum += static_cast<double>(x[row + static_cast<std::size_t>(i)]) *
                       static_cast<double>(w.values[static_cast<std::size_t>(j * w.cols + i)]);
            out.push_back(sum);
        }
    return out;
}

// ---- bf16 ----

// VDPBF16PS of one lane (Intel's Software Developer's Manual): the odd product first, no subnormal numbers.
float without_subnormal(float value) {
    return std::abs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0f, value) : value;
}
float add_pair(const float* w, const float* x, float acc) {
    const auto step = [&](int i, float sum) {
        return without_subnormal(std::fma(without_subnormal(w[i]), without_subnormal(x[i]), without_subnormal(sum)));
    };
    return step(0, step(1, acc));
}
std::vector<float> pair_chains(const std::vector<float>& x, const Stored& w) {
    std::vector<float> out;
    for (std::size_t row = 0; row < x.size(); row += static_cast<std::size_t>(w.cols))
        for (std::int64_t j = 0; j < w.rows; ++j) {
            float acc = 0;
            for (std::int64_t i = 0; i < w.cols; i += 2)
                acc = add_pair(w.values.data() + j * w.cols + i, x.data() + row + i, acc);
            out.push_back(acc);
        }
    return out;
}

TEST(Bf16Products, RoundActivationsToTheNearestEven) {
    on_every_path(Precision::bf16, [](const Path& path) {
        const std::unique_ptr<Backend> backend = path.backend();
        const float infinite = std::numeric_limits<float>::infinity();
        const std::vector<float> x = {1.0f, 1.00390625f, 1.01171875f, -1.00390625f, 1.003906369f, 3.4e38f, -3.4e38f, 3.39e38f,
                                      infinite, -infinite, 0.0f, -0.0f, 0x1.fep-126f, 0x1.ffffp-126f, 2.0f, 1e-3f};
        // One output for each input: a matrix with ones on its diagonal. As tiles, as rows, as f32.
        for (const DType dtype : {DType::bf16, DType::f32})
            for (const std::int64_t outputs : {16, 15}) {
                Stored one = {dtype, outputs, 16, {}, {}};
                for (std::int64_t i = 0; i < outputs * 16; ++i) {
                    const float value = i / 16 == i % 16 ? 1.0f : 0.0f;
                    const auto* bytes = reinterpret_cast<const std::byte*>(&value);
                    one.bytes.insert(one.bytes.end(), bytes + (dtype == DType::bf16 ? 2 : 0), bytes + 4);
                }
                const Buffer weight = one.in(*backend, Precision::bf16);
                for (std::size_t i = 0; i < static_cast<std::size_t>(outputs); ++i) { // alone: infinite times 0 is NaN
                    std::vector<float> alone(16);
                    alone[i] = x[i];
                    const float got = product(*backend, alone, weight.view())[i];
                    EXPECT_EQ(got, from_bf16(to_bf16(x[i]))) << i << " " << name_of(dtype) << " " << outputs;
                }
            }
    });
}

TEST(Bf16Products, GiveTheBitsOfTheirChain) {
    on_every_path(Precision::bf16, [](const Path& path) {
        if (path.narrow.amx_bf16) return; // amx_test.cpp
        for (const std::int64_t n : {16, 32, 48, 80, 112, 240, 400})
            for (const std::int64_t k : {2, 30, 64, 66, 1000}) {
                Numbers numbers(static_cast<std::uint64_t>(n * 31 + k));
                const Stored w = stored_bf16(n, k, numbers);
                const std::unique_ptr<Backend> backend = path.backend();
                const Buffer weight = w.in(*backend, Precision::bf16);
                ASSERT_TRUE(weight.view().tiled);
                const std::vector<float> x = numbers.floats(17 * k), round = rounded_to_bf16(x), bias = numbers.floats(n);
                const std::vector<float> plain = path.narrow.bf16 ? pair_chains(round, w) : chains(path.isa, round, w, 0, n);
                std::vector<float> biased = plain;
                for (std::size_t i = 0; i < biased.size(); ++i) biased[i] += bias[i % static_cast<std::size_t>(n)];
                for (const std::ptrdiff_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 17}) {
                    const std::vector<float> some(x.begin(), x.begin() + rows * k);
                    EXPECT_TRUE(same_bits(product(*backend, some, weight.view()), {plain.begin(), plain.begin() + rows * n}))
                        << rows << " x " << n << " x " << k;
                    EXPECT_TRUE(same_bits(product(*backend, some, weight.view(), bias), {biased.begin(), biased.begin() + rows * n}))
                        << rows << " x " << n << " x " << k;
                }
            }
    });
}

TEST(Bf16Products, WidenQuantisedWeightsToF32) {
    on_every_path(Precision::bf16, [](const Path& path) {
        for (const DType dtype : kKept) {
            SCOPED_TRACE(name_of(dtype));
            Numbers numbers(47);
            const Stored w = stored_matrix(dtype, 100, 512, numbers);
            const std::unique_ptr<Backend> backend = path.backend();
            const Buffer weight = w.in(*backend, Precision::bf16);
            for (const int rows : {1, 5, 20}) {
                const std::vector<float> x = numbers.floats(rows * 512);
                EXPECT_TRUE(same_bits(product(*backend, x, weight.view()), chains(path.isa, rounded_to_bf16(x), w, 0, 100))) << rows;
            }
        }
    });
}

TEST(Bf16Products, MatchTheDoublePrecisionLoopOnUnroundSizes) {
    on_every_path(Precision::bf16, [](const Path& path) {
        const std::unique_ptr<Backend> backend = path.backend(3);
        for (const DType dtype : {DType::bf16, DType::f32})
            for (const std::int64_t n : {1, 31, 48, 100, 144})
                for (const std::int64_t k : {1, 2, 33, 96, 1000})
                    for (const int rows : {1, 3, 8, 13, 64}) {
                        Numbers numbers(static_cast<std::uint64_t>(n * 77 + k * 3 + rows));
                        const Stored w = stored(dtype, n, k, numbers);
                        const std::vector<float> x = numbers.floats(rows * k);
                        const Buffer weight = w.in(*backend, Precision::bf16);
                        const Tolerance tolerance = {.absolute = 2e-6 * std::sqrt(static_cast<double>(k)) + 1e-6};
                        EXPECT_TRUE(close(product(*backend, x, weight.view()), exact(rounded_to_bf16(x), w), tolerance))
                            << name_of(dtype) << " " << rows << " x " << n << " x " << k;
                    }
    });
}

} // namespace
} // namespace speclens::test
