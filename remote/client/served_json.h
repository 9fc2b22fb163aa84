// Readings and answers of servers as JSON lines, for other programs.
#pragma once

#include <string>

#include "remote/client/served_text.h"
#include "remote/reading/bench_records.h"
#include "remote/reading/log_reading.h"
#include "remote/reading/server_reading.h"

namespace speclens {

// `tier`: RECORDED for what was saved.
[[nodiscard]] std::string reading_json(const ServerReading& reading, double seconds,
                                       const char* tier = "REMOTE");
[[nodiscard]] std::string log_json(const LogEntry& entry);
[[nodiscard]] std::string bench_json(const BenchRecord& record);
[[nodiscard]] std::string served_json(const ServedText& served);

} // namespace speclens
