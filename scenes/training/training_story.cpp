// Words of S10: title, beats, and the frame as text.
#include <algorithm>
#include <sstream>

#include "engine/published/published_words.h"
#include "scenes/shared/words.h"
#include "scenes/training/training_draw.h"
#include "ui/format.h"

namespace speclens {
namespace {

constexpr int kFadingBeat = 2; // the base loss that fades

const TrainingArm* arm_named(const TrainingModel& m, const char* name) {
    for (const TrainingArm& arm : m.arms)
        if (arm.arm->name == name) return &arm;
    return nullptr;
}

std::string last_loss(const TrainingArm* arm) {
    return arm && !arm->loss.empty() ? ui::number(arm->loss.back(), 2) : std::string("–");
}

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
    std::string words = brief
                            ? "With the final loss alone, the paper reports, the backbone turns lazy."
                            : "With the final loss alone, the paper reports, the head carries the block and "
                              "the backbone turns lazy.";
    if (!text || !fading || text->base_loss.empty() || fading->base_loss.empty()) return words;
    words += std::string(fading->base_loss.back() < text->base_loss.back() ? " Our losses point that way: "
                                                                           : " Our losses do not: ") +
             "base loss " + last_base(text) + ", and " + last_base(fading) +
             (brief ? " where it fades." : " where its weight fades 1 → 0.");
    const TrainingArm::Bar *without = base_bar(text), *with = base_bar(fading);
    if (!without || !with) return words;
    const std::string steps = counted(std::max(text->steps, fading->steps), "step");
    words += with->low > without->high   ? " The text shows it: "
             : without->low > with->high ? " The text shows the opposite: "
             : brief                     ? " The text does not show it: "
                                         : " Runs of " + steps + " are too short to show it in the text: ";
    if (brief)
        return words + "base logits bring " + ui::per_round(without->tokens) + " and " +
               ui::per_round(with->tokens) + " tokens.";
    return words + "base logits alone bring " + with_interval(*without) + " and " + with_interval(*with) +
           " tokens.";
}

std::string tokens_of(const TrainingArm* arm, std::size_t bar = 0) {
    return arm && bar < arm->bars.size() ? ui::per_round(arm->bars[bar].tokens) : std::string("–");
}

Words beat_words(const SceneInput& input, const TrainingModel& m, int beat) {
    if (beat == kLiveBeat) return live_training_words(input);
    if (!m.study)
        return {"Experiments are not at hand", "The recipe's experiments come with the built-in models, in "
                                               "ablations.json. This installation has none."};
    switch (beat) {
    case 0:
        return {"Train where it will be used", "A drafter learns from text that the target wrote itself, and "
                                               "from the target's hidden states. How it is trained decides "
                                               "the rest. Here are short runs of the recipe, "
                                               "side by side."};
    case 1: {
        const TrainingArm *own = arm_named(m, "self_generated"), *text = arm_named(m, "teacher_forcing");
        return {"Whose prefix does the head see?",
                "In use, Domino's head reads its own guesses. Trained so, it learns from prefixes that are "
                "often wrong; trained on the true text, from clean ones. Final loss: " +
                    last_loss(own) + " against " + last_loss(text) + ", on different prefixes; in use " +
                    tokens_of(own, 0) + " and " + tokens_of(text, 0) + " tokens per round."};
    }
    case kFadingBeat:
        return {"A backbone that may not be lazy",
                backbone_words(arm_named(m, "teacher_forcing"), arm_named(m, "curriculum"),
                               input.strip || input.presenter)};
    case 3: {
        const TrainingArm *one = arm_named(m, "steps_1"), *three = arm_named(m, "steps_3"),
                          *seven = arm_named(m, "steps_7");
        return {
            "Why EAGLE-3 differs",
            "EAGLE-3 feeds its own features back. Trained for one step it never saw them: " + tokens_of(one) +
                " tokens per round; for three steps " + tokens_of(three) +
                (seven ? ", for seven " + tokens_of(seven) : std::string()) +
                ". Guesses beyond the trained steps are lost, as the curve shows. Its tokens are the true "
                "ones in either case."};
    }
    case 4: {
        const TrainingArm *sixteen = arm_named(m, "trained_16"), *eight = arm_named(m, "trained_8");
        return {
            "The block of training and of use",
            "A block of 16 can be served with 7 guesses: " + tokens_of(sixteen, 1) +
                " tokens per round. One trained on blocks of 8, its weights falling faster as well, gives " +
                tokens_of(eight, 1) + " there, and " + tokens_of(eight, 0) +
                " when 15 guesses are asked of it: more than it was trained for brings it next to nothing."};
    }
    case 5: {
        std::string published;
        if (input.figures)
            if (const PublishedFigure* gain = input.figures->find("dflash-loss-decay-gain"))
                published = " An article on DFlash reports about " + published_number(gain->values.front()) +
                            " tokens per round for it (PUBLISHED).";
        return {"Early positions first", "A guess counts only if all before it are kept, so a mistake at the "
                                         "first position costs the whole block. The loss says "
                                         "so by weights that fall with the position: drag g." +
                                             published};
    }
    default: {
        const TrainingArm *with = arm_named(m, "modes_domino"), *without = arm_named(m, "no_modes_domino");
        const auto gain = [](const TrainingArm* arm) {
            return arm && arm->bars.size() > 1 && arm->bars[1].tokens > 0
                       ? arm->bars[0].tokens / arm->bars[1].tokens
                       : 0.0;
        };
        const auto times = [](double factor) { return factor > 0 ? ui::speed_up(factor) : std::string("–"); };
        const bool failed = gain(without) > 1.05;
        return {failed ? "A prediction that failed" : "A prediction",
                "Where no choice spans several tokens, a head that sees its own guesses should gain nothing: "
                "an ideal block needs none. Two small targets tested it: Domino over its base logits " +
                    times(gain(without)) + " without such choices, " + times(gain(with)) + " with." +
                    (failed ? " A real block is not ideal: the head repairs that too." : "")};
    }
    }
}

std::string range_words(const TrainingModel::Ends& ends) {
    return ui::per_round(ends.low->tokens) + " to " + ui::per_round(ends.high->tokens);
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
        lengths += (lengths.empty() ? "" : " and ") + std::to_string(ends.drafts);
    }
    if (alike == 0) return {};
    if (alike == m.ends.size()) return " · intervals overlap";
    return " · with " + lengths + " guesses too close to call";
}

} // namespace

StageTitle training_title(const TrainingModel& m) {
    StageTitle title;
    title.tier = ui::Tier::recorded;
    if (!m.study) {
        title.title = "How the drafters were trained";
        title.subtitle = "no experiments came with this bundle";
        return title;
    }
    title.title = study_words(m.study->name);
    std::string alike;
    if (m.arms.size() > 1) {
        const auto found = std::ranges::find_if(m.ends, &TrainingModel::Ends::apart);
        const bool several = m.ends.size() > 1;
        if (found != m.ends.end()) {
            const std::string with = several ? "with " + counted(found->drafts, "guess") : std::string();
            title.short_title = title.title + ": " + range_words(*found) + (several ? " " + with : "");
            title.title += ": " + (several ? with + " " : "") + arm_words(m, found->best, *found->high) +
                           ", " + arm_words(m, found->worst, *found->low);
        } else if (!m.ends.empty()) {
            title.title += ": " + range_words(m.ends.front()) + ", too close to call";
        }
        alike = alike_words(m);
    }
    title.subtitle = counted(m.chosen().steps, "step") + " an arm, " +
                     counted(m.chosen().prompts, "held-out prompt") + ", " + at_temperature(m) + alike +
                     (m.machine.empty() ? "" : " · " + m.machine) + (m.date.empty() ? "" : ", " + m.date);
    return title;
}

Story training_story(const SceneInput& input, const TrainingModel& m) {
    Story story = story_at_beat(input, kTrainingBeats);
    const Words words = beat_words(input, m, story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    if (m.losses && story.step - 1 == kFadingBeat) story.what_if = "Drag the line through the run.";
    if (story.step - 1 == kLiveBeat) finish_live_story(input, story);
    return story;
}

std::string training_description(const SceneInput& input, const TrainingModel& m,
                                 const TrainingState& state) {
    std::ostringstream out;
    const bool live = input.beat == kLiveBeat;
    const StageTitle title = live ? live_training_title(input) : training_title(m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    if (live) {
        out << live_training_lines(input) << "\n" << describe_story(training_story(input, m));
        return out.str();
    }
    for (int i = 0; i < static_cast<int>(m.arms.size()); ++i) {
        const TrainingArm& arm = m.arms[static_cast<std::size_t>(i)];
        out << arm.name << (i == m.arm ? " (chosen)" : "") << ": ";
        if (!arm.loss.empty())
            out << "loss " << ui::number(arm.loss.front(), 2) << " to " << ui::number(arm.loss.back(), 2);
        if (!arm.base_loss.empty())
            out << ", base " << ui::number(arm.base_loss.front(), 2) << " to "
                << ui::number(arm.base_loss.back(), 2);
        for (const TrainingArm::Bar& bar : arm.bars) {
            out << "; " << (bar.base_only ? std::string("base logits alone") : counted(bar.drafts, "guess"))
                << " " << ui::per_round(bar.tokens) << " [" << ui::number(bar.low, 2) << ", "
                << ui::number(bar.high, 2) << "]";
        }
        out << "\n";
        if (i != m.arm || arm.conditional.empty()) continue;
        out << "  kept by position:";
        for (std::size_t k = 0; k < arm.conditional.size(); ++k)
            out << (k ? ", " : " ") << k + 1 << ": " << ui::probability(arm.conditional[k])
                << (arm.few(k) ? " (few)" : "");
        out << "\n";
    }
    if (m.losses)
        out << "After " << ui::percent(state.progress) << " of the run: weight of the base loss "
            << ui::probability(m.losses->weight) << ", loss " << ui::number(m.losses->total(), 2) << "\n";
    out << (m.weights.by_step ? "Weights of the test-time steps, " : "Weights of the first positions, ")
        << weights_words(m.weights) << (m.own_weights ? ", not the arm's" : "");
    for (int k = 1; k <= std::min(5, m.weights.positions) && !m.weights.by_block; ++k)
        out << (k > 1 ? ", " : ": ") << ui::probability(m.weights(k));
    out << "\n\n" << describe_story(training_story(input, m));
    return out.str();
}

} // namespace speclens
