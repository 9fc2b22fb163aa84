// Results that benchmarks save.
#include <algorithm>
#include <cmath>

#include "engine/base/json_read.h"
#include "engine/base/values.h"
#include "remote/reading/bench_entry.h"
#include "remote/reading/bench_output.h"
#include "remote/reading/bench_records.h"
#include "remote/reading/reported_number.h"

namespace speclens {

using log_lines::figure;
using log_lines::Open;
using log_lines::Printed;

namespace {

std::optional<Printed> rounded_in(const Json& json, const char* key) { // saved with all digits, or with four
    const auto value = reported_at(json, key);
    return value ? std::optional(Printed{*value, 5e-5}) : std::nullopt;
}

std::optional<Open> bench_result(const Json& json, int number) {
    const auto length = rounded_in(json, "spec_decode_acceptance_length"), sglang = rounded_in(json, "accept_length");
    const auto drafted = reported_at(json, "spec_decode_draft_tokens");
    const auto tokens = reported_at(json, "total_output_tokens");
    if (!length && !drafted && !(sglang && tokens)) return {};
    const bool vllm = length || drafted;
    Open o = entry_of(vllm ? ServerKind::vllm : ServerKind::sglang, vllm ? "vllm bench serve" : "SGLang's bench_serving", number);
    o.rounds = reported_at(json, "spec_decode_num_drafts");
    o.drafted = drafted;
    o.accepted = reported_at(json, "spec_decode_accepted_tokens");
    o.length = vllm ? length : sglang;
    if (const auto rate = rounded_in(json, "spec_decode_acceptance_rate")) o.rate = of_percent(*rate);
    // Modular's copy of the benchmark may hold a fraction under the same key.
    if (o.rate && o.drafted && o.accepted && *o.drafted > 0 && std::abs(100 * o.rate->value - *o.accepted / *o.drafted) < 1e-4)
        o.rate = Printed{100 * o.rate->value, 1e-4};
    o.place_off = 5e-5 + 1e-9;
    if (const auto places = json.find("spec_decode_per_position_acceptance_rates"); places != json.end() && places->is_array())
        for (const Json& share : *places) o.places.push_back(share.is_number() ? share.get<double>() : 2); // 2: no share, and said so
    drop_undrafted_places(o);
    if (tokens) o.entry.text = WrittenText{.tokens = *tokens, .answers = reported_at(json, "completed")};
    o.entry.tokens_per_second = reported_at(json, "output_throughput");
    o.entry.remark = latencies_words(rounded_in(json, "mean_itl_ms"), rounded_in(json, "mean_tpot_ms"));
    return o;
}

// AIPerf's profile_export_aiperf.json: {"total_spec_decode_steps": {"unit": "count", "avg": 11}, …}, the warm-up in none of them.
std::optional<Open> aiperf_result(const Json& json, int number) {
    const auto total = [&](const char* key) {
        const auto found = json.find(key);
        return found != json.end() && found->is_object() ? reported_at(*found, "avg") : std::nullopt;
    };
    const auto rounds = total("total_spec_decode_steps"), tokens = total("total_osl");
    if (!rounds) return {};
    Open o = entry_of(ServerKind::unknown, "AIPerf", number);
    o.rounds = rounds, o.accepted = total("total_accepted_draft_tokens"), o.drafted = total("total_draft_tokens");
    if (const auto histogram = histogram_in(json, "pooled_spec_decode_acceptance_histogram"); histogram && *rounds > 0) {
        const SpecCounts pooled = counts_of_histogram(*histogram, 0);
        if (!o.accepted) o.accepted = pooled.accepted;
        if (pooled.rounds != rounds || pooled.accepted != o.accepted) {
            o.leave_out(histogram_differs());
            o.accepted.reset();
            return o;
        }
        for (const double kept : pooled.accepted_at) o.places.push_back(kept / *rounds);
        o.place_off = 1e-9;
        o.kept_alone = true;
    }
    if (const auto all = tokens ? tokens : total("total_output_tokens"))
        o.entry.text = WrittenText{.tokens = *all, .answers = total("request_count")};
    return o;
}

// What trtllm-bench saves (--report_json): means over its requests.
std::optional<Open> trt_report(const Json& json, int number) {
    const auto part = [](const Json& whole, const char* key) {
        const auto found = whole.find(key);
        return found != whole.end() && found->is_object() ? Json(*found) : Json::object();
    };
    const Json request = part(json, "request_info"), decoding = part(json, "decoding_stats");
    const auto answers = reported_at(request, "num_requests"), tokens = reported_at(request, "avg_output_length"),
               drafted = reported_at(part(decoding, "num_draft_tokens_percentiles"), "average"),
               accepted = reported_at(part(decoding, "num_accepted_draft_tokens_percentiles"), "average");
    if (!answers || !tokens || !drafted || !accepted) return {};
    return trt_bench(*answers, *tokens, *drafted, *accepted, number);
}

std::optional<Open> sglang_info(const Json& json, int number) {
    const auto length = length_in_server_info(json);
    if (!length) return {};
    Open o = entry_of(ServerKind::sglang, "SGLang's /server_info", number);
    o.length = Printed{*length, 5e-5};
    return o;
}

// Iterations of TensorRT-LLM: requests that drafted are rounds; of requests that decode the others wrote without a draft.
struct Iterations {
    int seen = 0, zeros = 0;
    double rounds = 0, drafted = 0, accepted = 0, decoding = 0, tokens = 0;
    bool all_decoding = true; // every iteration tells how many requests decoded, and how many tokens each wrote
    bool length_differs = false;

    void add(const Json& json) {
        const auto stats = json.find("specDecodingStats");
        const auto batch = json.find("inflightBatchingStats");
        const auto of = [](const auto& where, const Json& whole, const char* key) {
            return where != whole.end() && where->is_object() ? reported_at(*where, key) : std::nullopt;
        };
        const auto drafts = of(stats, json, "numDraftTokens"), kept = of(stats, json, "numAcceptedTokens"),
                   requests = of(stats, json, "numRequestsWithDraftTokens"), length = of(stats, json, "acceptanceLength"),
                   decodes = of(batch, json, "numGenRequests"), each = of(batch, json, "avgNumDecodedTokensPerIter");
        ++seen;
        if (decodes && (each || *decodes == 0)) {
            decoding += *decodes;
            tokens += *decodes * each.value_or(0);
        } else {
            all_decoding = false;
        }
        if (!drafts || !kept || !requests) return;
        if (length && *length > 1 && (*drafts == 0 || *kept == 0 || *requests == 0)) { // pull request 17082
            ++zeros;
            return;
        }
        drafted += *drafts, accepted += *kept, rounds += *requests;
        length_differs |= length && *requests > 0 && *length > 0 && std::abs((*requests + *kept) / *requests - *length) > 0.006;
    }
    [[nodiscard]] Open entry() const {
        Open o = entry_of(ServerKind::tensorrt, seen == 1 ? "one iteration" : figure(seen) + " iterations", 1);
        if (zeros > 0) {
            o.leave_out(figure(zeros) +
                        " of its iterations count 0 beside an acceptance length above 1, so they are not told (TensorRT-LLM "
                        "before pull request 17082 of July 2026)");
            return o;
        }
        o.rounds = rounds, o.drafted = drafted, o.accepted = accepted;
        if (length_differs) o.leave_out("an acceptance length that is not (requests + accepted) ÷ requests");
        if (all_decoding && tokens > 0 && decoding >= rounds) {
            o.entry.text = WrittenText{.tokens = std::round(tokens), .answers = 0, .first_apart = false, .off = 0.5};
            o.entry.text->plain = decoding - rounds;
            if (std::abs(tokens - std::round(tokens)) < 0.01) o.entry.text->off = 0;
        }
        return o;
    }
};

bool is_iteration(const Json& json) {
    return json.is_object() && (json.contains("specDecodingStats") || (json.contains("iter") && json.contains("iterLatencyMS")));
}

} // namespace

std::optional<std::vector<LogEntry>> read_bench_json(std::string_view text) {
    text = trimmed(text.substr(std::min(text.size(), text.find_first_not_of("\xEF\xBB\xBF \t\r\n"))));
    if (!text.starts_with('{') && !text.starts_with('[')) return {};
    std::vector<LogEntry> out;
    Iterations iterations;
    int line = 1;
    const auto take = [&](const Json& json) {
        if (!json.is_object()) return false;
        if (is_iteration(json)) {
            iterations.add(json);
            return true;
        }
        for (const auto read : {bench_result, aiperf_result, trt_report, sglang_info})
            if (auto open = read(json, line)) {
                open->settle();
                out.push_back(std::move(open->entry));
                return true;
            }
        return false;
    };
    if (const Json json = parse_foreign_json(text); json.is_array()) {
        for (const Json& one : json) take(one);
    } else if (json.is_object()) {
        take(json);
    } else { // an object a line
        for (; !text.empty(); ++line) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            if (const std::string_view one = trimmed(text.substr(0, end)); !one.empty() && !take(parse_foreign_json(one))) break;
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }
    if (iterations.seen > 0) {
        Open open = iterations.entry();
        open.settle();
        out.push_back(std::move(open.entry));
    }
    if (out.empty()) return {};
    return out;
}

} // namespace speclens
