#include "scenes/loop/loop_story.h"

#include <cmath>
#include <optional>
#include <sstream>

#include "engine/drafters/drafter.h"
#include "scenes/loop/loop_draw.h"
#include "scenes/loop/loop_rules.h"
#include "scenes/loop/loop_tree.h"
#include "scenes/shared/usual.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

using ui::probability;

const char* phase_name(Phase phase) {
    switch (phase) {
    case Phase::none:
        return "not started";
    case Phase::prefill:
        return "prefill";
    case Phase::draft:
        return "draft";
    case Phase::verify:
        return "verify";
    case Phase::accept:
        return "check";
    case Phase::resample:
        return "resample";
    case Phase::commit:
        return "commit";
    case Phase::stopped:
        return "stopped";
    case Phase::failed:
        return "failed";
    }
    return "";
}

std::string plural(int n, const char* noun) {
    return number_word(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string finished_title(const LoopModel& model) {
    const int n = model.produced;
    if (model.no_room) return "No room for a guess: one pass, one token";
    if (model.drafted == 0)
        return model.table() ? "Plain decoding: one pass, one token"
                             : "Plain decoding: one expensive pass, one token";
    if (model.tree)
        return "A tree of " + number_word(model.drafted) + (model.drafted == 1 ? " guess" : " guesses") +
               ", one check: " + plural(n, "token");
    if (model.accepted == model.drafted && model.rejected < 0)
        return capital(all_guesses(model.drafted)) + (model.drafted == 1 ? " is kept: " : " kept: ") +
               plural(n, "token") + " from one check";
    if (model.accepted == 0) {
        const bool lost = model.timed() && model.plain_ms > 0 && model.spec_ms() > model.plain_total();
        return std::string("No guess survived: one token") +
               (lost ? ", later than plain decoding" : " from one check");
    }
    const bool cheap = !model.timed() || model.cycle->draft_ms < model.cycle->verify_ms;
    return capital(number_word(model.drafted)) + (cheap && !model.table() ? " cheap" : "") +
           (model.drafted == 1 ? " guess" : " guesses") +
           (model.table() ? ", one check: "
            : cheap       ? ", one expensive check: "
                          : " that cost more than the check: ") +
           plural(n, "token");
}

// What was set of the drafter: " · head off".
std::string setting_words(const Header& run) {
    DrafterOptions options = run.options;
    options.fr_spec = run.draft_ids;
    return words_of(options);
}

// The distribution of the own token in the order in which its coin counts: "By number: “ a” .14, others .02, “ the”
// .84".
std::string strip_words(const SceneInput& input, const TargetToken& own) {
    std::string text;
    double others = 0;
    const auto add = [&](const std::string& name, double p) {
        text += (text.empty() ? "Its distribution, by token number: " : ", ") + name + " " + probability(p);
    };
    const auto skip = [&] {
        if (others >= 0.005) add("others", others);
        others = 0;
    };
    for (const Share& share : shares_of(own.top, own.token, own.u)) {
        if (share.id < 0 || (share.p < 0.01 && share.id != own.token)) {
            others += share.p;
            continue;
        }
        skip();
        add(quoted(*input.trace, share.id), share.p);
    }
    skip();
    return own.top.entries.size() < 2 ? std::string() : text + "\n";
}

// The phases of the round that are over; of drafting, what it took so far.
std::string clock_words(const LoopModel& model) {
    std::string text;
    const auto add = [&](const char* phase, double ms) {
        text += (text.empty() ? "" : ", ") + (phase + (" " + model.ms(ms))) + " ms";
    };
    if (model.drafted > 0 || model.ms(model.cycle->draft_ms) != model.ms(0))
        add("drafting", model.cycle->draft_ms);
    if (model.cycle->verify) add("verify", model.cycle->verify_ms);
    if (model.settled) add("rest", model.other_ms);
    return text;
}

// One guess: who proposed it, what that had seen, and how the token came out of its distribution.

const char* drafter_noun(const LoopModel& model) {
    const DrafterInfo* info = find_drafter(model.header->drafter);
    return info ? info->noun : "the drafter";
}

std::string prob(const std::optional<double>& p) {
    return p ? probability(*p) : std::string("less than .01");
}

// What the pass that fills a whole block has to go by.
std::string block_words(const SceneInput& input) {
    const DrafterOptions options = input.settings ? input.settings->options : DrafterOptions{};
    return std::string("One pass filled all slots, ") +
           (options.conditioning ? "from the target's states of the text" : "from the newest token alone");
}

// Who proposes the newest guess, and what it has seen.
std::string how_guessed(const SceneInput& input, const LoopModel& model, const LoopColumn& c) {
    const DrafterInfo* info = find_drafter(model.header->drafter);
    if (info && info->block && !info->causal_head)
        return block_words(input) + ". This slot does not know the other guesses; it";
    if (info && info->causal_head) {
        const bool first = model.drafted == 1;
        // The row before the correction is recorded with the other rows.
        const bool corrected = c.draft->top.empty() ? model.head && (info->corrects_first || !first) : !c.draft->base_top.empty();
        if (!corrected && model.head && !info->corrects_first)
            return block_words(input) + ". A small head corrects the later ones from left to right; this one "
                                        "is as the pass left it and";
        if (!corrected)
            return block_words(input) + ", and no head corrected them: this slot knows none of the other "
                                        "guesses. It";
        if (first)
            return block_words(input) + "; a small head then goes left to right and corrects this one by the "
                                        "token before it. It";
        return block_words(input) + "; a small head then went left to right and corrected this slot by " + info->head_reads + ". It";
    }
    if (info && info->at_once() && info->own_ids)
        return "One pass filled all slots from the target's states of the text, and n-grams say "
               "which of their favourites go together. The slot";
    if (info && info->at_once() && info->needs_network())
        return "Each head looks further ahead from the target's last state and knows none of the other "
               "guesses. This one";
    return capital(drafter_noun(model)) + " reads the text and its own guesses so far and";
}

// A guess in the distribution of the draft itself: under some rules its favourites are proposed as if they were
// certain.
struct Guessed {
    int rank = 0; // 1: the likeliest; 0: not among the recorded tokens
    std::optional<double> p;
};
Guessed own_distribution(const LoopColumn& c) {
    const TopEntries& distribution = c.draft->raw_top.empty() ? c.draft->top : c.draft->raw_top;
    for (std::size_t i = 0; i < distribution.entries.size(); ++i)
        if (distribution.entries[i].id == c.draft->token)
            return {static_cast<int>(i) + 1, std::exp(distribution.entries[i].logp)};
    return {};
}

// "The small draft model reads the text and its own guesses so far and gives “Paris” .99. …"; of drafters
// that compute their guesses.
std::string guess_words(const SceneInput& input, const LoopModel& model, const LoopColumn& guess) {
    const Drafted& draft = *guess.draft;
    const Guessed own =
        draft.u ? Guessed() : own_distribution(guess); // a drawn one has its probability in the distribution it came from
    const std::string how = draft.u ? "The draft coin " + probability(*draft.u) +
                                          " drew it, counting by token number. "
                            : own.rank == 1 ? "It is the most likely token of that distribution. "
                            : own.rank > 1  ? "It is number " + std::to_string(own.rank) + " of that distribution. "
                                            : "";
    return how_guessed(input, model, guess) + " gives " + quoted(*input.trace, draft.token) + " " +
           (own.p ? probability(*own.p) : prob(guess.q)) + ". " + how;
}

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

// The first guess of a run of the small model is where a reader begins: what a drafter is comes before how this one works.
// Whoever chose another drafter reads at once how that one guesses, and of a table nothing is dear or cheap.
bool begins_the_run(const LoopModel& model) {
    return model.cycle->cycle == 0 && model.drafted == 1 && model.asked > 1 && model.header->drafter == "small" && !model.table();
}

std::string roles_words(const LoopModel& model) {
    const Header& run = *model.header;
    const std::string guesses = "guesses up to " + number_word(model.asked) + " tokens of what comes next";
    return "A cheap drafter, here " + run.drafter + ", " + guesses + ". Then the expensive target, " +
           (run.model.empty() ? std::string("the model itself") : run.model) +
           ", checks all of them in one pass. It keeps those that fit and puts its own token after them.";
}

void tell_draft(const SceneInput& input, const LoopModel& model, Story& story) {
    const LoopColumn& c = model.columns[static_cast<std::size_t>(model.drafted - 1)];
    const std::string token = quoted(*input.trace, c.draft->token);
    story.heading = "Guess " + std::to_string(model.drafted); // a tree's size is not known before it is grown
    if (!model.tree) story.heading += " of " + std::to_string(model.columns.size());
    if (const DrafterInfo* info = find_drafter(model.header->drafter); info && info->copies()) {
        story.text =
            token + " is copied, not computed" +
            (c.draft->extra.empty() ? std::string() : ": " + c.draft->extra) +
            ". A copied guess claims probability 1, so whether it stays depends on the target alone.";
    } else if (begins_the_run(model)) {
        story.heading = "Who guesses and who checks";
        story.text = roles_words(model) + " The first guess is " + token + " " + prob(c.q) + ".";
    } else {
        story.text = guess_words(input, model, c);
        story.text += "Nothing is promised yet.";
        if (model.timed() && model.ms(c.ms) != model.ms(0))
            story.text += " This step took " + model.ms(c.ms) + " ms.";
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
        if (const Header& h = *input.view->header; h.drafter == kNoDrafter && !h.notice.empty())
            story.text += " Reason: " + h.notice;
        return;
    }
    story.heading = "One pass, " + number_word(rows) + (rows == 1 ? " row" : " rows");
    story.text =
        "The target reads the pending token and " + all_guesses(model.drafted) +
        (model.tree ? " together, each guess seeing only those it follows. Its row for a guess is "
                      "the distribution of what comes "
                      "next there: it judges the guesses that continue it. Nothing is decided yet."
         : model.drafted == 1
             ? " together. Row 1 is its distribution for the guess, row 2 for one token more. Nothing is "
               "decided yet."
             : " together. Row 1 is its distribution for the first guess, and so on; the last row is a distribution for "
               "one token more. Nothing is decided yet.");
    if (!took.empty()) {
        story.text += took;
        if (model.plain_ms > 0)
            story.text += "; for a single token it takes " + model.ms(model.plain_ms) + " ms";
        story.text += ".";
    }
    story.task = "Click a column to see both distributions";
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
                         : "The target drew its own token from its own distribution, and it is " + token +
                               " as well. A guess that equals the draw costs nothing to keep.";
        return;
    }
    const std::string own = model.own ? quoted(*input.trace, model.own->token) : std::string("another token");
    story.heading = greedy ? "The target prefers another token" : "The target drew another token";
    story.text = "The guess was " + token + "; the target " + (greedy ? "ranks " : "drew ") + own +
                 (greedy ? " first. " : ". ") +
                 (last_guess(model) ? "The guess goes."
                                    : "The guess goes, and with it everything that was guessed after it.");
    const TopEntries& distribution = c.check->raw_top.empty() ? c.check->top : c.check->raw_top;
    if (!distribution.empty() && c.p)
        story.what_if = "The target gives " + token + " " + probability(*c.p) +
                        (greedy ? " and its favourite " + quoted(*input.trace, distribution.entries[0].id) + " " +
                                      probability(std::exp(distribution.entries[0].logp)) +
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
    case TargetToken::From::residual:
        story.heading = "Rejected, but not wasted";
        story.text =
            "The replacement comes from the residual: what the target gives each token beyond what the "
            "draft already offered, scaled to 1. " +
            coin + token +
            ". Keeping by ratio and replacing from the residual adds up to exactly the target's distribution.";
        break;
    case TargetToken::From::bonus:
        story.heading = "All kept, one for free";
        story.text =
            "Every guess stands, and the pass has one row left: the target's distribution after the last guess. " +
            picked + ". So " + guesses(model.drafted) + " and one check make " + tokens(model.drafted + 1) +
            ", unless the text ends among them.";
        break;
    case TargetToken::From::target:
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
        model.own && (model.own->from == TargetToken::From::residual || !model.own->target_top.empty());
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
        story.text = "There is no prompt: its first distribution is that of the first token. From then on every round "
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

const char* coin_caption(const LoopModel& model) {
    switch (model.rule) {
    case RuleKind::greedy:
        return "target's best";
    case RuleKind::match:
        return "target's draw";
    case RuleKind::block:
        return "of the prefix";
    case RuleKind::lenient:
        return "t ÷ (1−l)d";
    case RuleKind::typical:
        return "target > limit";
    case RuleKind::cascade:
        return model.header->rule_params.block ? "of the prefix" : "mixture ÷ d";
    case RuleKind::certain:
        return "t alone";
    case RuleKind::kseq:
        return "t ÷ (rho d)";
    case RuleKind::token:
        break;
    }
    return "min(1, t ÷ d)";
}

std::string saving_words(const LoopModel& model) {
    if (!model.settled || !model.timed() || model.drafted == 0) return {};
    const double spec = model.spec_ms(), plain = model.plain_total();
    // Of the two as they are printed, so that whoever takes one from the other gets this.
    const double digit = std::pow(10, model.ms_decimals());
    const double apart = std::abs(std::round(plain * digit) - std::round(spec * digit)) / digit;
    // One token takes a pass either way: drafting and the rows of the guesses came on top of it. Where that
    // was no longer than a plain pass, it was so by chance.
    if (model.produced < 2) {
        if (plain > 0 && spec > plain && apart > 0) return model.ms(apart) + " ms later than a plain token";
        return "drafting took " + model.ms(model.cycle->draft_ms) + " ms";
    }
    if (plain <= 0) return {};
    if (!model.doubt.empty()) return {}; // no figure
    return model.ms(apart) + (spec <= plain ? " ms saved, " : " ms lost, ") + ui::speed_up(plain / spec);
}

std::string loop_title(const LoopModel& model) {
    if (!model.header) return "Draft, check, keep what holds";
    if (model.phase == Phase::failed) return "The run failed before this round was done";
    if (!model.cycle) return "Before the first guess";
    if (model.cycle->complete() || model.own) return finished_title(model);
    if (model.judged > 0 && model.tree) {
        const bool kept =
            model.newest >= 0 && model.columns[static_cast<std::size_t>(model.newest)].check->accepted;
        return "Guess " + std::to_string(model.newest + 1) +
               (kept ? has_child(model, model.newest) ? " is kept: its continuations are next" : " is kept"
                : has_sibling(model, model.newest) ? " is rejected: another guess at its place may do"
                                                   : " is rejected");
    }
    if (model.judged > 0) {
        if (model.drafted == 1) return model.rejected >= 0 ? "The guess is rejected" : "The guess is kept";
        if (model.rejected >= 0)
            return "Guess " + std::to_string(model.rejected + 1) + " is rejected, " +
                   (model.accepted == 0 ? std::string("and nothing after it counts")
                                        : number_word(model.accepted) + " before it stand" +
                                              (model.accepted == 1 ? "s" : ""));
        return capital(number_word(model.accepted)) + " of " + number_word(model.drafted) +
               " guesses kept so far";
    }
    if (model.cycle->verify)
        return model.no_room        ? "No room for a guess: the pass yields one token"
               : model.drafted == 0 ? "Nothing was drafted: the pass yields one token"
                                    : "One target pass reads " + all_guesses(model.drafted);
    return capital(number_word(model.drafted)) + (model.drafted == 1 ? " guess" : " guesses") +
           " made, none checked yet";
}

std::string place_words(const LoopModel& model) {
    const std::string number = std::to_string(model.selected + 1);
    if (!model.tree) return "Position " + number;
    return model.selected < model.drafted ? "Guess " + number : "The bonus row";
}

std::string loop_subtitle(const SceneInput& input, const LoopModel& model) {
    if (!model.header)
        return input.status && !input.status->job.empty() ? input.status->job
                                                          : std::string("waiting for a run");
    const Header& h = *model.header;
    std::string text;
    if (model.cycle) text += "round " + std::to_string(model.cycle->cycle + 1) + ", ";
    const bool other =
        model.phase == Phase::resample && model.own && model.own->from != TargetToken::From::residual;
    text += !other                                      ? phase_name(model.phase)
            : model.own->from == TargetToken::From::bonus ? "bonus token"
                                                        : "the target's own token";
    text += model.plain() ? std::string(" · plain decoding")
                          : " · " + h.drafter + " drafter, " + h.rule + " rule, K = " + std::to_string(h.k);
    text += " · T = " + temperature_words(h.sampling.temperature);
    if (model.greedy) text += " (bars show T = 1)";
    else text += draft_words(h.sampling.temperature, h.draft_sampling.temperature);
    if (h.sampling.top_k > 0) text += " · top-k " + std::to_string(h.sampling.top_k);
    if (h.sampling.top_p < 1) text += " · top-p " + probability(h.sampling.top_p);
    text += setting_words(h) + " · seed " + std::to_string(h.seed);
    if (model.fast) text += " · no rows recorded (fast mode)";
    return text;
}

std::string loop_description(const SceneInput& input, const LoopModel& model) {
    std::ostringstream out;
    out << loop_title(model) << "\n" << loop_subtitle(input, model) << "\n";
    out << "Data: " << tier_name(tier_of(model.header)) << "\n\n";
    for (std::size_t i = 0; i < model.columns.size(); ++i) {
        const LoopColumn& c = model.columns[i];
        out << "Guess " << i + 1 << ": ";
        if (!c.draft) {
            out << "not made yet\n";
            continue;
        }
        if (model.tree && c.parent >= 0) out << "after guess " << c.parent + 1 << ", ";
        out << quoted(*input.trace, c.draft->token);
        if (c.q) out << ", draft " << probability(*c.q);
        if (c.p) out << ", target " << probability(*c.p);
        if (c.check && c.check->u && throws_coins(model.rule))
            out << ", coin " << compared_probability(*c.check->u) << (c.check->set ? " (set by you)" : "")
                << (*c.check->u < c.check->threshold ? " < " : " ≥ ")
                << compared_probability(std::min(1.0, c.check->threshold));
        if (c.draft->extra == "forced") out << ", put here by you";
        if (model.rule == RuleKind::certain) out << ", counts as certain";
        if (c.check && c.check->goal) out << ", mixture " << probability(std::exp(*c.check->goal));
        if (c.check && c.check->joint) out << ", prefix " << fine_probability(std::exp(*c.check->joint));
        if (c.check && c.check->limit) out << ", limit " << fine_probability(*c.check->limit);
        switch (c.fate) {
        case Fate::accepted:
            out << (c.rescued() ? ": accepted by a later coin" : ": accepted");
            break;
        case Fate::rejected:
            out << ": rejected";
            break;
        case Fate::discarded:
            out << ": discarded unread";
            break;
        case Fate::drafted:
            out << ": not judged yet";
            break;
        case Fate::empty:
            break;
        }
        if (static_cast<int>(i) == model.selected) out << " (selected)";
        out << "\n";
    }
    if (model.cycle && model.cycle->verify) {
        out << "Verify: " << counted(model.cycle->verify->rows, "row");
        if (model.timed()) out << ", " << model.ms(model.cycle->verify_ms) << " ms";
        out << "\n";
    }
    if (model.own) {
        const char* from = model.own_dropped ? "Not used, the text ended before it: "
                           : model.own->from == TargetToken::From::residual ? "Resampled from the residual: "
                           : model.own->from == TargetToken::From::bonus    ? "Bonus token: "
                                                                          : "The target's own token: ";
        out << from << quoted(*input.trace, model.own->token) << ", probability "
            << probability(std::exp(model.own->p));
        if (model.own->u) out << ", coin " << probability(*model.own->u);
        out << "\n" << strip_words(input, *model.own);
    }
    if (model.cycle && model.timed()) {
        out << "Clock: " << clock_words(model);
        if (model.plain_ms > 0) out << "; plain decoding " << model.ms(model.plain_ms) << " ms per token";
        const std::string saving = saving_words(model);
        if (!saving.empty()) out << "; " << saving;
        out << "\n";
        if (!model.run_speed.empty()) out << "Speed-up of the run: " << model.run_speed << "\n";
    }
    const DistributionTable table = [&] {
        const ColumnDistributions distributions = column_distributions(model, model.selected);
        return distributions.target.empty() && distributions.draft.empty() ? DistributionTable{}
                                                         : distribution_table(distributions.target, distributions.draft, 10);
    }();
    if (!table.rows.empty()) {
        out << "\n" << place_words(model) << ", target and draft:\n";
        for (const DistributionRow& row : table.rows) {
            out << "  " << (row.id < 0 ? std::string("other") : quoted(*input.trace, row.id)) << ": target "
                << distribution_number(row.target) << ", draft " << distribution_number(row.draft) << "\n";
        }
    }
    out << "\n" << describe_story(loop_story(input, model));
    return out.str();
}

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
                for (int i = 1; i <= story.steps; ++i)
                    story.segments.push_back(SetCursor{cycle.first_event + static_cast<std::size_t>(i)});
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
