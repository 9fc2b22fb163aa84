#include "app/cli/bench_result.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "app/cli/terminal.h"
#include "engine/base/display_name.h"
#include "engine/lab/pass_bound.h"
#include "engine/lab/timing.h"
#include "kernels/error.h"
#include "ui/stories/story_book.h"

namespace speclens::cli {

namespace {

std::string text_of(const Json& object, const char* field) {
    const auto found = object.find(field);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

double number_of(const Json& object, const char* field) {
    const auto found = object.find(field);
    return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

// What was timed in a result, by the name of its row.
struct Timed {
    std::string name;
    Timing time;
};

Timing timing_in(const Json& object) {
    return {number_of(object, "ms"), number_of(object, "median_ms"), static_cast<int>(number_of(object, "repeats"))};
}

std::vector<Timed> timed_in(const Json& result) {
    std::vector<Timed> rows;
    const auto passes = result.find("passes");
    if (passes != result.end() && passes->is_array())
        for (const Json& pass : *passes) {
            if (!pass.is_object()) continue;
            const auto tokens = static_cast<int>(number_of(pass, "tokens"));
            rows.push_back({std::to_string(tokens) + (tokens == 1 ? " token" : " tokens") + " behind " +
                                std::to_string(static_cast<int>(number_of(pass, "context"))),
                            timing_in(pass)});
        }
    const auto prefill = result.find("prefill");
    if (prefill != result.end() && prefill->is_object())
        rows.push_back({"prefill of " + std::to_string(static_cast<int>(number_of(*prefill, "tokens"))), timing_in(*prefill)});
    std::erase_if(rows, [](const Timed& row) { return !(row.time.ms > 0) || row.time.median < row.time.ms; });
    return rows;
}

// What differs although the two can be compared.
std::string notes(const Json& now, const Json& then) {
    std::string text;
    for (const auto& [field, words] : {std::pair{"machine", "of another machine"}, std::pair{"isa", "of another instruction set"}})
        if (text_of(now, field) != text_of(then, field))
            text += "  THEN IS " + std::string(words) + ": " + text_of(then, field) + ", now " + text_of(now, field) + "\n";
    if (number_of(now, "threads") != number_of(then, "threads"))
        text +=
            "  then with " + number(number_of(then, "threads"), 0) + " threads, now with " + number(number_of(now, "threads"), 0) + "\n";
    for (const auto& [result, words] : {std::pair{&now, "now"}, std::pair{&then, "then"}})
        if (const std::string why = text_of(*result, "in_doubt"); !why.empty())
            text += std::string("  ") + words + " is in doubt: " + why + "\n";
    return text;
}

} // namespace

void check_comparable(const Json& now, const Json& then, const std::string& name) {
    if (!then.is_object() || text_of(then, "schema") != "speclens-bench/1")
        throw Error(name + " is no result of bench", "Make one with: speclens bench --json FILE.json.", Exit::usage);
    if (timed_in(then).empty())
        throw Error(name + " has no times with their spread: an earlier version made it",
                    "Measure it anew: speclens bench --json FILE.json.", Exit::usage);
    const std::pair<const char*, const char*> same[] = {
        {"model", "model"}, {"weights", "kind of weights"}, {"backend", "kind of device"}, {"precision", "precision"}};
    for (const auto& [field, words] : same)
        if (text_of(now, field) != text_of(then, field) &&
            (field != std::string_view("model") || !called_alike(text_of(now, field), text_of(then, field))))
            throw Error(name + " is of another " + words + ": " + text_of(then, field) + ", not " + text_of(now, field),
                        "Compare results of one model in one form on one kind of device: give bench the same --model, "
                        "--geometry, --weights, --precision and --backend as then.",
                        Exit::usage);
}

std::string against_table(const Json& now, const Json& then, const std::string& name) {
    check_comparable(now, then, name);
    std::string text = "Against " + name + " of " + text_of(then, "date") + ", ms\n" + notes(now, then) + "\n  " + pad("", 24) +
                       pad_left("now", 11) + pad_left("then", 11) + pad_left("now/then", 10) + "\n";
    const std::vector<Timed> before = timed_in(then);
    int shared = 0;
    for (const Timed& row : timed_in(now)) {
        const auto old = std::ranges::find(before, row.name, &Timed::name);
        if (old == before.end()) continue;
        ++shared;
        text += "  " + pad(row.name, 24) + pad_left(number(row.time.ms, 3), 11) + pad_left(number(old->time.ms, 3), 11) +
                pad_left(number(row.time.ms / old->time.ms, 2), 10) +
                (distinguishable(row.time, old->time) ? "" : "   cannot be told apart") + "\n";
    }
    if (shared == 0) text += "  nothing was measured in both: was --context another one?\n";
    return text;
}

namespace {

OrderedJson known(double value) {
    return value > 0 ? OrderedJson(value) : OrderedJson(nullptr); // NaN: unknown
}

// One repeat says nothing about how far repeats lie apart.
OrderedJson known_spread(double spread, int repeats) { return repeats > 1 ? OrderedJson(spread) : OrderedJson(nullptr); }
std::string spread_words(double spread, int repeats) { return repeats > 1 ? "spread " + number(100 * spread, 0) + " %" : "measured once"; }

// By how much a pass takes longer than it must; 0: unknown.
double of_bound(const PassTimes& times, const PassTime& pass) {
    const double bound = times.bound_ms(pass.rows);
    return bound > 0 ? pass.ms / bound : 0;
}

OrderedJson pass_json(const PassTimes& times, const PassTime& pass) {
    return {{"context", times.context},
            {"tokens", pass.rows},
            {"ms", pass.ms},
            {"median_ms", pass.median},
            {"spread", known_spread(pass.spread(), pass.repeats)},
            {"repeats", pass.repeats},
            {"ratio", pass_factor(times, pass.rows)},
            {"bound_ms", known(times.bound_ms(pass.rows))},
            {"of_bound", known(of_bound(times, pass))},
            {"arithmetic_share", known(times.arithmetic_share(pass))},
            {"read_share", known(times.read_share(pass))}};
}

std::string share(double value) { return value > 0 ? number(100 * value, 0) + " %" : "–"; }

// One context: a row for each width.
std::string passes_table(const PassTimes& times) {
    std::string text = "\n  " + std::to_string(times.context) + " tokens before the pass, which reads " +
                       number((times.weight_bytes + times.cache_bytes) / 1e6, 1) + " MB, " + number(times.cache_bytes / 1e6, 1) +
                       " of them keys and values\n" + "  " + pad_left("tokens", 8) + pad_left("ms", 11) + pad_left("spread", 9) +
                       pad_left("by one", 9) + pad_left("arithmetic", 12) + pad_left("reading", 9) + pad_left("bound", 11) +
                       pad_left("by bound", 10) + "\n";
    for (const PassTime& pass : times.passes)
        text += "  " + pad_left(std::to_string(pass.rows), 8) + pad_left(number(pass.ms, 3), 11) +
                pad_left(pass.repeats > 1 ? number(100 * pass.spread(), 0) + " %" : "once", 9) +
                pad_left(number(pass_factor(times, pass.rows), 2) + "×", 9) + pad_left(share(times.arithmetic_share(pass)), 12) +
                pad_left(share(times.read_share(pass)), 9) +
                pad_left(times.bound_ms(pass.rows) > 0 ? number(times.bound_ms(pass.rows), 3) : "–", 11) +
                pad_left(of_bound(times, pass) > 0 ? number(of_bound(times, pass), 2) + "×" : "–", 10) + "\n";
    return text;
}

} // namespace

double BenchResult::median_ms(int rows) const {
    const PassTime* pass = default_times().of(rows);
    return pass ? pass->median : 0;
}

std::string BenchResult::in_doubt() const {
    for (const PassTimes& times : contexts)
        if (const Said why = times.in_doubt(); !why.empty())
            return message(why) + (contexts.size() > 1 ? " (context " + std::to_string(times.context) + ")" : "");
    if (other_cores > kQuietCores) return "other programs kept " + number(other_cores, 1) + " cores busy";
    return {};
}

OrderedJson bench_subject(const BenchResult& r) {
    return {{"schema", "speclens-bench/1"},
            {"machine", r.machine},
            {"backend", r.backend},
            {"device", r.device},
            {"isa", r.isa},
            {"threads", r.threads},
            {"precision", r.precision},
            {"model", r.model},
            {"weights", r.random_weights ? "random" : "trained"},
            {"date", r.date}};
}

OrderedJson bench_json(const BenchResult& r) {
    const PassTimes& times = r.default_times();
    const double one = r.median_ms(1), gbs = times.weight_bytes / one / 1e6;
    OrderedJson json = bench_subject(r);
    json.update(
        {{"busy_cores", r.other_cores},
         {"in_doubt", r.in_doubt().empty() ? OrderedJson(nullptr) : OrderedJson(r.in_doubt())},
         {"repeats", times.repeats},
         {"context", times.context},
         {"form", name_of(times.form)},
         {"weight_bytes", times.weight_bytes},
         {"kv_bytes", times.cache_bytes},
         {"multiply_adds", times.multiply_adds},
         {"attention_adds", times.attention_adds},
         {"read_bandwidth_gbs", known(times.bandwidth_gbs)},
         {"read_bandwidth_spread", known_spread(times.read_spread, times.repeats)},
         {"read_bytes", times.read_bytes},
         {"far_read_gbs", known(times.far_gbs)},
         {"product_gmas", known(times.product_rate)},
         {"products", name_of(times.precision)},
         {"product_spread", known_spread(times.product_spread, times.repeats)},
         {"cache_bytes", known(times.cache_limit)},
         {"decode",
          {{"ms", one},
           {"weight_gbs", gbs},
           {"fraction", known(gbs / times.bandwidth_gbs)},
           {"fixed_ms", times.floor_ms() > 0 ? OrderedJson(one - times.weight_bytes / times.bandwidth_gbs / 1e6) : OrderedJson(nullptr)}}},
         {"verify", OrderedJson::array()},
         {"passes", OrderedJson::array()},
         {"left_out", r.left_out},
         {"draft", OrderedJson::array()}});
    for (const int rows : {2, 4, 8, 16})
        if (const double ms = r.median_ms(rows); ms > 0) json["verify"].push_back({{"tokens", rows}, {"ms", ms}, {"ratio", ms / one}});
    for (const PassTimes& behind : r.contexts)
        for (const PassTime& pass : behind.passes) json["passes"].push_back(pass_json(behind, pass));
    json["prefill"] = r.prefill.repeats == 0 ? OrderedJson(nullptr)
                                             : OrderedJson{{"tokens", r.prefill_tokens},
                                                           {"ms", r.prefill.ms},
                                                           {"median_ms", r.prefill.median},
                                                           {"spread", known_spread(r.prefill.spread(), r.prefill.repeats)},
                                                           {"repeats", r.prefill.repeats}};
    for (const DraftCost& draft : r.drafts)
        json["draft"].push_back({{"drafter", draft.name},
                                 {"k", draft.k},
                                 {"net_ms", draft.net_ms},
                                 {"head_ms", draft.head_ms},
                                 {"round_ms", draft.round_ms},
                                 {"of_decode", (draft.net_ms + draft.head_ms) / one},
                                 {"head_of_round", draft.of_round(draft.head_ms)}});
    json["trace_overhead"] = r.overhead ? OrderedJson(*r.overhead) : OrderedJson(nullptr);
    json["frame_ms"] = r.frame ? OrderedJson(*r.frame) : OrderedJson(nullptr);
    json["startup_ms"] = r.load_ms;
    json["memory_bytes"] = r.memory_bytes;
    json["peak_bytes"] = r.peak_bytes;
    json["stays_bytes"] = r.stays_bytes;
    json["stays_tokens"] = r.stays_tokens;
    json["complete"] = !r.ended_by;
    return json;
}

std::string bench_table(const BenchResult& r) {
    const PassTimes& times = r.default_times();
    std::string text = "SpecLens bench · " + r.model + (r.random_weights ? " (random weights)" : "") + " · " + r.device +
                       (r.ended_by ? " · stopped before it had all" : "") + "\n" + r.machine + " · " + r.date + " · " + r.precision + "\n";
    if (const std::string why = r.in_doubt(); !why.empty()) text += "IN DOUBT: " + why + "\n";
    text += "\n";
    const auto row = [&](const std::string& name, const std::string& value, const std::string& note) {
        text += "  " + pad(name, 24) + pad_left(value, 10) + "   " + note + "\n";
    };
    const bool read = times.bandwidth_gbs > 0;
    std::string reading = "no memory left to measure it";
    if (read)
        reading = "GB/s, " + spread_words(times.read_spread, times.repeats) + ", reading " + number(times.read_bytes / 1e6, 1) + " MB";
    if (read && times.read_bytes >= times.weight_bytes) reading += ", as much as the weights of a pass";
    row("read bandwidth", read ? rate(times.bandwidth_gbs) : "–", reading);
    row("product in cache", times.product_rate > 0 ? number(times.product_rate, 1) : "–",
        times.product_rate > 0 ? "billion multiply-adds a second, " + spread_words(times.product_spread, times.repeats) + ": " +
                                     name_of(times.form) + " matrices, " + name_of(times.precision) + " products"
                               : "no memory left to measure it");
    if (read)
        row("rest of a pass", r.in_doubt().empty() ? number(r.median_ms(1) - times.weight_bytes / times.bandwidth_gbs / 1e6, 3) : "–",
            r.in_doubt().empty() ? "ms: the median of one token less the weights at that bandwidth; a difference, no cost that was measured"
                                 : "of one token less the weights at that bandwidth: not to be told from times in doubt");
    for (const PassTimes& behind : r.contexts) text += passes_table(behind);
    for (const std::string& why : r.left_out) text += "  " + why + "\n";
    text += "\n";
    if (r.prefill.repeats > 0)
        row("prefill, " + std::to_string(r.prefill_tokens) + " tokens", number(r.prefill.ms, 1),
            "ms, " + spread_words(r.prefill.spread(), r.prefill.repeats) + ", " + rate(r.prefill_tokens / r.prefill.ms * 1000) +
                " tokens a second");
    const double one = r.median_ms(1);
    for (const DraftCost& draft : r.drafts) {
        const double ms = draft.net_ms + draft.head_ms;
        row("draft " + draft.name + ", K = " + std::to_string(draft.k), number(ms, 3),
            "ms per round, " + number(ms / one, 2) + "× a one-token pass" +
                (draft.head_ms > 0
                     ? "; its head " + number(draft.head_ms, 3) + " ms, " + number(100 * draft.of_round(draft.head_ms), 1) + " % of a round"
                     : ""));
    }
    if (r.overhead)
        row("recording the distributions", number(100 * *r.overhead, 1), "% more time with 64 entries of each distribution than with none");
    if (r.frame) row("frame of the window", number(*r.frame, 2), "ms for 1600x1000, before the graphics driver");
    row(r.random_weights ? "making the weights" : "loading", number(r.load_ms, 0), "ms");
    row("memory", number(r.memory_bytes / 1e6, 0),
        "MB of the target's weights and cache; the process had " + number(r.peak_bytes / 1e6, 0) +
            " MB at most, where weights, keys and values of " + std::to_string(r.stays_tokens) + " tokens are " +
            number(r.stays_bytes / 1e6, 0));
    text += "\nTimes of passes, reads and prefill are lower quartiles; the spread is how far the median lies above. The bound of a "
            "pass is what its\nbytes take at the bandwidth or its products at their peak in cache, whichever is longer. Drafters "
            "and what follows them: medians of\n" +
            std::to_string(r.draft_repeats) + " runs.\n";
    return text;
}

} // namespace speclens::cli
