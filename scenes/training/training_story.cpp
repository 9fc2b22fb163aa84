// What S10 says of the experiments: titles and beats.
#include <algorithm>

#include "engine/base/display_name.h"
#include "engine/base/lists.h"
#include "scenes/training/training_draw.h"

namespace speclens {
namespace {

const TrainingArm* arm_named(const TrainingModel& m, const char* name) {
    return find_with(m.arms, name, [](const TrainingArm& arm) -> const std::string& { return arm.arm->name; });
}

using Curve = std::vector<double> TrainingArm::*;
std::optional<double> last_of(const TrainingArm* arm, Curve curve) {
    return arm && !(arm->*curve).empty() ? std::optional((arm->*curve).back()) : std::nullopt;
}

const TrainingArm::Bar* base_bar(const TrainingArm* arm) {
    return arm ? find_with(arm->bars, true, &TrainingArm::Bar::base_only) : nullptr;
}

Message interval_words(const TrainingArm::Bar& bar, bool brief) {
    return training_says("words.interval"_t, "tokens"_v = bar.tokens, "brief"_v = brief, "low"_v = bar.low, "high"_v = bar.high);
}

// Whether the backbone gets lazy in these runs: by the losses, then by the text its logits alone bring.
// `brief`: for two lines.
Message backbone_words(const TrainingArm* text, const TrainingArm* fading, bool brief) {
    const std::optional<double> loss = last_of(text, &TrainingArm::base_loss), faded = last_of(fading, &TrainingArm::base_loss);
    if (!loss || !faded) return brief ? training_says("lazy.brief:unknown"_t) : training_says("lazy.full:unknown"_t);
    const TrainingArm::Bar *without = base_bar(text), *with = base_bar(fading);
    const bool bars = without && with, shows = bars && with->low > without->high, opposite = bars && without->low > with->high;
    const auto say = [&](auto id) {
        return training_says(id, "points"_v = *faded < *loss, "loss"_v = *loss, "fading"_v = *faded, "shows"_v = shows,
                             "opposite"_v = opposite, "open"_v = bars && !shows && !opposite ? std::max(text->steps, fading->steps) : 0,
                             "without"_v = bars ? interval_words(*without, brief) : Message(),
                             "with"_v = bars ? interval_words(*with, brief) : Message());
    };
    return brief ? say("lazy.brief:told"_t) : say("lazy.full:told"_t);
}

std::optional<double> tokens_of(const TrainingArm* arm, std::size_t bar = 0) {
    return arm && bar < arm->bars.size() ? std::optional(arm->bars[bar].tokens) : std::nullopt;
}

// Domino over its base logits, with and without choices that span several tokens.
Words prediction_words(const TrainingModel& m) {
    const auto gain = [&](const char* name) -> std::optional<double> {
        const auto own = tokens_of(arm_named(m, name)), base = tokens_of(arm_named(m, name), 1);
        return base && *base > 0 ? std::optional(*own / *base) : std::nullopt;
    };
    const auto without = gain("no_modes_domino");
    const auto say = [&](auto id) { return training_says.beat(id, "without"_v = without, "with"_v = gain("modes_domino")); };
    return without > 1.05 ? say("prediction:failed"_t) : say("prediction:open"_t);
}

// A beat speaks of its own experiment, also while another one is looked at.
TrainingModel told_model(const SceneInput& input, const TrainingModel& m, int beat) {
    const std::string study = study_of_beat(beat);
    if (study.empty() || !m.study || m.study->name == study) return m;
    TrainingState state;
    state.study = study;
    state.target = own_target(input, study);
    state.sampled = m.temperature > 0;
    return training_model(input, state);
}

Words beat_words(const SceneInput& input, const TrainingModel& looked_at, const TrainingState& state, int beat) {
    if (beat == kLiveBeat) return live_training_words(input, state);
    if (!looked_at.study) return training_says.beat("missing"_t);
    const TrainingModel m = told_model(input, looked_at, beat);
    const auto tokens = [&](const char* arm, std::size_t bar = 0) { return tokens_of(arm_named(m, arm), bar); };
    switch (beat) {
    case 0: return training_says.beat("use"_t);
    case kPrefixBeat:
        return training_says.beat("prefix"_t, "own_loss"_v = last_of(arm_named(m, "self_generated"), &TrainingArm::loss),
                                  "text_loss"_v = last_of(arm_named(m, "teacher_forcing"), &TrainingArm::loss),
                                  "own"_v = tokens("self_generated"), "text"_v = tokens("teacher_forcing"));
    case kFadingBeat:
        return {training_says("lazy.heading"_t),
                backbone_words(arm_named(m, "teacher_forcing"), arm_named(m, "curriculum"), input.strip || input.presenter)};
    case 3: return training_says.beat("steps"_t, "one"_v = tokens("steps_1"), "three"_v = tokens("steps_3"), "seven"_v = tokens("steps_7"));
    case 4:
        return training_says.beat("block"_t, "sixteen"_v = tokens("trained_16", 1), "eight"_v = tokens("trained_8", 1),
                                  "stretched"_v = tokens("trained_8"));
    case 5: {
        const PublishedFigure* gain = input.figures ? input.figures->find("dflash-loss-decay-gain") : nullptr;
        return training_says.beat("early"_t, "gain"_v = gain ? std::optional(gain->values.front()) : std::nullopt);
    }
    default: return prediction_words(m);
    }
}

Message range_words(const TrainingModel::Ends& ends) {
    return training_says("words.range"_t, "low"_v = ends.low->tokens, "high"_v = ends.high->tokens);
}

Message arm_words(const TrainingModel& m, int arm, const TrainingArm::Bar& bar) {
    return training_says("arm.served"_t, "arm"_v = m.arms[static_cast<std::size_t>(arm)].name, "tokens"_v = bar.tokens);
}

// " · with 15 guesses too close to call": lengths of which nothing can be said beside one that differs.
Message alike_words(const TrainingModel& m) {
    std::vector<Said> lengths;
    for (const TrainingModel::Ends& ends : m.ends)
        if (!ends.apart()) lengths.push_back(training_said("words.length"_t, "guesses"_v = ends.drafts));
    if (m.arms.size() < 2 || lengths.empty()) return {};
    return lengths.size() == m.ends.size() ? training_says("words.overlap"_t) : training_says("words.alike"_t, "lengths"_v = lengths);
}

// What a beat is about; empty: the study as a whole.
Message own_title(const SceneInput& input, const TrainingModel& m) {
    if (input.beat == 0 && !m.ends.empty())
        return training_says("use.title"_t, "study"_v = study_words(*m.study), "arms"_v = m.arms.size(),
                             "range"_v = range_words(m.ends.front()));
    if (m.study->name != kPrefixStudy) return {};
    const TrainingArm* text = arm_named(m, "teacher_forcing");
    if (input.beat == kPrefixBeat) {
        const TrainingArm* own = arm_named(m, "self_generated");
        if (own && text) return training_says("prefix.title"_t, "own"_v = tokens_of(own), "text"_v = tokens_of(text));
    } else if (input.beat == kFadingBeat) {
        const auto loss = last_of(text, &TrainingArm::base_loss), fading = last_of(arm_named(m, "curriculum"), &TrainingArm::base_loss);
        if (loss && fading) return training_says("lazy.title"_t, "loss"_v = *loss, "fading"_v = *fading);
    }
    return {};
}

} // namespace

StageTitle training_title(const TrainingModel& m) {
    StageTitle title;
    title.tier = ui::Tier::recorded;
    if (!m.study) {
        title.title = training_says("missing.title"_t);
        title.subtitle = training_says("missing.subtitle"_t);
        return title;
    }
    const Message study = title.title = study_words(*m.study);
    if (m.arms.size() > 1) {
        const auto found = std::ranges::find_if(m.ends, &TrainingModel::Ends::apart);
        if (found != m.ends.end()) {
            const auto guesses = "guesses"_v = m.ends.size() > 1 ? found->drafts : 0;
            title.short_title = training_says("title.ends_short"_t, "study"_v = study, "range"_v = range_words(*found), guesses);
            title.title = training_says("title.ends"_t, "study"_v = study, guesses, "best"_v = arm_words(m, found->best, *found->high),
                                        "worst"_v = arm_words(m, found->worst, *found->low));
        } else if (!m.ends.empty()) {
            title.title = training_says("title.close"_t, "study"_v = study, "range"_v = range_words(m.ends.front()));
        }
    }
    title.subtitle = training_says("subtitle.arms"_t, "target"_v = m.study->target, "steps"_v = m.chosen().steps,
                                   "prompts"_v = m.chosen().prompts, "temperature"_v = at_temperature(m), "alike"_v = alike_words(m),
                                   "machine"_v = machine_said(m.study->machine), "date"_v = m.study->date);
    return title;
}

StageTitle training_stage_title(const SceneInput& input, const TrainingModel& m) {
    StageTitle title = training_title(m);
    if (!m.study) return title;
    if (const Message own = own_title(input, m); !own.empty()) {
        title.title = own;
        title.short_title = {};
    }
    return title;
}

Story training_story(const SceneInput& input, const TrainingModel& m, const TrainingState& state) {
    Story story = story_at_beat(input, kTrainingBeats);
    take(story, beat_words(input, m, state, story.step - 1));
    if (m.losses && story.step - 1 == kFadingBeat) story.what_if = training_says("lazy.aside"_t);
    if (story.step - 1 == kLiveBeat) finish_live_story(input, state, story);
    return story;
}

} // namespace speclens
