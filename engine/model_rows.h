// The logits of one pass over a checkpoint, and what is derived from them on demand: argmax ids and laws.
// Internal to the engine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/decoder.h"
#include "kernels/backend.h"

namespace speclens {

class ModelRows final : public PassRows {
  public:
    ModelRows(Backend& backend, int vocab, std::string model)
        : backend_(&backend), vocab_(vocab), model_(std::move(model)) {}

    // Starts a pass: forgets the last one and returns the (count, V) tensor that the head writes to.
    Tensor begin(int count);

    [[nodiscard]] int count() const override { return count_; }
    [[nodiscard]] const std::vector<int>& argmax() override;
    [[nodiscard]] Law law(int row, const Sampling& sampling) override;
    [[nodiscard]] Top raw_top(int row, int entries) override;
    [[nodiscard]] std::vector<float> logits(int row) override;

  private:
    [[nodiscard]] std::vector<float> download(const Buffer& rows, int row) const;
    [[nodiscard]] Law compute_law(int row, const Sampling& sampling);
    void compute_probabilities(double temperature);
    [[noreturn]] void not_finite() const;

    Backend* backend_;
    int vocab_;
    std::string model_;
    int count_ = 0;
    Buffer logits_;                     // (rows, V), grows
    Buffer probabilities_;              // (rows, V), softmax of logits_ at `temperature_`
    Buffer best_;                       // (1, rows) i32
    Buffer top_ids_, top_values_;       // (1, entries) i32 and f32
    std::optional<double> temperature_; // of probabilities_, none: not computed in this pass
    bool argmax_known_ = false;
    std::vector<int> argmax_;
    std::optional<Sampling> sampling_;     // of laws_
    std::vector<std::optional<Law>> laws_; // per row
};

} // namespace speclens
