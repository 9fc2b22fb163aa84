// What an examination of a draft head found (examination.h): how far its guesses go, where the target's choice stands in its
// distribution, and whether another way to read it does better.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/doctor/own_texts.h"
#include "engine/doctor/paired.h"
#include "engine/doctor/variants.h"

namespace speclens {

struct TriedVariant {
    Variant variant = {};
    std::string refused = {};         // what the loader said; empty: it was scored
    double kept = 0;                  // guesses a round
    PairedDifference difference = {}; // of them, to the config as it stands
    bool better = false;              // by Holm's test, and by more than kLeastGain
};

// Differences that are worth a line in a config: guesses a round.
inline constexpr double kLeastGain = 0.05;
// A head that keeps fewer guesses a round is called weak.
inline constexpr double kWeak = 0.5;
// The level of Holm's test, and of the one on fresh prompts.
inline constexpr double kAlarm = 0.01;

struct Diagnosis {
    std::string drafter, head, target; // names
    int k = 0;                         // guesses at each place
    int places = 0, texts = 0;         // of the config as it stands
    double kept = 0;                   // guesses right in a row, a round
    std::vector<double> kept_at;       // share of rounds that keep guess i
    std::array<long, kRankBins> ranks = {};
    std::vector<TriedVariant> variants; // each alone, as far as they are done
    int planned = 0;                    // of them
    int pairs = 0;                      // pairs that were looked at, on a part of the texts
    double least_told = 0;              // guesses a round: a smaller gain would have been missed more than once in ten; 0: not known

    enum class Verdict : std::uint8_t {
        open,      // it is not over
        mends,     // `winner` is better, on fresh prompts too
        uncertain, // it was, and on fresh prompts it was not
        weak,      // nothing is better, and the head keeps fewer than kWeak guesses
        healthy,   // nothing is better
    } verdict = Verdict::open;
    bool ended_early = false;           // open, and nobody goes on
    std::optional<TriedVariant> winner; // one of `variants`, or two of different kinds together
    int fresh_places = 0, fresh_texts = 0;
    double fresh_kept = 0, fresh_kept_changed = 0; // guesses a round of the config as it stands, and changed
    PairedDifference fresh;
    // Of the same questions asked as plain text, where they were asked as chats: guesses a round, at so many places. An observation: the
    // texts are others, and may be easier.
    double plain_kept = 0, chat_kept = 0;
    int plain_places = 0;

    // What was scored, best first, the winner among it; what the loader refused is left out.
    [[nodiscard]] std::vector<const TriedVariant*> ranked() const;
};

} // namespace speclens
