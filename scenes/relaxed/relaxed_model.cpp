#include "scenes/relaxed/relaxed_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "engine/drafters/drafter_info.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"

namespace speclens {
namespace {

constexpr int kSteps = 24; // points of a curve

const TopEntries& or_else(const TopEntries& raw, const TopEntries& top) { return raw.empty() ? top : raw; }

// One distribution over `slots`, the last one for what the head does not list.
Distribution distribution_over(const TopEntries& head, const std::map<int, std::size_t>& slots) {
    Distribution distribution(slots.size() + 1, 0.0);
    double sum = 0;
    for (const TopEntries::Entry& entry : head.entries) sum += distribution[slots.at(entry.id)] = std::exp(entry.logp);
    distribution.back() = std::max(0.0, 1 - sum);
    return distribution;
}

// A token that its head need not list, because the event has its probability.
void know(Distribution& distribution, std::size_t slot, double logp) {
    if (distribution[slot] > 0) return;
    distribution[slot] = std::exp(logp);
    distribution.back() = std::max(0.0, distribution.back() - distribution[slot]);
}

JudgedPosition position_of(int round, const DraftSlot& slot, bool greedy) {
    const Drafted& d = *slot.draft;
    const Checked& c = *slot.check;
    const TopEntries &p_raw = or_else(c.raw_top, c.top), &q_raw = or_else(d.raw_top, d.top);
    const TopEntries &p = greedy ? p_raw : c.top, &q = greedy ? q_raw : d.top;
    std::map<int, std::size_t> slots;
    JudgedPosition position;
    position.at = {round, d.index};
    position.drafted = d.token;
    position.stayed = c.accepted;
    for (const TopEntries* head : {&p, &q, &p_raw, &q_raw})
        for (const TopEntries::Entry& entry : head->entries)
            if (slots.emplace(entry.id, position.ids.size()).second) position.ids.push_back(entry.id);
    const auto drafted = slots.emplace(d.token, position.ids.size());
    if (drafted.second) position.ids.push_back(d.token);
    position.ids.push_back(-1);
    DistributionsOfBoth& distributions = position.distributions;
    distributions = {distribution_over(p, slots), distribution_over(q, slots), distribution_over(p_raw, slots),
                     distribution_over(q_raw, slots)};
    if (!greedy) {
        know(distributions.p, drafted.first->second, c.p);
        know(distributions.q, drafted.first->second, c.q);
    }
    position.unlisted = std::max({distributions.p.back(), distributions.q.back(), distributions.p_raw.back(), distributions.q_raw.back()});
    return position;
}

// From the cautious end of the parameter to the generous one.
double value_at(const RuleParameter& parameter, int step) {
    const double share = static_cast<double>(step) / kSteps;
    const double low = std::max(parameter.low, -parameter.most_useful), high = parameter.most_useful;
    return std::string(parameter.name) == "epsilon" ? high + (low - high) * share : low + (high - low) * share;
}

// One alpha serves six cascades whose ranges differ: it is brought into the range of this one.
RuleParams params_for(const RuleInfo& rule, RuleParams params) {
    for (const RuleParameter& parameter : rule.parameters)
        params.*parameter.value = std::clamp(params.*parameter.value, parameter.low, parameter.high);
    return params;
}

void fill(RelaxedState::Cache& cache, const RelaxedState& state) {
    cache.curves.clear();
    for (const RuleInfo* rule : relaxed_rules()) {
        RelaxedCurve curve;
        curve.rule = rule;
        const RuleParameter parameter = rule->parameters.front();
        for (int step = 0; step <= kSteps; ++step) {
            RuleParams params = state.params;
            params.*parameter.value = value_at(parameter, step);
            curve.points.push_back(trade_off(cache.positions, *rule, params));
        }
        curve.here = trade_off(cache.positions, *rule, params_for(*rule, state.params));
        cache.curves.push_back(std::move(curve));
    }
    cache.lossless = trade_off(cache.positions, *find_rule("token"), {});
    cache.counted = static_cast<int>(std::ranges::count_if(cache.positions, &JudgedPosition::counts));
    cache.draft_alone = {1, 0};
    for (const JudgedPosition& position : cache.positions)
        if (position.counts()) cache.draft_alone.distance += distance(position.distributions.q, position.distributions.p) / cache.counted;
}

} // namespace

const std::vector<const RuleInfo*>& relaxed_rules() {
    static const std::vector<const RuleInfo*> rules = [] {
        std::vector<const RuleInfo*> list;
        for (const RuleInfo& rule : rule_list())
            if (!rule.lossless() && rule.siblings == Siblings::none) list.push_back(&rule);
        return list;
    }();
    return rules;
}

std::vector<JudgedPosition> positions_with_distributions(const RunView& whole) {
    std::vector<JudgedPosition> positions;
    if (!whole.header) return positions;
    const bool greedy = whole.header->sampling.temperature == 0;
    for (const RoundSummary& round : whole.round_list)
        for (const DraftSlot& slot : round.drafts)
            if (slot.check && !slot.check->top.empty() && !slot.draft->top.empty())
                positions.push_back(position_of(round.round, slot, greedy));
    return positions;
}

double distance_told(const Distribution& written, const Distribution& target) {
    const double apart = distance(written, target);
    return apart < 1e-9 ? 0 : apart;
}

TradeOff trade_off(const std::vector<JudgedPosition>& positions, const RuleInfo& rule, const RuleParams& params) {
    TradeOff sum;
    int n = 0;
    for (const JudgedPosition& position : positions) {
        if (!position.counts()) continue;
        ++n;
        const OutputDistribution emitted = output_distribution_at(rule, params, position.distributions);
        sum.kept += emitted.kept;
        sum.distance += distance_told(emitted.distribution, position.distributions.p);
    }
    return n > 0 ? TradeOff{sum.kept / n, sum.distance / n} : TradeOff{};
}

const RuleInfo* own_relaxed_rule(const RunView& whole) {
    const RuleInfo* rule = whole.header ? find_rule(whole.header->rule) : nullptr;
    return std::ranges::find(relaxed_rules(), rule) == relaxed_rules().end() ? nullptr : rule;
}

RelaxedModel relaxed_model(const SceneInput& input, RelaxedState& state) {
    RelaxedState::Cache& cache = state.cache;
    const bool same_run = cache.trace == input.trace && cache.events == input.available && !cache.curves.empty();
    if (!same_run) cache.positions = positions_with_distributions(*input.whole);
    if (!same_run || !(cache.params == state.params)) {
        cache.trace = input.trace;
        cache.events = input.available;
        cache.params = state.params;
        fill(cache, state);
    }
    RelaxedModel m;
    m.positions = &cache.positions;
    m.curves = &cache.curves;
    m.counted = cache.counted;
    m.lossless = cache.lossless;
    m.draft_alone = cache.draft_alone;
    m.stayed = static_cast<int>(std::ranges::count_if(cache.positions, &JudgedPosition::stayed));
    m.own = own_relaxed_rule(*input.whole);
    m.rule = find_rule(state.rule);
    m.params = params_for(*m.rule, state.params);
    m.here = trade_off(cache.positions, *m.rule, m.params);
    m.greedy = input.whole->header && input.whole->header->sampling.temperature == 0;
    // The position that was clicked, else the one the cursor stands at or has passed last.
    const auto wanted = [&]() -> Position {
        if (input.selected) return *input.selected;
        const RoundSummary* round = input.view->current();
        return round ? Position{round->round, std::max(0, round->last_judged)} : Position{};
    }();
    for (std::size_t i = 0; i < cache.positions.size(); ++i) {
        const Position& at = cache.positions[i].at;
        if (m.shown < 0 || at.round < wanted.round || (at.round == wanted.round && at.index <= wanted.index)) m.shown = static_cast<int>(i);
    }
    // Nobody chose one: one that says something, the nearest before it or else behind it.
    if (!input.selected && m.counted > 0) {
        const auto counts = [&](int i) { return cache.positions[static_cast<std::size_t>(i)].counts(); };
        const int from = m.shown, n = static_cast<int>(cache.positions.size());
        while (m.shown >= 0 && !counts(m.shown)) --m.shown;
        if (m.shown < 0)
            for (m.shown = from; m.shown < n && !counts(m.shown);) ++m.shown;
    }
    if (const JudgedPosition* position = m.position(); position && position->counts()) {
        m.strict = output_distribution_at(*find_rule("token"), {}, position->distributions);
        m.relaxed = output_distribution_at(*m.rule, m.params, position->distributions);
    }
    return m;
}

namespace {

// What all runs of the study have in common, judged by the token rule. None where nobody can draft a chain.
std::optional<RunSettings> studied_chain(const SceneInput& input) {
    if (!models_loaded(input) || !input.settings) return {};
    RunSettings base = *input.settings;
    const DrafterInfo* drafter = find_drafter(base.drafter);
    if (!drafter || drafter->tree || base.drafter == kNoDrafter || !drafter_ready(input, base.drafter) || base.k == 0) return {};
    if (base.sampling.temperature == 0) base.sampling.temperature = 1;
    base.draft_sampling.reset();
    base.trace_top = 0;
    base.max_tokens = 64;
    base.rule = "token";
    return base;
}

} // namespace

const Study* measured_rules(const SceneInput& input) {
    const auto base = studied_chain(input);
    return base ? study_of(input, {kRelaxedStudy, {*base}}) : nullptr;
}

RunStudy relaxed_study(const SceneInput& input, const RelaxedState& state) {
    RunStudy study{kRelaxedStudy, {}};
    const auto base = studied_chain(input);
    if (!base) return study;
    std::vector<RunSettings> rows;
    const auto add = [&](const std::string& rule) {
        rows.push_back(*base);
        rows.back().rule = rule;
        rows.back().rule_params = params_for(*find_rule(rule), state.params);
    };
    add("token");
    add("block");
    for (const RuleInfo* rule : relaxed_rules()) add(rule->name);
    const int seeds = seeds_to_measure(input, rows, measured_rules(input));
    for (int seed = 0; seed < seeds; ++seed)
        for (const RunSettings& row : rows) {
            study.runs.push_back(row);
            study.runs.back().seed += static_cast<std::uint64_t>(seed);
        }
    return study;
}

bool measured_with(const StudyPoint& point, const RelaxedState& state) {
    const RuleInfo& rule = *find_rule(point.settings.rule);
    return point.problem.empty() && to_text(point.settings.rule_params, rule) == to_text(params_for(rule, state.params), rule);
}

SeededRounds measured_rounds(const Study* study, const std::string& rule, const RelaxedState& state) {
    SeededRounds rounds;
    if (!study) return rounds;
    const RuleParams* numbers = nullptr; // of the last point: those of a rule mostly have the same
    bool now = false;
    for (const StudyPoint& point : study->points) {
        if (point.settings.rule != rule || !point.problem.empty()) continue;
        if (!numbers || !(*numbers == point.settings.rule_params)) now = measured_with(point, state);
        numbers = &point.settings.rule_params;
        if (now) rounds.add(point);
    }
    return rounds;
}

bool too_close(const SeededRounds& rule, const SeededRounds& token) {
    return !ratio_of(rule, token).more() && !ratio_of(token, rule).more();
}

} // namespace speclens
