// What the scene of drafters says: of a drafter what it reads and stores and what its round brought, the title, and the beats.
#include <algorithm>
#include <optional>

#include "engine/drafters/drafter_info.h"
#include "engine/published/public_models.h"
#include "engine/published/published.h"
#include "engine/rules/verify.h"
#include "scenes/drafters/drafters_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/token_said.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

constexpr SaidOf<"drafters"> kSaid; // of a list: its words are nobody's alone

// "2, 9 and 17"
Said with_and(std::vector<Said> items) {
    const Said last = items.back();
    items.pop_back();
    return items.empty() ? last : kSaid("words.list"_t, "items"_v = items, "last"_v = last);
}

Said layers_said(const std::vector<int>& layers) {
    std::vector<Said> items;
    for (const int layer : layers) items.push_back(kSaid("words.layer"_t, "layer"_v = layer));
    return with_and(items);
}

std::string name_of(const DrafterRow& row) { return message(drafter_said("words.in_sentence"_t, "drafter"_v = row.info->short_title)); }

Message taps_words(const std::vector<int>& taps, int layers) {
    if (taps.size() == 1 && taps[0] == layers) return drafters_says("facts.last_state"_t);
    return drafters_says("facts.taps"_t, "taps"_v = taps.size(), "layers"_v = layers_said(taps), "last"_v = layers - 1);
}

// The n-gram that a drafter of copies found.
void add_match(const SceneInput& input, const DrafterRow& row, std::vector<Message>& facts) {
    if (!row.info->copies() || row.drafted() == 0) return;
    const std::optional<CopiedFrom> found = copied_from(row.round()->drafts[0].draft->extra);
    if (!found || found->match <= 0 || found->at < 0) return;
    const auto from = static_cast<std::size_t>(found->at),
               to = std::min(from + static_cast<std::size_t>(found->match), input.whole->tokens.size());
    std::string bytes;
    for (std::size_t i = from; i < to; ++i) bytes += input.trace->text(input.whole->tokens[i].id);
    facts.push_back(drafters_says("facts.match"_t, "tokens"_v = found->match, "words"_v = bytes_said(bytes), "at"_v = found->at));
}

void add_plan(const LayerPlan& plan, int layers, std::vector<Message>& facts) {
    if (plan.exit_layer >= 0 && plan.exit_layer < layers)
        facts.push_back(
            drafters_says("facts.exit"_t, "last"_v = plan.exit_layer - 1, "left_out"_v = layers - plan.exit_layer, "of"_v = layers));
    if (!plan.skip_attention.empty()) facts.push_back(drafters_says("facts.no_attention"_t, "layers"_v = layers_said(plan.skip_attention)));
    if (!plan.skip_mlp.empty()) facts.push_back(drafters_says("facts.no_mlp"_t, "layers"_v = layers_said(plan.skip_mlp)));
}

// The row with the largest or smallest value among those that have one; null: none has.
template <class Value>
const DrafterRow* extreme(const DraftersModel& m, Value value, bool largest) {
    const DrafterRow* found = nullptr;
    for (const DrafterRow& row : m.rows) {
        if (value(row) <= 0) continue;
        if (!found || (largest ? value(row) > value(*found) : value(row) < value(*found))) found = &row;
    }
    return found;
}

auto played(const DraftersModel& m) {
    return std::ranges::count_if(m.rows, [](const DrafterRow& row) { return row.drafted() > 0; });
}
auto answered(const DraftersModel& m) {
    return std::ranges::count_if(m.rows, [](const DrafterRow& row) { return row.round() != nullptr; });
}

// The rule that judges at the run's temperature.
const RuleInfo& rule_of_run(const DraftersModel& m) {
    const RuleInfo* rule = find_rule(m.header->rule);
    return rule_at(rule ? *rule : rule_list().front(), m.header->sampling);
}

// Who brought the most tokens, and who brought least.
Message outcome_words(const DraftersModel& m) {
    if (m.no_room) return drafters_says("words.outcome:no_room"_t);
    const DrafterRow* least = extreme(
        m, [](const DrafterRow& row) { return row.tokens; }, false);
    const bool less = least && least->tokens < m.most;
    std::vector<Said> names;
    for (const int i : m.best) names.push_back(kSaid("words.name"_t, "drafter"_v = name_of(m.rows[static_cast<std::size_t>(i)])));
    return drafters_says("words.outcome:told"_t, "count"_v = m.best.size(), "many"_v = m.best.size() > 4, "names"_v = with_and(names),
                         "tokens"_v = m.most, "least"_v = less ? name_of(*least) : std::string(), "fewest"_v = less ? least->tokens : 0);
}

Words stored_beat(const DraftersModel& m) {
    const auto free = std::ranges::count_if(m.rows, [](const DrafterRow& row) { return row.info->needs == DrafterNeeds::nothing; });
    const DrafterRow* most = extreme(
        m, [](const DrafterRow& row) { return row.compared ? row.compared->bytes : 0; }, true);
    return drafters_says.beat("stored"_t, "free"_v = free, "others"_v = free < std::ssize(m.rows),
                              "largest"_v = most ? name_of(*most) : std::string(), "size"_v = most ? stored_words(*most) : Message());
}

Words cost_beat(const DraftersModel& m) {
    const auto ms = [](const DrafterRow& row) { return row.compared ? row.draft_ms : 0; };
    const DrafterRow *fast = extreme(m, ms, false), *slow = extreme(m, ms, true);
    if (!fast || fast == slow) return drafters_says.beat("cost:untimed"_t, "no_room"_v = m.no_room);
    return drafters_says.beat("cost:timed"_t, "fastest"_v = name_of(*fast), "fast_ms"_v = ms_words(fast->draft_ms),
                              "slowest"_v = name_of(*slow), "slow_ms"_v = ms_words(slow->draft_ms));
}

Words beat_words(const SceneInput& input, const DraftersModel& m, int beat) {
    switch (beat) {
    case 0: {
        const RuleInfo& rule = rule_of_run(m);
        // Without room for a draft nobody was asked.
        const auto guessed = played(m), silent = m.no_room ? 0 : answered(m) - guessed;
        return drafters_says.beat(
            "judge"_t, "tokens"_v = m.text_tokens, "rule"_v = keeps_target(rule, m.header->rule_params) ? Message() : message(rule.title),
            "guessed"_v = drafters_says("words.guessed"_t, "guessed"_v = guessed, "several"_v = guessed > 1, "shown"_v = m.rows.size(),
                                        "no_room"_v = m.no_room, "silent"_v = silent, "all"_v = !m.no_room && silent == 0));
    }
    case 1: return stored_beat(m);
    case 2: return cost_beat(m);
    case kDraftersOutcomeBeat:
        return m.most == 0 ? drafters_says.beat("outcome:nothing"_t) : drafters_says.beat("outcome:told"_t, "outcome"_v = outcome_words(m));
    case kDraftersFamilyBeat: return drafters_says.beat("family"_t);
    case kDraftersDoctorBeat: return doctor_words(input, m);
    default: return drafters_says.beat("no_best"_t);
    }
}

// What speaks against a ranking by one round: how far the run's own rounds lie apart.
Message no_best_title(const SceneInput& input) {
    int least = 0, most = 0;
    for (const RoundSummary& round : input.whole->round_list) {
        if (!round.commit) continue;
        const int tokens = static_cast<int>(round.commit->tokens.size());
        least = most == 0 ? tokens : std::min(least, tokens);
        most = std::max(most, tokens);
    }
    return drafters_says("no_best.title"_t, "least"_v = least < most ? least : 0, "most"_v = most);
}

Message title_words(const SceneInput& input, const DraftersModel& m) {
    if (m.empty != DraftersModel::Empty::no) return drafters_says("title.any"_t);
    if (input.beat == kDraftersFamilyBeat) return drafters_says("family.title"_t);
    if (input.beat == kDraftersNoBestBeat && !m.asking) return no_best_title(input);
    if (!verdicts_told(input) && !m.asking && !m.no_room) {
        if (input.beat <= 0) return drafters_says("judge.title"_t);
        return input.beat == 1 ? drafters_says("stored.title"_t) : drafters_says("cost.title"_t);
    }
    if (m.asking) return drafters_says("title.asking"_t);
    if (!m.comparison) return drafters_says("title.any"_t);
    if (m.no_room) return drafters_says("title.no_room"_t);
    if (played(m) == 0 && answered(m) > 0) return drafters_says("title.nobody"_t);
    if (m.best.empty()) return drafters_says("title.any"_t);
    if (m.best.size() == 1)
        return drafters_says("title.best"_t, "drafter"_v = name_of(m.rows[static_cast<std::size_t>(m.best[0])]), "tokens"_v = m.most);
    const auto of = answered(m);
    return drafters_says("title.several"_t, "all"_v = std::ssize(m.best) == of, "count"_v = m.best.size(), "of"_v = of,
                         "tokens"_v = m.most);
}

} // namespace

Message stored_words(const DrafterRow& row) {
    if (row.compared && row.compared->bytes > 0) return size_words(row.compared->bytes);
    if (row.info->needs == DrafterNeeds::nothing) return drafters_says("words.stored:nothing"_t);
    return row.info->needs_network() ? drafters_says("words.stored:head"_t) : drafters_says("words.stored:model"_t);
}

Message ms_words(double ms) {
    if (ms <= 0) return drafters_says("words.ms:untimed"_t);
    if (ms < 0.0005) return drafters_says("words.ms:least"_t, "ms"_v = ms, "least"_v = 0.001);
    return ms < 0.095 ? drafters_says("words.ms:short"_t, "ms"_v = ms) : drafters_says("words.ms:long"_t, "ms"_v = ms);
}

std::vector<Message> drafter_facts(const SceneInput& input, const DraftersModel& model, const DrafterRow& row) {
    std::vector<Message> facts;
    add_match(input, row, facts);
    if (row.compared && model.comparison) {
        const int layers = model.comparison->target_layers;
        if (!row.compared->taps.empty() && layers > 0) facts.push_back(taps_words(row.compared->taps, layers));
        if (row.info->reads_setting(Setting::exit_layer)) add_plan(row.compared->plan, layers, facts);
        if (row.compared->ranks > 0)
            facts.push_back(drafters_says("facts.ranks"_t, "ranks"_v = row.compared->ranks, "of"_v = model.header->vocab));
    }
    if (!judged_when_warm(*model.header, *row.info))
        facts.push_back(
            drafters_says("facts.other_rule"_t, "rule"_v = model.header->rule, "other"_v = judging_rule(model.header->rule, row.name())));
    if (row.round() && row.info->reads_setting(Setting::fr_spec) && !(row.compared && row.compared->ranks > 0))
        facts.push_back(drafters_says("facts.fr_spec"_t));
    if (row.round() && row.round()->tree)
        facts.push_back(drafters_says("facts.tree"_t, "guesses"_v = row.drafted(), "deep"_v = row.shown.size()));
    return facts;
}

Message draft_token_words(const SceneInput& input, const DraftSlot& draft) {
    const auto verdict = [&]() -> Message {
        if (!verdicts_told(input)) return {};
        switch (draft.state) {
        case DraftSlot::State::accepted: return drafters_says("words.verdict:kept"_t);
        case DraftSlot::State::rejected: return drafters_says("words.verdict:refused"_t);
        case DraftSlot::State::discarded: return drafters_says("words.verdict:discarded"_t);
        case DraftSlot::State::drafted: break;
        }
        return drafters_says("words.verdict:open"_t);
    };
    return drafters_says("words.guess"_t, "token"_v = token_said(*input.trace, draft.draft->token), "verdict"_v = verdict());
}

std::vector<Said> drafts_said(const SceneInput& input, const DrafterRow& row, std::size_t from, std::size_t to) {
    std::vector<Said> drafts;
    for (std::size_t i = from; i < to; ++i) drafts.push_back(draft_token_words(input, row.shown_draft(i)).said);
    return drafts;
}

Message drafter_round_words(const SceneInput& input, const DraftersModel& model, const DrafterRow& row) {
    const RoundSummary* round = row.round();
    if (!round) return drafters_says("words.no_round"_t, "why"_v = row.problem);
    const bool ends = round->commit && drops_own_token(*round->commit);
    return drafters_says("words.round"_t, "no_room"_v = row.drafted() == 0 && model.no_room,
                         "no_guess"_v = row.drafted() == 0 && !model.no_room, "guesses"_v = row.drafted(), "kept"_v = round->accepted,
                         "ends"_v = ends, "own"_v = !ends && round->resample ? token_said(*input.trace, round->resample->token) : Message(),
                         "tokens"_v = row.tokens, "took"_v = row.draft_ms > 0 ? ms_words(row.draft_ms) : Message());
}

Message drafter_published_words(const SceneInput& input, const DrafterRow& row) {
    if (row.published.empty() || !input.figures) return {};
    std::vector<Said> sources;
    for (const PublishedFigure* figure : row.published.figures) {
        Said source = kSaid("words.source"_t, "source"_v = input.figures->source_of(*figure).identifier);
        if (std::ranges::find(sources, source) == sources.end()) sources.push_back(std::move(source));
    }
    const bool both = std::ranges::count(drafter_list(), row.info->published, &DrafterInfo::published) > 1;
    return drafters_says("words.published"_t, "speed_up"_v = row.published.words(), "figures"_v = row.published.figures.size(),
                         "both"_v = both, "sources"_v = sources);
}

Message drafter_row_words(const SceneInput& input, const DraftersModel& m, int index) {
    const DrafterRow& row = m.rows[static_cast<std::size_t>(index)];
    const Message drafted = row.draft_ms > 0 ? drafters_says("words.drafted"_t, "took"_v = ms_words(row.draft_ms)) : Message();
    return drafters_says("table.row"_t, "drafter"_v = row.title, "of_run"_v = row.of_run, "selected"_v = index == m.selected,
                         "stored"_v = stored_words(row), "guesses"_v = drafts_said(input, row, 0, row.shown.size()),
                         "round"_v = verdicts_told(input) || !row.round() ? drafter_round_words(input, m, row) : drafted,
                         "published"_v = drafter_published_words(input, row));
}

Message drafters_empty_words(const DraftersModel& m) {
    return m.empty == DraftersModel::Empty::no_run ? drafters_says("empty.text"_t) : shared_says("head.nothing_yet:any"_t);
}

StageTitle drafters_title(const SceneInput& input, const DraftersModel& m) {
    if (input.beat == kDraftersDoctorBeat && m.empty == DraftersModel::Empty::no) return doctor_title(input, m);
    StageTitle title{.title = title_words(input, m), .subtitle = {}, .tier = tier_of(input.whole->header), .tier_words = {}};
    if (m.empty != DraftersModel::Empty::no) return title;
    if (input.beat == kDraftersFamilyBeat) {
        title.subtitle = input.presenter ? drafters_says("family.subtitle:room"_t) : drafters_says("family.subtitle:table"_t);
        title.tier = ui::Tier::published;
        return title;
    }
    const double temperature = m.header->sampling.temperature;
    title.subtitle = drafters_says("subtitle.round"_t, "round"_v = m.round->round + 1, "tokens"_v = m.text_tokens,
                                   "temperature"_v = temperature == 0 ? std::nullopt : std::optional(temperature),
                                   "seed"_v = m.header->seed, "tries"_v = m.comparison ? kDraftTries : 0);
    return title;
}

namespace {

// One that somebody published for this target, for a drafter whose head is missing here.
std::optional<PublicModel> public_head(const SceneInput& input, const DraftersModel& m) {
    if (!input.figures) return {};
    const std::vector<PublicModel> heads = heads_for(input.figures->models(), input.status->model);
    const auto missing = std::ranges::find_if(heads, [&](const PublicModel& head) {
        if (!head.refused.empty()) return false;
        return std::ranges::any_of(m.rows, [&](const DrafterRow& row) { return row.no_head && network_of(row.name()) == head.drafter; });
    });
    return missing == heads.end() ? std::nullopt : std::optional(*missing);
}

} // namespace

Story drafters_story(const SceneInput& input, const DraftersModel& m) {
    Story story = story_at_beat(input, kDraftersBeats);
    const int beat = story.step - 1;
    if (m.empty != DraftersModel::Empty::no) {
        take(story, {drafters_says("empty.heading"_t), drafters_empty_words(m)});
        return story;
    }
    take(story, beat_words(input, m, beat));
    if (beat < kDraftersFamilyBeat && !m.headless.empty()) {
        const std::optional<PublicModel> head = public_head(input, m);
        story.what_if = drafters_says("words.headless"_t, "rows"_v = std::ranges::count_if(m.rows, &DrafterRow::no_head),
                                      "model"_v = input.status->model, "there"_v = built_in_has_it(input, m.headless),
                                      "drafter"_v = head ? head->drafter : "", "fetch"_v = head ? fetching_line(head->repository) : "");
    }
    if (beat == kDraftersDoctorBeat && !m.heads.empty()) {
        story.task = drafters_says("doctor.task"_t);
        story.task_done = input.diagnosis != nullptr;
        story.on_task = {Command{ExamineHead{m.row()->name()}}};
    }
    if (beat == kDraftersNoBestBeat && m.can_ask) {
        story.task = drafters_says("no_best.task"_t);
        story.task_done = (input.deeds & (deed_bit(Deed::stepped) | deed_bit(Deed::scrubbed))) != 0;
        story.on_task = {Go{Move::round}};
    }
    return story;
}

} // namespace speclens
