// The loss of Medusa heads on some states of the target, and its gradient. The target and its output matrix
// stay as they are (Medusa-1: Cai et al. 2024, arXiv 2401.10774, §2.2.1); head k computes u = x + silu(W x +
// b) and drafts the token k + 2 places behind the state with the target's own output matrix.
//     loss = Σ_k Σ_rows c_k · (−log softmax(u · Eᵀ)[label]) / Σ c_k,   c_k = 0.8^k
// over the rows that have a label. Multiplications run on the target's backend, everything small on the host.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/model/model.h"

namespace speclens {

// One head, f32 on the host, row-major.
struct MedusaWeights {
    std::vector<float> matrix; // (h, h)
    std::vector<float> bias;   // (h)
};
inline constexpr double kMedusaDecay = 0.8; // of the weight of the next head

struct MedusaBatch {
    std::vector<float> states;            // (rows, h): the target's last state after its final norm
    std::vector<std::vector<int>> labels; // of each head: a token per row, -1: none
};

class MedusaGradient {
  public:
    // `rows`: of a batch at most. Throws Error (memory).
    MedusaGradient(std::shared_ptr<const Model> target, int rows);

    // Fills `gradient` (one entry per head, the shapes of `heads`) and returns the loss.
    double loss(std::span<const MedusaWeights> heads, const MedusaBatch& batch, std::vector<MedusaWeights>& gradient);
    // What head `head` predicts for each state: the likeliest token, lowest id on ties.
    [[nodiscard]] std::vector<int> predictions(const MedusaWeights& head, std::span<const float> states);
    // The same of a head that is on the backend: weight (h, h), bias (1, h) or empty.
    [[nodiscard]] std::vector<int> predictions(const Tensor& weight, const Tensor& bias, std::span<const float> states);

  private:
    [[nodiscard]] Backend& backend() const { return *target_->backend; }
    void upload(const MedusaWeights& head); // to linear_ and bias_
    // Fills pre_, u_ and logits_.
    void forward(const Tensor& weight, const Tensor& bias, std::span<const float> states);

    std::shared_ptr<const Model> target_;
    int hidden_, vocab_, most_;
    Buffer states_, linear_, bias_, product_, u_, logits_; // (rows, h) … (rows, V)
    Buffer head_transposed_;                               // (h, V)
    Buffer ids_, picked_, labels_, from_labels_;           // (1, rows) i32, (rows, 1), (1, rows) i32, (rows, h)
    Buffer left_, right_, outer_;                          // (h, rows), (h, rows), (h, h)
    std::vector<float> pre_;                               // (rows, h): W x + b
};

} // namespace speclens
