// What the engine shows: one consistent snapshot, for whoever draws, prints or waits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/lab/race.h"
#include "engine/run/answers.h"
#include "engine/run/engine_status.h"
#include "engine/run/prompt_room.h"
#include "engine/run/run_settings.h"
#include "engine/run/trace.h"

namespace speclens {

struct Snapshot : Answers {
    std::shared_ptr<const Trace> trace;      // of the current branch; null before the first run
    std::shared_ptr<const RaceView> race;    // the last timed race, finished or not; null before the first
    std::shared_ptr<const RaceView> stepped; // the last stepped race; null before the first
    EngineStatus status;
    RunSettings settings;                                        // of the current run
    std::shared_ptr<const std::vector<EarlierSettings>> earlier; // of its rounds before a fork; null before the first run
    std::uint64_t runs = 0;                                      // begun so far, branches included
    std::function<PromptRoom(const RunSettings&)> prompt_room;   // empty until the models are loaded; any thread
    std::uint64_t revision = 0;                                  // grows with every change
};

} // namespace speclens
