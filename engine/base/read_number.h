// std::from_chars for a double, which LLVM's library has since version 20: there it is read by strtod, and the same comes out.
#pragma once

#include <charconv>

namespace speclens {

[[nodiscard]] std::from_chars_result read_number(const char* first, const char* last, double& value);
[[nodiscard]] std::from_chars_result read_by_strtod(const char* first, const char* last, double& value);

} // namespace speclens
