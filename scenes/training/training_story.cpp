// Words of S10: title, beats, and the frame as text.
#include <algorithm>
#include <sstream>

#include "engine/published/published_words.h"
#include "scenes/shared/words.h"
#include "scenes/training/training_draw.h"
#include "ui/format.h"

namespace speclens {
namespace {

const TrainingArm* arm_named(const TrainingModel& m, const char* name) {
    for (const TrainingArm& arm : m.arms)
        if (arm.arm->name == name) return &arm;
    return nullptr;
}

std::string last_loss(const TrainingArm* arm) { return arm && !arm->loss.empty() ? ui::number(arm->loss.back(), 2) : std::string("–"); }

std::string last_base(const TrainingArm* arm) {
    return arm && !arm->base_loss.empty() ? ui::number(arm->base_loss.back(), 2) : std::string("–");
}

const TrainingArm::Bar* base_bar(const TrainingArm* arm) {
    if (!arm) return nullptr;
    const auto found = std::ranges::find(arm->bars, true, &TrainingArm::Bar::base_only);
    return found == arm->bars.end() ? nullptr : &*found;
}

std::string with_interval(const TrainingArm::Bar& bar) {
    return ui::per_round(bar.tokens) + " [" + ui::number(bar.low, 2) + ", " + ui::number(bar.high, 2) + "]";
}

// Whether the backbone gets lazy in these runs: by the losses, then by the text its logits alone bring.
// `brief`: for two lines.
std::string backbone_words(const TrainingArm* text, const TrainingArm* fading, bool brief) {
    if (!text || !fading || text->base_loss.empty() || fading->base_loss.empty())
        return brief ? training_says("lazy.brief:unknown"_t) : training_says("lazy.full:unknown"_t);
    const bool points = fading->base_loss.back() < text->base_loss.back();
    const TrainingArm::Bar *without = base_bar(text), *with = base_bar(fading);
    const bool shows = without && with && with->low > without->high, opposite = without && with && without->low > with->high;
    const bool bars = without && with;
    if (brief)
        return training_says("lazy.brief:told"_t, "points"_v = points, "loss"_v = last_base(text), "fading"_v = last_base(fading),
                             "shows"_v = shows, "opposite"_v = opposite, "open"_v = bars && !shows && !opposite,
                             "without"_v = bars ? ui::per_round(without->tokens) : "", "with"_v = bars ? ui::per_round(with->tokens) : "");
    return training_says("lazy.full:told"_t, "points"_v = points, "loss"_v = last_base(text), "fading"_v = last_base(fading),
                         "shows"_v = shows, "opposite"_v = opposite,
                         "open"_v = bars && !shows && !opposite ? std::max(text->steps, fading->steps) : 0,
                         "without"_v = bars ? with_interval(*without) : "", "with"_v = bars ? with_interval(*with) : "");
}

std::string tokens_of(const TrainingArm* arm, std::size_t bar = 0) {
    return arm && bar < arm->bars.size() ? ui::per_round(arm->bars[bar].tokens) : std::string("–");
}

// Domino over its base logits, with and without choices that span several tokens.
Words prediction_words(const TrainingModel& m) {
    const auto gain = [&](const char* name) {
        const TrainingArm* arm = arm_named(m, name);
        return arm && arm->bars.size() > 1 && arm->bars[1].tokens > 0 ? arm->bars[0].tokens / arm->bars[1].tokens : 0.0;
    };
    const auto times = [](double factor) { return factor > 0 ? ui::speed_up(factor) : std::string("–"); };
    const double with = gain("modes_domino"), without = gain("no_modes_domino");
    if (without > 1.05) return training_says.beat("prediction:failed"_t, "without"_v = times(without), "with"_v = times(with));
    return training_says.beat("prediction:open"_t, "without"_v = times(without), "with"_v = times(with));
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
        return training_says.beat("prefix"_t, "own_loss"_v = last_loss(arm_named(m, "self_generated")),
                                  "text_loss"_v = last_loss(arm_named(m, "teacher_forcing")), "own"_v = tokens("self_generated"),
                                  "text"_v = tokens("teacher_forcing"));
    case kFadingBeat:
        return {training_says("lazy.heading"_t),
                backbone_words(arm_named(m, "teacher_forcing"), arm_named(m, "curriculum"), input.strip || input.presenter)};
    case 3:
        return training_says.beat("steps"_t, "one"_v = tokens("steps_1"), "three"_v = tokens("steps_3"),
                                  "seven"_v = arm_named(m, "steps_7") ? tokens("steps_7") : "");
    case 4:
        return training_says.beat("block"_t, "sixteen"_v = tokens("trained_16", 1), "eight"_v = tokens("trained_8", 1),
                                  "stretched"_v = tokens("trained_8"));
    case 5: {
        const PublishedFigure* gain = input.figures ? input.figures->find("dflash-loss-decay-gain") : nullptr;
        return training_says.beat("early"_t, "gain"_v = gain ? published_number(gain->values.front()) : "");
    }
    default: return prediction_words(m);
    }
}

std::string range_words(const TrainingModel::Ends& ends) {
    return training_says("words.range"_t, "low"_v = ui::per_round(ends.low->tokens), "high"_v = ui::per_round(ends.high->tokens));
}

std::string arm_words(const TrainingModel& m, int arm, const TrainingArm::Bar& bar) {
    return m.arms[static_cast<std::size_t>(arm)].name + " " + ui::per_round(bar.tokens);
}

// " · with 15 guesses too close to call": lengths of which nothing can be said beside one that differs.
std::string alike_words(const TrainingModel& m) {
    std::string lengths;
    std::size_t alike = 0;
    for (const TrainingModel::Ends& ends : m.ends) {
        if (ends.apart()) continue;
        ++alike;
        lengths += (lengths.empty() ? "" : training_says("words.and"_t)) + std::to_string(ends.drafts);
    }
    if (alike == 0) return {};
    if (alike == m.ends.size()) return training_says("words.overlap"_t);
    return training_says("words.alike"_t, "lengths"_v = lengths);
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
    title.title = study_words(*m.study);
    std::string alike;
    if (m.arms.size() > 1) {
        const auto found = std::ranges::find_if(m.ends, &TrainingModel::Ends::apart);
        const bool several = m.ends.size() > 1;
        if (found != m.ends.end()) {
            const int guesses = several ? found->drafts : 0;
            const std::string study = title.title;
            title.short_title =
                training_says("title.ends_short"_t, "study"_v = study, "range"_v = range_words(*found), "guesses"_v = guesses);
            title.title =
                training_says("title.ends"_t, "study"_v = study, "guesses"_v = guesses, "best"_v = arm_words(m, found->best, *found->high),
                              "worst"_v = arm_words(m, found->worst, *found->low));
        } else if (!m.ends.empty()) {
            title.title = training_says("title.close"_t, "study"_v = title.title, "range"_v = range_words(m.ends.front()));
        }
        alike = alike_words(m);
    }
    title.subtitle =
        training_says("subtitle.arms"_t, "target"_v = m.study->target, "steps"_v = m.chosen().steps, "prompts"_v = m.chosen().prompts,
                      "temperature"_v = at_temperature(m), "alike"_v = alike, "machine"_v = m.machine, "date"_v = m.date);
    return title;
}

StageTitle training_stage_title(const SceneInput& input, const TrainingModel& m) {
    StageTitle title = training_title(m);
    if (!m.study) return title;
    const std::string generic = title.title;
    if (input.beat == 0 && !m.ends.empty()) {
        title.title = training_says("use.title"_t, "study"_v = study_words(*m.study), "arms"_v = m.arms.size(),
                                    "range"_v = range_words(m.ends.front()));
    } else if (m.study->name == kPrefixStudy && input.beat == kPrefixBeat) {
        const TrainingArm *own = arm_named(m, "self_generated"), *text = arm_named(m, "teacher_forcing");
        if (own && text) title.title = training_says("prefix.title"_t, "own"_v = tokens_of(own), "text"_v = tokens_of(text));
    } else if (m.study->name == kPrefixStudy && input.beat == kFadingBeat) {
        const TrainingArm *text = arm_named(m, "teacher_forcing"), *fading = arm_named(m, "curriculum");
        if (text && fading && !text->base_loss.empty() && !fading->base_loss.empty())
            title.title = training_says("lazy.title"_t, "loss"_v = last_base(text), "fading"_v = last_base(fading));
    }
    if (title.title != generic) title.short_title.clear();
    return title;
}

Story training_story(const SceneInput& input, const TrainingModel& m, const TrainingState& state) {
    Story story = story_at_beat(input, kTrainingBeats);
    const Words words = beat_words(input, m, state, story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    if (m.losses && story.step - 1 == kFadingBeat) story.what_if = training_says("lazy.aside"_t);
    if (story.step - 1 == kLiveBeat) finish_live_story(input, state, story);
    return story;
}

std::string training_description(const SceneInput& input, const TrainingModel& m, const TrainingState& state) {
    std::ostringstream out;
    const bool live = input.beat == kLiveBeat;
    const StageTitle title = live ? live_training_title(input, state) : training_stage_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(shown_tier(input, title.tier)) << "\n\n";
    if (live) {
        out << live_training_lines(input) << "\n" << describe_story(input, training_story(input, m, state));
        return out.str();
    }
    for (int i = 0; i < static_cast<int>(m.arms.size()); ++i) {
        const TrainingArm& arm = m.arms[static_cast<std::size_t>(i)];
        out << arm.name << (i == m.arm ? " (chosen)" : "") << ": ";
        if (!arm.loss.empty()) out << "loss " << ui::number(arm.loss.front(), 2) << " to " << ui::number(arm.loss.back(), 2);
        if (!arm.base_loss.empty())
            out << ", base " << ui::number(arm.base_loss.front(), 2) << " to " << ui::number(arm.base_loss.back(), 2);
        for (const TrainingArm::Bar& bar : arm.bars) {
            out << "; " << (bar.base_only ? std::string("base logits alone") : counted(bar.drafts, "guess")) << " "
                << ui::per_round(bar.tokens) << " [" << ui::number(bar.low, 2) << ", " << ui::number(bar.high, 2) << "]";
        }
        out << "\n";
        if (i != m.arm || arm.conditional.empty()) continue;
        out << "  kept by position:";
        for (std::size_t k = 0; k < arm.conditional.size(); ++k)
            out << (k ? ", " : " ") << k + 1 << ": " << ui::probability(arm.conditional[k]) << (arm.few(k) ? " (few)" : "");
        out << "\n";
    }
    if (m.losses)
        out << "After " << ui::percent(state.progress) << " of the run: weight of the base loss " << ui::probability(m.losses->weight)
            << ", loss " << ui::number(m.losses->total(), 2) << "\n";
    out << (m.weights.by_step ? "Weights of the test-time steps, " : "Weights of the first positions, ") << weights_words(m.weights)
        << (m.own_weights ? ", not the arm's" : "");
    for (int k = 1; k <= std::min(5, m.weights.positions) && !m.weights.by_block; ++k)
        out << (k > 1 ? ", " : ": ") << ui::probability(m.weights(k));
    out << "\n\n" << describe_story(input, training_story(input, m, state));
    return out.str();
}

} // namespace speclens
