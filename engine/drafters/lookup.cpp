// Prompt lookup: find an earlier occurrence of the text's last n tokens and propose what followed it
// (Saxena 2023; the n-gram proposers of the serving engines). Deterministic: the proposal distribution is one-hot.
// The longest suffix wins; among equals the earliest occurrence, or the most recent one on request.
#include <algorithm>
#include <limits>

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/drafter_info.h"

namespace speclens {
namespace {

struct Match {
    int start = -1; // first token of the earlier occurrence
    int length = 0; // n
};

Match find_match(std::span<const int> text, const DrafterOptions& options) {
    const int size = static_cast<int>(text.size());
    for (int n = std::min(options.ngram_max, size - 1); n >= options.ngram_min; --n) {
        const auto suffix = text.last(static_cast<std::size_t>(n));
        const auto matches = [&](int start) { return std::equal(suffix.begin(), suffix.end(), text.begin() + start); };
        if (options.ngram_recent) {
            for (int start = size - n - 1; start >= 0; --start)
                if (matches(start)) return {start, n};
        } else {
            for (int start = 0; start + n < size; ++start)
                if (matches(start)) return {start, n};
        }
    }
    return {};
}

class Lookup final : public Drafter {
  public:
    explicit Lookup(DrafterOptions options) : options_(std::move(options)) {}
    void begin(std::span<const int>) override {}
    void observe(const Observation&) override {}

    Draft draft(const DraftRequest& request) override {
        Draft draft;
        const Stopwatch watch;
        const Match match = find_match(request.sequence, options_);
        if (match.start < 0) return draft;
        const std::size_t from = static_cast<std::size_t>(match.start + match.length);
        for (std::size_t i = from; i < request.sequence.size() && static_cast<int>(draft.nodes.size()) < request.k; ++i) {
            draft.nodes.push_back(copied_node(request, static_cast<int>(draft.nodes.size()), request.sequence[i],
                                              std::to_string(match.length) + "-gram found at token " + std::to_string(match.start) +
                                                  ", copied token " + std::to_string(i)));
            if (is_stop(request.stops, draft.nodes.back().token)) break;
        }
        if (!draft.nodes.empty()) draft.nodes.front().ms = watch.ms(); // one search for the whole chain
        return draft;
    }

  private:
    DrafterOptions options_;
};

} // namespace

DrafterInfo lookup_info() {
    return {
        .name = "lookup",
        .title = "Prompt lookup",
        .short_title = "lookup",
        .icon = "cross_fat",
        .about = "Copies what followed the same words earlier in the text (Saxena 2023).",
        .how = "No network: it finds an earlier place where the same last tokens stand, the longest match first, and copies what came "
               "next. Where nothing repeats it stays silent. Trained “n-gram heads” are something else: see Medusa.",
        .cost = draft_cost<"cost.copies">,
        .kin = {.takes = "nothing but the text",
                .sequential = "nothing: one search",
                .keeps = "nothing",
                .year = 2023,
                .source = "github.com/apoorvumang/prompt-lookup-decoding",
                .served = "vLLM, SGLang, TRT-LLM, llama.cpp"},
        .drafting = Drafting::at_once,
        .draws = false,
        .ahead = true,
        .default_order = 3,
        .race_place = 7,
        .reads = {Setting::ngram, Setting::ngram_recent},
        .published = {"lookup"},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<Lookup>(args.options); },
    };
}

} // namespace speclens
