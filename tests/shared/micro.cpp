#include "tests/shared/micro.h"

#include "engine/drafters/draft_network.h"
#include "engine/model/frequent.h"
#include "tests/shared/test_backend.h"

namespace speclens::test {

ModelConfig micro_config(int layers, int hidden, int max_positions) {
    ModelConfig config;
    config.hidden = hidden;
    config.ffn = hidden * 2;
    config.layers = layers;
    config.heads = 4;
    config.kv_heads = 2;
    config.head_dim = 16;
    config.vocab = 61;
    config.tied = false; // a tied head over random weights only repeats the last token
    config.max_positions = max_positions;
    return config;
}

DraftConfig micro_head(DraftConfig::Method method, const ModelConfig& target) {
    DraftConfig config;
    config.method = method;
    config.layer = target;
    const bool eagle = method == DraftConfig::Method::eagle3 || method == DraftConfig::Method::dart;
    config.layer.layers = eagle ? 1 : 2;
    config.layer.qk_norm = !eagle;
    config.layer.head_dim = 12;
    config.taps = {0, 2, 4};
    config.block = 8;
    config.mask_id = 60;
    config.anchor_aligned = method == DraftConfig::Method::domino || method == DraftConfig::Method::dspark;
    config.draft_vocab = eagle ? 40 : 0;
    if (method == DraftConfig::Method::dart) config.masks = 6, config.output_norms = 2;
    config.gru = 10;
    config.rank = 6;
    config.prefix = 1;
    config.markov_rank = 5;
    config.confidence = config.confidence_with_markov = true;
    config.conv_taps = 2;
    config.conv_group = 16;
    config.candidates = 5;
    config.selector_rank = 7;
    config.medusa_heads = 4;
    config.medusa_blocks = 1;
    if (method == DraftConfig::Method::medusa || method == DraftConfig::Method::mtp) config.taps = {target.layers};
    if (method == DraftConfig::Method::mtp) config.layer.layers = 1, config.tensors = "mtp_layers.0.";
    return config;
}

std::shared_ptr<const Models> random_models(int threads, const ModelConfig& target, const ModelConfig& draft, DType form,
                                            Precision precision, std::uint64_t seed) {
    auto models = std::make_shared<Models>();
    models->backend = test_backend(threads);
    models->target = Model::random(*models->backend, target, "micro target", seed, {}, form, precision);
    models->draft = Model::random(*models->backend, draft, "micro draft", 6, {}, form, precision);
    models->frequent = std::make_shared<FrequentIds>(61, std::vector<int>{});
    using Method = DraftConfig::Method;
    for (const Method method :
         {Method::eagle3, Method::dflash, Method::dflash2, Method::domino, Method::dspark, Method::medusa, Method::dart, Method::mtp})
        models->networks.emplace(name_of(method),
                                 DraftNetwork::random(models->target, micro_head(method, models->target->config), name_of(method), 7));
    return models;
}

std::shared_ptr<const Models> micro_models(int threads, int max_positions) {
    return random_models(threads, micro_config(6, 48, max_positions), micro_config(2, 32, max_positions));
}

std::string called(const MultipliedAs& products) {
    const std::string precision = speclens::name_of(products.first);
    return precision + (products == products_in(products.first) ? "" : std::string("_") + speclens::name_of(products.second));
}

MultipliedAs products_in(Precision precision) { return {precision, precision == Precision::int8 ? DType::q8_0 : DType::bf16}; }

std::shared_ptr<const Models> precise_models(int threads, const MultipliedAs& products) {
    return random_models(threads, micro_config(6, 64), micro_config(2, 32), products.second, products.first, 2);
}

std::shared_ptr<const Models> reduced_models(int threads) {
    auto models = std::make_shared<Models>(*micro_models(threads));
    models->networks.clear();
    using Method = DraftConfig::Method;
    for (const Method method : {Method::dflash, Method::domino, Method::dspark}) {
        DraftConfig config = micro_head(method, models->target->config);
        config.draft_vocab = 30;
        config.gathers_head = method == Method::domino;
        config.own_mask = true;
        config.mask_id = -1;
        models->networks.emplace(name_of(method), DraftNetwork::random(models->target, config, name_of(method), 7));
    }
    return models;
}

std::shared_ptr<const Models> perfect_draft_models(int threads) {
    auto models = std::make_shared<Models>();
    models->backend = test_backend(threads);
    models->target = Model::random(*models->backend, micro_config(6, 48), "micro target", 5);
    models->draft = models->target;
    return models;
}

} // namespace speclens::test
