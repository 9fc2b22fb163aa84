// Layer-skip self-speculation: the target drafts for itself with some layers or sub-layers left out (early
// exit: LayerSkip, Elhoushi et al. 2024; sub-layer sets: Draft & Verify, Zhang et al. 2024). The draft writes
// past the committed length of the layers it runs; afterwards the cache is cut back, and the verify pass
// overwrites those slots with the full model's values.
#include <algorithm>

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/drafter_info.h"
#include "kernels/error.h"

namespace speclens {
namespace {

class Skip final : public Drafter {
  public:
    explicit Skip(const DrafterArgs& args) : target_(args.target) {
        const DrafterOptions& options = args.options;
        if (options.fr_spec > 0) reduced_ = target_.reduced_head(*args.frequent, options.fr_spec);
        plan_ = skip_plan(options, target_.layers());
    }
    void begin(std::span<const int>) override {}
    void observe(const Observation&) override {}

    Draft draft(const DraftRequest& request) override {
        Draft draft;
        const int committed = target_.length();
        int feed = request.sequence.back();
        for (int i = 0; i < request.k; ++i) {
            if (!goes_further(draft, request)) break;
            const Stopwatch watch;
            PassRows& rows =
                target_.forward({.tokens = std::span(&feed, 1), .plan = plan_, .head = reduced_.reduced() ? &reduced_ : nullptr});
            if (!goes_on(rows, 0, i, request)) break;
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
    OutputHead reduced_; // no ids: the target's own head
};

} // namespace

LayerPlan skip_plan(const DrafterOptions& options, int layers) {
    const bool sets_only = options.exit_layer == 0 && !(options.skip_attention.empty() && options.skip_mlp.empty());
    LayerPlan plan;
    plan.exit_layer = options.exit_layer > 0 ? options.exit_layer : sets_only ? -1 : std::max(1, layers * 2 / 3);
    plan.skip_attention = options.skip_attention;
    plan.skip_mlp = options.skip_mlp;
    return plan;
}

namespace {

void check_layers(const DrafterOptions& options, int target_layers) {
    if (options.exit_layer < 0 || options.exit_layer > target_layers)
        throw Error("--exit-layer must be 1 … " + std::to_string(target_layers) + " for this target, got " +
                        std::to_string(options.exit_layer),
                    "Leave it out to use two thirds of the layers.", Exit::usage);
    for (const std::vector<int>* set : {&options.skip_attention, &options.skip_mlp})
        for (const int layer : *set)
            if (layer < 0 || layer >= target_layers)
                throw Error("layer " + std::to_string(layer) + " to skip does not exist; the target has layers 0 … " +
                                std::to_string(target_layers - 1),
                            "List layer numbers separated by commas.", Exit::usage);
}

} // namespace

DrafterInfo skip_info() {
    return named<"skip">({
        .short_title = drafter_said("skip.short"_t),
        .icon = "half_disc",
        .noun = drafter_said("skip.noun"_t),
        .cost = draft_cost<"cost.part">,
        .kin = {.takes = drafter_said("kin.takes:layers"_t),
                .sequential = drafter_said("kin.sequential:short_pass"_t),
                .keeps = drafter_said("kin.keeps:rows"_t),
                .year = 2023,
                .source = "arXiv:2309.08168",
                .served = "transformers"},
        .needs_layers = true,
        .race_place = 8,
        .reads = {Setting::exit_layer, Setting::skip_attention, Setting::skip_mlp, Setting::fr_spec},
        .published = {"layerskip", "draft_verify", "swift"},
        .check = check_layers,
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<Skip>(args); },
    });
}

} // namespace speclens
