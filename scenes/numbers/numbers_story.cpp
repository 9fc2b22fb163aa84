// Words of S16: title and five beats.
#include "scenes/numbers/numbers_draw.h"

namespace speclens {
namespace {

Words beat_words(const NumbersModel& m, int beat) {
    if (!m.figures) return numbers_says.beat("missing"_t);
    switch (beat) {
    case 0: return numbers_says.beat("conditions"_t);
    case kCountingBeat: return numbers_says.beat("counting"_t);
    case kDisputedBeat: return numbers_says.beat("disputed"_t, "figures"_v = m.disputed);
    case kWrongBeat: return numbers_says.beat("wrong"_t, "figures"_v = m.wrong);
    default: return numbers_says.beat("here"_t);
    }
}

} // namespace

StageTitle numbers_title(const SceneInput& input, const NumbersModel& m, const NumbersState& state) {
    StageTitle title;
    title.tier = ui::Tier::published;
    if (!m.figures) {
        title.title = numbers_says("missing.title"_t);
        title.subtitle = numbers_says("missing.subtitle"_t);
        return title;
    }
    const std::size_t all = m.figures->figures().size(), shown = m.rows.size();
    if (state.filter == FigureFilter::pairs) {
        title.title = numbers_says("title.pairs"_t);
        title.subtitle = numbers_says("subtitle.pairs"_t, "shown"_v = shown, "all"_v = all);
        title.short_subtitle = numbers_says("subtitle.pairs_short"_t, "shown"_v = shown, "all"_v = all);
        return title;
    }
    const bool counting = m.of_beat != 0 && input.beat == kCountingBeat;
    if (state.filter == FigureFilter::disputed)
        title.title = numbers_says("title.disputed"_t, "figures"_v = m.disputed);
    else if (state.filter == FigureFilter::wrong)
        title.title = numbers_says("wrong.title"_t, "figures"_v = m.wrong);
    else if (counting)
        title.title = numbers_says("counting.title"_t);
    else if (m.of_beat != 0 && input.beat == kRepeatBeat)
        title.title = numbers_says("here.title"_t, "repeatable"_v = m.of_beat, "figures"_v = all);
    else
        title.title = numbers_says("conditions.title"_t, "figures"_v = all, "sources"_v = m.figures->sources().size(),
                                   "disputed"_v = m.disputed, "wrong"_v = m.wrong);
    title.subtitle =
        numbers_says("subtitle.shown"_t, "shown"_v = shown, "query"_v = state.query, "disputed"_v = state.filter == FigureFilter::disputed,
                     "wrong"_v = state.filter == FigureFilter::wrong, "method"_v = state.method, "counting"_v = counting ? m.of_beat : 0,
                     "repeatable"_v = counting ? 0 : m.of_beat);
    return title;
}

Story numbers_story(const SceneInput& input, const NumbersModel& m) {
    Story story = story_at_beat(input, kNumbersBeats);
    take(story, beat_words(m, story.step - 1));
    return story;
}

} // namespace speclens
