// Words of the DFlash scene: title, six beats, and the frame as text.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "scenes/dflash/dflash_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/published_round.h"
#include "scenes/shared/second_draw.h"
#include "scenes/shared/usual.h"
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
    return drafted + " (" + (q ? fine_probability(*q) : std::string("<.01")) +
           (best.id == slot.draft->token
                ? std::string()
                : ", while " + word(input, best.id) + " had " + ui::probability(std::exp(best.logp))) +
           ")";
}

// "“I” .55, “you” .30": what might have stood before guess `index`.
std::string open_words(const SceneInput& input, const DraftSlot& before) {
    const TopEntries& distribution = at_one(*before.draft);
    std::string words;
    for (std::size_t i = 0; i < distribution.entries.size() && i < 2; ++i)
        words += (i > 0 ? ", " : "") + word(input, distribution.entries[i].id) + " " +
                 ui::probability(std::exp(distribution.entries[i].logp));
    return words;
}

// The guess that was refused, and only what can be seen of the reason.
Words blind_words(const SceneInput& input, const DFlashModel& m) {
    const int refused = m.refused(), at = m.selected;
    const std::string all = "All distributions were ready before anything was chosen. ";
    if (refused > 0) {
        const std::string guess = drafted_words(input, m.slot(refused)),
                          before = word(input, m.slot(refused - 1).draft->token),
                          place = std::to_string(refused + 1);
        if (open_before(*m.cycle, refused))
            return {"No guess knows another",
                    all + "Place " + std::to_string(refused) + " was open: " + open_words(input, m.slot(refused - 1)) +
                        ". Position " + place + " had one distribution for both, and said " + guess + ". " + capital(before) +
                        " was drawn, and after it the target refused the guess."};
        return {"Refused, but not for want of knowing",
                "Position " + place + " said " + guess + ", and the target refused it. " + capital(before) +
                    " before it was as good as certain, so knowing it would have changed little: " +
                    (m.greedy ? "the target's favourite is another token. " : "the coin fell against it. ") +
                    without_example_words(input, blind_refusal())};
    }
    return {"No guess knows another",
            all + "Position " + std::to_string(at + 1) + " says " + word(input, favourite(at_one(*m.slot(at).draft))) +
                " whatever is drawn before it. " +
                (refused == 0 ? "Here the first guess was already refused. " : "Here none was refused. ") +
                without_example_words(input, blind_refusal())};
}

Words beat_words(const SceneInput& input, const DFlashModel& m, int beat) {
    const int n = m.guesses(), at = m.selected;
    const std::string guesses = counted(n, "guess"), ms = timed_words(*input.whole, *m.cycle, draft_time);
    switch (beat) {
    case 0:
        return {"Masks, all at once",
                "The block is the newest token, " + word(input, m.anchor) + ", and " +
                    counted(m.slots - 1, "mask") + ". One pass of a small network fills " + (m.slots > 2 ? "them all: " : "it: ") +
                    guesses + (m.draft_ms > 0 ? " in " + ms : std::string()) +
                    (n > 1 ? ". A drafter that guesses one by one would run " + counted(n, "time") + "."
                           : std::string(". With a larger K it still runs only once."))};
    case 1:
        if (!m.conditioned)
            return {"Nothing from the target",
                    "In this run the block gets no states of the target: it sees its anchor and its masks, "
                    "nothing of the text. What that costs "
                    "shows in the acceptance at the right."};
        return {
            "The target's states come in",
            "The small network gets no words of the text, only the target's hidden states at " +
                counted(m.seen, "place") +
                (m.taps.empty() ? std::string()
                                : ", taken at " + counted(static_cast<int>(m.taps.size()), "layer")) +
                ". They stand ready as keys and values in each of its layers. The target made them anyway "
                "when it checked the text."};
    case 2:
        return {"Who sees whom",
                "In the block everything sees everything: mask " + std::to_string(at + 1) + " looks at " +
                    (m.seen > 0 ? "the target's states of the text and at " : std::string()) + all_slots(m) +
                    (at + 2 < m.slots ? ", later ones too" : "") +
                    ". The target's check is causal: there a guess "
                    "sees only what stands before it."};
    case 3:
        return blind_words(input, m);
    case 4: {
        const std::vector<TimeSeries> series = time_series(input, "dflash");
        const Study* study = study_named(input, kTimeStudy);
        const auto find = [&](const char* which) -> const TimeSeries* {
            for (const TimeSeries& s : series)
                if (s.name == which) return &s;
            return nullptr;
        };
        const TimeSeries *block = find("DFlash"), *chain = find("EAGLE-3");
        if (!study || !study->complete() || !block || block->points.size() < 2)
            return {"Time against guesses",
                    "One pass for one guess or for fifteen: measured here, on this machine, against a "
                    "drafter that runs once per guess. Press M and "
                    "the loaded drafters are timed on one prompt."};
        std::string text = "From " + std::to_string(block->points.front().first) + " to " +
                           std::to_string(block->points.back().first) + " guesses DFlash goes from " +
                           ui::number(block->points.front().second, 2) + " to " +
                           ui::number(block->points.back().second, 2) + " ms";
        if (chain && chain->points.size() > 1)
            text += ", EAGLE-3 from " + ui::number(chain->points.front().second, 2) + " to " +
                    ui::number(chain->points.back().second, 2) + " ms";
        const double growth = block->points.back().second / std::max(1e-9, block->points.front().second);
        text += growth > 1.3 ? ". Not flat: on a CPU more rows cost time, on a GPU they hardly would."
                             : ". As good as flat.";
        return {"Time against guesses", text};
    }
    default: {
        const std::vector<AcceptanceSeries> series = conditioning_series(input);
        const Study* study = study_of(input, conditioning_study(input));
        if (!study || !study->complete() || series.size() < 2)
            return {"What conditioning is worth",
                    "Take the target's states away and draft the same prompt with the same dice: C measures "
                    "both. What is left then is what the block "
                    "knows from its anchor alone."};
        const double on = study->points[0].tokens_per_round(), off = study->points[1].tokens_per_round();
        return {"What conditioning is worth",
                "Same prompt, same dice, " + sample_words(*study) + ": " + ui::per_round(on) +
                    " tokens a round with the target's states, " + ui::per_round(off) + " without. " +
                    (on - 1 > 2 * (off - 1) ? "Most of the guesses that stay are owed to the target's states."
                     : on > off             ? "The states help."
                     : on < off             ? "On this prompt the block guessed better without them."
                                            : "On this prompt the states made no difference.")};
    }
    }
}

// What the picture of a beat shows; empty: the round as a whole.
std::string beat_title(const SceneInput& input, const DFlashModel& m) {
    switch (input.beat) {
    case kDFlashStatesBeat:
        return !m.conditioned ? std::string("This block gets no states of the target")
                              : "The block reads the target's states at " + counted(m.seen, "place") +
                                    ", and no word of the text";
    case kDFlashMasksBeat:
        return m.slots > 2 ? "In the block everybody sees everybody, also those behind" : "";
    case kDFlashTwiceBeat:
        return m.guesses() > 1 ? capital(number_word(m.guesses())) + " distributions, and none knows what another one drew" : "";
    case kDFlashTimesBeat:
        return "What a guess more costs in time";
    default:
        break;
    }
    if (input.beat <= kDFlashTimesBeat || !m.instead_of.empty()) return "";
    const Study* study = study_of(input, conditioning_study(input));
    if (!study || !study->complete() || study->points.size() < 2) return "How often each place stays in this run";
    return ui::per_round(study->points[0].tokens_per_round()) + " tokens a round with the target's states, " +
           ui::per_round(study->points[1].tokens_per_round()) + " without";
}

void add_task(Story& story, const SceneInput& input, const DFlashModel& m, int beat) {
    if (beat == kDFlashTwiceBeat && m.instead_of.empty() && !blind_refusal().holds(*m.cycle) &&
        found_elsewhere(input, blind_refusal()).settings) {
        offer_example(story, input, blind_refusal());
    } else if (beat == kDFlashTwiceBeat && m.guesses() > 1) {
        const int at = std::max(1, m.selected);
        story.task =
            "Draw guess " + std::to_string(at + 1) + " after another guess " + std::to_string(at) + ": W";
        story.task_done = second_draw(input, m).has_value();
    } else if (beat == 4) {
        const Study* study = study_named(input, kTimeStudy);
        story.task = "Measure the draft times: M";
        story.task_done = study && study->complete();
        story.on_task = {Command{time_study(input)}};
    } else if (beat == 5) {
        const Study* study = study_of(input, conditioning_study(input));
        story.task = "Measure with and without states: C";
        story.task_done = study && study->complete();
        story.on_task = {Command{conditioning_study(input)}};
    }
}

} // namespace

std::string dflash_empty_words(const DFlashModel& m) {
    switch (m.empty) {
    case DFlashModel::Empty::no_run:
        return "The block and its distributions will stand here once a run has begun.";
    case DFlashModel::Empty::other_drafter:
        return other_drafter_words(m, "DFlash", "A block filled in one pass");
    case DFlashModel::Empty::no_cycle:
        return "No block has been drafted yet: step on, or wait for the run.";
    case DFlashModel::Empty::no:
        break;
    }
    return {};
}

StageTitle dflash_title(const SceneInput& input, const DFlashModel& m) {
    StageTitle title;
    title.tier = tier_of(input.whole->header);
    if (m.empty != DFlashModel::Empty::no) {
        title.title = "One pass drafts the block";
        title.subtitle = "DFlash: masks, filled at once by a small network that reads the target's states";
        return title;
    }
    const int n = m.guesses();
    title.subtitle = head_conditions(m, "position") + " · anchor " + word(input, m.anchor);
    if (const std::string about = beat_title(input, m); !about.empty()) {
        title.title = about;
        return title;
    }
    title.title = "One pass drafted " + counted(n, "guess") +
                  (m.draft_ms > 0 ? " in " + timed_words(*input.whole, *m.cycle, draft_time) : std::string()) +
                  "; " +
                  std::to_string(m.cycle->accepted) + " kept";
    return title;
}

Story dflash_story(const SceneInput& input, const DFlashModel& m) {
    Story story = story_at_beat(input, kDFlashBeats);
    const int beat = story.step - 1;
    if (m.empty != DFlashModel::Empty::no) {
        story.heading =
            m.empty == DFlashModel::Empty::other_drafter ? "Not a DFlash run" : "Waiting for a block";
        story.text = dflash_empty_words(m);
        if (m.empty == DFlashModel::Empty::other_drafter) take_beats(story, "Draft with DFlash first (U)");
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
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    if (m.empty == DFlashModel::Empty::no) {
        out << "Block: anchor " << word(input, m.anchor) << " and " << counted(m.slots - 1, "mask") << ". "
            << dflash_mask_words(m) << "\n";
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
        if (!series.empty())
            out << "Measured with " << sample_words(*study_of(input, conditioning_study(input))) << "\n";
        if (series.empty() && m.instead_of.empty())
            out << "Kept by position, " << describe_acceptance(acceptance_of(*input.whole, "this run"));
        out << "\n";
    }
    out << describe_second_draw(input, m);
    if (m.empty == HeadModel::Empty::no) out << describe_published(*input.whole, input.figures, m.instead_of.empty());
    out << describe_story(dflash_story(input, m));
    return out.str();
}

} // namespace speclens
