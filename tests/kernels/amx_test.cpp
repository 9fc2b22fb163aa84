// Products by AMX (kernels/cpu/amx_tiles.h): the same code over a plain model of the tile registers, its bits against a plain
// chain, its values against the double-precision loop; and, on a processor that has them, the registers against the model.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/cpu/amx_tiles.h"
#include "kernels/cpu/cpu_backend.h"
#include "tests/kernels/quant_support.h"

namespace speclens::test {
namespace {

float flushed(float value) { return std::abs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0f, value) : value; }
float flushed_fma(float a, float b, float c) { return flushed(std::fma(flushed(a), flushed(b), flushed(c))); }
float flushed_sum(float a, float b) { return flushed(flushed(a) + flushed(b)); }

struct Tile {
    int rows = 0, row_bytes = 0;
    std::array<std::array<std::byte, 64>, 16> data = {};

    [[nodiscard]] std::uint16_t half(int row, int i) const {
        std::uint16_t bits = 0;
        std::memcpy(&bits, data[static_cast<std::size_t>(row)].data() + 2 * i, 2);
        return bits;
    }
    [[nodiscard]] float single(int row, int i) const {
        float value = 0;
        std::memcpy(&value, data[static_cast<std::size_t>(row)].data() + 4 * i, 4);
        return value;
    }
};

// Eight registers as Intel's Software Developer's Manual describes them; what it forbids fails the test.
struct Model {
    static inline std::array<Tile, 8> tiles = {};
    static inline bool released = true;

    static void set_shapes(const amx::Shapes& shapes) {
        EXPECT_EQ(shapes.palette, 1);
        EXPECT_EQ(shapes.start_row, 0);
        released = false;
        for (std::size_t i = 0; i < 16; ++i) {
            if (i >= tiles.size()) {
                EXPECT_EQ(shapes.rows[i] + shapes.row_bytes[i], 0);
                continue;
            }
            EXPECT_LE(shapes.rows[i], 16);
            EXPECT_LE(shapes.row_bytes[i], 64);
            EXPECT_EQ(shapes.rows[i] == 0, shapes.row_bytes[i] == 0);
            tiles[i] = {shapes.rows[i], shapes.row_bytes[i], {}};
        }
    }
    static Tile& ready(int tile) {
        Tile& ready = tiles[static_cast<std::size_t>(tile)];
        EXPECT_FALSE(released);
        EXPECT_GT(ready.rows, 0);
        return ready;
    }
    template <int tile>
    static void clear() {
        ready(tile).data = {};
    }
    template <int tile>
    static void load(const void* from, std::int64_t stride) {
        Tile& to = ready(tile);
        to.data = {};
        for (int row = 0; row < to.rows; ++row)
            std::memcpy(to.data[static_cast<std::size_t>(row)].data(), static_cast<const std::byte*>(from) + row * stride,
                        static_cast<std::size_t>(to.row_bytes));
    }
    template <int tile>
    static void store(void* to, std::int64_t stride) {
        const Tile& from = ready(tile);
        for (int row = 0; row < from.rows; ++row)
            std::memcpy(static_cast<std::byte*>(to) + row * stride, from.data[static_cast<std::size_t>(row)].data(),
                        static_cast<std::size_t>(from.row_bytes));
    }
    // TDPBF16PS
    template <int sums, int x, int weights>
    static void add_product() {
        Tile& c = ready(sums);
        const Tile &a = ready(x), &b = ready(weights);
        EXPECT_EQ(c.rows, a.rows);
        EXPECT_EQ(c.row_bytes, b.row_bytes);
        EXPECT_EQ(a.row_bytes, 4 * b.rows);
        for (int m = 0; m < c.rows; ++m)
            for (int n = 0; n < c.row_bytes / 4; ++n) {
                float even = 0, odd = 0;
                for (int k = 0; k < a.row_bytes / 4; ++k) {
                    even = flushed_fma(from_bf16(a.half(m, 2 * k)), from_bf16(b.half(k, 2 * n)), even);
                    odd = flushed_fma(from_bf16(a.half(m, 2 * k + 1)), from_bf16(b.half(k, 2 * n + 1)), odd);
                }
                const float sum = flushed_sum(c.single(m, n), flushed_sum(even, odd));
                std::memcpy(c.data[static_cast<std::size_t>(m)].data() + 4 * n, &sum, 4);
            }
    }
    static void release() { released = true; }
};

// A matrix of bf16 in the order of weight_tiles.h, and the numbers it means.
struct Tiled {
    std::int64_t n = 0, k = 0;
    std::vector<float> values;
    std::vector<std::uint16_t> tiles;
};
Tiled tiled(std::int64_t n, std::int64_t k, Numbers& numbers) {
    Tiled w = {n, k, numbers.floats(n * k), std::vector<std::uint16_t>(static_cast<std::size_t>(n * k))};
    for (std::int64_t i = 0; i < n * k; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const std::uint16_t bits = to_bf16(w.values[at]);
        w.values[at] = from_bf16(bits);
        const std::int64_t row = i / k, column = i % k; // sixteen rows a tile, two columns a line
        w.tiles[static_cast<std::size_t>(row / 16 * 16 * k + column / 2 * 32 + row % 16 * 2 + column % 2)] = bits;
    }
    return w;
}

constexpr float kSentinel = 12345.0f;
constexpr std::int64_t kGap = 3; // floats between two rows of outputs that nobody may touch

// Outputs [first, last) of rows of x, in bf16; in one launch as multiply() gets it.
std::vector<float> tile_product(const std::vector<float>& x, const Tiled& w, std::int64_t first, std::int64_t last,
                                const std::vector<float>& bias = {}) {
    const std::int64_t rows = static_cast<std::int64_t>(x.size()) / w.k, stride = (2 * w.k + 63) / 64 * 64, width = last - first;
    std::vector<std::byte> packed(static_cast<std::size_t>(rows * stride), std::byte{0xFF}); // NaN behind every row
    for (std::int64_t i = 0; i < rows * w.k; ++i) {
        const std::uint16_t bits = to_bf16(x[static_cast<std::size_t>(i)]);
        std::memcpy(packed.data() + i / w.k * stride + 2 * (i % w.k), &bits, 2);
    }
    std::vector<float> out(static_cast<std::size_t>(rows * (width + kGap)), kSentinel);
    amx::multiply<Model>({.x = packed.data(),
                          .rows = static_cast<int>(rows),
                          .weight = w.tiles.data(),
                          .dtype = DType::bf16,
                          .k = w.k,
                          .bias = bias.empty() ? nullptr : bias.data(),
                          .out = out.data(),
                          .out_stride = width + kGap},
                         stride, first, last);
    EXPECT_TRUE(Model::released);
    std::vector<float> result;
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto begin = out.begin() + row * (width + kGap);
        result.insert(result.end(), begin, begin + width);
        EXPECT_EQ(std::count(begin + width, begin + width + kGap, kSentinel), kGap);
    }
    return result;
}

std::vector<float> tile_chains(const std::vector<float>& x, const Tiled& w) {
    std::vector<float> out;
    for (std::size_t row = 0; row < x.size(); row += static_cast<std::size_t>(w.k))
        for (std::int64_t j = 0; j < w.n; ++j) {
            float acc = 0;
            for (std::int64_t first = 0; first < w.k; first += 32) {
                float sums[2] = {0, 0};
                for (std::int64_t i = first; i < std::min(first + 32, w.k); ++i)
                    sums[i % 2] = flushed_fma(from_bf16(to_bf16(x[row + static_cast<std::size_t>(i)])),
                                              w.values[static_cast<std::size_t>(j * w.k + i)], sums[i % 2]);
                acc = flushed_sum(acc, flushed_sum(sums[0], sums[1]));
            }
            out.push_back(acc);
        }
    return out;
}

std::vector<double> exact_product(const std::vector<float>& x, const Tiled& w) {
    std::vector<double> out;
    for (std::size_t row = 0; row < x.size(); row += static_cast<std::size_t>(w.k))
        for (std::int64_t j = 0; j < w.n; ++j) {
            double sum = 0;
            for (std::int64_t i = 0; i < w.k; ++i)
                sum += static_cast<double>(from_bf16(to_bf16(x[row + static_cast<std::size_t>(i)]))) *
                       static_cast<double>(w.values[static_cast<std::size_t>(j * w.k + i)]);
            out.push_back(sum);
        }
    return out;
}

TEST(AmxTiles, GiveTheBitsOfTheirChainAndTheDoublePrecisionLoop) {
    for (const std::int64_t n : {16, 48, 64, 144})
        for (const std::int64_t k : {2, 30, 32, 34, 64, 94, 352}) {
            Numbers numbers(static_cast<std::uint64_t>(n * 31 + k));
            const Tiled w = tiled(n, k, numbers);
            const std::vector<float> x = numbers.floats(19 * k), bias = numbers.floats(n);
            const std::vector<float> plain = tile_chains(x, w);
            const Tolerance tolerance = {.absolute = 2e-6 * std::sqrt(static_cast<double>(k)) + 1e-6};
            EXPECT_TRUE(close(plain, exact_product(x, w), tolerance)) << n << " x " << k;
            std::vector<float> biased = plain;
            for (std::size_t i = 0; i < biased.size(); ++i) biased[i] += bias[i % static_cast<std::size_t>(n)];
            EXPECT_TRUE(same_bits(tile_product(x, w, 0, n), plain)) << n << " x " << k;
            EXPECT_TRUE(same_bits(tile_product(x, w, 0, n, bias), biased)) << n << " x " << k;
        }
}

TEST(AmxTiles, ARowHasTheSameBitsInEveryPassAndShare) {
    Numbers numbers(83);
    const Tiled w = tiled(112, 70, numbers);
    const std::vector<float> x = numbers.floats(40 * 70);
    const std::vector<float> all = tile_chains(x, w);
    for (std::ptrdiff_t rows = 1; rows <= 40; ++rows)
        EXPECT_TRUE(same_bits(tile_product({x.begin(), x.begin() + rows * 70}, w, 0, 112), {all.begin(), all.begin() + rows * 112}))
            << rows;
    const std::vector<float> share = tile_product(x, w, 16, 96);
    for (std::ptrdiff_t row = 0; row < 40; ++row)
        EXPECT_TRUE(same_bits<float>({share.begin() + row * 80, share.begin() + row * 80 + 80},
                                     {all.begin() + row * 112 + 16, all.begin() + row * 112 + 96}))
            << row;
}

// More weights than wait in the cache for the next rows.
TEST(AmxTiles, GoOverSeveralPanels) {
    Numbers numbers(89);
    const Tiled w = tiled(144, 4096, numbers);
    const std::vector<float> x = numbers.floats(17 * 4096);
    EXPECT_TRUE(same_bits(tile_product(x, w, 0, 144), tile_chains(x, w)));
}

TEST(AmxTiles, LetANanThroughOnlyToItsOwnRow) {
    Numbers numbers(97);
    const Tiled w = tiled(32, 40, numbers);
    std::vector<float> x = numbers.floats(9 * 40);
    x[4 * 40 + 39] = std::numeric_limits<float>::infinity();
    x[6 * 40 + 3] = std::numeric_limits<float>::infinity();
    x[6 * 40 + 4] = -std::numeric_limits<float>::infinity();
    const std::vector<float> out = tile_product(x, w, 0, 32);
    for (std::size_t i = 0; i < out.size(); ++i) EXPECT_EQ(std::isfinite(out[i]), i / 32 != 4 && i / 32 != 6) << i;
}

// ---- kept weights ----

bool has_avx512() { return std::ranges::count(available_isas(), Isa::avx512) > 0; }

std::vector<float> rounded(std::vector<float> x) {
    for (float& value : x) value = from_bf16(to_bf16(value));
    return x;
}

std::vector<float> kept_chains(const std::vector<float>& x, const Stored& w) {
    const int width = quant_layout(w.dtype)->stretch;
    std::vector<float> out;
    for (const float* row = x.data(); row < x.data() + x.size(); row += w.cols)
        for (std::int64_t j = 0; j < w.rows; ++j) {
            float acc = 0;
            for (std::int64_t first = 0; first < w.cols; first += width) {
                const KeptStretch stretch(w, j, first, row);
                float sums[2] = {0, 0}; // of the earlier columns of pairs, and of the later ones
                for (int i = 0; i < width; ++i) sums[i % 8 / 4] = flushed_fma(row[first + i], stretch.positive(i), sums[i % 8 / 4]);
                float sum = flushed_sum(0, flushed_sum(sums[0], sums[1]));
                if (w.dtype != DType::q8_0) sum = std::fma(-stretch.above(), stretch.sum_of_x, sum);
                acc = stretch.add(Isa::avx512, sum, acc);
            }
            out.push_back(acc);
        }
    return out;
}

// Outputs [first, last) of kept weights by `multiply`, whatever it is.
template <class Multiply>
std::vector<float> kept_product(const std::vector<float>& x, const Stored& w, std::int64_t first, std::int64_t last,
                                const Multiply& multiply, const std::vector<float>& bias = {}) {
    const std::unique_ptr<Backend> backend = std::make_unique<CpuBackend>(Isa::avx512, NarrowProducts{}, 1);
    const Buffer weight = w.in(*backend, Precision::bf16);
    const MatmulKernels& kernels = *kept_tile_matmul();
    const auto rows = static_cast<int>(static_cast<std::int64_t>(x.size()) / w.cols);
    const std::int64_t stride = kernels.packed_row(w.cols), width = last - first;
    const Buffer packed(*backend, DType::u8, rows, stride);
    kernels.pack(x.data(), rows, w.cols, w.dtype, static_cast<std::byte*>(packed.view().data));
    std::vector<float> out(static_cast<std::size_t>(rows * (width + kGap)), kSentinel);
    multiply(MatmulTask{.x = packed.view().data,
                        .rows = rows,
                        .weight = weight.view().data,
                        .dtype = w.dtype,
                        .k = w.cols,
                        .bias = bias.empty() ? nullptr : bias.data(),
                        .out = out.data(),
                        .out_stride = width + kGap},
             stride, first, last);
    std::vector<float> result;
    for (std::int64_t row = 0; row < rows; ++row) {
        const auto begin = out.begin() + row * (width + kGap);
        result.insert(result.end(), begin, begin + width);
        EXPECT_EQ(std::count(begin + width, begin + width + kGap, kSentinel), kGap);
    }
    return result;
}
void multiply_kept_by_model(const MatmulTask& task, std::int64_t stride, std::int64_t first, std::int64_t last) {
    amx::multiply_kept<Model>(task, *kept_steps(task.dtype), stride, first, last);
    EXPECT_TRUE(Model::released);
}

TEST(AmxKept, GivesTheBitsOfItsChainAndTheDoublePrecisionLoop) {
    if (!has_avx512()) GTEST_SKIP() << "numbers are unpacked by AVX-512";
    for (const DType dtype : kKept)
        for (const std::int64_t n : {1, 16, 33, 48}) {
            const std::int64_t k = block_of(dtype).values * (block_of(dtype).values > 32 ? 2 : 5);
            Numbers numbers(static_cast<std::uint64_t>(n * 31 + k));
            const Stored w = stored_matrix(dtype, n, k, numbers);
            const std::ptrdiff_t most = n == 33 ? 150 : 19; // 150: more blocks of rows than lines are unpacked for at once
            const std::vector<float> x = numbers.floats(most * k), bias = numbers.floats(n), plain = kept_chains(rounded(x), w);
            std::vector<float> biased = plain;
            for (std::size_t i = 0; i < biased.size(); ++i) biased[i] += bias[i % static_cast<std::size_t>(n)];
            for (const std::ptrdiff_t rows : {1, 2, 5, 15, 16, 17, 19, 40, 150}) {
                if (rows > most) continue;
                const std::vector<float> some(x.begin(), x.begin() + rows * k);
                EXPECT_TRUE(same_bits(kept_product(some, w, 0, n, multiply_kept_by_model), {plain.begin(), plain.begin() + rows * n}))
                    << name_of(dtype) << " " << rows << " x " << n;
                EXPECT_TRUE(
                    same_bits(kept_product(some, w, 0, n, multiply_kept_by_model, bias), {biased.begin(), biased.begin() + rows * n}))
                    << name_of(dtype) << " " << rows << " x " << n;
            }
            if (n < 33) continue;
            const std::vector<float> share = kept_product({x.begin(), x.begin() + k}, w, 16, n, multiply_kept_by_model);
            EXPECT_TRUE(same_bits<float>(share, {plain.begin() + 16, plain.begin() + n})) << name_of(dtype);
        }
}

// By AVX-512, in the order of tiles.
TEST(AmxKept, ARowAloneHasTheBitsOfItsChain) {
    if (!has_avx512()) GTEST_SKIP() << "it is multiplied by AVX-512";
    const auto alone = [](const MatmulTask& task, std::int64_t, std::int64_t first, std::int64_t last) {
        kept_tile_matmul()->multiply(task, first, last);
    };
    for (const DType dtype : kKept)
        for (const std::int64_t n : {1, 33, 48}) {
            Numbers numbers(static_cast<std::uint64_t>(n));
            const Stored w = stored_matrix(dtype, n, 512, numbers);
            const std::vector<float> x = numbers.floats(512), bias = numbers.floats(n), plain = kept_chains(rounded(x), w);
            std::vector<float> biased = plain;
            for (std::size_t i = 0; i < biased.size(); ++i) biased[i] += bias[i];
            EXPECT_TRUE(same_bits(kept_product(x, w, 0, n, alone), plain)) << name_of(dtype) << " " << n;
            EXPECT_TRUE(same_bits(kept_product(x, w, 0, n, alone, bias), biased)) << name_of(dtype) << " " << n;
        }
}

// Of values that a tile would flush, a row alone would not: none are let in.
TEST(AmxKept, CountsTheSmallestValuesAsZeros) {
    if (!has_avx512()) GTEST_SKIP() << "numbers are unpacked by AVX-512";
    const auto alone = [](const MatmulTask& task, std::int64_t, std::int64_t first, std::int64_t last) {
        kept_tile_matmul()->multiply(task, first, last);
    };
    for (const DType dtype : kKept) {
        Numbers numbers(7);
        const Stored w = stored_matrix(dtype, 16, 256, numbers);
        std::vector<float> x = numbers.floats(256), without = x;
        for (std::size_t i = 0; i < x.size(); i += 3) x[i] = std::ldexp(x[i], -110 - static_cast<int>(i) % 25), without[i] = 0;
        const std::vector<float> plain = kept_chains(rounded(without), w);
        EXPECT_TRUE(same_bits(kept_product(x, w, 0, 16, alone), plain)) << name_of(dtype);
        EXPECT_TRUE(same_bits(kept_product(x, w, 0, 16, multiply_kept_by_model), plain)) << name_of(dtype);
        for (float& value : x) value = std::copysign(0x1p-130f, value);
        for (const float value : kept_product(x, w, 0, 16, alone)) EXPECT_EQ(value, 0) << name_of(dtype);
    }
}

// ---- the processor ----

bool has_amx() { return has_avx512() && narrow_products(Isa::avx512).amx_bf16; }

// Of every kind: usual ones, subnormal ones as bf16 has them, zeros of both signs, and such as overflow.
std::vector<float> of_every_kind(std::int64_t count, Numbers& numbers) {
    std::vector<float> values = numbers.floats(count);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint64_t kind = numbers.bits() >> 60;
        if (kind == 0) values[i] = std::ldexp(values[i], -130);
        if (kind == 1) values[i] = std::copysign(0.0f, values[i]);
        if (kind == 2) values[i] = std::ldexp(values[i], -64);
        if (kind == 3 && i % 61 == 0) values[i] = std::copysign(0x1p126f, values[i]);
    }
    return values;
}
// Bit for bit, but that one NaN is as good as another.
std::size_t differences(const std::vector<float>& a, const std::vector<float>& b) {
    std::size_t count = a.size() == b.size() ? 0 : 1;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        count +=
            std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i]) && !(std::isnan(a[i]) && std::isnan(b[i])) ? 1 : 0;
    return count;
}

TEST(AmxProcessor, HasTheBitsOfTheModel) {
    if (!has_amx()) GTEST_SKIP() << "this processor has no AMX-BF16, or the system keeps it from us";
    std::int64_t sums = 0;
    for (const std::int64_t k : {2, 30, 32, 94, 352})
        for (int rows = 1; rows <= 16; ++rows) {
            Numbers numbers(static_cast<std::uint64_t>(1000 * k + rows));
            Tiled w = {1536, k, of_every_kind(1536 * k, numbers), std::vector<std::uint16_t>(static_cast<std::size_t>(1536 * k))};
            for (std::int64_t i = 0; i < 1536 * k; ++i)
                w.tiles[static_cast<std::size_t>(i / k / 16 * 16 * k + i % k / 2 * 32 + i / k % 16 * 2 + i % k % 2)] =
                    to_bf16(w.values[static_cast<std::size_t>(i)]);
            const std::vector<float> x = of_every_kind(rows * k, numbers);
            const MatmulKernels& kernels = *amx_matmul();
            const std::int64_t stride = kernels.packed_row(k);
            std::vector<std::byte> room(static_cast<std::size_t>(rows * stride + 64));
            auto* packed = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(room.data()) + 63) / 64 * 64);
            kernels.pack(x.data(), rows, k, DType::bf16, packed);
            std::vector<float> out(static_cast<std::size_t>(rows * 1536));
            kernels.multiply({.x = packed,
                              .rows = rows,
                              .weight = w.tiles.data(),
                              .dtype = DType::bf16,
                              .k = k,
                              .bias = nullptr,
                              .out = out.data(),
                              .out_stride = 1536},
                             0, 1536);
            EXPECT_EQ(differences(out, tile_product(x, w, 0, 1536)), 0u) << rows << " rows of " << k;
            sums += rows * 1536;
        }
    EXPECT_GE(sums, 1'000'000);
}

TEST(AmxProcessor, MultipliesKeptWeightsAsTheModelDoes) {
    if (!has_amx()) GTEST_SKIP() << "this processor has no AMX-BF16, or the system keeps it from us";
    const auto by_processor = [](const MatmulTask& task, std::int64_t, std::int64_t first, std::int64_t last) {
        amx_kept_matmul()->multiply(task, first, last);
    };
    for (const DType dtype : kKept)
        for (const std::ptrdiff_t rows : {1, 2, 5, 16, 17}) {
            Numbers numbers(static_cast<std::uint64_t>(rows));
            const Stored w = stored_matrix(dtype, 100, 768, numbers);
            const std::vector<float> x = numbers.floats(rows * 768);
            EXPECT_TRUE(same_bits(kept_product(x, w, 0, 100, by_processor), kept_product(x, w, 0, 100, multiply_kept_by_model)))
                << name_of(dtype) << " " << rows;
        }
}

// As GoldenHashOfSomeProducts (precision_test.cpp): the bits of traces in this precision on processors with AMX.
TEST(AmxTiles, GoldenHash) {
    Numbers numbers(101);
    const Tiled w = tiled(112, 254, numbers);
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (const float value : tile_product(numbers.floats(13 * 254), w, 0, 112))
        hash = (hash ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001B3u;
    EXPECT_EQ(hash, 0xb3d8c4923d1413bcu) << std::hex << "0x" << hash;
}

} // namespace
} // namespace speclens::test
