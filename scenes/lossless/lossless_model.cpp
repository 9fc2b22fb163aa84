#include "scenes/lossless/lossless_model.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/rng.h"
#include "engine/drafters/drafter_info.h"
#include "engine/rules/wrong_rules.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

void look_at(LosslessCount& counts) {
    const DistributionTest test = against_distribution(counts.texts, exact_texts());
    counts.looks.push_back({counts.drawn, test.total_variation, test.p_value});
    if (counts.caught == 0 && test.p_value < kLosslessAlarm) counts.caught = counts.drawn;
}

// 10, 18, 32, 56, 100 …
bool is_look(long n) {
    if (n < 10) return false;
    const double place = 4 * std::log10(static_cast<double>(n));
    const long at = std::lround(std::pow(10, std::round(place) / 4));
    return at == n;
}

} // namespace

void draw_texts(const RuleInfo& rule, std::uint64_t seed, long count, LosslessCount& counts) {
    for (long i = 0; i < count; ++i) {
        ++counts.texts[toy_text(rule, seed, counts.drawn++).tokens];
        if (is_look(counts.drawn)) look_at(counts);
    }
}

namespace {

// Favourites are certain, so the first position has one way to go wrong: both are refused, one after the other.
void prove_favourites(const RuleInfo& rule, std::vector<ProofRow>& rows) {
    const ToyDrafts guesses = toy_drafts({}, rule, [](Purpose) { return 0.0; });
    Round round;
    round.drafts = guesses.tokens;
    round.parents = guesses.parents;
    round.p = [&](int row) -> const Distribution& { return toy_target()[guesses.rows[static_cast<std::size_t>(row)]]; };
    round.q = [&](int node) -> const Distribution& { return toy_draft(rule)[guesses.rows[static_cast<std::size_t>(round.row_of(node))]]; };
    round.accept_coin = [&](int node) { return round.parent(node) < 0 ? std::nextafter(1.0, 0.0) : 0.0; };
    round.resample_coin = [](int) { return 0.5; };
    const Verdict verdict = rule.verify(round);
    double left = 1; // that every favourite so far was refused
    for (const Judgement& check : verdict.checks) {
        if (round.parent(check.node) >= 0) break;
        rows[static_cast<std::size_t>(guesses.tokens[static_cast<std::size_t>(check.node)])].kept = left * check.threshold;
        left *= 1 - check.threshold;
    }
    if (verdict.accepted() > 0) return;
    for (std::size_t v = 0; v < rows.size(); ++v) rows[v].replaced = left * verdict.distribution[v];
}

// The chance that the first draft stays. Coins of the token rule end at the first that fails, under block verification any later
// one rescues what is before it, and a fresh sample equals a draft as often as the target says it.
double chance_to_stay(const RuleInfo& rule, const Verdict& verdict, double target) {
    if (rule.kind == RuleKind::match) return target;
    if (verdict.checks.empty()) return 0; // it was not even judged
    if (rule.kind != RuleKind::block) return verdict.checks.front().threshold;
    double lost = 1;
    for (const Judgement& check : verdict.checks) lost *= 1 - check.threshold;
    return 1 - lost;
}

// The share of the first position that goes through this pair of drafts.
void prove_two(const RuleInfo& rule, const std::array<int, 2>& drafts, std::vector<ProofRow>& rows) {
    const auto x = static_cast<std::size_t>(drafts[0]), y = static_cast<std::size_t>(drafts[1]);
    const double weight = toy_draft(rule)[0][x] * toy_draft(rule)[1 + x][y];
    Round round;
    round.drafts = drafts;
    const auto row_of = [&](int row) { return row == 0 ? std::size_t{0} : row == 1 ? 1 + x : 1 + y; };
    round.p = [&](int row) -> const Distribution& { return toy_target()[row_of(row)]; };
    round.q = [&](int node) -> const Distribution& { return toy_draft(rule)[row_of(node)]; };
    round.p_argmax = [&](int row) { return argmax(round.p(row)); };
    round.resample_coin = [](int) { return 0.5; };
    // Coins that refuse the first draft, if any do: high ones by their threshold, of a fresh sample one end or the other.
    Verdict verdict;
    for (const double coin : {std::nextafter(1.0, 0.0), 0.0}) {
        round.accept_coin = [coin](int) { return coin; };
        verdict = rule.verify(round);
        if (verdict.accepted() == 0) break;
    }
    const double stays = verdict.accepted() == 0 ? chance_to_stay(rule, verdict, toy_target()[0][x]) : 1;
    rows[x].kept += weight * stays;
    if (stays >= 1) return;
    for (std::size_t v = 0; v < rows.size(); ++v) rows[v].replaced += weight * (1 - stays) * verdict.distribution[v];
}

} // namespace

double expected_distance(long n) {
    if (n <= 0) return 0;
    double sum = 0;
    for (const auto& [text, p] : exact_texts()) sum += std::sqrt(p * (1 - p) / static_cast<double>(n));
    return sum / std::sqrt(2 * 3.14159265358979323846);
}

std::vector<ProofRow> proof_rows(const RuleInfo& rule) {
    const Distribution &p = toy_target()[0], &q = toy_draft(rule)[0];
    std::vector<ProofRow> rows(p.size());
    for (std::size_t x = 0; x < p.size(); ++x) rows[x].target = p[x], rows[x].draft = q[x];
    if (rule.siblings != Siblings::none) {
        prove_favourites(rule, rows);
        return rows;
    }
    // Two drafts, so that the first is not the last. Which the second is matters under block verification, where it may rescue the
    // first.
    for (std::size_t x = 0; x < p.size(); ++x)
        for (std::size_t y = 0; y < p.size(); ++y) prove_two(rule, {static_cast<int>(x), static_cast<int>(y)}, rows);
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

LosslessModel lossless_model(LosslessState& state) {
    LosslessModel m;
    m.rule = lossless_rules()[static_cast<std::size_t>(state.rule)];
    m.count = &state.counts[m.rule->name];
    if (m.count->drawn > 0) m.test = against_distribution(m.count->texts, exact_texts());
    m.noise = expected_distance(m.count->drawn);
    return m;
}

RunSettings greedy_settings(RunSettings settings) {
    settings.sampling = {};
    settings.draft_sampling.reset();
    settings.rule = "token";
    settings.options = {};
    settings.trace_top = 0;
    settings.max_tokens = 64;
    return settings;
}

RunStudy greedy_study(const SceneInput& input) {
    RunStudy study{kGreedyStudy, {}};
    if (!models_loaded(input) || !input.settings) return study;
    const RunSettings base = greedy_settings(*input.settings);
    for (const DrafterInfo& info : drafter_list()) {
        const std::string name = info.name;
        if (name != kNoDrafter && !drafter_ready(input, name)) continue;
        RunSettings one = base;
        one.drafter = name;
        one.k = default_k(name);
        study.runs.push_back(one);
    }
    if (study.runs.size() < 2) study.runs.clear();
    return study;
}

std::vector<GreedyRow> greedy_rows(const SceneInput& input) {
    std::vector<GreedyRow> rows;
    const Study* study = study_of(input, greedy_study(input));
    if (!study || study->points.empty()) return rows;
    const std::vector<int>& plain = study->points.front().output;
    for (const StudyPoint& point : study->points) {
        if (point.settings.drafter == kNoDrafter) continue;
        GreedyRow row{point.settings.drafter, point.problem, static_cast<int>(point.output.size()), -1};
        const auto [a, b] = std::ranges::mismatch(plain, point.output);
        if (a != plain.end() || b != point.output.end()) row.differs_at = static_cast<int>(b - point.output.begin());
        rows.push_back(std::move(row));
    }
    return rows;
}

bool same_text(const GreedyRow& row) { return row.problem.empty() && row.differs_at < 0; }

std::string greedy_verdict(const GreedyRow& row) {
    if (!row.problem.empty()) return "could not run";
    return same_text(row) ? "same " + counted(row.tokens, "token") : "differs at token " + std::to_string(row.differs_at + 1);
}

} // namespace speclens
