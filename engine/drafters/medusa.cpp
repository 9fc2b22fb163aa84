// Medusa (Cai et al. 2024, §2.1; formats §8.1): extra heads on the target's last normed state. Head i guesses the token
// i + 2 after the state's own, each without knowing what the others guess. Here as a chain of the heads' own draws.
#include <algorithm>

#include "engine/clock.h"
#include "engine/draft_network.h"
#include "engine/drafters/chain.h"
#include "engine/model_rows.h"

namespace speclens {
namespace {

class Medusa final : public Drafter {
  public:
    explicit Medusa(const DrafterArgs& args)
        : network_(args.network), rows_(network_->backend(), network_->config.layer.vocab, network_->name) {
        const int hidden = network_->config.layer.hidden;
        state_ = Buffer(backend(), DType::f32, 1, hidden);
        x_ = Buffer(backend(), DType::f32, 1, hidden);
        delta_ = Buffer(backend(), DType::f32, 1, hidden);
    }

    [[nodiscard]] std::vector<int> taps() const override { return network_->config.taps; }
    void begin(std::span<const int>) override { length_ = 0; }
    void observe(const Observation& observation) override {
        const Tensor& features = observation.features;
        backend().copy(features.slice(features.rows - 1, 1), state_.view());
        length_ = observation.first + static_cast<int>(features.rows);
    }

    [[nodiscard]] Draft draft(const DraftRequest& request) override {
        Draft draft;
        if (length_ != static_cast<int>(request.sequence.size()) - 1 || length_ == 0) return draft;
        const int k = std::min(request.k, network_->config.most_drafts());
        const Tensor logits = rows_.begin(k);
        Stopwatch watch;
        for (int i = 0; i < k; ++i) {
            run(network_->medusa[static_cast<std::size_t>(i)], logits.slice(i, 1));
        }
        for (int i = 0; i < k; ++i) {
            draft.nodes.push_back(next_node(rows_, i, i, network_->config.layer.vocab, request));
            draft.nodes.back().ms = watch.ms(); // the first node's time includes all heads
            watch = {};
            if (is_stop(request.stops, draft.nodes.back().token)) break;
        }
        return draft;
    }

  private:
    [[nodiscard]] Backend& backend() const { return network_->backend(); }

    // x + silu(W x + b) for every block of the head, then its logits.
    void run(const MedusaHead& head, const Tensor& logits) {
        backend().copy(state_.view(), x_.view());
        for (const MedusaHead::Block& block : head.blocks) {
            const Projection linear[] = {{block.weight.view(), block.bias.view(), delta_.view()}};
            backend().matmul(x_.view(), linear);
            backend().silu(delta_.view());
            backend().add_norm(x_.view(), delta_.view(), {}, 0, {});
        }
        const Tensor& output = network_->config.shared_head ? network_->target->head() : head.head.view();
        const Projection out[] = {{output, {}, logits}};
        backend().matmul(x_.view(), out);
    }

    std::shared_ptr<const DraftNetwork> network_;
    ModelRows rows_;
    Buffer state_, x_, delta_; // (1, h)
    int length_ = 0;           // positions of the text up to the state's
};

}  // namespace

std::unique_ptr<Drafter> make_medusa(DrafterArgs args) { return std::make_unique<Medusa>(args); }

}  // namespace speclens
