// EAGLE-3 as a chain: the head runs once per draft token, each time on its own last output.
#include <algorithm>
#include <cmath>

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/drafter_info.h"
#include "engine/drafters/eagle3_head.h"
#include "kernels/error.h"

namespace speclens {
namespace {

class Eagle3 final : public Eagle3Drafter {
  public:
    using Eagle3Drafter::Eagle3Drafter;

    [[nodiscard]] Draft draft(const DraftRequest& request) override {
        Draft draft;
        Stopwatch watch;
        own_.clear();
        if (!catch_up(request.sequence, request.internals)) return draft;
        const int k = std::min(request.k, head().capacity() - head().length());
        for (int i = 0; i < k; ++i) {
            if (!goes_further(draft, request)) break;
            if (i > 0) head().extend(draft.nodes.back().token, i - 1);
            head().predict();
            if (!goes_on(head().rows(), 0, i, request)) break;
            draft.nodes.push_back(node(i, request));
            draft.nodes.back().ms = watch.ms() - draft.nodes.back().record_ms;
            if (request.internals) look(i, draft.nodes.back().internals);
            watch = {};
            if (is_stop(request.stops, draft.nodes.back().token)) break;
        }
        return draft;
    }

    // How far the features that the head made up were from those that the target computed for the same
    // positions: |own - true| / |true| for every step whose token the target kept.
    [[nodiscard]] Internals look_back() override {
        Internals internals;
        if (own_.empty() || observed().rows == 0) return internals;
        const std::vector<float> fused = head().fused(observed());
        const std::size_t hidden = own_.front().size();
        std::vector<float> errors, own, truth;
        for (std::size_t i = 0; i < own_.size() && (i + 1) * hidden <= fused.size() && i < Internals::kCells; ++i) {
            const auto real = std::span(fused).subspan(i * hidden, hidden);
            double gap = 0;
            for (std::size_t j = 0; j < hidden; ++j) gap += std::pow(static_cast<double>(own_[i][j]) - static_cast<double>(real[j]), 2);
            own.push_back(static_cast<float>(norm(own_[i])));
            truth.push_back(static_cast<float>(norm(real)));
            errors.push_back(truth.back() > 0 ? static_cast<float>(std::sqrt(gap)) / truth.back() : 0);
        }
        internals.add("feature error", errors);
        internals.add("own norm", own);
        internals.add("true norm", truth);
        return internals;
    }

  private:
    static double norm(std::span<const float> values) {
        double squares = 0;
        for (const float value : values) squares += static_cast<double>(value) * static_cast<double>(value);
        return std::sqrt(squares);
    }

    // Step `index`: the feature it read (the target's, then the head's own) and the one it made.
    void look(int index, Internals& internals) {
        const auto hidden = static_cast<std::size_t>(head().network().config.layer.hidden);
        if (index > 0) {
            internals.add("feature", own_.back());
        } else if (const Tensor taps = newest_taps(); !taps.empty()) {
            internals.add("feature", head().fused(taps));
            std::vector<float> values(static_cast<std::size_t>(taps.size()));
            head().network().backend().download(taps, values.data());
            const std::vector<int>& layers = head().network().config.taps;
            for (std::size_t i = 0; i < layers.size(); ++i)
                internals.add(std::string(Internals::Strip::kTap) + std::to_string(layers[i]),
                              std::span(values).subspan(i * hidden, hidden));
        }
        own_.emplace_back(hidden);
        head().network().backend().download(head().outputs(), own_.back().data());
        internals.add("output", own_.back());
        internals.add("output l2", norm(own_.back()));
    }

    DraftNode node(int index, const DraftRequest& request) {
        DraftNode node;
        node.parent = index - 1;
        ModelRows& rows = head().rows();
        const std::optional<int> forced = request.forced(index);
        if (request.raw_distributions) node.raw_distribution = head().widened(rows.distribution(0, kRawSampling)); // before the sampled one
        if (request.sampling.temperature > 0) {
            const Distribution& distribution =
                rows.distribution(0, request.sampling); // of the ids that the head ranks, in the target's order
            if (!forced) {
                node.u = request.coin(index);
                node.token = head().target_id(sample(distribution, *node.u));
            }
            node.distribution = head().widened(distribution);
        } else if (!forced) {
            node.token = head().target_id(rows.argmax()[0]);
        }
        if (forced) {
            node.token = *forced;
            node.extra = kForced;
        }
        if (request.entries != 0) {
            const Stopwatch watch;
            RecordedRow heads = rows.heads(0, request.sampling, request.entries);
            node.heads = {head().widened(std::move(heads.distribution)), head().widened(std::move(heads.raw))};
            node.record_ms = watch.ms();
        }
        return node;
    }

    std::vector<std::vector<float>> own_; // the outputs of the last draft's steps, for the internals
};

} // namespace

DrafterInfo eagle3_info() {
    return with_head<"eagle3">({
        .icon = "triangle_up",
        .cost = draft_cost<"cost.passes">,
        .kin = {.takes = drafter_said("kin.takes:three"_t),
                .sequential = drafter_said("kin.sequential:layer"_t),
                .keeps = drafter_said("kin.keeps:layer"_t),
                .year = 2025,
                .source = "arXiv:2503.01840",
                .served = "vLLM, SGLang, TRT-LLM, llama.cpp"},
        .method = "eagle3",
        .own_ids = true,
        .default_order = 2,
        .race_place = 1,
        .published = {"eagle3"},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<Eagle3>(args); },
    });
}

} // namespace speclens
