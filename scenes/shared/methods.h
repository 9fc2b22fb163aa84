// Marks and short names of the drafters, alike in every picture.
#pragma once

#include <string>

#include "ui/glyphs.h"

namespace speclens {

[[nodiscard]] ui::Icon method_mark(const std::string& drafter);
[[nodiscard]] std::string method_title(const std::string& drafter); // short, as in the rail: "EAGLE-3"

} // namespace speclens
