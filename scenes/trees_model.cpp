#include "scenes/trees_model.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/drafter.h"
#include "engine/verify.h"
#include "scenes/cycle_pick.h"
#include "scenes/loop_model.h"
#include "scenes/measure_charts.h"
#include "scenes/run_controls.h"

namespace speclens {
namespace {

std::string family_of(const std::string& drafter) {
    return drafter.ends_with("_tree") ? drafter.substr(0, drafter.size() - 5) : drafter;
}

constexpr int kFewTimed = 5; // rounds below which a time says little

RunSettings sampled(RunSettings settings) {
    if (settings.sampling.temperature == 0) settings.sampling.temperature = 1;
    settings.draft_sampling.reset();
    return settings;
}

// Both rules on the same laws and coins; p, q, joint, block_keep and coin of each column are known.
BlockVerdict judge(std::vector<BlockColumn> columns) {
    BlockVerdict verdict;
    verdict.columns = std::move(columns);
    double survives = 1;
    bool standing = true;
    for (BlockColumn& column : verdict.columns) {
        column.token_keep = column.q > 0 ? std::min(1.0, column.p / column.q) : 0;
        survives *= column.token_keep;
        column.token_survives = survives;
        verdict.token_expected += survives;
        standing = standing && column.coin < column.token_keep;
        column.token_kept = standing;
        verdict.token_kept += standing;
    }
    double lost = 1; // no success at this position or behind it
    bool rescued = false;
    for (std::size_t i = verdict.columns.size(); i-- > 0;) {
        BlockColumn& column = verdict.columns[i];
        lost *= 1 - column.block_keep;
        column.block_survives = 1 - lost;
        verdict.block_expected += column.block_survives;
        rescued = rescued || column.coin < column.block_keep;
        column.block_kept = rescued;
        verdict.block_kept += rescued;
    }
    return verdict;
}

// One draft of the example, judged by the rule of the engine.
BlockVerdict judge_example(const Law& p, const Law& q, const std::vector<int>& draft,
                           const std::vector<double>& coins) {
    Round round;
    round.drafts = draft;
    round.p = [&](int) -> const Law& { return p; };
    round.q = [&](int) -> const Law& { return q; };
    round.accept_coin = [&](int node) { return coins[static_cast<std::size_t>(node)]; };
    round.resample_coin = [](int) { return 0.5; }; // of the token behind the draft, which is not shown
    std::vector<BlockColumn> columns;
    for (const Judgement& check : find_rule("block")->verify(round).checks) {
        BlockColumn column;
        column.token = draft[static_cast<std::size_t>(check.node)];
        column.p = p[static_cast<std::size_t>(column.token)];
        column.q = q[static_cast<std::size_t>(column.token)];
        column.joint = *check.joint;
        column.block_keep = check.threshold;
        column.coin = *check.u;
        columns.push_back(column);
    }
    return judge(std::move(columns));
}

} // namespace

std::optional<BlockVerdict> block_verdict(const CycleSummary& cycle) {
    if (cycle.tree || cycle.drafts.empty()) return {};
    std::vector<BlockColumn> columns;
    for (const DraftSlot& slot : cycle.drafts) {
        if (!slot.check || !slot.check->joint || !slot.check->u || slot.check->goal) return {};
        BlockColumn column;
        column.token = slot.draft->token;
        column.p = std::exp(slot.check->p);
        column.q = std::exp(slot.check->q);
        column.joint = std::exp(*slot.check->joint);
        column.block_keep = slot.check->threshold;
        column.coin = *slot.check->u;
        columns.push_back(column);
    }
    BlockVerdict verdict = judge(std::move(columns));
    verdict.cycle = cycle.cycle;
    return verdict;
}

const BlockExample& block_example() {
    static const BlockExample kExample = [] {
        BlockExample e;
        e.target = {1.0 / 3, 2.0 / 3};
        e.draft = {2.0 / 3, 1.0 / 3};
        const std::vector<double> coins = {0.7, 0.4};
        e.verdict = judge_example(e.target, e.draft, {0, 1}, coins);
        for (const int first : {0, 1})
            for (const int second : {0, 1}) {
                const BlockVerdict one = judge_example(e.target, e.draft, {first, second}, coins);
                const double share =
                    e.draft[static_cast<std::size_t>(first)] * e.draft[static_cast<std::size_t>(second)];
                e.token_mean += share * one.token_expected;
                e.block_mean += share * one.block_expected;
            }
        return e;
    }();
    return kExample;
}

int ShownColumns::gaps() const {
    return static_cast<int>(std::ranges::count_if(left_out, [](int n) { return n > 0; }));
}

ShownColumns shown_columns(const BlockVerdict& verdict, int count) {
    const int n = static_cast<int>(verdict.columns.size());
    std::vector<int> wanted = {verdict.token_kept, verdict.block_kept - 1, verdict.block_kept};
    for (int i = 0; i < n; ++i) wanted.push_back(i);
    ShownColumns shown;
    for (const int i : wanted)
        if (i >= 0 && i < n && static_cast<int>(shown.columns.size()) < count &&
            std::ranges::find(shown.columns, i) == shown.columns.end())
            shown.columns.push_back(i);
    std::ranges::sort(shown.columns);
    int next = 0;
    for (const int i : shown.columns) {
        shown.left_out.push_back(i - next);
        next = i + 1;
    }
    shown.left_out.push_back(n - next);
    return shown;
}

std::vector<TreeNode> tree_nodes(const CycleSummary& cycle) {
    std::vector<TreeNode> nodes;
    for (const DraftSlot& slot : cycle.drafts)
        nodes.push_back({slot.draft->token, slot.parent, slot.depth, slot.state, 0});
    float leaf = 0;
    const std::function<float(int)> place = [&](int node) -> float {
        float first = -1, last = -1;
        for (std::size_t i = 0; i < nodes.size(); ++i)
            if (nodes[i].parent == node) {
                last = place(static_cast<int>(i));
                if (first < 0) first = last;
            }
        const float row = first < 0 ? leaf++ : (first + last) / 2;
        if (node >= 0) nodes[static_cast<std::size_t>(node)].row = row;
        return row;
    };
    if (!nodes.empty()) (void)place(-1);
    return nodes;
}

bool sees(const std::vector<TreeNode>& nodes, int from, int to) {
    if (to == 0) return true;
    for (int node = from - 1; node >= 0; node = nodes[static_cast<std::size_t>(node)].parent)
        if (node == to - 1) return true;
    return false;
}

TreesModel trees_model(const SceneInput& input, const TreesState& state) {
    TreesModel m;
    m.tree = state.tree;
    const CycleSummary* cycle = shown_cycle(input);
    if (cycle) {
        m.cycle = cycle->cycle;
        if (input.whole->header && input.whole->header->nodes > 0) m.nodes = tree_nodes(*cycle);
    }
    for (const CycleSummary& one : input.whole->cycles)
        if (const auto verdict = block_verdict(one)) {
            if (!m.block || one.cycle <= m.cycle) m.block = verdict;
            ++m.blocks;
            m.token_mean += verdict->token_expected;
            m.block_mean += verdict->block_expected;
        }
    if (m.blocks > 0) m.token_mean /= m.blocks, m.block_mean /= m.blocks;
    if (input.settings) {
        const std::string& own = input.settings->drafter;
        const std::string family = family_of(own);
        for (const std::string& name : {family, std::string("small"), std::string("eagle3")}) {
            const DrafterInfo* info =
                find_drafter(name); // a file may name one that this program does not know
            if (m.chain_drafter.empty() && name != "none" && info && !info->tree &&
                drafter_ready(input, name))
                m.chain_drafter = name;
        }
        for (const std::string& name : {own, family + "_tree", std::string("small_tree"),
                                        std::string("eagle3_tree"), std::string("medusa_tree")}) {
            const DrafterInfo* info = find_drafter(name);
            if (m.tree_drafter.empty() && info && info->tree && drafter_ready(input, name))
                m.tree_drafter = name;
        }
    }
    return m;
}

std::optional<RunSettings> block_settings(const SceneInput& input, const TreesModel& m) {
    if (!models_loaded(input) || !input.settings || m.chain_drafter.empty()) return {};
    RunSettings settings = *input.settings;
    if (settings.drafter != m.chain_drafter) settings = with_drafter(settings, m.chain_drafter);
    settings = sampled(settings);
    settings.rule = "block";
    if (settings.k < 2) settings.k = 5;
    return settings;
}

std::optional<RunSettings> tree_settings(const SceneInput& input, const TreesModel& m) {
    if (!models_loaded(input) || !input.settings || m.tree_drafter.empty()) return {};
    RunSettings settings = *input.settings;
    if (settings.drafter != m.tree_drafter) settings = with_drafter(settings, m.tree_drafter);
    if (settings.k < 2) settings.k = 4;
    return settings;
}

namespace {

// The runs of the study without those of its drafters: plain decoding.
RunStudy plain_study(const SceneInput& input) {
    RunStudy study{kTreesStudy, {}};
    if (!models_loaded(input) || !input.settings) return study;
    RunSettings plain = sampled(*input.settings);
    plain.options = {};
    plain.trace_top = 0;
    plain.max_tokens = 64;
    plain.drafter = "none";
    plain.rule = "token";
    plain.k = 0;
    study.runs.push_back(plain);
    return study;
}

// What was measured of this prompt with these dice, whoever drafts by now.
const Study* measured_trees(const SceneInput& input) {
    return study_of(input, plain_study(input));
}

} // namespace

RunStudy trees_study(const SceneInput& input, const TreesModel& m) {
    RunStudy study = plain_study(input);
    if (study.runs.empty()) return study;
    RunSettings base = study.runs.front();
    base.k = std::max(input.settings->k, 4);
    constexpr int kSeeds = 4;
    const auto add = [&](RunSettings one) {
        for (int seed = 0; seed < kSeeds; ++seed) {
            one.seed = base.seed + static_cast<std::uint64_t>(seed);
            study.runs.push_back(one);
        }
    };
    if (!m.chain_drafter.empty())
        for (const char* rule : {"token", "block"}) {
            RunSettings chain = base;
            chain.drafter = m.chain_drafter;
            chain.rule = rule;
            add(chain);
        }
    if (!m.tree_drafter.empty())
        for (const int budget : {4, 8, 16}) {
            RunSettings tree = base;
            tree.drafter = m.tree_drafter;
            tree.rule = judging_rule("token", m.tree_drafter);
            tree.options.tree_budget = budget;
            add(tree);
        }
    if (study.runs.size() < 2) study.runs.clear();
    return study;
}

bool shows_figures(const SceneInput& input, const TreesModel& m) {
    return input.presenter && !m.tree && input.beat == kTreesBeats - 1 &&
           std::ranges::any_of(trees_rows(input), [](const TreesRow& row) { return row.verify_ms > 0; });
}

std::string trees_study_title(const SceneInput& input, const TreesModel& m) {
    std::string chain = m.chain_drafter, trees = m.tree_drafter;
    if (const Study* study = measured_trees(input))
        for (const StudyPoint& point : study->points)
            if (const DrafterInfo* who = find_drafter(point.settings.drafter);
                who && point.settings.drafter != "none")
                (who->tree ? trees : chain) = point.settings.drafter;
    trees = family_of(trees);
    if (chain.empty() || trees.empty()) return "On this prompt, the same dice";
    return "On this prompt: " + chain + (trees == chain ? ", the same dice" : ", trees of " + trees);
}

std::string trees_sample_words(const SceneInput& input) {
    const Study* study = measured_trees(input);
    return study && !study->points.empty() ? sample_words(*study) : std::string();
}

std::vector<TreesRow> trees_rows(const SceneInput& input) {
    std::vector<TreesRow> rows;
    const Study* study = measured_trees(input);
    if (!study) return rows;
    double plain = 0;
    int rounds = 0, tokens = 0;
    const StudyPoint* last = nullptr;
    int timed = 0;
    double draft = 0, verify = 0; // of the quickest seed: the others were disturbed
    const auto same = [](const RunSettings& a, const RunSettings& b) {
        return a.drafter == b.drafter && a.rule == b.rule && a.options.tree_budget == b.options.tree_budget;
    };
    const auto finish = [&] {
        if (!last || rounds == 0) return;
        const RunSettings& s = last->settings;
        TreesRow row;
        const DrafterInfo* drafter = find_drafter(s.drafter);
        const bool tree = drafter && drafter->tree;
        row.name = tree                ? "tree of " + std::to_string(s.options.tree_budget)
                   : s.rule == "block" ? "chain, block"
                                       : "chain, token";
        row.rows = 1 + (tree ? s.options.tree_budget : last->guesses());
        row.tokens = static_cast<double>(tokens) / rounds;
        row.draft_ms = draft;
        row.verify_ms = verify;
        row.few = plain > 0 && timed < kFewTimed;
        if (plain > 0 && verify > 0 && !row.few)
            row.speedup = row.tokens * plain / (row.draft_ms + row.verify_ms);
        rows.push_back(row);
    };
    for (const StudyPoint& point : study->points) {
        if (!point.problem.empty()) continue;
        if (point.settings.drafter == "none") {
            plain = point.verify_ms;
            continue;
        }
        if (last && !same(last->settings, point.settings)) {
            finish();
            rounds = tokens = timed = 0;
            draft = verify = 0;
        }
        last = &point;
        timed += point.timed;
        if (point.verify_ms > 0 && (verify <= 0 || point.draft_ms + point.verify_ms < draft + verify))
            draft = point.draft_ms, verify = point.verify_ms;
        rounds += point.rounds;
        tokens += point.tokens;
    }
    finish();
    return rows;
}

} // namespace speclens
