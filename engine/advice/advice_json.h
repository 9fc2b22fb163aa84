// An advice for programs: one JSON object, schema "speclens-advice/1".
#pragma once

#include <string>

#include "engine/advice/advice.h"

namespace speclens {

[[nodiscard]] std::string advice_json(const Advice& advice);

} // namespace speclens
