// `speclens advise --url`: does speculation pay on somebody's server?
#pragma once

#include "app/cli/options.h"
#include "kernels/error.h"

namespace speclens::cli {

[[nodiscard]] Exit advise_server(const Options& options);

} // namespace speclens::cli
