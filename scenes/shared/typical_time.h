// What a phase of a round takes in most rounds of its run. A machine that did other work for a moment makes one round
// look dear, and a time that is shown alone says so.
#pragma once

#include "engine/run/run_view.h"
#include "scenes/shared/told.h"

namespace speclens {

using PhaseTime = double (*)(const RoundSummary&); // ms

// Median over the other complete rounds with as many guesses; 0 where they are fewer than four, or where this round
// took no more than three times as long.
[[nodiscard]] double typical_ms(const RunView& whole, const RoundSummary& round, PhaseTime time);

// "10.81 ms (usually 1.20)", or the time alone where nothing is unusual about it.
[[nodiscard]] Message timed_words(const RunView& whole, const RoundSummary& round, PhaseTime time);

// The phases, to be handed in.
[[nodiscard]] inline double draft_time(const RoundSummary& c) { return c.draft_ms; }
[[nodiscard]] inline double head_time(const RoundSummary& c) { return c.head_ms; }
[[nodiscard]] inline double backbone_time(const RoundSummary& c) { return c.draft_ms - c.head_ms; }
[[nodiscard]] inline double verify_time(const RoundSummary& c) { return c.verify_ms; }
[[nodiscard]] inline double round_time(const RoundSummary& c) { return c.total_ms(); }

} // namespace speclens
