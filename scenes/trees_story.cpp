// Words of S11: title, six beats, and the frame as text.
#include <algorithm>
#include <sstream>

#include "app/ui/format.h"
#include "engine/published_words.h"
#include "scenes/cycle_pick.h"
#include "scenes/trees_model.h"
#include "scenes/words.h"

namespace speclens {
namespace {

Words beat_words(const SceneInput& input, const TreesModel& m, int beat) {
    switch (beat) {
    case 0:
        return {"Guesses that were right, and lost",
                "The token rule walks along the draft and stops at the first miss. What came after may have "
                "been good. Two ways out need no "
                "better drafter: judge the block as a whole, or guess several continuations at once. Both "
                "keep the target's law."};
    case 1:
        return {"A coefficient instead of a walk",
                "Block verification carries one number along: the product of target ÷ draft, never above 1, "
                "how much "
                "of the prefix is deserved. From it and the laws behind follows the threshold h of this "
                "place's own coin. Every position throws a coin; the last hit counts (Sun et al. 2024)."};
    case 2: {
        std::string published;
        if (input.figures)
            if (const PublishedFigure* gain = input.figures->find("block-verification-gain"))
                published = " Its authors measured " + published_value(*gain) + " more speed.";
        if (!m.block)
            return {
                "The same coins, both rules",
                "Judge a run by blocks to see both rules side by side on the same drafts, laws and coins." +
                    published};
        return {"The same coins, both rules",
                "From this draft the token rule keeps " + ui::number(m.block->token_expected, 2) +
                    " guesses on average, the block " + ui::number(m.block->block_expected, 2) +
                    ". Over all drafts the block never keeps fewer; on a single one it may. Its output is "
                    "the target's all the same." +
                    published};
    }
    case 3:
        return {"Several continuations at once",
                "A tree guesses more than one token at a place. One pass of the target judges them all: "
                "every guess sees only those it follows, which "
                "is what the mask says. One branch is kept, the rest is thrown away."};
    case 4:
        return {"What a branch costs",
                "Every node is a row of the verify pass, kept or not. Where a pass "
                "over more rows costs nearly the same, as on a large GPU, "
                "wide trees pay. Where every row costs its share, as on a small CPU, they may give more "
                "tokens per round and still lose time. Measure both."};
    default: {
        const std::vector<TreesRow> rows = trees_rows(input);
        if (rows.empty())
            return {"Which is worth it here?", "Measure a chain under both rules and trees of three sizes on "
                                               "this prompt, with the same dice."};
        const auto best = std::ranges::max_element(rows, {}, &TreesRow::speedup);
        const auto most = std::ranges::max_element(rows, {}, &TreesRow::tokens);
        return {"Which is worth it here?",
                "On this prompt " + most->name + " gives the most tokens per round, " +
                    ui::per_round(most->tokens) + "; " + (best == most ? "it is also" : best->name + " is") +
                    " the fastest, " + ui::speed_up(best->speedup) +
                    ". Tokens per round are not speed: the rows have to be paid for."};
    }
    }
}

} // namespace

StageTitle trees_title(const SceneInput& input, const TreesModel& m) {
    StageTitle title;
    title.tier = tier_of(input.whole->header);
    const std::string round =
        m.cycle >= 0 ? "round " + std::to_string(m.cycle + 1) : std::string("no round yet");
    if (m.tree) {
        if (m.nodes.empty()) {
            title.title = "A tree: several continuations, one pass";
            title.subtitle = round + " · this run drafts chains";
            return title;
        }
        int kept = 0;
        for (const TreeNode& node : m.nodes) kept += node.state == DraftSlot::State::accepted;
        title.title = counted(static_cast<int>(m.nodes.size()), "guess") + " in one pass, " +
                      number_word(kept) + " kept";
        title.subtitle =
            round + " · " + input.whole->header->drafter + " drafter, " + input.whole->header->rule + " rule";
        return title;
    }
    if (!m.block) {
        title.title = "A block judged as a whole keeps no less of it";
        title.subtitle = round + " · this run's rule judges token by token";
        return title;
    }
    const int token = m.block->token_kept, block = m.block->block_kept;
    title.title = "Same draft, same coins: " + number_word(token) + " kept token by token, " +
                  number_word(block) + " as a block";
    title.subtitle = round + " · " + input.whole->header->drafter + " drafter · over " +
                     counted(m.blocks, "block") + " " + ui::number(m.token_mean, 2) + " against " +
                     ui::number(m.block_mean, 2) + " expected";
    return title;
}

Story trees_story(const SceneInput& input, const TreesModel& m) {
    Story story = story_at_beat(input, kTreesBeats);
    const Words words = beat_words(input, m, story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    const bool shown = m.tree ? !m.nodes.empty() : m.blocks > 0;
    const auto settings = m.tree ? tree_settings(input, m) : block_settings(input, m);
    if (story.step >= 5) {
        if (const RunStudy study = trees_study(input, m); !study.runs.empty()) {
            story.task = "Measure chain, block and trees: M";
            story.task_done = !trees_rows(input).empty();
            story.on_task = {Command{study}};
        }
    } else if (settings) {
        story.task = m.tree ? "Draft a tree: U" : "Judge the run by blocks: U";
        story.task_done = shown;
        story.on_task = {Command{Restart{*settings, Gate::kUnlimited}}};
    }
    return story;
}

std::string trees_description(const SceneInput& input, const TreesModel& m) {
    std::ostringstream out;
    const StageTitle title = trees_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    if (!m.tree && m.block) {
        for (std::size_t i = 0; i < m.block->columns.size(); ++i) {
            const BlockColumn& c = m.block->columns[i];
            out << "Guess " << i + 1 << ", " << quoted(*input.trace, c.token) << ": target "
                << ui::probability(c.p) << ", draft " << ui::probability(c.q) << ", coin "
                << ui::probability(c.coin) << "; token rule keeps with " << fine_probability(c.token_keep)
                << " (" << (c.token_kept ? "kept" : "gone") << "), block: coefficient "
                << fine_probability(c.joint) << ", h " << fine_probability(c.block_keep) << " ("
                << (c.block_kept ? "kept" : "gone") << ")\n";
        }
        out << "Expected kept: " << ui::number(m.block->token_expected, 2) << " token by token, "
            << ui::number(m.block->block_expected, 2) << " as a block\n";
    }
    if (m.tree)
        for (std::size_t i = 0; i < m.nodes.size(); ++i) {
            const TreeNode& node = m.nodes[i];
            out << "Node " << i + 1 << ", level " << node.depth << ", after "
                << (node.parent < 0 ? std::string("the text") : "node " + std::to_string(node.parent + 1))
                << ": " << quoted(*input.trace, node.token)
                << (node.state == DraftSlot::State::accepted ? ", kept" : "") << "\n";
        }
    for (const TreesRow& row : trees_rows(input))
        out << row.name << ": " << row.rows << " rows, " << ui::per_round(row.tokens)
            << " tokens per round, draft " << ui::number(row.draft_ms, 2) << ", verify "
            << ui::number(row.verify_ms, 2) << " ms"
            << (row.speedup > 0 ? ", " + ui::speed_up(row.speedup) : std::string()) << "\n";
    out << "\n" << describe_story(trees_story(input, m));
    return out.str();
}

} // namespace speclens
