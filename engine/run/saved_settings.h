// The settings of a saved run, as far as its header tells them: what the controls show, and what starts it
// again.
#pragma once

#include "engine/run/run_settings.h"
#include "engine/run/trace.h"

namespace speclens {

[[nodiscard]] RunSettings settings_of(const Header& header);
// The other way, but for the prompt and what a drafter makes of its options.
void take_settings(const RunSettings& settings, Header& header);

} // namespace speclens
