// The full distributions of one position of a run, for the accept-rule scene.
#pragma once

#include <memory>

#include "engine/model/distribution.h"

namespace speclens {

struct Models;
class Trace;
struct RunSettings;

struct DistributionPair {
    int round = 0, index = 0;
    Distribution target, draft;         // after temperature and filters
    Distribution target_raw, draft_raw; // at temperature 1, unfiltered
};

// Of one position of a round (index = number of drafts: the row of the bonus token, without a draft distribution), by replaying
// the round under the `settings` that it was made with (Run::settings_at). Works for discarded drafts too. Throws Error when the
// cycle does not exist.
[[nodiscard]] DistributionPair full_distributions(std::shared_ptr<const Models> models, const RunSettings& settings, const Trace& trace,
                                                  int round, int index);

} // namespace speclens
