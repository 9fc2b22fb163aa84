#include "engine/drafters/dart_search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/drafters/chain.h"
#include "kernels/error.h"

namespace speclens {
namespace {

// The last `count` tokens of the text and the path that ends at `at` (-1: the text alone).
std::vector<int> context_of(std::span<const int> text, const std::vector<DartPath>& paths, int at, std::size_t count) {
    std::vector<int> context;
    for (; at >= 0 && context.size() < count; at = paths[static_cast<std::size_t>(at)].parent)
        context.push_back(paths[static_cast<std::size_t>(at)].token);
    for (std::size_t i = text.size(); i > 0 && context.size() < count; --i) context.push_back(text[i - 1]);
    std::ranges::reverse(context);
    return context;
}

} // namespace

std::vector<DartPath> dart_search(std::span<const DartLevel> levels, const NgramTrie* ngrams, std::span<const int> text,
                                  std::span<const int> stops, const DartSettings& settings) {
    const auto weight = static_cast<float>(settings.ngram_weight);
    CHECK(weight == 0 || ngrams != nullptr, "n-grams that weigh something");
    std::vector<DartPath> all;
    std::vector<int> beam = {-1};
    for (std::size_t level = 0; level < levels.size() && !beam.empty(); ++level) {
        const DartLevel& place = levels[level];
        const auto level_weight = static_cast<float>(std::pow(static_cast<double>(level) + 1, -0.7));
        const auto distribution_weight = static_cast<float>(std::pow(0.9, static_cast<double>(level)));
        const bool judged = level > 0 && weight > 0;
        const std::size_t first = all.size();
        for (const int parent : beam) {
            std::vector<float> shares(place.tokens.size(), 0.0f);
            if (judged) shares = ngrams->shares(context_of(text, all, parent, static_cast<std::size_t>(ngrams->order() - 1)), place.tokens);
            const float before = parent < 0 ? 0.0f : all[static_cast<std::size_t>(parent)].score;
            for (std::size_t i = 0; i < place.tokens.size(); ++i) {
                float step = std::log(place.probabilities[i] + 1e-10f) * distribution_weight;
                if (level > 0) step += std::log(shares[i] + 1e-10f) * weight;
                all.push_back({place.tokens[i], parent, static_cast<int>(level), before + level_weight * step, shares[i]});
            }
        }
        beam.resize(all.size() - first);
        std::iota(beam.begin(), beam.end(), static_cast<int>(first));
        const auto ends = [&](int path) { return is_stop(stops, all[static_cast<std::size_t>(path)].token); };
        std::ranges::stable_sort(beam, [&](int a, int b) {
            if (ends(a) != ends(b)) return ends(b);
            return all[static_cast<std::size_t>(a)].score > all[static_cast<std::size_t>(b)].score;
        });
        beam.resize(std::min(beam.size(), static_cast<std::size_t>(settings.beam)));
    }

    // A score never rises along a path and a parent comes before its children: the best hang together.
    std::vector<int> chosen(all.size());
    std::iota(chosen.begin(), chosen.end(), 0);
    const auto score = [&](int path) { return all[static_cast<std::size_t>(path)].score; };
    std::ranges::stable_sort(chosen, [&](int a, int b) { return score(a) > score(b); });
    chosen.resize(std::min(chosen.size(), static_cast<std::size_t>(std::max(0, settings.paths))));
    std::ranges::stable_sort(chosen,
                             [&](int a, int b) { return all[static_cast<std::size_t>(a)].level < all[static_cast<std::size_t>(b)].level; });
    std::vector<int> place(all.size(), -1);
    std::vector<DartPath> best;
    for (const int path : chosen) {
        DartPath kept = all[static_cast<std::size_t>(path)];
        kept.parent = kept.parent < 0 ? -1 : place[static_cast<std::size_t>(kept.parent)];
        place[static_cast<std::size_t>(path)] = static_cast<int>(best.size());
        best.push_back(kept);
    }
    return best;
}

} // namespace speclens
