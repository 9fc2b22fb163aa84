#include "scenes/loop/loop_story.h"

#include <cmath>

#include "scenes/loop/loop_guess.h"
#include "scenes/loop/loop_rules.h"
#include "scenes/loop/loop_tree.h"
#include "scenes/shared/usual.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

using ui::probability;

std::string guesses(int n) {
    return number_word(n) + (n == 1 ? " guess" : " guesses");
}
std::string tokens(int n) {
    return number_word(n) + (n == 1 ? " token" : " tokens");
}

std::string kept_words(int kept, int drafted) {
    if (kept == 0)
        return drafted == 1 ? "The guess is gone" : "None of the " + number_word(drafted) + " guesses stands";
    if (kept == drafted) return capital(all_guesses(drafted)) + (drafted == 1 ? " stands" : " stand");
    return capital(number_word(kept)) + " of " + number_word(drafted) + " guesses stand" +
           (kept == 1 ? "s" : "");
}

std::string percent_words(double p) {
    return p >= 0.995 && p < 1 ? std::string("over 99 %") : ui::percent(p);
}

void tell_draft(const SceneInput& input, const LoopModel& model, Story& story) {
    const LoopColumn& c = model.columns[static_cast<std::size_t>(model.drafted - 1)];
    const std::string token = quoted(*input.trace, c.draft->token);
    story.heading = "Guess " + std::to_string(model.drafted); // a tree's size is not known before it is grown
    if (!model.tree) story.heading += " of " + std::to_string(model.columns.size());
    if (model.header->drafter == "lookup") {
        story.text =
            token + " is copied, not computed" +
            (c.draft->extra.empty() ? std::string() : ": " + c.draft->extra) +
            ". A copied guess claims probability 1, so whether it stays depends on the target alone.";
    } else {
        story.text = guess_words(input, model, c);
        story.text += "Nothing is promised yet.";
        if (model.timed() && model.ms(c.draft->ms) != model.ms(0))
            story.text += " This step took " + model.ms(c.draft->ms) + " ms.";
    }
    story.task = "Step to the verify pass with V";
    story.on_task = {Go{Move::verify}};
    story.task_done = (input.deeds & deed_bit(Deed::stepped)) != 0;
}

// Why no guess was asked for.
std::string room_words(const SceneInput& input) {
    const Stopped* end = input.whole->stopped;
    return std::string(end && end->reason == "context full" ? "The context" : "The length limit") +
           " left no room for a guess";
}

void tell_verify(const SceneInput& input, const LoopModel& model, Story& story) {
    const int rows = model.cycle->verify ? model.cycle->verify->rows : model.drafted + 1;
    const std::string took =
        model.timed()
            ? " The pass took " + timed_words(*input.whole, *model.cycle, verify_time, model.ms_decimals())
            : std::string();
    if (model.drafted == 0) {
        story.heading = "Nothing to check";
        story.text = (model.no_room ? room_words(input) + ": the" : "No guess was made, so the") +
                     " target reads only the pending token and returns one row" +
                     (model.no_room ? ". This" : ": this") + " is plain decoding, one pass for one token.";
        if (!took.empty()) story.text += took + ".";
        if (const Header& h = *input.view->header; h.drafter == "none" && !h.notice.empty())
            story.text += " Reason: " + h.notice;
        return;
    }
    story.heading = "One pass, " + number_word(rows) + (rows == 1 ? " row" : " rows");
    story.text =
        "The target reads the pending token and " + all_guesses(model.drafted) +
        (model.tree ? " together, each guess seeing only those it follows. Its row for a guess is "
                      "the law of what comes "
                      "next there: it judges the guesses that continue it. Nothing is decided yet."
         : model.drafted == 1
             ? " together. Row 1 is its law for the guess, row 2 for one token more. Nothing is "
               "decided yet."
             : " together. Row 1 is its law for the first guess, and so on; the last row is a law for "
               "one token more. Nothing is decided yet.");
    if (!took.empty()) {
        story.text += took;
        if (model.plain_ms > 0)
            story.text += "; for a single token it takes " + model.ms(model.plain_ms) + " ms";
        story.text += ".";
    }
    story.task = "Click a column to see both laws";
    story.task_done = (input.deeds & deed_bit(Deed::selected)) != 0;
}

bool last_guess(const LoopModel& model) {
    return model.newest + 1 >= model.drafted;
}

void tell_match_check(const SceneInput& input, const LoopModel& model, const LoopColumn& c, Story& story) {
    const std::string token = quoted(*input.trace, c.draft->token);
    const bool greedy = model.rule == RuleKind::greedy;
    if (c.check->accepted) {
        story.heading = greedy ? "The same favourite" : "The same draw";
        story.text = greedy
                         ? "The target's most likely token here is " + token +
                               " too. Greedy decoding would have printed it, so the guess is right and stays."
                         : "The target drew its own token from its own law, and it is " + token +
                               " as well. A guess that equals the draw costs nothing to keep.";
        return;
    }
    const std::string own = model.own ? quoted(*input.trace, model.own->token) : std::string("another token");
    story.heading = greedy ? "The target prefers another token" : "The target drew another token";
    story.text = "The guess was " + token + "; the target " + (greedy ? "ranks " : "drew ") + own +
                 (greedy ? " first. " : ". ") +
                 (last_guess(model) ? "The guess goes."
                                    : "The guess goes, and with it everything that was guessed after it.");
    const Top& law = c.check->raw_top.empty() ? c.check->top : c.check->raw_top;
    if (!law.empty() && c.p)
        story.what_if = "The target gives " + token + " " + probability(*c.p) +
                        (greedy ? " and its favourite " + quoted(*input.trace, law.entries[0].id) + " " +
                                      probability(std::exp(law.entries[0].logp)) +
                                      ": it would have been kept only as the favourite."
                                : ": that was the chance that the draw would agree with the guess.");
}

void tell_check(const SceneInput& input, const LoopModel& model, Story& story) {
    const LoopColumn& c = model.columns[static_cast<std::size_t>(std::max(0, model.newest))];
    story.task = "Jump to the next rejection with X";
    story.on_task = {Go{Move::rejection}};
    story.task_done = (input.deeds & deed_bit(Deed::found_rejection)) != 0;
    if (model.tree) return tell_tree_check(input, model, story);
    if (model.rule == RuleKind::greedy || model.rule == RuleKind::match)
        return tell_match_check(input, model, c, story);
    if (model.rule != RuleKind::token) return tell_rule_check(input, model, c, story);
    const std::string token = quoted(*input.trace, c.draft->token);
    const std::string p = probability(std::exp(c.check->p)), q = probability(std::exp(c.check->q));
    const std::string u = c.check->u ? probability(*c.check->u) : std::string();
    const std::string a = fine_probability(c.check->threshold);
    if (c.check->accepted && c.check->threshold >= 1) {
        story.heading = "Kept, whatever the coin";
        story.text =
            "The target gives " + token + " " + p + ", at least the " + q +
            " that the draft claimed. The ratio is 1 or more, so no coin can refuse it. The draft was, if "
            "anything, too modest.";
    } else if (c.check->accepted) {
        story.heading = "Kept by the coin";
        story.text = "The draft claimed " + q + " for " + token + "; the target gives it " + p +
                     ". So it may stay with probability " + a +
                     (u.empty() ? "." : ", and the coin fell at " + u + ".");
        story.what_if = "A coin of " + a + " or more would have thrown it out" +
                        (last_guess(model) ? "." : ", with everything after it.");
    } else {
        story.heading = "Rejected by the coin";
        story.text = "The draft claimed " + q + " for " + token + "; the target gives it " + p +
                     ". So the coin had to land under " + a +
                     (u.empty() ? "." : ", and it landed at " + u + ".") +
                     (last_guess(model) ? "" : " What was guessed behind it goes unread.");
        if (c.check->u)
            story.what_if = "With " + fine_probability(*c.check->u * std::exp(c.check->q)) +
                            " from the target this coin would have kept it. A rejection was " +
                            percent_words(1 - c.check->threshold) + " likely.";
    }
}

void tell_own(const SceneInput& input, const LoopModel& model, Story& story) {
    const std::string token = quoted(*input.trace, model.own->token);
    const std::string coin = model.own->u ? "Coin " + probability(*model.own->u) + " picked " : "It is ";
    const std::string picked =
        model.own->u ? coin + token + " from it" : capital(token) + " is its favourite";
    story.task = "Fork here: force another token with F";
    story.task_done = (input.deeds & deed_bit(Deed::forked)) != 0;
    if (model.own_dropped) {
        story.heading = "The text ended before it";
        story.text = "The last kept guess ends the text. The pass has a row behind it too, and " + token +
                     " comes from there: it is not used.";
        return;
    }
    if (model.tree && model.drafted > 0) return tell_tree_own(input, model, story);
    if (model.drafted > 0 && tell_rule_own(input, model, story)) return;
    switch (model.own->from) {
    case Resampled::From::residual:
        story.heading = "Rejected, but not wasted";
        story.text =
            "The replacement comes from the residual: what the target gives each token beyond what the "
            "draft already offered, scaled to 1. " +
            coin + token +
            ". Keeping by ratio and replacing from the residual adds up to exactly the target's law.";
        break;
    case Resampled::From::bonus:
        story.heading = "All kept, one for free";
        story.text =
            "Every guess stands, and the pass has one row left: the target's law after the last guess. " +
            picked + ". So " + guesses(model.drafted) + " and one check make " + tokens(model.drafted + 1) +
            ", unless the text ends among them.";
        break;
    case Resampled::From::target:
        story.heading = model.rejected >= 0 ? "The target's own token" : "One pass, one token";
        story.text = model.rejected >= 0
                         ? "In place of the wrong guess stands the token that the target itself " +
                               std::string(model.rule == RuleKind::greedy ? "ranks first: " : "drew: ") +
                               token + ". It was in the row already; no second pass is needed."
                         : (model.own->u ? coin + token + " from the only row."
                                         : "The only row's favourite is " + token + ".") +
                               " Plain decoding always works like this: read all weights, get one token.";
        break;
    }
}

// What follows the kept guesses into the text.
std::string own_words(const LoopModel& model, const Committed& e) {
    const bool mixed =
        model.own && (model.own->from == Resampled::From::residual || !model.own->target_top.empty());
    const std::string own = model.rule != RuleKind::cascade ? "the target's own token"
                            : mixed                         ? "one token of the mixture"
                            : model.fast                    ? "one token more"
                                                            : "the target's own token";
    if (static_cast<int>(e.tokens.size()) <= e.accepted_drafts)
        return "; the text ends there, and the token behind it is not used.";
    if (e.accepted_drafts > 0) return ", plus " + own + ".";
    return "; " + own + (model.drafted == 1 ? " stands in its place." : " does.");
}

// A table has no cache, and a server's is not ours to tell of.
std::string cache_words(const Committed& e, const std::string& tier) {
    if (tier == "TABLE") return {};
    if (tier == "REMOTE") return " The server is sent the text anew next round; here only ids are cut back.";
    if (e.kv_verify == e.kv_after)
        return " The target's cache keeps all " + std::to_string(e.kv_after) + " rows: nothing has to go.";
    return " The target's cache had grown to " + std::to_string(e.kv_verify) + " rows and is cut back to " +
           std::to_string(e.kv_after) +
           (e.kv_verify - e.kv_after == 1 ? ", so the discarded guess leaves no trace."
                                          : ", so discarded guesses leave no trace.");
}

// A round that something else on the machine held up is no cost of speculating.
std::string others_words(const SceneInput& input, const LoopModel& model) {
    const double usual = model.settled ? usual_ms(*input.whole, *model.cycle, round_time) : 0;
    return usual > 0 ? " (usually " + model.ms(usual) + ")" : std::string();
}

void tell_commit(const SceneInput& input, const LoopModel& model, Story& story) {
    const Committed& e = *model.cycle->commit;
    const int n = static_cast<int>(e.tokens.size());
    story.heading = capital(tokens(n)) + " from one target pass";
    story.text =
        model.no_room ? "The token joins the output. " + room_words(input) + ", so nothing could be saved."
        : model.drafted == 0
            ? std::string(
                  "The token joins the output. Nothing was guessed, so nothing could be saved: the next "
                  "token costs another whole pass over the weights.")
            : kept_words(e.accepted_drafts, model.drafted) + own_words(model, e) +
                  cache_words(e, model.header->tier);
    const std::string saving = saving_words(model);
    if (!saving.empty())
        story.text += " This round took " + model.ms(model.spec_ms()) + " ms" + others_words(input, model) +
                      (model.produced < 2 ? ": " + saving +
                                                (model.plain_ms > 0 && model.spec_ms() > model.plain_ms
                                                     ? ", and nothing was saved."
                                                     : ", and one token takes a pass either way.")
                                          : "; plain decoding needs " + model.ms(model.plain_total()) +
                                                " ms for the same: " + saving + ".");
    story.task = "Change K and compare the saving";
    story.task_done = (input.deeds & deed_bit(Deed::changed_run)) != 0;
}

void tell_end(const SceneInput& input, Story& story) {
    const CycleView& view = *input.view;
    if (view.failed) {
        story.heading = "The run failed";
        story.text = view.failed->what;
        story.what_if = view.failed->remedy;
        return;
    }
    story.heading = "The run is over";
    story.text =
        "It stopped because of: " + view.stopped->reason + ". " + capital(tokens(view.output_tokens)) +
        " came from " + number_word(view.rounds) + (view.rounds == 1 ? " target pass" : " target passes") +
        ", " + ui::per_round(view.tokens_per_round()) + " per round. " +
        (view.drafted == 0   ? std::string("Nothing was drafted.")
         : view.drafted == 1 ? std::string(view.accepted_drafts == 1 ? "The one guess was kept."
                                                                     : "The one guess was not kept.")
                             : std::to_string(view.accepted_drafts) + " of " + std::to_string(view.drafted) +
                                   " guesses " + (view.accepted_drafts == 1 ? "was" : "were") + " kept.");
    story.task = "Drag the playhead in the timeline";
    story.task_done = (input.deeds & deed_bit(Deed::scrubbed)) != 0;
}

void tell_start(const SceneInput& input, const LoopModel& model, Story& story) {
    if (!model.header) {
        const bool failed = input.status && input.status->state == EngineStatus::State::failed;
        story.heading = failed ? "The engine could not start" : "Models are loading";
        story.text =
            failed ? input.status->error
                   : "The picture fills as soon as they are ready. Each step of a real run will appear here: "
                     "guesses, one check, coins, and the tokens that survive.";
        if (failed) story.what_if = input.status->remedy;
        return;
    }
    const std::string& tier = model.header->tier;
    story.task = "Step once with the right arrow";
    story.on_task = {Go{Move::step}};
    story.task_done = (input.deeds & deed_bit(Deed::stepped)) != 0;
    if (starts_empty(*model.header)) {
        story.heading = "A table starts a text";
        story.text = "There is no prompt: its first law is that of the first token. From then on every round "
                     "begins with the newest token, fed together with the guesses.";
        return;
    }
    story.heading =
        tier == "REMOTE" || tier == "TABLE" ? "The prompt comes first" : "The prompt is read once";
    story.text = (tier == "REMOTE" ? std::string("The server is sent the whole text in every round. ")
                  : tier == "TABLE"
                      ? std::string()
                      : "One pass feeds the target every prompt token but the last, " +
                            counted(std::max(0, input.view->prompt_tokens - 1), "row") + " in its cache. ") +
                 "The last token stays pending: every round begins with the newest token, fed "
                 "together with the guesses.";
}

} // namespace

Story loop_story(const SceneInput& input, const LoopModel& model) {
    Story story;
    story.on_back = {Go{Move::back}};
    story.on_next = {Go{Move::step}};
    if (input.cursor <= 1) story.no_back = "This is the first step";
    if (input.view->stopped || input.view->failed) story.no_next = "The run is over";
    if (model.cycle) {
        story.step = static_cast<int>(model.cycle->end_event - model.cycle->first_event);
        story.caption =
            "Round " + std::to_string(model.cycle->cycle + 1) + ", step " + std::to_string(story.step);
        for (const CycleSummary& cycle : input.whole->cycles)
            if (cycle.cycle == model.cycle->cycle && cycle.complete()) {
                story.steps = static_cast<int>(cycle.end_event - cycle.first_event);
                story.caption += " of " + std::to_string(story.steps);
            }
    } else {
        story.caption = model.header ? "Before the first round" : "No run yet";
    }
    // A file from elsewhere may judge what it never drafted: then there is nothing to tell of the step.
    const bool hollow = !model.header || (model.phase == Phase::draft && model.drafted == 0) ||
                        (model.phase == Phase::accept && model.judged == 0);
    switch (hollow ? Phase::none : model.phase) {
    case Phase::none:
    case Phase::prefill:
        tell_start(input, model, story);
        break;
    case Phase::draft:
        tell_draft(input, model, story);
        break;
    case Phase::verify:
        tell_verify(input, model, story);
        break;
    case Phase::accept:
        tell_check(input, model, story);
        break;
    case Phase::resample:
        tell_own(input, model, story);
        break;
    case Phase::commit:
        tell_commit(input, model, story);
        break;
    case Phase::stopped:
    case Phase::failed:
        tell_end(input, story);
        break;
    }
    return story;
}

} // namespace speclens
