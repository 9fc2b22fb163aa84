#include "engine/lab/recorded_passes.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "engine/base/json_read.h"
#include "engine/model/precision.h"
#include "engine/models/models.h"
#include "engine/weights/config_fields.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr const char* kRecordAgain = "Record it again on a quiet machine: speclens bench --context 64 --json FILE";
constexpr std::size_t kLargestResult = 1'000'000;
constexpr double kMost = 1e18;

std::optional<DType> find_form(std::string_view name) {
    for (int i = 0; i <= static_cast<int>(DType::q6_k); ++i)
        if (name == name_of(static_cast<DType>(i))) return static_cast<DType>(i);
    return std::nullopt;
}

PassTime pass_of(const Json& entry, const std::string& file) {
    if (!entry.is_object()) throw Error(file + ": passes must be a list of objects", kRecordAgain);
    const Fields fields(entry, file + ": passes", kRecordAgain);
    PassTime pass;
    pass.rows = fields.integer("tokens", 1, 1 << 20);
    pass.ms = fields.number("ms", 1e-9, 1e9);
    pass.median = fields.number("median_ms", pass.ms, 1e9);
    pass.repeats = fields.integer("repeats", 1, 1 << 20);
    return pass;
}

} // namespace

RecordedPasses read_recorded_passes(const std::filesystem::path& file) {
    const std::string name = file.filename().string();
    const Json all = parse_json_object(read_text_file(file, kLargestResult), name, kRecordAgain);
    const Fields top(all, name, kRecordAgain);
    if (top.text_or("schema", "") != "speclens-bench/1") top.fail("schema", "is not \"speclens-bench/1\"");
    if (const std::string doubt = top.text_or("in_doubt", ""); !doubt.empty()) top.fail("in_doubt", "is " + doubt);
    RecordedPasses read;
    read.machine = top.text_or("machine", "");
    read.date = top.text_or("date", "").substr(0, 10);
    PassTimes& times = read.times;
    times.model = top.text_or("model", "");
    if (times.model.empty() || read.machine.empty() || read.date.empty()) top.fail("model, machine or date", "is missing");
    times.random_weights = top.text_or("weights", "") == "random";
    const auto form = find_form(top.text_or("form", ""));
    if (!form) top.fail("form", "is none of the forms of weights");
    times.form = *form;
    const auto precision = find_precision(top.text_or("products", ""));
    if (!precision) top.fail("products", "is none of f32, bf16 and int8");
    times.precision = *precision;
    times.context = top.integer("context", 0, 1 << 30);
    times.repeats = top.integer("repeats", 1, 1 << 20);
    times.weight_bytes = top.number("weight_bytes", 1, kMost);
    times.cache_bytes = top.number("kv_bytes", 0, kMost);
    times.multiply_adds = top.number("multiply_adds", 1, kMost);
    times.attention_adds = top.number("attention_adds", 0, kMost);
    times.bandwidth_gbs = top.number("read_bandwidth_gbs", 1e-9, kMost);
    times.read_spread = top.number("read_bandwidth_spread", 0, kMost);
    times.read_bytes = top.number("read_bytes", 1, kMost);
    times.far_gbs = top.number_or("far_read_gbs", times.far_gbs, 1e-9, kMost);
    times.product_rate = top.number("product_gmas", 1e-9, kMost);
    times.product_spread = top.number("product_spread", 0, kMost);
    times.cache_limit = top.number_or("cache_bytes", 0, 0, kMost);
    const Json* passes = top.find("passes");
    if (!passes || !passes->is_array()) top.fail("passes", "must be a list");
    for (const Json& entry : *passes)
        if (entry.is_object() && entry.value("context", Json()) == Json(times.context)) times.passes.push_back(pass_of(entry, name));
    const bool rising = std::ranges::adjacent_find(times.passes, std::ranges::greater_equal(), &PassTime::rows) == times.passes.end();
    if (times.passes.size() < 2 || times.passes.front().rows != 1 || !rising)
        top.fail("passes", "do not begin with one token and go on to more");
    return read;
}

const RecordedPasses* recorded_passes(std::string_view model) {
    static const std::vector<RecordedPasses> shipped = [] {
        std::vector<RecordedPasses> all;
        std::error_code ignored;
        for (const auto& entry : std::filesystem::directory_iterator(assets_folder() / "passes", ignored)) try {
                all.push_back(read_recorded_passes(entry.path()));
            } catch (const Error&) { // nothing is shown of it
            }
        return all;
    }();
    const auto found = std::ranges::find(shipped, model, [](const RecordedPasses& one) -> std::string_view { return one.times.model; });
    return found == shipped.end() ? nullptr : &*found;
}

} // namespace speclens
