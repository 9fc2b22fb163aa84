// Words of the accept-rule scene: title, nine beats, and the frame as text.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "engine/drafters/drafter_info.h"
#include "scenes/accept/accept_draw.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/run_controls.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

using ui::probability;

// What most lets the two distributions differ: the bars with the largest excess on either side.
struct Extremes {
    const AcceptBar* over = nullptr;
    const AcceptBar* owed = nullptr;
};
Extremes extremes(const AcceptView& view) {
    Extremes e;
    for (const AcceptBar& bar : view.bars) {
        if (!e.over || bar.over() > e.over->over()) e.over = &bar;
        if (!e.owed || bar.owed() > e.owed->owed()) e.owed = &bar;
    }
    return e;
}

// Where most of what the two distributions differ by lies.
std::string part_words(const SceneInput& input, const AcceptView& view, const AcceptBar& bar, double mass) {
    const std::string where = bar.id < 0 ? accept_says("words.outside"_t) : bar_words(input, bar);
    if (mass > 1 - view.kept - 1e-6) return accept_says("words.part:all"_t, "where"_v = where);
    if (mass > (1 - view.kept) / 2) return accept_says("words.part:most"_t, "where"_v = where);
    return accept_says("words.part:largest"_t, "where"_v = where);
}

// Small ones with digits that can be divided by each other.
std::string share_words(const AcceptBar& bar, Side side) {
    const double p = side == Side::target ? bar.p : bar.q;
    const bool small = bar.listed() && p > 0 && p < 0.01;
    return small ? three_digits(p) : share_number(bar, side);
}

Words token_words(const SceneInput& input, const AcceptView& view) {
    const AcceptBar& bar = view.bar();
    const std::string token = bar_words(input, bar), p = share_words(bar, Side::target), q = share_words(bar, Side::draft);
    if (!view.coin_known()) return accept_says.beat("token:unknown"_t, "token"_v = token, "target"_v = p, "draft"_v = q);
    if (bar.q <= 0) return accept_says.beat("token:never"_t, "token"_v = token, "target"_v = p, "draft"_v = q);
    if (bar.p >= bar.q) return accept_says.beat("token:always"_t, "token"_v = token, "target"_v = p, "draft"_v = q);
    return accept_says.beat("token:sometimes"_t, "token"_v = token, "target"_v = p, "draft"_v = q,
                            "threshold"_v = fine_probability(view.threshold()));
}

Words coin_words(const SceneInput& input, const AcceptView& view) {
    const std::string token = bar_words(input, view.bar());
    if (!view.coin_known()) return accept_says.beat("coin:unknown"_t, "token"_v = token);
    if (view.bar().q <= 0) return accept_says.beat("coin:never"_t, "token"_v = token);
    const Header& run = *input.view->header;
    const std::string threshold = fine_probability(view.threshold()), coin = probability(view.coin);
    if (view.thrown) return accept_says.beat("coin:thrown"_t, "threshold"_v = threshold, "coin"_v = coin, "stays"_v = view.accepts());
    return accept_says.beat("coin:none"_t, "threshold"_v = threshold, "coin"_v = coin, "stays"_v = view.accepts(),
                            "greedy"_v = run.sampling.temperature == 0, "rule"_v = run.rule);
}

Words areas_words(const SceneInput& input, const AcceptView& view) {
    const std::string lost = probability(1 - view.kept);
    if (view.at_least) return accept_says.beat("areas:heads"_t, "lost"_v = view.told() ? lost : "");
    const Extremes e = extremes(view);
    if (!e.over || e.over->over() <= 1e-6) return accept_says.beat("areas:equal"_t);
    return accept_says.beat("areas:whole"_t, "lost"_v = lost, "as_much"_v = lost.front() == '<' || lost == "0",
                            "over"_v = part_words(input, view, *e.over, e.over->over()),
                            "owed"_v = part_words(input, view, *e.owed, e.owed->owed()));
}

Words reach_words(const SceneInput& input, const AcceptView& view) {
    const AcceptReach& reach = view.reach;
    if (view.edited) return accept_says.beat("reach:edited"_t);
    if (!reach.known) return accept_says.beat("reach:unknown"_t);
    if (reach.named <= 1) return accept_says.beat("reach:copied"_t);
    if (!reach.some()) return accept_says.beat("reach:all"_t, "ids"_v = ui::integer(reach.ids));
    const bool much = reach.much() && reach.largest >= 0;
    return accept_says.beat("reach:some"_t, "named"_v = ui::integer(reach.named), "ids"_v = ui::integer(reach.ids),
                            "never"_v = much ? fine_probability(reach.never) : "", "within"_v = fine_probability(1 - reach.never),
                            "largest"_v = much ? quoted(*input.trace, reach.largest) : "", "most"_v = fine_probability(reach.most));
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

Words beat_words(const SceneInput& input, const AcceptView& view, int beat) {
    const std::string kept = probability(view.kept), lost = probability(1 - view.kept);
    const bool all_kept = view.kept > 1 - 1e-6;
    switch (beat) {
    case 0: return accept_says.beat("models"_t);
    case kSumsBeat:
        if (!view.at_least) return accept_says.beat("kept:whole"_t, "kept"_v = kept);
        return view.told() ? accept_says.beat("kept:heads"_t, "kept"_v = kept) : accept_says.beat("kept:unknown"_t);
    case 2: return token_words(input, view);
    case kCoinBeat: return coin_words(input, view);
    case kBooksBeat: return areas_words(input, view);
    case 5: return all_kept ? accept_says.beat("residual:all_kept"_t) : accept_says.beat("residual:some"_t);
    case 6:
        if (all_kept) return accept_says.beat("books:all_kept"_t);
        return accept_says.beat("books:some"_t, "lost"_v = view.told() ? lost : "", "at_least"_v = view.at_least && view.told());
    case kReachBeat: return reach_words(input, view);
    default: return accept_says.beat("count"_t);
    }
}

std::string beat_task(const SceneInput& input, const AcceptView& view, int beat) {
    if (view.bars.empty()) return {};
    if (beat == kCountBeat) return accept_says("count.task"_t);
    if (beat == kCoinBeat && view.coin_known()) return accept_says("coin.task"_t);
    if (view.kept_as_loaded || view.source.accepted) return accept_says("words.task:any_handle"_t);
    return accept_says("words.task:drag"_t, "token"_v = bar_words(input, view.bar()));
}

std::string token_title(const SceneInput& input, const AcceptView& view, bool judged) {
    const std::string token = bar_words(input, view.bar());
    if (!view.coin_known()) return accept_says("token.title:unknown"_t, "token"_v = token);
    if (!judged) return accept_says("token.title:never"_t, "token"_v = token);
    if (view.threshold() >= 1) return accept_says("token.title:always"_t, "token"_v = token);
    return accept_says("token.title:sometimes"_t, "token"_v = token, "threshold"_v = fine_probability(view.threshold()));
}

// The finding of a beat, which does not say what the beats after it are about.
std::string beat_title(const SceneInput& input, const AcceptView& view, int beat) {
    const bool judged = view.coin_known() && view.bar().q > 0;
    if (beat >= kSumsBeat && beat != 2 && beat != kCoinBeat && beat != kReachBeat) {
        if (view.kept > 0.995) return accept_says("title.agree"_t);
        if (view.kept < 0.005 && !view.at_least) return accept_says("title.disagree"_t);
    }
    switch (beat) {
    case 0: return accept_says("models.title"_t);
    case kSumsBeat: return accept_says("kept.title"_t, "kept"_v = view.told() ? kept_number(view) : "");
    case 2: return token_title(input, view, judged);
    case kCoinBeat:
        if (!judged) return accept_says("coin.title:no_token"_t);
        if (!view.thrown) return accept_says("coin.title:would"_t);
        return view.accepts() ? accept_says("coin.title:stays"_t) : accept_says("coin.title:goes"_t);
    case kBooksBeat: return accept_says("areas.title"_t);
    case 5: return accept_says("residual.title"_t);
    case 6: return accept_says("books.title"_t);
    case kReachBeat:
        if (view.reach.known && !view.edited && !view.reach.some())
            return accept_says("reach.title:all"_t, "ids"_v = ui::integer(view.reach.ids));
        if (!view.reach.some()) return accept_says("reach.title:other"_t);
        return accept_says("reach.title:some"_t, "never"_v = view.reach.much() ? fine_probability(view.reach.never) : "");
    default: return accept_says("count.title"_t);
    }
}

} // namespace

AcceptParts accept_parts(const SceneInput& input, const AcceptView& view, const AcceptState& state) {
    const bool thrown = state.edit.coin || state.counts.flips > 0, all = view.edited;
    const auto shown = [&](auto part) { return !accept_says.hides(input.beat, part); };
    AcceptParts parts{all || thrown || shown("sums"_part), all || thrown || shown("coin"_part), all || shown("books"_part)};
    parts.reach = input.beat == kReachBeat && view.reach.some() && !thrown;
    return parts;
}

Letters letters(bool article) { return article ? Letters{"q", "p"} : Letters{"p", "q"}; }

std::string verdict_words(const SceneInput& input, const AcceptView& view) {
    if (!view.coin_known()) return accept_says("verdict.unknown"_t);
    if (view.bar().q <= 0) return accept_says("verdict.never"_t);
    const bool accepts = view.accepts();
    if (!view.thrown) return accept_says("verdict.would"_t, "accepted"_v = accepts);
    const bool as_in_the_run = !view.edited && view.chosen == view.drafted && view.source.coin && view.coin == *view.source.coin;
    if (as_in_the_run && accepts != view.source.accepted)
        return accept_says("verdict.otherwise"_t, "accepted"_v = accepts, "rule"_v = input.view->header->rule);
    return accept_says("verdict.here"_t, "accepted"_v = accepts);
}

std::string kept_number(const AcceptView& view) { return view.told() ? (view.at_least ? "≥ " : "") + probability(view.kept) : "–"; }
std::string lost_number(const AcceptView& view) { return view.told() ? (view.at_least ? "≤ " : "") + probability(1 - view.kept) : "–"; }
std::string overlap_number(const AcceptBar& bar) {
    if (bar.at_least && bar.kept < 0.01) return "≥ 0";
    return (bar.at_least ? "≥ " : "") + probability(bar.kept);
}
std::string share_number(const AcceptBar& bar, Side side) {
    const bool target = side == Side::target;
    const double most = target ? bar.p_most : bar.q_most;
    if (most <= 0) return probability(target ? bar.p : bar.q);
    return most < 0.01 ? "<.01" : "≤ " + probability(most);
}

std::string three_digits(double probability) {
    if (probability < 1e-5) return fine_probability(probability);
    return ui::fraction(probability, 2 - static_cast<int>(std::floor(std::log10(probability))));
}

std::string bar_words(const SceneInput& input, const AcceptBar& bar) {
    return bar.id < 0 ? accept_says("words.other_token"_t) : quoted(*input.trace, bar.id);
}
std::string bar_label(const SceneInput& input, const AcceptBar& bar) {
    return bar.id < 0 ? accept_says("words.other"_t) : label_of(*input.trace, bar.id);
}

StageTitle accept_title(const SceneInput& input, const AcceptView& view) {
    StageTitle title;
    title.tier = view.edited ? ui::Tier::table : tier_of(input.view->header);
    if (view.edited) title.tier_words = accept_says("words.edited"_t);
    const AcceptSource& source = view.source;
    if (!source.position) {
        title.title = accept_says("title.nothing"_t);
        title.subtitle = accept_says("subtitle.nothing"_t, "no_drafter"_v = drafts_nothing(input));
        return title;
    }
    const std::string place =
        accept_says("words.place"_t, "position"_v = source.position->index + 1, "round"_v = source.position->round + 1);
    title.subtitle = place;
    if (view.bars.empty()) {
        title.title = accept_says("title.not_recorded"_t);
        return title;
    }
    title.title = beat_title(input, view, std::clamp(input.beat, 0, kAcceptBeats - 1));
    const std::string& rule = input.view->header->rule;
    const bool other_t = !source.raw && source.draft_t != source.target_t;
    title.subtitle = accept_says("subtitle.told"_t, "place"_v = place, "whole"_v = source.full || source.heads_are_all,
                                 "raw"_v = source.raw, "temperature"_v = temperature_words(source.target_t),
                                 "draft_temperature"_v = other_t ? temperature_words(source.draft_t) : "", "why_raw"_v = source.why_raw,
                                 "rule"_v = rule == "token" ? "" : rule, "edited"_v = view.edited,
                                 "drag"_v = !view.edited && !counts_on_stage(input), "article"_v = input.letters_article);
    return title;
}

Story accept_story(const SceneInput& input, const AcceptView& view, const AcceptState& state) {
    Story story = story_at_beat(input, kAcceptBeats);
    const int beat = story.step - 1;
    if (!view.source.position && drafts_nothing(input)) {
        const OtherDrafter other = drafter_instead(input);
        const std::string drafter = other.can_switch ? other.title : "";
        story.heading = accept_says("empty.heading:no_drafter"_t);
        story.text = accept_says("empty.text:no_drafter"_t, "drafter"_v = drafter);
        take_beats(story, accept_says("words.no_beats"_t, "drafter"_v = drafter));
        return story;
    }
    if (view.bars.empty()) {
        const Words words = view.source.position ? accept_says.beat("empty:no_rows"_t) : accept_says.beat("empty:waiting"_t);
        story.heading = words.heading;
        story.text = words.text;
        if (!view.source.position) {
            story.task = accept_says("empty.task"_t);
            story.on_task = {Go{Move::rejection}};
        }
        return story;
    }
    const Words words = beat_words(input, view, beat);
    story.heading = words.heading;
    story.text = words.text;
    const bool seeks = accept_says.criterion(beat, "contested guess"_part) && beat != kCountBeat; // counting shows much anyhow
    if (!view.edited && view.kept > 0.95 && seeks) {                                              // nothing to see: go where there is
        if (const auto at = last_rejection(*input.whole); at && at != view.source.position) {
            story.text = accept_says("words.agree"_t, "text"_v = words.text);
            story.task = accept_says("words.task:rejection"_t);
            story.on_task = {Select{*at}};
            return story;
        }
        if (!find_in(*input.whole, contested_guess()))
            story.text =
                accept_says("words.no_example"_t, "none"_v = without_example_words(input, contested_guess()), "text"_v = words.text);
        if (found_elsewhere(input, contested_guess()).settings) {
            offer_example(story, input, contested_guess());
            return story;
        }
    }
    story.task = beat_task(input, view, beat);
    if (beat == kReachBeat && !view.edited) {
        story.task = view.reach.much() ? accept_says("reach.task:count"_t) : "";
        if (const auto less = with_less_reach(input, view)) {
            story.task = accept_says("reach.task:less"_t, "ids"_v = ui::integer(less->options.fr_spec));
            story.on_task = {Command{Restart{*less}}};
        }
        return story;
    }
    story.task_done = beat == kCountBeat ? state.flipped
                      : beat == kCoinBeat && view.coin_known()
                          ? state.edit.coin.has_value()
                          : view.edited && (view.kept_as_loaded || view.source.accepted || view.threshold() >= 1);
    return story;
}

std::string accept_description(const SceneInput& input, const AcceptView& view, const AcceptState& state) {
    std::ostringstream out;
    const StageTitle title = accept_title(input, view);
    out << title.title << "\n"
        << title.subtitle << "\nData: " << tier_name(shown_tier(input, title.tier))
        << (title.tier_words.empty() ? "" : ", " + title.tier_words) << "\n\n";
    if (!view.bars.empty()) {
        const Letters letter = letters(input.letters_article);
        const AcceptParts parts = accept_parts(input, view, state);
        out << "Distributions (target " << letter.target << ", draft " << letter.draft << "):\n";
        for (const AcceptBar& bar : view.bars)
            out << "  " << (bar.id < 0 ? std::string("other") : bar_words(input, bar)) << ": target " << share_number(bar, Side::target)
                << ", draft " << share_number(bar, Side::draft) << (parts.sums ? ", overlap " + overlap_number(bar) : std::string())
                << "\n";
        if (parts.sums)
            out << "Kept " << kept_number(view) << ", rejected " << lost_number(view) << ", owed " << lost_number(view)
                << (view.told() ? "" : ": overlap below the recorded heads") << "\n";
        const AcceptBar& bar = view.bar();
        if (parts.reach)
            out << "The draft names " << view.reach.named << " of " << view.reach.ids << " tokens; to the others the target gives "
                << fine_probability(view.reach.never) << ". Output: kept " << probability(view.kept) << ", replaced by a token it can name "
                << probability(std::max(0.0, 1 - view.kept - view.reach.never)) << ", by another one " << fine_probability(view.reach.never)
                << "\n";
        else if (parts.coin)
            out << "Coin for " << bar_words(input, bar) << ": u = " << probability(view.coin) << ", threshold "
                << (view.coin_known() ? fine_probability(view.threshold()) : "–") << ", " << verdict_words(input, view)
                << (view.thrown ? "" : "; this run threw no coin") << "\n";
        if (parts.books && view.kept < 1 - 1e-6 && !view.at_least) {
            out << "Residual:";
            for (const AcceptBar& b : view.bars)
                if (b.owed() > 1e-4)
                    out << " " << (b.id < 0 ? std::string("other") : bar_words(input, b)) << " " << probability(b.owed() / (1 - view.kept));
            out << "\n";
        }
        if (state.counts.flips > 0) {
            const FlipTest test = test_flips(view, state.counts);
            out << state.counts.flips << " flips: " << (view.at_least ? "≥ " : "") << state.counts.kept_total() << " kept, "
                << (view.at_least ? "≤ " : "") << state.counts.flips - state.counts.kept_total() << " resampled, TV "
                << ui::number(test.tv, 3);
            if (test.enough) out << ", chi-squared p " << probability(test.chi2_p);
            out << "\n";
        }
    }
    out << "\n" << describe_story(input, accept_story(input, view, state));
    return out.str();
}

} // namespace speclens
