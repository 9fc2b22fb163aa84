// The sandbox of the accept rule: two distributions over a handful of tokens, what they share, and the user's edits.
// Pure: distributions and edits in, bars out. Nothing is drawn here.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/base/statistics.h"
#include "engine/run/full_distributions.h"
#include "scenes/shared/example.h"

namespace speclens {

inline constexpr MessagesOf<"accept-rule", "models", "kept", "token", "coin", "areas", "residual", "books", "reach", "match", "count">
    accept_says;

enum class ModelSide : std::uint8_t { target, draft };

// One column. For a token `kept` is min(p, q); for "other" it is the sum of the minima of all tokens in it.
struct AcceptBar {
    int id = -1; // -1: all other tokens
    double p = 0, q = 0, kept = 0;
    bool locked = false;  // keeps its height while other bars are dragged
    bool touched = false; // dragged by the user
    // Above 0: the recorded head does not list the token, so p (or q) stands at 0 and is at most this.
    double p_most = 0, q_most = 0;
    bool at_least = false; // kept is only what the heads prove
    double never = 0;      // of p: on ids that the draft cannot name; 0 where that is not known
    [[nodiscard]] bool listed() const { return p_most <= 0 && q_most <= 0; }
    [[nodiscard]] double share(ModelSide side) const { return side == ModelSide::target ? p : q; }
    [[nodiscard]] double most(ModelSide side) const { return side == ModelSide::target ? p_most : q_most; }
    [[nodiscard]] double over() const { return q - kept; } // claimed by the draft beyond the target
    [[nodiscard]] double owed() const { return p - kept; } // given by the target beyond the draft
    bool operator==(const AcceptBar&) const = default;
};

// What a person can change; undo restores one of these.
struct AcceptEdit {
    std::vector<AcceptBar> bars;             // empty: as loaded
    bool one_hot = false;                    // the draft proposes its token with probability 1
    bool raw = false;                        // distributions before temperature and filters
    std::optional<double> target_t, draft_t; // absent: as in the run
    std::optional<double> coin;              // absent: the coin of the run
    bool operator==(const AcceptEdit&) const = default;
};

// Which tokens the draft can name at all: a head with a list of ids of its own, a cut LM head or a draft model with another
// tokenizer gives the others exactly 0, at any temperature. Known of whole distributions only.
struct AcceptReach {
    bool known = false;
    int ids = 0;      // that either model gives anything
    int named = 0;    // of them: that the draft gives anything; 1: a copied guess
    double never = 0; // 1 - the sum of p over the named ones
    int largest = -1; // of the others the one with the largest p, and that p; -1: there is none
    double most = 0;
    [[nodiscard]] bool some() const { return known && named > 1 && named < ids; }
    [[nodiscard]] bool much() const { return some() && never >= 0.0005; } // else next to nothing is out of reach
};

// Where the two distributions come from.
struct AcceptSource {
    std::optional<Position> position; // absent: no judged position yet
    bool full = false;                // p and q are whole distributions; else recorded heads
    bool heads_are_all = false;       // which list every token that has a probability
    bool raw = false;                 // shown before temperature and filters
    Distribution p, q;                // full
    AcceptReach reach;
    int draft_token = -1;
    std::optional<double> coin; // of the run
    bool accepted = false;
    double target_t = 1, draft_t = 1;
    bool frozen = false; // raw though nobody asked: at temperature 0 each distribution is a single bar
};

struct AcceptView {
    AcceptSource source;
    std::vector<AcceptBar> bars; // at most ten tokens by target, then "other"; empty: nothing to show
    bool edited = false;         // numbers differ from the run: the badge says TABLE
    AcceptReach reach;           // of the run's distributions; unknown once they are edited
    int drafted = -1;            // bar of the draft token
    int chosen = -1;             // bar of the coin
    double coin = 0.5;
    bool thrown = false;              // by the run or by the user; else the coin stands for one that might be
    bool kept_as_loaded = true;       // the target likes the chosen token at least as much, before any edit
    double kept = 0;                  // overlap = probability that a draft is accepted
    bool at_least = false;            // that is only what recorded heads prove
    std::vector<PlaceByRules> places; // of the round, in order, by the run's own distributions; empty: not known, or a tree
    // Guesses of the round that stay by a rule.
    [[nodiscard]] int stay(bool PlaceByRules::*by) const { return static_cast<int>(std::ranges::find(places, false, by) - places.begin()); }
    // Two short heads may share nothing although the distributions do: then kept is no number to tell.
    [[nodiscard]] bool told() const { return !at_least || kept >= 0.01; }
    [[nodiscard]] std::optional<double> known(double mass) const { return told() ? std::optional(mass) : std::nullopt; }
    [[nodiscard]] double lost() const { return 1 - kept; } // claimed by the draft beyond the target, and owed to the target
    [[nodiscard]] const AcceptBar& bar() const { return bars[static_cast<std::size_t>(chosen)]; }
    [[nodiscard]] double threshold() const { return bar().q > 0 ? std::min(1.0, bar().p / bar().q) : 0; }
    [[nodiscard]] bool accepts() const { return coin < threshold(); }
    // Whether the heads say enough of the token for a threshold.
    [[nodiscard]] bool coin_known() const { return bar().listed() && !bar().at_least; }
};
[[nodiscard]] AcceptView accept_view(const SceneInput& input, const AcceptEdit& edit, int chosen);

// The judged position that the scene shows: the selected one; else, of a run that the token rule judged, the
// last rejection or the last check; else, of the last judged round, the guess of which the draft claims most
// beyond the target.
[[nodiscard]] std::optional<Position> accept_position(const RunView& view, const std::optional<Position>& selected);
// A guess whose two distributions share something and differ in something, and whose coin was no formality: of several the one
// with most to tell, rejected ones first, because then all beats have their subject.
[[nodiscard]] const Criterion& contested_guess();
[[nodiscard]] bool tells_much(const RunView& view, const Position& at); // it is such a guess
// A guess where the target gives much to tokens that the draft's recorded head does not list, and much to those that it does.
[[nodiscard]] const Criterion& unlisted_by_the_draft();
[[nodiscard]] std::optional<Position> last_rejection(const RunView& view);
// Events up to the round in which it claims most of all; none where the token rule judged.
[[nodiscard]] std::optional<std::size_t> accept_first_look(const RunView& whole);
// Every judged position up to the cursor, oldest first.
[[nodiscard]] std::vector<Position> judged_positions(const RunView& view);

// Sets one probability and scales the unlocked others so that the sum stays 1.
void set_bar(std::vector<AcceptBar>& bars, std::size_t index, ModelSide side, double value);

// Thrown coins: the production rule (engine/rules/verify.h) with the production dice (engine/base/rng.h) on these two distributions,
// counted.
struct FlipCounts {
    std::vector<int> kept, resampled; // per bar
    int flips = 0, draft = 0;         // of the last one: the bar that was proposed
    double u = 0;                     // and its coin
    [[nodiscard]] int total(std::size_t bar) const { return kept[bar] + resampled[bar]; }
    [[nodiscard]] int kept_total() const;
    bool operator==(const FlipCounts&) const = default;
};
// Continues the same sequence of dice: flip n always uses position n. With full distributions every token counts for
// itself and is binned afterwards; else "other" is one token.
void flip(const AcceptView& view, std::uint64_t seed, int count, FlipCounts& counts);
// Whether the counts look like the target.
[[nodiscard]] DistributionTest test_flips(const AcceptView& view, const FlipCounts& counts);

} // namespace speclens
