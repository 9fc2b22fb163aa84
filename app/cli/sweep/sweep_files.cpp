// A sweep for programs: JSON and CSV.

#include "app/cli/sweep/sweep_text.h"
#include "engine/base/csv.h"
#include "engine/base/json.h"
#include "engine/batch/block_film.h"

namespace speclens::cli {

namespace {

OrderedJson interval_json(const std::optional<SweepInterval>& interval) {
    if (!interval) return nullptr;
    return {{"value", interval->value}, {"low", interval->low}, {"high", interval->high}};
}

OrderedJson method_json(const SweepMethod& method) { return {{"drafter", method.drafter}, {"rule", method.rule}, {"k", method.k}}; }

// Why a figure of this cell is not to be relied on; empty: it is. Other programs slow plain decoding down as well.
std::string doubt_of(const SweepCell& cell, const Sweep& sweep) {
    if (sweep.busy()) return "other programs kept " + number(sweep.busy_cores, 1) + " cores busy";
    return cell.in_doubt ? "repeats lie up to " + number(100 * cell.speed_up->spread(), 0) + " % from the figure" : "";
}

OrderedJson or_null(const std::string& text) { return text.empty() ? OrderedJson(nullptr) : OrderedJson(text); }

OrderedJson cell_json(const SweepCell& cell, const Sweep& sweep, const SweepFacts& facts) {
    OrderedJson json = {
        {"concurrency", cell.concurrency}, {"drafter", cell.method.drafter}, {"k", cell.method.k}, {"measured", cell.measured()}};
    if (!cell.measured()) return json;
    const SweepFigures f = figures_of(cell);
    const SweepSlice& s = cell.sum;
    json["tokens_per_second"] = f.tokens_per_second;
    json["tokens_per_second_per_text"] = f.per_text;
    json["speedup"] = cell.method.plain() ? OrderedJson(nullptr) : interval_json(cell.speed_up);
    const std::string doubt = doubt_of(cell, sweep);
    json["in_doubt"] = !doubt.empty();
    json["in_doubt_because"] = or_null(doubt);
    if (facts.rent) json["cost_per_million_tokens"] = facts.rent->per_million(f.tokens_per_second);
    json["ms"] = s.ms;
    json["tokens"] = s.tokens;
    json["passes"] = s.rounds;
    json["rows_per_pass"] = f.rows_per_pass;
    json["rounds_of_texts"] = s.text_rounds;
    json["tokens_per_round"] = f.tokens_per_round;
    json["drafted"] = s.drafted;
    json["accepted"] = s.accepted;
    json["first_ms"] = {{"median", f.first_ms}, {"p95", f.first_p95_ms}, {"count", s.first_ms.size()}};
    json["between_ms"] = {{"median", f.between_ms}, {"p95", f.between_p95_ms}, {"count", s.between_ms.size()}};
    json["draft_share"] = f.draft_share;
    json["verify_share"] = f.verify_share;
    json["rest_share"] = f.rest_share;
    json["preempted"] = s.preempted;
    json["texts_ended"] = s.ended;
    json["texts_compared"] = cell.compared;
    json["texts_equal"] = cell.compared > 0 ? OrderedJson(cell.texts_equal()) : OrderedJson(nullptr);
    OrderedJson slices = OrderedJson::array();
    for (const SweepSlice& slice : cell.slices) slices.push_back(slice.tokens_per_second());
    json["slices_tokens_per_second"] = slices;
    return json;
}

const char* word_of(SweepCrossing::Where where) {
    return where == SweepCrossing::Where::below ? "below" : where == SweepCrossing::Where::above ? "above" : "at";
}

OrderedJson crossing_json(const SweepMethod& method, const std::optional<SweepCrossing>& crossing, bool busy) {
    OrderedJson json = method_json(method);
    json["crosses"] = crossing ? OrderedJson(word_of(crossing->where)) : OrderedJson(nullptr);
    if (!crossing) return json;
    json["texts"] = crossing->where == SweepCrossing::Where::at ? OrderedJson(crossing->texts.value) : OrderedJson(nullptr);
    json["low"] = crossing->open_low ? OrderedJson(nullptr) : OrderedJson(crossing->texts.low);
    json["high"] = crossing->open_high ? OrderedJson(nullptr) : OrderedJson(crossing->texts.high);
    json["in_doubt"] = busy;
    return json;
}

OrderedJson adaptive_json(const AdaptiveResult& result) {
    OrderedJson ways = OrderedJson::array();
    for (const AdaptiveWay& way : result.ways) {
        if (way.rates.empty()) continue;
        OrderedJson rounds = OrderedJson::array();
        for (const AdaptiveRound& round : way.rounds) rounds.push_back({{"ms", round.at_ms}, {"texts", round.texts}, {"k", round.k}});
        OrderedJson one = {{"chooser", name_of(way.chooser)},
                           {"tokens_per_second", way.rate()},
                           {"repeats", way.rates},
                           {"speedup", interval_json(result.speed_up(way))},
                           {"in_doubt", result.in_doubt(way)}};
        if (way.chooser == Chooser::fixed || way.chooser == Chooser::margin || way.chooser == Chooser::confidence ||
            way.chooser == Chooser::automatic)
            one["k"] = way.k;
        if (way.auc) one["auc"] = *way.auc;
        if (way.chooser == Chooser::oracle) {
            one["tier"] = "COMPUTED";
        } else {
            one["tokens_per_round"] = way.tokens_per_round;
            one["text_ms"] = way.wait_ms;
            one["rounds"] = rounds;
        }
        ways.push_back(one);
    }
    const AdaptiveWay* const best = result.best_fixed();
    // clang-format off
    return {{"drafter", result.drafter}, {"texts", result.texts}, {"seats", result.seats}, {"arrivals_ms", result.arrivals_ms},
            {"busy_cores", result.busy_cores}, {"complete", result.complete}, {"best_fixed_k", best ? OrderedJson(best->k) : OrderedJson(nullptr)}, {"texts_compared", result.compared},
            {"texts_equal", result.compared > 0 ? OrderedJson(result.equal == result.compared) : OrderedJson(nullptr)}, {"ways", ways}};
    // clang-format on
}

// The tables of every round as they were in its pass.
OrderedJson film_json(const BlockFilm& film) {
    OrderedJson rounds = OrderedJson::array();
    for (const FilmRound& round : film.rounds) {
        OrderedJson texts = OrderedJson::array();
        for (const FilmText& text : round.texts)
            texts.push_back({{"text", text.lane.text},
                             {"before", text.before},
                             {"rows", text.lane.rows},
                             {"drafted", text.lane.drafted()},
                             {"after", text.kept},
                             {"blocks", text.during},
                             {"blocks_after", text.after},
                             {"preempted", text.lane.did == BatchLane::Did::preempted}});
        rounds.push_back({{"used", round.used(true)},
                          {"used_after", round.used(false)},
                          {"for_drafts", round.for_drafts()},
                          {"estimated", round.estimated()},
                          {"copied", round.copied},
                          {"shared_tokens", round.shared_tokens},
                          {"texts", texts}});
    }
    // clang-format off
    return {{"texts", film.texts}, {"texts_asked", film.asked}, {"lengths", film.lengths()}, {"blocks", film.blocks}, {"block_bytes", film.block_bytes}, {"drafter", film.drafter}, {"k", film.k},
            {"mean_for_drafts", film.mean_for_drafts()}, {"mean_estimated", film.mean_estimated()}, {"rounds", rounds}};
    // clang-format on
}

} // namespace

std::string sweep_json(const Sweep& sweep, const SweepPlan& plan, const SweepFacts& facts) {
    const RunSettings& text = plan.texts.front();
    OrderedJson json = {{"schema", "speclens-sweep/1"},
                        {"machine", facts.header.machine},
                        {"backend", facts.header.backend},
                        {"model", facts.header.model},
                        {"fingerprint", or_null(facts.header.fingerprint)},
                        {"weights", or_null(facts.header.weights)},
                        {"precision", name_of(facts.header.precision)},
                        {"date", facts.header.date},
                        {"tier", facts.header.tier},
                        {"busy_cores", sweep.busy_cores},
                        {"complete", sweep.complete},
                        {"temperature", text.sampling.temperature},
                        {"top_k", text.sampling.top_k},
                        {"top_p", text.sampling.top_p},
                        {"seed", text.seed},
                        {"max_tokens", text.max_tokens},
                        {"prompts", facts.prompts},
                        {"repeats", plan.repeats},
                        {"prompt_rows", plan.prompt_rows},
                        {"blocks", plan.blocks > 0 ? OrderedJson(plan.blocks) : OrderedJson(nullptr)},
                        {"concurrency", plan.concurrency}};
    if (facts.rent) json["price"] = price_json(*facts.rent);
    const int compared = texts_compared(sweep);
    json["texts_compared"] = compared;
    json["texts_equal"] = compared > 0 ? OrderedJson(compared == texts_equal(sweep)) : OrderedJson(nullptr);
    if (sweep.film && !sweep.film->rounds.empty()) json["blocks_of_drafts"] = film_json(*sweep.film);
    if (sweep.adaptive) json["adaptive"] = adaptive_json(*sweep.adaptive);
    json["cells"] = OrderedJson::array();
    for (const SweepCell& cell : sweep.cells) json["cells"].push_back(cell_json(cell, sweep, facts));
    json["domains"] = OrderedJson::array();
    for (const SweepDomain& domain : by_domain(sweep, plan, facts))
        for (std::size_t m = 1; m < plan.methods.size(); ++m)
            json["domains"].push_back(
                {{"domain", domain.domain},
                 {"drafter", plan.methods[m].drafter},
                 {"k", plan.methods[m].k},
                 {"tokens_per_round", domain.tokens_per_round[m] > 0 ? OrderedJson(domain.tokens_per_round[m]) : OrderedJson(nullptr)}});
    json["crossings"] = OrderedJson::array();
    for (std::size_t m = 1; m < sweep.crossings.size(); ++m)
        json["crossings"].push_back(crossing_json(plan.methods[m], sweep.crossings[m], sweep.busy()));
    return json.dump(1) + "\n";
}

std::string sweep_csv(const Sweep& sweep, const SweepPlan& plan, const SweepFacts& facts) {
    std::string text =
        "concurrency,drafter,k,tokens_per_second,tokens_per_second_per_text,speedup,speedup_low,speedup_high,drafted,accepted,"
        "tokens_per_round,rows_per_pass,first_ms,first_p95_ms,between_ms,between_p95_ms,draft_share,verify_share,preempted,"
        "texts_compared,texts_equal,in_doubt,busy_cores" +
        std::string(facts.rent ? ",cost_per_million_tokens" : "") + ",in_doubt_because" + kFactColumns + ",repeats\n";
    const std::string all = fact_cells(facts.header, plan.texts.front()) + "," + std::to_string(plan.repeats) + "\n";
    for (const SweepCell& cell : sweep.cells) {
        if (!cell.measured()) continue;
        const SweepFigures f = figures_of(cell);
        const auto add = [&](double value, int decimals) { text += "," + number(value, decimals); };
        text += std::to_string(cell.concurrency) + "," + cell.method.drafter + "," + std::to_string(cell.method.k);
        add(f.tokens_per_second, 3), add(f.per_text, 3);
        if (cell.method.plain() || !cell.speed_up)
            text += ",,,";
        else
            add(cell.speed_up->value, 4), add(cell.speed_up->low, 4), add(cell.speed_up->high, 4);
        text += "," + std::to_string(cell.sum.drafted) + "," + std::to_string(cell.sum.accepted);
        add(f.tokens_per_round, 4), add(f.rows_per_pass, 3), add(f.first_ms, 3), add(f.first_p95_ms, 3), add(f.between_ms, 4),
            add(f.between_p95_ms, 4), add(f.draft_share, 4), add(f.verify_share, 4);
        text += "," + std::to_string(cell.sum.preempted) + "," + std::to_string(cell.compared) + "," + std::to_string(cell.equal) +
                (doubt_of(cell, sweep).empty() ? ",no" : ",yes");
        add(sweep.busy_cores, 2);
        if (facts.rent) add(facts.rent->per_million(f.tokens_per_second), 6);
        text += "," + csv_cell(doubt_of(cell, sweep)) + all;
    }
    return text;
}

} // namespace speclens::cli
