// Numbers as the pictures write them: fixed decimals per quantity, true minus, thin space in thousands,
// the decimal sign of the language of the pictures.
#pragma once

#include <cstdint>
#include <string>

namespace speclens::ui {

[[nodiscard]] std::string probability(double p);                     // .38  1.00  <.01  0
[[nodiscard]] std::string fraction(double value, int decimals);      // of 0 to 1: .0042, in a language that wants it 0,0042
[[nodiscard]] std::string number(double value, int decimals);        // 1 234.5  −4.6
[[nodiscard]] std::string short_number(double value);                // three digits at most: 0.8  1  0.125
[[nodiscard]] std::string tenths(double value);                      // 0.7  1.0, and as many digits as others need: 0.004
[[nodiscard]] std::string signed_number(double value, int decimals); // +1.2  −4.6  0.0
[[nodiscard]] std::string integer(std::int64_t value);               // 151 936
[[nodiscard]] std::string milliseconds(double ms);                   // 9.0 (no unit: the unit is text of its own)
[[nodiscard]] std::string per_round(double tokens);                  // 3.56
[[nodiscard]] std::string speed_up(double factor);                   // 1.60×
[[nodiscard]] std::string percent(double fraction);                  // 60 %
[[nodiscard]] std::string megabytes(double bytes);                   // 412 MB, 1.4 GB

} // namespace speclens::ui
