// The rows of a draft model over the target's ids, where the two do not have the same: a head that is padded to another width (152 064
// rows in Qwen2.5-7B, 151 936 in Qwen3-32B, for the same tokens), or another vocabulary (engine/text/vocabulary_map.h). What the target
// cannot say is no draft token: its mass goes to the ids that both have, in proportion; what only the target has is never drafted
// (token-level intersection, arXiv 2502.05202).
#pragma once

#include <span>
#include <vector>

#include "engine/model/decoder.h"

namespace speclens {

class MappedRows final : public PassRows {
  public:
    MappedRows(int draft, int target);                      // numbers of ids, of which equal ones mean the same
    MappedRows(std::span<const int> to_target, int target); // for every id of the draft that of the target; -1: there is none

    // `rows`, of the draft model, over the target's ids, or over fewer where all that it has are the target's; valid until its next pass.
    [[nodiscard]] PassRows& of(PassRows& rows);

    [[nodiscard]] int count() const override { return rows_->count(); }
    [[nodiscard]] const std::vector<int>& argmax() override;
    [[nodiscard]] std::vector<float> logits(int row) override; // minus infinity for ids of the target only

  private:
    void compute_distribution(int row, const Sampling& sampling, Distribution& distribution) override;
    // f(id of the target, id of the draft) for every id that both have.
    template <class F>
    void for_common(const F& f) const {
        for (std::size_t id = 0; id < to_target_.size(); ++id)
            if (to_target_[id] >= 0) f(static_cast<std::size_t>(to_target_[id]), id);
    }

    std::vector<int> to_target_; // empty: rows are passed on as they are
    std::size_t target_;
    PassRows* rows_ = nullptr;
    std::vector<int> best_;
};

} // namespace speclens
