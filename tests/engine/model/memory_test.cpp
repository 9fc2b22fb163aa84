// Whether a model fits: what is counted, and what the user is told when it does not.
#include "engine/drafters/draft_network.h"
#include "engine/model/model_memory.h"

#include "engine/models/memory_forecast.h"
#include "tests/shared/micro.h"
#include "tests/shared/model_support.h"

namespace speclens {
namespace {

using namespace test;

constexpr std::size_t kMega = 1'000'000;

std::string remedy_of(const MemoryNeed& need, std::size_t free) {
    try {
        check_memory("giant", need, free);
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), Exit::device);
        return error.remedy();
    }
    return "it fits";
}

TEST(Memory, WeightsThatFitAloneAreNotEnough) {
    const MemoryNeed need{.weights = 900 * kMega, .cache = 400 * kMega, .scratch = 50 * kMega, .context = 4000};
    check_memory("giant", need, need.total());
    expect_error(
        [&] { check_memory("giant", need, 1200 * kMega); },
        {"giant needs 1.35 GB", "0.90 GB weights", "0.40 GB cache for a context of 4000 tokens", "50.0 MB scratch", "1.20 GB are free"});
}

TEST(Memory, AShorterContextIsProposedOnlyWhereItHelps) {
    const MemoryNeed need{.weights = 900 * kMega, .cache = 400 * kMega, .scratch = 50 * kMega, .context = 4000};
    EXPECT_NE(remedy_of(need, 1200 * kMega).find("a context of 2500 tokens"), std::string::npos);
    EXPECT_EQ(remedy_of(need, 955 * kMega).find("context"), std::string::npos); // not even the first slots
    EXPECT_NE(remedy_of(need, 100 * kMega).find("smaller model"), std::string::npos);
}

TEST(Memory, TheCacheIsForetoldExactly) {
    const auto models = micro_models(1);
    const auto decoder = make_model_decoder(models->target, kFirstSlots);
    const std::size_t before = decoder->memory_bytes();
    decoder->prefill(std::vector<int>(kFirstSlots, 1));
    EXPECT_EQ(decoder->memory_bytes() - before, decoder_memory(models->target->config, *models->backend, kFirstSlots).cache);
}

TEST(Memory, ACacheOfSixteenBitsTakesHalf) {
    const auto models = micro_models(1);
    const auto cache = [&](Precision precision) { return decoder_memory(models->target->config, *models->backend, 1000, precision).cache; };
    EXPECT_EQ(2 * cache(Precision::bf16), cache(Precision::f32));
    EXPECT_EQ(2 * cache(Precision::int8), cache(Precision::f32));
}

TEST(Memory, AContextThatCannotFitIsRefusedBeforeItIsUsed) {
    ModelConfig config = micro_config(32, 16);
    config.heads = config.kv_heads = 2048; // 8 MB of keys and values per token
    config.max_positions = 131072;
    const auto backend = make_cpu_backend({.threads = 1});
    const auto model = Model::random(*backend, config, "wide", 1);
    expect_error([&] { static_cast<void>(make_model_decoder(model, 131072)); }, {"wide needs", "a context of 131072 tokens", "are free"});
}

TEST(Memory, TheForecastCountsTheDrafterThatKeepsMost) {
    const auto models = micro_models(1);
    ModelConfig draft = models->target->config;
    draft.layers = 1;
    Models all;
    all.backend = make_cpu_backend({.threads = 1});
    all.target = Model::random(*all.backend, models->target->config, "target", 1);
    const auto cache = [&](const ModelConfig& config, int context) { return decoder_memory(config, *all.backend, context).cache; };
    const MemoryForecast alone = forecast_memory(all, 100, 1000 * kMega);
    EXPECT_EQ(alone.weights(), all.target->bytes.all);
    EXPECT_EQ(alone.cache_per_token * 100, cache(all.target->config, 100));
    EXPECT_EQ(alone.longest, all.target->config.max_positions);

    all.draft = Model::random(*all.backend, draft, "draft", 2);
    const MemoryForecast both = forecast_memory(all, 100, 1000 * kMega);
    EXPECT_EQ(both.weights(), all.target->bytes.all + all.draft->bytes.all);
    EXPECT_EQ(both.run(100) - both.scratch, cache(all.target->config, 100) + cache(draft, 100));

    EXPECT_EQ(forecast_memory(all, 100, both.scratch).longest, 0);
    EXPECT_EQ(forecast_memory(all, 100, both.run(40)).longest, 40);
}

// Weights that were never loaded against the same weights loaded.
TEST(Memory, AShapeIsForetoldExactly) {
    const auto backend = make_cpu_backend({.threads = 1});
    const ModelConfig target = geometry("micro");
    const std::shared_ptr<const Model> model = Model::random(*backend, target, "micro", 1);
    EXPECT_EQ(Model::weight_bytes(target), model->bytes.all);
    for (const char* name : {"eagle3", "dflash", "domino", "dspark"}) {
        const DraftConfig head = head_geometry(name, target);
        EXPECT_EQ(DraftNetwork::weight_bytes(head), DraftNetwork::random(model, head, name, 2)->bytes.all) << name;
    }
}

TEST(Memory, AnEightBillionModelAndItsDrafterFitInto24Gigabytes) {
    const auto backend = make_cpu_backend({.threads = 1});
    const ModelConfig target = geometry("qwen3-8b");
    const DraftConfig heads[] = {head_geometry("dflash", target)};
    constexpr std::size_t kFree = 23'500 * kMega; // of 24 GB, what a driver leaves
    const MemoryForecast need = forecast_memory(*backend, target, heads, 4096, kFree);
    EXPECT_NEAR(static_cast<double>(need.target), 16.4e9, 0.1e9); // 8.19 billion parameters of two bytes
    EXPECT_GE(need.longest, 4096);
    EXPECT_LT(need.weights() + need.run(need.longest), kFree);
    EXPECT_GT(need.weights() + need.run(need.longest + 1), kFree);
}

TEST(Memory, ATableNeedsNone) {
    Models table;
    table.backend = make_cpu_backend({.threads = 1});
    EXPECT_EQ(forecast_memory(table, 100, kMega).run(100), 0u);
}

} // namespace
} // namespace speclens
