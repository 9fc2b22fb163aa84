// What a run with long drafts says about shorter ones. A draft's place in the text is kept or refused, whichever round it
// was in; a shorter draft only begins its rounds elsewhere. So the same text is walked again with fewer draft tokens a round.
// Unknown stays what nobody drafted: the token of the target's own behind a full round.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/run/run_view.h"

namespace speclens {

// A round of a chain, by where it stands in the answer.
struct DraftedRound {
    int at = 0;      // new tokens before it
    int drafted = 0; // draft tokens that were judged or could have been
    int kept = 0;
    int tokens = 0; // written by it
};
// Complete rounds of a run whose drafts are chains; of trees `kept` is the length of the path.
[[nodiscard]] std::vector<DraftedRound> rounds_of(const RunView& view);

// Rounds of one answer, or means over several walks through it.
struct WalkedRounds {
    double rounds = 0, tokens = 0;
    std::vector<double> by_drafted; // [m]: rounds with m draft tokens
    WalkedRounds& operator+=(const WalkedRounds& other);
};
// As they happened.
[[nodiscard]] WalkedRounds as_drafted(const std::vector<DraftedRound>& rounds);
// As they would have been with `k` draft tokens at most. `asked`: the draft length of `rounds`; `limit`: of new tokens, which
// leaves no room for draft tokens at the end. `unseen`: the chance that a draft token is kept where nobody drafted.
[[nodiscard]] WalkedRounds walked_with(const std::vector<DraftedRound>& rounds, int asked, int k, int limit, double unseen,
                                       std::uint64_t seed);

} // namespace speclens
