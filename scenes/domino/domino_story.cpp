// Words of the Domino scene: title, eight beats, and the frame as text: every distribution, state, correction, verdict and time
// that is visible. All from the cycle that is shown.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "scenes/domino/domino_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/second_draw.h"
#include "scenes/shared/usual.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

using ui::probability;

using State = DominoVerdict::State;

int best(const TopEntries& top) {
    return top.entries.empty() ? -1 : top.entries.front().id;
}
int changed_count(const DominoModel& m) {
    return static_cast<int>(
        std::ranges::count_if(m.columns, [](const DominoColumn& c) { return c.changed; }));
}
// What stands before a position: the guess before it, or the anchor.
int before_of(const DominoModel& m, int i) {
    return i > 0 ? m.column(i - 1)->draft->token : m.anchor;
}

Words without_head(const SceneInput& input, const DominoModel& m, int beat) {
    (void)input;
    const std::string kept = capital(counted(m.kept_on, "guess")) + " of " + std::to_string(m.columns.size());
    if (beat <= 1)
        return {"The block alone", "With the head off this is DFlash's way to draft: one pass fills every "
                                   "mask, and each row is read by the target's "
                                   "frozen LM head. No row knows what was chosen in another row."};
    if (beat == kDominoBothBeat && m.other == DominoModel::Other::whole)
        return {"The same block, both ways", "Without the head the target kept " + std::to_string(m.kept_on) +
                                                 " of " + std::to_string(m.columns.size()) +
                                                 " guesses here; with it, on the same text and dice, " +
                                                 std::to_string(m.kept_off) + "."};
    return {"No state, no correction",
            kept + (m.kept_on == 1 ? " was" : " were") +
                " kept. There is no state and no correction to show in this run. Switch the head on "
                "with H: the block, its rows "
                "and its base distributions stay the same, only what is drawn from them changes."};
}

Words beat_words(const SceneInput& input, const DominoModel& m, int beat) {
    if (!m.head_on) return without_head(input, m, beat);
    const int n = static_cast<int>(m.columns.size()), at = telling_position(m);
    const DominoColumn& c = *m.column(at);
    const std::string position = "position " + std::to_string(at + 1), token = word(input, c.draft->token);
    const std::string base = word(input, c.base_choice), last = word(input, best(c.final));
    const std::string before = word(input, before_of(m, at));
    const std::optional<double> had = listed(c.base, best(c.final)); // of its favourite, before
    const Internals* lens = c.lens();
    const std::optional<double> up = correction_of(c, best(c.final)), down = correction_of(c, c.base_choice);
    const std::string added = // what δ did to the two favourites
        !up ? std::string()
            : capital(position) + ": " + ui::signed_number(*up, 1) + " for " + last +
                  (c.changed && down ? ", " + ui::signed_number(*down, 1) + " for " + base : "") + ". ";
    // Of another drafter's run there is this one round only.
    const auto jump = [&](const char* where) { return m.instead_of.empty() ? std::string(where) : std::string(); };
    switch (beat) {
    case 0:
        return {"One pass fills the block",
                "The block holds the newest token, the anchor, and masks. One pass of a small backbone turns "
                "them into rows H. Every row sees "
                "the target's hidden states of the text and the whole block, in both directions. " +
                    capital(counted(n, "guess")) + " will come of it."};
    case 1:
        return {"Each row gets a distribution",
                "The target's own LM head, frozen, reads all rows in one go. That is cheap, but the distributions do "
                "not know one another: the base "
                "distribution of " +
                    position + " says " + base + " (" +
                    probability(std::exp(c.base.empty() ? 0.0 : c.base.entries.front().logp)) +
                    ") whatever is chosen before it."};
    case 2:
        if (c.changed && at != m.rescued)
            return {"Another favourite",
                    "No row knows what stands before it. The head does, and at " + position + ", behind " +
                        before + ", it makes " + last + " the favourite instead of " + base +
                        ". Whether that is better is for the target to say, and " +
                        (m.rescued < 0 ? "in this round it does not say so." +
                                             jump(" Jump with Y to a round where it does.")
                                       : "it says so at position " + std::to_string(m.rescued + 1) + ".")};
        if (c.changed)
            return {"Favourites that do not fit",
                    "Put the base favourite behind what was drafted: " + before + ", then " + base +
                        ". It was likely only because its row does not know what stands before it. The head "
                        "does, and makes " +
                        last + " the favourite of " + position + " instead."};
        if (const int changed = changed_count(m); changed > 0)
            return {"Here the favourite fits",
                    "At " + position + ", behind " + before + ", the head leaves " + base +
                        " the favourite. In this round it changes " + counted(changed, "favourite") + "."};
        if (n == 1 && !c.corrected)
            return {"One guess, nothing to fit",
                    "It comes from its base distribution alone: nothing is drafted yet that it could clash with, so "
                    "the head is not asked. With a larger K it is, from the second guess on."};
        if (m.column(0)->on.state == State::rejected)
            return {"Here no favourite changes",
                    "In this round the head leaves every favourite as it was, and the target refuses the "
                    "first guess all the same." +
                        jump(" Jump with Y to a round where the head helps.")};
        return {"Here the favourites fit", "In this round the head leaves every favourite as it was: the "
                                           "guesses already fit together." +
                                               jump(" Jump with Y to a round where they do not.")};
    case 3:
        return {"The GRU reads the draft",
                "State S" + std::to_string(at + 1) + " has read the anchor" +
                    (at > 0 ? " and " + counted(at, "guess") : std::string()) +
                    ". Before each guess one GRU step mixes in the newest token" +
                    (lens && lens->number("mean z")
                         ? ": the update gate z keeps " + probability(*lens->number("mean z")) +
                               " of the old state on average, the reset gate r is " +
                               probability(lens->number("mean r").value_or(0))
                         : std::string()) +
                    ". Only the head, this step and its correction, runs guess by guess."};
    case 4: {
        const Internals::Mover* mover = largest_mover(c);
        if (!mover)
            return {"A low-rank correction",
                    c.corrected
                        ? "Row H and state S meet in a narrow layer, and one matrix spreads the "
                          "result over the whole vocabulary: δ, "
                          "added to the base logits. This run recorded no lens to show its values."
                        : "The first guess comes from its base distribution alone: there is nothing drafted "
                          "yet that it could clash with. " +
                              std::string(n == 1 ? "With a larger K, δ is added to the base logits from "
                                                   "the second guess on."
                                                 : "From the next position on, δ is added to the base "
                                                   "logits.")};
        const Internals::Strip* mixed = lens->strip("low rank");
        // Where one token has nearly all, nothing that δ did to it shows in the distribution.
        const std::string moved =
            lens->movers.size() < 2
                ? " Only " + word(input, mover->token) + " is likely there, before and after."
            : std::abs(mover->gain()) < 0.05 ? std::string(" It moves all likely tokens alike.")
                                             : " Of the likely tokens it moves " + word(input, mover->token) +
                                                   " most: " + ui::signed_number(mover->gain(), 1) +
                                                   " logits, less the part that all tokens share.";
        return {"A low-rank correction",
                "Row H and state S meet in " +
                    (mixed ? std::to_string(mixed->values) + " numbers" : std::string("a narrow layer")) +
                    "; one matrix spreads them over the vocabulary: δ, one number per token, of size " +
                    ui::number(correction_size(m, c).value_or(0), 1) + " at " + position + "." + moved};
    }
    case 5:
        return {
            "Logits add, distributions follow",
            c.corrected
                ? "δ is added to the logits, and softmax makes the final distribution. " + added + last + " now has " +
                      probability(c.final.empty() ? 0 : std::exp(c.final.entries.front().logp)) +
                      (had ? "; in the base distribution it had " + probability(*had)
                           : std::string("; in the base distribution it was not among the likely ones")) +
                      ". The guess " + token + " is taken from the final distribution, so verification stays exact."
                : "At " + position + " nothing is added: the final distribution is the base distribution, and the guess is " +
                      token + "."};
    case kDominoBothBeat: {
        if (m.other != DominoModel::Other::whole)
            return {"The same block, both ways",
                    "With the head the target keeps " + std::to_string(m.kept_on) + " of " +
                        std::to_string(n) +
                        " guesses. Without it the drafts part ways, and what the target would say to them "
                        "was never asked: a replay of the "
                        "same block with the same dice fills the row."};
        const int gain = m.kept_on - m.kept_off;
        std::string where;
        if (const int p = parting_position(m); p >= 0) {
            const DominoVerdict &on = m.column(p)->on, &off = m.column(p)->off;
            const bool saves = on.state == State::accepted;
            where = " At position " + std::to_string(p + 1) + " the guess " +
                    (saves ? "without the head, " + word(input, off.token) + ", is refused; with it, " +
                                 word(input, on.token) + " stays."
                           : "with the head, " + word(input, on.token) + ", is refused; without it, " +
                                 word(input, off.token) + " would stay.");
        }
        return {gain > 0   ? "The head saves guesses"
                : gain < 0 ? "Here the head costs guesses"
                           : "Here the head changes nothing",
                "Head off: " + std::to_string(m.kept_off) + " of " + std::to_string(n) +
                    " kept; head on: " + std::to_string(m.kept_on) + " of " + std::to_string(n) +
                    " kept, on the same block, text and dice." + where +
                    (gain == 0 ? " Not every round needs it" + (jump("; look for one with Y") + ".") : "")};
    }
    default: {
        const double all = m.backbone_ms + m.head_ms + m.verify_ms;
        if (all <= 0)
            return {"What it costs", "This run recorded no times. Run it again here to see what the head "
                                     "costs beside the backbone and the verify pass."};
        const auto took = [&](PhaseTime time) { return timed_words(*input.whole, *m.cycle, time); };
        return {"What it costs", "The backbone took " + took(backbone_time) + " for all guesses, the head " +
                                     took(head_time) + " guess by guess, the verify pass " + took(verify_time) +
                                     ". The head pays when it saves more than " + ui::percent(m.head_ms / all) +
                                     " of a round's tokens."};
    }
    }
}

void describe_distribution(std::ostringstream& out, const SceneInput& input, const DominoColumn& c, const TopEntries& distribution,
                  int rows) {
    const bool final = &distribution == &c.final;
    bool first = true;
    for (const int id : domino_tokens(c, rows)) {
        const std::optional<double> p = listed(distribution, id);
        out << (first ? " " : ", ") << quoted(*input.trace, id) << " "
            << (p               ? probability(*p)
                : distribution.rest <= 0 ? "0"
                                : "<.01");
        if (const std::optional<double> added = correction_of(c, id); added && final)
            out << " (δ " << ui::signed_number(*added, 1) << ")";
        first = false;
    }
}

const char* verdict_word(State state) {
    switch (state) {
    case State::accepted:
        return "kept";
    case State::rejected:
        return "refused";
    case State::discarded:
        return "not judged, behind a refusal";
    case State::unknown:
        return "needs a replay";
    case State::none:
        break;
    }
    return "not judged yet";
}

void describe_row(std::ostringstream& out, const SceneInput& input, const DominoModel& m, const char* name,
                  DominoVerdict DominoColumn::*row) {
    out << name << ":";
    for (const DominoColumn& c : m.columns) {
        const DominoVerdict& v = c.*row;
        out << " " << (v.token < 0 ? std::string("–") : quoted(*input.trace, v.token)) << " "
            << verdict_word(v.state);
        if (v.replacement) out << " (the target: " << quoted(*input.trace, *v.replacement) << ")";
        out << (&c == &m.columns.back() ? "\n" : ";");
    }
}

} // namespace

std::string domino_empty_words(const DominoModel& model) {
    switch (model.empty) {
    case DominoModel::Empty::no_run:
        return "The block, its distributions and the head will stand here once a run has begun.";
    case DominoModel::Empty::other_drafter:
        return other_drafter_words(model, "Domino", "Its block and its correcting head");
    case DominoModel::Empty::no_cycle:
        return "No block has been drafted yet: step on, or wait for the run.";
    case DominoModel::Empty::no:
        break;
    }
    return {};
}

StageTitle domino_title(const SceneInput& input, const DominoModel& m) {
    StageTitle title;
    title.tier = tier_of(input.whole->header);
    if (m.empty != DominoModel::Empty::no) {
        title.title = "Parallel guesses, corrected one after another";
        title.subtitle = "Domino: a block filled in one pass, and a small head that knows what was drafted";
        return title;
    }
    const int at = telling_position(m), n = static_cast<int>(m.columns.size());
    const DominoColumn& c = *m.column(at);
    const double all_ms = m.backbone_ms + m.head_ms + m.verify_ms;
    if (m.forced < 0 && input.beat == 0)
        title.title = "One pass, " + counted(n, "row") + ": the block before any guess";
    else if (m.forced < 0 && input.beat == 1)
        title.title = "Base distributions: all ready at once, none knows another";
    else if (m.forced < 0 && input.beat == kDominoBeats - 1 && all_ms > 0)
        title.title = "The head takes " + ui::percent(m.head_ms / all_ms) + " of a round of " + ui::number(all_ms, 2) + " ms";
    else if (!m.head_on)
        title.title =
            "The head is off: " + std::to_string(m.kept_on) + " of " + counted(n, "guess") + " kept";
    else if (m.forced >= 0)
        title.title = "Forced " + word(input, m.column(m.forced)->draft->token) +
                      (m.forced + 1 < n ? ": the base distributions stay, the head follows"
                                        : " at the end of the block: no guess stands after it");
    else if (at == m.rescued)
        title.title = "After " + word(input, before_of(m, at)) + " the head prefers " +
                      word(input, c.draft->token) + " to " + word(input, c.base_choice);
    else if (n == 1 && !c.corrected)
        title.title = std::string("One guess, so nothing for the head to correct") +
                      (c.on.state == State::accepted   ? ": kept"
                       : c.on.state == State::rejected ? ": refused"
                                                       : "");
    else if (const int changed = changed_count(m); changed > 0)
        title.title = "The head changed " + counted(changed, "favourite") + "; the target kept " +
                      std::to_string(m.kept_on) + " of " + std::to_string(n);
    else
        title.title = "The head changes no favourite here; " + std::to_string(m.kept_on) + " of " +
                      std::to_string(n) + " kept";
    title.subtitle = head_conditions(m, "position") + " · anchor " + word(input, m.anchor);
    return title;
}

namespace {

// A question that the quiz asks too. The sizes are those of this run's head where its lens tells them.
std::string why_logits(const DominoColumn& c) {
    const Internals::Strip* low = c.lens() ? c.lens()->strip("low rank") : nullptr;
    return "Why logits, not the rows H? A corrected row would need the target's LM head again, guess by guess; δ needs " +
           (low ? "a matrix of " + std::to_string(low->values) + " columns." : std::string("only a narrow matrix."));
}

} // namespace

Story domino_story(const SceneInput& input, const DominoModel& m, const DominoBefore& before) {
    Story story = story_at_beat(input, kDominoBeats);
    const int beat = story.step - 1;
    if (m.empty != DominoModel::Empty::no) {
        story.heading =
            m.empty == DominoModel::Empty::other_drafter ? "Not a Domino run" : "Waiting for a block";
        story.text = domino_empty_words(m);
        if (m.empty == DominoModel::Empty::other_drafter) take_beats(story, "Draft with Domino first (U)");
        return story;
    }
    const Words words = beat_words(input, m, beat);
    story.heading = words.heading;
    story.text = words.text;
    if (beat == kDominoLowRankBeat && m.instead_of.empty()) story.what_if = why_logits(*m.column(telling_position(m)));
    if (m.fast) story.what_if = "This run recorded no rows (fast mode), so its distributions are missing.";
    if (before.cycle == m.cycle->cycle && m.forced >= 0) {
        int same = 0, other = 0;
        const std::size_t both = std::min(m.columns.size(), before.base.size());
        for (std::size_t i = 0; i < m.columns.size(); ++i) {
            same += same_base(m, before, static_cast<int>(i));
            if (i < before.tokens.size()) other += before.tokens[i] != m.columns[i].draft->token;
        }
        story.what_if = "Replayed with " + word(input, m.column(m.forced)->draft->token) +
                        " forced: " + std::to_string(same) + " of " + std::to_string(both) +
                        " base distributions are the same to the last bit, " + counted(other, "guess") +
                        (other == 1 ? " is another." : " are others.") +
                        (both < m.columns.size() ? " The block before had no guess behind them." : "");
    }
    const std::optional<Position> rescue = next_rescue(*input.whole, m.cycle->cycle);
    const bool forkable = models_loaded(input);
    const bool fit = m.columns.size() > 1; // one guess has nothing to fit to
    if (beat == 2 && !rescue && fit && forkable && m.head_on) {
        story.task = "Try a prompt where they do not: N";
        story.on_task = {example_run(input)};
    } else if (beat == 2 && rescue && rescue->cycle == m.cycle->cycle) {
        story.task = forkable && m.head_on ? "No other round here has one; another prompt: N"
                                           : "No other round of this run has one";
        if (forkable && m.head_on) story.on_task = {example_run(input)};
        story.task_done = true;
    } else if (beat == 2 && rescue) {
        story.task = "Jump to the next such round with Y";
        story.task_done = m.rescued >= 0;
    } else if (forkable && (beat == 3 || beat == 4) && m.head_on) {
        const int at = force_position(m);
        story.task = "Force another d" + std::to_string(at + 1) + " with B, watch " +
                     (at + 1 < static_cast<int>(m.columns.size()) ? "S" + std::to_string(at + 2)
                                                                  : std::string("its verdict"));
        story.task_done = m.forced >= 0;
    } else if (forkable && beat == kDominoBothBeat) {
        story.task = m.head_on ? "Run on without the head: H" : "Run on with the head: H";
        story.task_done = !m.head_on;
    }
    stand_in(story, m, "Domino");
    return story;
}

std::string domino_description(const SceneInput& input, const DominoModel& m, const DominoBefore& before) {
    std::ostringstream out;
    const StageTitle title = domino_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(title.tier) << "\n\n";
    if (m.empty == DominoModel::Empty::no) {
        out << "Block: anchor " << word(input, m.anchor) << ", "
            << counted(static_cast<int>(m.columns.size()), "guess") << "\n";
        for (std::size_t i = 0; i < m.columns.size(); ++i) {
            const DominoColumn& c = m.columns[i];
            out << "Position " << i + 1 << (static_cast<int>(i) == m.selected ? " (selected)" : "")
                << (c.corrected ? ", corrected" : ", base only") << (c.forced ? ", forced" : "") << ": base";
            describe_distribution(out, input, c, c.base, 3);
            if (c.corrected) {
                if (const std::optional<double> branch =
                        m.forced >= 0 ? state_cosine(m, before, static_cast<int>(i)) : std::nullopt)
                    out << "; S" << i + 1 << " cosine " << ui::number(*branch, 2)
                        << " to the state before the force";
                if (const std::optional<double> size = correction_size(m, c)) {
                    const Internals* lens = c.lens();
                    out << "; S" << i + 1 << " z " << probability(lens->number("mean z").value_or(0))
                        << ", r " << probability(lens->number("mean r").value_or(0)) << "; δ of size "
                        << ui::number(*size, 1);
                    const Internals::Mover* mover = largest_mover(c);
                    if (mover && lens->movers.size() > 1 && std::abs(mover->gain()) >= 0.05)
                        out << ", of the likely tokens most on " << quoted(*input.trace, mover->token) << " "
                            << ui::signed_number(mover->gain(), 1);
                }
                out << "; final";
                describe_distribution(out, input, c, c.final, 3);
            }
            out << "; draft " << quoted(*input.trace, c.draft->token) << "\n";
        }
        describe_row(out, input, m, "Head off", m.head_on ? &DominoColumn::off : &DominoColumn::on);
        describe_row(out, input, m, "Head on", m.head_on ? &DominoColumn::on : &DominoColumn::off);
        const Internals* lens = m.column(m.selected)->lens();
        if (lens && !lens->movers.empty()) {
            out << "Top movers at position " << m.selected + 1 << ":\n";
            for (const Internals::Mover& mover : lens->movers)
                out << "  " << quoted(*input.trace, mover.token) << ": δ log p "
                    << ui::signed_number(mover.gain(), 1) << ", " << probability(std::exp(mover.base_logp))
                    << " to " << probability(std::exp(mover.final_logp)) << "\n";
        }
        if (m.backbone_ms + m.head_ms + m.verify_ms > 0)
            out << "Clock: backbone " << ui::number(m.backbone_ms, 2) << " ms, head "
                << ui::number(m.head_ms, 2) << " ms, verify " << ui::number(m.verify_ms, 2) << " ms\n";
        out << "\n";
    }
    out << describe_second_draw(input, m);
    out << describe_story(domino_story(input, m, before));
    return out.str();
}

} // namespace speclens
