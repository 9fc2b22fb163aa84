// The gradient of Medusa heads against differences of their loss, on whatever backend the tests run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "engine/lab/medusa_gradient.h"
#include "tests/shared/micro.h"

namespace speclens::test {

TEST(MedusaGradient, AgreesWithDifferencesOfTheLoss) {
    const auto models = micro_models(1);
    const int h = models->target->config.hidden, vocab = models->vocab();
    std::mt19937 dice(5);
    const auto random = [&](std::size_t n, float scale) {
        std::vector<float> values(n);
        for (float& value : values) value = scale * (static_cast<float>(dice() % 20001) / 10000.0F - 1);
        return values;
    };
    constexpr int kRows = 7;
    std::vector<MedusaWeights> heads;
    for (int k = 0; k < 2; ++k) heads.push_back({random(static_cast<std::size_t>(h * h), 0.3F), random(static_cast<std::size_t>(h), 0.5F)});
    MedusaBatch batch{random(static_cast<std::size_t>(kRows * h), 2), {}};
    for (int k = 0; k < 2; ++k) {
        batch.labels.emplace_back();
        for (int i = 0; i < kRows; ++i)
            batch.labels.back().push_back(i == 3 + k ? -1 : static_cast<int>(dice() % static_cast<unsigned>(vocab)));
    }
    MedusaGradient gradient(models->target, kRows);
    std::vector<MedusaWeights> slope, ignored;
    const double loss = gradient.loss(heads, batch, slope);
    EXPECT_GT(loss, 1.0);
    double largest = 0;
    const auto check = [&](float& value, float told, const std::string& what) {
        constexpr float kStep = 0.03F;
        const float before = value;
        value = before + kStep;
        const double high = gradient.loss(heads, batch, ignored);
        value = before - kStep;
        const double low = gradient.loss(heads, batch, ignored);
        value = before;
        EXPECT_NEAR(told, (high - low) / (2 * kStep), 1e-4) << what;
        largest = std::max(largest, std::abs((high - low) / (2 * kStep)));
    };
    for (std::size_t k = 0; k < 2; ++k) {
        for (int n = 0; n < 14; ++n) {
            const std::size_t at = dice() % heads[k].matrix.size();
            check(heads[k].matrix[at], slope[k].matrix[at], "head " + std::to_string(k) + ", weight " + std::to_string(at));
        }
        for (std::size_t at = 0; at < heads[k].bias.size(); at += 17)
            check(heads[k].bias[at], slope[k].bias[at], "head " + std::to_string(k) + ", bias " + std::to_string(at));
    }
    EXPECT_GT(largest, 0.005) << "the differences must be able to tell";
    // Rows without a label are worth nothing.
    MedusaBatch none = batch;
    for (std::vector<int>& labels : none.labels) std::ranges::fill(labels, -1);
    EXPECT_EQ(gradient.loss(heads, none, slope), 0);
    EXPECT_EQ(slope[0].matrix, std::vector<float>(static_cast<std::size_t>(h * h), 0));
}

} // namespace speclens::test
