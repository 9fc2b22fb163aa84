// From timed runs to a figure and its interval for every drafter and draft length.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/advice/advice.h"
#include "engine/run/trace.h"

namespace speclens {

// Finished runs of one drafter with one draft length, the first of them on the first prompts. Their traces have the times
// of one table (Trace::times), and their own, which are what each took when it was made.
struct AdviceRuns {
    std::string drafter, rule;
    int k = 0;
    int limit = 0; // of new tokens
    std::vector<std::shared_ptr<const Trace>> traces;
    std::vector<int> prompts; // of each trace, ascending
};

struct AdviceEvidence {
    AdviceRuns plain; // every prompt
    std::vector<AdviceRuns> lengths;
    std::uint64_t seed = 7;
};

// By drafter, then draft length. Nothing of a drafter without a whole run on every prompt with at least one length: the
// longest such one says what shorter ones would keep.
[[nodiscard]] std::vector<AdviceCell> estimate_cells(const AdviceEvidence& evidence);
// Of these cells by domain, in the order in which domains and cells come; `domains`: of each prompt.
[[nodiscard]] std::vector<AdviceDomain> by_domain(const AdviceEvidence& evidence, const std::vector<const AdviceCell*>& cells,
                                                  const std::vector<std::string>& domains);
// Draft tokens judged and kept by place, of the longest drafts.
[[nodiscard]] std::vector<AdviceDrafter> places_of(const AdviceEvidence& evidence);
// How far the cost of a round, in plain passes, drifted while this was measured: from one quarter of the prompts to the
// next, what the machine did in between. A share.
[[nodiscard]] double clock_of(const AdviceEvidence& evidence);

} // namespace speclens
