#include "remote/serve_counts.h"

#include <algorithm>
#include <cstdio>

namespace speclens {
namespace {

std::string escaped_label(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\' || c == '"') out += '\\';
        if (c == '\n')
            out += "\\n";
        else
            out += c;
    }
    return out;
}

std::string metric_number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    return text;
}

} // namespace

void ServeCounts::waiting(int change) {
    const std::lock_guard lock(mutex_);
    waiting_ += change;
}

void ServeCounts::running(int change) {
    const std::lock_guard lock(mutex_);
    running_ += change;
}

void ServeCounts::prompt(int tokens) {
    const std::lock_guard lock(mutex_);
    prompt_tokens_ += tokens;
}

void ServeCounts::round(int drafted, int places, int accepted, int written) {
    const std::lock_guard lock(mutex_);
    tokens_ += written;
    if (drafted == 0) return;
    spec_.rounds = spec_.rounds.value_or(0) + 1;
    spec_.drafted += drafted;
    spec_.accepted += accepted;
    spec_.accepted_at.resize(std::max(spec_.accepted_at.size(), static_cast<std::size_t>(places)), 0);
    for (int i = 0; i < accepted; ++i) spec_.accepted_at[static_cast<std::size_t>(i)] += 1;
}

void ServeCounts::finished(double first_token_ms, double total_ms, int tokens) {
    const std::lock_guard lock(mutex_);
    requests_ += 1;
    first_seconds_ += first_token_ms / 1000;
    if (tokens > 1) {
        between_seconds_ += (total_ms - first_token_ms) / 1000;
        between_ += tokens - 1;
    }
}

std::string ServeCounts::exposition(const std::string& model) const {
    const std::lock_guard lock(mutex_);
    const std::string labels = "engine=\"0\",model_name=\"" + escaped_label(model) + "\"";
    std::string out;
    const auto metric = [&](const char* name, const char* type, const char* help, double value) {
        out += "# HELP " + std::string(name) + " " + help + "\n# TYPE " + name + " " + type + "\n" + name +
               "{" + labels + "} " + metric_number(value) + "\n";
    };
    metric("vllm:num_requests_running", "gauge", "Requests being answered.", running_);
    metric("vllm:num_requests_waiting", "gauge", "Requests that wait.", waiting_);
    metric("vllm:prompt_tokens_total", "counter", "Tokens of prompts.", prompt_tokens_);
    metric("vllm:generation_tokens_total", "counter", "Tokens written.", tokens_);
    metric("vllm:spec_decode_num_drafts_total", "counter", "Rounds that judged guesses.",
           spec_.rounds.value_or(0));
    metric("vllm:spec_decode_num_draft_tokens_total", "counter", "Guesses judged.", spec_.drafted);
    metric("vllm:spec_decode_num_accepted_tokens_total", "counter", "Guesses kept.", spec_.accepted);
    const std::string places = "vllm:spec_decode_num_accepted_tokens_per_pos_total";
    out += "# HELP " + places + " Rounds that kept the guess at this place.\n# TYPE " + places + " counter\n";
    for (std::size_t i = 0; i < spec_.accepted_at.size(); ++i)
        out += places + "{" + labels + ",position=\"" + std::to_string(i) + "\"} " +
               metric_number(spec_.accepted_at[i]) + "\n";
    const auto spent = [&](const char* name, const char* help, double seconds, double count) {
        out += "# HELP " + std::string(name) + " " + help + "\n# TYPE " + name + " histogram\n" + name +
               "_bucket{" + labels + ",le=\"+Inf\"} " + metric_number(count) + "\n" + name + "_sum{" +
               labels + "} " + metric_number(seconds) + "\n" + name + "_count{" + labels + "} " +
               metric_number(count) + "\n";
    };
    spent("vllm:time_to_first_token_seconds", "From the request to its first token.", first_seconds_,
          requests_);
    spent("vllm:inter_token_latency_seconds", "Between tokens of one request.", between_seconds_, between_);
    return out;
}

} // namespace speclens
