// Readings and answers of servers as JSON lines, for other programs. A line of a log, an answer and a scrape say
// alike: `counts` {rounds, drafted, accepted, accepted_at} and `tokens_per_round`; what is not reported is left out, and
// `counts.inferred` names what was worked out.
#pragma once

#include <functional>
#include <string>

#include "remote/client/served_text.h"
#include "remote/reading/bench_records.h"
#include "remote/reading/log_reading.h"
#include "remote/reading/server_reading.h"

namespace speclens {

using InWords = std::function<std::string(const Said&)>; // how what it says in sentences is said

// `tier`: RECORDED for what was saved.
[[nodiscard]] std::string reading_json(const ServerReading& reading, double seconds, const InWords& in_words, const char* tier = "REMOTE");
[[nodiscard]] std::string log_json(const LogEntry& entry, const InWords& in_words);
// All entries together, each token once, and what stands out.
[[nodiscard]] std::string log_sum_json(const LogReading& log, const InWords& in_words);
[[nodiscard]] std::string bench_json(const BenchRecord& record, const InWords& in_words);
// Of records that tell of their drafts: all of them together, and by source.
[[nodiscard]] std::string bench_sum_json(const BenchRecords& records, const InWords& in_words);
[[nodiscard]] std::string served_json(const ServedText& served, const InWords& in_words, const char* tier = "REMOTE");

} // namespace speclens
