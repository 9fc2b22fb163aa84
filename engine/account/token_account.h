// Where every token of a text came from and what both models said of it, folded from the events of a run: what `serve` tells with an
// answer, and a saved run just so.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/run/run_view.h"

namespace speclens {

// accepted: a draft token that was kept. recovered: the target's own token in the place of one that was refused, whatever rule refused
// it. bonus: its own behind drafts that were all kept. plain: its own where nothing was drafted.
enum class TokenRole : std::uint8_t { accepted, recovered, bonus, plain };
inline constexpr int kTokenRoles = 4;
[[nodiscard]] const char* name_of(TokenRole role);

// The first choice of the draft at a place where the target wrote a token of its own instead.
struct RefusedDraft {
    int token = 0;
    std::optional<double> draft_logp, target_logp; // of that token, as in TokenAccount
    std::optional<int> rank;                       // of the token that was written, in the draft's list there, from 1; absent: not in it
    int listed = 0;                                // tokens of that list; 0: none was recorded, or the drafter has none
    int before = 0;                                // tokens of the list before `rank` that were drafted there, too: siblings of a tree
};

// Log-probabilities are at temperature 1 and unfiltered, as servers tell them; absent where the lists that were recorded do not tell.
struct TokenAccount {
    int token = 0, round = 0;
    int place = 1; // in its round
    TokenRole role = TokenRole::plain;
    std::optional<double> draft_logp; // of an accepted token, and of a recovered one that the draft's list has
    std::optional<double> target_logp;
    const TopEntries* likeliest = nullptr; // of the target at this place, in the trace; null: not recorded
    std::optional<RefusedDraft> refused;   // of a recovered token
};

// Of the tokens that a complete round committed, in order. Points into the trace that `round` was folded from.
[[nodiscard]] std::vector<TokenAccount> token_accounts(const RoundSummary& round, const Header& header);
// What stands at the place of the target's own token; none where no draft token was refused there.
[[nodiscard]] std::optional<RefusedDraft> refused_draft(const RoundSummary& round, const Header& header);

} // namespace speclens
