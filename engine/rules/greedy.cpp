// Token-exact verification at temperature 0: keep drafts while they equal the target's most likely token.
#include "engine/verify.h"

namespace speclens {

Verdict verify_greedy(const Round& round) {
    Verdict verdict;
    const int k = static_cast<int>(round.drafts.size());
    for (int i = 0; i < k; ++i) {
        const bool same = round.p_argmax(i) == round.drafts[static_cast<std::size_t>(i)];
        verdict.checks.push_back({same ? 1.0 : 0.0, std::nullopt, same});
        if (!same) break;
        ++verdict.accepted;
    }
    verdict.from = k > 0 && verdict.accepted == k ? Resampled::From::bonus : Resampled::From::target;
    verdict.token = round.p_argmax(verdict.accepted);
    return verdict;
}

}  // namespace speclens
