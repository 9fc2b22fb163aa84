// K auto (engine/length/draft_length.h) of a run: how its drafter may stop, what its rounds taught, and why one of them asked for what it
// asked for.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/length/draft_length.h"

namespace speclens {

struct DrafterInfo; // engine/drafters/drafter_info.h
struct RunPlan;     // engine/run/prepared_run.h
struct RunSettings; // engine/run/run_settings.h
struct RunView;     // engine/run/run_view.h

[[nodiscard]] DraftLength::Way way_of(const DrafterInfo& drafter, const RunSettings& settings);
// Of each part of the plan's drafter: what its lengths go by, and `written` is what the first rounds ask for.
[[nodiscard]] std::vector<DraftLength> lengths_of(const RunPlan& plan, const RunSettings& settings, const DraftCosts& costs,
                                                  const std::vector<DraftSize>& written);
// What `lengths` learn from the rounds of `view` before `round`, whose lengths they were given as written ones.
void follow(std::span<DraftLength> lengths, const RunView& view, int round);

struct LengthReason {
    const DrafterInfo* drafter = nullptr; // whose: of two chained drafters the one that spoke, or would speak next where it can
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
