// The comparison for programs: JSON and CSV.
#include <algorithm>
#include <set>

#include "app/cli/compare/compare_rows.h"
#include "engine/base/csv.h"
#include "engine/base/json.h"
#include "engine/models/model_names.h"
#include "engine/run/options_json.h"

namespace speclens::cli {

namespace {

OrderedJson or_null(bool known, const OrderedJson& value) { return known ? value : OrderedJson(nullptr); }

// Why a speed-up is not to be relied on; empty: it is.
std::string doubt_of(const Row& row, const CompareFacts& facts) {
    if (!facts.speed_up) return "";
    if (!row.possible()) return "it is more than its tokens per round allow";
    if (!row.in_doubt()) return "";
    return row.busy ? "other programs kept " + number(facts.busy_cores, 1) + " cores busy"
                    : "repeats of one pass lie " + number(100 * row.apart, 0) + " % apart";
}

// Files go to others, whom it is no use to know where a head lay here: what it is called, and which it is.
std::string head_name(const Contestant& c) { return c.folder.empty() ? "" : model_word(c.folder.string()); }
std::string file_name(const std::filesystem::path& path) { return path.filename().string(); }

OrderedJson json_of(const Row& row, const CompareFacts& facts) {
    const Contestant& c = *row.contestant;
    OrderedJson json = {{"drafter", c.name},
                        {"folder", or_null(!c.folder.empty(), head_name(c))},
                        {"drafter_fingerprint", or_null(!c.head.empty(), c.head)},
                        {"rule", c.settings.rule},
                        {"k", c.settings.k},
                        {"domain", row.domain}};
    if (!c.problem.empty()) {
        json["problem"] = c.problem;
        return json;
    }
    const Totals& t = row.totals;
    if (c.settings.k_auto) json["k_auto"] = true, json["plain_passes"] = t.plain_passes; // among the rounds
    json["prompts"] = t.prompts;
    json["rounds"] = t.rounds;
    json["tokens"] = t.tokens;
    json["drafted"] = t.drafted;
    json["accepted_drafts"] = t.accepted;
    json["accepted"] = t.accepted; // as the CSV calls it
    json["tokens_per_round"] = t.tokens_per_round();
    json["acceptance_by_position"] = t.acceptance;
    json["conditional_by_position"] = t.conditional;
    json["judged_at"] = t.judged_at;
    json["accepted_at"] = t.accepted_at;
    json["first_at_start"] = t.first.at_start;
    json["first_kept_at_start"] = t.first.kept_at_start;
    json["first_after_full_round"] = t.first.after_full;
    json["first_kept_after_full_round"] = t.first.kept_after_full;
    json["first_after_refusal"] = t.first.after_refusal;
    json["first_kept_after_refusal"] = t.first.kept_after_refusal;
    json["wider_or_deeper"] = ranks_json(t.ranks);
    if (!c.ids.empty()) {
        json["draft_ids"] = c.ids.size();
        json["tokens_outside_draft_ids"] = row.outside;
    }
    const auto time = [&](double value) { return or_null(facts.times, value); };
    json["draft_ms"] = time(t.draft_ms - t.head_ms);
    json["head_ms"] = time(t.head_ms);
    json["verify_ms"] = time(t.verify_ms);
    json["accept_ms"] = time(t.accept_ms);
    json["other_ms"] = time(t.other_ms - t.accept_ms);
    json["round_ms"] = time(t.round_ms());
    json["tokens_per_second"] = time(t.tokens_per_second);
    if (t.wire.any()) {
        const WireTotals& wire = t.wire;
        json["wire"] = {{"rounds", wire.rounds},
                        {"sent", wire.sent},
                        {"received", wire.received},
                        {"ms", time(wire.per_round(wire.ms))},
                        {"server_ms", or_null(facts.times && wire.knows_server(), wire.per_round(wire.server_ms))},
                        {"ahead", wire.ahead},
                        {"ahead_taken", wire.taken},
                        {"ahead_wasted", wire.wasted()},
                        {"ahead_ms", time(wire.per_round(wire.ahead_ms))}};
    }
    if (facts.rent)
        json["cost_per_million_tokens"] = or_null(facts.times && t.tokens_per_second > 0, facts.rent->per_million(t.tokens_per_second));
    json["speedup"] = or_null(facts.speed_up, row.speed.value);
    json["speedup_possible"] = or_null(facts.speed_up, row.possible()); // not above tokens_per_round by more than 2 %
    json["speedup_low"] = or_null(facts.speed_up && row.speed.interval, row.speed.low);
    json["speedup_high"] = or_null(facts.speed_up && row.speed.interval, row.speed.high);
    const std::string doubt = doubt_of(row, facts);
    json["in_doubt"] = !doubt.empty();
    json["in_doubt_because"] = or_null(!doubt.empty(), doubt);
    const OrderedJson same = or_null(c.settings.sampling.temperature == 0, row.identical);
    json["greedy_identical"] = same;
    json["same_text"] = same; // as the CSV calls it
    return json;
}

// The settings that `compare` has an option for, as the first contestant has them; those of drafters as they were typed, whoever reads
// them.
struct Asked {
    RunSettings settings;
    std::vector<const RunSetting*> rows;
};
Asked asked_for(const CompareFacts& facts) {
    Asked asked{facts.contestants[0].settings, {}};
    asked.settings.options = facts.options.run.options;
    asked.settings.rule = facts.options.run.rule;
    asked.settings.rule_params = facts.options.run.rule_params;
    for (const RunSetting& setting : run_setting_list()) {
        const std::string option = "--" + std::string(setting.option);
        const auto takes = [&](const OptionRow& row) { return row.name == option && applies(row, Command::compare); };
        if (setting.of == RunSetting::Of::run && std::ranges::any_of(option_rows(), takes)) asked.rows.push_back(&setting);
    }
    return asked;
}

// The most of K auto, of each contestant that has it.
std::vector<int> most_of_auto(const CompareFacts& facts) {
    std::set<int> most;
    for (const Contestant& c : facts.contestants)
        if (c.settings.k_auto) most.insert(c.settings.k);
    return {most.begin(), most.end()};
}

// What was asked for, enough to ask again; null: the usual.
OrderedJson settings_json(const CompareFacts& facts) {
    const Options& o = facts.options;
    OrderedJson drafters = OrderedJson::array();
    for (const DrafterChoice& choice : o.drafters) {
        const auto of = std::ranges::find(facts.contestants, choice.name, &Contestant::name);
        const bool known = of != facts.contestants.end() && !of->head.empty();
        drafters.push_back(choice.name + (known ? ":" + of->head : ""));
    }
    OrderedJson settings = {{"model", or_null(!o.model.empty(), loaded_model(o))},
                            {"drafters", or_null(!o.drafters.empty(), drafters)},
                            {"threads", or_null(o.threads > 0, o.threads)},
                            {"prompt", or_null(o.prompt.has_value(), o.prompt.value_or(""))},
                            {"token_ids", or_null(!o.run.prompt.token_ids.empty(), o.run.prompt.token_ids)},
                            {"prompts", or_null(!o.prompts.empty(), file_name(o.prompts))},
                            {"set", or_null(!o.set.empty(), file_name(o.set))},
                            {"domain", or_null(!o.domain.empty(), o.domain)},
                            {"chat", or_null(o.has("--chat") || o.has("--raw"), o.run.prompt.chat)},
                            {"system", or_null(!o.run.prompt.system.empty(), o.run.prompt.system)},
                            {"k", or_null(!o.lengths.empty(), o.lengths)},
                            {"rule_params", rule_params_json(o.run.rule, o.run.rule_params)},
                            {"top_k", facts.header.sampling.top_k},
                            {"repeats", o.repeats}};
    const Asked asked = asked_for(facts);
    if (o.run.k_auto) settings["k_auto_most"] = most_of_auto(facts);
    for (const RunSetting* setting : asked.rows)
        if (!settings.contains(setting->key)) settings[setting->key] = value_json(*setting, asked.settings);
    return settings;
}

// Columns of the settings that were given: files of several comparisons can be put together.
std::vector<std::pair<std::string, std::string>> setting_columns(const CompareFacts& facts) {
    std::vector<std::pair<std::string, std::string>> columns;
    const Asked asked = asked_for(facts);
    for (const RunSetting* setting : asked.rows) {
        const bool has_its_own = setting->key == std::string_view("k") || setting->key == std::string_view("rule");
        const std::string option = "--" + std::string(setting->option);
        if (has_its_own || !facts.options.has(option)) continue;
        columns.emplace_back(setting->key, setting->is_switch() ? "yes" : text_of(*setting, asked.settings));
    }
    return columns;
}

// One line for every drafter and prompt: what intervals are computed from.
OrderedJson per_prompt(const CompareFacts& facts) {
    OrderedJson list = OrderedJson::array();
    for (const Contestant& c : facts.contestants)
        for (std::size_t p = 0; p < c.samples.size(); ++p) {
            const Sample& s = c.samples[p];
            list.push_back({{"drafter", c.name},
                            {"k", c.settings.k},
                            {"prompt", p},
                            {"domain", facts.prompts[p].domain},
                            {"tokens", s.tokens},
                            {"rounds", s.rounds},
                            {"drafted", s.drafted},
                            {"accepted", s.accepted},
                            {"ms", or_null(facts.times, s.total_ms())},
                            {"repeats_ms", or_null(facts.times, c.repeats[p])}});
            if (c.settings.k_auto) list.back()["k_auto"] = true, list.back()["plain_passes"] = s.plain_passes;
        }
    return list;
}

} // namespace

std::string compare_json(const std::vector<Row>& rows, const CompareFacts& facts) {
    const RunSettings& first = facts.contestants[0].settings;
    OrderedJson json = {{"schema", "speclens-compare/2"}, // 1: other_ms had accept_ms in it
                        {"machine", facts.header.machine},
                        {"backend", facts.backend},
                        {"device", facts.header.backend},
                        {"model", facts.model},
                        {"fingerprint", or_null(!facts.header.fingerprint.empty(), facts.header.fingerprint)},
                        {"weights", or_null(!facts.header.weights.empty(), facts.header.weights)},
                        {"precision", name_of(facts.header.precision)},
                        {"date", facts.header.date},
                        {"tier", facts.header.tier},
                        {"temperature", first.sampling.temperature},
                        {"top_k", facts.header.sampling.top_k},
                        {"top_p", first.sampling.top_p},
                        {"seed", first.seed},
                        {"max_tokens", first.max_tokens},
                        {"repeats", facts.options.repeats},
                        {"busy_cores", facts.busy_cores},
                        {"prompts", facts.prompts.size()},
                        {"prompts_planned", facts.planned},
                        {"complete", facts.prompts.size() == facts.planned},
                        {"settings", settings_json(facts)},
                        {"rows", OrderedJson::array()}};
    if (facts.rent) json["price"] = price_json(*facts.rent);
    for (const Row& row : rows) json["rows"].push_back(json_of(row, facts));
    json["per_prompt"] = per_prompt(facts);
    json["paired"] = OrderedJson::array();
    const auto length = [](const Contestant& c) { return c.settings.k_auto ? OrderedJson("auto") : OrderedJson(c.settings.k); };
    for (const PairedRows& pair : paired_rows(rows, first.seed))
        json["paired"].push_back({{"drafter", pair.other->name},
                                  {"k", length(*pair.other)},
                                  {"than", pair.first->name},
                                  {"than_k", length(*pair.first)},
                                  {"tokens_per_round", pair.tokens.value},
                                  {"tokens_per_round_low", pair.tokens.low},
                                  {"tokens_per_round_high", pair.tokens.high},
                                  {"speedup", or_null(facts.speed_up, pair.speed.value)},
                                  {"speedup_low", or_null(facts.speed_up, pair.speed.low)},
                                  {"speedup_high", or_null(facts.speed_up, pair.speed.high)},
                                  {"in_doubt", pair.in_doubt}});
    return json.dump(2, BadUtf8::replaced) + "\n";
}

std::string compare_csv(const std::vector<Row>& rows, const CompareFacts& facts) {
    std::size_t positions = 0;
    for (const Row& row : rows) positions = std::max(positions, row.totals.judged_at.size());
    std::string text = "drafter,rule,k,domain,prompts,rounds,tokens,drafted,accepted,tokens_per_round,draft_ms,head_ms,"
                       "verify_ms,accept_ms,other_ms,round_ms,tokens_per_second,speedup,speedup_low,speedup_high,same_text,"
                       "folder";
    auto settings = setting_columns(facts);
    const std::string always = std::string(kFactColumns) + ",repeats,busy_cores,";
    std::erase_if(settings, [&](const auto& setting) { return always.find("," + setting.first + ",") != std::string::npos; });
    for (const auto& [key, value] : settings) text += "," + key;
    const bool automatic = facts.options.run.k_auto; // which K auto, where K is "auto"
    if (automatic) text += ",k_auto_most";
    for (std::size_t i = 1; i <= positions; ++i) text += ",judged_" + std::to_string(i) + ",kept_" + std::to_string(i);
    text += ",in_doubt,in_doubt_because,drafter_fingerprint" + std::string(kFactColumns) + ",repeats,busy_cores\n";
    const std::string all = fact_cells(facts.header, facts.contestants[0].settings) + "," + std::to_string(facts.options.repeats) + "," +
                            number(facts.busy_cores, 2);
    for (const Row& row : rows) {
        if (!row.contestant->problem.empty()) continue; // the table and the JSON say why
        const RunSettings& s = row.contestant->settings;
        const Totals& t = row.totals;
        text += s.drafter + "," + s.rule + "," + (s.k_auto ? std::string("auto") : std::to_string(s.k)) + "," + csv_cell(row.domain);
        for (const int n : {t.prompts, t.rounds, t.tokens, t.drafted, t.accepted}) text += "," + std::to_string(n);
        const auto known = [](bool shown, double value) { return "," + (shown ? OrderedJson(value).dump() : ""); };
        text += known(true, t.tokens_per_round());
        for (const double v :
             {t.draft_ms - t.head_ms, t.head_ms, t.verify_ms, t.accept_ms, t.other_ms - t.accept_ms, t.round_ms(), t.tokens_per_second})
            text += known(facts.times, v);
        text += known(facts.speed_up, row.speed.value);
        text += known(facts.speed_up && row.speed.interval, row.speed.low);
        text += known(facts.speed_up && row.speed.interval, row.speed.high);
        text += s.sampling.temperature > 0 ? "," : row.identical ? ",yes" : ",no";
        text += "," + csv_cell(head_name(*row.contestant));
        for (const auto& [key, value] : settings) text += "," + csv_cell(value);
        if (automatic) text += "," + (s.k_auto ? std::to_string(s.k) : std::string());
        for (std::size_t i = 0; i < positions; ++i)
            text += i < t.judged_at.size() ? "," + std::to_string(t.judged_at[i]) + "," + std::to_string(t.accepted_at[i]) : ",,";
        const std::string doubt = doubt_of(row, facts);
        text += (doubt.empty() ? ",no," : ",yes,") + csv_cell(doubt) + "," + row.contestant->head + all + "\n";
    }
    return text;
}

} // namespace speclens::cli
