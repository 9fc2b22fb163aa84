// Medusa (Cai et al. 2024, arXiv 2401.10774 §2.1): extra heads on the target's last normed
// state. Head i predicts the token i + 2 after the state's own, each without knowing what the others draft.
// What the chain and the tree share: the state, and the heads' logits.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/drafters/draft_network.h"
#include "engine/drafters/drafter.h"
#include "engine/model/model_rows.h"

namespace speclens {

class MedusaDrafter : public Drafter {
  public:
    explicit MedusaDrafter(const DrafterArgs& args);
    [[nodiscard]] std::vector<int> taps() const override { return network_->config.taps; }
    void begin(std::span<const int>) override { length_ = 0; }
    void observe(const Observation& observation) override;

  protected:
    [[nodiscard]] int heads() const { return network_->config.most_drafts(); }
    [[nodiscard]] int vocab() const { return network_->config.layer.vocab; }
    // Logits of the first `count` heads after `sequence`, row i those of head i. False: there is no state of
    // it.
    [[nodiscard]] bool predict(std::span<const int> sequence, int count);
    [[nodiscard]] ModelRows& rows() { return rows_; }

  private:
    [[nodiscard]] Backend& backend() const { return network_->backend(); }

    std::shared_ptr<const DraftNetwork> network_;
    ModelRows rows_;
    std::vector<OutputHead> outputs_; // of each head, perhaps cut; one where they share the target's
    Buffer state_;                    // (1, h)
    Buffer x_, delta_;                // (heads, h)
    int length_ = 0;                  // positions of the text up to the state's
};

} // namespace speclens
