// matmul and matmul_swiglu against plain double-precision loops, on sizes that are not round.
#include "tests/kernels/support.h"

namespace speclens::test {
namespace {

std::vector<double> reference(const std::vector<float>& x, const std::vector<float>& w, std::int64_t rows, std::int64_t n, std::int64_t k,
                              const std::vector<float>& bias = {}) {
    std::vector<double> out;
    for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::int64_t i = 0; i < k; ++i) {
                sum += static_cast<double>(x[static_cast<std::size_t>(row * k + i)]) *
                       static_cast<double>(w[static_cast<std::size_t>(j * k + i)]);
            }
            out.push_back(sum + (bias.empty() ? 0.0 : static_cast<double>(bias[static_cast<std::size_t>(j)])));
        }
    }
    return out;
}

struct Shape {
    int rows, n, k;
};

void check_matmul(Backend& backend, const Shape& shape, DType dtype) {
    SCOPED_TRACE(std::string(name_of(dtype)) + " rows " + std::to_string(shape.rows) + " n " + std::to_string(shape.n) + " k " +
                 std::to_string(shape.k));
    Numbers numbers(static_cast<std::uint64_t>(shape.rows * 31 + shape.n * 7 + shape.k));
    const std::vector<float> x = numbers.floats(static_cast<std::int64_t>(shape.rows) * shape.k);
    const std::vector<float> bias = numbers.floats(shape.n);
    const Weights weights = make_weights(backend, dtype, shape.n, shape.k, numbers);
    const Guarded input(backend, DType::f32, shape.rows, shape.k, x);
    const Guarded bias_row(backend, DType::f32, 1, shape.n, bias);
    const Guarded plain(backend, DType::f32, shape.rows, shape.n);
    const Guarded biased(backend, DType::f32, shape.rows, shape.n);
    const Projection parts[] = {{weights.buffer.view(), {}, plain}, {weights.buffer.view(), bias_row, biased}};
    backend.matmul(input, parts);

    const Tolerance tolerance = {.absolute = 2e-6 * std::sqrt(static_cast<double>(shape.k)) + 1e-6};
    EXPECT_TRUE(close(plain.floats(), reference(x, weights.values, shape.rows, shape.n, shape.k), tolerance));
    EXPECT_TRUE(close(biased.floats(), reference(x, weights.values, shape.rows, shape.n, shape.k, bias), tolerance));
    EXPECT_TRUE(plain.guards_intact());
    EXPECT_TRUE(biased.guards_intact());
}

TEST(Matmul, MatchesTheReferenceForEveryNumberOfRows) {
    on_every_backend([](Backend& backend) {
        for (int rows = 1; rows <= 18; ++rows) check_matmul(backend, {rows, 37, 65}, DType::bf16);
        for (int rows = 1; rows <= 9; ++rows) check_matmul(backend, {rows, 37, 65}, DType::f32);
    });
}

TEST(Matmul, MatchesTheReferenceWithTiledWeights) {
    on_every_backend([](Backend& backend) {
        // Rows of the matrix divide by 16 and columns by 2: the fast path, with every width of a last block.
        for (int rows = 1; rows <= 18; ++rows) check_matmul(backend, {rows, 80, 66}, DType::bf16);
        for (int n : {16, 32, 48, 96, 128, 144, 240, 1008}) check_matmul(backend, {1, n, 34}, DType::bf16);
        for (int n : {16, 48, 112, 240}) check_matmul(backend, {8, n, 34}, DType::bf16);
        for (int k : {2, 4, 14, 30, 32, 62, 96, 1000}) check_matmul(backend, {5, 48, k}, DType::bf16);
        // A GPU's tiles are sixteen columns wide.
        for (int rows : {1, 3, 8, 9, 16, 17, 33, 64}) check_matmul(backend, {rows, 80, 160}, DType::bf16);
        for (int n : {16, 32, 48, 240}) check_matmul(backend, {2, n, 64}, DType::bf16);
        for (int k : {16, 48, 128, 144, 1040}) check_matmul(backend, {5, 32, k}, DType::bf16);
        check_matmul(backend, {3, 8224, 16}, DType::bf16);  // wide enough for two tiles per warp
        check_matmul(backend, {16, 8224, 16}, DType::bf16); // and for every row of a wide pass
        check_matmul(backend, {20, 8224, 16}, DType::bf16);
        EXPECT_TRUE(backend.import_weight(std::vector<std::uint16_t>(256).data(), DType::bf16, 16, 16).view().tiled);
    });
}

TEST(Matmul, MatchesTheReferenceOnUnroundSizes) {
    on_every_backend([](Backend& backend) {
        for (DType dtype : {DType::bf16, DType::f32}) {
            for (int n : {1, 31, 33, 96, 1000}) check_matmul(backend, {3, n, 96}, dtype);
            for (int k : {1, 2, 15, 16, 17, 31, 33, 63, 96, 127, 1000}) check_matmul(backend, {5, 33, k}, dtype);
        }
    });
}

TEST(Matmul, MatchesTheReferenceForAPrefillThatSpansPanels) {
    on_every_backend([](Backend& backend) {
        check_matmul(backend, {77, 130, 1024}, DType::bf16);
        check_matmul(backend, {77, 144, 1024}, DType::bf16);
        check_matmul(backend, {512, 80, 48}, DType::bf16);
        check_matmul(backend, {512, 24, 33}, DType::f32);
    });
}

TEST(Matmul, MixesWeightTypesInOneLaunch) {
    on_every_backend([](Backend& backend) {
        Numbers numbers(5);
        const std::vector<float> x = numbers.floats(2 * 48);
        const Guarded input(backend, DType::f32, 2, 48, x);
        const Weights a = make_weights(backend, DType::bf16, 9, 48, numbers);
        const Weights b = make_weights(backend, DType::f32, 17, 48, numbers);
        const Weights c = make_weights(backend, DType::bf16, 32, 48, numbers);
        const Guarded out_a(backend, DType::f32, 2, 9);
        const Guarded out_b(backend, DType::f32, 2, 17);
        const Guarded out_c(backend, DType::f32, 2, 32);
        const Guarded out_d(backend, DType::f32, 2, 32);
        const Projection parts[] = {
            {a.buffer.view(), {}, out_a}, {b.buffer.view(), {}, out_b}, {c.buffer.view(), {}, out_c}, {c.buffer.view(), {}, out_d}};
        backend.matmul(input, parts);
        EXPECT_TRUE(close(out_a.floats(), reference(x, a.values, 2, 9, 48)));
        EXPECT_TRUE(close(out_b.floats(), reference(x, b.values, 2, 17, 48)));
        EXPECT_TRUE(close(out_c.floats(), reference(x, c.values, 2, 32, 48)));
        EXPECT_TRUE(same_bits(out_c.floats(), out_d.floats()));
        for (const Guarded* out : {&out_a, &out_b, &out_c, &out_d}) EXPECT_TRUE(out->guards_intact());
    });
}

TEST(Matmul, ReadsARowSliceOfAWeightMatrix) {
    on_every_backend([](Backend& backend) {
        Numbers numbers(6);
        const std::vector<float> x = numbers.floats(33);
        const Guarded input(backend, DType::f32, 1, 33, x);
        const Weights w = make_weights(backend, DType::bf16, 40, 33, numbers);
        const Guarded all(backend, DType::f32, 1, 40);
        const Guarded some(backend, DType::f32, 1, 11);
        const Projection whole[] = {{w.buffer.view(), {}, all}};
        const Projection sliced[] = {{w.buffer.view().slice(13, 11), {}, some}};
        backend.matmul(input, whole);
        backend.matmul(input, sliced);
        const std::vector<float> expected = all.floats();
        EXPECT_TRUE(same_bits(some.floats(), {expected.begin() + 13, expected.begin() + 24}));
    });
}

TEST(Matmul, ReadsASliceOfWholeTiles) {
    on_every_backend([](Backend& backend) {
        Numbers numbers(7);
        const Guarded input(backend, DType::f32, 3, 34, numbers.floats(3 * 34));
        const Weights w = make_weights(backend, DType::bf16, 64, 34, numbers);
        const Guarded all(backend, DType::f32, 3, 64);
        const Guarded some(backend, DType::f32, 3, 32);
        const Projection whole[] = {{w.buffer.view(), {}, all}};
        const Projection sliced[] = {{w.buffer.view().slice(16, 32), {}, some}};
        backend.matmul(input, whole);
        backend.matmul(input, sliced);
        const std::vector<float> expected = all.floats(), got = some.floats();
        for (std::ptrdiff_t row = 0; row < 3; ++row) {
            const auto begin = expected.begin() + row * 64 + 16;
            EXPECT_TRUE(same_bits<float>({got.begin() + row * 32, got.begin() + row * 32 + 32}, {begin, begin + 32}));
        }
    });
}

TEST(Matmul, LetsANanThroughOnlyToItsOwnRow) {
    on_every_backend([](Backend& backend) {
        Numbers numbers(8);
        std::vector<float> x = numbers.floats(9 * 40);
        x[4 * 40 + 39] = std::nanf("");
        const Guarded input(backend, DType::f32, 9, 40, x);
        const Weights w = make_weights(backend, DType::bf16, 20, 40, numbers);
        const Guarded out(backend, DType::f32, 9, 20);
        const Projection parts[] = {{w.buffer.view(), {}, out}};
        backend.matmul(input, parts);
        const std::vector<float> values = out.floats();
        for (std::size_t i = 0; i < values.size(); ++i) EXPECT_EQ(std::isnan(values[i]), i / 20 == 4) << i;
    });
}

TEST(MatmulSwiglu, MatchesTheReference) {
    const Shape shapes[] = {{1, 1, 33}, {1, 96, 64},  {3, 31, 17},   {8, 33, 96},   {17, 100, 48}, {70, 45, 64},
                            {1, 16, 2}, {8, 272, 48}, {33, 160, 64}, {512, 48, 32}, {12, 32, 144}};
    on_every_backend([&](Backend& backend) {
        for (DType dtype : {DType::bf16, DType::f32}) {
            for (const Shape& shape : shapes) {
                SCOPED_TRACE(std::string(name_of(dtype)) + " rows " + std::to_string(shape.rows) + " f " + std::to_string(shape.n) + " k " +
                             std::to_string(shape.k));
                Numbers numbers(11);
                const std::vector<float> x = numbers.floats(static_cast<std::int64_t>(shape.rows) * shape.k, -2, 2);
                const Guarded input(backend, DType::f32, shape.rows, shape.k, x);
                const Weights gate = make_weights(backend, dtype, shape.n, shape.k, numbers);
                const Weights up = make_weights(backend, dtype, shape.n, shape.k, numbers);
                const Guarded out(backend, DType::f32, shape.rows, shape.n);
                backend.matmul_swiglu(input, gate.buffer.view(), up.buffer.view(), out);

                std::vector<double> want = reference(x, gate.values, shape.rows, shape.n, shape.k);
                const std::vector<double> ups = reference(x, up.values, shape.rows, shape.n, shape.k);
                for (std::size_t i = 0; i < want.size(); ++i) want[i] = want[i] / (1 + std::exp(-want[i])) * ups[i];
                EXPECT_TRUE(close(out.floats(), want, {.absolute = 1e-4, .relative = 1e-5, .normalised_mse = 1e-11}));
                EXPECT_TRUE(out.guards_intact());
            }
        }
    });
}

TEST(MatmulSwiglu, SaturatesWithoutOverflow) {
    on_every_backend([](Backend& backend) {
        const std::vector<float> big = {300.0f, -300.0f, 20.0f, -20.0f};
        const std::vector<float> ones(4, 1.0f);
        const Guarded input(backend, DType::f32, 1, 1, std::vector<float>{1.0f});
        const Buffer gate = backend.import_weight(big.data(), DType::f32, 4, 1);
        const Buffer up = backend.import_weight(ones.data(), DType::f32, 4, 1);
        const Guarded out(backend, DType::f32, 1, 4);
        backend.matmul_swiglu(input, gate.view(), up.view(), out);
        EXPECT_TRUE(close(out.floats(), {300.0, 0.0, 20.0 / (1 + std::exp(-20.0)), -20.0 / (1 + std::exp(20.0))}));
    });
}

} // namespace
} // namespace speclens::test
