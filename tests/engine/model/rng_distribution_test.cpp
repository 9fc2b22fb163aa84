// The dice and the sampling pipeline.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "engine/base/rng.h"
#include "engine/model/distribution.h"
#include "kernels/error.h"
#include "tests/shared/statistics.h"

namespace speclens {
namespace {

// Known answers of the Random123 distribution (kat_vectors, philox 4x32 10), as the 53-bit uniform of words 0 and 1.
TEST(Rng, GivesThePublishedPhiloxAnswers) {
    EXPECT_EQ(uniform({}), static_cast<double>(0x6627e8d5e169c58dull >> 11) * 0x1.0p-53);
    // All counter and key bits set: purpose | lane << 8 = 0xffffffff.
    EXPECT_EQ(
        uniform({.seed = ~0ull, .position = ~0u, .purpose = static_cast<Purpose>(0xff), .lane = 0xffffff, .attempt = ~0u, .fork = ~0u}),
        static_cast<double>(0x408f276d41c83b0eull >> 11) * 0x1.0p-53);
}

TEST(Rng, EveryPartOfTheKeyChangesTheCoin) {
    const CoinKey base{.seed = 7, .position = 5, .purpose = Purpose::accept, .lane = 1, .attempt = 2, .fork = 3};
    const auto differs = [&](auto change) {
        CoinKey key = base;
        change(key);
        EXPECT_NE(uniform(key), uniform(base));
    };
    differs([](CoinKey& k) { k.seed = 8; });
    differs([](CoinKey& k) { k.seed = 7ull | 1ull << 40; });
    differs([](CoinKey& k) { k.position = 6; });
    differs([](CoinKey& k) { k.purpose = Purpose::draft; });
    differs([](CoinKey& k) { k.lane = 0; });
    differs([](CoinKey& k) { k.attempt = 0; });
    differs([](CoinKey& k) { k.fork = 0; });
    EXPECT_EQ(uniform(base), uniform(base));
}

TEST(Rng, IsUniform) {
    std::map<std::string, long> counts;
    std::map<std::string, double> expected;
    for (int bin = 0; bin < 20; ++bin) expected[std::to_string(bin)] = 0.05;
    for (std::uint32_t i = 0; i < 100000; ++i) ++counts[std::to_string(static_cast<int>(uniform({.seed = 1, .position = i}) * 20))];
    EXPECT_GT(test::fit(expected, counts, 100000).p_value, 1e-4);
}

TEST(Distribution, SampleWalksIdsAscendingAndNeverPicksZeroMass) {
    const Distribution distribution{0, 0.25, 0, 0.75, 0};
    EXPECT_EQ(sample(distribution, 0.0), 1);
    EXPECT_EQ(sample(distribution, 0.2499), 1);
    EXPECT_EQ(sample(distribution, 0.25), 3);
    EXPECT_EQ(sample(distribution, 0.999999), 3);
    EXPECT_EQ(sample(Distribution{0.5, 0.4999999, 0}, 0.9999999999), 1) << "rounding falls back to the last id with mass";
}

TEST(Distribution, TemperatureSharpensAndZeroIsOneHotAtTheLowestTie) {
    const Distribution distribution{0.2, 0.4, 0.4};
    EXPECT_EQ(apply_sampling(distribution, {.temperature = 0}), (Distribution{0, 1, 0}));
    const Distribution half = apply_sampling(distribution, {.temperature = 0.5});
    EXPECT_NEAR(half[0], 0.04 / 0.36, 1e-12);
    EXPECT_NEAR(half[1], 0.16 / 0.36, 1e-12);
    const Distribution hot = apply_sampling(distribution, {.temperature = 1e6});
    for (double value : hot) EXPECT_NEAR(value, 1.0 / 3, 1e-5);
}

TEST(Distribution, TopKKeepsTheLargestWithTiesByLowestId) {
    const Distribution distribution = apply_sampling(Distribution{0.3, 0.1, 0.3, 0.3}, {.temperature = 1, .top_k = 2});
    EXPECT_EQ(distribution, (Distribution{0.5, 0, 0.5, 0}));
}

TEST(Distribution, TopPKeepsTheSmallestSetThatReachesTheMass) {
    const Distribution distribution{0.5, 0.3, 0.15, 0.05};
    const Distribution eighty = apply_sampling(distribution, {.temperature = 1, .top_p = 0.8});
    EXPECT_NEAR(eighty[0], 0.625, 1e-12);
    EXPECT_NEAR(eighty[1], 0.375, 1e-12);
    EXPECT_EQ(eighty[2], 0);
    EXPECT_EQ(apply_sampling(distribution, {.temperature = 1, .top_p = 1e-9}), (Distribution{1, 0, 0, 0}));
    EXPECT_EQ(apply_sampling(distribution, {.temperature = 1, .top_p = 1}), distribution);
}

TEST(Distribution, TopPOfAFlatDistributionOverManyIdsKeepsTheRightNumber) {
    const Distribution flat(5000, 1.0 / 5000);
    const Distribution kept = apply_sampling(flat, {.temperature = 1, .top_p = 0.5});
    long count = 0;
    for (double value : kept) count += value > 0;
    EXPECT_NEAR(static_cast<double>(count), 2500, 1);
}

TEST(Distribution, FiltersRunInOrderTopKThenTopP) {
    // After top-k 2 the distribution is (.625, .375): top-p 0.6 then keeps one. Top-p first would have kept two.
    EXPECT_EQ(apply_sampling(Distribution{0.5, 0.3, 0.15, 0.05}, {.temperature = 1, .top_k = 2, .top_p = 0.6}), (Distribution{1, 0, 0, 0}));
}

TEST(Distribution, ResidualAndOverlapBalance) {
    const Distribution p{0.5, 0.2, 0.3}, q{0.2, 0.7, 0.1};
    const Residual r = residual(p, q);
    EXPECT_NEAR(r.mass, 0.5, 1e-12);
    EXPECT_NEAR(overlap(p, q) + r.mass, 1, 1e-12);
    EXPECT_NEAR(r.distribution[0], 0.6, 1e-12);
    EXPECT_EQ(r.distribution[1], 0);
    EXPECT_TRUE(residual(p, p).distribution.empty()) << "identical distributions leave nothing";
}

TEST(Distribution, BadSamplingIsRefusedWithTheValue) {
    const auto message = [](const Sampling& s) -> std::string {
        try {
            check_sampling(s);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(message({.temperature = -1}).find("-1"), std::string::npos);
    EXPECT_FALSE(message({.temperature = std::nan("")}).empty());
    EXPECT_FALSE(message({.temperature = std::numeric_limits<double>::infinity()}).empty());
    EXPECT_FALSE(message({.temperature = 1, .top_p = 0}).empty());
    EXPECT_FALSE(message({.temperature = 1, .top_p = 1.5}).empty());
    EXPECT_FALSE(message({.temperature = 1, .top_k = -3}).empty());
    EXPECT_TRUE(message({.temperature = 0}).empty());
    EXPECT_FALSE(message({.temperature = 1e-50}).empty()) << "0 as a float";
    EXPECT_FALSE(message({.temperature = 1e-39}).empty()) << "one over it is infinite as a float";
    EXPECT_TRUE(message({.temperature = 1e-30}).empty());
}

} // namespace
} // namespace speclens
