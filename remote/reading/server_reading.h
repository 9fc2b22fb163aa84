// What one scrape of a server's metrics says, in one form for vLLM, SGLang, llama.cpp and TensorRT-LLM.
// Names: vLLM v1/metrics (label `engine`: summed), SGLang srt/metrics (gauges), llama.cpp pull request 26389, and what
// its other builds have (pull requests 25327 and 24850, 23328; AtomicBot-ai/atomic-llama-cpp-turboquant 22, by
// spec_type); TensorRT-LLM "trtllm_spec_decode_…" (tests/unittest/llmapi, SpecDecodingStats of executor/types.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "remote/reading/exposition.h"
#include "remote/reading/reported_rates.h"
#include "remote/reading/spec_counts.h"

namespace speclens {

// The last three only write what people paste.
enum class ServerKind : std::uint8_t { unknown, vllm, sglang, llamacpp, tensorrt, openvino, lmstudio, mlx };
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

// vLLM serves diffusion models on the path of its drafts; a step of denoising judges a canvas of positions. That is no
// speculation (vllm/v1/spec_decode/metrics.py).
struct DiffusionCounts {
    double steps = 0, positions = 0, committed = 0; // denoising steps; positions looked at; tokens written
    [[nodiscard]] std::optional<double> tokens_per_step() const { return steps > 0 ? std::optional(committed / steps) : std::nullopt; }
    [[nodiscard]] std::optional<double> steps_per_canvas() const {
        return committed > 0 ? std::optional(positions / committed) : std::nullopt;
    }
};
// "a diffusion model: 2.57 tokens a denoising step, …".
[[nodiscard]] Said diffusion_words(const DiffusionCounts& counts);

// Counters are since the server's start, gauges of now; absent: not reported.
struct ServerReading {
    ServerKind kind = ServerKind::unknown;
    std::vector<std::string> models;
    std::optional<SpecCounts> counts;                     // absent: it does not speculate, or does not count
    std::vector<ReadingPart> parts;                       // of counts, where there are several
    std::optional<DiffusionCounts> diffusion;             // a diffusion model
    std::vector<std::string> other_counters;              // that speak of drafts under names which are not read
    Said zeros;                                           // counters that are 0 beside a figure which says otherwise
    bool odd_counts = false;                              // it has such counters, and they are no counts
    Said wrong;                                           // an identity that its counters break
    std::optional<double> reported_accepted;              // vLLM up to 0.8: see V0Reported
    std::optional<double> reported_length, reported_rate; // SGLang: acceptance length and rate, averaged by itself
    std::optional<double> reported_drafts;                // SGLang: drafted tokens of a round by its settings
    DraftSettings drafting;                               // SGLang: as it was started
    std::optional<double> verify_calls;                   // SGLang: rounds since the start, where it counts them
    std::optional<double> generated, prompt_tokens;       // tokens
    std::optional<double> answers;                        // whose first tokens are among `generated`, at most
    std::optional<double> plain, delivered;               // ours: passes without a draft, draft tokens that are in the text
    bool first_apart = true;                              // reading a prompt writes the first token of its answer
    bool by_position = true;                              // its dialect has counters of places
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
// The text behind counts of all its requests; absent: it counts no tokens.
[[nodiscard]] std::optional<WrittenText> written_text(const ServerReading& reading);
// It counts drafts, has written tokens, and drafted for none of them.
[[nodiscard]] bool drafts_nothing(const ServerReading& reading);
// It has none of any counters of drafts, which its kind has as soon as it speculates (vLLM).
[[nodiscard]] bool counts_would_be_there(const ServerReading& reading);
// What is missing and which option of the server would give it; empty when all is there.
[[nodiscard]] std::vector<Said> what_is_missing(const ServerReading& reading);
// Where nothing is read of a whole server: why.
enum class NoMetrics : std::uint8_t { closed, refused, none_loaded };
[[nodiscard]] Said no_metrics(ServerKind kind, NoMetrics why);
[[nodiscard]] Said not_loaded(const std::string& model, const std::string& shown); // shown: whose figures these are; empty: nobody's

} // namespace speclens
