// Words of the EAGLE-3 scene: title and six beats.
#include "scenes/eagle3/eagle3_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/typical_time.h"

namespace speclens {
namespace {

// How long the round's draft took; empty: nobody timed it.
Message draft_words(const SceneInput& input, const Eagle3Model& m) {
    return m.draft_ms > 0 ? timed_words(*input.whole, *m.round, draft_time) : Message();
}

// How far the head's own features are from the true ones.
Words errors_words(const SceneInput& input, const Eagle3Model& m) {
    if (m.errors.empty()) return eagle3_says.beat("errors:unknown"_t);
    const auto off = "off"_v = eagle3_says("words.off"_t, "first"_v = m.errors.front(), "over_run"_v = m.instead_of.empty(),
                                           "step"_v = m.errors.size() > 1 ? m.errors.size() : 0, "last"_v = m.errors.back());
    if (m.instead_of.empty() && errors_add_up(input, m)) return eagle3_says.beat("errors:add_up"_t, off);
    const auto heads = trained_steps(input);
    if (!heads) return eagle3_says.beat("errors:off"_t, off);
    return eagle3_says.beat("errors:trained"_t, off, "one"_v = heads->one->conditional[1], "many"_v = heads->many->conditional[1]);
}

Words length_words(const SceneInput& input, const Eagle3Model& m) {
    if (!m.instead_of.empty()) return eagle3_says.beat("length:guest"_t);
    const AcceptanceSeries all = acceptance_of(*input.whole);
    if (all.judged.empty()) return eagle3_says.beat("length:nothing"_t);
    return eagle3_says.beat("length:told"_t, "kept"_v = all.kept[0], "rounds"_v = all.judged[0], "rate"_v = all.share(0).value_or(0),
                            "last"_v = all.judged.size() > 1 ? all.judged.size() : 0, "last_kept"_v = all.kept.back(),
                            "last_judged"_v = all.judged.back());
}

Words beat_words(const SceneInput& input, const Eagle3Model& m, int beat) {
    const Message first = word(input, m.slot(0).draft->token);
    switch (beat) {
    case 0: return eagle3_says.beat("features"_t, "layers"_v = m.taps.size());
    case kEagle3FirstStepBeat: return eagle3_says.beat("layer"_t, "anchor"_v = word(input, m.anchor), "guess"_v = first);
    case 2: return m.guesses() < 2 ? eagle3_says.beat("again:one"_t) : eagle3_says.beat("again:more"_t, "guess"_v = first);
    case kEagle3ErrorsBeat: return errors_words(input, m);
    case kEagle3TimesBeat:
        if (m.draft_ms <= 0) return eagle3_says.beat("times:untimed"_t);
        return eagle3_says.beat("times:timed"_t, "guesses"_v = m.guesses(), "took"_v = draft_words(input, m),
                                "further"_v = if_measured(m.further_ms), "verify"_v = timed_words(*input.whole, *m.round, verify_time));
    default: return length_words(input, m);
    }
}

// What the picture of a beat shows; empty: the round as a whole.
Message beat_title(const SceneInput& input, const Eagle3Model& m) {
    switch (input.beat) {
    case 0: return m.taps.empty() ? Message() : eagle3_says("features.title"_t, "layers"_v = m.taps.size());
    case kEagle3FirstStepBeat:
        return eagle3_says("layer.title"_t, "guess"_v = word(input, m.slot(0).draft->token), "anchor"_v = word(input, m.anchor));
    case 2: return m.guesses() > 1 ? eagle3_says("again.title"_t) : Message();
    case kEagle3ErrorsBeat:
        if (m.errors.empty()) return {};
        if (errors_add_up(input, m)) return eagle3_says("errors.title:add_up"_t);
        if (input.whole->accepted_drafts * 2 > input.whole->drafted) return eagle3_says("errors.title:right"_t);
        return eagle3_says("errors.title:off"_t);
    case kEagle3TimesBeat:
        if (m.draft_ms <= 0) return {};
        return eagle3_says("times.title"_t, "guesses"_v = m.guesses(), "took"_v = draft_words(input, m));
    default: return m.instead_of.empty() ? eagle3_says("length.title"_t) : Message();
    }
}

} // namespace

StageTitle eagle3_title(const SceneInput& input, const Eagle3Model& m) {
    StageTitle title{
        .title = beat_title(input, m), .subtitle = head_conditions(input, m, HeadGuess::step), .tier = tier_of(m.header), .tier_words = {}};
    if (title.title.empty())
        title.title =
            eagle3_says("title.round"_t, "guesses"_v = m.guesses(), "kept"_v = m.round->accepted, "took"_v = draft_words(input, m));
    return title;
}

Story eagle3_story(const SceneInput& input, const Eagle3Model& m) {
    Story story = story_at_beat(input, eagle3_says.size);
    const int beat = story.step - 1;
    take(story, beat_words(input, m, beat));
    if (beat == kEagle3TimesBeat && models_loaded(input)) {
        const Study* study = study_named(input, kTimeStudy);
        story.task = eagle3_says("times.task"_t);
        story.task_done = study && study->complete() && input.by_task(kTimeStudy);
        story.on_task = {Command{time_study(input)}};
    }
    return story;
}

} // namespace speclens
