// A transformer with random weights, small enough that a forward pass takes microseconds: target and draft
// of one vocabulary, for the distributions, the conformance suite and the session tests.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "engine/heads/draft_config.h"
#include "engine/models/models.h"
#include "engine/run/run.h"

namespace speclens::test {

[[nodiscard]] ModelConfig micro_config(int layers, int hidden, int max_positions = 512);

// A head of each kind with random weights: 2 layers, blocks of 8, 40 of the 61 ids for EAGLE-3.
[[nodiscard]] DraftConfig micro_head(DraftConfig::Method method, const ModelConfig& target);

// Target, draft and a head of each kind.
[[nodiscard]] std::shared_ptr<const Models> random_models(int threads, const ModelConfig& target, const ModelConfig& draft,
                                                          DType form = DType::bf16, Precision precision = Precision::f32,
                                                          std::uint64_t seed = 5);

[[nodiscard]] std::shared_ptr<const Models> micro_models(int threads, int max_positions = 512);

// Products in this precision with matrices of target and draft that are kept so: what the laws are held in. As Q8_0 their rows are
// whole blocks.
using MultipliedAs = std::pair<Precision, DType>;
inline constexpr MultipliedAs kProductsInF32{Precision::f32, DType::bf16}, kProductsInBf16{Precision::bf16, DType::bf16},
    kProductsInInt8{Precision::int8, DType::q8_0}, kKeptAsQ8_0{Precision::bf16, DType::q8_0};
[[nodiscard]] std::string called(const MultipliedAs& products); // "bf16", "int8"; of kept matrices in bf16 "bf16_Q8_0"
[[nodiscard]] MultipliedAs products_in(Precision precision);    // one of the first three

// A target whose greedy text does not only repeat itself.
[[nodiscard]] std::shared_ptr<const Models> precise_models(int threads, const MultipliedAs& products);
[[nodiscard]] inline std::shared_ptr<const Models> precise_models(int threads, Precision precision) {
    return precise_models(threads, products_in(precision));
}

// The same target with block heads that rank 30 of the 61 ids, behind a mask of their own; Domino's with the target's rows.
[[nodiscard]] std::shared_ptr<const Models> reduced_models(int threads);

// The target drafts for itself: every greedy draft is accepted.
[[nodiscard]] std::shared_ptr<const Models> perfect_draft_models(int threads);

// Forty tokens, greedy, over a prompt that repeats itself.
inline RunSettings greedy(const std::string& drafter, int k) {
    RunSettings settings;
    settings.prompt.token_ids = {7, 8, 9, 7, 8, 9, 7, 8};
    settings.drafter = drafter;
    settings.k = k;
    settings.sampling.temperature = 0;
    settings.max_tokens = 40;
    settings.timing = false;
    return settings;
}

[[nodiscard]] inline std::unique_ptr<speclens::Run> finished(const std::shared_ptr<const Models>& models, const RunSettings& settings) {
    auto run = std::make_unique<speclens::Run>(models, settings);
    run->finish();
    return run;
}

} // namespace speclens::test
