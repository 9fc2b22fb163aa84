// A draft model with another tokenizer reads the committed text in its own tokens (DraftSpelling) and drafts in one of two ways:
//   by ids   it draws from what its distribution leaves on the tokens that both have (token-level intersection, arXiv 2502.05202, TLI):
//            a distribution over the target's ids, which every rule can judge
//   by text  it writes tokens of its own, whose text is encoded by the target's tokenizer (universal assisted generation, the same paper's
//            SLEM): draft tokens without a distribution, each judged as one that was certain
// Positions of the two differ, so its cache is kept by what its tokens are: what the new text does not begin with is cut off.
#include "engine/drafters/translated.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/mapped_rows.h"
#include "engine/text/vocabulary_map.h"
#include "kernels/error.h"

namespace speclens {
namespace {

class Translated final : public Drafter {
  public:
    explicit Translated(DrafterArgs args)
        : model_(std::move(args.draft_model)), map_(std::move(args.vocabularies)), by_text_(args.options.by_text), spelling_(map_),
          mapped_(map_->targets(), map_->target_vocab()) {
        if (speclens::draft_ids(args.options) > 0)
            throw Error("FR-Spec ranks ids of the target, and the draft model has others",
                        std::string("Leave ") + (args.options.small_ids > 0 ? "--small-ids" : "--fr-spec") + " out.", Exit::usage);
    }

    void begin(std::span<const int> sequence) override {
        model_->truncate(0);
        read_.clear();
        spelling_.begin();
        const std::vector<int> ids = spelling_.ids(sequence);
        if (ids.size() > 1) read(std::span(ids).first(std::min(ids.size() - 1, static_cast<std::size_t>(model_->capacity()))), reading_);
    }

    void observe(const Observation&) override {} // the next draft cuts off what did not stay

    Draft draft(const DraftRequest& request) override {
        const std::vector<int> ids = spelling_.ids(request.sequence);
        const int room = model_->capacity() - static_cast<int>(ids.size()) + 1;
        const int k = std::min(request.k, room);
        if (ids.empty() || k <= 0) return {}; // inside a character, or its context is full
        const auto same = static_cast<std::size_t>(std::ranges::mismatch(read_, ids).in1 - read_.begin());
        read_.resize(std::min(same, ids.size() - 1));
        model_->truncate(static_cast<int>(read_.size()));
        std::vector<int> feed(ids.begin() + static_cast<std::ptrdiff_t>(read_.size()), ids.end());
        if (static_cast<int>(feed.size()) > model_->max_rows()) { // after a long stretch without drafting
            read(std::span(feed).first(feed.size() - 1));
            feed.erase(feed.begin(), feed.end() - 1);
        }
        return by_text_ ? draft_text(request, k, std::move(feed)) : draft_ids(request, k, std::move(feed));
    }

  private:
    void read(std::span<const int> ids, const Decoder::Reading& reading = {}) {
        model_->prefill(ids, {}, {}, reading);
        read_.insert(read_.end(), ids.begin(), ids.end());
    }

    PassRows& pass(const std::vector<int>& feed) {
        PassRows& rows = model_->forward({.tokens = feed, .logits_from = static_cast<int>(feed.size()) - 1});
        read_.insert(read_.end(), feed.begin(), feed.end());
        return rows;
    }

    Draft draft_ids(const DraftRequest& request, int k, std::vector<int> feed) {
        Draft draft;
        for (int i = 0; i < k; ++i) {
            if (!goes_further(draft, request)) break;
            const Stopwatch watch;
            PassRows& rows = mapped_.of(pass(feed));
            if (!goes_on(rows, 0, i, request)) break;
            DraftNode node = next_node(rows, 0, i, map_->target_vocab(), request);
            const int token = node.token, theirs = map_->to_draft(token);
            node.ms = watch.ms() - node.record_ms;
            draft.nodes.push_back(std::move(node));
            if (is_stop(request.stops, token) || theirs < 0) break; // a forced token may be none of its own
            feed.assign(1, theirs);
        }
        return draft;
    }

    Draft draft_text(const DraftRequest& request, int k, std::vector<int> feed) {
        std::vector<int> written;
        std::vector<double> ms;
        bool ended = false;
        for (int i = 0; i < k && !ended; ++i) {
            const Stopwatch watch;
            PassRows& rows = pass(feed);
            const int token = request.sampling.temperature == 0 ? rows.argmax().front() : rows.draw(0, request.sampling, request.coin(i));
            ms.push_back(watch.ms());
            ended = map_->is_draft_stop(token);
            if (!ended && map_->draft().is_special(token)) break; // says nothing that can be written
            if (!ended) written.push_back(token);
            feed.assign(1, token);
        }
        std::vector<int> tokens = map_->as_target(written, ended);
        if (ended && !request.stops.empty()) tokens.push_back(request.stops.front());
        if (static_cast<int>(tokens.size()) > k) tokens.resize(static_cast<std::size_t>(k));
        for (int i = 0; i < k; ++i)
            if (const std::optional<int> forced = request.forced(i); forced && i <= static_cast<int>(tokens.size())) {
                tokens.resize(static_cast<std::size_t>(std::max(i + 1, static_cast<int>(tokens.size()))));
                tokens[static_cast<std::size_t>(i)] = *forced;
            }
        Draft draft;
        draft.own_draws = true;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            DraftNode& node = draft.nodes.emplace_back();
            node.token = tokens[i];
            node.parent = static_cast<int>(i) - 1;
            node.ms = i < ms.size() ? ms[i] : 0.0;
        }
        for (std::size_t i = tokens.size(); !tokens.empty() && i < ms.size(); ++i) draft.nodes.back().ms += ms[i];
        return draft;
    }

    std::unique_ptr<Decoder> model_;
    std::shared_ptr<const VocabularyMap> map_;
    bool by_text_;
    DraftSpelling spelling_;
    MappedRows mapped_;
    std::vector<int> read_; // what the cache holds, in the draft's ids
};

} // namespace

std::unique_ptr<Drafter> make_translated(DrafterArgs args) { return std::make_unique<Translated>(std::move(args)); }

} // namespace speclens
