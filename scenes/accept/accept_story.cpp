// Words of the accept-rule scene: ten beats, each with its title, and probabilities as far as they are known.
#include <algorithm>

#include "engine/drafters/drafter_info.h"
#include "scenes/accept/accept_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/token_said.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

Message as_known(std::optional<double> p, bool least = false, bool most = false) {
    return accept_says("number.as_known"_t, "p"_v = p, "least"_v = least && p, "most"_v = most && p);
}

// Small ones with digits that can be divided by each other.
Message divisible(const AcceptBar& bar, ModelSide side) {
    const double p = bar.share(side);
    return bar.listed() && p > 0 && p < 0.01 ? accept_says("number.small"_t, "p"_v = p) : share_number(bar, side);
}

// Where most of an area lies.
Message part_words(const SceneInput& input, const AcceptView& view, double (AcceptBar::*mass)() const) {
    const AcceptBar& bar = *std::ranges::max_element(view.bars, {}, mass);
    const auto where = "where"_v = bar.id < 0 ? accept_says("words.outside"_t) : bar_words(input, bar);
    if ((bar.*mass)() > view.lost() - 1e-6) return accept_says("words.part:all"_t, where);
    return (bar.*mass)() > view.lost() / 2 ? accept_says("words.part:most"_t, where) : accept_says("words.part:largest"_t, where);
}

// The finding of a beat, which does not say what the beats after it are about, and what the beat says.
struct BeatSaid {
    Message title;
    Words words;
};

BeatSaid said_of_kept(const AcceptView& view) {
    const auto kept = "kept"_v = view.kept;
    return {accept_says("kept.title"_t, "kept"_v = view.told() ? kept_number(view) : Message()),
            !view.at_least ? accept_says.beat("kept:whole"_t, kept)
            : view.told()  ? accept_says.beat("kept:heads"_t, kept)
                           : accept_says.beat("kept:unknown"_t)};
}

BeatSaid said_of_token(const SceneInput& input, const AcceptView& view) {
    const AcceptBar& bar = view.bar();
    const auto say = [&](auto title, auto words) -> BeatSaid {
        const auto token = "token"_v = bar_words(input, bar);
        const auto threshold = "threshold"_v = view.threshold();
        return {accept_says(title, token, threshold),
                accept_says.beat(words, token, threshold, "target"_v = divisible(bar, ModelSide::target),
                                 "draft"_v = divisible(bar, ModelSide::draft))};
    };
    if (!view.coin_known()) return say("token.title:unknown"_t, "token:unknown"_t);
    if (bar.q <= 0) return say("token.title:never"_t, "token:never"_t);
    return bar.p >= bar.q ? say("token.title:always"_t, "token:always"_t) : say("token.title:sometimes"_t, "token:sometimes"_t);
}

BeatSaid said_of_coin(const SceneInput& input, const AcceptView& view) {
    const auto token = "token"_v = bar_words(input, view.bar());
    if (!view.coin_known()) return {accept_says("coin.title:no_token"_t), accept_says.beat("coin:unknown"_t, token)};
    if (view.bar().q <= 0) return {accept_says("coin.title:no_token"_t), accept_says.beat("coin:never"_t, token)};
    const auto threshold = "threshold"_v = view.threshold();
    const auto coin = "coin"_v = view.coin;
    const auto stays = "stays"_v = view.accepts();
    const Header& run = *input.view->header;
    if (!view.thrown)
        return {accept_says("coin.title:would"_t),
                accept_says.beat("coin:none"_t, threshold, coin, stays, "greedy"_v = run.sampling.temperature == 0, "rule"_v = run.rule)};
    return {view.accepts() ? accept_says("coin.title:stays"_t) : accept_says("coin.title:goes"_t),
            accept_says.beat("coin:thrown"_t, threshold, coin, stays)};
}

Words areas_words(const SceneInput& input, const AcceptView& view) {
    const auto lost = "lost"_v = view.known(view.lost());
    if (view.at_least) return accept_says.beat("areas:heads"_t, lost);
    if (std::ranges::all_of(view.bars, [](const AcceptBar& bar) { return bar.over() <= 1e-6; })) return accept_says.beat("areas:equal"_t);
    return accept_says.beat("areas:whole"_t, lost, "as_much"_v = view.lost() < 0.01, "over"_v = part_words(input, view, &AcceptBar::over),
                            "owed"_v = part_words(input, view, &AcceptBar::owed));
}

BeatSaid said_of_reach(const SceneInput& input, const AcceptView& view) {
    const AcceptReach& reach = view.reach;
    const auto ids = "ids"_v = reach.ids;
    const Message other = accept_says("reach.title:other"_t), all = accept_says("reach.title:all"_t, ids);
    if (view.edited) return {other, accept_says.beat("reach:edited"_t)};
    if (!reach.known) return {other, accept_says.beat("reach:unknown"_t)};
    if (reach.named <= 1) return {all, accept_says.beat("reach:copied"_t)};
    if (!reach.some()) return {all, accept_says.beat("reach:all"_t, ids)};
    const bool much = reach.much() && reach.largest >= 0;
    const auto never = [](bool told, double p) { return "never"_v = told ? std::optional(p) : std::nullopt; };
    return {accept_says("reach.title:some"_t, never(reach.much(), reach.never)),
            accept_says.beat("reach:some"_t, "named"_v = reach.named, ids, never(much, reach.never), "within"_v = 1 - reach.never,
                             "largest"_v = much ? token_said(*input.trace, reach.largest) : Message(), "most"_v = reach.most)};
}

// Sample match beside the token rule, of the round's guesses.
BeatSaid said_of_match(const AcceptView& view) {
    const Message other = accept_says("match.title:other"_t);
    if (view.source.frozen) return {other, accept_says.beat("match:greedy"_t)};
    if (view.edited || view.source.raw) return {other, accept_says.beat("match:edited"_t)};
    if (!view.source.full) return {other, accept_says.beat("match:unknown"_t)};
    if (view.places.empty()) return {other, accept_says.beat("match:tree"_t)};
    const PlaceByRules& here = view.places[static_cast<std::size_t>(view.source.position->index)];
    const auto kept = "kept"_v = here.kept;
    const auto matched = "matched"_v = here.matched;
    if (here.kept - here.matched < 0.005) return {other, accept_says.beat("match:alike"_t, kept)};
    return {accept_says("match.title:apart"_t, kept, matched),
            accept_says.beat("match:apart"_t, kept, matched, "of"_v = view.places.size(), "token"_v = view.stay(&PlaceByRules::by_token),
                             "match"_v = view.stay(&PlaceByRules::by_match))};
}

BeatSaid said_of(const SceneInput& input, const AcceptView& view, int beat) {
    const bool all = view.kept > 1 - 1e-6; // is kept
    switch (beat) {
    case 0: return {accept_says("models.title"_t), accept_says.beat("models"_t)};
    case kSumsBeat: return said_of_kept(view);
    case kTokenBeat: return said_of_token(input, view);
    case kCoinBeat: return said_of_coin(input, view);
    case kBooksBeat: return {accept_says("areas.title"_t), areas_words(input, view)};
    case kResidualBeat:
        return {accept_says("residual.title"_t), all ? accept_says.beat("residual:all_kept"_t) : accept_says.beat("residual:some"_t)};
    case kBalanceBeat:
        if (all) return {accept_says("books.title"_t), accept_says.beat("books:all_kept"_t)};
        return {accept_says("books.title"_t),
                accept_says.beat("books:some"_t, "lost"_v = view.known(view.lost()), "at_least"_v = view.at_least && view.told())};
    case kReachBeat: return said_of_reach(input, view);
    case kMatchBeat: return said_of_match(view);
    default: return {accept_says("count.title"_t), accept_says.beat("count"_t)};
    }
}

Message title_of(const SceneInput& input, const AcceptView& view, int beat) {
    if (beat >= kSumsBeat && beat != kTokenBeat && beat != kCoinBeat && beat != kReachBeat && beat != kMatchBeat) {
        if (view.kept > 0.995) return accept_says("title.agree"_t);
        if (view.kept < 0.005 && !view.at_least) return accept_says("title.disagree"_t);
    }
    return said_of(input, view, beat).title;
}

// The same run with a head whose output matrix is cut to one eighth of the tokens; none: nobody could draft so.
std::optional<RunSettings> with_less_reach(const SceneInput& input, const AcceptView& view) {
    if (!input.settings || !view.reach.known || view.edited || view.reach.much()) return {};
    for (const char* drafter : {"mtp", "medusa"})
        if (drafter_ready(input, drafter)) {
            const int k = input.settings->k > 0 ? input.settings->k : default_k(drafter);
            RunSettings settings = with_draft_length(with_drafter(*input.settings, drafter), k);
            settings.options.fr_spec = std::max(1, view.reach.ids / 8);
            return settings;
        }
    return {};
}

// Where there are no two distributions.
Story empty_story(const SceneInput& input, const AcceptView& view, Story story) {
    if (!view.source.position && drafts_nothing(input)) {
        const OtherDrafter other = drafter_instead(input);
        const auto drafter = "drafter"_v = other.can_switch ? other.title.words() : std::string();
        take(story, accept_says.beat("empty:no_drafter"_t, drafter));
        take_beats(story, accept_says("words.no_beats"_t, drafter));
        return story;
    }
    take(story, view.source.position ? accept_says.beat("empty:no_rows"_t) : accept_says.beat("empty:waiting"_t));
    if (view.source.position) return story;
    story.task = accept_says("empty.task"_t);
    story.on_task = {Go{Move::rejection}};
    return story;
}

void take_task(const SceneInput& input, const AcceptView& view, const AcceptState& state, int beat, Story& story) {
    const bool always = view.kept_as_loaded || view.source.accepted, throws = beat == kCoinBeat && view.coin_known();
    if (beat == kReachBeat && !view.edited) {
        if (view.reach.much()) story.task = accept_says("reach.task:count"_t);
        if (const auto less = with_less_reach(input, view)) {
            story.task = accept_says("reach.task:less"_t, "ids"_v = less->options.fr_spec);
            story.on_task = {Command{Restart{*less}}};
        }
        return;
    }
    if (beat == kMatchBeat && !view.places.empty() && !view.source.frozen && input.settings && input.view->header->rule != "match") {
        story.task = accept_says("match.task"_t);
        story.on_task = {Command{Restart{with_rule(*input.settings, "match")}}};
        return;
    }
    story.task = beat == kCountBeat ? accept_says("count.task"_t)
                 : throws           ? accept_says("coin.task"_t)
                 : always           ? accept_says("words.task:any_handle"_t)
                                    : accept_says("words.task:drag"_t, "token"_v = bar_words(input, view.bar()));
    story.task_done = beat == kCountBeat ? state.now.flipped
                      : throws           ? state.now.edit.coin.has_value()
                                         : view.edited && (always || view.threshold() >= 1);
}

} // namespace

AcceptParts accept_parts(const SceneInput& input, const AcceptView& view, const AcceptState& state) {
    const bool thrown = state.now.edit.coin || state.now.counts.flips > 0, all = view.edited;
    const auto shown = [&](auto part) { return !accept_says.hides(input.beat, part); };
    return {.sums = all || thrown || shown("sums"_part),
            .coin = all || thrown || shown("coin"_part),
            .books = all || shown("books"_part),
            .reach = input.beat == kReachBeat && view.reach.some() && !thrown,
            .rules = input.beat == kMatchBeat && !view.places.empty() && !view.source.frozen && !thrown};
}

Message verdict_words(const SceneInput& input, const AcceptView& view) {
    const auto accepted = "accepted"_v = view.accepts();
    if (!view.coin_known()) return accept_says("verdict.unknown"_t);
    if (view.bar().q <= 0) return accept_says("verdict.never"_t);
    if (!view.thrown) return accept_says("verdict.would"_t, accepted);
    const bool as_in_the_run = !view.edited && view.chosen == view.drafted && view.source.coin && view.coin == *view.source.coin;
    if (as_in_the_run && view.accepts() != view.source.accepted)
        return accept_says("verdict.otherwise"_t, accepted, "rule"_v = input.view->header->rule);
    return accept_says("verdict.here"_t, accepted);
}

Message kept_number(const AcceptView& view) { return as_known(view.known(view.kept), view.at_least); }
Message lost_number(const AcceptView& view) { return as_known(view.known(view.lost()), false, view.at_least); }
Message overlap_number(const AcceptBar& bar) { return as_known(bar.at_least && bar.kept < 0.01 ? 0 : bar.kept, bar.at_least); }
Message share_number(const AcceptBar& bar, ModelSide side) {
    const double most = bar.most(side);
    return most > 0 ? as_known(most, false, most >= 0.01) : as_known(bar.share(side));
}

Message bar_words(const SceneInput& input, const AcceptBar& bar) {
    return bar.id < 0 ? accept_says("words.other_token"_t) : token_said(*input.trace, bar.id);
}

StageTitle accept_title(const SceneInput& input, const AcceptView& view) {
    const AcceptSource& source = view.source;
    StageTitle title;
    title.tier = view.edited ? ui::Tier::table : tier_of(input.view->header);
    if (view.edited) title.tier_words = accept_says("words.edited"_t);
    if (!source.position) {
        title.title = accept_says("title.nothing"_t);
        title.subtitle = accept_says("subtitle.nothing"_t, "no_drafter"_v = drafts_nothing(input));
        return title;
    }
    const Message place = accept_says("words.place"_t, "position"_v = source.position->index + 1, "round"_v = source.position->round + 1);
    if (view.bars.empty()) {
        title.title = accept_says("title.not_recorded"_t);
        title.subtitle = place;
        return title;
    }
    title.title = title_of(input, view, std::clamp(input.beat, 0, kAcceptBeats - 1));
    const std::string& rule = input.view->header->rule;
    const bool other_t = !source.raw && source.draft_t != source.target_t;
    title.subtitle =
        accept_says("subtitle.told"_t, "place"_v = place, "whole"_v = source.full || source.heads_are_all, "raw"_v = source.raw,
                    "temperature"_v = source.target_t, "draft_temperature"_v = other_t ? std::optional(source.draft_t) : std::nullopt,
                    "greedy"_v = source.frozen, "rule"_v = rule == "token" ? "" : rule, "edited"_v = view.edited,
                    "drag"_v = !view.edited && !counts_on_stage(input), "article"_v = input.letters_article);
    return title;
}

Story accept_story(const SceneInput& input, const AcceptView& view, const AcceptState& state) {
    Story story = story_at_beat(input, kAcceptBeats);
    if (view.bars.empty()) return empty_story(input, view, std::move(story));
    const int beat = story.step - 1;
    take(story, said_of(input, view, beat).words);
    // Counting shows much anyhow, and where both models agree the rules differ most.
    const bool seeks = accept_says.criterion(beat, "contested guess"_part) && beat < kReachBeat;
    if (!view.edited && view.kept > 0.95 && seeks) { // nothing to see: go where there is
        if (const auto at = last_rejection(*input.whole); at && at != view.source.position) {
            story.text = accept_says("words.agree"_t, "text"_v = story.text);
            story.task = accept_says("words.task:rejection"_t);
            story.on_task = {Select{*at}};
            return story;
        }
        if (!find_in(*input.whole, contested_guess()))
            story.text =
                accept_says("words.no_example"_t, "none"_v = without_example_words(input, contested_guess()), "text"_v = story.text);
        offer_example(story, input, contested_guess());
        if (!story.task.empty()) return story;
    }
    take_task(input, view, state, beat, story);
    return story;
}

} // namespace speclens
