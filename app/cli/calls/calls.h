// The program as libspeclens.so starts it (app/c/frames.h): calls on standard input, what they say on standard output.
#pragma once

#include "kernels/error.h"

namespace speclens::cli {

// Loads once what the calls have in common. Ends the process when standard input does.
[[nodiscard]] Exit serve_calls();

} // namespace speclens::cli
