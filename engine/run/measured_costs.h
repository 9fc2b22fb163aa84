// What rounds cost here (engine/length/draft_costs.h): measured by runs, once for all that this process does.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "engine/length/draft_costs.h"

namespace speclens {

struct Models;      // engine/models/models.h
struct PreparedRun; // engine/run/prepared_run.h
struct RunSettings; // engine/run/run_settings.h

// By a few rounds of every length in a run of its own, some twenty passes of the target; the same answer for the same models and
// drafter from then on. A table, a server and a run without times are not measured: nominal_costs(). On the backend's thread.
[[nodiscard]] DraftCosts measured_costs(const std::shared_ptr<const Models>& models, const PreparedRun& run);
// Measures now what a run of these settings would measure before its first round, and tells how far it is, from none of its rounds on;
// nothing, and nobody is told, where that is known or not needed. What `told` throws ends it. As a Run throws.
void measure_costs(const std::shared_ptr<const Models>& models, const RunSettings& settings,
                   const std::function<void(int done, int all)>& told);
// From then on measured_costs() gives these for this target and drafter.
void give_costs(const Models& models, const std::string& drafter, const DraftCosts& costs);
// From then on measured_costs() measures anew.
void forget_costs(const Models& models, const std::string& drafter);
// Where nothing may be measured: a pass costs 1 and .02 more for each further row, a draft token by its model's share of the bytes.
[[nodiscard]] DraftCosts nominal_costs(const Models& models, const PreparedRun& run);

} // namespace speclens
