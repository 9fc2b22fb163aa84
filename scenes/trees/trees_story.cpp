// Words of S11: title, beats, and the frame as text.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "engine/published/published_words.h"
#include "engine/rules/verify.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/example.h"
#include "scenes/shared/other_round.h"
#include "scenes/shared/plain_time.h"
#include "scenes/shared/reported_speed.h"
#include "scenes/shared/words.h"
#include "scenes/trees/trees_draw.h"
#include "ui/format.h"

namespace speclens {
namespace {

// Which of the measured rows are the fastest.
std::string fastest_words(const SceneInput& input, const std::vector<TreesRow>& rows, const TreesLeaders& leaders) {
    if (without_times(input)) return trees_says("words.fastest:table"_t);
    if (leaders.fastest.empty()) return trees_says("words.fastest:few"_t);
    if (const std::string doubt = study_doubt(*measured_trees(input)); !doubt.empty())
        return trees_says("words.fastest:in_doubt"_t, "doubt"_v = doubt);
    const TreesRow& best = rows[leaders.fastest.front()];
    const std::string name = in_sentence(best.name), times = ui::speed_up(best.speedup);
    if (leaders.fastest.size() == 2)
        return trees_says("words.fastest:two"_t, "row"_v = name, "other"_v = in_sentence(rows[leaders.fastest[1]].name), "times"_v = times);
    if (leaders.fastest.size() > 2) return trees_says("words.fastest:several"_t, "times"_v = times);
    const bool also = leaders.most.size() == 1 && leaders.most.front() == leaders.fastest.front();
    return trees_says("words.fastest:one"_t, "row"_v = name, "also"_v = also, "times"_v = times);
}

// Which row brings the most, and which is the fastest, as far as these rounds can tell.
Words worth_words(const SceneInput& input) {
    const std::vector<TreesRow> rows = trees_rows(input);
    if (rows.empty()) return trees_says.beat("worth:unmeasured"_t);
    const Study& study = *measured_trees(input);
    const std::string sample = trees_sample_words(input);
    if (!study.complete()) return trees_says.beat("worth:under_way"_t, "sample"_v = sample);
    const TreesLeaders leaders = trees_leaders(rows);
    const std::string most = most_tokens_words(rows, leaders), fastest = fastest_words(input, rows, leaders);
    if (leaders.most.size() > 1 || leaders.fastest.size() > 1)
        return trees_says.beat("worth:close"_t, "sample"_v = sample, "most"_v = most, "fastest"_v = fastest,
                               "more_seeds"_v = more_seeds_words(study));
    return trees_says.beat("worth:told"_t, "sample"_v = sample, "most"_v = most, "fastest"_v = fastest, "timed"_v = !without_times(input));
}

// What the draft on screen shows of it; empty where a worked example stands in, which shows it.
std::string rescue_words(const SceneInput& input, const TreesModel& m) {
    if (m.none_rescued) return without_example_words(input, rescued_guess());
    if (!m.block) return "";
    const BlockVerdict& v = *m.block;
    const auto guess = [&](int i) { return word(input, v.columns[static_cast<std::size_t>(i)].token); };
    if (v.block_kept <= v.token_kept) return ""; // another round was chosen
    return trees_says("words.rescue"_t, "missed"_v = guess(v.token_kept), "hit"_v = guess(v.block_kept - 1));
}

// Beside the guarantee: why a table that seems to deny it does not, else what its authors measured.
std::string guarantee_note(const SceneInput& input) {
    const std::vector<TreesRow> rows = trees_rows(input);
    const auto of = [&](const char* name) { return std::ranges::find(rows, name, &TreesRow::name); };
    if (const auto token = of(kTokenRow), block = of(kBlockRow);
        token != rows.end() && block != rows.end() && block->tokens < token->tokens) {
        if (ratio_of(token->rounds, block->rounds).more()) return "";
        return trees_says("words.chance"_t, "block"_v = ui::per_round(block->tokens), "token"_v = ui::per_round(token->tokens));
    }
    const PublishedFigure* gain = input.figures ? input.figures->find("block-verification-gain") : nullptr;
    return gain ? trees_says("words.gain"_t, "gain"_v = published_value(*gain)) : std::string();
}

Words coins_words(const SceneInput& input, const TreesModel& m) {
    const std::string note = guarantee_note(input), rescue = rescue_words(input, m);
    const BlockVerdict& v = m.verdict();
    const std::string token = ui::number(v.token_expected, 2), block = ui::number(v.block_expected, 2);
    if (m.block) return trees_says.beat("coins:of_run"_t, "token"_v = token, "block"_v = block, "note"_v = note, "rescue"_v = rescue);
    return trees_says.beat("coins:example"_t, "token"_v = token, "block"_v = block, "note"_v = note, "rescue"_v = rescue);
}

std::string pays_words(const TreeGrowth& growth) {
    if (growth.needed.empty()) return trees_says("words.pays:untimed"_t);
    if (growth.best == 0) return trees_says("words.pays:none"_t, "doubt"_v = growth.doubt);
    if (growth.best == static_cast<int>(growth.path.size()))
        return trees_says("words.pays:all"_t, "guesses"_v = growth.path.size(), "doubt"_v = growth.doubt);
    return trees_says("words.pays:some"_t, "best"_v = growth.best, "doubt"_v = growth.doubt);
}

Words growth_words(const TreesModel& m) {
    const TreeGrowth& growth = m.growth;
    if (growth.path.empty()) return trees_says.beat("grown:none"_t, "drafter"_v = m.tree_drafter);
    return trees_says.beat("grown:told"_t, "pays"_v = pays_words(growth));
}

Words beat_words(const SceneInput& input, const TreesModel& m, int beat) {
    switch (beat) {
    case 0:
        if (m.tree && !m.nodes.empty()) return trees_says.beat("ways:tree"_t);
        return trees_says.beat("ways:chain"_t, "rescue"_v = rescue_words(input, m));
    case 1: return trees_says.beat("product"_t);
    case 2: return coins_words(input, m);
    case 3: return trees_says.beat("branches"_t);
    case kTreesCostBeat: return trees_says.beat("cost"_t);
    case kTreesWorthBeat: return worth_words(input);
    default: return growth_words(m);
    }
}

// "1/3"
std::string share_words(double share) { return std::to_string(std::lround(share * 3)) + "/3"; }

} // namespace

std::string block_label(const SceneInput& input, const TreesModel& m, int token) {
    return m.block ? label_of(*input.trace, token) : std::string(1, static_cast<char>('A' + token));
}

std::string example_words() {
    const BlockExample& e = block_example();
    return trees_says("words.example"_t, "target_a"_v = share_words(e.target[0]), "target_b"_v = share_words(e.target[1]),
                      "draft_a"_v = share_words(e.draft[0]), "draft_b"_v = share_words(e.draft[1]), "token"_v = ui::number(e.token_mean, 2),
                      "block"_v = ui::number(e.block_mean, 2));
}

std::string why_example(const SceneInput& input) {
    const Header* header = input.whole->header;
    if (!header) return trees_says("words.why_example:no_run"_t);
    if (header->drafter == kNoDrafter) return trees_says("words.why_example:no_drafter"_t);
    if (header->nodes > 0) return trees_says("words.why_example:trees"_t);
    const RuleInfo* rule = find_rule(header->rule);
    if (rule && rule->is_cascade()) return trees_says("words.why_example:mixture"_t);
    if (header->sampling.temperature == 0) return trees_says("words.why_example:greedy"_t);
    if (header->rule != "block") return trees_says("words.why_example:by_guess"_t);
    if (std::ranges::any_of(input.whole->round_list, [](const RoundSummary& c) { return block_verdict(c).has_value(); }))
        return trees_says("words.why_example:no_rescue"_t);
    return trees_says("words.why_example:no_block"_t);
}

std::string few_words(const std::vector<TreesRow>& rows) {
    return std::ranges::any_of(rows, &TreesRow::few) ? "; few: too few full rounds to time" : "";
}

namespace {

void name_tree(StageTitle& title, const SceneInput& input, const TreesModel& m, const std::string& round) {
    const Header* header = input.whole->header;
    if (m.nodes.empty()) {
        if (input.beat == kTreesCostBeat)
            title.title = trees_says("cost.title:none"_t);
        else if (input.beat == kTreesGrowthBeat)
            title.title = trees_says("grown.title:none"_t);
        else
            title.title = trees_says("branches.title:none"_t);
        const bool trees = header && header->nodes > 0, chains = header && !trees && header->drafter != kNoDrafter;
        title.subtitle = trees_says("subtitle.no_tree"_t, "round"_v = round, "trees"_v = trees, "chains"_v = chains);
        return;
    }
    const auto kept = std::ranges::count(m.nodes, DraftSlot::State::accepted, &TreeNode::state);
    int places = 0;
    for (const TreeNode& node : m.nodes) places = std::max(places, node.depth);
    if (input.beat == 0)
        title.title = trees_says("ways.title:tree"_t, "guesses"_v = m.nodes.size(), "places"_v = places);
    else if (input.beat == kTreesCostBeat)
        title.title = trees_says("cost.title:tree"_t, "rows"_v = m.nodes.size() + 1, "kept"_v = kept);
    else if (input.beat == kTreesWorthBeat)
        title.title = trees_says("worth.title:unmeasured"_t);
    else if (!m.growth.path.empty())
        title.title = m.growth.needed.empty() ? trees_says("grown.title:untimed"_t, "guesses"_v = m.nodes.size())
                                              : trees_says("grown.title:timed"_t, "best"_v = m.growth.best, "guesses"_v = m.nodes.size());
    else
        title.title = trees_says("branches.title:tree"_t, "guesses"_v = m.nodes.size(), "kept"_v = kept);
    title.subtitle = trees_says("subtitle.tree"_t, "round"_v = round, "drafter"_v = header->drafter, "rule"_v = header->rule,
                                "instead_of"_v = instead_of(input));
}

void name_figures(StageTitle& title, const SceneInput& input) {
    const std::vector<TreesRow> rows = trees_rows(input);
    const auto ms = [](const TreesRow& row) { return row.draft_ms + row.verify_ms; };
    const auto [quick, slow] = std::ranges::minmax(rows, {}, ms);
    const auto [few, many] = std::ranges::minmax(rows, {}, &TreesRow::tokens);
    title.title = trees_says("worth.title:timed"_t, "quickest"_v = ui::number(ms(quick), 2), "slowest"_v = ui::number(ms(slow), 2),
                             "fewest"_v = ui::per_round(few.tokens), "most"_v = ui::per_round(many.tokens));
    const bool close = measured_trees(input)->complete() && trees_leaders(rows).most.size() > 1;
    title.subtitle = trees_says("subtitle.figures"_t, "sample"_v = trees_sample_words(input), "close"_v = close);
}

void name_block(StageTitle& title, const SceneInput& input, const TreesModel& m, const std::string& round) {
    const BlockVerdict& v = m.verdict();
    const int guesses = static_cast<int>(v.columns.size());
    if (input.beat == 0)
        title.title = trees_says("ways.title:chain"_t, "kept"_v = v.token_kept, "lost"_v = std::max(0, guesses - v.token_kept - 1),
                                 "guesses"_v = guesses);
    else if (input.beat == 1)
        title.title = trees_says("product.title"_t, "p"_v = fine_probability(v.columns.back().joint), "guesses"_v = guesses);
    else if (input.beat == kTreesWorthBeat)
        title.title = trees_says("worth.title:unmeasured"_t);
    else if (v.block_kept > v.token_kept)
        title.title = trees_says("coins.title:rescued"_t, "token"_v = v.token_kept, "block"_v = v.block_kept);
    else
        title.title = trees_says("coins.title:alike"_t, "token"_v = v.token_kept, "block"_v = v.block_kept);
    if (!m.block) {
        title.tier = ui::Tier::table;
        title.tier_words = trees_says("words.exact"_t);
        title.subtitle = trees_says("subtitle.example"_t);
        return;
    }
    title.subtitle = trees_says("subtitle.block"_t, "of"_v = v.round + 1, "without"_v = v.round == m.round ? "" : round,
                                "drafter"_v = input.whole->header->drafter, "blocks"_v = m.blocks, "token"_v = ui::number(m.token_mean, 2),
                                "block"_v = ui::number(m.block_mean, 2));
}

} // namespace

StageTitle trees_title(const SceneInput& input, const TreesModel& m) {
    StageTitle title;
    title.tier = tier_of(input.whole->header);
    const std::string round = trees_says("words.round"_t, "number"_v = m.round + 1);
    if (shows_figures(input, m))
        name_figures(title, input);
    else if (m.tree)
        name_tree(title, input, m, round);
    else
        name_block(title, input, m, round);
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
    if (story.step - 1 == kTreesGrowthBeat && !m.growth.path.empty()) {
        if (times_passes(input)) {
            story.task = trees_says("words.task:passes"_t);
            story.task_done = timed_by_task(input);
            story.on_task = {Command{MeasurePasses{}}};
        }
    } else if (story.step > kTreesCostBeat && story.step - 1 != kTreesGrowthBeat) {
        if (const RunStudy study = trees_study(input, m); !study.runs.empty()) {
            story.task = trees_says("words.task:measure"_t);
            story.task_done = !trees_rows(input).empty() && (input.still || input.timed_here);
            story.on_task = {Command{study}};
        }
    } else if (!m.tree && m.none_rescued && story.step - 1 <= kTreesRescueBeat && found_elsewhere(input, rescued_guess()).settings) {
        offer_example(story, input, rescued_guess());
    } else if (settings) {
        story.task = m.tree ? trees_says("words.task:tree"_t) : trees_says("words.task:block"_t);
        story.task_done = shown;
        story.on_task = {Command{Restart{*settings, kUnlimitedPhases}}};
    }
    return story;
}

namespace {

const char* block_fate(const BlockColumn& c) {
    if (!c.block_kept) return "gone";
    return c.coin < c.block_keep ? "a hit" : "rescued by a later hit";
}

} // namespace

std::string trees_description(const SceneInput& input, const TreesModel& m) {
    std::ostringstream out;
    const StageTitle title = trees_title(input, m);
    out << title.title << "\n"
        << title.subtitle << "\nData: " << tier_name(shown_tier(input, title.tier))
        << (title.tier_words.empty() ? "" : ", " + title.tier_words) << "\n\n";
    if (!m.tree) {
        const BlockVerdict& v = m.verdict();
        if (!m.block) out << example_words() << "\n" << why_example(input) << "\n\n";
        for (std::size_t i = 0; i < v.columns.size(); ++i) {
            const BlockColumn& c = v.columns[i];
            out << "Guess " << i + 1 << ", " << (m.block ? quoted(*input.trace, c.token) : block_label(input, m, c.token)) << ": target "
                << ui::probability(c.p) << ", draft " << ui::probability(c.q) << ", coin " << ui::probability(c.coin)
                << "; token rule keeps with " << fine_probability(c.token_keep) << " (" << (c.token_kept ? "kept" : "gone")
                << "), block: product " << fine_probability(c.joint) << ", h " << fine_probability(c.block_keep) << " (" << block_fate(c)
                << ")\n";
        }
        out << "Expected kept: " << ui::number(v.token_expected, 2) << " token by token, " << ui::number(v.block_expected, 2)
            << " as a block\n";
    }
    if (m.tree)
        for (std::size_t i = 0; i < m.nodes.size(); ++i) {
            const TreeNode& node = m.nodes[i];
            out << "Node " << i + 1 << ", level " << node.depth << ", after "
                << (node.parent < 0 ? std::string("the text") : "node " + std::to_string(node.parent + 1)) << ": "
                << quoted(*input.trace, node.token) << (node.state == DraftSlot::State::accepted ? ", kept" : "") << "\n";
        }
    out << describe_growth(m.growth);
    const std::vector<TreesRow> rows = trees_rows(input);
    if (!rows.empty()) out << trees_study_title(input, m) << "\nMeasured, each row: " << trees_sample_words(input) << "; ± 95 %\n";
    for (const TreesRow& row : rows) {
        out << row.name << ": " << row.rows << " rows, " << with_chance(row.rounds) << " tokens per round";
        if (!without_times(input)) out << ", draft " << ui::number(row.draft_ms, 2) << ", verify " << ui::number(row.verify_ms, 2) << " ms";
        if (row.speedup > 0)
            out << (row.doubt ? ", ~" : ", ") << ui::speed_up(row.speedup);
        else if (row.few)
            out << ", too few full rounds for a speed-up";
        out << "\n";
    }
    if (!rows.empty() && measured_trees(input)->complete()) out << capital(most_tokens_words(rows, trees_leaders(rows))) << "\n";
    out << "\n" << describe_story(input, trees_story(input, m));
    return out.str();
}

} // namespace speclens
