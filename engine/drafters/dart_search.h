// The tree of DART (Liu et al. 2026, arXiv 2601.19278): one pass gave a distribution for each of the
// next places, none of which knows what the others became. A beam walks through them and prefers
// continuations that n-grams have seen; of all paths it ever weighed the best few are verified. No distributions of
// the target, no dice.
#pragma once

#include <span>
#include <vector>

#include "engine/drafters/ngram_trie.h"

namespace speclens {

// The likeliest tokens of one place, largest first, with probabilities among these alone.
struct DartLevel {
    std::vector<int> tokens;
    std::vector<float> probabilities;
};

struct DartPath {
    int token = 0;
    int parent = -1; // index of an earlier path, the same without its last token; -1: the pending token
    int level = 0;   // from 0
    float score = 0; // at most 0 and at most the parent's
    float share = 0; // NgramTrie::shares of the token here; at level 0, which n-grams do not judge: 0
};

struct DartSettings {
    double ngram_weight = 0.5; // 0: the distributions alone
    int beam = 20;             // paths that go on to the next level
    int paths = 60;            // kept at the end
};

// The best paths, by level and then by score. A path that ends at level l adds
//     (l + 1)^-0.7 * (0.9^l * ln(p + 1e-10) + ngram_weight * ln(share + 1e-10))
// to its parent's score, the second term from level 1 on; in single precision, as the released search has it.
// Paths that end in one of `stops` go on to the next level only where nothing else does. `text` ends with the
// pending token. `ngrams`: null only for weight 0.
[[nodiscard]] std::vector<DartPath> dart_search(std::span<const DartLevel> levels, const NgramTrie* ngrams, std::span<const int> text,
                                                std::span<const int> stops, const DartSettings& settings);

} // namespace speclens
