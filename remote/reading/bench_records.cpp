#include "remote/reading/bench_records.h"

#include <functional>
#include <optional>

#include "engine/base/json_read.h"
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

} // namespace

double BenchRecords::tokens() const {
    double sum = 0;
    for (const BenchRecord& record : answered) sum += record.tokens;
    return sum;
}

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
        const auto error = json->find("error");
        const bool failed = error != json->end() && !error->is_null();
        if (failed || !(*json)["metrics"].is_object())
            ++records.failed;
        else
            records.answered.push_back(answered((*json)["metrics"]));
        return true;
    });
    if (records.answered.empty() && records.failed == 0)
        throw Error(source + ": no line is a record of a request", "AIPerf writes them to profile_export.jsonl.");
    return records;
}

} // namespace speclens
