// A transformer with random weights that knows six tokens, with draft model and heads: where there are few tokens, target and draft
// agree now and then, so that a rule has something to keep and something to refuse. With the 61 of micro.h it hardly has.
#pragma once

#include "engine/drafters/draft_network.h"
#include "engine/model/frequent.h"
#include "tests/shared/micro.h"
#include "tests/shared/test_backend.h"

namespace speclens::test {

inline constexpr int kNarrowIds = 6;

// It repeats itself, for who copies.
inline std::vector<int> narrow_prompt() { return {1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2}; }

// reduced: the block heads rank three of the ids, behind a mask of their own; Domino's with the target's rows.
inline std::shared_ptr<const Models> narrow_models(int threads, const MultipliedAs& products = kProductsInF32, bool reduced = false) {
    const auto& [precision, form] = products;
    ModelConfig target = micro_config(6, 64), draft = micro_config(2, 32);
    target.vocab = draft.vocab = kNarrowIds;
    auto models = std::make_shared<Models>();
    models->backend = test_backend(threads);
    models->target = Model::random(*models->backend, target, "narrow target", 5, {}, form, precision);
    models->draft = Model::random(*models->backend, draft, "narrow draft", 6, {}, form, precision);
    models->frequent = std::make_shared<FrequentIds>(kNarrowIds, std::vector<int>{});
    using Method = DraftConfig::Method;
    for (const Method method :
         {Method::eagle3, Method::dflash, Method::dflash2, Method::domino, Method::dspark, Method::medusa, Method::dart, Method::mtp}) {
        DraftConfig config = micro_head(method, models->target->config);
        config.candidates = 3; // of six ids
        config.mask_id = kNarrowIds - 1;
        if (config.draft_vocab > 0) config.draft_vocab = 4;
        if (const bool block = method == Method::dflash || method == Method::domino || method == Method::dspark; block && reduced) {
            config.draft_vocab = 3;
            config.gathers_head = method == Method::domino;
            config.own_mask = true;
            config.mask_id = -1;
        }
        models->networks.emplace(name_of(method), DraftNetwork::random(models->target, config, name_of(method), 7));
    }
    return models;
}

} // namespace speclens::test
