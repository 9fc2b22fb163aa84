// The options of a drafter in a saved trace: those that are not as usual, by the names of their fields.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/drafters/drafter_settings.h"

namespace speclens {

[[nodiscard]] nlohmann::ordered_json options_json(const DrafterOptions& options);
// One setting, also where it is as usual: null for a number that is not set, [low, high] for a pair.
[[nodiscard]] nlohmann::ordered_json setting_json(const DrafterSetting& setting, const DrafterOptions& options);
// Throws trace_file::Malformed. Unknown names are left out: a later version may have more of them.
[[nodiscard]] DrafterOptions drafter_options_of(const nlohmann::ordered_json& object);

}  // namespace speclens
