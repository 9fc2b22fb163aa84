// When a line of a log was written, by what stands on it: a date and a time (vLLM "05-07 08:00:00", SGLang and
// collectors "2025-11-10 09:10:00" or with a T, journald "Nov 28 08:00:00") or llama.cpp's time since its start
// ("1.33.700.364": minutes, seconds, milliseconds, microseconds).
#pragma once

#include <optional>
#include <string_view>

namespace speclens {

// Seconds from any beginning, the same for all lines of one form. Dates without a year are taken to be of one year.
[[nodiscard]] std::optional<double> log_clock(std::string_view line);

} // namespace speclens
