// What guessing brought to a whole text. A text is written by rounds, which judged drafts, by passes without a draft
// (an n-gram, a suffix or a confidence threshold proposed nothing, or the load switched drafting off), and by the
// passes that read its prompts: with most servers these write the first token of every answer. A rate and an
// acceptance length know the rounds alone; how much faster the text was written is known by all of it.
//
// With t tokens, a answers and k accepted draft tokens that were delivered: the share of the text k ÷ t, the passes
// t − k, and no speed-up above (t − a) ÷ (t − a − k), whatever drafting costs. Servers count the drafts of a round that
// the end of its text cut too; where they do not say how many, k lies between accepted − a·K and accepted.
#pragma once

#include <optional>

#include "kernels/said.h"

namespace speclens {

struct Between {
    double low = 0, high = 0;
    [[nodiscard]] bool exact() const { return low == high; }
};

// Tokens; absent: not told.
struct TextTotals {
    double tokens = 0;                    // t
    double tokens_off = 0;                // how far t may be from the truth: worked out from rounded figures
    std::optional<double> answers = {};   // a, at most: whose first tokens are among t
    bool first_apart = true;              // the pass that reads a prompt writes its first token; else a round does
    std::optional<double> rounds = {};    // that judged drafts
    double accepted = 0;                  // as the server counts
    std::optional<double> most = {};      // K, the most that one round keeps
    std::optional<double> cut = {};       // accepted or own tokens of rounds that the ends of texts cut, all answers together
    std::optional<double> plain = {};     // passes without a draft, where they are counted
    std::optional<double> delivered = {}; // k, where it is counted
};

struct TextShares {
    Said wrong;                       // an identity that the totals break: then nothing else is told
    bool least_told = false;          // `delivered.low` is known; else it is 0, and nothing bounds what ends cut
    std::optional<Between> delivered; // k: of the accepted draft tokens those in the text
    std::optional<Between> share;     // k ÷ t
    std::optional<Between> passes;    // t − k, and one for each own token that an end cut; those that read prompts, too
    std::optional<Between> per_pass;  // t ÷ passes; absent: the denominator reaches 0
    std::optional<Between> plain;     // passes without a draft; absent: rounds are not told
    bool plain_holds_first = false;   // answers are not told: the first tokens of theirs are among `plain`
    // Where answers are not told: of whole answers, the passes that read their prompts counted. Absent: the
    // denominator reaches 0.
    std::optional<Between> most_speed_up;
    bool of_whole_answers = false;
};
[[nodiscard]] TextShares text_shares(const TextTotals& totals);

} // namespace speclens
