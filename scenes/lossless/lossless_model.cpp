#include "scenes/lossless/lossless_model.h"

#include <cmath>

#include "engine/drafters/drafter_info.h"
#include "engine/rules/wrong_rules.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/words.h"

namespace speclens {
void draw_texts(const RuleInfo& rule, std::uint64_t seed, long count, LosslessCount& counts) {
    for (long i = 0; i < count; ++i) {
        ++counts.texts[toy_text(rule, seed, counts.drawn++).tokens];
        const double quarter = std::round(4 * std::log10(static_cast<double>(counts.drawn))) / 4; // 10, 18, 32, 56, 100 …
        if (quarter < 1 || std::lround(std::pow(10, quarter)) != counts.drawn) continue;
        const DistributionTest test = against_distribution(counts.texts, exact_texts());
        counts.looks.push_back({counts.drawn, test.total_variation, test.p_value});
        if (counts.caught == 0 && test.p_value < kLosslessAlarm) counts.caught = counts.drawn;
    }
}

namespace {

// Takes each coin that the rule looks at apart, into those that keep a draft and those that do not, and adds what then stands at the first
// position. A fresh sample equals a draft as often as the target says it.
void prove(const RuleInfo& rule, Round& round, double weight, std::map<int, double>& coins, std::vector<ProofRow>& rows) {
    if (weight <= 0) return;
    const double refusing = std::nextafter(1.0, 0.0);
    round.accept_coin = [&coins, refusing](int node) { return coins.contains(node) ? coins.at(node) : refusing; };
    const Verdict verdict = rule.verify(round);
    const auto open = std::ranges::find_if(verdict.checks, [&](const Judgement& check) { return !coins.contains(check.node); });
    const bool kept = verdict.accepted() > 0 && (coins.contains(verdict.path.front()) || open == verdict.checks.end());
    if (kept || open == verdict.checks.end()) {
        if (kept) rows[static_cast<std::size_t>(round.drafts[static_cast<std::size_t>(verdict.path.front())])].kept += weight;
        for (std::size_t v = 0; !kept && v < rows.size(); ++v) rows[v].replaced += weight * verdict.distribution[v];
        return;
    }
    const int node = open->node;
    const auto with = [&](double coin, double share) {
        coins[node] = coin;
        prove(rule, round, weight * share, coins, rows);
        coins.erase(node);
    };
    if (rule.kind == RuleKind::match) {
        double below = 0;
        for (const double p : round.p(round.row_of(node))) with(below + p / 2, p), below += p;
    } else {
        with(0, open->threshold);
        with(refusing, 1 - open->threshold);
    }
}

} // namespace

double expected_distance(long n) {
    if (n <= 0) return 0;
    double sum = 0;
    for (const auto& [text, p] : exact_texts()) sum += std::sqrt(p * (1 - p) / static_cast<double>(n));
    return sum / std::sqrt(2 * 3.14159265358979323846);
}

std::vector<ProofRow> proof_rows(const RuleInfo& rule) {
    const std::vector<Distribution>&target = toy_target(), &draft = toy_draft(rule);
    std::vector<ProofRow> rows;
    for (std::size_t x = 0; x < target[0].size(); ++x) rows.push_back({target[0][x], draft[0][x]});
    const auto add = [&](const ToyDrafts& guesses, double weight) {
        const auto row = [&](int at) { return guesses.rows[static_cast<std::size_t>(at)]; };
        Round round;
        round.drafts = guesses.tokens;
        round.parents = guesses.parents;
        round.p = [&](int at) -> const Distribution& { return target[row(at)]; };
        round.q = [&](int node) -> const Distribution& { return draft[row(round.row_of(node))]; };
        round.p_argmax = [&](int at) { return argmax(round.p(at)); };
        round.resample_coin = [](int) { return 0.5; };
        std::map<int, double> coins;
        prove(rule, round, weight, coins, rows);
    };
    if (rule.siblings != Siblings::none) { // favourites are certain
        add(toy_drafts({}, rule, [](Purpose) { return 0.0; }), 1);
        return rows;
    }
    // Two drafts, so that the first is not the last. Which the second is matters under block verification, where it may rescue the first.
    for (std::size_t x = 0; x < rows.size(); ++x)
        for (std::size_t y = 0; y < rows.size(); ++y)
            add({{static_cast<int>(x), static_cast<int>(y)}, {}, {0, 1 + x, 1 + y}}, draft[0][x] * draft[1 + x][y]);
    return rows;
}

const std::vector<const RuleInfo*>& lossless_rules() {
    static const std::vector<const RuleInfo*> rules = [] {
        std::vector<const RuleInfo*> list{find_rule("token")};
        for (const RuleInfo& wrong : wrong_rules()) list.push_back(&wrong);
        return list;
    }();
    return rules;
}

PlantedFault fault_of(int beat) {
    return beat == kLosslessTieBeat ? PlantedFault::rounding : beat == kLosslessCacheBeat ? PlantedFault::rollback : PlantedFault::none;
}

RunStudy lossless_study(const SceneInput& input, int beat) {
    const PlantedFault fault = fault_of(beat);
    const bool faulty = fault != PlantedFault::none;
    RunStudy study{faulty ? fault_study_name(fault) : kGreedyStudy, {}};
    if (!models_loaded(input) || !input.settings) return study;
    RunSettings one = *input.settings;
    one.sampling = {};
    one.draft_sampling.reset();
    one.rule = "token";
    one.options = {};
    one.trace_top = 0;
    one.max_tokens = 64;
    const std::string unread = drafter_ready(input, "small") ? "small" : "lookup"; // a fault takes rows away that heads read
    for (const DrafterInfo& info : drafter_list()) {
        one.drafter = info.name;
        one.k = default_k(one.drafter);
        if (one.drafter == kNoDrafter || (faulty ? one.drafter == unread : drafter_ready(input, one.drafter))) study.runs.push_back(one);
    }
    if (study.runs.size() < 2) study.runs.clear();
    if (faulty && !study.runs.empty()) study.runs.front().k = 0, study.runs.front().trace_top = 64;
    return study;
}

namespace {

std::vector<GreedyText> held_against_plain(const SceneInput& input, int beat) {
    std::vector<GreedyText> texts;
    const bool faulty = fault_of(beat) != PlantedFault::none;
    const Study* study = study_of(input, lossless_study(input, beat));
    if (!study || (faulty && !study->complete())) return texts;
    for (const StudyPoint& point : study->points) {
        if (point.settings.drafter == kNoDrafter) continue;
        const StudyPoint& plain = study->points.front();
        const ToldReason& problem = plain.problem.empty() ? point.problem : plain.problem;
        GreedyText text{point.settings.drafter, problem, plain.output, point.output, -1, {}, {}};
        const auto [a, b] = std::ranges::mismatch(text.plain, text.written);
        const bool ended = a == text.plain.end(), stopped = b == text.written.end();
        // Of a fault nothing is told behind the end of either.
        if (faulty ? !ended && !stopped : !ended || !stopped) text.differs_at = static_cast<int>(b - text.written.begin());
        if (faulty && plain.trace && text.differs_at >= 0) {
            const RunView view = fold(*plain.trace, plain.trace->size());
            const auto place = static_cast<std::size_t>(text.differs_at); // new token n is of round n
            if (const TargetToken* own = place < view.round_list.size() ? view.round_list[place].resample : nullptr) {
                const TopEntries& top = own->raw_top.empty() ? own->top : own->raw_top;
                text.plain_p = listed(top, text.plain_token());
                text.written_p = listed(top, text.written_token());
            }
        }
        texts.push_back(std::move(text));
    }
    return texts;
}

} // namespace

LosslessModel lossless_model(const SceneInput& input, LosslessState& state) {
    LosslessModel m;
    m.rule = lossless_rules()[static_cast<std::size_t>(state.rule)];
    for (const RuleInfo* rule : lossless_rules()) state.counts[rule->name]; // each has its own, be it empty
    m.count = &state.counts.at(m.rule->name);
    if (m.count->drawn > 0) m.test = against_distribution(m.count->texts, exact_texts());
    for (const auto& [tokens, p] : exact_texts()) {
        LosslessModel::Text& text = m.texts.emplace_back("", p, std::nullopt);
        for (const int id : tokens) text.letters += static_cast<char>('a' + id);
        const auto found = m.count->texts.find(tokens);
        const long times = found == m.count->texts.end() ? 0 : found->second;
        if (m.count->drawn > 0) text.drawn = static_cast<double>(times) / static_cast<double>(m.count->drawn);
    }
    m.proof = proof_rows(*m.rule);
    m.greedy = held_against_plain(input, kLosslessGreedyBeat);
    m.tie = held_against_plain(input, kLosslessTieBeat);
    m.cache = held_against_plain(input, kLosslessCacheBeat);
    return m;
}

} // namespace speclens
