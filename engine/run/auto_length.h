// K auto (engine/length/draft_length.h) of a run: how its drafter may stop, what its rounds taught, and why one of them asked for what it
// asked for.
#pragma once

#include <optional>
#include <vector>

#include "engine/length/draft_length.h"

namespace speclens {

struct DrafterInfo; // engine/drafters/drafter_info.h
struct RunSettings; // engine/run/run_settings.h
struct RunView;     // engine/run/run_view.h

[[nodiscard]] DraftLength::Way way_of(const DrafterInfo& drafter, const RunSettings& settings);
// What `length` learns from the rounds of `view` before `round`, whose lengths it was given as written ones.
void follow(DraftLength& length, const RunView& view, int round);

struct LengthReason {
    DraftLength::Way way{};
    DraftLength::Why why{}; // as far as the rounds before tell; written: those of others, or other texts of its batch, said something else
    DraftSize asked, decided;                 // what the trace has, and what the rounds before say
    DraftLength::Choice plain;                // a pass without a draft
    std::vector<DraftLength::Choice> choices; // of every K the fastest
    int wait = 0, waited = 0;                 // rounds, where it waits
};
// Of a round that the trace knows, or of the next one. None: the run has no K auto, or not so many rounds.
[[nodiscard]] std::optional<LengthReason> why_length(const RunView& view, int round);

} // namespace speclens
