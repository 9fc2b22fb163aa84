// Records of a load generator: one JSON line per request, as AIPerf writes them (profile_export.jsonl;
// NVIDIA's guide to profile export files). Since July 2026 (ai-dynamo/aiperf pull requests 1191, 1410) they hold what the
// server told of its drafts, as a histogram of kept drafts. Older ones know nothing of drafts; but a server that streams
// as it decodes sends one chunk a round, so tokens per chunk say how many tokens a round brought, as far as chunks
// are rounds. Requests of the warm-up stand in the same file, and belong to no figure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "remote/reading/spec_counts.h"

namespace speclens {

// Of one request that was answered. 0: not reported.
struct BenchRecord {
    double tokens = 0;                              // written, hidden reasoning included where the file counts it
    double first_ms = 0;                            // until the first token
    double whole_ms = 0;                            // until the last one
    double between_ms = 0;                          // between two tokens, on average
    std::vector<double> gaps;                       // between two chunks, ms; empty for answers that were not streamed
    std::optional<SpecCounts> counts = {};          // of its drafts, where the server told
    std::string source = {};                        // source_kind of its prompt: "coding"; empty: not told
    Said left_out = {};                             // an identity that its counts break
    [[nodiscard]] double tokens_per_chunk() const { // 0: not streamed
        return gaps.empty() || tokens <= 0 ? 0 : tokens / static_cast<double>(gaps.size() + 1);
    }
};
struct BenchRecords {
    std::vector<BenchRecord> answered;
    int failed = 0;                                      // with an error, or cancelled
    int skipped = 0;                                     // lines that are no such record
    int warm_up = 0;                                     // requests of the warm-up, in no figure
    [[nodiscard]] int told() const;                      // requests that told of their drafts
    [[nodiscard]] std::optional<SpecCounts> sum() const; // of those
    // The same by source, in the order of their names; empty where the records name none.
    [[nodiscard]] std::vector<std::pair<std::string, SpecCounts>> by_source() const;
    [[nodiscard]] double tokens() const;
    [[nodiscard]] double chunks() const;           // of answers that were streamed
    [[nodiscard]] double tokens_per_chunk() const; // over all of those together; 0: none
};
// AIPerf's histogram of kept drafts in an object: keys are strings, and none of a bucket that is 0. Absent: none, or not one.
[[nodiscard]] std::optional<std::vector<double>> histogram_in(const Json& json, const char* name);
// Whether the first line is such a record.
[[nodiscard]] bool looks_like_bench_records(std::string_view text);
// Throws Error when no line is one.
[[nodiscard]] BenchRecords parse_bench_records(std::string_view text, const std::string& source);

} // namespace speclens
