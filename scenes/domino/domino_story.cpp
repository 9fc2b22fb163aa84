// Words of the Domino scene: title, eight beats, and the frame as text: every distribution, state, correction, verdict and time
// that is visible. All from the cycle that is shown.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "scenes/domino/domino_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/second_draw.h"
#include "scenes/shared/typical_time.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

using ui::probability;

using State = DominoVerdict::State;

int best(const TopEntries& top) { return top.entries.empty() ? -1 : top.entries.front().id; }
int changed_count(const DominoModel& m) {
    return static_cast<int>(std::ranges::count_if(m.columns, [](const DominoColumn& c) { return c.changed; }));
}
// What stands before a position: the guess before it, or the anchor.
int before_of(const DominoModel& m, int i) { return i > 0 ? m.column(i - 1)->draft->token : m.anchor; }

Words without_head(const DominoModel& m, int beat) {
    if (beat <= 1) return domino_says.beat("off:block"_t);
    const auto of = m.columns.size();
    if (beat == kDominoBothBeat && m.other == DominoModel::Other::whole)
        return domino_says.beat("off:both"_t, "kept"_v = m.kept_on, "of"_v = of, "with_head"_v = m.kept_off);
    return domino_says.beat("off:rest"_t, "kept"_v = m.kept_on, "of"_v = of);
}

// A GRU that was hardly trained stands half open wherever one looks.
std::string weak_words(const DominoModel& m) {
    constexpr double kHalf = 0.5, kAbout = 0.02;
    int seen = 0;
    for (const DominoColumn& c : m.columns)
        for (const char* gate : {"mean z", "mean r"})
            if (const std::optional<double> open = c.internals() ? c.internals()->number(gate) : std::nullopt) {
                if (std::abs(*open - kHalf) > kAbout) return "";
                ++seen;
            }
    return seen > 2 ? domino_says("words.weak"_t) : "";
}

// What the head did to the favourite of the position that tells most.
Words favourites_words(const SceneInput& input, const DominoModel& m) {
    const int at = telling_position(m), changed = changed_count(m);
    const DominoColumn& c = *m.column(at);
    const std::string base = word(input, c.base_choice), last = word(input, best(c.final)), before = word(input, before_of(m, at));
    const bool jump = m.instead_of.empty(); // of another drafter's run there is this one round only
    if (c.changed && at != m.rescued)
        return domino_says.beat("favourites:another"_t, "position"_v = at + 1, "before"_v = before, "now"_v = last, "base"_v = base,
                                "rescued"_v = m.rescued + 1, "jump"_v = jump && m.rescued < 0);
    if (c.changed)
        return domino_says.beat("favourites:clash"_t, "position"_v = at + 1, "before"_v = before, "now"_v = last, "base"_v = base);
    if (changed > 0)
        return domino_says.beat("favourites:elsewhere"_t, "position"_v = at + 1, "before"_v = before, "base"_v = base,
                                "changed"_v = changed);
    if (m.columns.size() == 1 && !c.corrected) return domino_says.beat("favourites:one"_t);
    if (m.column(0)->on.state == State::rejected) return domino_says.beat("favourites:refused"_t, "jump"_v = jump);
    return domino_says.beat("favourites:fit"_t, "jump"_v = jump);
}

Words low_rank_words(const SceneInput& input, const DominoModel& m) {
    const int at = telling_position(m);
    const DominoColumn& c = *m.column(at);
    const Internals* internals = c.internals();
    const Internals::Mover* mover = largest_mover(c);
    if (!mover)
        return c.corrected ? domino_says.beat("low_rank:no_lens"_t) : domino_says.beat("low_rank:first"_t, "one"_v = m.columns.size() == 1);
    const std::string token = word(input, mover->token);
    const auto moved = [&] { // where one token has nearly all, nothing that δ did to it shows in the distribution
        if (internals->movers.size() < 2) return domino_says("words.moved:only"_t, "token"_v = token);
        if (std::abs(mover->gain()) < 0.05) return domino_says("words.moved:alike"_t);
        return domino_says("words.moved:most"_t, "token"_v = token, "gain"_v = ui::signed_number(mover->gain(), 1));
    };
    return domino_says.beat("low_rank:told"_t, "moved"_v = moved(), "weak"_v = weak_words(m));
}

// For an engineer, in the frame's words (D): the shape of the correction, how long it is, and why it is added there.
std::string correction_deeper(const DominoModel& m) {
    const int at = telling_position(m);
    const DominoColumn& c = *m.column(at);
    const Internals::Strip* mixed = c.internals() ? c.internals()->strip("low rank") : nullptr;
    const std::optional<double> size = correction_size(m, c);
    return domino_says("words.deeper"_t, "numbers"_v = mixed ? mixed->values : 0, "size"_v = size ? ui::number(*size, 1) : "",
                       "position"_v = at + 1) +
           " " + domino_says("words.why_logits"_t);
}

Words final_words(const SceneInput& input, const DominoModel& m) {
    const int at = telling_position(m);
    const DominoColumn& c = *m.column(at);
    const std::string token = word(input, c.draft->token), base = word(input, c.base_choice), last = word(input, best(c.final));
    if (!c.corrected) return domino_says.beat("final:base"_t, "position"_v = at + 1, "token"_v = token);
    const std::optional<double> up = correction_of(c, best(c.final)), down = correction_of(c, c.base_choice);
    const std::string added = !up ? "" // what δ did to the two favourites
                                  : domino_says("words.added"_t, "position"_v = at + 1, "up"_v = ui::signed_number(*up, 1), "now"_v = last,
                                                "down"_v = c.changed && down ? ui::signed_number(*down, 1) : "", "base"_v = base);
    const std::optional<double> had = listed(c.base, best(c.final)); // of its favourite, before
    return domino_says.beat("final:corrected"_t, "added"_v = added, "now"_v = last,
                            "p"_v = probability(c.final.empty() ? 0 : std::exp(c.final.entries.front().logp)),
                            "had"_v = had ? probability(*had) : "", "token"_v = token);
}

Words both_words(const SceneInput& input, const DominoModel& m) {
    const auto n = m.columns.size();
    if (m.other != DominoModel::Other::whole) return domino_says.beat("both:unknown"_t, "kept"_v = m.kept_on, "of"_v = n);
    std::string parting;
    if (const int p = parting_position(m); p >= 0) {
        const DominoVerdict &on = m.column(p)->on, &off = m.column(p)->off;
        const std::string with = word(input, on.token), without = word(input, off.token);
        parting = on.state == State::accepted
                      ? domino_says("words.parting:saves"_t, "position"_v = p + 1, "with"_v = with, "without"_v = without)
                      : domino_says("words.parting:costs"_t, "position"_v = p + 1, "with"_v = with, "without"_v = without);
    }
    const int gain = m.kept_on - m.kept_off;
    if (gain > 0) return domino_says.beat("both:saves"_t, "on"_v = m.kept_on, "off"_v = m.kept_off, "of"_v = n, "parting"_v = parting);
    if (gain < 0) return domino_says.beat("both:costs"_t, "on"_v = m.kept_on, "off"_v = m.kept_off, "of"_v = n, "parting"_v = parting);
    return domino_says.beat("both:same"_t, "on"_v = m.kept_on, "off"_v = m.kept_off, "of"_v = n, "parting"_v = parting,
                            "jump"_v = m.instead_of.empty());
}

Words beat_words(const SceneInput& input, const DominoModel& m, int beat) {
    if (!m.head_on) return without_head(m, beat);
    const int at = telling_position(m);
    const DominoColumn& c = *m.column(at);
    const Internals* internals = c.internals();
    switch (beat) {
    case 0: return domino_says.beat("block"_t, "guesses"_v = m.columns.size());
    case 1:
        return domino_says.beat("base"_t, "position"_v = at + 1, "base"_v = word(input, c.base_choice),
                                "p"_v = probability(std::exp(c.base.empty() ? 0.0 : c.base.entries.front().logp)));
    case 2: return favourites_words(input, m);
    case kDominoTwiceBeat: {
        const std::optional<double> z = internals ? internals->number("mean z") : std::nullopt;
        return domino_says.beat("state"_t, "state"_v = at + 1, "guesses"_v = at, "z"_v = z ? probability(*z) : "",
                                "r"_v = probability(z ? internals->number("mean r").value_or(0) : 0), "weak"_v = weak_words(m));
    }
    case kDominoLowRankBeat: return low_rank_words(input, m);
    case 5: return final_words(input, m);
    case kDominoBothBeat: return both_words(input, m);
    default: {
        const double all = m.backbone_ms + m.head_ms + m.verify_ms;
        if (all <= 0) return domino_says.beat("clock:untimed"_t);
        const auto took = [&](PhaseTime time) { return timed_words(*input.whole, *m.round, time); };
        return domino_says.beat("clock:timed"_t, "backbone"_v = took(backbone_time), "head"_v = took(head_time),
                                "verify"_v = took(verify_time), "share"_v = ui::percent(m.head_ms / all));
    }
    }
}

void describe_distribution(std::ostringstream& out, const SceneInput& input, const DominoColumn& c, const TopEntries& distribution,
                           int rows) {
    const bool final = &distribution == &c.final;
    bool first = true;
    for (const int id : domino_tokens(c, rows)) {
        const std::optional<double> p = listed(distribution, id);
        out << (first ? " " : ", ") << quoted(*input.trace, id) << " " << (p ? probability(*p) : distribution.rest <= 0 ? "0" : "<.01");
        if (const std::optional<double> added = correction_of(c, id); added && final) out << " (δ " << ui::signed_number(*added, 1) << ")";
        first = false;
    }
}

const char* verdict_word(State state) {
    switch (state) {
    case State::accepted: return "kept";
    case State::rejected: return "refused";
    case State::discarded: return "not judged, behind a refusal";
    case State::unknown: return "needs a replay";
    case State::none: break;
    }
    return "not judged yet";
}

void describe_row(std::ostringstream& out, const SceneInput& input, const DominoModel& m, const char* name,
                  DominoVerdict DominoColumn::*row) {
    out << name << ":";
    for (const DominoColumn& c : m.columns) {
        const DominoVerdict& v = c.*row;
        out << " " << (v.token < 0 ? std::string("–") : quoted(*input.trace, v.token)) << " " << verdict_word(v.state);
        if (v.replacement) out << " (the target: " << quoted(*input.trace, *v.replacement) << ")";
        out << (&c == &m.columns.back() ? "\n" : ";");
    }
}

// Of the beats behind the one about favourites, where the head is on and nothing is forced: what each of them shows.
std::string step_title(const SceneInput& input, const DominoModel& m) {
    const int at = telling_position(m);
    const DominoColumn& c = *m.column(at);
    const Internals* internals = c.internals();
    if (input.beat == kDominoTwiceBeat) {
        const std::optional<double> z = internals ? internals->number("mean z") : std::nullopt;
        return domino_says("state.title"_t, "state"_v = at + 1, "anchor"_v = word(input, m.anchor), "guesses"_v = at,
                           "z"_v = z ? probability(*z) : "");
    }
    if (input.beat == kDominoLowRankBeat) {
        const Internals::Mover* mover = largest_mover(c);
        if (!c.corrected) return domino_says("low_rank.title:first"_t);
        if (!mover || internals->movers.size() < 2 || std::abs(mover->gain()) < 0.05)
            return domino_says("low_rank.title:one_each"_t, "position"_v = at + 1);
        return domino_says("low_rank.title:moved"_t, "position"_v = at + 1, "token"_v = word(input, mover->token),
                           "gain"_v = ui::signed_number(mover->gain(), 1));
    }
    if (input.beat == kDominoBothBeat) {
        const bool known = m.other == DominoModel::Other::whole;
        return domino_says("both.title"_t, "on"_v = m.kept_on, "of"_v = m.columns.size(),
                           "off"_v = known ? std::to_string(m.kept_off) : "");
    }
    if (!c.corrected) return domino_says("final.title:base"_t, "position"_v = at + 1);
    if (c.final.empty()) return {};
    const std::optional<double> had = listed(c.base, best(c.final));
    return domino_says("final.title:corrected"_t, "now"_v = word(input, best(c.final)),
                       "p"_v = probability(std::exp(c.final.entries.front().logp)), "had"_v = had ? probability(*had) : "");
}

std::string stage_title(const SceneInput& input, const DominoModel& m) {
    const int at = telling_position(m);
    const auto n = m.columns.size();
    const DominoColumn& c = *m.column(at);
    const double all_ms = m.backbone_ms + m.head_ms + m.verify_ms;
    if (m.forced < 0 && input.beat == 0) return domino_says("block.title"_t, "rows"_v = n);
    if (m.forced < 0 && input.beat == 1) return domino_says("base.title"_t);
    if (m.forced < 0 && input.beat == kDominoBeats - 1 && all_ms > 0)
        return domino_says("clock.title"_t, "share"_v = ui::percent(m.head_ms / all_ms), "round"_v = ui::number(all_ms, 2));
    if (!m.head_on) return domino_says("title.off"_t, "kept"_v = m.kept_on, "of"_v = n);
    if (m.forced >= 0)
        return domino_says("title.forced"_t, "token"_v = word(input, m.column(m.forced)->draft->token),
                           "follows"_v = m.forced + 1 < static_cast<int>(n));
    if (input.beat > kDominoFavouritesBeat && input.beat <= kDominoBothBeat)
        if (std::string words = step_title(input, m); !words.empty()) return words;
    if (at == m.rescued)
        return domino_says("title.rescued"_t, "before"_v = word(input, before_of(m, at)), "guess"_v = word(input, c.draft->token),
                           "base"_v = word(input, c.base_choice));
    if (n == 1 && !c.corrected)
        return domino_says("title.one"_t, "kept"_v = c.on.state == State::accepted, "refused"_v = c.on.state == State::rejected);
    if (const int changed = changed_count(m); changed > 0)
        return domino_says("title.changed"_t, "changed"_v = changed, "kept"_v = m.kept_on, "of"_v = n);
    return domino_says("title.same"_t, "kept"_v = m.kept_on, "of"_v = n);
}

// How the block with a forced guess differs from the one before.
std::string replayed_words(const SceneInput& input, const DominoModel& m, const DominoBefore& before) {
    int same = 0, other = 0;
    const std::size_t both = std::min(m.columns.size(), before.base.size());
    for (std::size_t i = 0; i < m.columns.size(); ++i) {
        same += same_base(m, before, static_cast<int>(i));
        if (i < before.tokens.size()) other += before.tokens[i] != m.columns[i].draft->token;
    }
    return domino_says("words.replayed"_t, "token"_v = word(input, m.column(m.forced)->draft->token), "same"_v = same, "both"_v = both,
                       "other"_v = other, "shorter"_v = both < m.columns.size());
}

void add_task(Story& story, const SceneInput& input, const DominoModel& m, int beat) {
    const std::optional<Position> rescue = next_rescue(*input.whole, m.round->round);
    const bool forkable = models_loaded(input);
    const bool fit = m.columns.size() > 1; // one guess has nothing to fit to
    if (beat == 2 && !rescue && fit && forkable && m.head_on) {
        story.task = domino_says("favourites.task:prompt"_t);
        story.on_task = {example_run(input)};
    } else if (beat == 2 && rescue && rescue->round == m.round->round) {
        const bool other = forkable && m.head_on;
        story.task = domino_says("favourites.task:none"_t, "prompt"_v = other);
        if (other) story.on_task = {example_run(input)};
        story.task_done = true;
    } else if (beat == 2 && rescue) {
        story.task = domino_says("favourites.task:jump"_t);
        story.task_done = m.rescued >= 0;
    } else if (forkable && (beat == kDominoTwiceBeat || beat == kDominoLowRankBeat) && m.head_on) {
        const int at = force_position(m);
        const bool last = at + 1 >= static_cast<int>(m.columns.size());
        story.task = domino_says("words.force"_t, "guess"_v = at + 1, "state"_v = last ? 0 : at + 2);
        story.task_done = m.forced >= 0;
    } else if (forkable && beat == kDominoBothBeat) {
        story.task = domino_says("both.task"_t, "on"_v = m.head_on);
        story.task_done = !m.head_on;
    }
}

} // namespace

StageTitle domino_title(const SceneInput& input, const DominoModel& m) {
    StageTitle title;
    title.tier = tier_of(input.whole->header);
    if (Story none; !m.some()) {
        take_empty(domino_says, m, "Domino", title, none);
        return title;
    }
    title.title = stage_title(input, m);
    title.subtitle = head_conditions(input, m, HeadGuess::position);
    return title;
}

Story domino_story(const SceneInput& input, const DominoModel& m, const DominoBefore& before) {
    Story story = story_at_beat(input, kDominoBeats);
    const int beat = story.step - 1;
    if (StageTitle none; !m.some()) {
        take_empty(domino_says, m, "Domino", none, story);
        return story;
    }
    take(story, beat_words(input, m, beat));
    if (beat == kDominoLowRankBeat && m.instead_of.empty() && !largest_mover(*m.column(telling_position(m))))
        story.what_if = domino_says("words.why_logits"_t);
    if (m.fast) story.what_if = domino_says("words.fast"_t);
    if (before.round == m.round->round && m.forced >= 0) story.what_if = replayed_words(input, m, before);
    add_task(story, input, m, beat);
    stand_in(story, m, "Domino");
    return story;
}

std::string domino_description(const SceneInput& input, const DominoModel& m, const DominoBefore& before) {
    std::ostringstream out;
    const StageTitle title = domino_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(shown_tier(input, title.tier)) << "\n\n";
    if (m.empty == DominoModel::Empty::no) {
        out << "Block: anchor " << word(input, m.anchor) << ", " << counted(static_cast<int>(m.columns.size()), "guess") << "\n";
        for (std::size_t i = 0; i < m.columns.size(); ++i) {
            const DominoColumn& c = m.columns[i];
            out << "Position " << i + 1 << (static_cast<int>(i) == m.selected ? " (selected)" : "")
                << (c.corrected ? ", corrected" : ", base only") << (c.forced ? ", forced" : "") << ": base";
            describe_distribution(out, input, c, c.base, 3);
            if (c.corrected) {
                if (const std::optional<double> branch = m.forced >= 0 ? state_cosine(m, before, static_cast<int>(i)) : std::nullopt)
                    out << "; S" << i + 1 << " cosine " << ui::number(*branch, 2) << " to the state before the force";
                if (const std::optional<double> size = correction_size(m, c)) {
                    const Internals* internals = c.internals();
                    out << "; S" << i + 1 << " z " << probability(internals->number("mean z").value_or(0)) << ", r "
                        << probability(internals->number("mean r").value_or(0)) << "; δ of size " << ui::number(*size, 1);
                    const Internals::Mover* mover = largest_mover(c);
                    if (mover && internals->movers.size() > 1 && std::abs(mover->gain()) >= 0.05)
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
        const Internals* internals = m.column(m.selected)->internals();
        if (internals && !internals->movers.empty()) {
            out << "Top movers at position " << m.selected + 1 << ":\n";
            for (const Internals::Mover& mover : internals->movers)
                out << "  " << quoted(*input.trace, mover.token) << ": δ log p " << ui::signed_number(mover.gain(), 1) << ", "
                    << probability(std::exp(mover.base_logp)) << " to " << probability(std::exp(mover.final_logp)) << "\n";
        }
        if (m.backbone_ms + m.head_ms + m.verify_ms > 0)
            out << "Clock: backbone " << ui::number(m.backbone_ms, 2) << " ms, head " << ui::number(m.head_ms, 2) << " ms, verify "
                << ui::number(m.verify_ms, 2) << " ms\n";
        if (m.head_on && input.beat == kDominoLowRankBeat) out << correction_deeper(m) << "\n";
        out << "\n";
    }
    if (const std::optional<SecondDraw> twice = second_draw(input, m))
        for (const Message& words : second_draw_told(input, *twice)) out << words << "\n";
    out << describe_story(input, domino_story(input, m, before));
    return out.str();
}

} // namespace speclens
