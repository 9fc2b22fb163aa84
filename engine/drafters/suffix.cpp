// Suffix decoding (Oliaro et al. 2024): what followed the last tokens before, in this text and in earlier answers, counted. Of all
// lengths of a match the one with the best expected number of kept tokens drafts, and it drafts as far as the counts are sure.
// Deterministic, so the proposal's distribution is one-hot.
#include <cstdio>

#include "engine/base/clock.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/drafter_info.h"
#include "engine/recall/suffix_trie.h"

namespace speclens {
namespace {

class Suffix final : public Drafter {
  public:
    explicit Suffix(DrafterArgs args)
        : options_(std::move(args.options)), here_(options_.suffix_depth), earlier_(std::move(args.answers)) {}

    void begin(std::span<const int> sequence) override {
        here_.clear();
        read(sequence);
    }

    // Counting is a part of drafting: what was kept is read when the next draft asks.
    void observe(const Observation&) override {}

    Draft draft(const DraftRequest& request) override {
        Draft draft;
        const Stopwatch watch;
        read(request.sequence);
        const SuffixTrie::Limits limits{request.k, options_.suffix_factor, options_.suffix_min_prob};
        SuffixTrie::Path path = here_.best_path(request.sequence, limits);
        bool from_here = true;
        if (earlier_)
            if (SuffixTrie::Path other = earlier_->best_path(request.sequence, limits); other.score > path.score) {
                path = std::move(other);
                from_here = false;
            }
        for (std::size_t i = 0; i < path.tokens.size(); ++i) {
            draft.nodes.push_back(copied_node(request, static_cast<int>(i), path.tokens[i], words(path, i, from_here)));
            if (is_stop(request.stops, draft.nodes.back().token)) break;
        }
        if (!draft.nodes.empty()) draft.nodes.front().ms = watch.ms(); // one search for the whole chain
        return draft;
    }

  private:
    void read(std::span<const int> sequence) {
        for (std::size_t i = here_.tokens(); i < sequence.size(); ++i) here_.append(sequence[i]);
    }

    static std::string words(const SuffixTrie::Path& path, std::size_t i, bool here) {
        char text[128];
        if (here) // the match itself is one of its occurrences
            std::snprintf(text, sizeof text, "%d-gram found at token %d, %d× before, %.2f to here", path.match, path.place - path.match,
                          path.occurrences - 1, path.probabilities[i]);
        else
            std::snprintf(text, sizeof text, "%d-gram found %d× in earlier answers, %.2f to here", path.match, path.occurrences,
                          path.probabilities[i]);
        return text;
    }

    DrafterOptions options_;
    SuffixTrie here_; // prompt and answer so far
    std::shared_ptr<const SuffixTrie> earlier_;
};

} // namespace

DrafterInfo suffix_info() {
    return {
        .name = "suffix",
        .title = "Suffix decoding",
        .short_title = "suffix",
        .icon = "cross_fat",
        .about = "Counts what followed the same tokens before, here and in earlier answers (Oliaro et al. 2024).",
        .how = "No network: it counts how often each run of tokens occurred, and follows the most frequent continuation as far as the "
               "counts are sure. A long match drafts many tokens, a short one few, and where nothing repeats it stays silent.",
        .cost = draft_cost<"cost.counts">,
        .kin = {.takes = "nothing but the text",
                .sequential = "a step along the counts",
                .keeps = "counts, earlier answers",
                .year = 2024,
                .source = "arXiv:2411.04975",
                .served = "vLLM"},
        .drafting = Drafting::at_once,
        .draws = false,
        .default_k = 16,
        .reads = {Setting::suffix_depth, Setting::suffix_factor, Setting::suffix_min_prob},
        .published = {"suffix"},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<Suffix>(std::move(args)); },
    };
}

} // namespace speclens
