#include "remote/serving/serve_counts.h"

#include <algorithm>

#include "engine/base/printed.h"

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

std::string metric_number(double value) { return printed("%.17g", value); }

std::string metric(const std::string& labels, const char* name, const char* type, const char* help, double value) {
    return "# HELP " + std::string(name) + " " + help + "\n# TYPE " + name + " " + type + "\n" + name + "{" + labels + "} " +
           metric_number(value) + "\n";
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

void ServeCounts::queue(int running, int waiting) {
    const std::lock_guard lock(mutex_);
    running_ = running;
    waiting_ = waiting;
}

void ServeCounts::blocks(int all, int free) {
    const std::lock_guard lock(mutex_);
    blocks_ = all;
    free_blocks_ = free;
}

void ServeCounts::batch(const BatchRound& round) {
    const std::lock_guard lock(mutex_);
    passes_ += round.passes;
    rows_ += round.rows;
    texts_in_passes_ += static_cast<double>(std::ranges::count_if(round.lanes, [](const BatchLane& lane) { return lane.rows > 0; }));
    preempted_ += round.count(BatchLane::Did::preempted);
    shared_tokens_ += round.shared_tokens;
}

void ServeCounts::prompt(int tokens) {
    const std::lock_guard lock(mutex_);
    prompt_tokens_ += tokens;
}

void ServeCounts::round(int drafted, int places, int judged, int accepted, int written) {
    const std::lock_guard lock(mutex_);
    tokens_ += written;
    if (drafted == 0) {
        plain_ += 1;
        return;
    }
    spec_.rounds = spec_.rounds.value_or(0) + 1;
    spec_.drafted += drafted;
    spec_.accepted += accepted;
    const auto grow = [&](std::vector<double>& at, int count) {
        at.resize(std::max(at.size(), static_cast<std::size_t>(places)), 0);
        for (int i = 0; i < std::min(count, places); ++i) at[static_cast<std::size_t>(i)] += 1;
    };
    grow(spec_.accepted_at, accepted);
    grow(spec_.judged_at, judged);
}

void ServeCounts::sources(std::span<const TokenAccount> accounts) {
    const std::lock_guard lock(mutex_);
    for (const TokenAccount& account : accounts) by_source_[static_cast<std::size_t>(account.role)] += 1;
}

void ServeCounts::ranks(const RoundSummary& round, const Header& header) {
    const std::lock_guard lock(mutex_);
    ranks_.add(round, header);
}

void ServeCounts::first_token(double ms) {
    const std::lock_guard lock(mutex_);
    first_.observe(ms / 1000, 1);
}

void ServeCounts::between_tokens(double ms, int tokens) {
    const std::lock_guard lock(mutex_);
    if (tokens > 0) between_.observe(ms / 1000 / tokens, tokens);
}

void ServeCounts::Histogram::observe(double value, double times) {
    const auto bucket = std::ranges::lower_bound(bounds, value) - bounds.begin();
    counts[static_cast<std::size_t>(bucket)] += times;
    seconds += value * times;
}

std::string ServeCounts::Histogram::exposition(const std::string& name, const std::string& help, const std::string& labels) const {
    std::string out = "# HELP " + name + " " + help + "\n# TYPE " + name + " histogram\n";
    double count = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        count += counts[i];
        const std::string bound = i < bounds.size() ? printed("%g", bounds[i]) : "+Inf";
        out += name + "_bucket{" + labels + ",le=\"" + bound + "\"} " + metric_number(count) + "\n";
    }
    return out + name + "_sum{" + labels + "} " + metric_number(seconds) + "\n" + name + "_count{" + labels + "} " + metric_number(count) +
           "\n";
}

// Names of vLLM where it has them. Texts and rows over passes are the mean size of a batch.
std::string ServeCounts::batch_exposition(const std::string& labels) const {
    if (blocks_ == 0) return "";
    const double used = static_cast<double>(blocks_ - free_blocks_) / blocks_;
    return metric(labels, "vllm:kv_cache_usage_perc", "gauge", "Blocks of keys and values in use. 1: all of them.", used) +
           metric(labels, "speclens:kv_blocks", "gauge", "Blocks of keys and values.", blocks_) +
           metric(labels, "speclens:kv_blocks_free", "gauge", "Of them not in use.", free_blocks_) +
           metric(labels, "vllm:num_preemptions_total", "counter", "Texts that gave up their blocks for earlier ones.", preempted_) +
           metric(labels, "speclens:prompt_tokens_shared_total", "counter", "Tokens of prompts found in blocks of other texts.",
                  shared_tokens_) +
           metric(labels, "speclens:batch_passes_total", "counter", "Passes of the target.", passes_) +
           metric(labels, "speclens:batch_texts_total", "counter", "Texts in them.", texts_in_passes_) +
           metric(labels, "speclens:batch_rows_total", "counter", "Rows of them.", rows_);
}

// Tokens by where they came from, and of refusals what the target wrote instead.
std::string ServeCounts::token_exposition(const std::string& labels) const {
    const auto head = [](const std::string& name, const char* help) {
        return "# HELP " + name + " " + help + "\n# TYPE " + name + " counter\n";
    };
    const std::string written = "speclens:tokens_by_source_total", refused = "speclens:spec_decode_refused_rank_total",
                      next = "speclens:spec_decode_refused_next_choice_total";
    std::string out = head(written, "Tokens written, by where they came from.");
    for (int role = 0; role < kTokenRoles; ++role)
        out += written + "{" + labels + ",source=\"" + name_of(static_cast<TokenRole>(role)) + "\"} " +
               metric_number(by_source_[static_cast<std::size_t>(role)]) + "\n";
    std::string by_rank = head(
        refused, "Refusals at this place, by the rank of the target's token in the draft's list; of requests whose lists are recorded.");
    std::string by_next = head(next, "Of these, those whose token was the draft's next choice.");
    const auto put = [&](const RefusedRanks& ranks) {
        const std::string who = ranks.drafter.empty() ? "" : ",drafter=\"" + ranks.drafter + "\"";
        for (std::size_t i = 0; i < ranks.places.size(); ++i) {
            const RefusedRanks::Place& place = ranks.places[i];
            const std::string at = "{" + labels + who + ",position=\"" + std::to_string(i) + "\"";
            for (std::size_t rank = 0; rank < place.ranks.size(); ++rank)
                by_rank += refused + at + ",rank=\"" + (rank < RefusedRanks::kListed ? std::to_string(rank + 1) : "more") + "\"} " +
                           metric_number(place.ranks[rank]) + "\n";
            by_next += next + at + "} " + metric_number(place.next) + "\n";
        }
    };
    if (ranks_.by.empty()) put(ranks_);
    for (const RefusedRanks& one : ranks_.by) put(one); // of two chained drafters
    return out + by_rank + by_next;
}

std::string ServeCounts::exposition(const std::string& model) const {
    const std::lock_guard lock(mutex_);
    const std::string labels = "engine=\"0\",model_name=\"" + escaped_label(model) + "\"";
    std::string out;
    const auto add = [&](const char* name, const char* type, const char* help, double value) {
        out += metric(labels, name, type, help, value);
    };
    add("vllm:num_requests_running", "gauge", "Requests being answered.", running_);
    add("vllm:num_requests_waiting", "gauge", "Requests that wait.", waiting_);
    add("vllm:prompt_tokens_total", "counter", "Tokens of prompts.", prompt_tokens_);
    add("vllm:generation_tokens_total", "counter", "Tokens written.", tokens_);
    add("vllm:spec_decode_num_drafts_total", "counter", "Rounds that judged guesses.", spec_.rounds.value_or(0));
    add("vllm:spec_decode_num_draft_tokens_total", "counter", "Guesses judged.", spec_.drafted);
    add("vllm:spec_decode_num_accepted_tokens_total", "counter", "Guesses kept.", spec_.accepted);
    add("speclens:passes_without_draft_total", "counter", "Passes of a text that judged no guesses.", plain_);
    out += token_exposition(labels) + batch_exposition(labels);
    const auto by_place = [&](const std::string& name, const char* help, const std::vector<double>& values) {
        out += "# HELP " + name + " " + help + "\n# TYPE " + name + " counter\n";
        for (std::size_t i = 0; i < values.size(); ++i)
            out += name + "{" + labels + ",position=\"" + std::to_string(i) + "\"} " + metric_number(values[i]) + "\n";
    };
    by_place("vllm:spec_decode_num_accepted_tokens_per_pos_total", "Rounds that kept the guess at this place.", spec_.accepted_at);
    by_place("speclens:spec_decode_num_judged_tokens_per_pos_total", "Rounds that kept all guesses before this place and judged one here.",
             spec_.judged_at);
    return out + first_.exposition("vllm:time_to_first_token_seconds", "From the request to its first token.", labels) +
           between_.exposition("vllm:inter_token_latency_seconds", "Between tokens of one request.", labels);
}

} // namespace speclens
