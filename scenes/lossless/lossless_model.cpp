#include "scenes/lossless/lossless_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "engine/base/rng.h"
#include "engine/drafters/drafter.h"
#include "engine/model/table_json.h"
#include "engine/rules/wrong_rules.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

// The rows of the built-in tables by the token before; row 0 stands at the start of a text.
struct Toy {
    std::vector<Distribution> target, draft;
    Toy() {
        const TablePair tables = toy_tables();
        const auto rows = [](const TableModel& table) {
            std::vector<Distribution> distributions(1 + static_cast<std::size_t>(table.vocab));
            for (const auto& [context, distribution] : table.rows)
                distributions[context.empty() ? 0 : 1 + static_cast<std::size_t>(std::stoi(context))] = distribution;
            return distributions;
        };
        target = rows(*tables.target);
        draft = rows(*tables.draft);
    }
};

const Toy& toy() {
    static const Toy tables;
    return tables;
}

// Who guesses. Block verification keeps a prefix for less than its whole share only behind a guess that is claimed too often and
// where several tokens are owed: the built-in draft has no such place, this one has.
const std::vector<Distribution>& draft_for(const RuleInfo& rule) {
    static const std::vector<Distribution> eager = {{0.8, 0.1, 0.1}, {0.55, 0.4, 0.05}, {0.2, 0.1, 0.7}, {0.25, 0.25, 0.5}};
    return rule.kind == RuleKind::block ? eager : toy().draft;
}

std::size_t row_after(const std::vector<int>& text) {
    return text.empty() ? 0 : 1 + static_cast<std::size_t>(text.back());
}

struct Guesses {
    std::vector<int> tokens, parents; // parents: empty for a chain
    std::vector<std::size_t> rows;    // of the tables: row 0 behind the text, row 1 + i behind guess i
};

// A chain of guesses that are drawn, or, for a rule that judges the draft's favourites, both favourites and what is likeliest behind each.
Guesses guesses_behind(const std::vector<int>& text, const RuleInfo& rule, const std::function<double(Purpose)>& coin) {
    Guesses guesses;
    guesses.rows.push_back(row_after(text));
    const auto add = [&](int token) {
        guesses.tokens.push_back(token);
        guesses.rows.push_back(row_after({token}));
    };
    if (rule.siblings == Siblings::none) {
        for (int k = 0; k < kLosslessDrafts; ++k) add(sample(draft_for(rule)[guesses.rows.back()], coin(Purpose::draft)));
        return guesses;
    }
    const TopEntries best = top_of(toy().draft[guesses.rows.front()], 2);
    for (const TopEntries::Entry& entry : best.entries) add(entry.id), guesses.parents.push_back(-1);
    for (int parent = 0; parent < static_cast<int>(best.entries.size()); ++parent) {
        add(argmax(toy().draft[guesses.rows[1 + static_cast<std::size_t>(parent)]]));
        guesses.parents.push_back(parent);
    }
    return guesses;
}

// Rounds until the text is long enough. `n` names its dice; every coin of a text is another one.
std::vector<int> one_text(const RuleInfo& rule, std::uint64_t seed, long n) {
    std::vector<int> text;
    std::uint32_t thrown = 0;
    const auto coin = [&](Purpose purpose) {
        return uniform({.seed = seed + static_cast<std::uint64_t>(n) * 0x9E3779B97F4A7C15ULL,
                        .position = thrown++,
                        .purpose = purpose});
    };
    while (static_cast<int>(text.size()) < kLosslessTokens) {
        const Guesses guesses = guesses_behind(text, rule, coin);
        Round round;
        round.drafts = guesses.tokens;
        round.parents = guesses.parents;
        round.p = [&](int row) -> const Distribution& { return toy().target[guesses.rows[static_cast<std::size_t>(row)]]; };
        round.q = [&](int node) -> const Distribution& { return draft_for(rule)[guesses.rows[static_cast<std::size_t>(round.row_of(node))]]; };
        round.p_argmax = [&](int row) { return argmax(round.p(row)); };
        round.accept_coin = [&](int) { return coin(Purpose::accept); };
        round.resample_coin = [&](int) { return coin(Purpose::resample); };
        const Verdict verdict = rule.verify(round);
        for (const int node : verdict.path) text.push_back(guesses.tokens[static_cast<std::size_t>(node)]);
        text.push_back(verdict.token);
    }
    text.resize(kLosslessTokens);
    return text;
}

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

const ExactDistribution& exact_texts() {
    static const ExactDistribution distribution = [] {
        ExactDistribution all;
        std::vector<std::pair<std::vector<int>, double>> open{{{}, 1.0}};
        while (!open.empty()) {
            const auto [text, mass] = open.back();
            open.pop_back();
            if (static_cast<int>(text.size()) == kLosslessTokens) {
                all[text] = mass;
                continue;
            }
            const Distribution& row = toy().target[row_after(text)];
            for (std::size_t v = 0; v < row.size(); ++v) {
                std::vector<int> next = text;
                next.push_back(static_cast<int>(v));
                open.emplace_back(std::move(next), mass * row[v]);
            }
        }
        return all;
    }();
    return distribution;
}

void draw_texts(const RuleInfo& rule, std::uint64_t seed, long count, LosslessCount& counts) {
    for (long i = 0; i < count; ++i) {
        ++counts.texts[one_text(rule, seed, counts.drawn++)];
        if (is_look(counts.drawn)) look_at(counts);
    }
}

namespace {

// Favourites are certain, so the first position has one way to go wrong: both are refused, one after the other.
void prove_favourites(const RuleInfo& rule, std::vector<ProofRow>& rows) {
    const Guesses guesses = guesses_behind({}, rule, [](Purpose) { return 0.0; });
    Round round;
    round.drafts = guesses.tokens;
    round.parents = guesses.parents;
    round.p = [&](int row) -> const Distribution& { return toy().target[guesses.rows[static_cast<std::size_t>(row)]]; };
    round.q = [&](int node) -> const Distribution& { return draft_for(rule)[guesses.rows[static_cast<std::size_t>(round.row_of(node))]]; };
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
    const double weight = draft_for(rule)[0][x] * draft_for(rule)[1 + x][y];
    Round round;
    round.drafts = drafts;
    const auto row_of = [&](int row) { return row == 0 ? std::size_t{0} : row == 1 ? 1 + x : 1 + y; };
    round.p = [&](int row) -> const Distribution& { return toy().target[row_of(row)]; };
    round.q = [&](int node) -> const Distribution& { return draft_for(rule)[row_of(node)]; };
    round.p_argmax = [&](int row) { return argmax(round.p(row)); };
    round.resample_coin = [](int) { return 0.5; };
    // Coins that refuse the first draft, if any do: high ones by their threshold, of a fresh sample one end or the other.
    Verdict verdict;
    for (const double coin : {std::nextafter(1.0, 0.0), 0.0}) {
        round.accept_coin = [coin](int) { return coin; };
        verdict = rule.verify(round);
        if (verdict.accepted() == 0) break;
    }
    const double stays = verdict.accepted() == 0 ? chance_to_stay(rule, verdict, toy().target[0][x]) : 1;
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
    const Distribution &p = toy().target[0], &q = draft_for(rule)[0];
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
        if (a != plain.end() || b != point.output.end())
            row.differs_at = static_cast<int>(b - point.output.begin());
        rows.push_back(std::move(row));
    }
    return rows;
}

bool same_text(const GreedyRow& row) {
    return row.problem.empty() && row.differs_at < 0;
}

std::string greedy_verdict(const GreedyRow& row) {
    if (!row.problem.empty()) return "could not run";
    return same_text(row) ? "same " + counted(row.tokens, "token")
                          : "differs at token " + std::to_string(row.differs_at + 1);
}

bool greedy_on_stage(const SceneInput& input) {
    return input.beat == kLosslessGreedyBeat && input.details.w <= 0 && !greedy_rows(input).empty();
}

} // namespace speclens
