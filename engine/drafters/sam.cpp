// Prompt lookup with a suffix automaton (SAM decoding, Hu et al. 2024, arXiv 2411.10666): the longest run of last tokens that occurred
// before, of any length, found in constant time a token. One earlier place is known for it, so there are no counts and no
// probabilities: what followed there is copied.
#include <algorithm>

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/drafter_info.h"
#include "engine/recall/suffix_automaton.h"

namespace speclens {
namespace {

class Sam final : public Drafter {
  public:
    explicit Sam(DrafterOptions options) : options_(std::move(options)) {}

    void begin(std::span<const int> sequence) override {
        text_.clear();
        read(sequence);
    }
    void observe(const Observation&) override {}

    Draft draft(const DraftRequest& request) override {
        Draft draft;
        const Stopwatch watch;
        read(request.sequence);
        const SuffixAutomaton::Match match = text_.match();
        if (match.length < options_.sam_match) return draft;
        for (std::size_t i = static_cast<std::size_t>(match.end) + 1; i < request.sequence.size(); ++i) {
            const int index = static_cast<int>(draft.nodes.size());
            if (index >= request.k) break;
            draft.nodes.push_back(copied_node(request, index, request.sequence[i],
                                              std::to_string(match.length) + "-gram found at token " +
                                                  std::to_string(match.end + 1 - match.length) + ", copied token " + std::to_string(i)));
            if (is_stop(request.stops, draft.nodes.back().token)) break;
        }
        if (!draft.nodes.empty()) draft.nodes.front().ms = watch.ms();
        return draft;
    }

  private:
    void read(std::span<const int> sequence) {
        for (std::size_t i = text_.tokens(); i < sequence.size(); ++i) text_.append(sequence[i]);
    }

    DrafterOptions options_;
    SuffixAutomaton text_;
};

} // namespace

DrafterInfo sam_info() {
    return {
        .name = "sam",
        .title = "Suffix automaton",
        .short_title = "SAM",
        .icon = "cross_fat",
        .about = "Copies what followed the longest run of last tokens that occurred before, of any length (SAM decoding, Hu et al. 2024).",
        .how =
            "No network: an automaton of the text knows the longest match in constant time a token, however long it is. It remembers one "
            "place for it and copies what came next; how often something occurred it does not know.",
        .cost = draft_cost<"cost.copies">,
        .kin = {.takes = "nothing but the text",
                .sequential = "nothing: one search",
                .keeps = "a suffix automaton",
                .year = 2024,
                .source = "arXiv:2411.10666",
                .served = "TRT-LLM"},
        .drafting = Drafting::at_once,
        .draws = false,
        .default_k = 10,
        .reads = {Setting::sam_match},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<Sam>(args.options); },
    };
}

} // namespace speclens
