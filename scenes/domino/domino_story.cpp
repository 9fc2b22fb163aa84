// Words of the Domino scene: title, eight beats, and what is told of a position and of its verdicts.
#include <algorithm>
#include <cmath>

#include "scenes/domino/domino_model.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/second_draw.h"
#include "scenes/shared/typical_time.h"
#include "ui/format.h"

namespace speclens {
namespace {

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
Message weak_words(const DominoModel& m) {
    constexpr double kHalf = 0.5, kAbout = 0.02;
    int seen = 0;
    for (const DominoColumn& c : m.columns)
        for (const char* gate : {"mean z", "mean r"})
            if (const std::optional<double> open = c.internals() ? c.internals()->number(gate) : std::nullopt) {
                if (std::abs(*open - kHalf) > kAbout) return {};
                ++seen;
            }
    return seen > 2 ? domino_says("words.weak"_t) : Message();
}

// Whether Y leads to another round.
bool leads_elsewhere(const SceneInput& input, const DominoModel& m) {
    const std::optional<Position> rescue = next_rescue(*input.whole, m.round->round);
    return m.instead_of.empty() && rescue && rescue->round != m.round->round; // of another drafter's run there is this one round only
}

// What the head did to the favourite of the position that tells most.
Words favourites_words(const SceneInput& input, const DominoModel& m) {
    const int at = telling_position(m), changed = changed_count(m);
    const DominoColumn& c = *m.column(at);
    const Message base = word(input, c.base_choice), last = word(input, best(c.final)), before = word(input, before_of(m, at));
    const bool jump = leads_elsewhere(input, m);
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
    const Message token = word(input, mover->token);
    const auto moved = [&] { // where one token has nearly all, nothing that δ did to it shows in the distribution
        if (internals->movers.size() < 2) return domino_says("words.moved:only"_t, "token"_v = token);
        if (std::abs(mover->gain()) < 0.05) return domino_says("words.moved:alike"_t);
        return domino_says("words.moved:most"_t, "token"_v = token, "gain"_v = added_words(mover->gain()));
    };
    return domino_says.beat("low_rank:told"_t, "moved"_v = moved(), "weak"_v = weak_words(m));
}

Words final_words(const SceneInput& input, const DominoModel& m) {
    const int at = telling_position(m);
    const DominoColumn& c = *m.column(at);
    const Message token = word(input, c.draft->token), base = word(input, c.base_choice), last = word(input, best(c.final));
    if (!c.corrected) return domino_says.beat("final:base"_t, "position"_v = at + 1, "token"_v = token);
    const std::optional<double> up = correction_of(c, best(c.final)), down = correction_of(c, c.base_choice);
    const bool both = c.changed && down;
    const Message added = !up ? Message() // what δ did to the two favourites
                              : domino_says("words.added"_t, "position"_v = at + 1, "up"_v = added_words(*up), "now"_v = last,
                                            "down"_v = both ? added_words(*down) : Message(), "base"_v = base);
    return domino_says.beat("final:corrected"_t, "added"_v = added, "now"_v = last,
                            "p"_v = c.final.empty() ? 0 : std::exp(c.final.entries.front().logp), "had"_v = listed(c.base, best(c.final)),
                            "token"_v = token);
}

Words both_words(const SceneInput& input, const DominoModel& m) {
    const auto n = m.columns.size();
    if (m.other != DominoModel::Other::whole) return domino_says.beat("both:unknown"_t, "kept"_v = m.kept_on, "of"_v = n);
    Message parting;
    if (const int p = parting_position(m); p >= 0) {
        const DominoVerdict &on = m.column(p)->on, &off = m.column(p)->off;
        const Message with = word(input, on.token), without = word(input, off.token);
        parting = on.state == State::accepted
                      ? domino_says("words.parting:saves"_t, "position"_v = p + 1, "with"_v = with, "without"_v = without)
                      : domino_says("words.parting:costs"_t, "position"_v = p + 1, "with"_v = with, "without"_v = without);
    }
    const int gain = m.kept_on - m.kept_off;
    if (gain > 0) return domino_says.beat("both:saves"_t, "on"_v = m.kept_on, "off"_v = m.kept_off, "of"_v = n, "parting"_v = parting);
    if (gain < 0) return domino_says.beat("both:costs"_t, "on"_v = m.kept_on, "off"_v = m.kept_off, "of"_v = n, "parting"_v = parting);
    return domino_says.beat("both:same"_t, "on"_v = m.kept_on, "off"_v = m.kept_off, "of"_v = n, "parting"_v = parting,
                            "jump"_v = leads_elsewhere(input, m));
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
                                "p"_v = std::exp(c.base.empty() ? 0.0 : c.base.entries.front().logp));
    case 2: return favourites_words(input, m);
    case kDominoTwiceBeat: {
        const std::optional<double> z = internals ? internals->number("mean z") : std::nullopt;
        return domino_says.beat("state"_t, "state"_v = at + 1, "guesses"_v = at, "z"_v = z,
                                "r"_v = z ? internals->number("mean r").value_or(0) : 0, "weak"_v = weak_words(m));
    }
    case kDominoLowRankBeat: return low_rank_words(input, m);
    case 5: return final_words(input, m);
    case kDominoBothBeat: return both_words(input, m);
    default: {
        const double all = m.backbone_ms + m.head_ms + m.verify_ms;
        if (all <= 0) return domino_says.beat("clock:untimed"_t);
        const auto took = [&](PhaseTime time) { return timed_words(*input.whole, *m.round, time); };
        return domino_says.beat("clock:timed"_t, "backbone"_v = took(backbone_time), "head"_v = took(head_time),
                                "verify"_v = took(verify_time), "share"_v = m.head_ms / all);
    }
    }
}

// Of the beats behind the one about favourites, where the head is on and nothing is forced: what each of them shows.
Message step_title(const SceneInput& input, const DominoModel& m) {
    const int at = telling_position(m);
    const DominoColumn& c = *m.column(at);
    const Internals* internals = c.internals();
    if (input.beat == kDominoTwiceBeat) {
        const std::optional<double> z = internals ? internals->number("mean z") : std::nullopt;
        return domino_says("state.title"_t, "state"_v = at + 1, "anchor"_v = word(input, m.anchor), "guesses"_v = at, "z"_v = z);
    }
    if (input.beat == kDominoLowRankBeat) {
        const Internals::Mover* mover = largest_mover(c);
        if (!c.corrected) return domino_says("low_rank.title:first"_t);
        if (!mover || internals->movers.size() < 2 || std::abs(mover->gain()) < 0.05)
            return domino_says("low_rank.title:one_each"_t, "position"_v = at + 1);
        return domino_says("low_rank.title:moved"_t, "position"_v = at + 1, "token"_v = word(input, mover->token),
                           "gain"_v = added_words(mover->gain()));
    }
    if (input.beat == kDominoBothBeat) {
        const bool known = m.other == DominoModel::Other::whole;
        return domino_says("both.title"_t, "on"_v = m.kept_on, "of"_v = m.columns.size(), "known"_v = known, "off"_v = m.kept_off);
    }
    if (!c.corrected) return domino_says("final.title:base"_t, "position"_v = at + 1);
    if (c.final.empty()) return {};
    return domino_says("final.title:corrected"_t, "now"_v = word(input, best(c.final)), "p"_v = std::exp(c.final.entries.front().logp),
                       "had"_v = listed(c.base, best(c.final)));
}

Message stage_title(const SceneInput& input, const DominoModel& m) {
    const int at = telling_position(m);
    const auto n = m.columns.size();
    const DominoColumn& c = *m.column(at);
    const double all_ms = m.backbone_ms + m.head_ms + m.verify_ms;
    if (m.forced < 0 && input.beat == 0) return domino_says("block.title"_t, "rows"_v = n);
    if (m.forced < 0 && input.beat == 1) return domino_says("base.title"_t);
    if (m.forced < 0 && input.beat == domino_says.size - 1 && all_ms > 0)
        return domino_says("clock.title"_t, "share"_v = m.head_ms / all_ms, "round"_v = all_ms);
    if (!m.head_on) return domino_says("title.off"_t, "kept"_v = m.kept_on, "of"_v = n);
    if (m.forced >= 0)
        return domino_says("title.forced"_t, "token"_v = word(input, m.column(m.forced)->draft->token),
                           "follows"_v = m.forced + 1 < static_cast<int>(n));
    if (input.beat > kDominoFavouritesBeat && input.beat <= kDominoBothBeat)
        if (Message words = step_title(input, m); !words.empty()) return words;
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
Message replayed_words(const SceneInput& input, const DominoModel& m, const DominoBefore& before) {
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

Message added_words(double logits, int decimals) {
    const auto plus = "plus"_v = ui::signed_number(logits, decimals).starts_with('+');
    const auto value = "logits"_v = logits;
    return decimals == 1 ? domino_says("words.logits:one"_t, plus, value) : domino_says("words.logits:two"_t, plus, value);
}

Message correction_deeper(const DominoModel& m) {
    const int at = telling_position(m);
    const DominoColumn& c = *m.column(at);
    const Internals::Strip* mixed = c.internals() ? c.internals()->strip("low rank") : nullptr;
    return domino_says("words.deeper"_t, "numbers"_v = mixed ? mixed->values : 0, "size"_v = correction_size(m, c), "position"_v = at + 1,
                       "why"_v = domino_says("words.why_logits"_t));
}

Message verdict_words(const SceneInput& input, const DominoVerdict& v) {
    switch (v.state) {
    case State::accepted: return domino_says("verdict.fate:kept"_t);
    case State::rejected: return domino_says("verdict.fate:refused"_t, "own"_v = v.replacement ? word(input, *v.replacement) : Message());
    case State::discarded: return fate_words(DraftSlot::State::discarded);
    case State::unknown: return domino_says("verdict.fate:unknown"_t);
    case State::none: break;
    }
    return fate_words(DraftSlot::State::drafted);
}

Message position_words(const SceneInput& input, const DominoModel& m, const DominoBefore& before, int i) {
    const DominoColumn& c = *m.column(i);
    const std::vector<int> ids = domino_tokens(c, 3);
    const Internals* internals = c.internals();
    const std::optional<double> size = c.corrected ? correction_size(m, c) : std::nullopt;
    const Internals::Mover* mover = size ? largest_mover(c) : nullptr;
    if (mover && (internals->movers.size() < 2 || std::abs(mover->gain()) < 0.05)) mover = nullptr;
    const auto gate = [&](const char* name) { return internals ? internals->number(name) : std::nullopt; };
    const auto shares = [&](const TopEntries& top, bool added) {
        return each_said(ids, [&](int id) {
            const std::optional<double> delta = added ? correction_of(c, id) : std::nullopt;
            return domino_says("position.share"_t, "token"_v = word(input, id), "p"_v = known_share(top, id),
                               "added"_v = delta ? added_words(*delta) : Message());
        });
    };
    return domino_says(
        "position.told"_t, "position"_v = i + 1, "selected"_v = i == m.selected, "corrected"_v = c.corrected, "forced"_v = c.forced,
        "base"_v = shares(c.base, false), "cosine"_v = c.corrected && m.forced >= 0 ? state_cosine(m, before, i) : std::nullopt,
        "z"_v = gate("mean z"), "r"_v = gate("mean r"), "size"_v = size, "mover"_v = mover ? word(input, mover->token) : Message(),
        "gain"_v = mover ? added_words(mover->gain()) : Message(), "final"_v = c.corrected ? shares(c.final, true) : std::vector<Said>(),
        "token"_v = word(input, c.draft->token), "id"_v = c.draft->token);
}

StageTitle domino_title(const SceneInput& input, const DominoModel& m) {
    return {.title = stage_title(input, m),
            .subtitle = head_conditions(input, m, HeadGuess::position),
            .tier = tier_of(m.header),
            .tier_words = {}};
}

Story domino_story(const SceneInput& input, const DominoModel& m, const DominoBefore& before, const Message& sought) {
    Story story = story_at_beat(input, domino_says.size);
    const int beat = story.step - 1;
    take(story, beat_words(input, m, beat));
    if (beat == kDominoLowRankBeat && m.instead_of.empty() && !largest_mover(*m.column(telling_position(m))))
        story.what_if = domino_says("words.why_logits"_t);
    if (m.fast) story.what_if = domino_says("words.fast"_t);
    if (before.round == m.round->round && m.forced >= 0) story.what_if = replayed_words(input, m, before);
    add_task(story, input, m, beat);
    if (sought.empty()) return story;
    story.what_if = sought;
    offer_example(story, input, kept_change(*input.whole));
    return story;
}

} // namespace speclens
