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
    [[nodiscard]] bool pairs() const { return narrow.bf16 && !narrow.slow_bf16; }
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
        narrow.slow_bf16 = !narrow.slow_bf16;
        if (narrow.bf16) all.push_back({isa, narrow});
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
    return dtype == DType::bf16  ? stored_bf16(rows, cols, numbers)
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
float without_subnormal(float value) { return std::abs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0f, value) : value; }
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
            for (std::int64_t i = 0; i < w.cols; i += 2) acc = add_pair(w.values.data() + j * w.cols + i, x.data() + row + i, acc);
            out.push_back(acc);
        }
    return out;
}

TEST(Bf16Products, RoundActivationsToTheNearestEven) {
    on_every_path(Precision::bf16, [](const Path& path) {
        const std::unique_ptr<Backend> backend = path.backend();
        const float infinite = std::numeric_limits<float>::infinity();
        const std::vector<float> x = {1.0f,     1.00390625f, 1.01171875f, -1.00390625f, 1.003906369f, 3.4e38f,        -3.4e38f, 3.39e38f,
                                      infinite, -infinite,   0.0f,        -0.0f,        0x1.fep-126f, 0x1.ffffp-126f, 2.0f,     1e-3f};
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
                const std::vector<float> plain = path.pairs() ? pair_chains(round, w) : chains(path.isa, round, w, 0, n);
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

// ---- numbers of quantised weights, activations in 8 bits ----

// Activations as kernels/cpu/quant_activations.h says.
struct Quantised {
    std::vector<int> q;
    std::vector<float> scales; // of 32 values
};
Quantised quantise(const std::vector<float>& x) {
    Quantised result;
    for (std::size_t first = 0; first < x.size(); first += 32) {
        float most = 0;
        bool finite = true;
        for (std::size_t i = first; i < first + 32; ++i) {
            finite = finite && std::isfinite(x[i]);
            if (finite) most = std::max(most, std::abs(x[i]));
        }
        const bool zero = !finite || most < 0x1p-100f;
        result.scales.push_back(!finite ? std::nanf("") : zero ? 0 : most / 127.0f);
        for (std::size_t i = first; i < first + 32; ++i)
            result.q.push_back(zero ? 0 : static_cast<int>(std::nearbyint(x[i] * (127.0f / most))));
    }
    return result;
}

// ---- quantised weights in bf16 ----

// What kernels/cpu/matmul_kept.cpp says, column by column; x is rounded.
std::vector<float> kept_chains(const Path& path, const std::vector<float>& x, const Stored& w) {
    const QuantLayout& layout = *quant_layout(w.dtype);
    std::vector<float> out;
    for (const float* row = x.data(); row < x.data() + x.size(); row += w.cols)
        for (std::int64_t j = 0; j < w.rows; ++j) {
            float acc = 0;
            for (std::int64_t first = 0; first < w.cols; first += layout.stretch) {
                const KeptStretch stretch(w, j, first, row);
                const float raised = path.isa == Isa::avx2 ? stretch.middle() : 0; // numbers as their bits are
                float sum = path.pairs() ? stretch.begin() : raised == 0 ? 0 : -raised * stretch.sum_of_x;
                for (int i = 0; i < layout.stretch; ++i) {
                    if (!path.pairs()) {
                        sum = multiply_add(path.isa, stretch.number(i) + raised, row[first + i], sum);
                    } else if (i % 8 < 4) {
                        const float weights[] = {stretch.positive(i), stretch.positive(i + 4)},
                                    two[] = {row[first + i], row[first + i + 4]};
                        sum = add_pair(weights, two, sum);
                    }
                }
                acc = stretch.add(path.isa, sum, acc);
            }
            out.push_back(acc);
        }
    return out;
}

// Where numbers are not multiplied as they are, each weight is widened to f32 as kernels/quant.cpp does it.
std::vector<float> kept_or_widened(const Path& path, const std::vector<float>& x, const Stored& w) {
    return path.isa == Isa::portable ? chains(path.isa, x, w, 0, w.rows) : kept_chains(path, x, w);
}

TEST(KeptProducts, GiveTheBitsOfTheirChain) {
    on_every_path(Precision::bf16, [](const Path& path) {
        if (path.narrow.amx_bf16) return; // amx_test.cpp
        const std::unique_ptr<Backend> backend = path.backend(1);
        for (const DType dtype : kKept) {
            const std::int64_t values = block_of(dtype).values;
            for (const std::int64_t n : {1, 15, 16, 32, 48, 80, 129})
                for (const std::int64_t k : {values, 3 * values, 1024 / values * values}) {
                    Numbers numbers(static_cast<std::uint64_t>(n * 31 + k));
                    const Stored w = stored_matrix(dtype, n, k, numbers);
                    const Buffer weight = w.in(*backend, Precision::bf16);
                    const std::vector<float> x = numbers.floats(17 * k), bias = numbers.floats(n);
                    const std::vector<float> want = kept_or_widened(path, rounded_to_bf16(x), w);
                    std::vector<float> biased = want;
                    for (std::size_t i = 0; i < biased.size(); ++i) biased[i] += bias[i % static_cast<std::size_t>(n)];
                    for (const std::ptrdiff_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17}) {
                        const std::vector<float> some(x.begin(), x.begin() + rows * k);
                        EXPECT_TRUE(same_bits(product(*backend, some, weight.view()), {want.begin(), want.begin() + rows * n}))
                            << name_of(dtype) << " " << rows << " x " << n << " x " << k;
                        EXPECT_TRUE(same_bits(product(*backend, some, weight.view(), bias), {biased.begin(), biased.begin() + rows * n}))
                            << name_of(dtype) << " " << rows << " x " << n << " x " << k;
                    }
                }
        }
    });
}

// Of numbers that lie at an end of their range, with all bits of x in use: nothing on the way is rounded that the model does not round.
TEST(KeptProducts, GiveTheBitsOfTheirChainAtTheEndsOfTheRange) {
    on_every_path(Precision::bf16, [](const Path& path) {
        if (path.narrow.amx_bf16) return; // amx_test.cpp
        const std::unique_ptr<Backend> backend = path.backend(1);
        for (const DType dtype : kKept)
            for (const int fill : {0x00, 0x80, 0x7F, 0xFF}) {
                Numbers numbers(5);
                Stored w = stored_matrix(dtype, 16, 256, numbers, [](int) { return narrow_f16(0.01f); });
                const QuantLayout& layout = *quant_layout(dtype);
                for (std::size_t i = 0; i < w.bytes.size(); ++i)
                    if (static_cast<int>(i) % layout.bytes >= 2 * layout.halves && dtype != DType::q6_k)
                        w.bytes[i] = static_cast<std::byte>(fill);
                widen(dtype, w.bytes.data(), 16 * 256, w.values.data());
                std::vector<float> x = numbers.floats(3 * 256);
                for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::ldexp(x[i], static_cast<int>(i % 40) - 20);
                const Buffer weight = w.in(*backend, Precision::bf16);
                EXPECT_TRUE(same_bits(product(*backend, x, weight.view()), kept_or_widened(path, rounded_to_bf16(x), w)))
                    << name_of(dtype) << " " << fill;
            }
    });
}

// With AVX2 x is divided by up to 2^24, and what would not stay exact then is 0.
TEST(KeptProducts, TakeTheSmallestForZerosWithAvx2) {
    on_every_path(Precision::bf16, [](const Path& path) {
        if (path.isa != Isa::avx2) return;
        const std::unique_ptr<Backend> backend = path.backend(1);
        for (const DType dtype : kKept) {
            Numbers numbers(5);
            const Stored w = stored_matrix(dtype, 20, 256, numbers);
            std::vector<float> x = numbers.floats(7 * 256), want = x;
            for (std::size_t i = 0; i < x.size(); ++i) {
                x[i] = std::ldexp(x[i], i < 256 || i % 3 == 0 ? -101 : i % 3 == 1 ? -60 : -98);
                want[i] = std::abs(x[i]) < 0x1p-100f ? 0.0f : x[i];
            }
            for (const std::ptrdiff_t rows : {1, 7}) {
                const std::vector<float> got =
                    product(*backend, {x.begin(), x.begin() + rows * 256}, w.in(*backend, Precision::bf16).view());
                EXPECT_TRUE(same_bits(got, kept_chains(path, rounded_to_bf16({want.begin(), want.begin() + rows * 256}), w)))
                    << name_of(dtype) << " " << rows;
                for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(got[i], 0.0f);
            }
        }
    });
}

// Against f64 on the numbers of the file: no further off than the same matrix widened to bf16 and multiplied in bf16.
TEST(KeptProducts, AreNoLessExactThanWidenedOnes) {
    on_every_path(Precision::bf16, [](const Path& path) {
        const std::unique_ptr<Backend> backend = path.backend(2);
        for (const DType dtype : kKept) {
            Numbers numbers(59);
            const Stored w = stored_matrix(dtype, 256, 1024, numbers);
            Stored widened = {DType::bf16, 256, 1024, std::vector<std::byte>(w.values.size() * 2), {}};
            for (std::size_t i = 0; i < w.values.size(); ++i) {
                const std::uint16_t bits = to_bf16(w.values[i]);
                std::memcpy(widened.bytes.data() + 2 * i, &bits, 2);
            }
            const std::vector<float> x = numbers.floats(4 * 1024);
            const std::vector<double> want = exact(x, w);
            const auto error = [&](const Stored& stored) {
                const Buffer weight = stored.in(*backend, Precision::bf16);
                const std::vector<float> got = product(*backend, x, weight.view());
                double squares = 0;
                for (std::size_t i = 0; i < want.size(); ++i) squares += std::pow(static_cast<double>(got[i]) - want[i], 2);
                return std::sqrt(squares / static_cast<double>(want.size()));
            };
            EXPECT_LT(error(w), error(widened)) << name_of(dtype);
        }
    });
}

// ---- int8 ----

std::vector<float> int8_chains(Isa isa, const std::vector<float>& x, const Stored& w) {
    const QuantLayout& layout = *quant_layout(w.dtype);
    const Quantised a = quantise(x);
    const auto row_bytes = static_cast<std::int64_t>(bytes_of(w.dtype, w.cols));
    std::vector<float> out;
    for (std::int64_t row = 0; row * w.cols < static_cast<std::int64_t>(x.size()); ++row)
        for (std::int64_t j = 0; j < w.rows; ++j) {
            float acc = 0;
            for (std::int64_t first = 0; first < w.cols; first += layout.stretch) {
                int sum = 0, all = 0;
                Number number;
                for (std::int64_t i = first; i < first + layout.stretch; ++i) {
                    number = number_at(layout, w.bytes.data() + j * row_bytes + i / layout.values * layout.bytes,
                                       static_cast<int>(i % layout.values));
                    const int q = a.q[static_cast<std::size_t>(row * w.cols + i)];
                    sum += number.number * q;
                    all += q;
                }
                const float scale = a.scales[static_cast<std::size_t>((row * w.cols + first) / 32)];
                acc = multiply_add(isa, static_cast<float>(sum), number.scale * scale, acc);
                if (w.dtype == DType::q4_1 || w.dtype == DType::q4_k)
                    acc = multiply_add(isa, number.offset, scale * static_cast<float>(all), acc);
            }
            out.push_back(acc);
        }
    return out;
}

TEST(Int8Products, GiveTheBitsOfTheirChain) {
    on_every_path(Precision::int8, [](const Path& path) {
        const std::unique_ptr<Backend> backend = path.backend(1);
        for (const DType dtype : kKept) {
            const std::int64_t values = block_of(dtype).values;
            for (const std::int64_t n : {1, 15, 16, 48, 80, 129})
                for (const std::int64_t k : {values, 3 * values, 1024 / values * values}) {
                    Numbers numbers(static_cast<std::uint64_t>(n * 31 + k));
                    const Stored w = stored_matrix(dtype, n, k, numbers);
                    const Buffer weight = w.in(*backend, Precision::int8);
                    const std::vector<float> x = numbers.floats(11 * k), want = int8_chains(path.isa, x, w);
                    for (const std::ptrdiff_t rows : {1, 2, 3, 4, 5, 6, 7, 8, 11})
                        EXPECT_TRUE(same_bits(product(*backend, {x.begin(), x.begin() + rows * k}, weight.view()),
                                              {want.begin(), want.begin() + rows * n}))
                            << name_of(dtype) << " " << rows << " x " << n << " x " << k;
                }
        }
    });
}

// All numbers at an end of their range: no sum on the way is too large for its register.
TEST(Int8Products, HoldTheLargestSums) {
    on_every_path(Precision::int8, [](const Path& path) {
        const std::unique_ptr<Backend> backend = path.backend(1);
        for (const DType dtype : kKept)
            for (const int fill : {0x00, 0x80, 0x7F, 0xFF}) {
                Numbers numbers(3);
                Stored w = stored_matrix(dtype, 16, 256, numbers, [](int) { return narrow_f16(0.01f); });
                const QuantLayout& layout = *quant_layout(dtype);
                for (std::size_t i = 0; i < w.bytes.size(); ++i) {
                    const auto at = static_cast<int>(i % static_cast<std::size_t>(layout.bytes));
                    const bool scale = (at >= layout.half_at[0] && at < layout.half_at[0] + 2) ||
                                       (layout.halves > 1 && at >= layout.half_at[1] && at < layout.half_at[1] + 2);
                    if (!scale) w.bytes[i] = static_cast<std::byte>(fill);
                }
                std::vector<float> x(3 * 256, 1.0f);
                std::fill(x.begin() + 256, x.begin() + 512, -1.0f);
                for (std::size_t i = 512; i < 768; ++i) x[i] = i % 2 == 0 ? 1.0f : -1.0f;
                EXPECT_TRUE(same_bits(product(*backend, x, w.in(*backend, Precision::int8).view()), int8_chains(path.isa, x, w)))
                    << name_of(dtype) << " " << fill;
            }
    });
}

TEST(Int8Products, TakeZerosAndTinyValuesForZeros) {
    on_every_path(Precision::int8, [](const Path& path) {
        const std::unique_ptr<Backend> backend = path.backend(1);
        for (const DType dtype : kKept) {
            Numbers numbers(5);
            const Stored w = stored_matrix(dtype, 20, 256, numbers);
            std::vector<float> x(4 * 256);
            for (std::size_t i = 0; i < 256; ++i) {
                x[256 + i] = numbers.uniform() * 0x1p-101f;
                x[512 + i] = i % 64 < 32 ? numbers.uniform() * 1e-44f : numbers.uniform() * 0x1p-99f;
                x[768 + i] = i % 7 == 0 ? -0.0f : numbers.uniform() * 3e38f;
            }
            const std::vector<float> got = product(*backend, x, w.in(*backend, Precision::int8).view());
            EXPECT_TRUE(same_bits(got, int8_chains(path.isa, x, w))) << name_of(dtype);
            for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(got[i], 0.0f);
        }
    });
}

// A weight meets an activation that is half a step away at most.
TEST(Int8Products, StayWithinTheirRoundingOfTheDoublePrecisionLoop) {
    on_every_path(Precision::int8, [](const Path& path) {
        const std::unique_ptr<Backend> backend = path.backend();
        for (const DType dtype : kKept) {
            Numbers numbers(53);
            const Stored w = stored_matrix(dtype, 50, 768, numbers);
            const std::vector<float> x = numbers.floats(9 * 768, -3, 3);
            const std::vector<float> got = product(*backend, x, w.in(*backend, Precision::int8).view());
            const std::vector<double> want = exact(x, w);
            const Quantised a = quantise(x);
            for (std::size_t i = 0; i < got.size(); ++i) {
                const std::size_t row = i / 50, j = i % 50;
                double bound = 0;
                for (std::size_t c = 0; c < 768; ++c) {
                    const double weight = std::abs(static_cast<double>(w.values[j * 768 + c]));
                    bound += weight * (0.5001 * static_cast<double>(a.scales[(row * 768 + c) / 32]) + 3e-5);
                }
                ASSERT_LE(std::abs(static_cast<double>(got[i]) - want[i]), bound) << name_of(dtype) << " " << i;
            }
        }
    });
}

TEST(Int8Products, RoundToBf16WhereAWeightIsNotQuantised) {
    on_every_path(Precision::int8, [](const Path& path) {
        const std::unique_ptr<Backend> backend = path.backend();
        Numbers numbers(59);
        const std::vector<float> x = numbers.floats(5 * 96);
        for (const DType dtype : {DType::bf16, DType::f32})
            for (const std::int64_t n : {48, 50}) {
                const Stored w = stored(dtype, n, 96, numbers);
                EXPECT_TRUE(same_bits(product(*backend, x, w.in(*backend, Precision::int8).view()),
                                      product(*backend, x, w.in(*backend, Precision::bf16).view())));
            }
    });
}

// ---- both ----

constexpr DType kAll[] = {DType::bf16, DType::f32, DType::q8_0, DType::q4_0, DType::q4_1, DType::q5_0, DType::q4_k, DType::q6_k};

template <class Check>
void in_every_precision(const Check& check) {
    for (const Precision precision : {Precision::bf16, Precision::int8})
        on_every_path(precision, [&](const Path& path) { check(path, precision); });
}

// Products with several weights in one launch and a SwiGLU; all outputs of a row side by side.
struct Layer {
    std::vector<Buffer> weights;
    std::int64_t cols = 256;

    Layer(Backend& backend, Precision precision, const std::vector<DType>& types) {
        Numbers numbers(61);
        for (const DType dtype : types)
            for (const std::int64_t n : {100, 112}) weights.push_back(stored(dtype, n, cols, numbers).in(backend, precision));
    }
    std::vector<std::vector<float>> run(Backend& backend, const std::vector<float>& x) const {
        const std::int64_t rows = static_cast<std::int64_t>(x.size()) / cols;
        const Guarded in(backend, DType::f32, rows, cols, x);
        std::vector<Guarded> outs;
        std::vector<Projection> parts;
        for (const Buffer& weight : weights) outs.emplace_back(backend, DType::f32, rows, weight.view().rows);
        for (std::size_t i = 0; i < outs.size(); ++i) parts.push_back({weights[i].view(), {}, outs[i]});
        backend.matmul(in, parts);
        for (std::size_t i = 2; i < weights.size() + 2; ++i) { // gate and up of one type and of two
            const Tensor& gate = weights[i % weights.size()].view();
            const Tensor& up = weights[(i - 2) % weights.size()].view();
            outs.emplace_back(backend, DType::f32, rows, gate.rows);
            backend.matmul_swiglu(in, gate, i % 4 < 2 ? gate : up, outs.back());
        }
        std::vector<std::vector<float>> all(static_cast<std::size_t>(rows));
        for (const Guarded& out : outs) {
            EXPECT_TRUE(out.guards_intact());
            const std::vector<float> values = out.floats();
            const auto width = static_cast<std::ptrdiff_t>(values.size()) / rows;
            for (std::ptrdiff_t row = 0; row < rows; ++row)
                all[static_cast<std::size_t>(row)].insert(all[static_cast<std::size_t>(row)].end(), values.begin() + row * width,
                                                          values.begin() + (row + 1) * width);
        }
        return all;
    }
};

class NarrowProductsWith : public testing::TestWithParam<int> {};

TEST_P(NarrowProductsWith, ThreadsGiveARowTheSameBitsInEveryPass) {
    const int threads = GetParam();
    in_every_precision([&](const Path& path, Precision precision) {
        Numbers numbers(67);
        const std::vector<float> x = numbers.floats(64 * 256);
        const std::vector<DType> types(std::begin(kAll), std::end(kAll));
        const auto from = [&](std::ptrdiff_t row) { return std::vector<float>{x.begin() + row * 256, x.end()}; };
        std::vector<std::vector<float>> alone;
        const std::unique_ptr<Backend> one = path.backend(1);
        const Layer by_one(*one, precision, types);
        for (std::ptrdiff_t row = 0; row < 64; ++row)
            alone.push_back(by_one.run(*one, {x.begin() + row * 256, x.begin() + (row + 1) * 256}).front());
        const std::unique_ptr<Backend> backend = path.backend(threads);
        const Layer layer(*backend, precision, types);
        for (std::ptrdiff_t rows = threads; rows <= 64; rows += threads == 1 ? 1 : 2 * threads + 3) {
            const std::ptrdiff_t first = 64 - rows;
            const auto got = layer.run(*backend, from(first));
            for (std::ptrdiff_t row = 0; row < rows; ++row)
                ASSERT_TRUE(same_bits(got[static_cast<std::size_t>(row)], alone[static_cast<std::size_t>(first + row)]))
                    << "row " << row << " of " << rows;
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Number, NarrowProductsWith, testing::Values(1, 2, 3, 5, 8), testing::PrintToStringParamName());

TEST(NarrowProducts, LetNanAndInfinityThroughOnlyToTheirOwnRow) {
    in_every_precision([](const Path& path, Precision precision) {
        const std::unique_ptr<Backend> backend = path.backend();
        for (const DType dtype : kAll)
            for (const float value :
                 {std::nanf(""), -std::nanf(""), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
                Numbers numbers(71);
                std::vector<float> x = numbers.floats(9 * 256);
                const std::vector<std::vector<float>> whole = Layer(*backend, precision, {dtype}).run(*backend, x);
                x[4 * 256 + 39] = value;
                const std::vector<std::vector<float>> got = Layer(*backend, precision, {dtype}).run(*backend, x);
                for (std::size_t row = 0; row < 9; ++row) {
                    if (row != 4) {
                        EXPECT_TRUE(same_bits(got[row], whole[row])) << name_of(dtype) << " " << row;
                        continue;
                    }
                    const bool nan = std::isnan(value) || (precision == Precision::int8 && is_quantised(dtype));
                    for (std::size_t j = 0; j < 212; ++j) // the plain products
                        ASSERT_TRUE(nan ? std::isnan(got[row][j]) : !std::isfinite(got[row][j]))
                            << name_of(dtype) << " " << j << " " << got[row][j];
                }
            }
    });
}

TEST(NarrowProducts, ReadASliceOfWholeTiles) {
    in_every_precision([](const Path& path, Precision precision) {
        const std::unique_ptr<Backend> backend = path.backend();
        for (const DType dtype : kAll) {
            Numbers numbers(73);
            const Stored w = stored(dtype, 96, 256, numbers);
            const std::vector<float> x = numbers.floats(256);
            const Buffer weight = w.in(*backend, precision);
            const std::vector<float> all = product(*backend, x, weight.view());
            EXPECT_TRUE(same_bits(product(*backend, x, weight.view().slice(32, 48)), {all.begin() + 32, all.begin() + 80}))
                << name_of(dtype);
        }
    });
}

TEST(NarrowProducts, SaysWhatMultiplies) {
    for (const Path& path : paths()) {
        const std::unique_ptr<Backend> backend = path.backend();
        EXPECT_TRUE(backend->has_products(Precision::f32));
        EXPECT_EQ(backend->description().find("+ AMX") != std::string::npos, path.narrow.amx_bf16);
        EXPECT_EQ(backend->products_title(Precision::f32), title_of(path.isa));
        EXPECT_EQ(backend->has_products(Precision::bf16), path.isa != Isa::portable);
        EXPECT_EQ(backend->has_products(Precision::int8), path.isa != Isa::portable);
        if (path.narrow.vnni && path.isa == Isa::avx512) {
            EXPECT_EQ(backend->products_title(Precision::int8), "AVX-512 VNNI");
        }
        if (!path.pairs() && !path.narrow.amx_bf16) {
            EXPECT_EQ(backend->products_title(Precision::bf16), title_of(path.isa));
        }
    }
}

TEST(NarrowProducts, AForcedInstructionSetHasNoneOfAnother) {
    for (const Isa isa : {Isa::portable, Isa::avx2}) {
        EXPECT_FALSE(narrow_products(isa).bf16) << name_of(isa);
        EXPECT_FALSE(narrow_products(isa).amx_bf16) << name_of(isa);
    }
    EXPECT_FALSE(narrow_products(Isa::portable).vnni);
}

std::uint64_t hash_of_rows(const std::vector<std::vector<float>>& rows) { // FNV-1a
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (const std::vector<float>& row : rows)
        for (const float value : row) hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001B3u;
    return hash;
}

// One number for each path and precision, the same in Debug and Release and for every thread count. A change here means that
// recorded traces in this precision no longer replay to the bit: change it on purpose only. The numbers are printed on failure.
TEST(NarrowProducts, GoldenHashOfSomeProducts) {
    const std::map<std::string, std::uint64_t> golden = {
        {"bf16 by portable (SSSE3)", 0x89ed5b9b83ebd128u},
        {"bf16 by AVX2", 0x306dc35aca5b7b72u},
        {"bf16 by AVX-512", 0xb88ecf48ed761faau},
        {"bf16 by AVX-512 BF16", 0xc415d8923945adb3u},
        {"int8 by portable (SSSE3)", 0x19704af261d12c1eu}, // the only one without fused multiply-adds
        {"int8 by AVX2", 0xe1a95321488934d2u},
        {"int8 by AVX-VNNI", 0xe1a95321488934d2u},
        {"int8 by AVX-512", 0xe1a95321488934d2u},
        {"int8 by AVX-512 VNNI", 0xe1a95321488934d2u},
    };
    Numbers numbers(79);
    const std::vector<float> x = numbers.floats(13 * 256);
    for (const Precision precision : {Precision::bf16, Precision::int8})
        on_every_path(precision, [&](const Path& path) {
            if (!golden.contains(path.text(precision))) return; // AMX: see amx_test.cpp
            const std::unique_ptr<Backend> backend = path.backend(3);
            const std::vector<DType> types = precision == Precision::bf16 ? std::vector<DType>(std::begin(kAll), std::end(kAll))
                                                                          : std::vector<DType>(std::begin(kKept), std::end(kKept));
            const std::uint64_t hash = hash_of_rows(Layer(*backend, precision, types).run(*backend, x));
            EXPECT_EQ(hash, golden.at(path.text(precision))) << path.text(precision) << std::hex << ": 0x" << hash;
        });
}

} // namespace
} // namespace speclens::test
