// Layer-skip self-speculation: the target drafts for itself with some layers or sub-layers left out (early
// exit: LayerSkip, Elhoushi et al. 2024; sub-layer sets: Draft & Verify, Zhang et al. 2024). The draft writes
// past the committed length of the layers it runs; afterwards the cache is cut back, and the verify pass
// overwrites those slots with the full model's values.
#include <algorithm>

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"

namespace speclens {
namespace {

class Skip final : public Drafter {
  public:
    explicit Skip(const DrafterArgs& args) : target_(args.target) {
        const DrafterOptions& options = args.options;
        if (options.fr_spec > 0) cut_ = target_.cut_head(*args.frequent, options.fr_spec);
        plan_ = skip_plan(options, target_.layers());
    }
    void begin(std::span<const int>) override {}
    void observe(const Observation&) override {}

    Draft draft(const DraftRequest& request) override {
        Draft draft;
        const int committed = target_.length();
        int feed = request.sequence.back();
        for (int i = 0; i < request.k; ++i) {
            const Stopwatch watch;
            PassRows& rows = target_.forward({.tokens = std::span(&feed, 1), .plan = plan_,
                                                .head = cut_.cut() ? &cut_ : nullptr});
            DraftNode node = next_node(rows, 0, i, target_.vocab(), request);
            feed = node.token;
            node.ms = watch.ms() - node.record_ms;
            draft.nodes.push_back(std::move(node));
            if (is_stop(request.stops, feed)) break;
        }
        target_.truncate(committed);
        return draft;
    }

  private:
    Decoder& target_;
    LayerPlan plan_;
    OutputHead cut_;  // no ids: the target's own head
};

}  // namespace

LayerPlan skip_plan(const DrafterOptions& options, int layers) {
    const bool sets_only = options.exit_layer == 0 && !(options.skip_attention.empty() && options.skip_mlp.empty());
    LayerPlan plan;
    plan.exit_layer = options.exit_layer > 0 ? options.exit_layer : sets_only ? -1 : std::max(1, layers * 2 / 3);
    plan.skip_attention = options.skip_attention;
    plan.skip_mlp = options.skip_mlp;
    return plan;
}

std::unique_ptr<Drafter> make_skip(DrafterArgs args) { return std::make_unique<Skip>(args); }

}  // namespace speclens
