#include "scenes/trees/trees_model.h"

#include <algorithm>
#include <cmath>

#include "engine/drafters/drafter_info.h"
#include "engine/rules/verify.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/run_controls.h"

namespace speclens {
namespace {

// Both rules on the same distributions and coins; p, q, joint, block_keep and coin of each column are known.
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
BlockVerdict judge_example(const Distribution& p, const Distribution& q, const std::vector<int>& draft, const std::vector<double>& coins) {
    Round round;
    round.drafts = draft;
    round.p = [&](int) -> const Distribution& { return p; };
    round.q = [&](int) -> const Distribution& { return q; };
    round.accept_coin = [&](int node) { return coins[static_cast<std::size_t>(node)]; };
    round.resample_coin = [](int) { return 0.5; }; // of the token behind the draft, which is not shown
    std::vector<BlockColumn> columns;
    for (const Judgement& check : find_rule("block")->verify(round).checks) {
        BlockColumn column;
        column.token = draft[static_cast<std::size_t>(check.node)];
        column.p = p[static_cast<std::size_t>(column.token)];
        column.q = q[static_cast<std::size_t>(column.token)];
        column.joint = *check.prefix_coefficient;
        column.block_keep = check.threshold;
        column.coin = *check.u;
        columns.push_back(column);
    }
    return judge(std::move(columns));
}

} // namespace

std::optional<BlockVerdict> block_verdict(const RoundSummary& round) {
    if (round.tree || round.drafts.empty()) return {};
    std::vector<BlockColumn> columns;
    for (const DraftSlot& slot : round.drafts) {
        if (!slot.check || !slot.check->prefix_coefficient || !slot.check->u || slot.check->mixture) return {};
        BlockColumn column;
        column.token = slot.draft->token;
        column.p = std::exp(slot.check->p);
        column.q = std::exp(slot.check->q);
        column.joint = std::exp(*slot.check->prefix_coefficient);
        column.block_keep = slot.check->threshold;
        column.coin = *slot.check->u;
        columns.push_back(column);
    }
    BlockVerdict verdict = judge(std::move(columns));
    verdict.round = round.round;
    return verdict;
}

const Criterion& rescued_guess() {
    static const Criterion kRescued{"rescued guess", [] { return trees_says("words.criterion"_t); },
                                    [](const RoundSummary& round) -> std::optional<Position> {
                                        const auto verdict = block_verdict(round);
                                        if (!verdict || verdict->block_kept <= verdict->token_kept) return {};
                                        return Position{round.round, verdict->token_kept};
                                    },
                                    [](const RoundSummary& round, const Position&) {
                                        const auto verdict = block_verdict(round);
                                        return static_cast<double>(verdict->block_kept - verdict->token_kept);
                                    }};
    return kRescued;
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
                const double share = e.draft[static_cast<std::size_t>(first)] * e.draft[static_cast<std::size_t>(second)];
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
        if (i >= 0 && i < n && static_cast<int>(shown.columns.size()) < count && std::ranges::find(shown.columns, i) == shown.columns.end())
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

namespace {

// Places a tree of which every node shows its first children, at most so many, and the kept one.
struct TreePlacing {
    TreeLayout& out;
    const std::vector<std::vector<int>>& children; // of the text, then of each node
    int first_ones = 0;

    [[nodiscard]] bool kept(int node) const { return out.nodes[static_cast<std::size_t>(node)].state == DraftSlot::State::accepted; }
    [[nodiscard]] const std::vector<int>& children_of(int node) const { return children[static_cast<std::size_t>(node + 1)]; }
    [[nodiscard]] int guesses(int node) const { // with all that follows it
        int count = 1;
        for (const int child : children_of(node)) count += guesses(child);
        return count;
    }
    float place(int node, int depth) {
        std::vector<int> shown, left_out;
        for (const int child : children_of(node))
            (static_cast<int>(shown.size()) < first_ones || kept(child) ? shown : left_out).push_back(child);
        if (left_out.size() == 1 && guesses(left_out[0]) == 1) { // which takes no more room than a line for it
            shown.push_back(left_out[0]);
            left_out.clear();
        }
        float first = -1, last = -1;
        for (const int child : shown) {
            last = place(child, depth + 1);
            if (first < 0) first = last;
        }
        if (!left_out.empty()) {
            TreeRest rest{node, depth + 1, 0, true, static_cast<float>(out.rows++)};
            for (const int child : left_out) rest.guesses += guesses(child);
            rest.siblings = rest.guesses == static_cast<int>(left_out.size());
            out.rests.push_back(rest);
            last = rest.row;
            if (first < 0) first = last;
        }
        const float row = first < 0 ? static_cast<float>(out.rows++) : (first + last) / 2;
        if (node >= 0) out.nodes[static_cast<std::size_t>(node)].row = row;
        return row;
    }
    // The last resort: one path, the kept one where there is one, and a line for all the rest.
    void place_path() {
        int drawn = 0;
        for (int node = -1; !children_of(node).empty(); ++drawn) {
            const auto stays = std::ranges::find_if(children_of(node), [&](int child) { return kept(child); });
            node = stays != children_of(node).end() ? *stays : children_of(node).front();
            out.nodes[static_cast<std::size_t>(node)].row = 0;
        }
        out.rests.push_back({-1, 1, static_cast<int>(out.nodes.size()) - drawn, false, 1});
        out.rows = 2;
    }
};

} // namespace

TreeLayout tree_layout(std::vector<TreeNode> nodes, int most_rows) {
    std::vector<std::vector<int>> children(nodes.size() + 1);
    for (std::size_t i = 0; i < nodes.size(); ++i) children[static_cast<std::size_t>(nodes[i].parent + 1)].push_back(static_cast<int>(i));
    TreeLayout out;
    out.nodes = std::move(nodes);
    if (out.nodes.empty()) return out;
    std::size_t most = 0;
    for (const std::vector<int>& siblings : children) most = std::max(most, siblings.size());
    TreePlacing placing{out, children};
    const auto clear = [&] {
        out.rests.clear();
        out.rows = 0;
        for (TreeNode& node : out.nodes) node.row = -1;
    };
    for (placing.first_ones = static_cast<int>(most); placing.first_ones > 0; --placing.first_ones) {
        clear();
        (void)placing.place(-1, 0);
        if (out.rows <= most_rows) return out;
    }
    clear();
    placing.place_path();
    return out;
}

std::vector<TreeNode> tree_nodes(const RoundSummary& round) {
    std::vector<TreeNode> nodes;
    for (const DraftSlot& slot : round.drafts) nodes.push_back({slot.draft->token, slot.parent, slot.depth, slot.state, 0});
    const int room = static_cast<int>(nodes.size()) + 1;
    return tree_layout(std::move(nodes), room).nodes;
}

bool sees(const std::vector<TreeNode>& nodes, int from, int to) {
    if (to == 0) return true;
    for (int node = from - 1; node >= 0; node = nodes[static_cast<std::size_t>(node)].parent)
        if (node == to - 1) return true;
    return false;
}

RunSettings sampled_settings(RunSettings settings) {
    if (settings.sampling.temperature == 0) settings.sampling.temperature = 1;
    settings.draft_sampling.reset();
    return settings;
}

TreesModel trees_model(const SceneInput& input, const TreesState& state) {
    TreesModel m;
    m.tree = state.tree;
    const RoundSummary* round = shown_round(input);
    if (round) {
        m.round = round->round;
        const bool grown = input.beat == kTreesGrowthBeat, own = input.whole->header && input.whole->header->nodes > 0;
        if (own && (!grown || grows_by_paths(input.whole->header->drafter))) m.nodes = tree_nodes(*round);
        if (grown && !m.nodes.empty()) m.growth = tree_growth(*round, input.passes.get());
    }
    for (const RoundSummary& one : input.whole->round_list)
        if (const auto verdict = block_verdict(one)) {
            if (!m.block || one.round <= m.round) m.block = verdict;
            ++m.blocks;
            m.token_mean += verdict->token_expected;
            m.block_mean += verdict->block_expected;
        }
    if (m.blocks > 0) m.token_mean /= m.blocks, m.block_mean /= m.blocks;
    // A rule that keeps more on average is not taught by a round in which it keeps less: the worked example stands in,
    // unless somebody chose this round.
    m.none_rescued = m.blocks > 0 && !find_in(*input.whole, rescued_guess());
    if (m.none_rescued && input.beat <= kTreesRescueBeat && !input.selected) m.block.reset();
    if (input.settings) {
        const std::string& own = input.settings->drafter;
        const std::string family = network_of(own);
        const DrafterInfo* own_chain = find_drafter(family); // a file may name one that this program does not know
        const bool chain = family != kNoDrafter && own_chain && !own_chain->tree && drafter_ready(input, family);
        m.chain_drafter = chain ? family : ready_drafter(input, &DrafterInfo::chains_passes);
        std::vector<std::string> trees = {own, family + "_tree", "small_tree", "eagle3_tree", "medusa_tree"};
        if (input.beat == kTreesGrowthBeat) {
            for (const DrafterInfo& info : drafter_list()) trees.emplace_back(info.name);
            std::erase_if(trees, [](const std::string& name) { return !grows_by_paths(name); });
        }
        for (const std::string& name : trees) {
            const DrafterInfo* info = find_drafter(name);
            if (m.tree_drafter.empty() && info && info->tree && drafter_ready(input, name)) m.tree_drafter = name;
        }
    }
    return m;
}

std::optional<RunSettings> run_to_show(const SceneInput& input, const TreesModel& m) {
    const std::string& drafter = m.tree ? m.tree_drafter : m.chain_drafter;
    if (!models_loaded(input) || !input.settings || drafter.empty()) return {};
    RunSettings settings = *input.settings;
    if (settings.drafter != drafter) settings = with_drafter(settings, drafter);
    if (!m.tree) settings = sampled_settings(settings), settings.rule = "block";
    if (settings.k < 2) settings.k = m.tree ? 4 : 5;
    return settings;
}

} // namespace speclens
