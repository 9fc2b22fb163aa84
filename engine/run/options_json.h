// Settings in files: the options of a drafter in a saved trace, those that are not as usual, by the names of their fields; and any
// setting of a run.
#pragma once

#include "engine/base/json.h"
#include "engine/drafters/drafter_settings.h"
#include "engine/run/run_setting.h"

namespace speclens {

[[nodiscard]] OrderedJson options_json(const DrafterOptions& options);
// One setting, also where it is as usual: null where it is not set, [low, high] for a pair.
[[nodiscard]] OrderedJson value_json(const RunSetting& setting, const RunSettings& settings);
// The key of the setting in `object`, which must be there; null: as usual. Throws trace_file::Malformed.
void take_json(const RunSetting& setting, const OrderedJson& object, RunSettings& to);
// All that the rule reads: {"lenience": 0.3}; empty where it reads nothing.
[[nodiscard]] OrderedJson rule_params_json(const std::string& rule, const RuleParams& params);
void take_rule_params(const OrderedJson& object, const std::string& rule, RuleParams& to); // throws trace_file::Malformed
// Throws trace_file::Malformed. Unknown names are left out: a later version may have more of them.
[[nodiscard]] DrafterOptions drafter_options_of(const OrderedJson& object);

} // namespace speclens
