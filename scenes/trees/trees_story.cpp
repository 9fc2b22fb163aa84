// Words of S11: title, six beats, and the frame as text.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "engine/published/published_words.h"
#include "engine/rules/verify.h"
#include "scenes/shared/guest_round.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/example.h"
#include "scenes/shared/told_speed.h"
#include "scenes/shared/words.h"
#include "scenes/trees/trees_draw.h"
#include "ui/format.h"

namespace speclens {
namespace {

// Which row brings the most, and which is the fastest, as far as these rounds can tell.
std::string worth_words(const SceneInput& input) {
    const std::vector<TreesRow> rows = trees_rows(input);
    if (rows.empty())
        return "Measure a chain under both rules and trees of several sizes on this prompt, with the same "
               "dice.";
    const Study& study = *measured_trees(input);
    const std::string over = "On this prompt, over " + trees_sample_words(input);
    if (!study.complete()) return over + " so far. The rows are compared when all of them are measured.";
    const TreesLeaders leaders = trees_leaders(rows);
    const auto speed = [&]() -> std::string {
        if (without_times(input)) return "a table costs nothing to ask, so none is the fastest";
        if (leaders.fastest.empty()) return "too few rounds to time them";
        if (const std::string doubt = study_doubt(study); !doubt.empty()) return "which is the fastest is in doubt: " + doubt;
        const TreesRow& best = rows[leaders.fastest.front()];
        if (leaders.fastest.size() == 2)
            return in_sentence(best.name) + " and " + in_sentence(rows[leaders.fastest[1]].name) +
                   " are the fastest, up to " + ui::speed_up(best.speedup);
        if (leaders.fastest.size() > 2)
            return "no row stands out as the fastest, up to " + ui::speed_up(best.speedup);
        const bool also = leaders.most.size() == 1 && leaders.most.front() == leaders.fastest.front();
        return (also ? "it is also" : in_sentence(best.name) + " is") + " the fastest, " +
               ui::speed_up(best.speedup);
    };
    const bool close = leaders.most.size() > 1 || leaders.fastest.size() > 1;
    return over + ", " + most_tokens_words(rows, leaders) + "; " + speed() + ". " +
           (close                  ? more_seeds_words(study)
            : without_times(input) ? "Tokens per round are not speed."
                                   : "Tokens per round are not speed: the rows have to be paid for.");
}

// What the draft on screen shows of it; empty where a worked example stands in, which shows it.
std::string rescue_words(const SceneInput& input, const TreesModel& m) {
    if (m.none_rescued) return " " + without_example_words(input, rescued_guess());
    if (!m.block) return "";
    const BlockVerdict& v = *m.block;
    const auto guess = [&](int i) { return word(input, v.columns[static_cast<std::size_t>(i)].token); };
    if (v.block_kept > v.token_kept)
        return " Here " + guess(v.token_kept) + " missed, and the hit of " + guess(v.block_kept - 1) + " keeps it.";
    return ""; // another round was chosen
}

Words beat_words(const SceneInput& input, const TreesModel& m, int beat) {
    switch (beat) {
    case 0:
        if (m.tree && !m.nodes.empty())
            return {"More than one way on",
                    "A chain stops at its first miss, and what stands behind it is lost. A tree guesses several tokens for one "
                    "place: where one is refused, another may stay. The other way out judges a whole block at once. Both need no "
                    "better drafter, and both keep the target's distribution."};
        return {"Guesses that were right, and lost",
                "The token rule stops at the first miss. The guesses behind it are lost, also good ones. Two "
                "ways out need no better drafter: judge the block as a whole, or guess several continuations "
                "at once. Both keep the target's distribution." + rescue_words(input, m)};
    case 1:
        return {
            "A product instead of a walk",
            "Block verification carries one number P along: the product of target ÷ draft, never above 1. "
            "Every place throws a coin, which hits with chance h, from P and the next distributions. A hit keeps "
            "everything up to it: the last one counts (Sun et al. 2024)."};
    case 2: {
        std::string published;
        if (input.figures)
            if (const PublishedFigure* gain = input.figures->find("block-verification-gain"))
                published = " Its authors measured " + published_value(*gain) + " more speed.";
        const BlockVerdict& v = m.verdict();
        const std::string means = "Over all coins the token rule keeps " + ui::number(v.token_expected, 2) +
                                  " guesses of this draft, the block " + ui::number(v.block_expected, 2) + ". ";
        if (!m.block)
            return {
                "The same coins, both rules",
                means +
                    "Over all coins and all drafts that could be drawn the block never keeps fewer. The text still "
                    "follows the target's distribution." + published + (m.none_rescued ? rescue_words(input, m) : " Judge this run by blocks to see its own.")};
        return {"The same coins, both rules",
                means +
                    "The guarantee averages over all coins and all drafts that could be drawn here: there the block "
                    "never keeps fewer. With one draft and its coins it may." + published + rescue_words(input, m)};
    }
    case 3:
        return {"Several continuations at once",
                "A tree guesses more than one token at a place. One pass of the target judges them all. Each "
                "guess sees only the guesses that it follows. The mask shows this, with the numbers of the "
                "tree. One branch is kept. The rest is thrown away."};
    case 4:
        return {
            "What a branch costs",
            "Every node is a row of the verify pass, kept or not. Where more rows cost nearly the same, as "
            "on a large GPU, wide trees pay. Where every row costs its share, as on a small CPU, they "
            "may give more tokens per round and still lose time. Measure both."};
    default:
        return {"Which is worth it here?", worth_words(input)};
    }
}

std::string how_many_kept(int n) {
    return n == 0 ? "none" : number_word(n);
}

// "1/3"
std::string share_words(double share) {
    return std::to_string(std::lround(share * 3)) + "/3";
}

} // namespace

std::string block_label(const SceneInput& input, const TreesModel& m, int token) {
    return m.block ? label_of(*input.trace, token) : std::string(1, static_cast<char>('A' + token));
}

std::string example_words() {
    const BlockExample& e = block_example();
    return "A language of two words, A and B. Target: A " + share_words(e.target[0]) + ", B " +
           share_words(e.target[1]) + ". Draft: A " + share_words(e.draft[0]) + ", B " +
           share_words(e.draft[1]) + ". Over all its drafts of two words the token rule keeps " +
           ui::number(e.token_mean, 2) + " on average, the block " + ui::number(e.block_mean, 2) + ".";
}

std::string why_example(const SceneInput& input) {
    const Header* header = input.whole->header;
    if (!header) return "No run has begun.";
    if (header->drafter == kNoDrafter) return "This run has no drafter.";
    if (header->nodes > 0) return "This run drafts trees. A block is a chain.";
    const RuleInfo* rule = find_rule(header->rule);
    if (rule && rule->is_cascade()) return "This run is judged against a mixture, not against the target.";
    if (header->sampling.temperature == 0) return "This run is greedy. It throws no coins.";
    if (header->rule == "block")
        return std::ranges::any_of(input.whole->cycles, [](const CycleSummary& c) { return block_verdict(c).has_value(); })
                   ? "No guess of this run is rescued by a later hit."
                   : "This run has judged no block yet.";
    return "This run is judged guess by guess.";
}

std::string few_words(const std::vector<TreesRow>& rows) {
    return std::ranges::any_of(rows, &TreesRow::few) ? "; few: too few full rounds to time" : "";
}

StageTitle trees_title(const SceneInput& input, const TreesModel& m) {
    StageTitle title;
    title.tier = tier_of(input.whole->header);
    const std::string round =
        m.cycle >= 0 ? "round " + std::to_string(m.cycle + 1) : std::string("no round yet");
    if (m.tree) {
        if (m.nodes.empty()) {
            title.title = "A tree: several continuations, one pass";
            const Header* header = input.whole->header;
            title.subtitle = round;
            if (header && header->nodes > 0)
                title.subtitle += " · it proposed nothing";
            else if (header && header->drafter != kNoDrafter)
                title.subtitle += " · this run drafts chains";
            return title;
        }
        int kept = 0;
        for (const TreeNode& node : m.nodes) kept += node.state == DraftSlot::State::accepted;
        title.title = counted(static_cast<int>(m.nodes.size()), "guess") + " in one pass, " +
                      how_many_kept(kept) + " kept";
        title.subtitle =
            round + " · " + input.whole->header->drafter + " drafter, " + input.whole->header->rule + " rule";
        if (const std::string own = instead_of(input); !own.empty()) title.subtitle += " · the run's own guesses came from " + own;
        return title;
    }
    if (shows_figures(input, m)) {
        const std::vector<TreesRow> rows = trees_rows(input);
        const auto ms = [](const TreesRow& row) { return row.draft_ms + row.verify_ms; };
        const auto [quick, slow] = std::ranges::minmax(rows, {}, ms);
        const auto [few, many] = std::ranges::minmax(rows, {}, &TreesRow::tokens);
        title.title = "A round takes " + ui::number(ms(quick), 2) + " to " + ui::number(ms(slow), 2) +
                      " ms, for " + ui::per_round(few.tokens) + " to " + ui::per_round(many.tokens) +
                      " tokens";
        title.subtitle = trees_sample_words(input);
        if (measured_trees(input)->complete() && trees_leaders(rows).most.size() > 1)
            title.subtitle += " · tokens too close to call";
        return title;
    }
    const BlockVerdict& v = m.verdict();
    title.title = "Same draft, same coins: " + how_many_kept(v.token_kept) + " kept token by token, " +
                  how_many_kept(v.block_kept) + " as a block";
    if (v.block_kept > v.token_kept)
        title.title = "A later hit rescues a miss: " + how_many_kept(v.token_kept) + " kept token by token, " +
                      how_many_kept(v.block_kept) + " as a block";
    if (!m.block) {
        title.tier = ui::Tier::table;
        title.tier_words = "exact";
        title.subtitle = "worked example · the draft A B · after Sun et al. 2024";
        return title;
    }
    title.subtitle = "round " + std::to_string(v.cycle + 1) +
                     (v.cycle == m.cycle ? "" : ", " + round + " has no block") + " · " +
                     input.whole->header->drafter + " drafter · over " + counted(m.blocks, "block") + " " +
                     ui::number(m.token_mean, 2) + " against " + ui::number(m.block_mean, 2) +
                     " expected · every scene shows this run now, judged by blocks: Z goes back";
    return title;
}

Story trees_story(const SceneInput& input, const TreesModel& m) {
    Story story = story_at_beat(input, kTreesBeats);
    const Words words = beat_words(input, m, story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    const Header* header = input.whole->header;
    const bool shown = m.tree ? header && header->nodes > 0 && !m.nodes.empty() : m.blocks > 0;
    const auto settings = m.tree ? tree_settings(input, m) : block_settings(input, m);
    if (story.step >= 5) {
        if (const RunStudy study = trees_study(input, m); !study.runs.empty()) {
            story.task = "Measure chain, block and trees: M";
            story.task_done = !trees_rows(input).empty();
            story.on_task = {Command{study}};
        }
    } else if (!m.tree && m.none_rescued && story.step - 1 <= kTreesRescueBeat &&
               found_elsewhere(input, rescued_guess()).settings) {
        offer_example(story, input, rescued_guess());
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
    out << title.title << "\n"
        << title.subtitle << "\nData: " << tier_name(title.tier)
        << (title.tier_words.empty() ? "" : ", " + title.tier_words) << "\n\n";
    if (!m.tree) {
        const BlockVerdict& v = m.verdict();
        if (!m.block) out << example_words() << "\n" << why_example(input) << "\n\n";
        for (std::size_t i = 0; i < v.columns.size(); ++i) {
            const BlockColumn& c = v.columns[i];
            out << "Guess " << i + 1 << ", "
                << (m.block ? quoted(*input.trace, c.token) : block_label(input, m, c.token)) << ": target "
                << ui::probability(c.p) << ", draft " << ui::probability(c.q) << ", coin "
                << ui::probability(c.coin) << "; token rule keeps with " << fine_probability(c.token_keep)
                << " (" << (c.token_kept ? "kept" : "gone") << "), block: product "
                << fine_probability(c.joint) << ", h " << fine_probability(c.block_keep) << " ("
                << (c.block_kept ? "kept" : "gone") << ")\n";
        }
        out << "Expected kept: " << ui::number(v.token_expected, 2) << " token by token, "
            << ui::number(v.block_expected, 2) << " as a block\n";
    }
    if (m.tree)
        for (std::size_t i = 0; i < m.nodes.size(); ++i) {
            const TreeNode& node = m.nodes[i];
            out << "Node " << i + 1 << ", level " << node.depth << ", after "
                << (node.parent < 0 ? std::string("the text") : "node " + std::to_string(node.parent + 1))
                << ": " << quoted(*input.trace, node.token)
                << (node.state == DraftSlot::State::accepted ? ", kept" : "") << "\n";
        }
    const std::vector<TreesRow> rows = trees_rows(input);
    if (!rows.empty())
        out << trees_study_title(input, m) << "\nMeasured, each row: " << trees_sample_words(input)
            << "; ± 95 %\n";
    for (const TreesRow& row : rows)
        out << row.name << ": " << row.rows << " rows, " << with_chance(row.rounds) << " tokens per round"
            << (without_times(input) ? std::string()
                                     : ", draft " + ui::number(row.draft_ms, 2) + ", verify " +
                                           ui::number(row.verify_ms, 2) + " ms")
            << (row.speedup > 0 ? (row.doubt ? ", ~" : ", ") + ui::speed_up(row.speedup)
                : row.few       ? ", too few full rounds for a speed-up"
                                : std::string())
            << "\n";
    if (!rows.empty() && measured_trees(input)->complete())
        out << capital(most_tokens_words(rows, trees_leaders(rows))) << "\n";
    out << "\n" << describe_story(trees_story(input, m));
    return out.str();
}

} // namespace speclens
