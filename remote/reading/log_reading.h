// What a server wrote into its log about speculation, where its metrics cannot be reached (any more).
//
// vLLM and llama.cpp print drafted and accepted tokens, but rounds only through rounded quotients: the
// acceptance length 1 + accepted ÷ rounds to two decimals, and for every place the share of rounds that kept
// it to three. Each allows a range of rounds. With K places a round drafts K tokens at most, so drafted ÷ K
// is the least; it is exact where every round drafts K, and taken wherever it is in the range: there the line
// cannot say better. Otherwise (drafts of different lengths) the length decides, if the range leaves 1 % at
// most. A line with length 1.00 allows any number of rounds; if drafted ÷ K is none, they are absent.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "remote/reading/server_reading.h"

namespace speclens {

// One line of a log that speaks of acceptance. What the line does not say is absent or 0; so is what it calls
// nan or inf, as a server does that divided by nothing.
struct LogEntry {
    int line = 0; // from 1
    ServerKind kind = ServerKind::unknown;
    std::string method;                 // llama.cpp's statistics: "draft-eagle3"
    bool whole = false;                 // since the start of the server, not of one interval or request
    std::optional<SpecCounts> counts;   // where the line has counts; rounds worked out as above
    std::optional<double> length, rate; // tokens per round; accepted ÷ drafted
    std::optional<double> told_rate;    // SGLang's "accept rate", which may be another (told_rates.h)
    std::vector<double> per_position;   // unconditional, as the line says
    std::optional<double> tokens_per_second, running, waiting;
    std::string left_out; // what the line says and cannot be, in words: "300 accepted of 259 drafted"
};

struct LogReading {
    std::vector<LogEntry> entries;
    int lines = 0;
    ToldRates told; // of SGLang's entries
    // Sum of the entries with counts that are not `whole`; of llama.cpp its last whole one where there is no
    // other, or where it counts the same tokens and knows the rounds.
    [[nodiscard]] SpecCounts sum() const;
    [[nodiscard]] ServerKind kind() const; // of the first entry
};
// Understands "SpecDecoding metrics:" (vLLM), "Decode batch" with "accept len" (SGLang), "draft acceptance ="
// and "statistics" (llama.cpp). Throws Error (exit network) when no line does.
[[nodiscard]] LogReading parse_log(std::string_view text, const std::string& source);

} // namespace speclens
