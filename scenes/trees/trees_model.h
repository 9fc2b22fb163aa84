// Two ways to get more tokens out of one verify pass. A block judged as a whole: what the token rule and
// block verification make of the same drafts, distributions and coins. And a tree: several continuations in one pass,
// who sees whom, and the path that was kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scenes/shared/chance.h"
#include "scenes/shared/example.h"
#include "scenes/shared/message_scene.h"
#include "scenes/trees/trees_growth.h"

namespace speclens {

inline constexpr MessagesOf<"trees", "ways", "product", "coins", "branches", "cost", "worth", "grown"> trees_says;

// One draft of a block that was judged whole.
struct BlockColumn {
    int token = -1;
    double p = 0, q = 0;       // of the token, under target and draft
    double token_keep = 0;     // min(1, p / q)
    double token_survives = 0; // that the token rule keeps everything up to here
    double joint = 0,
           block_keep = 0;     // coefficient of the prefix, and the chance h that it stays by its own coin
    double block_survives = 0; // that block verification keeps everything up to here
    double coin = 0;
    bool token_kept = false, block_kept = false; // with these coins
};

struct BlockVerdict {
    int round = 0;
    std::vector<BlockColumn> columns;
    double token_expected = 0, block_expected = 0; // accepted drafts
    int token_kept = 0, block_kept = 0;
};
// Of a round that block verification judged; none for any other, also not for a cascade, whose blocks are
// judged against a mixture.
[[nodiscard]] std::optional<BlockVerdict> block_verdict(const RoundSummary& round);

// A guess that the token rule gives up and a later hit of the block brings back, with those before it.
[[nodiscard]] const Criterion& rescued_guess();

// What stands in where the run has no block: two words, A and B, and a draft of both, judged by the rules
// themselves. The distributions are those of the authors' own example (Sun et al. 2024).
struct BlockExample {
    std::vector<double> target, draft;     // distributions, the same at every place
    BlockVerdict verdict;                  // of the draft A B with two coins
    double token_mean = 0, block_mean = 0; // accepted drafts, over all drafts of two words
};
[[nodiscard]] const BlockExample& block_example();

// Columns that fit, and how many are left out before each and behind the last. First come those that decide:
// the first miss of the token rule, the last hit of the block, and the one behind it; then the others from
// the left.
struct ShownColumns {
    std::vector<int> columns, left_out; // left_out: one more than columns
    [[nodiscard]] int gaps() const;
};
[[nodiscard]] ShownColumns shown_columns(const BlockVerdict& verdict, int count);

struct TreeNode {
    int token = -1, parent = -1, depth = 1;
    DraftSlot::State state = DraftSlot::State::drafted;
    float row = 0; // leaves stand at 0, 1, 2 …; a parent in the middle of its children; below 0: left out
    [[nodiscard]] bool drawn() const { return row >= 0; }
};
[[nodiscard]] std::vector<TreeNode> tree_nodes(const RoundSummary& round);
// Siblings without room: one line stands for all of them and what follows them.
struct TreeRest {
    int parent = -1, depth = 1;
    int guesses = 0;
    bool siblings = true; // nothing follows them
    float row = 0;
};
// The tree in so many rows: where they are too few, of all siblings the first ones, which are the likeliest,
// and the one that was kept. `most_rows` is at least 2.
struct TreeLayout {
    std::vector<TreeNode> nodes;
    std::vector<TreeRest> rests;
    int rows = 0;
};
[[nodiscard]] TreeLayout tree_layout(std::vector<TreeNode> nodes, int most_rows);
// Whether row `from` of the pass (0: the pending token, 1 + i: node i) sees row `to`: its ancestors and
// itself.
[[nodiscard]] bool sees(const std::vector<TreeNode>& nodes, int from, int to);

// What the user set.
struct TreesState {
    bool tree = false; // the second picture
};

struct TreesModel {
    bool tree = false;
    std::optional<BlockVerdict> block; // of the round on screen, or the last one before it that has one;
                                       // none: the run has none, and the example is shown
    int blocks = 0;                    // rounds of the run that were judged whole, and means over them
    double token_mean = 0, block_mean = 0;
    bool none_rescued = false;   // of them: no guess of this run is one that a later hit rescues
    std::vector<TreeNode> nodes; // of the round on screen; empty: it is no tree
    bool comes = false;          // one of the same round was asked for
    TreeGrowth growth;           // of the same round, at its beat; without guesses: nothing is known of it
    int round = -1;
    std::string chain_drafter,
        tree_drafter; // of the run's family if it has them; empty: there is none that can run
    [[nodiscard]] const BlockVerdict& verdict() const { return block ? *block : block_example().verdict; }
};
[[nodiscard]] TreesModel trees_model(const SceneInput& input, const TreesState& state);

[[nodiscard]] RunSettings sampled_settings(RunSettings settings); // a greedy run throws no coins

// The run again, so that the picture has something to show: a tree, or block verification on a chain. None where nothing can run.
[[nodiscard]] std::optional<RunSettings> run_to_show(const SceneInput& input, const TreesModel& model);

// Chain by either rule, and trees of several sizes, on the prompt of the run with the same dice. Of the sizes
// those with more guesses than levels: only they must branch, whoever shapes the tree.
inline constexpr const char* kTreesStudy = "trees and blocks";
[[nodiscard]] RunStudy trees_study(const SceneInput& input, const TreesModel& model);
struct TreesRow {
    int tree = 0;       // guesses of its tree; 0: a chain
    bool block = false; // a chain that is judged as a whole, not token by token
    int rows = 0;       // of the verify pass
    SeededRounds rounds;
    double tokens = 0, draft_ms = 0, verify_ms = 0; // tokens per round
    double spread = 0;                              // how much longer the middle seed's round took than the quickest, in shares of it
    double speedup = 0;                             // against a plain pass; 0: unknown
    bool doubt = false;                             // of the study's times
    bool few = false;                               // too few rounds made all their guesses to time them
    [[nodiscard]] double ms() const { return draft_ms + verify_ms; }
    [[nodiscard]] Message name() const;
};
[[nodiscard]] bool without_times(const SceneInput& input);         // the target is a table, which costs nothing to ask
[[nodiscard]] Message trees_sample_words(const SceneInput& input); // behind each row; empty: none
[[nodiscard]] std::vector<TreesRow> trees_rows(const SceneInput& input);
// Which rows give the most tokens and which are the fastest: the one that was seen so first, then those that
// chance may have kept below it.
struct TreesLeaders {
    std::vector<std::size_t> most, fastest; // fastest: empty where nothing was timed
};
[[nodiscard]] TreesLeaders trees_leaders(const std::vector<TreesRow>& rows);
// What they come to, for a sentence: "tree of 8 gives the most tokens per round, 4.37 ±.12", or that it is
// too close to call.
[[nodiscard]] Message most_tokens_words(const std::vector<TreesRow>& rows, const TreesLeaders& leaders);
[[nodiscard]] const Study* measured_trees(const SceneInput& input); // of this prompt with these dice
// At the beat that tells them, where time was taken: the stage then shows them, and neither block nor tree of the run.
[[nodiscard]] bool shows_figures(const SceneInput& input, const TreesModel& model);
[[nodiscard]] Message trees_study_title(const SceneInput& input, const TreesModel& model); // who drafts there

inline constexpr int kTreesRescueBeat = 2;                              // up to here: one block, judged by both rules
inline constexpr int kTreesBeats = trees_says.size, kTreesCostBeat = 4; // from kTreesCostBeat on: what was measured
inline constexpr int kTreesWorthBeat = 5, kTreesGrowthBeat = 6;

[[nodiscard]] StageTitle trees_title(const SceneInput& input, const TreesModel& model);
[[nodiscard]] Story trees_story(const SceneInput& input, const TreesModel& model);

using TreesDraw = SceneDraw<TreesModel, TreesState>;
void draw_trees_stage(const TreesDraw& d, ui::Rect area); // a tree, a block, or what was measured
void draw_block_stage(const TreesDraw& d, ui::Rect area);
void draw_tree_growth(const TreesDraw& d, ui::Rect area);
void draw_trees_details(const TreesDraw& d);
void draw_trees_controls(const TreesDraw& d);
// Starts what the picture needs, or nothing where it cannot; the button does the same, `at` its left end or its middle.
void show_me(const TreesDraw& d);
void show_me_button(const TreesDraw& d, ui::Vec2 at, ui::Align align, const Message& words);
// What was measured, in the panel, or on the stage of a window without one; returns the last baseline.
[[nodiscard]] bool table_on_stage(const TreesDraw& d);
float draw_trees_table(const TreesDraw& d, ui::Rect area);
void draw_trees_bars(const TreesDraw& d, ui::Rect area); // the same with the time of a round, for a room

} // namespace speclens
