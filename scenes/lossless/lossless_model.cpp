#include "scenes/lossless/lossless_model.h"

#include <algorithm>
#include <cmath>

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

std::size_t row_after(const std::vector<int>& text) {
    return text.empty() ? 0 : 1 + static_cast<std::size_t>(text.back());
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
        std::vector<int> ahead = text, drafts;
        std::vector<std::size_t> rows{row_after(text)};
        for (int k = 0; k < kLosslessDrafts; ++k) {
            drafts.push_back(sample(toy().draft[rows.back()], coin(Purpose::draft)));
            ahead.push_back(drafts.back());
            rows.push_back(row_after(ahead));
        }
        Round round;
        round.drafts = drafts;
        round.p = [&](int row) -> const Distribution& { return toy().target[rows[static_cast<std::size_t>(row)]]; };
        round.q = [&](int node) -> const Distribution& { return toy().draft[rows[static_cast<std::size_t>(node)]]; };
        round.p_argmax = [&](int row) { return argmax(round.p(row)); };
        round.accept_coin = [&](int) { return coin(Purpose::accept); };
        round.resample_coin = [&](int) { return coin(Purpose::resample); };
        const Verdict verdict = rule.verify(round);
        for (const int node : verdict.path) text.push_back(drafts[static_cast<std::size_t>(node)]);
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

double expected_distance(long n) {
    if (n <= 0) return 0;
    double sum = 0;
    for (const auto& [text, p] : exact_texts()) sum += std::sqrt(p * (1 - p) / static_cast<double>(n));
    return sum / std::sqrt(2 * 3.14159265358979323846);
}

std::vector<ProofRow> proof_rows(const RuleInfo& rule) {
    const Distribution &p = toy().target[0], &q = toy().draft[0];
    std::vector<ProofRow> rows(p.size());
    for (std::size_t x = 0; x < p.size(); ++x) {
        rows[x].target = p[x];
        rows[x].draft = q[x];
        // Two drafts, so that the first is not the last; the second one's fate does not matter here.
        const int drafts[] = {static_cast<int>(x), 0};
        Round round;
        round.drafts = drafts;
        const auto row_of = [&](int row) {
            return row == 0 ? std::size_t{0} : row == 1 ? 1 + x : std::size_t{1};
        };
        round.p = [&](int row) -> const Distribution& { return toy().target[row_of(row)]; };
        round.q = [&](int node) -> const Distribution& { return toy().draft[row_of(node)]; };
        round.p_argmax = [&](int row) { return argmax(round.p(row)); };
        round.accept_coin = [](int) { return std::nextafter(1.0, 0.0); };
        round.resample_coin = [](int) { return 0.5; };
        const Verdict verdict = rule.verify(round);
        const double stays = verdict.checks.front().threshold;
        rows[x].kept = q[x] * stays;
        if (verdict.accepted() > 0) continue;
        for (std::size_t v = 0; v < p.size(); ++v) rows[v].replaced += q[x] * (1 - stays) * verdict.distribution[v];
    }
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

RunStudy greedy_study(const SceneInput& input) {
    RunStudy study{kGreedyStudy, {}};
    if (!models_loaded(input) || !input.settings) return study;
    RunSettings base = *input.settings;
    base.sampling = {};
    base.draft_sampling.reset();
    base.rule = "token";
    base.options = {};
    base.trace_top = 0;
    base.max_tokens = 64;
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
    return input.beat == kLosslessBeats - 1 && input.details.w <= 0 && !greedy_rows(input).empty();
}

} // namespace speclens
