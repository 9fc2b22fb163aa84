// Medusa heads that learn here: the smallest drafter that can be trained. Loss and gradient: engine/lab/medusa_gradient.h.
#pragma once

#include "engine/lab/head_training.h"
#include "engine/lab/medusa_gradient.h"

namespace speclens {

// The first point is of heads that repeat the target's own draft token. Files: the layout of Medusa's authors with one shared output
// matrix.
class MedusaTraining final : public HeadTraining {
  public:
    MedusaTraining(std::shared_ptr<const Models> models, HeadPlan plan); // throws what check_plan throws
    [[nodiscard]] std::shared_ptr<const DraftNetwork> network() const override;

  private:
    struct Places {
        std::vector<float> states;            // (places, h)
        std::vector<std::vector<int>> labels; // of each head
    };
    void keep(Text&& text, bool held) override;
    void start() override;
    double optimise(int step, double rate) override;
    [[nodiscard]] Predictions predictions() override;
    void write_files(const std::filesystem::path& folder) const override;

    Places trained_;
    std::vector<float> held_states_;
    std::unique_ptr<MedusaGradient> gradient_;
    std::vector<MedusaWeights> heads_, slope_, mean_, square_; // Adam's two moments
};

} // namespace speclens
