// How another head would draft a round of a run: the same text, the same dice, judged by the same target. With distributions and
// its internals, as the scene about that head wants it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/run/replay.h"
#include "engine/run/run_settings.h"
#include "engine/run/trace.h"

namespace speclens {

struct FetchOtherDrafterRound; // engine/run/session_commands.h
struct Models;                 // engine/models/models.h

struct OtherDrafterRound {
    int round = 0;
    std::string drafter;
    std::string instead_of;             // drafter of the run
    const Trace* of = nullptr;          // the trace that the round is from; only compared
    RunSettings settings;               // of the replay
    ToldReason problem;                 // why there is no round, and what to try; empty: there is
    std::shared_ptr<const Trace> trace; // header, whose prompt is the text before the round, then the round's events
    std::optional<Replay> replayed;     // Domino: that round with its head off
};

// `settings` are those that the round was made with (Run::settings_at); without a draft length the drafter has its
// usual one. The round is played twice and the second one kept: the first one reads the weights. What
// fails becomes OtherDrafterRound::problem, and so does a round without a draft token. `go_on`: as one_round's.
[[nodiscard]] OtherDrafterRound draft_as(const std::shared_ptr<const Models>& models, const RunSettings& settings, const Trace& trace,
                                         const FetchOtherDrafterRound& wanted, const std::function<bool()>& go_on = {});

} // namespace speclens
