// An advice for programs: one JSON object, schema "speclens-advice/1".
#pragma once

#include <functional>
#include <string>

#include "engine/advice/advice.h"

namespace speclens {

// `in_words`: how its sentences are said.
[[nodiscard]] std::string advice_json(const Advice& advice, const std::function<std::string(const Said&)>& in_words);

} // namespace speclens
