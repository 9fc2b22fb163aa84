// Whether a device computes what the CPU computes: one small layer, step by step, and whether a row keeps its
// bits when it is not alone. Milliseconds. A GPU is asked before it is trusted: drivers, compilers and chips
// that nobody tried this program on are the rule.
#pragma once

#include <string>

#include "kernels/backend.h"

namespace speclens {

// Empty when all is well, else the first operation that is not. Never throws.
[[nodiscard]] std::string self_test(Backend& device, Backend& cpu);

} // namespace speclens
