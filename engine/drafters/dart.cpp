// DART (Liu et al. 2026, arXiv 2601.19278): the EAGLE-3 layer with trained masks behind the
// newest column gives the distributions of the next places in one pass; a beam with n-grams makes a tree of them
// (dart_search.h). Nothing is drawn, so every proposal distribution is one-hot.
#include <algorithm>
#include <cmath>

#include "engine/base/clock.h"
#include "engine/base/printed.h"
#include "engine/drafters/chain.h"
#include "engine/drafters/dart_search.h"
#include "engine/drafters/drafter_info.h"
#include "engine/drafters/eagle3_head.h"
#include "kernels/error.h"

namespace speclens {
namespace {

class Dart final : public Eagle3Drafter {
  public:
    explicit Dart(const DrafterArgs& args) : Eagle3Drafter(args), options_(args.options) {
        if (options_.ngram_weight > 0 && ngrams() == nullptr)
            throw Error("the DART head " + head().network().name + " has no n-grams: no file in its folder ends in .trie",
                        "Put small.trie or full.trie of its release beside model.safetensors, or draft without them: "
                        "--ngram-weight 0.",
                        Exit::usage);
    }

    [[nodiscard]] Draft draft(const DraftRequest& request) override {
        Stopwatch watch;
        const int levels = std::min(request.k, head().network().config.most_drafts());
        if (!catch_up(request.sequence, false, std::max(0, levels - 1)) || levels <= 0 || request.nodes <= 0) return {};
        head().predict();
        std::vector<DartLevel> places;
        std::vector<TopEntries> distributions;
        for (int row = 0; row < levels && row < static_cast<int>(head().outputs().rows); ++row) {
            distributions.push_back(distribution_of(row, request));
            places.push_back(likeliest(distributions.back()));
        }
        const double network_ms = watch.ms();
        watch = {};
        const std::vector<DartPath> paths = dart_search(places, ngrams(), request.sequence, request.stops,
                                                        {.ngram_weight = options_.ngram_weight, .beam = kBeam, .paths = request.nodes});
        Draft draft = tree_of(paths, distributions, request);
        if (!draft.nodes.empty()) {
            draft.nodes.front().ms = network_ms;
            draft.nodes.front().head_ms = watch.ms();
        }
        return draft;
    }

  private:
    static constexpr int kBeam = 20; // as released
    static constexpr int kDropped = -2;

    [[nodiscard]] const NgramTrie* ngrams() { return head().network().ngrams.get(); }

    // At temperature 1, over the target's vocabulary, with as many entries as search and trace want.
    [[nodiscard]] TopEntries distribution_of(int row, const DraftRequest& request) {
        const int vocab = head().network().config.draft_vocab;
        const int entries = std::min(vocab, std::max(options_.tree_topk, request.entries < 0 ? vocab : request.entries));
        return head().widened(head().rows().heads(row, kRawSampling, entries).distribution);
    }

    // Probabilities among the likeliest alone: the released search never sees the others.
    [[nodiscard]] DartLevel likeliest(const TopEntries& distribution) const {
        DartLevel place;
        double sum = 0;
        const std::size_t count = std::min(distribution.entries.size(), static_cast<std::size_t>(options_.tree_topk));
        for (std::size_t i = 0; i < count; ++i) sum += std::exp(distribution.entries[i].logp);
        for (std::size_t i = 0; i < count; ++i) {
            place.tokens.push_back(distribution.entries[i].id);
            place.probabilities.push_back(static_cast<float>(std::exp(distribution.entries[i].logp) / sum));
        }
        return place;
    }

    [[nodiscard]] Draft tree_of(const std::vector<DartPath>& paths, const std::vector<TopEntries>& distributions,
                                const DraftRequest& request) const {
        Draft draft;
        std::vector<int> index(paths.size(), kDropped);
        for (std::size_t i = 0; i < paths.size(); ++i) {
            const DartPath& path = paths[i];
            const int parent = path.parent < 0 ? -1 : index[static_cast<std::size_t>(path.parent)];
            if (parent == kDropped) continue; // hangs from a token that was put in another one's place
            const int own = static_cast<int>(draft.nodes.size());
            DraftNode node;
            node.token = request.forced(own).value_or(path.token);
            const bool replaced = node.token != path.token;
            node.parent = parent;
            if (request.entries != 0) node.heads.raw = distributions[static_cast<std::size_t>(path.level)];
            node.extra = replaced ? kForced : words(path);
            if (!replaced) index[i] = own;
            draft.nodes.push_back(std::move(node));
        }
        return draft;
    }

    [[nodiscard]] std::string words(const DartPath& path) const {
        if (path.level == 0 || options_.ngram_weight == 0) return printed("score %.2f", static_cast<double>(path.score));
        if (path.share == 0) return printed("score %.2f, n-gram never seen", static_cast<double>(path.score));
        return printed("score %.2f, n-gram %.2g", static_cast<double>(path.score), static_cast<double>(path.share));
    }

    DrafterOptions options_;
};

} // namespace

DrafterInfo dart_info() {
    return with_head<"dart">({
        .icon = "triangle_right",
        .cost = draft_cost<"cost.searched">,
        .kin = {.takes = drafter_said("kin.takes:three"_t),
                .sequential = drafter_said("kin.sequential:search"_t),
                .keeps = drafter_said("kin.keeps:ngrams"_t),
                .year = 2026,
                .source = "arXiv:2601.19278"},
        .method = "dart",
        .drafting = Drafting::at_once,
        .tree = true,
        .own_ids = true,
        .default_k = 7,
        .reads = reads_of(kTreeSettings, {Setting::ngram_weight}),
        .published = {"dart"},
        .make = [](DrafterArgs args) -> std::unique_ptr<Drafter> { return std::make_unique<Dart>(args); },
    });
}

} // namespace speclens
