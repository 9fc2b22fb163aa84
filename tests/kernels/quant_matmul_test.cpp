// Products with weights kept quantised on the CPU: the bits of a plain scalar chain over the widened numbers.
#include <algorithm>
#include <array>

#include "kernels/cpu/quant_tiles.h"
#include "kernels/error.h"
#include "kernels/quant.h"
#include "tests/kernels/quant_support.h"

namespace speclens::test {
namespace {

std::string text_of(Isa isa, DType dtype) { return std::string(name_of(isa)) + " " + name_of(dtype); }

template <class Check>
void for_every_kept_type(const Check& check) {
    for (const Isa isa : available_isas())
        for (const DType dtype : kKept) {
            SCOPED_TRACE(text_of(isa, dtype));
            check(isa, dtype);
        }
}

TEST(QuantMatmul, GivesTheBitsOfAPlainChainForEveryNumberOfRowsAndThreads) {
    for_every_kept_type([](Isa isa, DType dtype) {
        Numbers numbers(17);
        constexpr std::int64_t kOutputs = 100, kCols = 768; // a last tile of four rows; more than one panel
        const Stored w = stored_matrix(dtype, kOutputs, kCols, numbers);
        const std::vector<float> x = numbers.floats(24 * kCols), bias = numbers.floats(kOutputs);
        const std::vector<float> plain = chains(isa, x, w, 0, kOutputs), biased = chains(isa, x, w, 0, kOutputs, bias);
        for (const int threads : {1, 2, 5}) {
            const std::unique_ptr<Backend> backend = cpu_backend(isa, threads);
            const Buffer weight = w.in(*backend);
            for (int rows = 1; rows <= 24; ++rows) {
                const std::vector<float> some(x.begin(), x.begin() + rows * kCols);
                const auto count = static_cast<std::ptrdiff_t>(rows * kOutputs);
                EXPECT_TRUE(same_bits(product(*backend, some, weight.view()), {plain.begin(), plain.begin() + count}))
                    << rows << " rows, " << threads << " threads";
                EXPECT_TRUE(same_bits(product(*backend, some, weight.view(), bias), {biased.begin(), biased.begin() + count}))
                    << rows << " rows with a bias, " << threads << " threads";
            }
        }
    });
}

TEST(QuantMatmul, GivesTheBitsOfAPlainChainForEveryWidthAndDepth) {
    for_every_kept_type([](Isa isa, DType dtype) {
        const std::unique_ptr<Backend> backend = cpu_backend(isa, 1);
        const std::int64_t values = block_of(dtype).values;
        for (const std::int64_t n : {1, 15, 16, 17, 32, 48, 63, 64, 80, 96, 112, 128, 129, 240})
            for (const std::int64_t k : {values, 3 * values, 1280 / values * values}) {
                Numbers numbers(static_cast<std::uint64_t>(n * 31 + k));
                const Stored w = stored_matrix(dtype, n, k, numbers);
                const Buffer weight = w.in(*backend);
                for (const int rows : {1, 3, 5, 11}) {
                    const std::vector<float> x = numbers.floats(rows * k);
                    EXPECT_TRUE(same_bits(product(*backend, x, weight.view()), chains(isa, x, w, 0, n)))
                        << rows << " x " << n << " x " << k;
                }
            }
    });
}

// A long prompt: more rows than the last tile's own buffer has, and a share of every thread.
TEST(QuantMatmul, GivesTheBitsOfAPlainChainInAPrefill) {
    for_every_kept_type([](Isa isa, DType dtype) {
        Numbers numbers(19);
        const Stored w = stored_matrix(dtype, 90, 512, numbers);
        const std::vector<float> x = numbers.floats(150 * 512), bias = numbers.floats(90);
        const std::unique_ptr<Backend> backend = cpu_backend(isa, 3);
        const Buffer weight = w.in(*backend);
        EXPECT_TRUE(same_bits(product(*backend, x, weight.view(), bias), chains(isa, x, w, 0, 90, bias)));
    });
}

// Scales as small and as large as f16 has them, negative ones and zeros of either sign.
TEST(QuantMatmul, KeepsTheBitsOfExtremeScales) {
    for_every_kept_type([](Isa isa, DType dtype) {
        Numbers numbers(23);
        constexpr std::array<std::uint16_t, 8> kScales = {0x0001, 0x83FF, 0x0000, 0x8000, 0x7BFF, 0xFBFF, 0x0400, 0x3C00};
        std::size_t at = 0;
        const Stored w = stored_matrix(dtype, 48, 2 * block_of(dtype).values, numbers,
                                       [&](int i) { return kScales[(++at + static_cast<std::size_t>(i)) % kScales.size()]; });
        const std::vector<float> x = numbers.floats(10 * w.cols);
        const std::unique_ptr<Backend> backend = cpu_backend(isa, 1);
        const Buffer weight = w.in(*backend);
        for (const int rows : {1, 10}) {
            const std::vector<float> some(x.begin(), x.begin() + rows * w.cols);
            EXPECT_TRUE(same_bits(product(*backend, some, weight.view()), chains(isa, some, w, 0, 48))) << rows << " rows";
        }
    });
}

TEST(QuantMatmul, ReadsASliceOfWholeTilesAndTheEnd) {
    for_every_kept_type([](Isa isa, DType dtype) {
        Numbers numbers(29);
        const Stored w = stored_matrix(dtype, 72, 256, numbers);
        const std::vector<float> x = numbers.floats(3 * 256);
        const std::unique_ptr<Backend> backend = cpu_backend(isa);
        const Buffer weight = w.in(*backend);
        EXPECT_TRUE(same_bits(product(*backend, x, weight.view().slice(16, 32)), chains(isa, x, w, 16, 32)));
        EXPECT_TRUE(same_bits(product(*backend, x, weight.view().slice(48, 24)), chains(isa, x, w, 48, 24)));
        EXPECT_TRUE(same_bits(product(*backend, x, weight.view().slice(16, 56).slice(48, 8)), chains(isa, x, w, 64, 8)));
        EXPECT_DEATH((void)weight.view().slice(16, 24), "cuts a tile");
        EXPECT_DEATH((void)weight.view().slice(8, 64), "cuts a tile");
    });
}

// The f16 scales are powers of two and the small ones too: every number is a bf16, which the bf16 tiles multiply with.
Stored exact_in_bf16(DType dtype, std::int64_t rows, std::int64_t cols, Numbers& numbers) {
    const QuantLayout& layout = *quant_layout(dtype);
    Stored w = stored_matrix(dtype, rows, cols, numbers, [&](int i) {
        return static_cast<std::uint16_t>(i == 1 ? 0 : 0x1400 + ((numbers.bits() & 3) << 10)); // 2^-10 to 2^-7, m = 0
    });
    for (std::size_t at = 0; at < w.bytes.size(); at += static_cast<std::size_t>(layout.bytes))
        for (int i = 0; i < 4 * layout.words; ++i)
            w.bytes[at + static_cast<std::size_t>(layout.word_at + i)] = static_cast<std::byte>(dtype == DType::q4_k ? 1 : 4);
    widen(dtype, w.bytes.data(), rows * cols, w.values.data());
    for (const float value : w.values) EXPECT_EQ(from_bf16(to_bf16(value)), value);
    return w;
}
Buffer as_bf16(Backend& backend, const Stored& w) {
    std::vector<std::uint16_t> bits(w.values.size());
    std::ranges::transform(w.values, bits.begin(), to_bf16);
    return backend.import_weight(bits.data(), DType::bf16, w.rows, w.cols);
}

TEST(QuantMatmul, GivesTheBitsOfTheSameNumbersInTilesOfBf16) {
    for_every_kept_type([](Isa isa, DType dtype) {
        Numbers numbers(31);
        const Stored w = exact_in_bf16(dtype, 80, 512, numbers);
        const std::unique_ptr<Backend> backend = cpu_backend(isa);
        const Buffer kept = w.in(*backend), wide = as_bf16(*backend, w);
        ASSERT_TRUE(wide.view().tiled);
        for (const int rows : {1, 2, 4, 8, 9, 16, 33}) {
            const std::vector<float> x = numbers.floats(rows * 512);
            EXPECT_TRUE(same_bits(product(*backend, x, kept.view()), product(*backend, x, wide.view()))) << rows << " rows";
        }
    });
}

TEST(QuantMatmul, MixesWeightTypesInOneLaunch) {
    for (const Isa isa : available_isas()) {
        SCOPED_TRACE(name_of(isa));
        Numbers numbers(37);
        const std::unique_ptr<Backend> backend = cpu_backend(isa);
        const std::vector<float> x = numbers.floats(2 * 256);
        const Guarded input(*backend, DType::f32, 2, 256, x);
        const Stored a = stored_matrix(DType::q4_k, 40, 256, numbers), b = stored_matrix(DType::q6_k, 16, 256, numbers);
        const Weights c = make_weights(*backend, DType::bf16, 32, 256, numbers), d = make_weights(*backend, DType::f32, 9, 256, numbers),
                      e = make_weights(*backend, DType::bf16, 9, 256, numbers);
        const Buffer kept_a = a.in(*backend), kept_b = b.in(*backend);
        const Tensor weights[] = {kept_a.view(), d.buffer.view(), kept_b.view(), c.buffer.view(), e.buffer.view(), kept_a.view()};
        std::vector<Guarded> outs;
        std::vector<Projection> parts;
        for (const Tensor& weight : weights) outs.emplace_back(*backend, DType::f32, 2, weight.rows);
        for (std::size_t i = 0; i < outs.size(); ++i) parts.push_back({weights[i], {}, outs[i]});
        backend->matmul(input, parts);
        for (std::size_t i = 0; i < outs.size(); ++i) {
            EXPECT_TRUE(same_bits(outs[i].floats(), product(*backend, x, weights[i]))) << i;
            EXPECT_TRUE(outs[i].guards_intact());
        }
    }
}

// Files of several types store gate and up differently.
TEST(QuantMatmul, GateAndUpMayBeOfDifferentTypes) {
    for (const Isa isa : available_isas()) {
        SCOPED_TRACE(name_of(isa));
        Numbers numbers(41);
        const std::unique_ptr<Backend> backend = cpu_backend(isa);
        for (const std::int64_t f : {208, 100}) {
            const Stored a = exact_in_bf16(DType::q4_k, f, 256, numbers), b = exact_in_bf16(DType::q6_k, f, 256, numbers);
            const Buffer kept_a = a.in(*backend), kept_b = b.in(*backend);
            const Buffer wide_a = as_bf16(*backend, a), wide_b = as_bf16(*backend, b);
            const Buffer f32_b = backend->import_weight(b.values.data(), DType::f32, f, 256);
            for (const int rows : {1, 5, 20}) {
                const Guarded x(*backend, DType::f32, rows, 256, numbers.floats(rows * 256));
                const auto swiglu = [&](const Buffer& gate, const Buffer& up) {
                    const Guarded out(*backend, DType::f32, rows, f);
                    backend->matmul_swiglu(x, gate.view(), up.view(), out);
                    EXPECT_TRUE(out.guards_intact());
                    return out.floats();
                };
                const std::vector<float> kept = swiglu(kept_a, kept_b), wide = swiglu(wide_a, wide_b);
                if (f % kTiledRows == 0) {
                    EXPECT_TRUE(same_bits(kept, wide)) << rows << " rows";
                    EXPECT_TRUE(same_bits(swiglu(wide_a, kept_b), wide)) << rows << " rows";
                    EXPECT_TRUE(same_bits(swiglu(kept_a, wide_b), wide)) << rows << " rows";
                }
                const std::vector<double> want(wide.begin(), wide.end());
                EXPECT_TRUE(close(kept, want)) << rows << " rows";
                EXPECT_TRUE(close(swiglu(kept_a, f32_b), want)) << rows << " rows";
                EXPECT_TRUE(close(swiglu(wide_a, f32_b), want)) << rows << " rows";
            }
        }
    }
}

TEST(QuantWeights, EmbedReadsRowsOutOfTheTiles) {
    const std::unique_ptr<Backend> backend = make_backend("cpu");
    for (const DType dtype : kKept) {
        SCOPED_TRACE(name_of(dtype));
        Numbers numbers(43);
        const Stored table = stored_matrix(dtype, 37, 512, numbers);
        const Buffer weight = table.in(*backend);
        const std::vector<std::int32_t> ids = {0, 36, 15, 16, 31, 32, 7, 7};
        const Guarded index(*backend, DType::i32, 1, 8, ids), out(*backend, DType::f32, 8, 512);
        backend->embed(weight.view(), index, out);
        std::vector<float> want;
        for (const std::int32_t id : ids) want.insert(want.end(), table.values.begin() + id * 512, table.values.begin() + (id + 1) * 512);
        EXPECT_TRUE(same_bits(out.floats(), want));
        EXPECT_TRUE(out.guards_intact());
    }
}

TEST(QuantWeights, GatherRowsIntoAnotherWeight) {
    const std::unique_ptr<Backend> backend = make_backend("cpu");
    for (const DType dtype : kKept) {
        SCOPED_TRACE(name_of(dtype));
        Numbers numbers(47);
        const Stored table = stored_matrix(dtype, 37, 256, numbers);
        const Buffer weight = table.in(*backend);
        std::vector<std::int32_t> ids;
        for (int i = 0; i < 21; ++i) ids.push_back((i * 11 + 5) % 37);
        const Guarded index(*backend, DType::i32, 1, 21, ids);
        const Buffer rows = backend->allocate_weight(dtype, 21, 256);
        backend->gather_rows(weight.view(), index, rows.view());
        const std::vector<float> x = numbers.floats(2 * 256), some = product(*backend, x, rows.view()),
                                 all = product(*backend, x, weight.view());
        for (std::size_t row = 0; row < 2; ++row)
            for (std::size_t i = 0; i < ids.size(); ++i)
                EXPECT_EQ(some[row * 21 + i], all[row * 37 + static_cast<std::size_t>(ids[i])]) << row << " " << i;
        const Guarded plain(*backend, DType::f32, 21, 256);
        EXPECT_DEATH(backend->gather_rows(weight.view(), index, plain), "gather_rows");
    }
}

TEST(QuantWeights, TakeTheBytesOfTheFileAndWholeTiles) {
    const std::unique_ptr<Backend> backend = make_backend("cpu");
    for (const DType dtype : kKept) {
        SCOPED_TRACE(name_of(dtype));
        for (const std::int64_t rows : {16, 576, 600, 1000}) {
            const Buffer weight = backend->allocate_weight(dtype, rows, 512);
            EXPECT_TRUE(weight.view().tiled);
            EXPECT_EQ(weight.view().dtype, dtype);
            EXPECT_EQ(weight.bytes(), bytes_of(dtype, (rows + 15) / 16 * 16 * 512));
            if (rows >= 576) {
                EXPECT_LE(static_cast<double>(weight.bytes()), 1.05 * static_cast<double>(bytes_of(dtype, rows * 512)));
            }
            EXPECT_EQ(weight.view().slice(16 * (rows / 32), rows - 16 * (rows / 32)).bytes() +
                          weight.view().slice(0, 16 * (rows / 32)).bytes(),
                      weight.bytes());
        }
    }
}

TEST(QuantWeights, ImportInPiecesLikeAtOnceAndComeBackAsTheyWere) {
    const std::unique_ptr<Backend> backend = make_backend("cpu");
    for (const DType dtype : kKept) {
        SCOPED_TRACE(name_of(dtype));
        Numbers numbers(53);
        const Stored w = stored_matrix(dtype, 75, 256, numbers);
        const Buffer whole = w.in(*backend), pieces = backend->allocate_weight(dtype, 75, 256);
        const std::size_t row = bytes_of(dtype, 256);
        for (std::int64_t first = 0; first < 75; first += 32) {
            std::vector<std::byte> odd(1); // no more than bytes: the file need not align its tensors
            const std::int64_t count = std::min<std::int64_t>(32, 75 - first);
            const auto begin = w.bytes.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(first) * row);
            odd.insert(odd.end(), begin, begin + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(count) * row));
            backend->import_weight(pieces.view().slice(first, count), dtype, odd.data() + 1);
        }
        EXPECT_EQ(std::memcmp(whole.view().data, pieces.view().data, whole.bytes()), 0);
        std::vector<std::byte> back(row);
        for (std::int64_t at = 0; at < 75; ++at) {
            row_of_quant_tiles(*quant_layout(dtype), static_cast<const std::byte*>(whole.view().data), 256, at, back.data());
            EXPECT_EQ(std::memcmp(back.data(), w.bytes.data() + static_cast<std::size_t>(at) * row, row), 0) << at;
        }
    }
}

TEST(QuantWeights, AreKeptWhereTheBackendMultipliesWithThem) {
    const std::unique_ptr<Backend> backend = make_backend("cpu");
    for (const DType dtype : {DType::bf16, DType::f16, DType::f32}) EXPECT_TRUE(backend->keeps(dtype, 33));
    for (const DType dtype : kKept) {
        const std::int64_t values = block_of(dtype).values;
        EXPECT_TRUE(backend->keeps(dtype, values) && backend->keeps(dtype, 18 * values)) << name_of(dtype);
        EXPECT_FALSE(backend->keeps(dtype, values + 1) || backend->keeps(dtype, values / 2)) << name_of(dtype);
    }
    for (const DType dtype : {DType::q2_k, DType::q3_k, DType::q5_1, DType::q5_k, DType::i32, DType::u8})
        EXPECT_FALSE(backend->keeps(dtype, 512)) << name_of(dtype);
    try {
        (void)backend->allocate_weight(DType::q2_k, 16, 256);
        ADD_FAILURE() << "no error";
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()), "the backend cpu cannot multiply with a matrix of 256 columns stored as Q2_K");
        EXPECT_EQ(error.remedy(), "Load it as bf16: --weights bf16.");
        EXPECT_EQ(error.code(), Exit::device);
    }
    EXPECT_THROW((void)backend->allocate_weight(DType::q4_k, 16, 128), Error);
}

} // namespace
} // namespace speclens::test
