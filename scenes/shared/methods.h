// Marks and short names of the drafters, and why one has no guess where several were asked, alike in every picture.
#pragma once

#include <string>

#include "ui/glyphs.h"
#include "ui/stories/message.h"

namespace speclens {

struct ComparisonRow; // engine/run/drafter_comparison.h

[[nodiscard]] ui::Icon method_mark(const std::string& drafter);
[[nodiscard]] Message method_title(const std::string& drafter); // short, as in the rail: "EAGLE-3"
// `answer`: null, there is none; `can_ask`: there is an engine that could give one; `asking`: it is about to.
[[nodiscard]] Message no_guess_words(const ComparisonRow* answer, bool can_ask, bool asking);

} // namespace speclens
