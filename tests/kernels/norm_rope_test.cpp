// add_norm, rope_store and embed against plain double-precision loops.
#include <algorithm>

#include "kernels/quant.h"
#include "tests/kernels/support.h"

namespace speclens::test {
namespace {

double at(const std::vector<float>& values, std::int64_t i) { return values[static_cast<std::size_t>(i)]; }

std::vector<double> normalised(const std::vector<double>& x, const std::vector<float>& weight, double eps) {
    double squares = 0;
    for (double value : x) squares += value * value;
    const double scale = 1 / std::sqrt(squares / static_cast<double>(x.size()) + eps);
    std::vector<double> out;
    for (std::size_t i = 0; i < x.size(); ++i) out.push_back(x[i] * scale * static_cast<double>(weight[i]));
    return out;
}

TEST(AddNorm, MatchesTheReferenceWithAndWithoutEachPart) {
    on_every_backend([](Backend& backend) {
        for (int h : {1, 31, 33, 96, 1000}) {
            for (int rows : {1, 3, 100}) {
                SCOPED_TRACE("h " + std::to_string(h) + " rows " + std::to_string(rows));
                Numbers numbers(static_cast<std::uint64_t>(h));
                const std::vector<float> x = numbers.floats(static_cast<std::int64_t>(h) * rows);
                const std::vector<float> delta = numbers.floats(static_cast<std::int64_t>(h) * rows);
                const std::vector<float> weight = numbers.floats(h);
                const Guarded residual(backend, DType::f32, rows, h, x);
                const Guarded added(backend, DType::f32, rows, h, delta);
                const Guarded norm(backend, DType::f32, 1, h, weight);
                const Guarded out(backend, DType::f32, rows, h);

                backend.add_norm(residual, {}, norm, 1e-6f, out);
                EXPECT_TRUE(same_bits(residual.floats(), x));
                std::vector<double> plain, sums, want;
                for (int row = 0; row < rows; ++row) {
                    std::vector<double> before, after;
                    for (std::int64_t i = 0; i < h; ++i) {
                        before.push_back(at(x, row * h + i));
                        after.push_back(at(x, row * h + i) + at(delta, row * h + i));
                    }
                    for (double value : normalised(before, weight, 1e-6)) plain.push_back(value);
                    for (double value : normalised(after, weight, 1e-6)) want.push_back(value);
                    sums.insert(sums.end(), after.begin(), after.end());
                }
                EXPECT_TRUE(close(out.floats(), plain));
                backend.add_norm(residual, added, norm, 1e-6f, out);
                EXPECT_TRUE(close(residual.floats(), sums));
                EXPECT_TRUE(close(out.floats(), want));
                EXPECT_TRUE(residual.guards_intact());
                EXPECT_TRUE(out.guards_intact());

                const std::vector<float> once = residual.floats();
                backend.add_norm(residual, added, {}, 1e-6f, {});
                for (std::size_t i = 0; i < once.size(); ++i) sums[i] = static_cast<double>(once[i] + delta[i]);
                EXPECT_TRUE(close(residual.floats(), sums));
            }
        }
    });
}

struct RopeCase {
    HeadShape shape;
    bool norms;
};

void check_rope(Backend& backend, const RopeCase& c) {
    const HeadShape& s = c.shape;
    SCOPED_TRACE("heads " + std::to_string(s.heads) + "/" + std::to_string(s.kv_heads) + " d " + std::to_string(s.dim) +
                 (c.norms ? " with norms" : ""));
    const int rows = 5, slots = 9, first_slot = 3, max_position = 50;
    const std::vector<std::int32_t> positions = {7, 8, 8, 49, 0}; // a tree repeats positions
    const std::int64_t q_cols = static_cast<std::int64_t>(s.heads) * s.dim;
    const std::int64_t kv_cols = static_cast<std::int64_t>(s.kv_heads) * s.dim;
    Numbers numbers(3);
    const std::vector<float> q = numbers.floats(rows * q_cols), k = numbers.floats(rows * kv_cols);
    const std::vector<float> v = numbers.floats(rows * kv_cols);
    const std::vector<float> q_weight = numbers.floats(s.dim), k_weight = numbers.floats(s.dim);
    const std::vector<float> table = numbers.floats(static_cast<std::int64_t>(max_position) * s.dim);
    const std::vector<float> before = numbers.floats(slots * kv_cols);

    const Guarded q_rows(backend, DType::f32, rows, q_cols, q), k_rows(backend, DType::f32, rows, kv_cols, k);
    const Guarded v_rows(backend, DType::f32, rows, kv_cols, v);
    const Guarded q_norm(backend, DType::f32, 1, s.dim, q_weight), k_norm(backend, DType::f32, 1, s.dim, k_weight);
    const Guarded angles(backend, DType::f32, max_position, s.dim, table);
    const Guarded places(backend, DType::i32, 1, rows, positions);
    const Guarded k_cache(backend, DType::f32, slots, kv_cols, before);
    const Guarded v_cache(backend, DType::f32, slots, kv_cols, before);
    backend.rope_store(s, q_rows, k_rows, v_rows, c.norms ? q_norm.view() : Tensor{}, c.norms ? k_norm.view() : Tensor{}, 1e-6f, angles,
                       places, {k_cache, v_cache}, first_slot);

    const auto rotated = [&](const std::vector<float>& from, std::int64_t cols, const std::vector<float>& weight, std::vector<double>& to,
                             std::int64_t first) {
        for (int row = 0; row < rows; ++row) {
            const std::int64_t base = static_cast<std::int64_t>(positions[static_cast<std::size_t>(row)]) * s.dim;
            for (std::int64_t head = 0; head < cols; head += s.dim) {
                std::vector<double> x;
                for (int i = 0; i < s.dim; ++i) x.push_back(at(from, row * cols + head + i));
                if (c.norms) x = normalised(x, weight, 1e-6);
                const int half = s.dim / 2;
                for (int i = 0; i < half; ++i) {
                    const double cos = at(table, base + i), sin = at(table, base + half + i);
                    const double a = x[static_cast<std::size_t>(i)], b = x[static_cast<std::size_t>(half + i)];
                    const std::int64_t place = (first + row) * cols + head + i;
                    to[static_cast<std::size_t>(place)] = a * cos - b * sin;
                    to[static_cast<std::size_t>(place + half)] = b * cos + a * sin;
                }
            }
        }
    };
    std::vector<double> want_q(q.size()), want_k(before.begin(), before.end());
    std::vector<float> want_v = before;
    rotated(q, q_cols, q_weight, want_q, 0);
    rotated(k, kv_cols, k_weight, want_k, first_slot);
    std::copy(v.begin(), v.end(), want_v.begin() + first_slot * kv_cols);
    EXPECT_TRUE(close(q_rows.floats(), want_q));
    EXPECT_TRUE(close(k_cache.floats(), want_k));
    EXPECT_TRUE(same_bits(v_cache.floats(), want_v));
    EXPECT_TRUE(same_bits(k_rows.floats(), k));
    for (const Guarded* tensor : {&q_rows, &k_cache, &v_cache}) EXPECT_TRUE(tensor->guards_intact());
}

TEST(RopeStore, MatchesTheReference) {
    on_every_backend([](Backend& backend) {
        for (int d : {2, 6, 32, 48, 64, 128}) {
            for (bool norms : {false, true}) check_rope(backend, {{.heads = 3, .kv_heads = 1, .dim = d}, norms});
        }
        check_rope(backend, {{.heads = 16, .kv_heads = 8, .dim = 128}, true});
    });
}

// The f16 that is nearest to what an f32 cache gets.
TEST(RopeStore, RoundsIntoACacheOfSixteenBits) {
    on_every_backend([](Backend& backend) {
        const DType cache = backend.cache_dtype(Precision::bf16);
        if (cache == DType::f32) return;
        ASSERT_EQ(cache, DType::f16);
        for (const int d : {2, 6, 48, 64}) {
            const int rows = 3, slots = 5, cols = 2 * d;
            Numbers numbers(5);
            std::vector<float> k = numbers.floats(rows * cols), v = numbers.floats(rows * cols);
            v[0] = std::nanf("");
            v[1] = 70000;
            k[static_cast<std::size_t>(cols)] = -1e30f; // alone in its pair below: rotated by nothing
            k[static_cast<std::size_t>(cols + d / 2)] = 0;
            v[static_cast<std::size_t>(cols)] = 3e-6f; // below the normal ones
            v[static_cast<std::size_t>(cols + 1)] = 1e-9f;
            v[static_cast<std::size_t>(2 * cols)] = 65519.9f;
            std::vector<float> table = numbers.floats(std::int64_t{10} * d);
            std::fill_n(table.begin() + d, d / 2, 1.0f), std::fill_n(table.begin() + d + d / 2, d / 2, 0.0f);
            const Guarded k_rows(backend, DType::f32, rows, cols, k), v_rows(backend, DType::f32, rows, cols, v);
            const Guarded angles(backend, DType::f32, 10, d, table);
            const Guarded places(backend, DType::i32, 1, rows, std::vector<std::int32_t>{4, 1, 9});
            const Guarded k32(backend, DType::f32, slots, cols), v32(backend, DType::f32, slots, cols);
            const std::vector<std::uint16_t> before(static_cast<std::size_t>(slots * cols), 0x1234);
            const Guarded k16(backend, cache, slots, cols, before), v16(backend, cache, slots, cols, before);
            for (const KvLayer& to : {KvLayer{k32, v32}, KvLayer{k16, v16}})
                backend.rope_store({2, 2, d}, {}, k_rows, v_rows, {}, {}, 1e-6f, angles, places, to, 1);
            const auto rounded = [&](const Guarded& from) {
                std::vector<std::uint16_t> bits;
                for (const float value : from.floats())
                    bits.push_back(std::isnan(value) ? 0x7E00 : narrow_f16(std::clamp(value, -65504.f, 65504.f)));
                std::fill_n(bits.begin(), cols, std::uint16_t{0x1234}), std::fill(bits.end() - cols, bits.end(), std::uint16_t{0x1234});
                return bits;
            };
            const auto k_bits = k16.values<std::uint16_t>(), v_bits = v16.values<std::uint16_t>();
            EXPECT_TRUE(same_bits(k_bits, rounded(k32))) << d;
            std::vector<std::uint16_t> v_want = rounded(v32);
            EXPECT_EQ(v_bits[static_cast<std::size_t>(cols)] & 0x7C00, 0x7C00); // which NaN is the processor's business
            EXPECT_NE(v_bits[static_cast<std::size_t>(cols)] & 0x03FF, 0);
            v_want[static_cast<std::size_t>(cols)] = v_bits[static_cast<std::size_t>(cols)];
            EXPECT_TRUE(same_bits(v_bits, v_want)) << d;
            for (const Guarded* tensor : {&k16, &v16}) EXPECT_TRUE(tensor->guards_intact());
        }
    });
}

TEST(Embed, WidensExactlyTheRowsAskedFor) {
    on_every_backend([](Backend& backend) {
        for (DType dtype : {DType::bf16, DType::f32}) {
            for (int h : {33, 34}) { // 48 rows of 34 columns come tiled in bf16
                Numbers numbers(2);
                const Weights table = make_weights(backend, dtype, 48, h, numbers);
                const std::vector<std::int32_t> ids = {47, 0, 17, 17};
                const Guarded id_row(backend, DType::i32, 1, 4, ids);
                const Guarded out(backend, DType::f32, 4, h);
                backend.embed(table.buffer.view(), id_row, out);
                std::vector<float> want;
                for (std::int32_t id : ids) {
                    want.insert(want.end(), table.values.begin() + id * h, table.values.begin() + (id + 1) * h);
                }
                EXPECT_TRUE(same_bits(out.floats(), want));
                EXPECT_TRUE(out.guards_intact());
            }
        }
    });
}

} // namespace
} // namespace speclens::test
