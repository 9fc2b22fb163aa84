// Draft workers on one target elsewhere, simulated from the costs that the user set: what the picture shows until some decoded here.
#pragma once

#include <cstdint>

#include "engine/batch/worker_pool.h"
#include "scenes/systems/systems_model.h"

namespace speclens {

// Every worker drafts K guesses, one worker at a time, and sends their ids. The target takes into its next pass whatever has arrived; a
// pass costs the same for one text as for all (a target that is bound by memory).
[[nodiscard]] PoolFilm simulated_pool(const SimulatedWire& costs, int workers, std::uint64_t seed);

} // namespace speclens
