// The small words of a walk-through: marks and colours of roles, milliseconds, coins, probabilities.
#pragma once

#include <string>

#include "app/cli/terminal.h"
#include "engine/run/run_view.h"
#include "engine/run/trace.h"
#include "kernels/said.h"

namespace speclens::cli {

inline constexpr SaidOf<"walk"> walk_said; // its words: assets/stories/walk.toml

struct Mark {
    const char* glyph;
    Tone tone;
};
[[nodiscard]] Mark mark_of(Origin origin);
[[nodiscard]] Mark mark_of(const TargetToken& own, bool drafted);

// Probability of `token` in the distribution at temperature 1 where the trace has that distribution, else the given one. A
// token that is not listed has at most the probability of the last one that is.
[[nodiscard]] double at_one(const TopEntries& raw, int token, double otherwise);

// The text ended inside the accepted draft tokens: what the target would have added is cut off.
[[nodiscard]] bool truncated(const RoundSummary& round);

[[nodiscard]] std::string ms(double value);                        // "0.48 ms", "12.1 s"
[[nodiscard]] std::string coin(double u);                          // ".046"; never rounded up to 1
[[nodiscard]] std::string stays_if(double threshold);              // "u < .308", "always", "never"
[[nodiscard]] std::string counted(int n, const std::string& what); // "3 tokens"
[[nodiscard]] Said sampling_said(const Sampling& s);

} // namespace speclens::cli
