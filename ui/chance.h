// A probability where small ones matter.
#pragma once

#include <string>

namespace speclens::ui {

[[nodiscard]] std::string fine_probability(double p); // like probability(), but small values keep one digit, down to .00001: .0004

} // namespace speclens::ui
