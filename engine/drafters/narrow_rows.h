// The rows of a draft model that has more ids than the target (heads are padded to different widths: 152 064
// rows in Qwen2.5-7B, 151 936 in Qwen3-32B, for the same tokens). What the target cannot say is no guess: its
// mass goes to the ids that both have, in proportion.
#pragma once

#include "engine/model/decoder.h"

namespace speclens {

class NarrowRows final : public PassRows {
  public:
    // `draft` and `target`: ids of the two.
    NarrowRows(int draft, int target) : wide_(draft > target), ids_(static_cast<std::size_t>(target)) {}

    // `rows`, of the draft model, over the target's ids; valid until its next pass.
    [[nodiscard]] PassRows& of(PassRows& rows);

    [[nodiscard]] int count() const override { return rows_->count(); }
    [[nodiscard]] const std::vector<int>& argmax() override;
    [[nodiscard]] std::vector<float> logits(int row) override;

  private:
    void compute_distribution(int row, const Sampling& sampling, Distribution& distribution) override;

    bool wide_;
    std::size_t ids_;
    PassRows* rows_ = nullptr;
    std::vector<int> best_;
};

} // namespace speclens
