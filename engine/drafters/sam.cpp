// Prompt lookup with a suffix automaton (SAM decoding, Hu et al. 2024, arXiv 2411.10666): the longest run of last tokens that occurred
// before, of any length, found in constant time a token. One earlier place is known for it, so there are no counts and no
// probabilities: what followed there is copied.
#include "engine/drafters/copying_drafter.h"
#include "engine/recall/suffix_automaton.h"

namespace speclens {
namespace {

class Sam final : public CopyingDrafter {
  public:
    explicit Sam(DrafterOptions options) : CopyingDrafter(std::move(options)) {}

  private:
    void forget() override { text_.clear(); }
    void append(std::span<const int> text) override { text_.append(text.back()); }

    void copy(const DraftRequest& request, Draft& draft) override {
        const SuffixAutomaton::Match match = text_.match();
        if (match.length >= options_.sam_match) put_run(request, match.length, match.end + 1, draft);
    }

    SuffixAutomaton text_;
};

} // namespace

DrafterInfo sam_info() {
    return copying_info(named<"sam">({
        .short_title = drafter_said("sam.short"_t),
        .cost = draft_cost<"cost.copies">,
        .kin = {.sequential = drafter_said("kin.sequential:search_once"_t),
                .keeps = drafter_said("kin.keeps:automaton"_t),
                .year = 2024,
                .source = "arXiv:2411.10666",
                .served = "TRT-LLM"},
        .default_k = 10,
        .reads = {Setting::sam_match},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<Sam>(args.options); },
    }));
}

} // namespace speclens
