// A transformer with random weights, small enough that a forward pass takes microseconds: target and draft
// of one vocabulary, for the laws, the conformance suite and the session tests.
#pragma once

#include <memory>

#include "engine/models.h"

namespace speclens::test {

inline ModelConfig micro_config(int layers, int hidden) {
    ModelConfig config;
    config.hidden = hidden;
    config.ffn = hidden * 2;
    config.layers = layers;
    config.heads = 4;
    config.kv_heads = 2;
    config.head_dim = 16;
    config.vocab = 61;
    config.tied = false;  // a tied head over random weights only repeats the last token
    config.max_positions = 512;
    return config;
}

inline std::shared_ptr<const Models> micro_models(int threads) {
    auto models = std::make_shared<Models>();
    models->backend = make_cpu_backend({.threads = threads});
    models->target = Model::random(*models->backend, micro_config(6, 48), "micro target", 5);
    models->draft = Model::random(*models->backend, micro_config(2, 32), "micro draft", 6);
    return models;
}

// The target drafts for itself: every greedy draft is accepted.
inline std::shared_ptr<const Models> perfect_draft_models(int threads) {
    auto models = std::make_shared<Models>();
    models->backend = make_cpu_backend({.threads = threads});
    models->target = Model::random(*models->backend, micro_config(6, 48), "micro target", 5);
    models->draft = models->target;
    return models;
}

}  // namespace speclens::test
