// One round of a run, replayed with other method options on the same text with the same dice: what a
// correcting head, or the conditioning of a block, did to it.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "engine/run/run_settings.h"
#include "engine/run/trace.h"

namespace speclens {

struct FetchReplay; // engine/run/session_commands.h
struct Models;      // engine/models/models.h

struct Replay {
    int round = 0;
    DrafterOptions options;                    // those of the replay
    const Trace* of = nullptr;                 // the trace that the round is from; only compared
    std::optional<std::pair<int, int>> forced; // the draft token that was put into it: (index, token)
    std::shared_ptr<const Trace> trace;        // header, then the events of the replayed round
};

// `settings` are those that the round was made with (Run::settings_at). A draft that a fork forced in that round is forced again. Times
// include no context that an earlier round left to absorb, so they are not compared with the run's. Throws
// Error when the round is not in the trace.
[[nodiscard]] Replay replay_round(const std::shared_ptr<const Models>& models, const RunSettings& settings, const Trace& trace,
                                  const FetchReplay& wanted);

} // namespace speclens
