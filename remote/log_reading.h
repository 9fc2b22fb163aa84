// What a server wrote into its log about speculation, where its metrics cannot be reached (any more).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "remote/server_reading.h"

namespace speclens {

// One line of a log that speaks of acceptance. What the line does not say is absent or 0.
struct LogEntry {
    int line = 0; // from 1
    ServerKind kind = ServerKind::unknown;
    std::string method;                 // llama.cpp's statistics: "draft-eagle3"
    bool whole = false;                 // since the start of the server, not of one interval or request
    std::optional<SpecCounts> counts;   // where the line has counts; rounds may be worked out from the length
    std::optional<double> length, rate; // tokens per round; accepted ÷ drafted
    std::optional<double> told_rate;    // SGLang's "accept rate", which may be another (told_rates.h)
    std::vector<double> per_position;   // unconditional, as the line says
    std::optional<double> tokens_per_second, running, waiting;
};

struct LogReading {
    std::vector<LogEntry> entries;
    int lines = 0;
    ToldRates told; // of SGLang's entries
    // Sum of the entries with counts that are not `whole`; of llama.cpp its last whole one where there is no
    // other.
    [[nodiscard]] SpecCounts sum() const;
    [[nodiscard]] ServerKind kind() const; // of the first entry
};
// Understands "SpecDecoding metrics:" (vLLM), "Decode batch" with "accept len" (SGLang), "draft acceptance ="
// and "statistics" (llama.cpp). Throws Error (exit network) when no line does.
[[nodiscard]] LogReading parse_log(std::string_view text, const std::string& source);

} // namespace speclens
