#include "scenes/loop/loop_rules.h"

#include <algorithm>
#include <cmath>

#include "engine/rules/verify.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

using ui::probability;

// "the target gives it .31, the draft claimed .62"
std::string both(const LoopColumn& c, const std::string& token) {
    return "The target gives " + token + " " + probability(std::exp(c.check->p)) + ", the draft claimed " +
           probability(std::exp(c.check->q)) + ". ";
}

// Some alphas leave a cascade nothing of the draft to mix in.
bool mixes_nothing(const LoopModel& model) {
    const RuleInfo* rule = find_rule(model.header->rule);
    return rule && keeps_target(*rule, model.header->rule_params, model.header->sampling);
}

std::string coin_words(const LoopColumn& c) {
    if (!c.check->u) return ".";
    const bool under = *c.check->u < c.check->threshold;
    return std::string(under ? " and the coin fell under it, at " : " and the coin missed it, at ") +
           probability(*c.check->u) + (c.check->set ? ": you set it there, it was not thrown." : ".");
}

// What the token rule asks of the coin.
double strict(const LoopColumn& c) {
    return std::min(1.0, std::exp(c.check->p - c.check->q));
}

// The token rule would have ended the round at this guess, and not before it.
bool token_rule_stops(const LoopModel& model, const LoopColumn& c) {
    const auto misses = [](const LoopColumn& each) {
        return each.check && each.check->u && *each.check->u >= strict(each);
    };
    const auto first = model.columns.begin();
    return misses(c) && std::none_of(first, first + std::max(0, model.newest), misses);
}

void tell_block(const LoopModel& model, const LoopColumn& c, const std::string& token, Story& story) {
    const bool mixed = c.check->goal.has_value();
    const bool success = c.check->u && *c.check->u < c.check->threshold;
    const bool last = model.newest + 1 >= model.drafted;
    const std::string so_far = model.newest == 0 ? std::string("this guess")
                                                 : "the first " + number_word(model.newest + 1) + " guesses";
    const std::string joint =
        c.check->joint ? fine_probability(std::exp(*c.check->joint)) : std::string("unknown");
    story.heading = success             ? "The prefix up to here stands"
                    : c.check->accepted ? "Its coin failed, a later one keeps it"
                                        : "No coin keeps it";
    story.text = both(c, token) +
                 (mixed ? "A mixture of the two distributions judges, and it gives the guess " +
                              probability(std::exp(*c.check->goal)) + ". Its ratios to the draft, multiplied"
                        : std::string("Multiplied")) +
                 " along the block, never above 1, " + (mixed ? "leave" : "that leaves") +
                 " a coefficient of " + joint + " for " + so_far +
                 (last ? ". For the last guess that is the threshold: "
                       : ". From it and the distributions behind follows this coin's threshold: ") +
                 fine_probability(c.check->threshold) + "," + coin_words(c);
    story.what_if =
        success ? last ? "It is the last coin, so the whole block stays."
                       : "A later coin may still fail: the longest prefix with a success is what counts."
        : c.check->accepted
            ? std::string(!mixed && token_rule_stops(model, c) ? "The token rule would have stopped here. "
                                                               : "") +
                  "Here the last success decides, and it comes later."
            : "Every position throws its coin; what lies behind the last success goes.";
}

void tell_lenient(const LoopModel& model, const LoopColumn& c, const std::string& token, Story& story) {
    const double l = model.header->rule_params.lenience;
    story.heading = c.check->accepted ? "Kept, with lenience" : "Rejected, even so";
    const std::string share = ui::percent(1 - l);
    const std::string counts = l >= 1                    ? "does not count at all"
                               : share == ui::percent(0) ? "counts as under 1 % of that"
                                                         : "counts as only " + share + " of that";
    story.text = both(c, token) + "The claim " + counts + ", so the guess stays with probability " +
                 fine_probability(c.check->threshold) + "," + coin_words(c);
    story.text += c.check->threshold > strict(c) + 1e-9 ? " That is more than the target's distribution allows."
                                                        : " The lossless rule would ask no more.";
    if (c.check->accepted && token_rule_stops(model, c))
        story.what_if = "The lossless rule would have thrown it out: there it stays with probability " +
                        fine_probability(strict(c)) + ".";
}

void tell_typical(const LoopColumn& c, const std::string& token, Story& story) {
    const std::string limit = c.check->limit ? fine_probability(*c.check->limit) : std::string("its limit");
    story.heading = c.check->accepted ? "Typical enough" : "Not typical enough";
    story.text = "The target gives " + token + " " + probability(std::exp(c.check->p)) +
                 (c.check->accepted ? ", above " : ", not above ") + "the limit of " + limit +
                 " that follows from how unsure it is here. No coin is thrown, and what the draft claimed "
                 "does not count. "
                 "The output is not a sample of the target.";
    if (c.check->accepted && std::exp(c.check->p) < 0.5)
        story.what_if = "Plain sampling would have written it in " + ui::percent(std::exp(c.check->p)) +
                        " of all runs; here it stays whenever it is guessed.";
}

void tell_cascade(const LoopModel& model, const LoopColumn& c, const std::string& token, Story& story) {
    const std::string mixed =
        c.check->goal ? probability(std::exp(*c.check->goal)) : std::string("its own share");
    story.heading = c.check->accepted ? "Kept by the mixture" : "Rejected by the mixture";
    story.text = both(c, token) + "A mixture of the two distributions judges, and it gives the guess " + mixed +
                 ": it stays with probability " + fine_probability(c.check->threshold) + "," + coin_words(c) +
                 (mixes_nothing(model) ? " At this alpha the mixture is the target's own distribution."
                                       : " The output follows the mixture, not the target.");
    const std::string alone = fine_probability(strict(c));
    if (c.check->accepted && token_rule_stops(model, c))
        story.what_if =
            "Judged by the target alone it would have gone: " +
            (alone == fine_probability(0) ? "never kept." : "kept with probability " + alone + " only.");
}

// The draft's claim plays no part, whether it was drawn or a favourite.
void tell_certain(const LoopModel& model, const LoopColumn& c, const std::string& token, Story& story) {
    const bool kept = c.check->accepted;
    story.heading = kept ? "Kept by the coin" : "Rejected by the coin";
    story.text =
        "The target gives " + token + " " + probability(std::exp(c.check->p)) +
        ". Under this rule a guess counts as certain, whatever the draft claimed, so it stays with just "
        "that probability," +
        coin_words(c);
    if (!kept && model.newest + 1 < model.drafted) story.text += " What was guessed behind it goes unread.";
    const double drawn = strict(c);
    if (c.draft->u && drawn > c.check->threshold + 1e-9)
        story.what_if = "It was drawn with probability " + probability(std::exp(c.check->q)) +
                        ": the token rule would have kept it with probability " + fine_probability(drawn) +
                        ".";
}

} // namespace

void tell_rule_check(const SceneInput& input, const LoopModel& model, const LoopColumn& judged,
                     Story& story) {
    if (!judged.check || !judged.draft) return; // a file from elsewhere may say anything
    const std::string token = quoted(*input.trace, judged.draft->token);
    switch (model.rule) {
    case RuleKind::block:
        return tell_block(model, judged, token, story);
    case RuleKind::lenient:
        return tell_lenient(model, judged, token, story);
    case RuleKind::typical:
        return tell_typical(judged, token, story);
    case RuleKind::certain:
        return tell_certain(model, judged, token, story);
    default:
        return judged.check->joint ? tell_block(model, judged, token, story)
                                   : tell_cascade(model, judged, token, story);
    }
}

bool tell_rule_own(const SceneInput& input, const LoopModel& model, Story& story) {
    const TargetToken& own = *model.own;
    const std::string token = quoted(*input.trace, own.token);
    const std::string coin = own.u ? "Coin " + probability(*own.u) + " picked " : "It is ";
    const bool rejected = own.from == TargetToken::From::residual;
    const bool cascade = model.rule == RuleKind::cascade;
    if (rejected && (model.rule == RuleKind::block || (cascade && model.header->rule_params.block))) {
        const std::string distribution = cascade ? "the mixture" : "the target's distribution";
        story.heading = "The rest of the block, made good";
        story.text = "The replacement comes from the residual of the whole prefix: its coefficient times " +
                     distribution + ", less what the draft offered, scaled to 1. " + coin + token +
                     ". Over all coins that adds up to exactly " +
                     (!cascade               ? "the target's distribution."
                      : mixes_nothing(model) ? "the mixture, which is the target's distribution at this alpha."
                                             : "the mixture, not the target's distribution.");
        return true;
    }
    if (model.rule == RuleKind::certain && rejected) {
        story.heading = "Rejected, but not wasted";
        story.text = "The rejected token is struck out of the target's distribution and the rest is scaled to 1. " +
                     coin + token +
                     " from it. Keeping with the target's probability and replacing from the rest adds up to "
                     "exactly the target's distribution.";
        return true;
    }
    if (model.rule == RuleKind::lenient && rejected) {
        story.heading = "Replaced, but the sum is off";
        story.text =
            "The replacement comes from the same residual as under the token rule. " + coin + token +
            ". But more was kept than that residual makes up for, so the output is not the target's.";
        return true;
    }
    if (model.rule == RuleKind::typical) {
        story.heading = model.rejected >= 0 ? "The target goes on by itself" : "All typical, one for free";
        story.text =
            coin + token +
            " from the target's own distribution. There is no residual to correct what was kept: this rule trades the "
            "target's distribution for longer rounds.";
        return true;
    }
    if (cascade && rejected) {
        story.heading = "Replaced from the mixture's residual";
        story.text = "What the mixture gives each token beyond what the draft offered, scaled to 1. " + coin +
                     token + ". So the output follows the mixture exactly" +
                     (mixes_nothing(model) ? ", which is the target's distribution at this alpha." : ".");
        return true;
    }
    if (cascade) {
        const bool rows = !own.top.empty(), mixed = !own.target_top.empty();
        story.heading = !rows   ? "All kept, one more"
                        : mixed ? "All kept, one more from the mixture"
                                : "All kept, one more from the target";
        story.text =
            coin + token +
            (!rows   ? " from the row behind the last guess: a mixture where the drafter has a distribution there, "
                       "else the target's own."
             : mixed ? " from the mixture behind the last guess, for which the draft was asked once more."
                     : " from the target's own distribution: behind its last guess the drafter has no distribution, so "
                       "there is nothing to mix.");
        return true;
    }
    return false;
}

} // namespace speclens
