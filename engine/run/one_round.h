// One round of a run played again with other settings: the same text before it, the same dice.
#pragma once

#include <functional>
#include <memory>

#include "engine/models/models.h"
#include "engine/run/run_settings.h"
#include "engine/run/trace.h"

namespace speclens {

// Header, then the events of the round. `settings` are those of the run at that round (Run::settings_at), `changed`
// those of the replay. `go_on` is asked between the pieces of a prompt, the passes of a draft and the phases: false throws Cancelled.
// Throws Error where the drafter cannot run, or where the run ends before the round.
[[nodiscard]] std::shared_ptr<Trace> one_round(const std::shared_ptr<const Models>& models, const RunSettings& settings,
                                               const RunSettings& changed, const Trace& base, int round,
                                               const std::function<bool()>& go_on = {});

} // namespace speclens
