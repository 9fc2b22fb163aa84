// What one scrape of a server's metrics says, in one form for vLLM, SGLang and llama.cpp.
// Names: vLLM v1/metrics (label `engine`: summed), SGLang srt/metrics (gauges), llama.cpp pull request 26389.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "remote/reading/exposition.h"
#include "remote/reading/reported_rates.h"
#include "remote/reading/spec_counts.h"

namespace speclens {

enum class ServerKind : std::uint8_t { unknown, vllm, sglang, llamacpp };
[[nodiscard]] const char* server_name(ServerKind kind); // "vLLM"

// Sum and number of a histogram of seconds.
struct Spent {
    double seconds = 0, count = 0;
    [[nodiscard]] std::optional<double> mean_ms() const { return count > 0 ? std::optional<double>(1000 * seconds / count) : std::nullopt; }
};

// Of one engine, replica or model of several behind one address.
struct ReadingPart {
    std::string name; // the values of the labels that tell them apart: "llama-3, 0"
    SpecCounts counts;
};

// Counters are since the server's start, gauges of now; absent: not reported.
struct ServerReading {
    ServerKind kind = ServerKind::unknown;
    std::vector<std::string> models;
    std::optional<SpecCounts> counts;                     // absent: it does not speculate, or does not count
    std::vector<ReadingPart> parts;                       // of counts, where there are several
    bool odd_counts = false;                              // it has such counters, and they are no counts
    std::string wrong;                                    // an identity that its counters break, in words
    std::optional<double> reported_accepted;              // vLLM up to 0.8: see V0Reported
    std::optional<double> reported_length, reported_rate; // SGLang: acceptance length and rate, averaged by itself
    std::optional<double> reported_drafts;                // SGLang: K by its settings
    std::optional<double> verify_calls;                   // SGLang: rounds since the start, where it counts them
    std::optional<double> generated, prompt_tokens;       // tokens
    // llama.cpp books a request when it ends: the seconds that `generated` took, summed over requests, and the
    // tokens of requests that still run (/slots).
    std::optional<double> generating_seconds, in_flight;
    std::optional<double> running, waiting, preempted; // requests
    std::optional<double> cache_share;                 // 0 … 1 of the key/value cache
    std::optional<double> reported_throughput;         // tokens per second, averaged by the server
    Spent first_token, between_tokens;

    [[nodiscard]] bool speculates() const { return counts.has_value() || reported_length.has_value(); }
};
[[nodiscard]] ServerReading read_metrics(const std::vector<MetricSample>& samples);
[[nodiscard]] ReportedRates reported_rates(const ServerReading& reading);
// It counts drafts, has written tokens, and drafted for none of them.
[[nodiscard]] bool drafts_nothing(const ServerReading& reading);
// What is missing and which option of the server would give it; empty when all is there.
[[nodiscard]] std::vector<std::string> what_is_missing(const ServerReading& reading);

} // namespace speclens
