// An advice as text for people.
#pragma once

#include <string>

#include "app/cli/terminal.h"
#include "engine/advice/advice.h"

namespace speclens::cli {

// The table of drafters, that of all draft lengths, what stands out, and the sentence at the end.
[[nodiscard]] std::string advice_text(const Advice& advice, const Terminal& terminal);
// Only what stands behind another table: break-even and the sentence.
[[nodiscard]] std::string verdict_text(const Advice& advice, const Terminal& terminal);

} // namespace speclens::cli
