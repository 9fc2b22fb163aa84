#include "engine/lab/race_json.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include "engine/base/json_read.h"
#include "engine/drafters/drafter_info.h"
#include "engine/model/precision.h"
#include "engine/run/options_json.h"
#include "engine/run/trace_fields.h"
#include "engine/run/trace_json.h"
#include "files/atomic_file.h"
#include "kernels/error.h"

namespace speclens {
namespace {

constexpr const char* kRaceSchema = "speclens-race/1";

OrderedJson estimate_json(const Estimate& e) {
    return {{"value", e.value},
            {"low", e.interval ? OrderedJson(e.low) : OrderedJson(nullptr)},
            {"high", e.interval ? OrderedJson(e.high) : OrderedJson(nullptr)}};
}

// A file from elsewhere may say anything, and axes are drawn from it.
double measure_of(const OrderedJson& json) {
    const double value = json.get<double>();
    if (!(value > -1e-6 && value < 1e9)) throw std::invalid_argument("a figure is not between 0 and 1e9");
    return std::max(0.0, value);
}

int count_of(const OrderedJson& json) {
    const int value = json.get<int>();
    if (value < 0) throw std::invalid_argument("a count is below 0");
    return value;
}

Estimate estimate_of(const OrderedJson& json) {
    Estimate e;
    e.value = measure_of(json.at("value"));
    e.interval = !json.at("low").is_null();
    e.low = e.interval ? measure_of(json.at("low")) : e.value;
    e.high = e.interval ? measure_of(json.at("high")) : e.value;
    return e;
}

OrderedJson first_json(const FirstDrafts& first) {
    return {{"at_start", first.at_start},           {"kept_at_start", first.kept_at_start},
            {"after_full_round", first.after_full}, {"kept_after_full_round", first.kept_after_full},
            {"after_refusal", first.after_refusal}, {"kept_after_refusal", first.kept_after_refusal}};
}

FirstDrafts first_of(const OrderedJson& json) {
    FirstDrafts first;
    first.at_start = count_of(json.at("at_start"));
    first.kept_at_start = count_of(json.at("kept_at_start"));
    first.after_full = count_of(json.at("after_full_round"));
    first.kept_after_full = count_of(json.at("kept_after_full_round"));
    first.after_refusal = count_of(json.at("after_refusal"));
    first.kept_after_refusal = count_of(json.at("kept_after_refusal"));
    if (first.kept_at_start > first.at_start || first.kept_after_full > first.after_full || first.kept_after_refusal > first.after_refusal)
        throw std::invalid_argument("more first guesses were kept than judged");
    return first;
}

OrderedJson average_json(const LaneAverage& a) {
    const Totals& t = a.totals;
    OrderedJson json = {{"prompts", t.prompts},
                        {"rounds", t.rounds},
                        {"tokens", t.tokens},
                        {"drafted", t.drafted},
                        {"accepted_drafts", t.accepted},
                        {"judged_by_position", t.judged_at},
                        {"accepted_by_position", t.accepted_at},
                        {"first_guesses", first_json(t.first)},
                        {"draft_ms", t.draft_ms - t.head_ms},
                        {"head_ms", t.head_ms},
                        {"verify_ms", t.verify_ms},
                        {"accept_ms", t.accept_ms},
                        {"other_ms", t.other_ms},
                        {"tokens_per_second", t.tokens_per_second},
                        {"spread", t.spread},
                        {"tokens_per_round", estimate_json(a.tokens_per_round)},
                        {"speedup", estimate_json(a.speed_up)}};
    if (t.plain_passes > 0) json["plain_passes"] = t.plain_passes; // among the rounds
    return json;
}

LaneAverage average_of(const OrderedJson& json) {
    LaneAverage a;
    Totals& t = a.totals;
    t.prompts = count_of(json.at("prompts"));
    t.rounds = count_of(json.at("rounds"));
    if (json.contains("plain_passes")) t.plain_passes = std::min(t.rounds, count_of(json.at("plain_passes")));
    t.tokens = count_of(json.at("tokens"));
    t.drafted = count_of(json.at("drafted"));
    t.accepted = count_of(json.at("accepted_drafts"));
    t.judged_at = json.at("judged_by_position").get<std::vector<int>>();
    t.accepted_at = json.at("accepted_by_position").get<std::vector<int>>();
    if (json.contains("first_guesses")) t.first = first_of(json.at("first_guesses")); // files before it have none
    t.head_ms = measure_of(json.at("head_ms"));
    t.draft_ms = measure_of(json.at("draft_ms")) + t.head_ms;
    t.verify_ms = measure_of(json.at("verify_ms"));
    t.accept_ms = measure_of(json.at("accept_ms"));
    t.other_ms = measure_of(json.at("other_ms"));
    t.tokens_per_second = measure_of(json.at("tokens_per_second"));
    if (json.contains("spread")) t.spread = measure_of(json.at("spread")); // files before it have none
    a.tokens_per_round = estimate_of(json.at("tokens_per_round"));
    a.speed_up = estimate_of(json.at("speedup"));
    if (t.accepted_at.size() != t.judged_at.size())
        throw std::invalid_argument("judged_by_position and accepted_by_position have different lengths");
    for (std::size_t i = 0; i < t.judged_at.size(); ++i) {
        const double accepted = t.accepted_at[i], judged = t.judged_at[i];
        t.acceptance.push_back(accepted / std::max(1, t.rounds - t.plain_passes));
        t.conditional.push_back(judged > 0 ? accepted / judged : 0);
    }
    return a;
}

OrderedJson trace_json_of(const Trace& trace, std::size_t events) {
    TraceWriter writer(trace);
    OrderedJson lines = OrderedJson::array();
    for (std::size_t i = 0; i < events; ++i) lines.push_back(OrderedJson::parse(writer.line(trace[i])));
    std::istringstream closing(writer.closing_lines());
    for (std::string line; std::getline(closing, line);) lines.push_back(OrderedJson::parse(line));
    return lines;
}

// What schema 1 has always had of the settings that all lanes share; the others were added where they differ from the default.
bool is_always_there(const RunSetting& setting) {
    static constexpr std::array<std::string_view, 8> kKeys = {"prompt", "system", "chat", "temperature",
                                                              "top_k",  "top_p",  "seed", "max_tokens"};
    return std::ranges::find(kKeys, setting.key) != kKeys.end();
}

// Each lane has its own, and its trace the options of its drafter; the rule's parameters are an object.
bool is_shared(const RunSetting& setting) {
    static constexpr std::array<std::string_view, 4> kOthers = {"drafter", "rule", "k", "rule_params"};
    return setting.of == RunSetting::Of::run && setting.saved != RunSetting::Written::never && setting.of_drafter == nullptr &&
           std::ranges::find(kOthers, setting.key) == kOthers.end();
}

void put_settings(OrderedJson& json, const RunSettings& base) {
    for (const RunSetting& setting : run_setting_list())
        if (is_shared(setting) && (is_always_there(setting) || !is_default(setting, base))) json[setting.key] = value_json(setting, base);
    if (OrderedJson changed = options_json(base.options); !changed.empty()) json["options"] = std::move(changed);
}

void take_settings(const OrderedJson& json, RunSettings& base) {
    for (const RunSetting& setting : run_setting_list())
        if (is_shared(setting) && (is_always_there(setting) || json.contains(setting.key))) take_json(setting, json, base);
    if (json.contains("options")) base.options = drafter_options_of(json.at("options"));
}

RaceLane lane_of(const OrderedJson& json, const RunSettings& base, const std::string& name) {
    RaceLane lane;
    lane.settings = base;
    lane.settings.drafter = json.at("drafter").get<std::string>();
    lane.settings.options = {};
    take_options(lane.settings.drafter, base.options, lane.settings.options);
    lane.settings.rule = json.at("rule").get<std::string>();
    if (json.contains("rule_params")) take_rule_params(json.at("rule_params"), lane.settings.rule, lane.settings.rule_params);
    lane.settings.k = json.at("k").get<int>();
    const int budget = json.at("tree_budget").get<int>();
    lane.problem = json.at("problem").get<std::string>();
    lane.finished = json.at("finished").get<bool>();
    if (!json.at("average").is_null()) lane.average = average_of(json.at("average"));
    if (json.at("trace").is_null()) return lane;
    std::string lines;
    for (const OrderedJson& line : json.at("trace")) lines += line.dump() + "\n";
    std::istringstream in(lines);
    lane.trace = read_trace(in, name + ", lane " + lane.settings.drafter);
    if (!lane.trace->header()) throw std::invalid_argument("the trace of lane " + lane.settings.drafter + " is empty");
    lane.settings.options = lane.trace->header()->options;
    lane.settings.options.tree_budget = budget;
    return lane;
}

// A step of a file from elsewhere may point anywhere.
void check_steps(const RaceView& race) {
    for (std::size_t s = 0; s < race.steps.size(); ++s) {
        if (race.steps[s].size() != race.lanes.size()) throw std::invalid_argument("a step without an entry for every lane");
        for (std::size_t i = 0; i < race.lanes.size(); ++i) {
            const std::size_t most = race.lanes[i].trace ? race.lanes[i].trace->size() : 0;
            if (race.steps[s][i] > most || (s > 0 && race.steps[s][i] < race.steps[s - 1][i]))
                throw std::invalid_argument("a step that is not in its lane's trace");
        }
    }
}

RaceView race_of(const OrderedJson& json, const std::string& name) {
    if (json.at("schema") != kRaceSchema) throw std::invalid_argument("the schema is not " + std::string(kRaceSchema));
    RaceView race;
    RunSettings& base = race.settings.base;
    take_settings(json, base);
    race.model = json.at("model").get<std::string>();
    race.backend = json.at("device").get<std::string>();
    if (json.contains("precision")) {
        const auto precision = find_precision(json.at("precision").get<std::string>());
        if (!precision) throw std::invalid_argument("the precision is none of f32, bf16 and int8");
        race.precision = *precision;
    }
    race.prompts = json.at("prompts").get<int>();
    if (json.contains("busy_cores")) race.busy_cores = measure_of(json.at("busy_cores"));
    race.prompts_done = json.at("prompts_done").get<int>();
    race.skipped = json.at("skipped").get<int>();
    race.skipped_for = json.at("skipped_for").get<std::string>();
    for (const OrderedJson& lane : json.at("lanes")) {
        race.lanes.push_back(lane_of(lane, base, name));
        const RunSettings& s = race.lanes.back().settings;
        race.settings.lanes.push_back({s.drafter, s.rule, s.k});
        take_options(s.drafter, s.options, base.options);
        if (lane.contains("rule_params")) take_rule_params(lane.at("rule_params"), s.rule, base.rule_params);
        base.k = std::max(base.k, s.k);
    }
    if (race.lanes.empty() || race.lanes.size() > static_cast<std::size_t>(kRaceLanes))
        throw std::invalid_argument(std::to_string(race.lanes.size()) + " lanes");
    race.settings.stepped = json.at("stepped").get<bool>();
    if (race.settings.stepped) race.steps = json.at("steps").get<std::vector<std::vector<std::size_t>>>();
    check_steps(race);
    return race;
}

} // namespace

std::string race_json(const RaceView& race) {
    const RunSettings& base = race.settings.base;
    const Header* header = nullptr;
    for (const RaceLane& lane : race.lanes)
        if (!header && lane.trace) header = lane.trace->header();
    OrderedJson json = {{"schema", kRaceSchema},
                        {"machine", header ? header->machine : ""},
                        {"date", header ? header->date : ""},
                        {"device", race.backend},
                        {"model", race.model},
                        {"busy_cores", race.busy_cores},
                        {"prompts", race.prompts},
                        {"prompts_done", race.prompts_done},
                        {"skipped", race.skipped},
                        {"skipped_for", race.skipped_for},
                        {"stepped", race.settings.stepped},
                        {"lanes", OrderedJson::array()}};
    put_settings(json, base);
    if (race.precision != Precision::f32) json["precision"] = name_of(race.precision);
    for (std::size_t i = 0; i < race.lanes.size(); ++i) {
        const RaceLane& lane = race.lanes[i];
        const std::size_t events = !lane.trace                                    ? 0
                                   : race.settings.stepped && !race.steps.empty() ? race.steps.back()[i]
                                                                                  : lane.trace->size();
        json["lanes"].push_back({{"drafter", lane.settings.drafter},
                                 {"rule", lane.settings.rule},
                                 {"k", lane.settings.k},
                                 {"tree_budget", lane.settings.options.tree_budget},
                                 {"problem", lane.problem},
                                 {"finished", lane.finished},
                                 {"average", lane.average ? average_json(*lane.average) : OrderedJson(nullptr)},
                                 {"trace", lane.trace ? trace_json_of(*lane.trace, events) : OrderedJson(nullptr)}});
        if (!(lane.settings.rule_params == RuleParams()))
            json["lanes"].back()["rule_params"] = rule_params_json(lane.settings.rule, lane.settings.rule_params);
    }
    if (race.settings.stepped) json["steps"] = race.steps;
    return json.dump(1, BadUtf8::replaced) + "\n";
}

void save_race(const RaceView& race, const std::filesystem::path& file) {
    AtomicFile out(file);
    out.write(race_json(race));
    out.commit();
}

RaceView read_race(const std::string& text, const std::string& name) {
    const char* remedy = "Give a race that was saved with Ctrl+S, or by speclens describe race --json FILE.";
    try {
        if (too_deep(text)) throw std::invalid_argument("it nests deeper than " + std::to_string(kDeepestJson) + " levels");
        return race_of(OrderedJson::parse(text), name);
    } catch (const JsonError& error) {
        throw Error(name + ": not a saved race: " + error.what(), remedy);
    } catch (const trace_file::Malformed& error) {
        throw Error(name + ": not a saved race: " + error.what, remedy);
    } catch (const Error& error) { // of a trace in it, which names the file
        if (error.code() != Exit::usage) throw;
        throw Error(name + ": not a saved race: " + error.what(), remedy);
    } catch (const std::invalid_argument& error) {
        throw Error(name + ": not a saved race: " + error.what(), remedy);
    }
}

RaceView load_race(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(file.string() + ": cannot be opened", "Check the name of the file.");
    constexpr std::size_t kLargestRace = std::size_t{256} << 20;
    return read_race(read_at_most(in, kLargestRace, file.string()), file.string());
}

bool is_race_file(const std::filesystem::path& file) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(file, failed)) return false; // what a pipe holds is read once
    std::ifstream in(file, std::ios::binary);
    std::string first(64, '\0');
    in.read(first.data(), static_cast<std::streamsize>(first.size()));
    return first.find(kRaceSchema) != std::string::npos;
}

} // namespace speclens
