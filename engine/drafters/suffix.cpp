// Suffix decoding (Oliaro et al. 2024): what followed the last tokens before, in this text and in earlier answers, counted. Of all
// lengths of a match the one with the best expected number of kept tokens drafts, and it drafts as far as the counts are sure.
// Deterministic, so the proposal's distribution is one-hot.

#include "engine/drafters/copying_drafter.h"
#include "engine/recall/suffix_trie.h"

namespace speclens {
namespace {

class Suffix final : public CopyingDrafter {
  public:
    explicit Suffix(DrafterArgs args)
        : CopyingDrafter(std::move(args.options)), here_(options_.suffix_depth), earlier_(std::move(args.answers)) {}

  private:
    void forget() override { here_.clear(); }
    void append(std::span<const int> text) override { here_.append(text.back()); }

    void copy(const DraftRequest& request, Draft& draft) override {
        const SuffixTrie::Limits limits{request.k, options_.suffix_factor, options_.suffix_min_prob};
        SuffixTrie::Path path = here_.best_path(request.sequence, limits);
        bool from_here = true;
        if (earlier_)
            if (SuffixTrie::Path other = earlier_->best_path(request.sequence, limits); other.score > path.score) {
                path = std::move(other);
                from_here = false;
            }
        for (std::size_t i = 0; i < path.tokens.size(); ++i)
            if (!put(request, path.tokens[i], words(path, i, from_here), draft)) break;
    }

    static std::string words(const SuffixTrie::Path& path, std::size_t i, bool here) {
        CopiedFrom from{.match = path.match, .times = path.occurrences, .p = path.probabilities[i]};
        if (here) from.at = path.place - path.match, --from.times; // the match itself is one of its occurrences
        return from.words();
    }

    SuffixTrie here_; // prompt and answer so far
    std::shared_ptr<const SuffixTrie> earlier_;
};

} // namespace

DrafterInfo suffix_info() {
    return copying_info(named<"suffix">({
        .short_title = drafter_said("suffix.short"_t),
        .cost = draft_cost<"cost.counts">,
        .kin = {.sequential = drafter_said("kin.sequential:counts"_t),
                .keeps = drafter_said("kin.keeps:counts"_t),
                .year = 2024,
                .source = "arXiv:2411.04975",
                .served = "vLLM"},
        .default_k = 16,
        .reads = {Setting::suffix_depth, Setting::suffix_factor, Setting::suffix_min_prob},
        .published = {"suffix"},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<Suffix>(std::move(args)); },
    }));
}

} // namespace speclens
