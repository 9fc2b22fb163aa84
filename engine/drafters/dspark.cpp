// DSpark (DeepSeek 2026): DFlash's block read from the anchor's row on, a Markov head that corrects each
// row by the token before it, and a head that estimates the probability that the draft token will be accepted.
#include <cmath>
#include <optional>

#include "engine/base/clock.h"
#include "engine/base/printed.h"
#include "engine/drafters/block.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/markov_head.h"
#include "kernels/error.h"

namespace speclens {
namespace {

class DSpark final : public BlockDrafter {
  public:
    explicit DSpark(const DrafterArgs& args)
        : BlockDrafter(args), corrected_(backend(), network().config.layer.vocab, tokens_of(*network().target), network().name),
          threshold_(args.options.confidence), corrects_(args.options.correction && network().config.markov_rank > 0) {
        if (network().config.markov_rank > 0) {
            markov_out_ = ranking_head(args, network().markov_out.view());
            markov_.emplace(network());
        }
        confidence_ = row_of(1);
        of_rows_ = Buffer(backend(), DType::f32, network().config.block, 1);
        if (threshold_ > 0 && !network().config.confidence)
            throw Error("--confidence needs a confidence head, and " + network().name + " has none", "Leave the option out.", Exit::usage);
    }

  protected:
    void add_products(std::int64_t rows, std::vector<Projection>& products) override {
        if (network().config.confidence)
            products.push_back({network().confidence_row.view(), network().confidence_bias.view(), of_rows_.view().slice(0, rows)});
    }

    void choose(const Block& block, int k, const DraftRequest& request, Draft& draft) override {
        const DraftConfig& c = network().config;
        int token = block.anchor;
        if (markov_) markov_->begin(block.rows);
        for (int i = 0; i < k; ++i) {
            const Stopwatch watch;
            const Tensor e = markov_ ? markov_->step(i, token) : Tensor{};
            const double sure = c.confidence ? confidence(i) : 1;
            if (sure < threshold_) { // the time went into the draft tokens that there are
                if (!draft.nodes.empty()) draft.nodes.back().head_ms += watch.ms();
                return;
            }
            PassRows& rows = corrects_ ? corrected(block, e, i) : base_rows();
            const int row = corrects_ ? 0 : i;
            if (!goes_on(rows, row, i, request)) return;
            DraftNode node = next_node(rows, row, i, c.layer.vocab, request);
            if (corrects_) record_base(node, i, request);
            if (c.confidence && node.extra.empty()) node.extra = shown(sure);
            token = node.token;
            node.head_ms = watch.ms() - node.record_ms;
            if (corrects_) look_at_correction(node, i, corrected_, request);
            draft.nodes.push_back(std::move(node));
            if (is_stop(request.stops, token)) return;
        }
    }

  private:
    // The row's logits and w2·e.
    PassRows& corrected(const Block& block, const Tensor& e, int index) {
        const Projection add[] = {{markov_out_.weight, block.base.slice(index, 1), corrected_.begin(1, markov_out_.ids)}};
        backend().matmul(e, add);
        return corrected_;
    }

    double confidence(int index) {
        Tensor sum = of_rows_.view().slice(index, 1);
        if (network().config.confidence_with_markov) {
            const Projection more[] = {{network().confidence_prev.view(), sum, confidence_.view()}};
            backend().matmul(markov_->previous(), more);
            sum = confidence_.view();
        }
        float value = 0;
        backend().download(sum, &value);
        return 1 / (1 + std::exp(-static_cast<double>(value)));
    }

    static std::string shown(double sure) { return printed("confidence %.2f", sure); }

    ModelRows corrected_;
    OutputHead markov_out_; // (V, ρ), cut like the head
    double threshold_;
    bool corrects_;
    std::optional<MarkovHead> markov_;
    Buffer confidence_, of_rows_; // (1, 1); (B, 1)
};

} // namespace

DrafterInfo dspark_info() {
    return with_head<"dspark">({
        .icon = "pentagon",
        .cost = draft_cost<"cost.markov">,
        .kin = {.takes = drafter_said("kin.takes:several"_t),
                .sequential = drafter_said("kin.sequential:look_back"_t),
                .keeps = drafter_said("kin.keeps:states"_t),
                .year = 2026,
                .source = "github.com/deepseek-ai/DeepSpec",
                .served = "vLLM, SGLang, TRT-LLM, llama.cpp"},
        .method = "dspark",
        .drafting = Drafting::at_once,
        .block = true,
        .causal_head = true,
        .head_reads = drafter_said("corrects.by:last"_t),
        .corrects_first = true,
        .default_k = 7,
        .race_place = 5,
        .reads = reads_of(kBlockSettings, {Setting::correction, Setting::confidence}),
        .published = {"dspark"},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<DSpark>(args); },
    });
}

} // namespace speclens
