// A comparison of greedy texts, as text for people.
#pragma once

#include <string>

#include "app/cli/terminal.h"
#include "remote/same/same_result.h"

namespace speclens::cli {

// `heading`: the servers, in words; `max_tokens`: of an answer.
[[nodiscard]] std::string comparison_text(const std::string& heading, int max_tokens, const SameMeasured& measured,
                                          const SameSummary& summary, const Terminal& terminal);

} // namespace speclens::cli
