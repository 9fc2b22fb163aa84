// What S11 measures: a chain under either rule and trees of several sizes, each with the same seeds, and
// which of them stand out of the noise of so few rounds.
#include <algorithm>
#include <cmath>

#include "engine/drafters/drafter_info.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/reported_speed.h"
#include "scenes/shared/run_controls.h"
#include "scenes/trees/trees_model.h"

namespace speclens {
namespace {

constexpr int kFewTimed = 5;    // rounds below which a time says little
constexpr int kLeastLength = 4; // of a chain: a shorter one leaves blocks and trees little to do
constexpr int kTreeSizes[] = {8, 16, 32};

// The runs of the study without those of its drafters: plain decoding.
RunStudy plain_study(const SceneInput& input) {
    RunStudy study{kTreesStudy, {}};
    if (!models_loaded(input) || !input.settings) return study;
    RunSettings plain = sampled_settings(*input.settings);
    plain.options = {};
    plain.trace_top = 0;
    plain.max_tokens = 64;
    plain.drafter = kNoDrafter;
    plain.rule = "token";
    plain.k = 0;
    study.runs.push_back(plain);
    return study;
}

// What the rows are measured with, but for the seed.
std::vector<RunSettings> settings_of_rows(const SceneInput& input, const TreesModel& m, const RunSettings& plain) {
    std::vector<RunSettings> rows;
    RunSettings base = plain;
    base.k = std::max(input.settings->k, kLeastLength);
    if (!m.chain_drafter.empty())
        for (const char* rule : {"token", "block"}) {
            base.drafter = m.chain_drafter;
            base.rule = rule;
            rows.push_back(base);
        }
    if (!m.tree_drafter.empty())
        for (const int size : kTreeSizes) {
            if (size <= base.k) continue; // it may be a chain
            base.drafter = m.tree_drafter;
            base.rule = judging_rule("token", m.tree_drafter);
            base.options.tree_budget = size;
            rows.push_back(base);
        }
    return rows;
}

// The row that comes first by `more`, then those that do not fall behind it beyond chance.
template <typename More, typename Lookahead>
std::vector<std::size_t> leaders_of(const std::vector<TreesRow>& rows, const More& more, const Lookahead& behind) {
    std::vector<std::size_t> leaders, order(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return more(rows[a], rows[b]); });
    for (const std::size_t i : order)
        if (leaders.empty() || !behind(rows[i], rows[leaders.front()])) leaders.push_back(i);
    return leaders;
}

} // namespace

bool without_times(const SceneInput& input) {
    const Header* run = input.whole->header;
    return run && run->tier == "TABLE";
}

const Study* measured_trees(const SceneInput& input) { // whoever drafts by now
    return study_of(input, plain_study(input));
}

RunStudy trees_study(const SceneInput& input, const TreesModel& m) {
    RunStudy study = plain_study(input);
    if (study.runs.empty()) return study;
    const RunSettings plain = study.runs.front();
    const std::vector<RunSettings> rows = settings_of_rows(input, m, plain);
    study.runs.clear();
    if (rows.empty()) return study;
    // Seed by seed, so that what else the machine does meets all rows alike.
    const bool quick = quick_to_measure(input);
    const int seeds = seeds_to_measure(input, rows, measured_trees(input));
    const auto add = [&](RunSettings one, int seed) {
        one.seed = plain.seed + static_cast<std::uint64_t>(seed);
        study.runs.push_back(std::move(one));
    };
    for (int seed = 0; seed < seeds; ++seed) {
        if (seed == 0 || quick) add(plain, seed);
        for (const RunSettings& row : rows) add(row, seed);
    }
    return study;
}

bool shows_figures(const SceneInput& input, const TreesModel& m) {
    const bool tree_run = input.whole->header && input.whole->header->nodes > 0;
    return input.beat == kTreesWorthBeat && (!m.tree || tree_run) &&
           std::ranges::any_of(trees_rows(input), [](const TreesRow& row) { return row.verify_ms > 0; });
}

Message trees_study_title(const SceneInput& input, const TreesModel& m) {
    std::string chain = m.chain_drafter, trees = m.tree_drafter;
    int k = input.settings ? std::max(input.settings->k, kLeastLength) : 0;
    if (const Study* study = measured_trees(input))
        for (const StudyPoint& point : study->points)
            if (const DrafterInfo* who = find_drafter(point.settings.drafter); who && point.settings.drafter != kNoDrafter)
                (who->tree ? trees : chain) = point.settings.drafter, k = point.settings.k;
    trees = network_of(trees);
    const bool other_k = input.settings && k != input.settings->k, named = !chain.empty() && !trees.empty();
    return trees_says("study.title"_t, "k"_v = other_k ? k : 0, "chain"_v = named ? chain : "",
                      "trees"_v = named && trees != chain ? trees : "", "dice"_v = !named || (trees == chain && !other_k));
}

Message trees_sample_words(const SceneInput& input) {
    const Study* study = measured_trees(input);
    return study && !study->points.empty() ? sample_words(*study) : Message();
}

Message TreesRow::name() const {
    if (tree > 0) return trees_says("words.row:tree"_t, "guesses"_v = tree);
    return block ? trees_says("words.row:block"_t) : trees_says("words.row:token"_t);
}

std::vector<TreesRow> trees_rows(const SceneInput& input) {
    struct Gathered {
        TreesRow row;
        const RunSettings* settings;
        int timed = 0;
        std::vector<double> took; // ms of a round, of each seed
    };
    std::vector<Gathered> all;
    const Study* study = measured_trees(input);
    if (!study) return {};
    const bool table = without_times(input);
    double plain = 0;
    for (const StudyPoint& point : study->points) {
        if (!point.problem.empty()) continue;
        const RunSettings& s = point.settings;
        if (s.drafter == kNoDrafter) {
            plain = plain > 0 ? std::min(plain, point.verify_ms) : point.verify_ms;
            continue;
        }
        auto of = std::ranges::find_if(all, [&](const Gathered& one) {
            return one.settings->drafter == s.drafter && one.settings->rule == s.rule &&
                   one.settings->options.tree_budget == s.options.tree_budget;
        });
        if (of == all.end()) of = all.insert(all.end(), Gathered{{}, &s, 0, {}});
        TreesRow& row = of->row;
        const DrafterInfo* drafter = find_drafter(s.drafter);
        const bool tree = drafter && drafter->tree;
        row.tree = tree ? s.options.tree_budget : 0;
        row.block = !tree && s.rule == "block";
        row.rows = 1 + (tree ? s.options.tree_budget : point.draft_length());
        row.rounds.add(point);
        of->timed += point.timed;
        if (point.verify_ms <= 0 || table) continue;
        row.spread = std::max(row.spread, std::log(1 + point.spread));
        const double took = point.draft_ms + point.verify_ms;
        if (of->took.empty() || took < std::ranges::min(of->took)) // the others were disturbed
            row.draft_ms = point.draft_ms, row.verify_ms = point.verify_ms;
        of->took.push_back(took);
    }
    std::vector<TreesRow> rows;
    const bool doubt = !study_doubt(*study).empty();
    for (Gathered& one : all) {
        TreesRow& row = one.row;
        if (row.rounds.seeds.empty()) continue;
        row.tokens = row.rounds.per_round();
        row.spread = std::max(row.spread, middle_over_quickest(std::move(one.took)));
        row.doubt = doubt;
        row.few = plain > 0 && !table && one.timed < kFewTimed;
        if (plain > 0 && row.verify_ms > 0 && !row.few) row.speedup = row.tokens * plain / row.ms();
        rows.push_back(std::move(row));
    }
    return rows;
}

TreesLeaders trees_leaders(const std::vector<TreesRow>& rows) {
    TreesLeaders leaders;
    leaders.most = leaders_of(
        rows, [](const TreesRow& a, const TreesRow& b) { return a.tokens > b.tokens; },
        [](const TreesRow& row, const TreesRow& best) { return ratio_of(best.rounds, row.rounds).more(); });
    leaders.fastest = leaders_of(
        rows, [](const TreesRow& a, const TreesRow& b) { return a.speedup > b.speedup; },
        [](const TreesRow& row, const TreesRow& best) {
            if (row.speedup <= 0) return true;
            const LogRatio tokens = ratio_of(best.rounds, row.rounds);
            const double noise = std::hypot(tokens.chance, best.spread, row.spread);
            return tokens.seeds > 1 && std::log(best.speedup / row.speedup) > noise + 1e-12;
        });
    if (rows.empty() || rows[leaders.fastest.front()].speedup <= 0) leaders.fastest.clear();
    return leaders;
}

Message most_tokens_words(const std::vector<TreesRow>& rows, const TreesLeaders& leaders) {
    const TreesRow& best = rows[leaders.most.front()];
    const auto row = "row"_v = best.name();
    if (leaders.most.size() == 1) return trees_says("words.most:one"_t, row, "tokens"_v = with_chance(best.rounds));
    const auto lowest = *std::ranges::min_element(leaders.most, {}, [&](std::size_t i) { return rows[i].tokens; });
    if (leaders.most.size() > 2)
        return trees_says("words.most:several"_t, "best"_v = leaders.most.size() == rows.size() ? 0 : leaders.most.size(),
                          "least"_v = rows[lowest].tokens, "tokens"_v = best.tokens);
    const TreesRow& other = rows[leaders.most[1]];
    return trees_says("words.most:two"_t, row, "other"_v = other.name(), "tokens"_v = with_chance(best.rounds),
                      "other_tokens"_v = with_chance(other.rounds));
}

} // namespace speclens
