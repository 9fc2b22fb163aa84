// Where a drafter stands among the others, in words: what it takes, does in turn and keeps, since when, where, who serves with it.
#pragma once

#include <string>
#include <vector>

#include "engine/drafters/drafter_info.h"
#include "scenes/shared/told.h"

namespace speclens {

// "Takes: states of three layers", "One after the other: a layer for every guess", … None for a drafter of one's own.
[[nodiscard]] std::vector<Message> kin_words(const DrafterKin& kin);
// "vLLM, SGLang"; "–" where no document of an engine was found.
[[nodiscard]] std::string served_words(const DrafterKin& kin);
// Of the first drafter of the list under whose names figures of `method` were published; null: of none.
[[nodiscard]] const DrafterInfo* drafter_of_figures(const std::string& method);

} // namespace speclens
