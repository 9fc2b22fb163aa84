#include "remote/reading/bench_records.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <map>

#include "engine/base/json_read.h"
#include "engine/base/lists.h"
#include "remote/reading/reported_number.h"

namespace speclens {
namespace {

void each_line(std::string_view text, const std::function<bool(std::string_view)>& take) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        if (line.find_first_not_of(" \t\r") != std::string_view::npos && !take(line)) return;
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

// {"metadata": {…}, "metrics": {…} or null, "error": null or {…}}
std::optional<Json> record_of(std::string_view line) {
    Json json = parse_foreign_json(line);
    if (!json.is_object() || !json.contains("metadata") || !json["metadata"].is_object() || !json.contains("metrics")) return {};
    return json;
}

// {"value": 5.2, "unit": "ms"}; seconds, microseconds and nanoseconds become milliseconds. 0: absent.
double value_of(const Json& metrics, const char* name, const Json** raw = nullptr) {
    const auto found = metrics.find(name);
    if (found == metrics.end() || !found->is_object() || !found->contains("value")) return 0;
    const Json& value = (*found)["value"];
    if (raw) *raw = &value;
    const auto unit = found->find("unit");
    const std::string of = unit != found->end() && unit->is_string() ? unit->get<std::string>() : "";
    const double scale = of == "ns" ? 1e-6 : of == "us" ? 1e-3 : of == "sec" || of == "s" ? 1e3 : 1;
    if (raw) return scale;
    return value.is_number() ? reported_count(value.get<double>() * scale).value_or(0) : 0;
}

BenchRecord answered(const Json& metrics) {
    BenchRecord record;
    record.tokens = value_of(metrics, "output_sequence_length");
    if (record.tokens == 0) record.tokens = value_of(metrics, "output_token_count");
    record.first_ms = value_of(metrics, "time_to_first_token");
    record.whole_ms = value_of(metrics, "request_latency");
    record.between_ms = value_of(metrics, "inter_token_latency");
    const Json* gaps = nullptr;
    const double scale = value_of(metrics, "inter_chunk_latency", &gaps);
    if (gaps && gaps->is_array())
        for (const Json& gap : *gaps)
            if (const auto ms = gap.is_number() ? reported_count(gap.get<double>() * scale) : std::nullopt) record.gaps.push_back(*ms);
    return record;
}

// "spec_decode_acceptance": {"engine": "vllm", "acceptance_histogram": {"0": 1, …}, "num_spec_steps": 8, …}
void take_acceptance(BenchRecord& record, const Json& json) {
    const auto spec = json.find("spec_decode_acceptance");
    if (spec == json.end() || !spec->is_object()) return;
    const auto steps = reported_at(*spec, "num_spec_steps"), accepted = reported_at(*spec, "num_accepted_draft_tokens"),
               drafted = reported_at(*spec, "num_draft_tokens"), most = reported_at(*spec, "num_spec_tokens"),
               length = reported_at(*spec, "mean_acceptance_length");
    const auto histogram = histogram_in(*spec, "acceptance_histogram");
    if (!histogram && (!steps || !accepted)) return;
    SpecCounts counts = counts_of_histogram(histogram.value_or(std::vector<double>()), drafted.value_or(0));
    if (histogram && !histogram->empty()) {
        if (most && *most < kMostServedDrafts && static_cast<double>(counts.accepted_at.size()) < *most)
            counts.accepted_at.resize(static_cast<std::size_t>(*most), 0); // its highest buckets are 0, and not there
        if (!most && counts.drafted > counts.rounds.value_or(0) * static_cast<double>(counts.accepted_at.size()))
            counts.shape.kind = DraftShape::Kind::open; // and how many there are is not told
        if ((steps && steps != counts.rounds) || (accepted && *accepted != counts.accepted)) record.left_out = histogram_differs();
    } else {
        counts.rounds = steps.value_or(0);
        counts.accepted = accepted.value_or(0);
    }
    if (record.left_out.empty()) record.left_out = contradiction(counts);
    if (const auto own = acceptance_length(counts); record.left_out.empty() && own && length && std::abs(*own - *length) > 0.01)
        record.left_out = length_differs(*length, *own);
    if (!record.left_out.empty()) return;
    if (record.tokens > 0) counts.text = WrittenText{.tokens = record.tokens, .answers = 1};
    if (!text_shares(counts).wrong.empty()) counts.text.reset(); // counted with another tokenizer
    record.counts = std::move(counts);
}

std::string text_at(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>().substr(0, 80) : std::string();
}

bool warms_up(const Json& metadata) {
    return text_at(metadata, "benchmark_phase") == "warmup" || text_at(metadata, "phase_kind") == "warmup";
}

std::optional<SpecCounts> sum_of(const std::vector<BenchRecord>& records, const std::string* source) {
    std::optional<SpecCounts> out;
    for (const BenchRecord& record : records)
        if (record.counts && (!source || record.source == *source)) out = out ? *out + *record.counts : *record.counts;
    return out;
}

} // namespace

std::optional<std::vector<double>> histogram_in(const Json& json, const char* name) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_object()) return {};
    std::vector<double> out;
    for (const auto& [key, value] : found->items()) {
        int kept = -1;
        const auto read = std::from_chars(key.data(), key.data() + key.size(), kept);
        const auto count = value.is_number() ? reported_count(value.get<double>()) : std::nullopt;
        if (read.ec != std::errc() || read.ptr != key.data() + key.size() || kept < 0 || kept > kMostServedDrafts || !count) return {};
        out.resize(std::max(out.size(), static_cast<std::size_t>(kept) + 1), 0);
        out[static_cast<std::size_t>(kept)] += *count;
    }
    return out;
}

int BenchRecords::told() const {
    return static_cast<int>(std::ranges::count_if(answered, [](const BenchRecord& record) { return record.counts.has_value(); }));
}

std::optional<SpecCounts> BenchRecords::sum() const { return sum_of(answered, nullptr); }

std::vector<std::pair<std::string, SpecCounts>> BenchRecords::by_source() const {
    std::map<std::string, SpecCounts> out;
    for (const BenchRecord& record : answered)
        if (record.counts && !record.source.empty()) out.emplace(record.source, SpecCounts());
    for (auto& [source, counts] : out) counts = sum_of(answered, &source).value_or(SpecCounts());
    return {out.begin(), out.end()};
}

double BenchRecords::tokens() const { return sum_over<double>(answered, &BenchRecord::tokens); }

double BenchRecords::chunks() const {
    double sum = 0;
    for (const BenchRecord& record : answered)
        if (record.tokens_per_chunk() > 0) sum += static_cast<double>(record.gaps.size() + 1);
    return sum;
}

double BenchRecords::tokens_per_chunk() const {
    double written = 0;
    for (const BenchRecord& record : answered)
        if (record.tokens_per_chunk() > 0) written += record.tokens;
    return chunks() > 0 ? written / chunks() : 0;
}

bool looks_like_bench_records(std::string_view text) {
    bool found = false;
    each_line(text, [&](std::string_view line) {
        found = record_of(line).has_value();
        return false;
    });
    return found;
}

BenchRecords parse_bench_records(std::string_view text, const std::string& source) {
    BenchRecords records;
    each_line(text, [&](std::string_view line) {
        const std::optional<Json> json = record_of(line);
        if (!json) {
            ++records.skipped;
            return true;
        }
        const Json& metadata = (*json)["metadata"];
        if (warms_up(metadata)) {
            ++records.warm_up;
            return true;
        }
        const auto error = json->find("error");
        const bool failed = error != json->end() && !error->is_null();
        if (failed || !(*json)["metrics"].is_object())
            ++records.failed;
        else {
            BenchRecord record = answered((*json)["metrics"]);
            record.source = text_at(metadata, "source_kind");
            take_acceptance(record, *json);
            records.answered.push_back(std::move(record));
        }
        return true;
    });
    if (records.answered.empty() && records.failed == 0 && records.warm_up == 0)
        throw Error(source + ": no line is a record of a request", "AIPerf writes them to profile_export.jsonl.");
    return records;
}

} // namespace speclens
