// `speclens sweep --alone`: K auto in runs of one text each (engine/batch/single_study.h).
#pragma once

#include <string>

#include "app/cli/options.h"
#include "app/cli/terminal.h"
#include "engine/batch/single_study.h"
#include "engine/run/trace.h"
#include "kernels/error.h"

namespace speclens::cli {

[[nodiscard]] Exit command_alone(const Options& options);
[[nodiscard]] std::string alone_text(const SinglePlan& plan, const SingleResult& result, const Terminal& terminal);
// Schema "speclens-alone/1".
[[nodiscard]] std::string alone_json(const SinglePlan& plan, const SingleResult& result, const Header& header);

} // namespace speclens::cli
