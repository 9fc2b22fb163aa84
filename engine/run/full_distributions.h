// The full distributions of one position of a run, for the accept-rule scene.
#pragma once

#include <memory>
#include <vector>

#include "engine/model/distribution.h"

namespace speclens {

struct Models;
class Trace;
struct RunSettings;

// A place of a chain by two rules that both keep to the target's distribution: the same guess, the same dice.
struct PlaceByRules {
    int guess = 0, own = 0;       // tokens: what was drafted, and what the target draws there
    double kept = 0, matched = 0; // chance that a guess stays there: sum of min(p, q) by the token rule, of p q by the match rule
    bool by_token = false;        // this guess stays; not behind one that went
    bool by_match = false;        // it is the target's own draw, whatever became of those before it
};

struct DistributionPair {
    int round = 0, index = 0;
    Distribution target, draft;         // after temperature and filters
    Distribution target_raw, draft_raw; // at temperature 1, unfiltered
    std::vector<PlaceByRules> places;   // of every guess of the round, in order; empty: a tree
};

// Of one position of a round (index = number of drafts: the row of the bonus token, without a draft distribution), by replaying
// the round under the `settings` that it was made with (Run::settings_at). Works for discarded drafts too. Throws Error when the
// cycle does not exist.
[[nodiscard]] DistributionPair full_distributions(std::shared_ptr<const Models> models, const RunSettings& settings, const Trace& trace,
                                                  int round, int index);

} // namespace speclens
