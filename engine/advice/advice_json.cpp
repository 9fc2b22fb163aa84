#include "engine/advice/advice_json.h"

#include <nlohmann/json.hpp>

#include "engine/advice/advice_words.h"
#include "engine/advice/break_even.h"
#include "engine/advice/served_advice.h"
#include "engine/model/precision.h"

namespace speclens {
namespace {

using Ordered = nlohmann::ordered_json;

Ordered or_null(const std::optional<double>& value) { return value ? Ordered(*value) : Ordered(nullptr); }

Ordered cell_json(const AdviceCell& cell, const Advice& advice) {
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
            {"worked_out", cell.worked_out}};
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

std::string advice_json(const Advice& advice) {
    const AdviceVerdict verdict = verdict_of(advice);
    Ordered json = {{"schema", "speclens-advice/1"},
                    {"verdict", name_of_kind(verdict.kind)},
                    {"sentence", verdict_sentence(advice)},
                    {"reason", verdict.reason.empty() ? Ordered(nullptr) : Ordered(verdict.reason)},
                    {"covers", kAdviceCovers},
                    {"model", advice.model},
                    {"fingerprint", advice.fingerprint.empty() ? Ordered(nullptr) : Ordered(advice.fingerprint)},
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
                    {"best", nullptr},
                    {"findings", advice_findings(advice)},
                    {"cells", Ordered::array()},
                    {"drafters", Ordered::array()},
                    {"contexts", Ordered::array()}};
    if (verdict.best) json["best"] = cell_json(*verdict.best, advice);
    for (const AdviceCell& cell : advice.cells) json["cells"].push_back(cell_json(cell, advice));
    for (const AdviceDrafter& drafter : advice.drafters) {
        if (drafter.problem.empty())
            json["drafters"].push_back(
                {{"drafter", drafter.name}, {"rule", drafter.rule}, {"judged_at", drafter.judged}, {"accepted_at", drafter.kept}});
        else
            json["drafters"].push_back({{"drafter", drafter.name}, {"problem", drafter.problem}});
    }
    for (const AdviceContext& context : advice.contexts)
        json["contexts"].push_back({{"tokens", context.tokens},
                                    {"plain_ms", context.plain_ms},
                                    {"verify_ms", context.verify_ms},
                                    {"speedup", context.speed_up}});
    return json.dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

std::string advice_json(const ServedAdvice& advice, const std::string& server) {
    const auto known = [](double value) { return value > 0 ? Ordered(value) : Ordered(nullptr); };
    using Kind = ServedAdvice::Kind;
    Ordered json = {{"schema", "speclens-served-advice/1"},
                    {"verdict", advice.kind == Kind::keep ? "speculate" : advice.kind == Kind::change ? "change" : "none"},
                    {"sentence", verdict_sentence(advice)},
                    {"reason", advice.reason.empty() ? Ordered(nullptr) : Ordered(advice.reason)},
                    {"covers", kAdviceCovers},
                    {"server", server},
                    {"prompts", advice.prompts},
                    {"tokens_per_second", known(advice.rate)},
                    {"tokens_per_second_low", known(advice.rate_low)},
                    {"tokens_per_second_high", known(advice.rate_high)},
                    {"plain_tokens_per_second", or_null(advice.plain_rate)},
                    {"plain_measured", advice.plain_measured},
                    {"speedup", known(advice.speed_up)},
                    {"speedup_low", known(advice.low)},
                    {"speedup_high", known(advice.high)},
                    {"k", advice.k > 0 ? Ordered(advice.k) : Ordered(nullptr)},
                    {"tokens_per_round", known(advice.tokens_per_round)},
                    {"round_passes", or_null(advice.round_passes)},
                    {"alpha_to_break_even", or_null(advice.alpha)},
                    {"best_k", advice.best_k ? Ordered(*advice.best_k) : Ordered(nullptr)},
                    {"best_speedup", advice.best_k ? Ordered(advice.best_speed_up) : Ordered(nullptr)},
                    {"findings", advice_findings(advice)}};
    return json.dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

} // namespace speclens
