// Words of the accept-rule scene: title, eight beats, and the frame as text.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "scenes/accept/accept_draw.h"
#include "scenes/shared/cycle_pick.h"
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

struct Beat {
    std::string heading, text;
};

Beat beat_words(const SceneInput& input, const AcceptView& view, int beat) {
    const AcceptBar& bar = view.bar();
    const std::string token = bar_words(input, bar);
    const std::string kept = probability(view.kept), lost = probability(1 - view.kept);
    const Extremes e = extremes(view);
    const auto where = [&](const AcceptBar& b) {
        return b.id < 0 ? std::string("tokens outside this list") : bar_words(input, b);
    };
    const auto part = [&](double mass) -> std::string {
        if (mass > 1 - view.kept - 1e-6) return "all of it on ";
        return mass > (1 - view.kept) / 2 ? "most of it on " : "the largest part on ";
    };
    // Small ones with digits that can be divided by each other.
    const auto shown = [&](Side side) {
        const double p = side == Side::target ? bar.p : bar.q;
        const bool small = bar.listed() && p > 0 && p < 0.01;
        return small ? three_digits(p) : share_number(bar, side);
    };
    switch (beat) {
    case 0:
        return {
            "Two models, one token",
            "Here both models say how likely each next token is. Blue caps are the target, dashed amber caps "
            "the draft. We may only draw from the draft first, but what comes out must follow the target."};
    case 1:
        return {"What both give is kept",
                "Green is the lower of the two caps, token by token. A draft that lands in green is always "
                "kept. " +
                    (!view.at_least
                         ? "Green sums to " + kept +
                               ": that is the chance that a guess survives here, whatever the tokens "
                               "are."
                     : view.told()
                         ? "Green sums to at least " + kept +
                               ", and a guess survives with at least that chance: the recorded heads do not "
                               "list every token."
                         : std::string("The recorded heads share too little to say what green sums to, which "
                                       "is the chance that a guess survives here."))};
    case 2:
        return {"One token at a time",
                "Look at " + token + ": target " + shown(Side::target) + ", draft " + shown(Side::draft) +
                    ". " +
                    (!view.coin_known() ? "The recorded heads say too little of it for a threshold."
                     : bar.q <= 0 ? "The draft never proposes it, so it can only arrive as a replacement."
                     : bar.p >= bar.q
                         ? "The draft claims no more than the target, so it is kept every time."
                         : "Only " + shown(Side::target) + " of the " + shown(Side::draft) +
                               " is deserved. Kept with probability " + fine_probability(view.threshold()) +
                               ", it comes out just often enough.")};
    case 3:
        return {"The coin decides",
                !view.coin_known() ? "The recorded heads say too little of " + token +
                                         " to tell its threshold. Choose a token that both list."
                : bar.q <= 0 ? "No coin is thrown for " + token + ": it is never proposed."
                : !view.thrown
                    ? "This run threw no coin here: " +
                          (input.view->header->sampling.temperature == 0
                               ? std::string("it is greedy, and keeps only the target's favourite")
                               : "its rule, " + input.view->header->rule + ", needs none") +
                          ". With the token rule a coin under " + fine_probability(view.threshold()) +
                          " would keep the guess; at " + probability(view.coin) +
                          (view.accepts() ? " it would stay. " : " it would go. ") +
                          "The coin knows nothing of the token, so no token is favoured."
                    : "A uniform coin u is thrown after the guess. Under the threshold " +
                          fine_probability(view.threshold()) + " the guess stays; at " +
                          probability(view.coin) + (view.accepts() ? " it stays. " : " it goes. ") +
                          "The coin knows nothing of the token, so no token is favoured."};
    case 4:
        if (view.at_least)
            return {"Two areas, one size",
                    (view.told() ? "The draft claims at most " + lost +
                                       " too much (hatched), and the target is owed exactly as much "
                                       "elsewhere (dotted). "
                                 : std::string("What the draft claims too much (hatched), the target is owed "
                                               "elsewhere (dotted). ")) +
                        "Both distributions sum to 1, so the two areas must be equal. The recorded heads do not list "
                        "every token: both areas may be smaller than drawn."};
        return {
            "Two areas, one size",
            e.over && e.over->over() > 1e-6
                ? "The draft claims " + lost + " too much (hatched), " + part(e.over->over()) +
                      where(*e.over) + ". The target is owed exactly " +
                      (lost.starts_with('.') ? lost : "as much") + " elsewhere (dotted), " +
                      part(e.owed->owed()) + where(*e.owed) +
                      ". Both distributions sum to 1, so the two areas must be equal."
                : std::string("The distributions are equal here: nothing is over-claimed, nothing is owed, and every "
                              "guess is kept.")};
    case 5:
        return {"Replace from what is owed",
                view.kept > 1 - 1e-6
                    ? std::string("There is nothing to replace.")
                    : "After a rejection the new token is drawn from the dotted parts only, scaled to 1: the "
                      "residual. Drawing from the target again would give tokens the draft favours a second "
                      "chance, and they would come out too often."};
    case 6:
        if (view.kept > 1 - 1e-6)
            return {"The books balance",
                    "Kept guesses put the green part of every bar into the output. Here that is the whole "
                    "bar, up to the blue cap: nothing is refused, so nothing has to be replaced. No model "
                    "was trusted for that, only counted."};
        return {"The books balance",
                "Kept guesses put the green part of every bar into the output. Replacements happen " +
                    (!view.told() ? "otherwise" : (view.at_least ? "at most " : "") + lost + " of the time") +
                    " and fill the dotted part. Stacked, they give back the blue cap of every token. "
                    "No model was trusted for that, only counted."};
    default:
        return {
            "Now count",
            "Throw the same rule a thousand times, with the dice of the engine. Green is kept, dotted is "
            "replaced, the blue marks are what the target promises. Change the draft as you like: the counts "
            "still go to the marks."};
    }
}

std::string beat_task(const SceneInput& input, const AcceptView& view, int beat) {
    if (view.bars.empty()) return {};
    if (beat == 7) return "Flip a thousand coins with M";
    if (beat == 3 && view.coin_known()) return "Drag the coin across its threshold";
    if (view.kept_as_loaded || view.source.accepted) return "Drag a handle: both areas change alike";
    return "Drag " + bar_words(input, view.bar()) + " until it is always kept";
}

// The finding of a beat, which does not say what the beats after it are about.
std::string beat_title(const SceneInput& input, const AcceptView& view, int beat) {
    const std::string token = capital(bar_words(input, view.bar()));
    const bool judged = view.coin_known() && view.bar().q > 0;
    if (beat >= kSumsBeat && beat != 2 && beat != kCoinBeat) {
        if (view.kept > 0.995) return "The two distributions agree: nearly every guess is kept";
        if (view.kept < 0.005 && !view.at_least)
            return "The two distributions share next to nothing: nearly every guess is replaced";
    }
    switch (beat) {
    case 0:
        return "Drawn from the draft, it must follow the target";
    case 1:
        return "What both distributions give is kept" + (view.told() ? ": " + kept_number(view) : std::string());
    case 2:
        return !view.coin_known() ? "The recorded heads say too little of " + bar_words(input, view.bar())
               : !judged          ? token + " is never proposed"
               : view.threshold() >= 1
                   ? token + " is kept every time"
                   : token + " is kept with probability " + fine_probability(view.threshold());
    case 3:
        return !judged          ? "A coin decides that knows no token"
               : !view.thrown   ? "A coin under the threshold would keep the guess"
               : view.accepts() ? "The coin falls under the threshold: the guess stays"
                                : "The coin misses the threshold: the guess goes";
    case 4:
        return "What the draft over-claims is exactly what the target is owed";
    case 5:
        return "What is refused is replaced from what is owed";
    case 6:
        return "Kept and replaced together give back the target";
    default:
        return "Thrown often enough, the rule gives the target's distribution";
    }
}

} // namespace

AcceptParts accept_parts(const SceneInput& input, const AcceptView& view, const AcceptState& state) {
    const bool thrown = state.edit.coin || state.counts.flips > 0, all = view.edited;
    return {all || thrown || input.beat >= kSumsBeat, all || thrown || input.beat >= kCoinBeat,
            all || input.beat >= kBooksBeat};
}

Letters letters(bool article) {
    return article ? Letters{"q", "p"} : Letters{"p", "q"};
}

std::string verdict_words(const SceneInput& input, const AcceptView& view) {
    if (!view.coin_known()) return "not known";
    if (view.bar().q <= 0) return "never tried";
    const bool accepts = view.accepts();
    const std::string here = accepts ? "accepted" : "rejected";
    if (!view.thrown) return "would be " + here;
    const bool as_in_the_run =
        !view.edited && view.chosen == view.drafted && view.source.coin && view.coin == *view.source.coin;
    if (as_in_the_run && accepts != view.source.accepted)
        return here + " here; " + input.view->header->rule + (accepts ? " rejected it" : " accepted it");
    return here;
}

std::string kept_number(const AcceptView& view) {
    return view.told() ? (view.at_least ? "≥ " : "") + probability(view.kept) : "–";
}
std::string lost_number(const AcceptView& view) {
    return view.told() ? (view.at_least ? "≤ " : "") + probability(1 - view.kept) : "–";
}
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
    const std::string text =
        ui::number(probability, 2 - static_cast<int>(std::floor(std::log10(probability))));
    return text.starts_with("0.") ? text.substr(1) : text;
}

std::string bar_words(const SceneInput& input, const AcceptBar& bar) {
    return bar.id < 0 ? std::string("some other token") : quoted(*input.trace, bar.id);
}
std::string bar_label(const SceneInput& input, const AcceptBar& bar) {
    return bar.id < 0 ? std::string("other") : label_of(*input.trace, bar.id);
}

StageTitle accept_title(const SceneInput& input, const AcceptView& view) {
    StageTitle title;
    title.tier = view.edited ? ui::Tier::table : tier_of(input.view->header);
    if (view.edited) title.tier_words = "edited";
    if (!view.source.position) {
        title.title = "Keep what the target agrees with";
        title.subtitle = drafts_nothing(input) ? "this run drafts nothing" : "no guess has been judged yet";
        return title;
    }
    const Position& at = *view.source.position;
    title.subtitle = "position " + std::to_string(at.index + 1) + " of round " + std::to_string(at.cycle + 1);
    if (view.bars.empty()) {
        title.title = "The distributions of this position were not recorded";
        return title;
    }
    title.title = beat_title(input, view, std::clamp(input.beat, 0, kAcceptBeats - 1));
    title.subtitle += view.source.full || view.source.heads_are_all ? ", both distributions from the run"
                                                                    : ", recorded heads of both distributions";
    title.subtitle +=
        view.source.raw ? " · raw (T = 1)" : " · T = " + temperature_words(view.source.target_t);
    if (!view.source.raw && view.source.draft_t != view.source.target_t)
        title.subtitle += ", draft T = " + temperature_words(view.source.draft_t);
    if (!view.source.why_raw.empty()) title.subtitle += ": " + view.source.why_raw;
    if (input.view->header->rule != "token")
        title.subtitle += " · this run used " + input.view->header->rule + "; here: token";
    if (view.edited)
        title.subtitle += " · Z undoes, Del reloads";
    else if (!counts_on_stage(input))
        title.subtitle += " · drag any handle";
    if (input.letters_article)
        title.subtitle = "Letters of the article: p is the draft, q the target; numbers and colours stay · " +
                         title.subtitle;
    return title;
}

Story accept_story(const SceneInput& input, const AcceptView& view, const AcceptState& state) {
    Story story = story_at_beat(input, kAcceptBeats);
    const int beat = story.step - 1;
    if (!view.source.position && drafts_nothing(input)) {
        const OtherDrafter other = drafter_instead(input);
        story.heading = "This run drafts nothing";
        story.text =
            "The accept rule judges guesses, and plain decoding makes none: every token is the target's "
            "own. ";
        story.text += other.can_switch
                          ? "Draft with " + std::string(other.title) +
                                ", and the two distributions of its first judged guess can be taken apart here."
                          : "A run that has a drafter is needed.";
        take_beats(story, other.can_switch ? "Draft with " + std::string(other.title) + " first (U)"
                                           : "There is no guess to look at");
        return story;
    }
    if (view.bars.empty()) {
        story.heading = view.source.position ? "No rows in this run" : "Waiting for a verdict";
        story.text =
            view.source.position
                ? "The run was made in fast mode, without the rows of probabilities. Start it again with "
                  "rows, "
                  "or choose another position."
                : "As soon as the target has judged a guess, its two distributions can be taken apart here. Step the "
                  "run forward, or jump to the next rejection.";
        if (!view.source.position) {
            story.task = "Jump to a rejection with X";
            story.on_task = {Go{Move::rejection}};
        }
        return story;
    }
    const Beat words = beat_words(input, view, beat);
    story.heading = words.heading;
    story.text = words.text;
    if (!view.edited && view.kept > 0.95 && beat != kCountBeat) { // nothing to see: go where there is
        if (const auto at = last_rejection(*input.whole); at && at != view.source.position) {
            story.text = "Here the two models agree, so this beat has little to show. " + words.text;
            story.task = "Show the last rejection";
            story.on_task = {Select{*at}};
            return story;
        }
        if (!find_in(*input.whole, contested_guess()))
            story.text = without_example_words(input, contested_guess()) + " " + words.text;
        if (found_elsewhere(input, contested_guess()).settings) {
            offer_example(story, input, contested_guess());
            return story;
        }
    }
    story.task = beat_task(input, view, beat);
    story.task_done =
        beat == 7 ? state.flipped
        : beat == 3 && view.coin_known()
            ? state.edit.coin.has_value()
            : view.edited && (view.kept_as_loaded || view.source.accepted || view.threshold() >= 1);
    return story;
}

std::string accept_description(const SceneInput& input, const AcceptView& view, const AcceptState& state) {
    std::ostringstream out;
    const StageTitle title = accept_title(input, view);
    out << title.title << "\n"
        << title.subtitle << "\nData: " << tier_name(title.tier)
        << (title.tier_words.empty() ? "" : ", " + title.tier_words) << "\n\n";
    if (!view.bars.empty()) {
        const Letters letter = letters(input.letters_article);
        const AcceptParts parts = accept_parts(input, view, state);
        out << "Distributions (target " << letter.target << ", draft " << letter.draft << "):\n";
        for (const AcceptBar& bar : view.bars)
            out << "  " << (bar.id < 0 ? std::string("other") : bar_words(input, bar)) << ": target "
                << share_number(bar, Side::target) << ", draft " << share_number(bar, Side::draft)
                << (parts.sums ? ", overlap " + overlap_number(bar) : std::string()) << "\n";
        if (parts.sums)
            out << "Kept " << kept_number(view) << ", rejected " << lost_number(view) << ", owed "
                << lost_number(view) << (view.told() ? "" : ": overlap below the recorded heads") << "\n";
        const AcceptBar& bar = view.bar();
        if (parts.coin)
            out << "Coin for " << bar_words(input, bar) << ": u = " << probability(view.coin)
                << ", threshold " << (view.coin_known() ? fine_probability(view.threshold()) : "–") << ", "
                << verdict_words(input, view) << (view.thrown ? "" : "; this run threw no coin") << "\n";
        if (parts.books && view.kept < 1 - 1e-6 && !view.at_least) {
            out << "Residual:";
            for (const AcceptBar& b : view.bars)
                if (b.owed() > 1e-4)
                    out << " " << (b.id < 0 ? std::string("other") : bar_words(input, b)) << " "
                        << probability(b.owed() / (1 - view.kept));
            out << "\n";
        }
        if (state.counts.flips > 0) {
            const FlipTest test = test_flips(view, state.counts);
            out << state.counts.flips << " flips: " << (view.at_least ? "≥ " : "")
                << state.counts.kept_total() << " kept, " << (view.at_least ? "≤ " : "")
                << state.counts.flips - state.counts.kept_total() << " resampled, TV "
                << ui::number(test.tv, 3);
            if (test.enough) out << ", chi-squared p " << probability(test.chi2_p);
            out << "\n";
        }
    }
    out << "\n" << describe_story(accept_story(input, view, state));
    return out.str();
}

} // namespace speclens
