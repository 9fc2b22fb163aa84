// Words of the DFlash scene: title, six beats, and the frame as text.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "scenes/dflash/dflash_draw.h"
#include "scenes/dflash/dflash_long.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/published_round.h"
#include "scenes/shared/second_draw.h"
#include "scenes/shared/typical_time.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

// "“pass” (.04, while “decoding” had .51)": the guess and its distribution.
std::string drafted_words(const SceneInput& input, const DraftSlot& slot) {
    const TopEntries& distribution = at_one(*slot.draft);
    const std::string drafted = word(input, slot.draft->token);
    if (distribution.entries.empty()) return drafted;
    std::optional<double> q = listed(distribution, slot.draft->token);
    if (!q && slot.draft->raw_top.empty()) q = std::exp(slot.draft->q); // drawn from this very distribution
    const TopEntries::Entry& best = distribution.entries.front();
    return dflash_says("words.drafted"_t, "token"_v = drafted, "q"_v = q ? fine_probability(*q) : "<.01",
                       "best"_v = best.id == slot.draft->token ? "" : word(input, best.id),
                       "best_q"_v = ui::probability(std::exp(best.logp)));
}

// "“I” .55, “you” .30": what might have stood before guess `index`.
std::string open_words(const SceneInput& input, const DraftSlot& before) {
    const TopEntries& distribution = at_one(*before.draft);
    std::string words;
    for (std::size_t i = 0; i < distribution.entries.size() && i < 2; ++i)
        words +=
            (i > 0 ? ", " : "") + word(input, distribution.entries[i].id) + " " + ui::probability(std::exp(distribution.entries[i].logp));
    return words;
}

// The guess that was refused, and only what can be seen of the reason.
Words blind_words(const SceneInput& input, const DFlashModel& m) {
    const int refused = m.refused(), at = m.selected;
    const std::string none = without_example_words(input, blind_refusal());
    if (refused <= 0)
        return dflash_says.beat("twice:first"_t, "place"_v = at + 1, "guess"_v = word(input, favourite(at_one(*m.slot(at).draft))),
                                "refused"_v = refused == 0, "none"_v = none);
    const std::string guess = drafted_words(input, m.slot(refused)), before = word(input, m.slot(refused - 1).draft->token);
    if (open_before(*m.round, refused))
        return dflash_says.beat("twice:blind"_t, "place"_v = refused + 1, "open"_v = refused,
                                "ways"_v = open_words(input, m.slot(refused - 1)), "guess"_v = guess, "before"_v = before);
    return dflash_says.beat("twice:sure"_t, "place"_v = refused + 1, "guess"_v = guess, "before"_v = before, "greedy"_v = m.greedy,
                            "none"_v = none);
}

Words times_words(const SceneInput& input) {
    const std::vector<TimeSeries> series = time_series(input, "dflash");
    const Study* study = study_named(input, kTimeStudy);
    const auto find = [&](const char* which) -> const TimeSeries* {
        for (const TimeSeries& s : series)
            if (s.name == which) return &s;
        return nullptr;
    };
    const TimeSeries *block = find("DFlash"), *chain = find("EAGLE-3");
    if (!study || !study->complete() || !block || block->points.size() < 2) return dflash_says.beat("times:unmeasured"_t);
    const auto ms = [](const std::pair<int, double>& point) { return ui::number(point.second, 2); };
    const bool two = chain && chain->points.size() > 1;
    const double growth = block->points.back().second / std::max(1e-9, block->points.front().second);
    return dflash_says.beat("times:measured"_t, "fewest"_v = block->points.front().first, "most"_v = block->points.back().first,
                            "from"_v = ms(block->points.front()), "to"_v = ms(block->points.back()),
                            "chain_from"_v = two ? ms(chain->points.front()) : "", "chain_to"_v = two ? ms(chain->points.back()) : "",
                            "steep"_v = growth > 1.3);
}

Words conditioning_words(const SceneInput& input) {
    const std::vector<AcceptanceSeries> series = conditioning_series(input);
    const Study* study = study_of(input, conditioning_study(input));
    if (!study || !study->complete() || series.size() < 2) return dflash_says.beat("conditioning:unmeasured"_t);
    const double on = study->points[0].tokens_per_round(), off = study->points[1].tokens_per_round();
    const std::string sample = sample_words(*study), with = ui::per_round(on), without = ui::per_round(off);
    if (on - 1 > 2 * (off - 1)) return dflash_says.beat("conditioning:most"_t, "sample"_v = sample, "with"_v = with, "without"_v = without);
    if (on > off) return dflash_says.beat("conditioning:helps"_t, "sample"_v = sample, "with"_v = with, "without"_v = without);
    if (on < off) return dflash_says.beat("conditioning:harms"_t, "sample"_v = sample, "with"_v = with, "without"_v = without);
    return dflash_says.beat("conditioning:same"_t, "sample"_v = sample, "with"_v = with, "without"_v = without);
}

// Along a long answer: what was recorded, seeing all and through the narrowest window.
Words long_words(const SceneInput& input) {
    const LongAnswers* recorded = recorded_long_answers(input);
    if (!recorded || recorded->series.empty()) return dflash_says.beat("long:nothing"_t);
    const auto& all = recorded->series.front().stretches;
    const auto last = "last"_v = all.back().to;
    const auto early = "early"_v = ui::per_round(all.front().tokens);
    const auto late = "late"_v = ui::per_round(all.back().tokens);
    if (recorded->series.size() < 2) return dflash_says.beat("long:recorded"_t, last, early, late);
    const LongAnswers::Series& narrow = recorded->series.back();
    const auto window = "window"_v = narrow.window;
    const auto narrow_early = "narrow_early"_v = ui::per_round(narrow.stretches.front().tokens);
    const auto narrow_late = "narrow_late"_v = ui::per_round(narrow.stretches.back().tokens);
    if (all.back().draft_ms <= 0) { // its times were not worth keeping
        const auto answers = "answers"_v = recorded->answers;
        const auto interval = "interval"_v =
            all.back().high > 0 ? ui::per_round(all.back().low) + "–" + ui::per_round(all.back().high) : "";
        return dflash_says.beat("long:tokens"_t, last, early, late, window, narrow_early, narrow_late, answers, interval);
    }
    return dflash_says.beat("long:windows"_t, last, early, late, window, narrow_early, narrow_late,
                            "draft"_v = ui::number(all.back().draft_ms, 1),
                            "narrow_draft"_v = ui::number(narrow.stretches.back().draft_ms, 1));
}

Words beat_words(const SceneInput& input, const DFlashModel& m, int beat) {
    switch (beat) {
    case 0:
        return dflash_says.beat("masks"_t, "anchor"_v = word(input, m.anchor), "masks"_v = m.slots - 1, "guesses"_v = m.guesses(),
                                "took"_v = m.draft_ms > 0 ? timed_words(*input.whole, *m.round, draft_time) : "");
    case kDFlashStatesBeat:
        if (!m.conditioned) return dflash_says.beat("states:none"_t);
        return dflash_says.beat("states:some"_t, "places"_v = m.seen, "layers"_v = m.taps.size());
    case kDFlashMasksBeat:
        return dflash_says.beat("sight"_t, "mask"_v = m.selected + 1, "states"_v = m.seen > 0, "slots"_v = all_slots(m),
                                "later"_v = m.selected + 2 < m.slots);
    case kDFlashTwiceBeat: return blind_words(input, m);
    case kDFlashTimesBeat: return times_words(input);
    case kDFlashConditioningBeat: return conditioning_words(input);
    default: return long_words(input);
    }
}

// What the picture of a beat shows; empty: the round as a whole.
std::string beat_title(const SceneInput& input, const DFlashModel& m) {
    switch (input.beat) {
    case kDFlashStatesBeat: return dflash_says("states.title"_t, "places"_v = m.conditioned ? m.seen : 0);
    case kDFlashMasksBeat: return m.slots > 2 ? dflash_says("sight.title"_t) : "";
    case kDFlashTwiceBeat: return m.guesses() > 1 ? dflash_says("twice.title"_t, "guesses"_v = m.guesses()) : "";
    case kDFlashTimesBeat: return dflash_says("times.title"_t);
    case kDFlashLongBeat: return dflash_says("long.title"_t);
    default: break;
    }
    if (input.beat <= kDFlashTimesBeat || !m.instead_of.empty()) return "";
    const Study* study = study_of(input, conditioning_study(input));
    if (!study || !study->complete() || study->points.size() < 2) return dflash_says("conditioning.title:unmeasured"_t);
    return dflash_says("conditioning.title:measured"_t, "with"_v = ui::per_round(study->points[0].tokens_per_round()),
                       "without"_v = ui::per_round(study->points[1].tokens_per_round()));
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
        story.task_done = study && study->complete();
        story.on_task = {Command{time_study(input)}};
    } else if (beat == kDFlashConditioningBeat) {
        const Study* study = study_of(input, conditioning_study(input));
        story.task = dflash_says("conditioning.task"_t);
        story.task_done = study && study->complete();
        story.on_task = {Command{conditioning_study(input)}};
    }
}

} // namespace

std::string dflash_empty_words(const DFlashModel& m) {
    switch (m.empty) {
    case DFlashModel::Empty::no_run: return dflash_says("empty.text:no_run"_t);
    case DFlashModel::Empty::other_drafter: return other_drafter_words(m, "DFlash", dflash_says("empty.what"_t));
    case DFlashModel::Empty::no_round: return dflash_says("empty.text:no_round"_t);
    case DFlashModel::Empty::no: break;
    }
    return {};
}

StageTitle dflash_title(const SceneInput& input, const DFlashModel& m) {
    StageTitle title;
    title.tier = tier_of(input.whole->header);
    if (m.empty != DFlashModel::Empty::no) {
        title.title = dflash_says("empty.title"_t);
        title.subtitle = dflash_says("empty.subtitle"_t);
        return title;
    }
    const int n = m.guesses();
    title.subtitle = head_conditions(m, HeadGuess::position) + shared_says("head.anchor"_t, "anchor"_v = word(input, m.anchor));
    if (const std::string about = beat_title(input, m); !about.empty()) {
        title.title = about;
        if (const LongAnswers* recorded = input.beat == kDFlashLongBeat ? recorded_long_answers(input) : nullptr) {
            title.tier = ui::Tier::recorded;
            title.subtitle = dflash_says("long.subtitle"_t, "target"_v = recorded->target, "k"_v = recorded->k,
                                         "temperature"_v = ui::number(recorded->temperature, 1), "answers"_v = recorded->answers,
                                         "machine"_v = recorded->machine, "date"_v = recorded->date);
        }
        return title;
    }
    title.title = dflash_says("masks.title"_t, "guesses"_v = n, "kept"_v = m.round->accepted,
                              "took"_v = m.draft_ms > 0 ? timed_words(*input.whole, *m.round, draft_time) : "");
    return title;
}

Story dflash_story(const SceneInput& input, const DFlashModel& m) {
    Story story = story_at_beat(input, kDFlashBeats);
    const int beat = story.step - 1;
    if (m.empty != DFlashModel::Empty::no) {
        story.heading = dflash_says("empty.heading"_t, "other"_v = m.empty == DFlashModel::Empty::other_drafter);
        story.text = dflash_empty_words(m);
        if (m.empty == DFlashModel::Empty::other_drafter) take_beats(story, dflash_says("empty.no_beats"_t));
        return story;
    }
    const Words words = beat_words(input, m, beat);
    story.heading = words.heading;
    story.text = words.text;
    if (models_loaded(input)) add_task(story, input, m, beat);
    stand_in(story, m, "DFlash");
    return story;
}

std::string dflash_description(const SceneInput& input, const DFlashModel& m) {
    std::ostringstream out;
    const StageTitle title = dflash_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(shown_tier(input, title.tier)) << "\n\n";
    if (m.empty == DFlashModel::Empty::no) {
        out << "Block: anchor " << word(input, m.anchor) << " and " << counted(m.slots - 1, "mask") << ". " << dflash_mask_words(m) << "\n";
        for (int i = 0; i < m.guesses(); ++i) {
            const DraftSlot& slot = m.slot(i);
            out << "Position " << i + 1 << (i == m.selected ? " (selected)" : "") << ": distribution";
            const char* before = " ";
            for (const int id : dflash_tokens(slot, 2)) {
                const std::optional<double> p = listed(at_one(*slot.draft), id);
                out << before << word(input, id) << " " << (p ? ui::probability(*p) : std::string("<.01"));
                before = ", ";
            }
            out << "; draft " << word(input, slot.draft->token) << ", " << fate_words(slot.state) << "\n";
        }
        out << describe_times(time_series(input, "dflash"));
        const std::vector<AcceptanceSeries> series = conditioning_series(input);
        for (const AcceptanceSeries& s : series) out << "Kept by position, " << describe_acceptance(s);
        if (!series.empty()) out << "Measured with " << sample_words(*study_of(input, conditioning_study(input))) << "\n";
        if (series.empty() && m.instead_of.empty())
            out << "Kept by position, " << describe_acceptance(acceptance_of(*input.whole, "this run"));
        out << "\n";
    }
    if (input.beat == kDFlashLongBeat) out << describe_long_answers(input) << "\n";
    out << describe_second_draw(input, m);
    if (m.empty == HeadModel::Empty::no) out << describe_published(*input.whole, input.figures, m.instead_of.empty());
    out << describe_story(input, dflash_story(input, m));
    return out.str();
}

} // namespace speclens
