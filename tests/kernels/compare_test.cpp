// The tests of the test helpers: a comparison that cannot fail proves nothing.
#include "tests/kernels/support.h"

namespace speclens::test {
namespace {

TEST(Compare, AcceptsRoundingNoise) { EXPECT_TRUE(close({1.0f, -2.0f, 0.0f}, {1.000001, -2.000001, 1e-7})); }

TEST(Compare, FindsOneWrongValueAndNamesIt) {
    std::vector<float> got(1000, 1.0f);
    const std::vector<double> want(1000, 1.0);
    got[637] = 1.001f;
    const ::testing::AssertionResult result = close(got, want);
    EXPECT_FALSE(result);
    EXPECT_NE(std::string(result.message()).find("index 637"), std::string::npos);
}

TEST(Compare, FindsManySmallErrorsByTheirMeanSquare) {
    const std::vector<float> got(1000, 1.0f);
    const std::vector<double> want(1000, 1.0 + 1.5e-5); // each one within the tolerance
    EXPECT_FALSE(close(got, want));
}

TEST(Compare, RefusesNanInfinityAndWrongSizes) {
    EXPECT_FALSE(close({std::nanf("")}, {0.0}));
    EXPECT_FALSE(close({INFINITY}, {0.0}));
    EXPECT_FALSE(close({1.0f}, {1.0, 1.0}));
}

TEST(Compare, NoticesAWriteIntoAGuardRow) {
    on_every_backend([](Backend& backend) {
        Guarded tensor(backend, DType::f32, 2, 3);
        EXPECT_TRUE(tensor.guards_intact());
        const Tensor too_long = {tensor.view().data, DType::f32, 3, 3};
        const std::vector<float> values(9, 0.0f);
        backend.upload(too_long, values.data());
        EXPECT_FALSE(tensor.guards_intact());
    });
}

TEST(Compare, TellsMinusZeroFromZero) { EXPECT_FALSE(same_bits<float>({0.0f}, {-0.0f})); }

} // namespace
} // namespace speclens::test
