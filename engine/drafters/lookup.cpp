// Prompt lookup: find an earlier occurrence of the text's last n tokens and propose what followed it
// (Saxena 2023; the n-gram proposers of the serving engines). Deterministic: the proposal distribution is one-hot.
// The longest suffix wins; among equals the earliest occurrence, or the most recent one on request.
#include <algorithm>

#include "engine/drafters/copying_drafter.h"

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

class Lookup final : public CopyingDrafter {
  public:
    explicit Lookup(DrafterOptions options) : CopyingDrafter(std::move(options)) {}

  private:
    void copy(const DraftRequest& request, Draft& draft) override {
        const Match match = find_match(request.sequence, options_);
        if (match.start >= 0) put_run(request, match.length, match.start + match.length, draft);
    }
};

} // namespace

DrafterInfo lookup_info() {
    return copying_info(named<"lookup">({
        .short_title = drafter_said("lookup.short"_t),
        .cost = draft_cost<"cost.copies">,
        .kin = {.sequential = drafter_said("kin.sequential:search_once"_t),
                .keeps = drafter_said("kin.keeps:nothing"_t),
                .year = 2023,
                .source = "github.com/apoorvumang/prompt-lookup-decoding",
                .served = "vLLM, SGLang, TRT-LLM, llama.cpp"},
        .ahead = true,
        .default_order = 3,
        .race_place = 7,
        .reads = {Setting::ngram, Setting::ngram_recent},
        .published = {"lookup"},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<Lookup>(args.options); },
    }));
}

} // namespace speclens
