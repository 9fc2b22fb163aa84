// softmax, argmax, top_k, gather_rows and move_slots against plain loops, with ties and NaN.
#include <algorithm>
#include <numeric>

#include "tests/kernels/support.h"

namespace speclens::test {
namespace {

const float kNan = std::nanf("");
const float kInf = INFINITY;

std::vector<double> softmax_reference(const std::vector<float>& logits, std::int64_t n, double temperature) {
    std::vector<double> out;
    for (std::size_t row = 0; row < logits.size(); row += static_cast<std::size_t>(n)) {
        const auto begin = logits.begin() + static_cast<std::ptrdiff_t>(row);
        const double max = *std::max_element(begin, begin + n);
        double sum = 0;
        for (auto it = begin; it != begin + n; ++it) sum += std::exp((*it - max) / temperature);
        for (auto it = begin; it != begin + n; ++it) out.push_back(std::exp((*it - max) / temperature) / sum);
    }
    return out;
}

std::vector<float> softmax(Backend& backend, const std::vector<float>& logits, std::int64_t n, float temperature) {
    const auto rows = static_cast<std::int64_t>(logits.size()) / n;
    const Guarded in(backend, DType::f32, rows, n, logits);
    const Guarded out(backend, DType::f32, rows, n);
    backend.softmax(in, temperature, out);
    EXPECT_TRUE(out.guards_intact());
    backend.softmax(in, temperature, in); // in place gives the same
    EXPECT_TRUE(same_bits(in.floats(), out.floats()) || std::isnan(out.floats()[0]));
    return out.floats();
}

TEST(Softmax, MatchesTheReference) {
    on_every_backend([](Backend& backend) {
        for (int n : {1, 31, 33, 96, 1000, 20000}) {
            for (float temperature : {1.0f, 0.1f, 0.7f, 3.0f}) {
                SCOPED_TRACE("n " + std::to_string(n) + " temperature " + std::to_string(temperature));
                Numbers numbers(static_cast<std::uint64_t>(n));
                const std::vector<float> logits = numbers.floats(3 * n, -20, 20);
                EXPECT_TRUE(close(softmax(backend, logits, n, temperature), softmax_reference(logits, n, temperature),
                                  {.absolute = 1e-9, .relative = 4e-5, .normalised_mse = 1e-10}));
            }
        }
    });
}

TEST(Softmax, ExponentialIsAccurateToAFewUnitsInTheLastPlace) {
    on_every_backend([](Backend& backend) {
        std::vector<float> logits;
        for (float x = 0; x > -86.5f; x -= 0.0137f) logits.insert(logits.end(), {0, x});
        const std::vector<float> p = softmax(backend, logits, 2, 1);
        for (std::size_t i = 0; i < p.size(); i += 2) {
            const double ratio = static_cast<double>(p[i + 1]) / static_cast<double>(p[i]);
            ASSERT_NEAR(ratio / std::exp(static_cast<double>(logits[i + 1])), 1, 4e-7) << logits[i + 1];
        }
    });
}

TEST(Softmax, GivesMaskedAndHopelessEntriesExactlyZero) {
    on_every_backend([](Backend& backend) {
        std::vector<float> logits(35, -kInf);
        logits[3] = 1000;
        logits[20] = 1000;
        logits[34] = 900; // e^-100 of the largest
        const std::vector<float> p = softmax(backend, logits, 35, 1);
        for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(p[i], i == 3 || i == 20 ? 0.5f : 0.0f) << i;
    });
}

TEST(Softmax, BecomesOneHotForATinyTemperature) {
    on_every_backend([](Backend& backend) {
        std::vector<float> logits(40, 1.0f);
        logits[39] = 1.001f;
        const std::vector<float> p = softmax(backend, logits, 40, 1e-6f);
        for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(p[i], i == 39 ? 1.0f : 0.0f) << i;
    });
}

TEST(Softmax, ShowsANanInItsWholeRowAndInNoOther) {
    on_every_backend([](Backend& backend) {
        for (std::size_t place : {std::size_t{0}, std::size_t{17}, std::size_t{36}}) {
            std::vector<float> logits(3 * 37, 0.5f);
            logits[37 + place] = kNan;
            const Guarded in(backend, DType::f32, 3, 37, logits);
            const Guarded out(backend, DType::f32, 3, 37);
            backend.softmax(in, 1, out);
            const std::vector<float> p = out.floats();
            for (std::size_t i = 0; i < p.size(); ++i) EXPECT_EQ(std::isnan(p[i]), i / 37 == 1) << i;
        }
    });
}

std::vector<std::int32_t> argmax(Backend& backend, const std::vector<float>& values, std::int64_t n) {
    const auto rows = static_cast<std::int64_t>(values.size()) / n;
    const Guarded in(backend, DType::f32, rows, n, values);
    const Guarded ids(backend, DType::i32, 1, rows);
    backend.argmax(in, ids);
    EXPECT_TRUE(ids.guards_intact());
    return ids.values<std::int32_t>();
}

TEST(Argmax, FindsTheLargestAnywhere) {
    on_every_backend([](Backend& backend) {
        for (int n : {1, 31, 33, 96, 1000, 9000}) {
            for (int place = 0; place < n; place += 1 + n / 50) {
                std::vector<float> values = Numbers(9).floats(n);
                values[static_cast<std::size_t>(place)] = 2;
                EXPECT_EQ(argmax(backend, values, n), std::vector<std::int32_t>{place}) << "n " << n;
            }
        }
    });
}

TEST(Argmax, BreaksTiesByTheLowestIndex) {
    on_every_backend([](Backend& backend) {
        std::vector<float> values(100, -1.0f);
        values[99] = values[98] = values[50] = values[33] = 3;
        EXPECT_EQ(argmax(backend, values, 100), std::vector<std::int32_t>{33});
        EXPECT_EQ(argmax(backend, std::vector<float>(100, 0.25f), 100), std::vector<std::int32_t>{0});
        values.assign(100, -1.0f);
        values[40] = -0.0f;
        values[60] = 0.0f;
        EXPECT_EQ(argmax(backend, values, 100), std::vector<std::int32_t>{40});
    });
}

TEST(Argmax, TreatsNanAsMinusInfinity) {
    on_every_backend([](Backend& backend) {
        for (std::size_t place : {std::size_t{0}, std::size_t{5}, std::size_t{34}}) {
            std::vector<float> values(35, -2.0f);
            values[place] = kNan;
            values[21] = -1;
            EXPECT_EQ(argmax(backend, values, 35), std::vector<std::int32_t>{21});
        }
        EXPECT_EQ(argmax(backend, std::vector<float>(35, kNan), 35), std::vector<std::int32_t>{0});
        EXPECT_EQ(argmax(backend, std::vector<float>(35, -kInf), 35), std::vector<std::int32_t>{0});
    });
}

void check_top_k(Backend& backend, const std::vector<float>& values, std::int64_t n, int k) {
    SCOPED_TRACE("n " + std::to_string(n) + " k " + std::to_string(k));
    const auto rows = static_cast<std::int64_t>(values.size()) / n;
    const Guarded in(backend, DType::f32, rows, n, values);
    const Guarded ids(backend, DType::i32, rows, k);
    const Guarded best(backend, DType::f32, rows, k);
    backend.top_k(in, k, ids, best);
    std::vector<std::int32_t> want_ids;
    std::vector<float> want;
    for (std::int64_t row = 0; row < rows; ++row) {
        std::vector<float> clean(values.begin() + row * n, values.begin() + (row + 1) * n);
        for (float& value : clean) {
            if (std::isnan(value)) value = -kInf;
        }
        std::vector<std::int32_t> order(static_cast<std::size_t>(n));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
            return clean[static_cast<std::size_t>(a)] > clean[static_cast<std::size_t>(b)];
        });
        for (int i = 0; i < k; ++i) {
            want_ids.push_back(order[static_cast<std::size_t>(i)]);
            want.push_back(clean[static_cast<std::size_t>(want_ids.back())]);
        }
    }
    EXPECT_EQ(ids.values<std::int32_t>(), want_ids);
    EXPECT_TRUE(same_bits(best.floats(), want));
    EXPECT_TRUE(ids.guards_intact());
    EXPECT_TRUE(best.guards_intact());
}

TEST(TopK, MatchesAStableSort) {
    on_every_backend([](Backend& backend) {
        for (int n : {1, 31, 33, 96, 1000}) {
            const std::vector<float> values = Numbers(13).floats(3 * n);
            for (int k : {1, 2, 5, 31, 64, n}) {
                if (k <= n) check_top_k(backend, values, n, k);
            }
        }
    });
}

TEST(TopK, KeepsTheLowestIndicesOfManyTies) {
    on_every_backend([](Backend& backend) {
        std::vector<float> values = Numbers(14).floats(500);
        for (float& value : values) value = std::floor(value * 3); // six different values
        for (int k : {1, 7, 64, 300, 500}) check_top_k(backend, values, 500, k);
        check_top_k(backend, std::vector<float>(77, 1.0f), 77, 20);
    });
}

TEST(TopK, SurvivesTheWorstOrderAndNan) {
    on_every_backend([](Backend& backend) {
        std::vector<float> rising(1000);
        std::iota(rising.begin(), rising.end(), 0.0f);
        check_top_k(backend, rising, 1000, 64);
        std::vector<float> values = Numbers(15).floats(200);
        for (std::size_t i = 0; i < values.size(); i += 3) values[i] = kNan;
        check_top_k(backend, values, 200, 10);
        check_top_k(backend, values, 200, 190);
    });
}

TEST(GatherRows, CopiesTheRowsAskedFor) {
    on_every_backend([](Backend& backend) {
        const std::vector<float> values = Numbers(16).floats(6 * 33);
        const Guarded in(backend, DType::f32, 6, 33, values);
        const std::vector<std::int32_t> rows = {5, 0, 5};
        const Guarded indices(backend, DType::i32, 1, 3, rows);
        const Guarded out(backend, DType::f32, 3, 33);
        backend.gather_rows(in, indices, out);
        std::vector<float> want;
        for (std::int32_t row : rows) want.insert(want.end(), values.begin() + row * 33, values.begin() + row * 33 + 33);
        EXPECT_TRUE(same_bits(out.floats(), want));
        EXPECT_TRUE(out.guards_intact());
    });
}

TEST(MoveSlots, MovesInOrderSoThatAPathCanBeCompactedInPlace) {
    on_every_backend([](Backend& backend) {
        const std::vector<float> k = Numbers(17).floats(10 * 8), v = Numbers(18).floats(10 * 8);
        const Guarded k_cache(backend, DType::f32, 10, 8, k), v_cache(backend, DType::f32, 10, 8, v);
        const int from[] = {4, 6, 9}, to[] = {4, 5, 6};
        backend.move_slots({k_cache, v_cache}, from, to);
        std::vector<float> want_k = k, want_v = v;
        for (int i = 0; i < 3; ++i) {
            std::copy_n(k.begin() + from[i] * 8, 8, want_k.begin() + to[i] * 8);
            std::copy_n(v.begin() + from[i] * 8, 8, want_v.begin() + to[i] * 8);
        }
        EXPECT_TRUE(same_bits(k_cache.floats(), want_k));
        EXPECT_TRUE(same_bits(v_cache.floats(), want_v));
        EXPECT_TRUE(k_cache.guards_intact());
        EXPECT_TRUE(v_cache.guards_intact());
    });
}

} // namespace
} // namespace speclens::test
