// The comparison for programs: JSON and CSV.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli_compare_rows.h"

namespace speclens::cli {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Row& row, bool greedy) {
    const Contestant& c = *row.contestant;
    Json json = {{"drafter", c.name}, {"rule", c.settings.rule}, {"k", c.settings.k}, {"domain", row.domain}};
    if (!c.problem.empty()) {
        json["problem"] = c.problem;
        return json;
    }
    const Totals& t = row.totals;
    json["prompts"] = t.prompts;
    json["rounds"] = t.rounds;
    json["tokens"] = t.tokens;
    json["drafted"] = t.drafted;
    json["accepted_drafts"] = t.accepted;
    json["tokens_per_round"] = t.tokens_per_round();
    json["acceptance_by_position"] = t.acceptance;
    json["conditional_by_position"] = t.conditional;
    if (!c.ids.empty()) {
        json["draft_ids"] = c.ids.size();
        json["tokens_outside_draft_ids"] = row.outside;
    }
    json["draft_ms"] = t.draft_ms - t.head_ms;
    json["head_ms"] = t.head_ms;
    json["verify_ms"] = t.verify_ms;
    json["accept_ms"] = t.accept_ms;
    json["other_ms"] = t.other_ms;
    json["tokens_per_second"] = t.tokens_per_second;
    json["speedup"] = row.speed.value;
    json["speedup_low"] = row.speed.interval ? Json(row.speed.low) : Json(nullptr);
    json["speedup_high"] = row.speed.interval ? Json(row.speed.high) : Json(nullptr);
    json["greedy_identical"] = greedy ? Json(row.identical) : Json(nullptr);
    return json;
}

} // namespace

std::string compare_json(const std::vector<Row>& rows, const CompareFacts& facts) {
    const RunSettings& first = facts.settings;
    const bool greedy = first.sampling.temperature == 0;
    Json json = {{"schema", "speclens-compare/1"},
                 {"machine", facts.header.machine},
                 {"backend", facts.backend},
                 {"device", facts.header.backend},
                 {"model", facts.model},
                 {"date", facts.header.date},
                 {"tier", facts.header.tier},
                 {"temperature", first.sampling.temperature},
                 {"top_k", first.sampling.top_k},
                 {"top_p", first.sampling.top_p},
                 {"seed", first.seed},
                 {"max_tokens", first.max_tokens},
                 {"repeats", facts.repeats},
                 {"busy_cores", facts.busy_cores},
                 {"rows", Json::array()}};
    for (const Row& row : rows) json["rows"].push_back(json_of(row, greedy));
    return json.dump(2) + "\n";
}

std::string compare_csv(const std::vector<Row>& rows) {
    std::size_t positions = 0;
    for (const Row& row : rows) positions = std::max(positions, row.totals.judged_at.size());
    std::string text =
        "drafter,rule,k,domain,prompts,rounds,tokens,drafted,accepted,tokens_per_round,draft_ms,head_ms,"
        "verify_ms,accept_ms,other_ms,tokens_per_second,speedup,speedup_low,speedup_high,same_text";
    for (std::size_t i = 1; i <= positions; ++i)
        text += ",judged_" + std::to_string(i) + ",kept_" + std::to_string(i);
    text += "\n";
    for (const Row& row : rows) {
        if (!row.contestant->problem.empty()) continue; // the table and the JSON say why
        const RunSettings& s = row.contestant->settings;
        const Totals& t = row.totals;
        text += s.drafter + "," + s.rule + "," + std::to_string(s.k) + "," + row.domain;
        for (const int n : {t.prompts, t.rounds, t.tokens, t.drafted, t.accepted})
            text += "," + std::to_string(n);
        for (const double v : {t.tokens_per_round(), t.draft_ms - t.head_ms, t.head_ms, t.verify_ms,
                               t.accept_ms, t.other_ms, t.tokens_per_second, row.speed.value})
            text += "," + Json(v).dump();
        text +=
            row.speed.interval ? "," + Json(row.speed.low).dump() + "," + Json(row.speed.high).dump() : ",,";
        text += s.sampling.temperature > 0 ? "," : row.identical ? ",yes" : ",no";
        for (std::size_t i = 0; i < positions; ++i)
            text += i < t.judged_at.size()
                        ? "," + std::to_string(t.judged_at[i]) + "," + std::to_string(t.accepted_at[i])
                        : ",,";
        text += "\n";
    }
    return text;
}

} // namespace speclens::cli
