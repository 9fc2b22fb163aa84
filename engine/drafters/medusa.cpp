// Medusa as a chain of the heads' own draws, and the part that both ways of drafting share.
#include "engine/drafters/medusa.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/drafter_info.h"
#include "kernels/backend.h"

namespace speclens {

MedusaDrafter::MedusaDrafter(const DrafterArgs& args)
    : network_(args.network), rows_(network_->backend(), network_->config.layer.vocab, tokens_of(*network_->target), network_->name) {
    const int hidden = network_->config.layer.hidden;
    state_ = Buffer(backend(), DType::f32, 1, hidden);
    x_ = Buffer(backend(), DType::f32, heads(), hidden);
    delta_ = Buffer(backend(), DType::f32, heads(), hidden);
    if (network_->config.shared_head)
        outputs_.push_back(args.target_head());
    else
        for (const MedusaHead& head : network_->medusa) outputs_.push_back(args.output_head(head.head.view()));
}

void MedusaDrafter::observe(const Observation& observation) {
    const Tensor& features = observation.features;
    backend().copy(features.slice(features.rows - 1, 1), state_.view());
    length_ = observation.first + static_cast<int>(features.rows);
}

bool MedusaDrafter::predict(std::span<const int> sequence, int count) {
    if (length_ != static_cast<int>(sequence.size()) - 1 || length_ == 0 || count <= 0) return false;
    // x + silu(W x + b) for every block of every head. The first blocks read the same state: one launch.
    const Tensor x = x_.view().slice(0, count), delta = delta_.view().slice(0, count);
    const auto block = [&](int head, int number) -> const MedusaHead::Block& {
        return network_->medusa[static_cast<std::size_t>(head)].blocks[static_cast<std::size_t>(number)];
    };
    std::vector<Projection> linear;
    for (int i = 0; i < count; ++i) {
        backend().copy(state_.view(), x.slice(i, 1));
        linear.push_back({block(i, 0).weight.view(), block(i, 0).bias.view(), delta.slice(i, 1)});
    }
    for (int number = 0; number < network_->config.medusa_blocks; ++number) {
        if (number == 0) backend().matmul(state_.view(), linear);
        for (int i = 0; number > 0 && i < count; ++i) {
            const Projection own[] = {{block(i, number).weight.view(), block(i, number).bias.view(), delta.slice(i, 1)}};
            backend().matmul(x.slice(i, 1), own);
        }
        backend().silu(delta);
        backend().add_norm(x, delta, {}, 0, {});
    }
    // A shared output matrix is read once for all rows.
    const Tensor logits = rows_.begin(count, outputs_[0].ids);
    if (network_->config.shared_head) {
        const Projection out[] = {{outputs_[0].weight, {}, logits}};
        backend().matmul(x, out);
    }
    for (int i = 0; !network_->config.shared_head && i < count; ++i) {
        const Projection out[] = {{outputs_[static_cast<std::size_t>(i)].weight, {}, logits.slice(i, 1)}};
        backend().matmul(x.slice(i, 1), out);
    }
    return true;
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
            if (!goes_on(rows(), i, i, request)) break;
            draft.nodes.push_back(next_node(rows(), i, i, vocab(), request));
            draft.nodes.back().ms = watch.ms() - draft.nodes.back().record_ms; // the first node's time includes all heads
            watch = {};
            if (is_stop(request.stops, draft.nodes.back().token)) break;
        }
        return draft;
    }
};

} // namespace

DrafterInfo medusa_info() {
    return with_head<"medusa">({
        .icon = "triangle_down",
        .cost = draft_cost<"cost.heads">,
        .kin = {.takes = drafter_said("kin.takes:last"_t),
                .sequential = drafter_said("kin.sequential:heads_once"_t),
                .keeps = drafter_said("kin.keeps:nothing"_t),
                .year = 2024,
                .source = "arXiv:2401.10774",
                .served = "vLLM"},
        .method = "medusa",
        .drafting = Drafting::at_once,
        .race_place = 6,
        .reads = {Setting::fr_spec},
        .published = {"medusa"},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<Medusa>(args); },
    });
}

} // namespace speclens
