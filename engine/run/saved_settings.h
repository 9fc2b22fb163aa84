// The settings of a saved run, as far as its header tells them: what the controls show, and what starts it
// again.
#pragma once

#include <vector>

#include "engine/length/draft_sizes.h"
#include "engine/run/run_settings.h"
#include "engine/run/trace.h"

namespace speclens {

[[nodiscard]] RunSettings settings_of(const Header& header);
// What the rounds of `trace` before `until` asked for: as it was written (Verified::asked), else as much as they drafted.
[[nodiscard]] std::vector<DraftSize> written_sizes(const Trace& trace, int until);
// The same run again, whatever rounds cost there: with K auto every round asks for what it asked for in `trace`.
[[nodiscard]] RunSettings repeated(RunSettings settings, const Trace& trace);
// The other way, but for the prompt and what a drafter makes of its options.
void take_settings(const RunSettings& settings, Header& header);

} // namespace speclens
