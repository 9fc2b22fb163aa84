// An MTP layer that learns here, begun as the target's last layer. Loss and gradient: engine/lab/mtp_gradient.h.
#pragma once

#include "engine/lab/head_training.h"
#include "engine/lab/mtp_gradient.h"

namespace speclens {

// Files: speculators' layout (mtp_layers.0.*).
class MtpTraining final : public HeadTraining {
  public:
    MtpTraining(std::shared_ptr<const Models> models, HeadPlan plan); // throws what check_plan throws
    [[nodiscard]] std::shared_ptr<const DraftNetwork> network() const override;

  private:
    void keep(Text&& text, bool held) override;
    void start() override;
    double optimise(int step, double rate) override;
    [[nodiscard]] Predictions predictions() override { return predictions_of(weights_, *gradient_); }
    void write_files(const std::filesystem::path& folder) const override;
    [[nodiscard]] Predictions predictions_of(const MtpWeights& weights, MtpGradient& gradient) const;

    std::vector<MtpText> trained_, held_;
    std::unique_ptr<MtpGradient> gradient_;
    MtpWeights weights_, slope_, mean_, square_; // Adam's two moments
};

} // namespace speclens
