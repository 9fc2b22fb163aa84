// Attention against a plain double-precision softmax; tree masks, slots that must not matter, long contexts.
#include <algorithm>

#include "kernels/quant.h"
#include "tests/kernels/support.h"

namespace speclens::test {
namespace {

// What a backend keeps keys and values as.
std::vector<DType> caches(const Backend& backend) {
    std::vector<DType> types = {DType::f32};
    if (const DType type = backend.cache_dtype(Precision::bf16); type != DType::f32) types.push_back(type);
    return types;
}

template <class Check>
void on_every_cache(const Check& check) {
    on_every_backend([&](Backend& backend) {
        for (const DType cache : caches(backend)) {
            SCOPED_TRACE(name_of(cache));
            check(backend, cache);
        }
    });
}

// A cache filled with seeded numbers, which its type holds exactly, and queries for `rows` rows.
struct Scene {
    HeadShape shape;
    int rows, slots;
    DType cache;
    std::vector<float> q, k, v;

    Scene(HeadShape heads, int row_count, int slot_count, DType type = DType::f32, std::uint64_t seed = 1)
        : shape(heads), rows(row_count), slots(slot_count), cache(type) {
        Numbers numbers(seed);
        q = numbers.floats(static_cast<std::int64_t>(rows) * q_cols(), -2, 2);
        k = numbers.floats(static_cast<std::int64_t>(slots) * kv_cols());
        v = numbers.floats(static_cast<std::int64_t>(slots) * kv_cols());
        if (cache == DType::f32) return;
        for (std::vector<float>* values : {&k, &v})
            for (float& value : *values) value = widen_f16(narrow_f16(value));
    }
    std::unique_ptr<Guarded> stored(Backend& backend, const std::vector<float>& values) const {
        if (cache == DType::f32) return std::make_unique<Guarded>(backend, cache, slots, kv_cols(), values);
        std::vector<std::uint16_t> bits;
        for (const float value : values) bits.push_back(std::isnan(value) ? 0xFFFF : narrow_f16(value));
        return std::make_unique<Guarded>(backend, cache, slots, kv_cols(), bits);
    }
    int q_cols() const { return shape.heads * shape.dim; }
    int kv_cols() const { return shape.kv_heads * shape.dim; }
};

using Bits = std::vector<std::uint64_t>; // (rows, words)

Bits causal_bits(int rows) {
    const int words = (rows + 63) / 64;
    Bits bits(static_cast<std::size_t>(rows * words));
    for (int row = 0; row < rows; ++row) {
        for (int j = 0; j <= row; ++j) bits[static_cast<std::size_t>(row * words + j / 64)] |= std::uint64_t{1} << (j % 64);
    }
    return bits;
}

std::vector<float> attend(Backend& backend, const Scene& scene, int prefix, int first_slot, const Bits& bits = {}) {
    const Guarded q(backend, DType::f32, scene.rows, scene.q_cols(), scene.q);
    const auto k = scene.stored(backend, scene.k), v = scene.stored(backend, scene.v);
    const Guarded out(backend, DType::f32, scene.rows, scene.q_cols());
    AttentionMask mask = {.prefix = prefix, .first_slot = first_slot, .ancestors = {}};
    std::unique_ptr<Guarded> ancestors;
    if (!bits.empty()) {
        ancestors = std::make_unique<Guarded>(backend, DType::i64, scene.rows, (scene.rows + 63) / 64, bits);
        mask.ancestors = ancestors->view();
    }
    backend.attention(scene.shape, q, {*k, *v}, mask, out);
    EXPECT_TRUE(out.guards_intact());
    return out.floats();
}

std::vector<double> reference(const Scene& scene, int prefix, int first_slot, const Bits& bits) {
    const int d = scene.shape.dim, group = scene.shape.heads / scene.shape.kv_heads;
    const int words = (scene.rows + 63) / 64;
    std::vector<double> out;
    for (int row = 0; row < scene.rows; ++row) {
        std::vector<std::int64_t> seen;
        for (int slot = 0; slot < prefix; ++slot) seen.push_back(slot);
        for (int j = 0; j < scene.rows; ++j) {
            if (bits[static_cast<std::size_t>(row * words + j / 64)] >> (j % 64) & 1) seen.push_back(first_slot + j);
        }
        for (int head = 0; head < scene.shape.heads; ++head) {
            const std::int64_t kv = static_cast<std::int64_t>(head / group) * d;
            std::vector<double> weights;
            double sum = 0;
            for (std::int64_t slot : seen) {
                double dot = 0;
                for (int i = 0; i < d; ++i) {
                    dot += static_cast<double>(scene.q[static_cast<std::size_t>(row * scene.q_cols() + head * d + i)]) *
                           static_cast<double>(scene.k[static_cast<std::size_t>(slot * scene.kv_cols() + kv + i)]);
                }
                weights.push_back(std::exp(dot / std::sqrt(d)));
                sum += weights.back();
            }
            for (int i = 0; i < d; ++i) {
                double value = 0;
                for (std::size_t n = 0; n < seen.size(); ++n) {
                    value += weights[n] / sum * static_cast<double>(scene.v[static_cast<std::size_t>(seen[n] * scene.kv_cols() + kv + i)]);
                }
                out.push_back(value);
            }
        }
    }
    return out;
}

TEST(Attention, MatchesTheReferenceForEveryHeadShape) {
    const HeadShape shapes[] = {{1, 1, 48}, {3, 1, 64}, {4, 4, 33}, {16, 8, 128}, {14, 2, 64}, {2, 1, 256}, {2, 2, 6}};
    on_every_cache([&](Backend& backend, DType cache) {
        for (const HeadShape& shape : shapes) {
            SCOPED_TRACE("heads " + std::to_string(shape.heads) + "/" + std::to_string(shape.kv_heads) + " d " + std::to_string(shape.dim));
            const Scene scene(shape, 5, 90, cache);
            EXPECT_TRUE(close(attend(backend, scene, 70, 70), reference(scene, 70, 70, causal_bits(5)),
                              {.absolute = 2e-5, .relative = 1e-5, .normalised_mse = 1e-10}));
        }
    });
}

TEST(Attention, MatchesTheReferenceForEveryPrefixAroundABlock) {
    on_every_cache([](Backend& backend, DType cache) {
        const Scene scene({2, 1, 48}, 3, 200, cache);
        for (int prefix : {0, 1, 2, 3, 60, 61, 62, 63, 64, 65, 127, 128, 129, 190}) {
            SCOPED_TRACE("prefix " + std::to_string(prefix));
            EXPECT_TRUE(close(attend(backend, scene, prefix, prefix), reference(scene, prefix, prefix, causal_bits(3)),
                              {.absolute = 2e-5, .relative = 1e-5, .normalised_mse = 1e-10}));
        }
    });
}

TEST(Attention, FollowsArbitraryBitSetsOverMoreThanOneWord) {
    on_every_cache([](Backend& backend, DType cache) {
        const Scene scene({2, 1, 48}, 130, 160, cache);
        Bits bits(130 * 3);
        Numbers numbers(4);
        for (std::size_t row = 0; row < 130; ++row) {
            for (std::size_t word = 0; word < 3; ++word) bits[row * 3 + word] = numbers.bits() & numbers.bits();
            bits[row * 3 + 2] &= 3;
            bits[row * 3 + row / 64] |= std::uint64_t{1} << (row % 64);
        }
        EXPECT_TRUE(close(attend(backend, scene, 20, 25, bits), reference(scene, 20, 25, bits),
                          {.absolute = 2e-5, .relative = 1e-5, .normalised_mse = 1e-10}));
    });
}

TEST(Attention, CausalBitsEqualTheEmptyMask) {
    on_every_cache([](Backend& backend, DType cache) {
        const Scene scene({3, 1, 64}, 70, 120, cache);
        EXPECT_TRUE(same_bits(attend(backend, scene, 50, 50), attend(backend, scene, 50, 50, causal_bits(70))));
    });
}

TEST(Attention, ATreePathHasTheBitsOfAChain) {
    on_every_cache([](Backend& backend, DType cache) {
        // Nodes 0..8; the path 0 → 2 → 5 → 8 is compared with a chain of four rows.
        for (int prefix : {0, 5, 61, 62, 63, 64, 100, 249, 254, 255, 256, 511, 1023}) {
            SCOPED_TRACE("prefix " + std::to_string(prefix));
            const Scene tree({6, 2, 48}, 9, prefix + 9, cache);
            const std::vector<int> path = {0, 2, 5, 8};
            Bits bits(9);
            for (std::size_t row = 0; row < 9; ++row) bits[row] = std::uint64_t{1} << row;
            bits[2] |= 1u << 0;
            bits[5] |= 1u << 0 | 1u << 2;
            bits[8] |= 1u << 0 | 1u << 2 | 1u << 5;
            const std::vector<float> from_tree = attend(backend, tree, prefix, prefix, bits);

            Scene chain({6, 2, 48}, 4, prefix + 4, cache);
            std::copy_n(tree.k.begin(), prefix * tree.kv_cols(), chain.k.begin());
            std::copy_n(tree.v.begin(), prefix * tree.kv_cols(), chain.v.begin());
            for (int i = 0; i < 4; ++i) {
                const int node = path[static_cast<std::size_t>(i)];
                std::copy_n(tree.q.begin() + node * tree.q_cols(), tree.q_cols(), chain.q.begin() + i * tree.q_cols());
                const int from = (prefix + node) * tree.kv_cols(), to = (prefix + i) * tree.kv_cols();
                std::copy_n(tree.k.begin() + from, tree.kv_cols(), chain.k.begin() + to);
                std::copy_n(tree.v.begin() + from, tree.kv_cols(), chain.v.begin() + to);
            }
            const std::vector<float> from_chain = attend(backend, chain, prefix, prefix);
            for (int i = 0; i < 4; ++i) {
                const auto a = from_tree.begin() + path[static_cast<std::size_t>(i)] * tree.q_cols();
                const auto b = from_chain.begin() + i * tree.q_cols();
                EXPECT_TRUE(same_bits<float>({a, a + tree.q_cols()}, {b, b + tree.q_cols()})) << "path node " << i;
            }
        }
    });
}

TEST(Attention, NeverTouchesSlotsThatAreNotSeen) {
    on_every_cache([](Backend& backend, DType cache) {
        // Slots 40..44 lie between prefix and pass, node 1 is a sibling, slots from 48 on are unused.
        Scene clean({2, 1, 64}, 3, 60, cache), poisoned = clean;
        const Bits bits = {0b001, 0b010, 0b101};
        for (int slot = 0; slot < 60; ++slot) {
            if (slot < 40 || (slot >= 45 && slot < 48)) continue;
            std::fill_n(poisoned.k.begin() + slot * 64, 64, std::nanf(""));
            std::fill_n(poisoned.v.begin() + slot * 64, 64, std::nanf(""));
        }
        const std::vector<float> want = attend(backend, clean, 40, 45, bits);
        EXPECT_TRUE(same_bits(attend(backend, poisoned, 40, 45, bits), want));

        // A poisoned sibling reaches its own row and no other.
        std::fill_n(poisoned.k.begin() + 46 * 64, 64, std::nanf(""));
        const std::vector<float> got = attend(backend, poisoned, 40, 45, bits);
        for (std::size_t i = 0; i < got.size(); ++i) EXPECT_EQ(std::isnan(got[i]), i / 128 == 1) << i;
    });
}

TEST(Attention, StaysExactWhenScoresAreHuge) {
    on_every_cache([](Backend& backend, DType cache) {
        // One key wins by far: the answer is its value, whatever came before it.
        Scene scene({1, 1, 32}, 1, 150, cache);
        std::fill(scene.q.begin(), scene.q.end(), 100.0f);
        for (int i = 0; i < 32; ++i) scene.k[static_cast<std::size_t>(97 * 32 + i)] = 100.0f;
        const std::vector<float> got = attend(backend, scene, 149, 149);
        EXPECT_TRUE(close(got, {scene.v.begin() + 97 * 32, scene.v.begin() + 98 * 32}));
    });
}

TEST(Attention, HandlesALongContext) {
    on_every_cache([](Backend& backend, DType cache) {
        const Scene scene({2, 1, 32}, 2, 32770, cache);
        EXPECT_TRUE(close(attend(backend, scene, 32768, 32768), reference(scene, 32768, 32768, causal_bits(2)),
                          {.absolute = 1e-5, .relative = 1e-4, .normalised_mse = 1e-8}));
    });
}

// Parts begin at every 256th visit of a row, wherever its own rows stand; a tree of rows that see 0, 1, 2, … of the rows
// before them ends in different parts.
TEST(Attention, MatchesTheReferenceForEveryPrefixAroundAPart) {
    on_every_cache([](Backend& backend, DType cache) {
        const int rows = 12;
        Bits bits = causal_bits(rows);
        for (std::size_t row = 1; row < 12; row += 2) bits[row] = std::uint64_t{1} << row;
        for (int prefix : {192, 240, 244, 247, 255, 256, 257, 319, 320, 511, 1015, 1024, 1100}) {
            SCOPED_TRACE("prefix " + std::to_string(prefix));
            const Scene scene({6, 2, 20}, rows, prefix + rows, cache);
            EXPECT_TRUE(close(attend(backend, scene, prefix, prefix, bits), reference(scene, prefix, prefix, bits),
                              {.absolute = 2e-5, .relative = 1e-5, .normalised_mse = 1e-10}));
        }
    });
}

// Row `row` of the scene alone, behind the rows before it.
std::vector<float> attend_alone(Backend& backend, const Scene& scene, int prefix, int row) {
    Scene alone = scene;
    alone.rows = 1;
    alone.q.assign(scene.q.begin() + row * scene.q_cols(), scene.q.begin() + (row + 1) * scene.q_cols());
    return attend(backend, alone, prefix + row, prefix + row);
}

TEST(Attention, ARowHasTheSameBitsInEveryPassBehindAnyContext) {
    on_every_cache([](Backend& backend, DType cache) {
        for (int prefix : {3, 240, 256, 1000}) {
            const int most = 64;
            const Scene all({6, 2, 32}, most, prefix + most, cache);
            std::vector<std::vector<float>> alone;
            for (int row = 0; row < most; ++row) alone.push_back(attend_alone(backend, all, prefix, row));
            for (int rows : {1, 2, 7, 8, 9, 15, 16, 17, 64}) {
                Scene some = all;
                some.rows = rows;
                some.q.resize(static_cast<std::size_t>(rows * all.q_cols()));
                const std::vector<float> together = attend(backend, some, prefix, prefix);
                for (int row = 0; row < rows; ++row) {
                    const auto begin = together.begin() + row * all.q_cols();
                    ASSERT_TRUE(same_bits<float>({begin, begin + all.q_cols()}, alone[static_cast<std::size_t>(row)]))
                        << "prefix " << prefix << ", row " << row << " of " << rows;
                }
            }
        }
    });
}

class AttentionBehind : public testing::TestWithParam<int> {};

TEST_P(AttentionBehind, TheNumberOfThreadsDoesNotMatter) {
    const int prefix = GetParam();
    for (const Isa isa : available_isas())
        for (const DType cache : caches(*cpu_backend(isa, 1)))
            for (int rows : {1, 5, 16, 64}) {
                const Scene scene({9, 3, 64}, rows, prefix + rows, cache);
                const std::vector<float> want = attend(*cpu_backend(isa, 1), scene, prefix, prefix);
                for (int threads : {2, 3, 5, 8})
                    EXPECT_TRUE(same_bits(attend(*cpu_backend(isa, threads), scene, prefix, prefix), want))
                        << name_of(isa) << ", " << name_of(cache) << ", " << rows << " rows, " << threads << " threads";
            }
}

INSTANTIATE_TEST_SUITE_P(Slots, AttentionBehind, testing::Values(100, 700, 2400), testing::PrintToStringParamName());

// A key that is not a number is seen in the part in which it stands, and reaches all who see it and nobody else.
TEST(Attention, ANumberThatIsNoneSpreadsFromAnyPart) {
    on_every_cache([](Backend& backend, DType cache) {
        for (int slot : {0, 255, 256, 511, 1100}) {
            Scene scene({2, 1, 32}, 2, 1200, cache);
            std::fill_n(scene.k.begin() + slot * 32, 32, std::nanf(""));
            const std::vector<float> got = attend(backend, scene, 1099, 1099); // rows see slots … 1099 and … 1100
            for (std::size_t i = 0; i < got.size(); ++i)
                EXPECT_EQ(std::isnan(got[i]), slot < 1100 || i >= 64) << "slot " << slot << ", value " << i;
        }
    });
}

// What an f16 cache changes: less than a bf16 one would, by three bits of every key and value.
TEST(Attention, AnF16CacheIsCloseToAnF32One) {
    for (const Isa isa : available_isas()) {
        const auto backend = cpu_backend(isa);
        const Scene exact({9, 3, 64}, 4, 904), half({9, 3, 64}, 4, 904, DType::f16);
        const std::vector<double> want = reference(exact, 900, 900, causal_bits(4));
        EXPECT_TRUE(close(attend(*backend, half, 900, 900), want, {.absolute = 1e-4, .relative = 1e-4, .normalised_mse = 1e-6}));
    }
}

} // namespace
} // namespace speclens::test
