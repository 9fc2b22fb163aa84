// A probability where small ones matter.
#pragma once

#include <string>

namespace speclens::ui {

[[nodiscard]] std::string fine_probability(double p); // like probability(), but small values keep one digit, down to .00001: .0004
[[nodiscard]] std::string three_digits(double p);     // .00352: of two digits a ratio would often be another than the one that is told

} // namespace speclens::ui
