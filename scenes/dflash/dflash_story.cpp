// Words of the DFlash scene: title and eight beats.
#include <algorithm>
#include <cmath>

#include "engine/base/display_name.h"
#include "scenes/dflash/dflash_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/second_draw.h"
#include "scenes/shared/typical_time.h"

namespace speclens {
namespace {

// How long the block took; empty: nobody timed it.
Message draft_words(const SceneInput& input, const DFlashModel& m) {
    return m.draft_ms > 0 ? timed_words(*input.whole, *m.round, draft_time) : Message();
}

// "“pass” (.04, while “decoding” had .51)": the guess and its distribution.
Message drafted_words(const SceneInput& input, const DraftSlot& slot) {
    const TopEntries& distribution = at_one(*slot.draft);
    const Message drafted = word(input, slot.draft->token);
    if (distribution.entries.empty()) return drafted;
    std::optional<double> q = listed(distribution, slot.draft->token);
    if (!q && slot.draft->raw_top.empty()) q = std::exp(slot.draft->q); // drawn from this very distribution
    const TopEntries::Entry& best = distribution.entries.front();
    const bool other = best.id != slot.draft->token;
    return dflash_says("words.drafted"_t, "token"_v = drafted, "q"_v = q, "best"_v = other ? word(input, best.id) : Message(),
                       "best_q"_v = std::exp(best.logp));
}

// The guess that was refused, and only what can be seen of the reason.
Words blind_words(const SceneInput& input, const DFlashModel& m) {
    const int refused = m.refused(), at = m.selected;
    const Message none = without_example_words(input, blind_refusal());
    if (refused <= 0)
        return dflash_says.beat("twice:first"_t, "place"_v = at + 1, "guess"_v = word(input, favourite(at_one(*m.slot(at).draft))),
                                "refused"_v = refused == 0, "none"_v = none);
    const Message guess = drafted_words(input, m.slot(refused)), before = word(input, m.slot(refused - 1).draft->token);
    if (open_before(*m.round, refused))
        return dflash_says.beat("twice:blind"_t, "place"_v = refused + 1, "open"_v = refused,
                                "ways"_v = shares_said(input, at_one(*m.slot(refused - 1).draft), 2), "guess"_v = guess,
                                "before"_v = before);
    return dflash_says.beat("twice:sure"_t, "place"_v = refused + 1, "guess"_v = guess, "before"_v = before, "greedy"_v = m.greedy,
                            "none"_v = none);
}

Words times_words(const SceneInput& input) {
    const std::vector<TimeSeries> series = time_series(input, "dflash");
    const Study* study = study_named(input, kTimeStudy);
    const TimeSeries *block = block_times(series), *chain = chain_times(series);
    if (!study || !study->complete() || !block || block->points.size() < 2) return dflash_says.beat("times:unmeasured"_t);
    const bool two = chain && chain->points.size() > 1;
    const double growth = block->points.back().second / std::max(1e-9, block->points.front().second);
    return dflash_says.beat("times:measured"_t, "fewest"_v = block->points.front().first, "most"_v = block->points.back().first,
                            "from"_v = block->points.front().second, "to"_v = block->points.back().second,
                            "chain_from"_v = if_measured(two ? chain->points.front().second : 0),
                            "chain_to"_v = if_measured(two ? chain->points.back().second : 0), "steep"_v = growth > 1.3);
}

Words conditioning_words(const SceneInput& input) {
    const std::vector<AcceptanceSeries> series = conditioning_series(input);
    const Study* study = study_of(input, conditioning_study(input));
    if (!study || !study->complete() || series.size() < 2) return dflash_says.beat("conditioning:unmeasured"_t);
    const double on = study->points[0].tokens_per_round(), off = study->points[1].tokens_per_round();
    const auto say = [&](auto id) { return dflash_says.beat(id, "sample"_v = sample_words(*study), "with"_v = on, "without"_v = off); };
    if (on - 1 > 2 * (off - 1)) return say("conditioning:most"_t);
    if (on > off) return say("conditioning:helps"_t);
    return on < off ? say("conditioning:harms"_t) : say("conditioning:same"_t);
}

// Along a long answer: what was recorded, seeing all and through the narrowest window.
Words long_words(const SceneInput& input) {
    const LongAnswers* recorded = recorded_long_answers(input);
    if (!recorded || recorded->series.empty()) return dflash_says.beat("long:nothing"_t);
    const auto& all = recorded->series.front().stretches;
    const auto last = "last"_v = all.back().to;
    const auto early = "early"_v = all.front().tokens;
    const auto late = "late"_v = all.back().tokens;
    if (recorded->series.size() < 2) return dflash_says.beat("long:recorded"_t, last, early, late);
    const LongAnswers::Series& narrow = recorded->series.back();
    const auto window = "window"_v = narrow.window;
    const auto narrow_early = "narrow_early"_v = narrow.stretches.front().tokens;
    const auto narrow_late = "narrow_late"_v = narrow.stretches.back().tokens;
    if (all.back().draft_ms <= 0) { // its times were not worth keeping
        const auto answers = "answers"_v = recorded->answers;
        return dflash_says.beat("long:tokens"_t, last, early, late, window, narrow_early, narrow_late, answers, "low"_v = all.back().low,
                                "high"_v = if_measured(all.back().high));
    }
    return dflash_says.beat("long:windows"_t, last, early, late, window, narrow_early, narrow_late, "draft"_v = all.back().draft_ms,
                            "narrow_draft"_v = narrow.stretches.back().draft_ms);
}

Words beat_words(const SceneInput& input, const DFlashModel& m, int beat) {
    switch (beat) {
    case 0:
        return dflash_says.beat("masks"_t, "anchor"_v = word(input, m.anchor), "masks"_v = m.slots - 1, "guesses"_v = m.guesses(),
                                "took"_v = draft_words(input, m));
    case kDFlashStatesBeat:
        if (!m.conditioned) return dflash_says.beat("states:none"_t);
        return dflash_says.beat("states:some"_t, "places"_v = m.seen, "layers"_v = m.taps.size());
    case kDFlashMasksBeat:
        return dflash_says.beat("sight"_t, "mask"_v = m.selected + 1, "states"_v = m.seen > 0, "slots"_v = all_slots(m),
                                "later"_v = m.selected + 2 < m.slots);
    case kDFlashTwiceBeat: return blind_words(input, m);
    case kDFlashTimesBeat: return times_words(input);
    case kDFlashConditioningBeat: return conditioning_words(input);
    case kDFlashListBeat: return list_words(input);
    default: return long_words(input);
    }
}

// What the picture of a beat shows; empty: the round as a whole.
Message beat_title(const SceneInput& input, const DFlashModel& m) {
    switch (input.beat) {
    case kDFlashStatesBeat: return dflash_says("states.title"_t, "places"_v = m.conditioned ? m.seen : 0);
    case kDFlashMasksBeat: return m.slots > 2 ? dflash_says("sight.title"_t) : Message();
    case kDFlashTwiceBeat: return m.guesses() > 1 ? dflash_says("twice.title"_t, "guesses"_v = m.guesses()) : Message();
    case kDFlashTimesBeat: return dflash_says("times.title"_t);
    case kDFlashLongBeat: return dflash_says("long.title"_t);
    case kDFlashListBeat: return list_title(input);
    default: break;
    }
    if (input.beat <= kDFlashTimesBeat || !m.instead_of.empty()) return {};
    const Study* study = study_of(input, conditioning_study(input));
    if (!study || !study->complete() || study->points.size() < 2) return dflash_says("conditioning.title:unmeasured"_t);
    return dflash_says("conditioning.title:measured"_t, "with"_v = study->points[0].tokens_per_round(),
                       "without"_v = study->points[1].tokens_per_round());
}

void add_task(Story& story, const SceneInput& input, const DFlashModel& m, int beat) {
    if (beat == kDFlashTwiceBeat && m.instead_of.empty() && !blind_refusal().holds(*m.round) &&
        found_elsewhere(input, blind_refusal()).settings) {
        offer_example(story, input, blind_refusal());
    } else if (beat == kDFlashTwiceBeat && m.guesses() > 1) {
        const int at = std::max(1, m.selected);
        story.task = dflash_says("twice.task"_t, "guess"_v = at + 1, "before"_v = at);
        story.task_done = second_draw(input, m).has_value();
    } else if (beat == kDFlashTimesBeat) {
        const Study* study = study_named(input, kTimeStudy);
        story.task = dflash_says("times.task"_t);
        story.task_done = study && study->complete() && input.by_task(kTimeStudy);
        story.on_task = {Command{time_study(input)}};
    } else if (beat == kDFlashConditioningBeat) {
        const RunStudy plan = conditioning_study(input);
        const Study* study = study_of(input, plan);
        story.task = dflash_says("conditioning.task"_t);
        story.task_done = study && study->complete() && input.by_task(plan.name);
        story.on_task = {Command{plan}};
    } else if (const RunStudy plan = list_study(input); beat == kDFlashListBeat && !plan.runs.empty()) {
        story.task = dflash_says("list.task"_t);
        story.task_done = !list_recalls(input).empty() && input.by_task(plan.name);
        story.on_task = {Command{plan}};
    }
}

} // namespace

StageTitle dflash_title(const SceneInput& input, const DFlashModel& m) {
    StageTitle title{.title = beat_title(input, m),
                     .subtitle = head_conditions(input, m, HeadGuess::position),
                     .tier = tier_of(m.header),
                     .tier_words = {}};
    if (const LongAnswers* recorded = input.beat == kDFlashLongBeat ? recorded_long_answers(input) : nullptr) {
        title.tier = ui::Tier::recorded;
        title.subtitle =
            dflash_says("long.subtitle"_t, "target"_v = recorded->target, "k"_v = recorded->k, "temperature"_v = recorded->temperature,
                        "answers"_v = recorded->answers, "machine"_v = machine_said(recorded->machine), "date"_v = recorded->date);
    }
    if (title.title.empty())
        title.title =
            dflash_says("masks.title"_t, "guesses"_v = m.guesses(), "kept"_v = m.round->accepted, "took"_v = draft_words(input, m));
    return title;
}

Story dflash_story(const SceneInput& input, const DFlashModel& m) {
    Story story = story_at_beat(input, dflash_says.size);
    const int beat = story.step - 1;
    take(story, beat_words(input, m, beat));
    if (models_loaded(input)) add_task(story, input, m, beat);
    return story;
}

} // namespace speclens
