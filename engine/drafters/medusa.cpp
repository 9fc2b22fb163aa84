// Medusa as a chain of the heads' own draws, and the part that both ways of drafting share.
#include "engine/drafters/medusa.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"

namespace speclens {

MedusaDrafter::MedusaDrafter(const DrafterArgs& args)
    : network_(args.network),
      rows_(network_->backend(), network_->config.layer.vocab, tokens_of(*network_->target), network_->name) {
    const int hidden = network_->config.layer.hidden;
    state_ = Buffer(backend(), DType::f32, 1, hidden);
    x_ = Buffer(backend(), DType::f32, 1, hidden);
    delta_ = Buffer(backend(), DType::f32, 1, hidden);
    for (const MedusaHead& head : network_->medusa)
        outputs_.push_back(network_->config.shared_head ? args.target_head() : args.output_head(head.head.view()));
}

void MedusaDrafter::observe(const Observation& observation) {
    const Tensor& features = observation.features;
    backend().copy(features.slice(features.rows - 1, 1), state_.view());
    length_ = observation.first + static_cast<int>(features.rows);
}

bool MedusaDrafter::predict(std::span<const int> sequence, int count) {
    if (length_ != static_cast<int>(sequence.size()) - 1 || length_ == 0 || count <= 0) return false;
    const Tensor logits = rows_.begin(count, outputs_[0].ids);
    for (int i = 0; i < count; ++i) run(i, logits.slice(i, 1));
    return true;
}

// x + silu(W x + b) for every block of the head, then its logits.
void MedusaDrafter::run(int head, const Tensor& logits) {
    backend().copy(state_.view(), x_.view());
    for (const MedusaHead::Block& block : network_->medusa[static_cast<std::size_t>(head)].blocks) {
        const Projection linear[] = {{block.weight.view(), block.bias.view(), delta_.view()}};
        backend().matmul(x_.view(), linear);
        backend().silu(delta_.view());
        backend().add_norm(x_.view(), delta_.view(), {}, 0, {});
    }
    const Projection out[] = {{outputs_[static_cast<std::size_t>(head)].weight, {}, logits}};
    backend().matmul(x_.view(), out);
}

namespace {

class Medusa final : public MedusaDrafter {
  public:
    using MedusaDrafter::MedusaDrafter;

    [[nodiscard]] Draft draft(const DraftRequest& request) override {
        Draft draft;
        Stopwatch watch;
        const int k = std::min(request.k, heads());
        if (!predict(request.sequence, k)) return draft;
        for (int i = 0; i < k; ++i) {
            draft.nodes.push_back(next_node(rows(), i, i, vocab(), request));
            draft.nodes.back().ms = watch.ms() - draft.nodes.back().record_ms; // the first node's time includes all heads
            watch = {};
            if (is_stop(request.stops, draft.nodes.back().token)) break;
        }
        return draft;
    }
};

} // namespace

std::unique_ptr<Drafter> make_medusa(DrafterArgs args) {
    return std::make_unique<Medusa>(args);
}

} // namespace speclens
