// Words of the EAGLE-3 scene: title, six beats, and the frame as text.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "scenes/eagle3/eagle3_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/published_round.h"
#include "scenes/shared/typical_time.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

// How far the head's own features are from the true ones.
Words errors_words(const SceneInput& input, const Eagle3Model& m) {
    if (m.errors.empty()) return eagle3_says.beat("errors:unknown"_t);
    const std::string off = eagle3_says("words.off"_t, "first"_v = ui::number(m.errors.front(), 2), "over_run"_v = m.instead_of.empty(),
                                        "step"_v = m.errors.size() > 1 ? m.errors.size() : 0, "last"_v = ui::number(m.errors.back(), 2));
    if (m.instead_of.empty() && errors_add_up(input, m)) return eagle3_says.beat("errors:add_up"_t, "off"_v = off);
    const auto heads = trained_steps(input);
    if (!heads) return eagle3_says.beat("errors:off"_t, "off"_v = off);
    return eagle3_says.beat("errors:trained"_t, "off"_v = off, "one"_v = ui::probability(heads->one->conditional[1]),
                            "many"_v = ui::probability(heads->many->conditional[1]));
}

Words length_words(const SceneInput& input, const Eagle3Model& m) {
    if (!m.instead_of.empty()) return eagle3_says.beat("length:guest"_t);
    const AcceptanceSeries all = acceptance_of(*input.whole, "");
    if (all.judged.empty()) return eagle3_says.beat("length:nothing"_t);
    const double rate = all.judged[0] ? static_cast<double>(all.kept[0]) / all.judged[0] : 0;
    return eagle3_says.beat("length:told"_t, "kept"_v = all.kept[0], "rounds"_v = all.judged[0], "rate"_v = ui::probability(rate),
                            "last"_v = all.judged.size() > 1 ? all.judged.size() : 0, "last_kept"_v = all.kept.back(),
                            "last_judged"_v = all.judged.back());
}

Words beat_words(const SceneInput& input, const Eagle3Model& m, int beat) {
    const std::string first = word(input, m.slot(0).draft->token);
    switch (beat) {
    case 0: return eagle3_says.beat("features"_t, "layers"_v = m.taps.size());
    case kEagle3FirstStepBeat: return eagle3_says.beat("layer"_t, "anchor"_v = word(input, m.anchor), "guess"_v = first);
    case 2: return m.steps() < 2 ? eagle3_says.beat("again:one"_t) : eagle3_says.beat("again:more"_t, "guess"_v = first);
    case kEagle3ErrorsBeat: return errors_words(input, m);
    case kEagle3TimesBeat:
        if (m.draft_ms <= 0) return eagle3_says.beat("times:untimed"_t);
        return eagle3_says.beat("times:timed"_t, "guesses"_v = m.steps(), "took"_v = timed_words(*input.whole, *m.round, draft_time),
                                "further"_v = m.further_ms > 0 ? ui::number(m.further_ms, 2) : "",
                                "verify"_v = timed_words(*input.whole, *m.round, verify_time));
    default: return length_words(input, m);
    }
}

// What the picture of a beat shows; empty: the round as a whole.
std::string beat_title(const SceneInput& input, const Eagle3Model& m) {
    switch (input.beat) {
    case 0: return m.taps.empty() ? "" : eagle3_says("features.title"_t, "layers"_v = m.taps.size());
    case kEagle3FirstStepBeat:
        return eagle3_says("layer.title"_t, "guess"_v = word(input, m.slot(0).draft->token), "anchor"_v = word(input, m.anchor));
    case 2: return m.steps() > 1 ? eagle3_says("again.title"_t) : "";
    case kEagle3ErrorsBeat:
        if (m.errors.empty()) return "";
        if (errors_add_up(input, m)) return eagle3_says("errors.title:add_up"_t);
        if (input.whole->accepted_drafts * 2 > input.whole->drafted) return eagle3_says("errors.title:right"_t);
        return eagle3_says("errors.title:off"_t);
    case kEagle3TimesBeat:
        if (m.draft_ms <= 0) return "";
        return eagle3_says("times.title"_t, "guesses"_v = m.steps(), "took"_v = timed_words(*input.whole, *m.round, draft_time));
    default: return m.instead_of.empty() ? eagle3_says("length.title"_t) : "";
    }
}

} // namespace

std::string eagle3_empty_words(const Eagle3Model& m) {
    switch (m.empty) {
    case Eagle3Model::Empty::no_run: return eagle3_says("empty.text:no_run"_t);
    case Eagle3Model::Empty::other_drafter: return other_drafter_words(m, "EAGLE-3", eagle3_says("empty.what"_t));
    case Eagle3Model::Empty::no_round: return eagle3_says("empty.text:no_round"_t);
    case Eagle3Model::Empty::no: break;
    }
    return {};
}

StageTitle eagle3_title(const SceneInput& input, const Eagle3Model& m) {
    StageTitle title;
    title.tier = tier_of(input.whole->header);
    if (m.empty != Eagle3Model::Empty::no) {
        title.title = eagle3_says("empty.title"_t);
        title.subtitle = eagle3_says("empty.subtitle"_t);
        return title;
    }
    title.subtitle = head_conditions(m, HeadGuess::step);
    if (const std::string about = beat_title(input, m); !about.empty()) {
        title.title = about;
        return title;
    }
    title.title = eagle3_says("title.round"_t, "guesses"_v = m.steps(), "kept"_v = m.round->accepted,
                              "took"_v = m.draft_ms > 0 ? timed_words(*input.whole, *m.round, draft_time) : "");
    return title;
}

Story eagle3_story(const SceneInput& input, const Eagle3Model& m) {
    Story story = story_at_beat(input, kEagle3Beats);
    const int beat = story.step - 1;
    if (m.empty != Eagle3Model::Empty::no) {
        story.heading = eagle3_says("empty.heading"_t, "other"_v = m.empty == Eagle3Model::Empty::other_drafter);
        story.text = eagle3_empty_words(m);
        if (m.empty == Eagle3Model::Empty::other_drafter) take_beats(story, eagle3_says("empty.no_beats"_t));
        return story;
    }
    const Words words = beat_words(input, m, beat);
    story.heading = words.heading;
    story.text = words.text;
    if (beat == kEagle3TimesBeat && models_loaded(input)) {
        const Study* study = study_named(input, kTimeStudy);
        story.task = eagle3_says("times.task"_t);
        story.task_done = study && study->complete();
        story.on_task = {Command{time_study(input)}};
    }
    stand_in(story, m, "EAGLE-3");
    return story;
}

std::string eagle3_description(const SceneInput& input, const Eagle3Model& m) {
    std::ostringstream out;
    const StageTitle title = eagle3_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(shown_tier(input, title.tier)) << "\n\n";
    if (m.empty == Eagle3Model::Empty::no) {
        if (!m.taps.empty()) {
            out << "Taps: layers";
            for (const Internals::Strip* tap : m.taps) out << " " << tap->name.substr(4) << (tap == m.taps.back() ? "\n" : ",");
        }
        for (int i = 0; i < m.steps(); ++i) {
            const DraftSlot& slot = m.slot(i);
            out << "Step " << i + 1 << (i == m.selected ? " (selected)" : "") << ": reads "
                << word(input, i == 0 ? m.anchor : m.slot(i - 1).draft->token)
                << (i == 0 ? " and the fused feature" : " and its own last output");
            if (slot.ms > 0) out << ", " << ui::number(slot.ms, 2) << " ms";
            out << "; distribution";
            const TopEntries& top = at_one(*slot.draft);
            for (std::size_t e = 0; e < top.entries.size() && e < 2; ++e)
                out << (e ? ", " : " ") << word(input, top.entries[e].id) << " " << ui::probability(std::exp(top.entries[e].logp));
            out << "; draft " << word(input, slot.draft->token) << ", " << fate_words(slot.state);
            if (m.error(i) >= 0) out << "; own feature off by " << ui::number(m.error(i), 2);
            out << "\n";
        }
        if (!m.errors.empty()) {
            out << "Feature error " << (m.instead_of.empty() ? "over the run:" : "in this round:");
            for (std::size_t i = 0; i < m.errors.size(); ++i)
                out << " step " << i + 1 << " " << ui::number(m.errors[i], 2)
                    << (m.instead_of.empty() ? " of " + counted(m.known[i], "round") : std::string())
                    << (i + 1 == m.errors.size() ? "\n" : ",");
        }
        if (m.draft_ms + m.verify_ms > 0)
            out << "Clock: draft " << ui::number(m.draft_ms, 2) << " ms, verify " << ui::number(m.verify_ms, 2) << " ms\n";
        out << describe_times(time_series(input, "eagle3"));
        if (m.instead_of.empty()) out << "Kept by position, " << describe_acceptance(acceptance_of(*input.whole, "this run")) << "\n";
    }
    if (m.empty == HeadModel::Empty::no) out << describe_published(*input.whole, input.figures, m.instead_of.empty());
    out << describe_story(input, eagle3_story(input, m));
    return out.str();
}

} // namespace speclens
