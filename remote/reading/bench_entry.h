// What printed and saved results of benchmarks have in common (bench_output.cpp, bench_json.cpp).
#pragma once

#include <optional>
#include <string>

#include "remote/reading/open_entry.h"

namespace speclens {

// An entry of a whole run of `program`.
[[nodiscard]] log_lines::Open entry_of(ServerKind kind, const std::string& program, int line);
[[nodiscard]] log_lines::Printed of_percent(log_lines::Printed percent);
// Places that no round drafted: some builds print more of them than K.
void drop_undrafted_places(log_lines::Open& o);
// The two latencies tell the length again: what came at once is one chunk for ITL, and so many tokens for TPOT.
[[nodiscard]] std::string latencies_words(const std::optional<log_lines::Printed>& chunk, const std::optional<log_lines::Printed>& token);
// trtllm-bench (tensorrt_llm/bench/dataclasses/reporting.py) tells means over requests: accepted is tokens − passes, the pass that
// read the prompt counted, and drafted K times these passes, though none of that one's were drafts.
[[nodiscard]] log_lines::Open trt_bench(double answers, double tokens, double drafted, double accepted, int line);

} // namespace speclens
