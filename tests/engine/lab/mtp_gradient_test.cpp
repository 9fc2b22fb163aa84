// The gradient of an MTP head against differences of its loss, and its guesses against the drafter's, on whatever backend the tests run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/drafters/drafter_info.h"
#include "engine/lab/mtp_gradient.h"
#include "engine/model/decoder.h"
#include "kernels/backend.h"
#include "tests/shared/micro.h"

namespace speclens::test {
namespace {

class MtpGradients : public ::testing::Test {
  protected:
    MtpText text(const std::vector<int>& tokens, int first) const {
        MtpText out{tokens, {}, first};
        const auto decoder = make_model_decoder(models_->target, 64);
        const int taps[] = {models_->layers()};
        decoder->prefill(std::span(tokens).first(tokens.size() - 1), taps, [&](int, const Tensor& features) {
            std::vector<float> rows(static_cast<std::size_t>(features.size()));
            models_->target->backend->download(features, rows.data());
            out.states.insert(out.states.end(), rows.begin(), rows.end());
        });
        return out;
    }
    std::shared_ptr<const DraftNetwork> head() const {
        return DraftNetwork::random(models_->target, micro_head(DraftConfig::Method::mtp, models_->target->config), "mtp", 11);
    }

    std::shared_ptr<const Models> models_ = micro_models(2);
};

TEST_F(MtpGradients, AgreeWithDifferencesOfTheLoss) {
    const auto network = head();
    MtpWeights weights = mtp_weights(*network);
    std::mt19937 dice(5);
    const auto names = mtp_tensors(network->config.layer);
    const auto random = [&] { return static_cast<float>(dice() % 20001) / 10000.0F - 1; };
    for (std::size_t tensor = 0; tensor < names.size(); ++tensor) { // large enough that each part matters
        const std::vector<std::int64_t>& shape = names[tensor].shape;
        const float fan = shape.size() == 2 ? 2 / std::sqrt(static_cast<float>(shape[1])) : 0;
        for (float& value : *weights.all()[tensor]) value = fan > 0 ? fan * random() : 1.5F + random();
    }
    for (float& value : weights.norm) value *= 8;
    const MtpText one = text({7, 8, 9, 30, 2, 55, 41, 3, 17}, 2), two = text({5, 50, 12, 33, 4, 21}, 0), mere = text({1, 2, 3}, 1);
    const MtpText* const texts[] = {&one, &two, &mere};
    MtpGradient gradient(models_->target, network->config.layer);
    MtpWeights slope, ignored;
    const double loss = gradient.loss(weights, texts, 3, slope);
    EXPECT_GT(loss, 1.0);
    for (std::size_t tensor = 0; tensor < names.size(); ++tensor) {
        std::vector<float>& values = *weights.all()[tensor];
        const std::vector<float>& told = *slope.all()[tensor];
        ASSERT_EQ(values.size(), told.size());
        std::int64_t size = 1;
        for (const std::int64_t n : names[tensor].shape) size *= n;
        ASSERT_EQ(values.size(), static_cast<std::size_t>(size)) << names[tensor].name;
        double largest = 0;
        for (int n = 0; n < 6; ++n) { // along directions in which every value changes, and along single values
            std::vector<float> direction(values.size());
            if (n < 4)
                for (float& part : direction) part = dice() % 2 == 0 ? 1.0F : -1.0F;
            else
                direction[dice() % direction.size()] = 1;
            const std::vector<float> before = values;
            const auto moved = [&](float step) {
                for (std::size_t i = 0; i < values.size(); ++i) values[i] = before[i] + step * direction[i];
                return gradient.loss(weights, texts, 3, ignored);
            };
            const float step = n < 4 ? 1e-3F : 1e-2F;
            const double measured = (moved(step) - moved(-step)) / (2 * step);
            values = before;
            double says = 0;
            for (std::size_t i = 0; i < told.size(); ++i) says += static_cast<double>(told[i]) * direction[i];
            EXPECT_NEAR(says, measured, 5e-4 + 0.01 * std::abs(measured)) << names[tensor].name << ", direction " << n;
            largest = std::max(largest, std::abs(measured));
        }
        EXPECT_GT(largest, 0.02) << names[tensor].name << ": the differences must be able to tell";
    }
}

TEST_F(MtpGradients, ATextThatIsTooShortTeachesNothing) {
    const MtpText mere = text({1, 2}, 0);
    const MtpText* const texts[] = {&mere};
    MtpWeights slope;
    MtpGradient gradient(models_->target, mtp_shape(models_->target->config));
    EXPECT_EQ(gradient.loss(mtp_start(*models_->target), texts, 3, slope), 0);
    for (const std::vector<float>* values : slope.all()) EXPECT_TRUE(std::ranges::all_of(*values, [](float x) { return x == 0; }));
}

// What it is trained to guess is what it guesses when it drafts: true states up to a place, then its own.
TEST_F(MtpGradients, GuessAsTheDrafterDoes) {
    const auto network = head();
    std::vector<int> tokens = {7, 8, 9, 30, 2, 55, 41};
    const auto target = make_model_decoder(models_->target, 64);
    const auto drafter = find_drafter("mtp")->make({*target, nullptr, network, {}});
    drafter->begin(tokens);
    target->prefill(std::span(tokens).first(tokens.size() - 1), drafter->taps(), [&](int first, const Tensor& features) {
        drafter->observe({.sequence = tokens, .first = first, .prompt = true, .features = features});
    });
    const Draft draft = drafter->draft({.sequence = tokens, .k = 3, .nodes = 0, .sampling = {}, .coin = {}, .entries = -1});
    ASSERT_EQ(draft.nodes.size(), 3u);
    const int place = static_cast<int>(tokens.size()) - 2; // the newest true pair
    for (const DraftNode& node : draft.nodes) tokens.push_back(node.token);
    tokens.push_back(1);
    MtpGradient gradient(models_->target, network->config.layer);
    const auto predictions = gradient.predictions(mtp_weights(*network), text(tokens, place), 3);
    ASSERT_EQ(predictions.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(predictions[i].front(), draft.nodes[i].token) << i;
}

TEST_F(MtpGradients, BeginsAsTheLastLayerOnceMore) {
    const MtpWeights weights = mtp_start(*models_->target);
    const std::size_t h = static_cast<std::size_t>(models_->target->config.hidden);
    EXPECT_EQ(weights.join[h], 1);
    EXPECT_EQ(std::ranges::count(weights.join, 0.0F), static_cast<std::ptrdiff_t>(2 * h * h - h));
    EXPECT_EQ(weights.q.size(), h * static_cast<std::size_t>(models_->target->config.heads * models_->target->config.head_dim));
}

} // namespace
} // namespace speclens::test
