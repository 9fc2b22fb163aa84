// Words of the EAGLE-3 scene: title, six beats, and the frame as text.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "scenes/eagle3/eagle3_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/published_round.h"
#include "scenes/shared/usual.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

Words beat_words(const SceneInput& input, const Eagle3Model& m, int beat) {
    const int n = m.steps();
    const auto ms = [](double value) { return ui::number(value, 2) + " ms"; };
    switch (beat) {
    case 0:
        return {"Read the target's mind",
                "While it checks text, the target leaves hidden states behind. EAGLE-3 takes them at " +
                    (m.taps.empty() ? std::string("a few layers")
                                    : counted(static_cast<int>(m.taps.size()), "layer")) +
                    ", early and late, and one matrix fuses them into a single feature. That happens once a "
                    "round, not once a guess."};
    case 1:
        return {"One layer guesses",
                "Step 1 joins the feature with the newest token, " + word(input, m.anchor) +
                    ", and runs one layer. Its own small LM head turns the output into a distribution; the guess is " +
                    word(input, m.slot(0).draft->token) + "."};
    case 2:
        if (n < 2)
            return {"Its output feeds it again", "With more than one guess the output of a step becomes the "
                                                 "next step's feature. This round drafted only one."};
        return {"Its output feeds it again",
                "There is no true feature for the next position yet: the target has not run there. So step 2 "
                "reads the output of step 1 and the "
                "guess " +
                    word(input, m.slot(0).draft->token) +
                    " instead. Every further guess stands on what the head made up itself."};
    case 3: {
        if (m.errors.empty())
            return {"Errors add up", "When the target has run, the true features are known and can be "
                                     "compared with the head's own. In this run they were not recorded."};
        std::string text =
            "Once the target has run, the true features are known. The first own feature is off by " +
            ui::number(m.errors.front(), 2) + " of its length " + (m.instead_of.empty() ? "on average" : "in this round");
        if (m.errors.size() > 1)
            text +=
                ", that of step " + std::to_string(m.errors.size()) + " by " + ui::number(m.errors.back(), 2);
        if (m.instead_of.empty() && errors_add_up(input, m))
            return {"Errors add up", text + ", and later guesses stay less often: each stands on what the step before "
                                            "got wrong."};
        text += ". It is not trained to match them, only to guess well";
        if (const auto heads = trained_steps(input))
            return {"Off the true features, on purpose",
                    text + ", from its own output too. A head trained on one step loses its second guess: " +
                        ui::probability(heads->one->conditional[1]) + " stay, with seven steps " +
                        ui::probability(heads->many->conditional[1]) + "."};
        return {"Off the true features, on purpose", text + "."};
    }
    case 4: {
        if (m.draft_ms <= 0)
            return {"Every guess is a pass",
                    "This run recorded no times. Run it again to see what each step costs."};
        std::string text = counted(n, "guess") + " took " + counted(n, "pass") + " and " +
                           timed_words(*input.whole, *m.cycle, draft_time);
        if (m.further_ms > 0)
            text +=
                "; the first also reads what the target just said, each further one took " + ms(m.further_ms);
        text += ". The verify pass took " + timed_words(*input.whole, *m.cycle, verify_time) +
                ". Better guesses, but the bill grows with every one of them.";
        return {"Every guess is a pass", capital(text)};
    }
    default: {
        if (!m.instead_of.empty())
            return {"How far to guess", "One round says little: how often each guess stays takes a run of EAGLE-3's own."};
        const AcceptanceSeries all = acceptance_of(*input.whole, "");
        if (all.judged.empty()) return {"How far to guess", "Nothing was judged yet."};
        const auto rate = [&](std::size_t i) {
            return ui::probability(all.judged[i] ? static_cast<double>(all.kept[i]) / all.judged[i] : 0);
        };
        std::string text = "In this run the first guess stayed in " + std::to_string(all.kept[0]) + " of " +
                           counted(all.judged[0], "round") + " (" + rate(0) + ")";
        if (all.judged.size() > 1)
            text += ", position " + std::to_string(all.judged.size()) + " in " +
                    std::to_string(all.kept.back()) + " of the " + std::to_string(all.judged.back()) +
                    " that came so far";
        text += ". A guess more is worth its pass only as long as the ones before it stay.";
        return {"How far to guess", text};
    }
    }
}

// What the picture of a beat shows; empty: the round as a whole.
std::string beat_title(const SceneInput& input, const Eagle3Model& m) {
    switch (input.beat) {
    case 0:
        return m.taps.empty() ? "" : counted(static_cast<int>(m.taps.size()), "layer") + " of the target, fused once a round";
    case kEagle3FirstStepBeat:
        return "One layer makes " + word(input, m.slot(0).draft->token) + " of a feature and " + word(input, m.anchor);
    case 2:
        return m.steps() > 1 ? "Step 2 reads what step 1 wrote" : "";
    case kEagle3ErrorsBeat:
        return m.errors.empty()          ? std::string()
               : errors_add_up(input, m) ? "Its own features drift, and its guesses with them"
               : input.whole->accepted_drafts * 2 > input.whole->drafted
                   ? "Its features are off, and most of its guesses right"
                   : "How far its own features are off";
    case kEagle3TimesBeat:
        return m.draft_ms > 0 ? capital(counted(m.steps(), "guess")) + ", " + counted(m.steps(), "pass") + ": " +
                                    timed_words(*input.whole, *m.cycle, draft_time)
                              : "";
    default:
        return m.instead_of.empty() ? "How often each guess stays in this run" : "";
    }
}

} // namespace

std::string eagle3_empty_words(const Eagle3Model& m) {
    switch (m.empty) {
    case Eagle3Model::Empty::no_run:
        return "The feature and the steps will stand here once a run has begun.";
    case Eagle3Model::Empty::other_drafter:
        return other_drafter_words(m, "EAGLE-3", "How one layer continues the target's features");
    case Eagle3Model::Empty::no_cycle:
        return "Nothing has been drafted yet: step on, or wait for the run.";
    case Eagle3Model::Empty::no:
        break;
    }
    return {};
}

StageTitle eagle3_title(const SceneInput& input, const Eagle3Model& m) {
    StageTitle title;
    title.tier = tier_of(input.whole->header);
    if (m.empty != Eagle3Model::Empty::no) {
        title.title = "Good guesses, one pass at a time";
        title.subtitle = "EAGLE-3: one layer continues the target's own features";
        return title;
    }
    const int n = m.steps();
    title.subtitle = head_conditions(m, "step");
    if (const std::string about = beat_title(input, m); !about.empty()) {
        title.title = about;
        return title;
    }
    title.title = counted(n, "guess") + ", " + counted(n, "pass") +
                  (m.draft_ms > 0 ? ": " + timed_words(*input.whole, *m.cycle, draft_time) : std::string()) + "; " +
                  std::to_string(m.cycle->accepted) + " kept";
    return title;
}

Story eagle3_story(const SceneInput& input, const Eagle3Model& m) {
    Story story = story_at_beat(input, kEagle3Beats);
    const int beat = story.step - 1;
    if (m.empty != Eagle3Model::Empty::no) {
        story.heading =
            m.empty == Eagle3Model::Empty::other_drafter ? "Not an EAGLE-3 run" : "Waiting for a draft";
        story.text = eagle3_empty_words(m);
        if (m.empty == Eagle3Model::Empty::other_drafter) take_beats(story, "Draft with EAGLE-3 first (U)");
        return story;
    }
    const Words words = beat_words(input, m, beat);
    story.heading = words.heading;
    story.text = words.text;
    if (beat == 4 && models_loaded(input)) {
        const Study* study = study_named(input, kTimeStudy);
        story.task = "Measure 1 to 15 guesses: M";
        story.task_done = study && study->complete();
        story.on_task = {Command{time_study(input)}};
    }
    stand_in(story, m, "EAGLE-3");
    return story;
}

std::string eagle3_description(const SceneInput& input, const Eagle3Model& m) {
    std::ostringstream out;
    const StageTitle title = eagle3_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    if (m.empty == Eagle3Model::Empty::no) {
        if (!m.taps.empty()) {
            out << "Taps: layers";
            for (const Internals::Strip* tap : m.taps)
                out << " " << tap->name.substr(4) << (tap == m.taps.back() ? "\n" : ",");
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
                out << (e ? ", " : " ") << word(input, top.entries[e].id) << " "
                    << ui::probability(std::exp(top.entries[e].logp));
            out << "; draft " << word(input, slot.draft->token) << ", " << fate_words(slot.state);
            if (m.error(i) >= 0) out << "; own feature off by " << ui::number(m.error(i), 2);
            out << "\n";
        }
        if (!m.errors.empty()) {
            out << "Feature error " << (m.instead_of.empty() ? "over the run:" : "in this round:");
            for (std::size_t i = 0; i < m.errors.size(); ++i)
                out << " step " << i + 1 << " " << ui::number(m.errors[i], 2)
                    << (m.instead_of.empty() ? " of " + counted(m.known[i], "round") : std::string()) << (i + 1 == m.errors.size() ? "\n" : ",");
        }
        if (m.draft_ms + m.verify_ms > 0)
            out << "Clock: draft " << ui::number(m.draft_ms, 2) << " ms, verify "
                << ui::number(m.verify_ms, 2) << " ms\n";
        out << describe_times(time_series(input, "eagle3"));
        if (m.instead_of.empty())
            out << "Kept by position, " << describe_acceptance(acceptance_of(*input.whole, "this run")) << "\n";
    }
    if (m.empty == HeadModel::Empty::no) out << describe_published(*input.whole, input.figures, m.instead_of.empty());
    out << describe_story(eagle3_story(input, m));
    return out.str();
}

} // namespace speclens
