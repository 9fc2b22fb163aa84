// Words of S11: title and beats.
#include <algorithm>

#include "engine/published/published_words.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/example.h"
#include "scenes/shared/other_round.h"
#include "scenes/shared/plain_time.h"
#include "scenes/shared/reported_speed.h"
#include "scenes/shared/words.h"
#include "scenes/trees/trees_model.h"

namespace speclens {
namespace {

// Which of the measured rows are the fastest.
Message fastest_words(const SceneInput& input, const std::vector<TreesRow>& rows, const TreesLeaders& leaders) {
    if (without_times(input)) return trees_says("words.fastest:table"_t);
    if (leaders.fastest.empty()) return trees_says("words.fastest:few"_t);
    if (const Message doubt = study_doubt(*measured_trees(input)); !doubt.empty())
        return trees_says("words.fastest:in_doubt"_t, "doubt"_v = doubt);
    const TreesRow& best = rows[leaders.fastest.front()];
    const auto row = "row"_v = best.name();
    const auto times = "times"_v = best.speedup;
    if (leaders.fastest.size() == 2) return trees_says("words.fastest:two"_t, row, "other"_v = rows[leaders.fastest[1]].name(), times);
    if (leaders.fastest.size() > 2) return trees_says("words.fastest:several"_t, times);
    const bool also = leaders.most.size() == 1 && leaders.most.front() == leaders.fastest.front();
    return trees_says("words.fastest:one"_t, row, "also"_v = also, times);
}

// Which row brings the most, and which is the fastest, as far as these rounds can tell.
Words worth_words(const SceneInput& input) {
    const std::vector<TreesRow> rows = trees_rows(input);
    if (rows.empty()) return trees_says.beat("worth:unmeasured"_t);
    const Study& study = *measured_trees(input);
    const auto sample = "sample"_v = trees_sample_words(input);
    if (!study.complete()) return trees_says.beat("worth:under_way"_t, sample);
    const TreesLeaders leaders = trees_leaders(rows);
    const auto most = "most"_v = most_tokens_words(rows, leaders);
    const auto fastest = "fastest"_v = fastest_words(input, rows, leaders);
    if (leaders.most.size() > 1 || leaders.fastest.size() > 1)
        return trees_says.beat("worth:close"_t, sample, most, fastest, "more_seeds"_v = more_seeds_words(study));
    return trees_says.beat("worth:told"_t, sample, most, fastest, "timed"_v = !without_times(input));
}

// What the draft on screen shows of it; empty where a worked example stands in, which shows it.
Message rescue_words(const SceneInput& input, const TreesModel& m) {
    if (m.none_rescued) return without_example_words(input, rescued_guess());
    if (!m.block) return {};
    const BlockVerdict& v = *m.block;
    const auto guess = [&](int i) { return word(input, v.columns[static_cast<std::size_t>(i)].token); };
    if (v.block_kept <= v.token_kept) return {}; // another round was chosen
    return trees_says("words.rescue"_t, "missed"_v = guess(v.token_kept), "hit"_v = guess(v.block_kept - 1));
}

// Beside the guarantee: why a table that seems to deny it does not, else what its authors measured.
Message guarantee_note(const SceneInput& input) {
    const std::vector<TreesRow> rows = trees_rows(input);
    const auto of = [&](bool block) {
        return std::ranges::find_if(rows, [&](const TreesRow& row) { return row.tree == 0 && row.block == block; });
    };
    if (const auto token = of(false), block = of(true); token != rows.end() && block != rows.end() && block->tokens < token->tokens) {
        if (ratio_of(token->rounds, block->rounds).more()) return {};
        return trees_says("words.chance"_t, "block"_v = block->tokens, "token"_v = token->tokens);
    }
    const PublishedFigure* gain = input.figures ? input.figures->find("block-verification-gain") : nullptr;
    return gain ? trees_says("words.gain"_t, "gain"_v = value_said(*gain)) : Message();
}

Words coins_words(const SceneInput& input, const TreesModel& m) {
    const auto say = [&](auto id) {
        return trees_says.beat(id, "token"_v = m.verdict().token_expected, "block"_v = m.verdict().block_expected,
                               "note"_v = guarantee_note(input), "rescue"_v = rescue_words(input, m));
    };
    return m.block ? say("coins:of_run"_t) : say("coins:example"_t);
}

Message pays_words(const TreeGrowth& growth) {
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

void name_tree(StageTitle& title, const SceneInput& input, const TreesModel& m, const Message& round) {
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
    const auto [quick, slow] = std::ranges::minmax(rows, {}, &TreesRow::ms);
    const auto [few, many] = std::ranges::minmax(rows, {}, &TreesRow::tokens);
    title.title = trees_says("worth.title:timed"_t, "quickest"_v = quick.ms(), "slowest"_v = slow.ms(), "fewest"_v = few.tokens,
                             "most"_v = many.tokens);
    const bool close = measured_trees(input)->complete() && trees_leaders(rows).most.size() > 1;
    title.subtitle = trees_says("subtitle.figures"_t, "sample"_v = trees_sample_words(input), "close"_v = close);
}

void name_block(StageTitle& title, const SceneInput& input, const TreesModel& m, const Message& round) {
    const BlockVerdict& v = m.verdict();
    const int guesses = static_cast<int>(v.columns.size());
    if (input.beat == 0)
        title.title = trees_says("ways.title:chain"_t, "kept"_v = v.token_kept, "lost"_v = std::max(0, guesses - v.token_kept - 1),
                                 "guesses"_v = guesses);
    else if (input.beat == 1)
        title.title = trees_says("product.title"_t, "p"_v = v.columns.back().joint, "guesses"_v = guesses);
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
    title.subtitle =
        trees_says("subtitle.block"_t, "of"_v = v.round + 1, "without"_v = v.round == m.round ? Message() : round,
                   "drafter"_v = input.whole->header->drafter, "blocks"_v = m.blocks, "token"_v = m.token_mean, "block"_v = m.block_mean);
}

} // namespace

StageTitle trees_title(const SceneInput& input, const TreesModel& m) {
    StageTitle title;
    title.tier = tier_of(input.whole->header);
    const Message round = trees_says("words.round"_t, "number"_v = m.round + 1);
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
    take(story, beat_words(input, m, story.step - 1));
    const Header* header = input.whole->header;
    const bool shown = m.tree ? header && header->nodes > 0 && !m.nodes.empty() : m.blocks > 0;
    const auto settings = run_to_show(input, m);
    if (story.step - 1 == kTreesGrowthBeat && !m.growth.path.empty()) {
        if (times_passes(input)) {
            story.task = trees_says("words.task:passes"_t);
            story.task_done = timed_by_task(input);
            story.on_task = {Command{MeasurePasses{}}};
        }
    } else if (story.step > kTreesCostBeat && story.step - 1 != kTreesGrowthBeat) {
        if (const RunStudy study = trees_study(input, m); !study.runs.empty()) {
            story.task = trees_says("words.task:measure"_t);
            story.task_done = !trees_rows(input).empty() && input.by_task(study.name);
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

} // namespace speclens
