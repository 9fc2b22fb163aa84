// The loss of an MTP head (engine/drafters/mtp.cpp) on texts that the target wrote, and its gradient: of one decoder layer, of the
// matrix that joins a pair, and of five norms. The target, its embedding and its output matrix stay as they are.
//
// Depth i of row t reads the embedding of token t + 1 + i and, at depth 0, the target's state at t after its final norm, later its
// own output at depth i - 1. It predicts token t + 2 + i, and learns the target's distribution there:
//     loss = Σ_i w_i · mean over rows of (−Σ_v p(v) log softmax(g · Eᵀ)(v)),   w_i = 0.6^i / Σ_j 0.6^j
// (FastMTP, arXiv 2509.18362, with its weights). A row sees the rows of true states up to its own and its own chain, as it will when
// it drafts. Products run on the target's backend, everything else on the host, in f32.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "engine/model/model.h"

namespace speclens {

class DraftNetwork;

inline constexpr double kMtpDecay = 0.6; // of the weight of the next depth

// f32 on the host, row-major; h hidden, H and K heads of d, f feed-forward.
struct MtpWeights {
    std::vector<float> join;                    // (h, 2h): columns of the embedding, then of the state
    std::vector<float> token_norm, hidden_norm; // (h)
    std::vector<float> input_norm;              // (h)
    std::vector<float> q, k, v, o;              // (H*d, h) (K*d, h) (K*d, h) (h, H*d)
    std::vector<float> q_norm, k_norm;          // (d), empty where the target has none
    std::vector<float> post_norm;               // (h)
    std::vector<float> gate, up, down;          // (f, h) (f, h) (h, f)
    std::vector<float> norm;                    // (h)

    [[nodiscard]] std::array<std::vector<float>*, 15> all() {
        return {&join, &token_norm, &hidden_norm, &input_norm, &q, &k, &v, &o, &q_norm, &k_norm, &post_norm, &gate, &up, &down, &norm};
    }
    [[nodiscard]] std::array<const std::vector<float>*, 15> all() const {
        return {&join, &token_norm, &hidden_norm, &input_norm, &q, &k, &v, &o, &q_norm, &k_norm, &post_norm, &gate, &up, &down, &norm};
    }
};
// The name and shape of each of all() in a file, in speculators' layout.
struct MtpTensor {
    const char* name = "";
    std::vector<std::int64_t> shape;
};
[[nodiscard]] std::array<MtpTensor, 15> mtp_tensors(const ModelConfig& layer);

[[nodiscard]] ModelConfig mtp_shape(const ModelConfig& target); // of a layer like the target's, without biases and stretched positions

// The target's last layer once more, on its state alone.
[[nodiscard]] MtpWeights mtp_start(const Model& target);
[[nodiscard]] MtpWeights mtp_weights(const DraftNetwork& head); // of a head that is loaded

struct MtpText {
    std::vector<int> tokens;
    std::vector<float> states; // (tokens - 1, h): the target's at each token but the last, after its final norm
    int first = 0;             // the first row whose draft tokens count; those before are only seen
    // Rows whose draft token at depth i counts: first … tokens - 3 - i.
    [[nodiscard]] int places(int depth = 0) const { return std::max(0, static_cast<int>(tokens.size()) - 2 - depth - first); }
};

class MtpGradient {
  public:
    // `shape`: of the layer, which may have other heads than the target's. Throws Error (memory).
    MtpGradient(std::shared_ptr<const Model> target, ModelConfig shape);
    ~MtpGradient();

    // Fills `gradient`, in the shapes of `weights`, and returns the loss of `depths` depths, 1 … 8.
    double loss(const MtpWeights& weights, std::span<const MtpText* const> texts, int depths, MtpWeights& gradient);
    // What each depth drafts at every place of a text that counts (places()), true tokens before it: the likeliest token.
    [[nodiscard]] std::vector<std::vector<int>> predictions(const MtpWeights& weights, const MtpText& text, int depths);

  private:
    struct Pass;
    struct Depth;
    [[nodiscard]] static Pass plan(const MtpWeights& weights, std::span<const MtpText* const> texts, int depths);
    void forward(Pass& pass);
    void backward(Pass& pass);
    double head_loss(Pass& pass);
    // (m, n) = a (m, k) · b (n, k)ᵀ
    [[nodiscard]] std::vector<float> product(std::span<const float> a, std::span<const float> b, std::size_t k);
    [[nodiscard]] std::vector<float> logits(std::span<const float> states);

    [[nodiscard]] Backend& backend() const { return *target_->backend; }
    std::shared_ptr<const Model> target_;
    ModelConfig shape_;
    Buffer head_transposed_; // (h, V)
    Buffer left_, right_, out_;
    std::vector<float> angles_; // (positions, d): cos, then sin
};

} // namespace speclens
