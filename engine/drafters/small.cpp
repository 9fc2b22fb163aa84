// An independent draft model that drafts token by token (Leviathan et al. 2023; Chen et al. 2023).
// Its cache holds a prefix of the committed text; what it wrote for rejected draft tokens is cut off on observe.
#include <algorithm>

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/drafter_info.h"
#include "engine/drafters/mapped_rows.h"
#include "engine/drafters/translated.h"
#include "kernels/error.h"

namespace speclens {
namespace {

class Small final : public Drafter {
  public:
    explicit Small(DrafterArgs args) : model_(std::move(args.draft_model)), vocab_(args.target.vocab()), mapped_(model_->vocab(), vocab_) {
        if (const int ids = draft_ids(args.options); ids > 0) reduced_ = model_->reduced_head(*args.frequent, ids);
    }

    void begin(std::span<const int> sequence) override {
        model_->truncate(0);
        // Its context may be shorter than the text of a fork: then draft() has no room.
        const std::size_t known = known_tokens(sequence, model_->vocab());
        model_->prefill(sequence.first(std::min({sequence.size() - 1, known, static_cast<std::size_t>(model_->capacity())})), {}, {},
                        reading_);
    }

    void observe(const Observation& observation) override {
        // Valid are the committed tokens that were fed: the last accepted draft token may be missing, the pending
        // token always is.
        model_->truncate(std::min(model_->length(), static_cast<int>(observation.sequence.size()) - 1));
    }

    Draft draft(const DraftRequest& request) override {
        Draft draft;
        // Catch up: one token after a rejection, two after full acceptance, more after rounds without drafts.
        std::vector<int> feed(request.sequence.begin() + model_->length(), request.sequence.end());
        CHECK(!feed.empty(), "the draft model's cache is ahead of the text");
        const int room = model_->capacity() - model_->length() - static_cast<int>(feed.size()) + 1;
        const int k = std::min(request.k, room);
        if (k <= 0) return draft;                                            // its context is full, and may be shorter than the target's
        if (known_tokens(feed, model_->vocab()) < feed.size()) return draft; // it cannot read on
        while (static_cast<int>(feed.size()) > model_->max_rows()) {         // after a long stretch without drafting
            model_->prefill(std::span(feed).first(feed.size() - 1));
            feed.erase(feed.begin(), feed.end() - 1);
        }
        for (int i = 0; i < k; ++i) {
            if (!goes_further(draft, request)) break;
            const Stopwatch watch;
            PassRows& rows = mapped_.of(model_->forward(
                {.tokens = feed, .logits_from = static_cast<int>(feed.size()) - 1, .head = reduced_.reduced() ? &reduced_ : nullptr}));
            if (!goes_on(rows, 0, i, request)) break;
            DraftNode node = next_node(rows, 0, i, vocab_, request);
            const int token = node.token;
            node.ms = watch.ms() - node.record_ms;
            draft.nodes.push_back(std::move(node));
            if (is_stop(request.stops, token) || token >= model_->vocab()) break;
            feed.assign(1, token);
        }
        return draft;
    }

  private:
    std::unique_ptr<Decoder> model_;
    int vocab_;
    MappedRows mapped_;
    OutputHead reduced_; // no ids: the model's own head
};

} // namespace

DrafterInfo small_info() {
    return named<"small">({
        .short_title = drafter_said("small.short"_t),
        .icon = "diamond_solid",
        .noun = drafter_said("small.noun"_t),
        .cost = draft_cost<"cost.passes">,
        .kin = {.takes = drafter_said("kin.takes:text"_t),
                .sequential = drafter_said("kin.sequential:pass"_t),
                .keeps = drafter_said("kin.keeps:cache"_t),
                .year = 2022,
                .source = "arXiv:2211.17192",
                .served = "vLLM, SGLang, TRT-LLM, llama.cpp"},
        .needs = DrafterNeeds::draft_model,
        .ahead = true,
        .translates = true,
        .default_order = 1,
        .race_place = 4,
        .reads = {Setting::fr_spec, Setting::small_ids, Setting::by_text},
        .published = {"small"},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> {
            CHECK(args.draft_model != nullptr, "the small drafter needs a draft model");
            if (args.vocabularies) return make_translated(std::move(args));
            return std::make_unique<Small>(std::move(args));
        },
    });
}

} // namespace speclens
