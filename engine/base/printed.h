// printf into a string.
#pragma once

#include <string>

namespace speclens {

[[gnu::format(printf, 1, 2)]] [[nodiscard]] std::string printed(const char* format, ...);

} // namespace speclens
