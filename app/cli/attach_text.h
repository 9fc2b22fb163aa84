// What a server told, as text for people.
#pragma once

#include <cstdint>
#include <string>

#include "app/cli/terminal.h"
#include "remote/client/probe.h"
#include "remote/client/served_text.h"
#include "remote/reading/bench_records.h"
#include "remote/reading/log_reading.h"
#include "remote/reading/watch.h"

namespace speclens::cli {

enum class Source : std::uint8_t { live, recorded }; // by a server that listens, or in a file

[[nodiscard]] std::string facts_text(const std::string& where, const ServerFacts& facts, const Terminal& terminal,
                                     Source source = Source::live);
// The six acceptances, the places and what stands out. `of`: "since the server's start", …; `without_draft`:
// passes that are no rounds.
[[nodiscard]] std::string counts_text(const SpecCounts& counts, const std::string& of, const Terminal& terminal, int without_draft = 0);
[[nodiscard]] std::string reading_text(const ServerReading& reading, const Terminal& terminal,
                                       Source source = Source::live); // counts and gauges
[[nodiscard]] std::string watch_heading();
[[nodiscard]] std::string watch_row(const Watch& watch, double began); // of the last reading; at least two
[[nodiscard]] std::string served_text(const ServedText& served, const Terminal& terminal, Source source = Source::live);
[[nodiscard]] std::string bench_text(const std::string& name, const BenchRecords& records, const Terminal& terminal);
[[nodiscard]] std::string log_heading();
[[nodiscard]] std::string log_row(const LogEntry& entry); // for the table of log_text, and while a log is written
[[nodiscard]] std::string log_text(const std::string& name, const LogReading& log, const Terminal& terminal);

} // namespace speclens::cli
