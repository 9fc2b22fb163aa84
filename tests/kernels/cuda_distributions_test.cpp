// The distributions on a CUDA backend (emulated or real): greedy speculative text is the plain text for every drafter,
// runs repeat to the bit, decoding and verification agree on every logit, and the CPU computes the same
// within rounding.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/batch/batch_engine.h"
#include "engine/drafters/drafter_info.h"
#include "engine/run/run.h"
#include "tests/kernels/support.h"
#include "tests/shared/micro.h"

namespace speclens::test {
namespace {

RunSettings settings_of(const std::string& drafter, int k, double temperature) {
    RunSettings settings;
    settings.prompt.token_ids = {7, 8, 9, 7, 8, 9, 7, 8};
    settings.drafter = drafter;
    settings.k = k;
    settings.sampling.temperature = temperature;
    settings.max_tokens = 10;
    settings.timing = false;
    return settings;
}

class CudaDistributions : public ::testing::Test {
  protected:
    std::vector<int> text(const RunSettings& settings) {
        speclens::Run run(models_, settings);
        run.finish();
        return run.sequence();
    }
    const std::shared_ptr<const Models> models_ = micro_models(1);
};

TEST_F(CudaDistributions, GreedyTextIsThePlainTextForEveryDrafter) {
    const std::vector<int> plain = text(settings_of("none", 0, 0));
    ASSERT_EQ(plain.size(), 18u);
    for (const DrafterInfo& drafter : drafter_list())
        for (int k : {1, 7}) EXPECT_EQ(text(settings_of(drafter.name, k, 0)), plain) << drafter.name << " k=" << k;
}

TEST_F(CudaDistributions, ARunRepeatsToTheBit) {
    for (const char* drafter : {"small", "eagle3", "domino"}) {
        speclens::Run first(models_, settings_of(drafter, 4, 0.8)), second(models_, settings_of(drafter, 4, 0.8));
        first.finish();
        second.finish();
        EXPECT_EQ(first.trace().hash(first.trace().size()), second.trace().hash(second.trace().size())) << drafter;
    }
}

// A whole pass over a chain gives every row the bits that one-token passes give it; the 61 outputs of the
// head are served by the plain kernel, the layers by the fast one.
TEST_F(CudaDistributions, VerifyingManyRowsGivesTheBitsOfDecodingOne) {
    const std::vector<int> tokens = {7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23};
    const auto one_by_one = make_model_decoder(models_->target, 64), together = make_model_decoder(models_->target, 64);
    PassRows& rows = together->forward({.tokens = tokens});
    for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
        const std::vector<float> alone =
            one_by_one->forward({.tokens = std::span(tokens).subspan(static_cast<std::size_t>(i), 1)}).logits(0);
        EXPECT_TRUE(same_bits(rows.logits(i), alone)) << "row " << i;
    }
}

// Texts of several drafters share passes and blocks, and one has to give up its own: each is the text that it has alone.
TEST_F(CudaDistributions, EveryTextOfABatchIsTheOneItHasAlone) {
    std::vector<RunSettings> texts = {settings_of("none", 0, 0), settings_of("small", 4, 0.8), settings_of("medusa", 4, 0),
                                      settings_of("eagle3", 3, 0), settings_of("lookup", 5, 0.8)};
    texts[1].prompt.token_ids.resize(5);
    for (std::size_t i = 2; i < texts.size(); ++i)
        texts[i].prompt.token_ids.insert(texts[i].prompt.token_ids.end(), 10, static_cast<int>(5 + i));
    BatchEngine engine(models_, {.texts = 5, .blocks = 7, .poison = true});
    for (const RunSettings& settings : texts) engine.submit(settings);
    int together = 0, gave_up = 0;
    while (engine.step()) {
        together = std::max(
            together, static_cast<int>(std::ranges::count_if(engine.round().lanes, [](const BatchLane& lane) { return lane.rows > 0; })));
        gave_up += engine.round().count(BatchLane::Did::preempted);
    }
    EXPECT_GT(together, 2);
    EXPECT_GT(gave_up, 0);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        speclens::Run alone(models_, texts[i]);
        alone.finish();
        const BatchText& got = engine.text(static_cast<int>(i));
        ASSERT_EQ(got.state, BatchText::State::done) << texts[i].drafter << ": " << got.error;
        EXPECT_EQ(got.trace->hash(got.trace->size()), alone.trace().hash(alone.trace().size())) << texts[i].drafter;
    }
}

TEST_F(CudaDistributions, TheCpuComputesTheSameWithinRounding) {
    const std::vector<int> tokens = {7, 8, 9, 10, 11, 12};
    const auto backend = make_cpu_backend({.threads = 1});
    const auto model = Model::random(*backend, micro_config(6, 48), "micro target", 5);
    const auto on_cpu = make_model_decoder(model, 64), here = make_model_decoder(models_->target, 64);
    PassRows& expected = on_cpu->forward({.tokens = tokens});
    PassRows& got = here->forward({.tokens = tokens});
    for (int i = 0; i < static_cast<int>(tokens.size()); ++i) {
        const std::vector<float> row = expected.logits(i);
        EXPECT_TRUE(close(got.logits(i), {row.begin(), row.end()}, {.absolute = 1e-4, .relative = 1e-4, .normalised_mse = 1e-9}))
            << "row " << i;
    }
}

} // namespace
} // namespace speclens::test
