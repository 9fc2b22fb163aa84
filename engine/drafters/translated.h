// The small draft model where it has another tokenizer than the target.
#pragma once

#include <memory>

#include "engine/drafters/drafter.h"

namespace speclens {

// DrafterArgs::vocabularies says what the two have in common; DrafterOptions::by_text how a draft token gets from one to the other.
[[nodiscard]] std::unique_ptr<Drafter> make_translated(DrafterArgs args);

} // namespace speclens
