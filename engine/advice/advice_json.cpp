#include "engine/advice/advice_json.h"

#include "engine/advice/advice_words.h"
#include "engine/advice/break_even.h"
#include "engine/advice/served_advice.h"
#include "engine/base/json.h"
#include "engine/model/precision.h"
#include "engine/run/speed_up.h"

namespace speclens {
namespace {

OrderedJson or_null(const std::optional<double>& value) { return value ? OrderedJson(*value) : OrderedJson(nullptr); }

OrderedJson cell_json(const AdviceCell& cell, const Advice& advice) {
    const CellBreakEven even = break_even_of(cell, advice.plain_ms);
    return {{"drafter", cell.drafter},
            {"k", cell.k},
            {"speedup", cell.speed_up},
            {"speedup_low", cell.low},
            {"speedup_high", cell.high},
            {"tokens_per_round", cell.tokens_per_round},
            {"tokens_to_break_even", even.tokens},
            {"alpha_to_break_even", or_null(even.alpha)},
            {"draft_ms", cell.draft_ms},
            {"verify_ms", cell.verify_ms},
            {"other_ms", cell.other_ms},
            {"round_ms", cell.round_ms()},
            {"prompts", cell.prompts},
            {"worked_out", cell.worked_out},
            {"wider_or_deeper", ranks_json(cell.ranks)}};
}

const char* name_of_kind(AdviceVerdict::Kind kind) {
    switch (kind) {
    case AdviceVerdict::Kind::speculate: return "speculate";
    case AdviceVerdict::Kind::plain: return "plain";
    case AdviceVerdict::Kind::none: return "none";
    }
    return "none";
}

} // namespace

std::string advice_json(const Advice& advice, const std::function<std::string(const Said&)>& in_words) {
    const AdviceVerdict verdict = verdict_of(advice);
    OrderedJson findings = OrderedJson::array();
    for (const Said& finding : advice_findings(advice)) findings.push_back(in_words(finding));
    OrderedJson json = {{"schema", "speclens-advice/1"},
                        {"verdict", name_of_kind(verdict.kind)},
                        {"sentence", in_words(verdict_said(advice))},
                        {"reason", verdict.reason.empty() ? OrderedJson(nullptr) : OrderedJson(in_words(verdict.reason))},
                        {"covers", kAdviceCovers},
                        {"model", advice.model},
                        {"fingerprint", advice.fingerprint.empty() ? OrderedJson(nullptr) : OrderedJson(advice.fingerprint)},
                        {"weights", advice.weights.empty() ? OrderedJson(nullptr) : OrderedJson(advice.weights)},
                        {"precision", name_of(advice.precision)},
                        {"machine", advice.machine},
                        {"backend", advice.backend},
                        {"date", advice.date},
                        {"temperature", advice.temperature},
                        {"max_tokens", advice.max_tokens},
                        {"prompts", advice.prompts},
                        {"prompts_planned", advice.planned},
                        {"complete", advice.complete},
                        {"text_tokens", {advice.shortest, advice.longest}},
                        {"plain_ms", advice.plain_ms},
                        {"clock", advice.clock},
                        {"busy_cores", advice.busy_cores},
                        {"in_doubt", advice.busy_cores > kMostBusyCores},
                        {"in_doubt_because", advice.busy_cores > kMostBusyCores
                                                 ? OrderedJson(in_words(advice_said("reason.busy"_t, "cores"_v = advice.busy_cores)))
                                                 : OrderedJson(nullptr)},
                        {"best", nullptr},
                        {"findings", std::move(findings)},
                        {"cells", OrderedJson::array()},
                        {"drafters", OrderedJson::array()},
                        {"domains", OrderedJson::array()},
                        {"contexts", OrderedJson::array()}};
    if (verdict.best) json["best"] = cell_json(*verdict.best, advice);
    for (const AdviceCell& cell : advice.cells) json["cells"].push_back(cell_json(cell, advice));
    for (const AdviceDrafter& drafter : advice.drafters) {
        if (drafter.problem.empty())
            json["drafters"].push_back(
                {{"drafter", drafter.name}, {"rule", drafter.rule}, {"judged_at", drafter.judged}, {"accepted_at", drafter.kept}});
        else
            json["drafters"].push_back({{"drafter", drafter.name}, {"problem", drafter.problem}});
    }
    for (const AdviceDomain& domain : advice.domains)
        json["domains"].push_back({{"domain", domain.domain},
                                   {"drafter", domain.drafter},
                                   {"k", domain.k},
                                   {"prompts", domain.prompts},
                                   {"tokens_per_round", domain.tokens_per_round},
                                   {"speedup", domain.speed_up > 0 ? OrderedJson(domain.speed_up) : OrderedJson(nullptr)}});
    for (const AdviceContext& context : advice.contexts)
        json["contexts"].push_back(
            {{"tokens", context.tokens}, {"plain_ms", context.plain_ms}, {"verify_ms", context.verify_ms}, {"speedup", context.speed_up}});
    return json.dump(2, BadUtf8::replaced) + "\n";
}

namespace {

OrderedJson tree_json(const DraftShape& shape) {
    using Kind = DraftShape::Kind;
    if (shape.tree()) return {{"depth", or_null(shape.depth)}, {"nodes", or_null(shape.nodes)}};
    return shape.kind == Kind::open ? OrderedJson(nullptr) : OrderedJson(false); // null: not told
}

OrderedJson range_json(const std::optional<Between>& range) {
    return range ? OrderedJson::array({range->low, range->high}) : OrderedJson(nullptr);
}

} // namespace

std::string advice_json(const ServedAdvice& advice, const std::string& server, const std::function<std::string(const Said&)>& in_words) {
    OrderedJson findings = OrderedJson::array();
    for (const Said& finding : advice_findings(advice)) findings.push_back(in_words(finding));
    const auto known = [](double value) { return value > 0 ? OrderedJson(value) : OrderedJson(nullptr); };
    using Kind = ServedAdvice::Kind;
    OrderedJson json = {{"schema", "speclens-served-advice/1"},
                        {"verdict", advice.kind == Kind::keep     ? "speculate"
                                    : advice.kind == Kind::change ? "change"
                                                                  : "none"},
                        {"sentence", in_words(verdict_said(advice))},
                        {"reason", advice.reason.empty() ? OrderedJson(nullptr) : OrderedJson(in_words(advice.reason))},
                        {"covers", kAdviceCovers},
                        {"server", server},
                        {"prompts", advice.prompts},
                        {"texts_compared", advice.texts},
                        {"texts_same", advice.same_texts},
                        {"tokens_per_second", known(advice.rate)},
                        {"tokens_per_second_low", known(advice.rate_low)},
                        {"tokens_per_second_high", known(advice.rate_high)},
                        {"plain_tokens_per_second", or_null(advice.plain_rate)},
                        {"plain_measured", advice.plain_measured},
                        {"speedup", known(advice.speed_up)},
                        {"speedup_low", known(advice.low)},
                        {"speedup_high", known(advice.high)},
                        {"k", advice.k > 0 ? OrderedJson(advice.k) : OrderedJson(nullptr)},
                        {"tree", tree_json(advice.shape)},
                        {"tokens_per_round", known(advice.tokens_per_round)},
                        {"round_passes", or_null(advice.round_passes)},
                        {"round_passes_range", range_json(advice.round_passes_range)},
                        {"passes_without_draft", advice.passes_told ? range_json(advice.text.plain) : OrderedJson(nullptr)},
                        {"share_of_text", range_json(advice.text.share)},
                        {"most_speedup", range_json(advice.text.most_speed_up)},
                        {"alpha_to_break_even", or_null(advice.alpha)},
                        {"best_k", advice.best_k ? OrderedJson(*advice.best_k) : OrderedJson(nullptr)},
                        {"best_speedup", advice.best_k ? OrderedJson(advice.best_speed_up) : OrderedJson(nullptr)},
                        {"findings", std::move(findings)}};
    return json.dump(2, BadUtf8::replaced) + "\n";
}

} // namespace speclens
