#include "scenes/loop/loop_story.h"

#include <cmath>
#include <optional>
#include <sstream>

#include "engine/drafters/drafter_info.h"
#include "engine/run/engine_status.h"
#include "scenes/loop/loop_draw.h"
#include "scenes/loop/loop_rules.h"
#include "scenes/loop/loop_tree.h"
#include "scenes/shared/typical_time.h"
#include "scenes/shared/words.h"
#include "ui/format.h"

namespace speclens {
namespace {

using ui::probability;

std::string phase_name(Phase phase) {
    switch (phase) {
    case Phase::none: return loop_says("phase.none"_t);
    case Phase::prefill: return loop_says("phase.prefill"_t);
    case Phase::draft: return loop_says("phase.draft"_t);
    case Phase::verify: return loop_says("phase.verify"_t);
    case Phase::accept: return loop_says("phase.check"_t);
    case Phase::resample: return loop_says("phase.resample"_t);
    case Phase::commit: return loop_says("phase.commit"_t);
    case Phase::stopped: return loop_says("phase.stopped"_t);
    case Phase::failed: return loop_says("phase.failed"_t);
    }
    return "";
}

std::string finished_title(const LoopModel& model) {
    const int n = model.produced, drafted = model.drafted;
    const bool table = model.table();
    if (model.no_room) return loop_says("title.no_room"_t);
    if (drafted == 0) return loop_says("title.plain"_t, "expensive"_v = !table);
    if (model.tree) return loop_says("title.tree"_t, "guesses"_v = drafted, "tokens"_v = n);
    if (model.accepted == drafted && model.rejected < 0)
        return loop_says("title.all_kept"_t, "guesses"_v = drafted, "all"_v = all_guesses(drafted), "tokens"_v = n);
    if (model.accepted == 0) {
        const bool lost = model.timed() && model.plain_ms > 0 && model.spec_ms() > model.plain_total();
        return loop_says("title.none_kept"_t, "lost"_v = lost);
    }
    const bool cheap = !model.timed() || model.round->draft_ms < model.round->verify_ms;
    if (table) return loop_says("title.some:table"_t, "guesses"_v = drafted, "tokens"_v = n);
    if (cheap) return loop_says("title.some:cheap"_t, "guesses"_v = drafted, "tokens"_v = n);
    return loop_says("title.some:dear"_t, "guesses"_v = drafted, "tokens"_v = n);
}

// What was set of the drafter: " · head off".
std::string setting_words(const Header& run) {
    DrafterOptions options = run.options;
    if (options.small_ids == 0) options.fr_spec = run.draft_ids;
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
    const auto add = [&](const char* phase, double ms) { text += (text.empty() ? "" : ", ") + (phase + (" " + model.ms(ms))) + " ms"; };
    if (model.drafted > 0 || model.ms(model.round->draft_ms) != model.ms(0)) add("drafting", model.round->draft_ms);
    if (model.round->verify) add("verify", model.round->verify_ms);
    if (model.settled) add("rest", model.other_ms);
    return text;
}

// One guess: who proposed it, what that had seen, and how the token came out of its distribution.

const char* drafter_noun(const LoopModel& model) {
    const DrafterInfo* info = find_drafter(model.header->drafter);
    return info ? info->noun : "the drafter";
}

std::string prob(const std::optional<double>& p) { return p ? probability(*p) : loop_says("words.too_small"_t); }

// Who proposes the newest guess, and what it has seen.
std::string how_guessed(const SceneInput& input, const LoopModel& model, const LoopColumn& c) {
    const DrafterInfo* info = find_drafter(model.header->drafter);
    const bool states = (input.settings ? input.settings->options : DrafterOptions{}).conditioning; // what the pass of a block goes by
    if (info && info->block && !info->causal_head) return loop_says("how.block"_t, "states"_v = states);
    if (info && info->causal_head) {
        const bool first = model.drafted == 1;
        // The row before the correction is recorded with the other rows.
        const bool corrected = c.draft->top.empty() ? model.head && (info->corrects_first || !first) : !c.draft->base_top.empty();
        if (!corrected && model.head && !info->corrects_first) return loop_says("how.before_head"_t, "states"_v = states);
        if (!corrected) return loop_says("how.no_head"_t, "states"_v = states);
        if (first) return loop_says("how.head_first"_t, "states"_v = states);
        return loop_says("how.head"_t, "states"_v = states, "reads"_v = info->head_reads);
    }
    if (info && info->at_once() && info->own_ids) return loop_says("how.ngrams"_t);
    if (info && info->at_once() && info->needs_network()) return loop_says("how.heads"_t);
    return loop_says("how.chain"_t, "drafter"_v = drafter_noun(model));
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
        if (distribution.entries[i].id == c.draft->token) return {static_cast<int>(i) + 1, std::exp(distribution.entries[i].logp)};
    return {};
}

std::string percent_words(double p) { return p >= 0.995 && p < 1 ? loop_says("words.nearly_all"_t) : ui::percent(p); }

// The first guess of a run of the small model is where a reader begins: what a drafter is comes before how this one works.
// Whoever chose another drafter reads at once how that one guesses, and of a table nothing is dear or cheap.
bool begins_the_run(const LoopModel& model) {
    return model.round->round == 0 && model.drafted == 1 && model.asked > 1 && model.header->drafter == "small" && !model.table();
}

// Of drafters that compute their guesses.
Words computed_words(const SceneInput& input, const LoopModel& model, const LoopColumn& c) {
    const Drafted& draft = *c.draft;
    const Guessed own = draft.u ? Guessed() : own_distribution(c); // a drawn one has its probability in the distribution it came from
    const bool took = model.timed() && model.ms(c.ms) != model.ms(0);
    return loop_says.beat("draft:computed"_t, "guess"_v = model.drafted, "of"_v = model.tree ? 0 : model.columns.size(),
                          "how"_v = how_guessed(input, model, c), "token"_v = quoted(*input.trace, draft.token),
                          "p"_v = own.p ? probability(*own.p) : prob(c.q), "coin"_v = draft.u ? probability(*draft.u) : "",
                          "best"_v = own.rank == 1, "rank"_v = own.rank > 1 ? own.rank : 0, "took"_v = took ? model.ms(c.ms) : "");
}

void tell_draft(const SceneInput& input, const LoopModel& model, Story& story) {
    const LoopColumn& c = model.columns[static_cast<std::size_t>(model.drafted - 1)];
    const std::string token = quoted(*input.trace, c.draft->token);
    const Header& run = *model.header;
    if (const DrafterInfo* info = find_drafter(run.drafter); info && info->copies())
        take(story, loop_says.beat("draft:copied"_t, "guess"_v = model.drafted, "of"_v = model.tree ? 0 : model.columns.size(),
                                   "token"_v = token, "from"_v = c.draft->extra));
    else if (begins_the_run(model))
        take(story, loop_says.beat("draft:roles"_t, "drafter"_v = run.drafter, "asked"_v = model.asked, "model"_v = run.model,
                                   "token"_v = token, "p"_v = prob(c.q)));
    else
        take(story, computed_words(input, model, c));
    story.task = loop_says("draft.task"_t);
    story.on_task = {Go{Move::verify}};
    story.task_done = (input.deeds & deed_bit(Deed::stepped)) != 0;
}

// Why no guess was asked for.
std::string room_words(const SceneInput& input) {
    const Stopped* end = input.whole->stopped;
    return loop_says("words.room"_t, "context"_v = end && end->reason == Stopped::kContextFull);
}

void tell_verify(const SceneInput& input, const LoopModel& model, Story& story) {
    const int rows = model.round->verify ? model.round->verify->rows : model.drafted + 1;
    const std::string took = model.timed() ? timed_words(*input.whole, *model.round, verify_time, model.ms_decimals()) : "";
    if (model.drafted == 0) {
        const Header& h = *input.view->header;
        take(story, loop_says.beat("verify:nothing"_t, "room"_v = model.no_room ? room_words(input) : "", "took"_v = took,
                                   "reason"_v = h.drafter == kNoDrafter ? h.notice : ""));
        return;
    }
    const std::string all = all_guesses(model.drafted), plain = !took.empty() && model.plain_ms > 0 ? model.ms(model.plain_ms) : "";
    if (model.tree)
        take(story, loop_says.beat("verify:tree"_t, "rows"_v = rows, "all"_v = all, "took"_v = took, "plain"_v = plain));
    else if (model.drafted == 1)
        take(story, loop_says.beat("verify:one"_t, "rows"_v = rows, "all"_v = all, "took"_v = took, "plain"_v = plain));
    else
        take(story, loop_says.beat("verify:chain"_t, "rows"_v = rows, "all"_v = all, "took"_v = took, "plain"_v = plain));
    story.task = loop_says("verify.task"_t);
    story.task_done = (input.deeds & deed_bit(Deed::selected)) != 0;
}

bool last_guess(const LoopModel& model) { return model.newest + 1 >= model.drafted; }

void tell_match_check(const SceneInput& input, const LoopModel& model, const LoopColumn& c, Story& story) {
    const std::string token = quoted(*input.trace, c.draft->token);
    const bool greedy = model.rule == RuleKind::greedy;
    if (c.check->accepted)
        return take(story, greedy ? loop_says.beat("check:same_favourite"_t, "token"_v = token)
                                  : loop_says.beat("check:same_draw"_t, "token"_v = token));
    const std::string own = model.own ? quoted(*input.trace, model.own->token) : loop_says("words.another_token"_t);
    const bool last = last_guess(model);
    take(story, greedy ? loop_says.beat("check:other_favourite"_t, "token"_v = token, "own"_v = own, "last"_v = last)
                       : loop_says.beat("check:other_draw"_t, "token"_v = token, "own"_v = own, "last"_v = last));
    const TopEntries& distribution = c.check->raw_top.empty() ? c.check->top : c.check->raw_top;
    if (distribution.empty() || !c.p) return;
    if (greedy)
        story.what_if = loop_says("check.aside:favourite"_t, "token"_v = token, "p"_v = probability(*c.p),
                                  "best"_v = quoted(*input.trace, distribution.entries[0].id),
                                  "best_p"_v = probability(std::exp(distribution.entries[0].logp)));
    else
        story.what_if = loop_says("check.aside:draw"_t, "token"_v = token, "p"_v = probability(*c.p));
}

void tell_token_check(const SceneInput& input, const LoopModel& model, const LoopColumn& c, Story& story) {
    const std::string token = quoted(*input.trace, c.draft->token);
    const std::string p = probability(std::exp(c.check->p)), q = probability(std::exp(c.check->q));
    const std::string u = c.check->u ? probability(*c.check->u) : "", a = fine_probability(c.check->threshold);
    const bool last = last_guess(model);
    if (c.check->accepted && c.check->threshold >= 1)
        return take(story, loop_says.beat("check:always"_t, "token"_v = token, "target"_v = p, "draft"_v = q));
    if (c.check->accepted) {
        take(story, loop_says.beat("check:kept"_t, "token"_v = token, "target"_v = p, "draft"_v = q, "threshold"_v = a, "coin"_v = u));
        story.what_if = loop_says("check.aside:kept"_t, "threshold"_v = a, "last"_v = last);
        return;
    }
    take(story, loop_says.beat("check:rejected"_t, "token"_v = token, "target"_v = p, "draft"_v = q, "threshold"_v = a, "coin"_v = u,
                               "last"_v = last));
    if (c.check->u)
        story.what_if = loop_says("check.aside:rejected"_t, "enough"_v = fine_probability(*c.check->u * std::exp(c.check->q)),
                                  "likely"_v = percent_words(1 - c.check->threshold));
}

void tell_check(const SceneInput& input, const LoopModel& model, Story& story) {
    const LoopColumn& c = model.columns[static_cast<std::size_t>(std::max(0, model.newest))];
    story.task = loop_says("check.task"_t);
    story.on_task = {Go{Move::rejection}};
    story.task_done = (input.deeds & deed_bit(Deed::found_rejection)) != 0;
    if (model.tree) return tell_tree_check(input, model, story);
    if (model.rule == RuleKind::greedy || model.rule == RuleKind::match) return tell_match_check(input, model, c, story);
    if (model.rule != RuleKind::token) return tell_rule_check(input, model, c, story);
    tell_token_check(input, model, c, story);
}

void tell_own(const SceneInput& input, const LoopModel& model, Story& story) {
    const std::string token = quoted(*input.trace, model.own->token), coin = model.own->u ? probability(*model.own->u) : "";
    story.task = loop_says("own.task"_t);
    story.task_done = (input.deeds & deed_bit(Deed::forked)) != 0;
    if (model.own_dropped) return take(story, loop_says.beat("own:ended"_t, "token"_v = token));
    if (model.tree && model.drafted > 0) return tell_tree_own(input, model, story);
    if (model.drafted > 0 && tell_rule_own(input, model, story)) return;
    switch (model.own->from) {
    case TargetToken::From::residual: return take(story, loop_says.beat("own:residual"_t, "token"_v = token, "coin"_v = coin));
    case TargetToken::From::bonus:
        return take(story, loop_says.beat("own:bonus"_t, "token"_v = token, "coin"_v = coin, "guesses"_v = model.drafted,
                                          "tokens"_v = model.drafted + 1));
    case TargetToken::From::target: break;
    }
    if (model.rejected < 0) return take(story, loop_says.beat("own:plain"_t, "token"_v = token, "coin"_v = coin));
    take(story, loop_says.beat("own:instead"_t, "token"_v = token, "greedy"_v = model.rule == RuleKind::greedy));
}

// What follows the kept guesses into the text.
std::string own_words(const LoopModel& model, const Committed& e) {
    const bool mixed = model.own && (model.own->from == TargetToken::From::residual || !model.own->target_top.empty());
    const std::string own = model.rule != RuleKind::cascade ? loop_says("own_token.target"_t)
                            : mixed                         ? loop_says("own_token.mixture"_t)
                            : model.fast                    ? loop_says("own_token.any"_t)
                                                            : loop_says("own_token.target"_t);
    if (static_cast<int>(e.tokens.size()) <= e.accepted_drafts) return loop_says("commit.then:ends"_t);
    if (e.accepted_drafts > 0) return loop_says("commit.then:plus"_t, "own"_v = own);
    return loop_says("commit.then:own"_t, "own"_v = own, "guesses"_v = model.drafted);
}

std::string kept_words(int kept, int drafted) {
    if (kept == 0) return loop_says("commit.kept:none"_t, "guesses"_v = drafted);
    if (kept == drafted) return loop_says("commit.kept:all"_t, "all"_v = all_guesses(drafted), "guesses"_v = drafted);
    return loop_says("commit.kept:some"_t, "kept"_v = kept, "guesses"_v = drafted);
}

// A table has no cache, and a server's is not ours to tell of.
std::string cache_words(const Committed& e, const std::string& tier) {
    if (tier == "TABLE") return {};
    if (tier == "REMOTE") return loop_says("commit.cache:server"_t);
    if (e.kv_verify == e.kv_after) return loop_says("commit.cache:all"_t, "rows"_v = e.kv_after);
    return loop_says("commit.cache:cut"_t, "grown"_v = e.kv_verify, "rows"_v = e.kv_after, "gone"_v = e.kv_verify - e.kv_after);
}

std::string commit_times(const SceneInput& input, const LoopModel& model) {
    const std::string saving = saving_words(model);
    if (saving.empty()) return "";
    // A round that something else on the machine held up is no cost of speculating.
    const double held_up = model.settled ? typical_ms(*input.whole, *model.round, round_time) : 0;
    const std::string took = model.ms(model.spec_ms()), usual = held_up > 0 ? model.ms(held_up) : "";
    if (model.produced < 2)
        return loop_says("commit.times:one"_t, "took"_v = took, "usual"_v = usual, "saving"_v = saving,
                         "lost"_v = model.plain_ms > 0 && model.spec_ms() > model.plain_ms);
    return loop_says("commit.times:more"_t, "took"_v = took, "usual"_v = usual, "plain"_v = model.ms(model.plain_total()),
                     "saving"_v = saving);
}

void tell_commit(const SceneInput& input, const LoopModel& model, Story& story) {
    const Committed& e = *model.round->commit;
    const auto n = e.tokens.size();
    const std::string times = commit_times(input, model);
    if (model.no_room)
        take(story, loop_says.beat("commit:no_room"_t, "tokens"_v = n, "room"_v = room_words(input), "times"_v = times));
    else if (model.drafted == 0)
        take(story, loop_says.beat("commit:plain"_t, "tokens"_v = n, "times"_v = times));
    else
        take(story, loop_says.beat("commit:guesses"_t, "tokens"_v = n, "kept"_v = kept_words(e.accepted_drafts, model.drafted),
                                   "then"_v = own_words(model, e), "cache"_v = cache_words(e, model.header->tier), "times"_v = times));
    story.task = loop_says("commit.task"_t);
    story.task_done = (input.deeds & deed_bit(Deed::changed_run)) != 0;
}

void tell_end(const SceneInput& input, Story& story) {
    const RunView& view = *input.view;
    if (view.failed) {
        story.heading = loop_says("end.failed"_t);
        story.text = view.failed->what;
        story.what_if = view.failed->remedy;
        return;
    }
    take(story,
         loop_says.beat("end"_t, "reason"_v = view.stopped->reason, "tokens"_v = view.output_tokens, "rounds"_v = view.rounds,
                        "rate"_v = ui::per_round(view.tokens_per_round()), "nothing"_v = view.drafted == 0, "kept"_v = view.accepted_drafts,
                        "guesses"_v = view.drafted > 1 ? view.drafted : 0, "one_kept"_v = view.drafted == 1 && view.accepted_drafts == 1,
                        "one_lost"_v = view.drafted == 1 && view.accepted_drafts != 1));
    story.task = loop_says("end.task"_t);
    story.task_done = (input.deeds & deed_bit(Deed::scrubbed)) != 0;
}

void tell_start(const SceneInput& input, const LoopModel& model, Story& story) {
    if (!model.header) {
        if (input.status && input.status->state == EngineStatus::State::failed) {
            story.heading = loop_says("start.failed"_t);
            story.text = input.status->error;
            story.what_if = input.status->remedy;
        } else
            take(story, loop_says.beat("start:loading"_t));
        return;
    }
    const std::string& tier = model.header->tier;
    story.task = loop_says("start.task"_t);
    story.on_task = {Go{Move::step}};
    story.task_done = (input.deeds & deed_bit(Deed::stepped)) != 0;
    if (starts_empty(*model.header)) return take(story, loop_says.beat("start:empty"_t));
    if (tier == "REMOTE") return take(story, loop_says.beat("start:server"_t));
    if (tier == "TABLE") return take(story, loop_says.beat("start:table"_t));
    take(story, loop_says.beat("start:model"_t, "rows"_v = std::max(0, input.view->prompt_tokens - 1)));
}

} // namespace

std::string coin_caption(const LoopModel& model) {
    switch (model.rule) {
    case RuleKind::greedy: return loop_says("coin.greedy"_t);
    case RuleKind::match: return loop_says("coin.match"_t);
    case RuleKind::block: return loop_says("coin.block"_t);
    case RuleKind::lenient: return loop_says("coin.lenient"_t);
    case RuleKind::typical: return loop_says("coin.typical"_t);
    case RuleKind::cascade: return model.header->rule_params.block ? loop_says("coin.block"_t) : loop_says("coin.cascade"_t);
    case RuleKind::certain: return loop_says("coin.certain"_t);
    case RuleKind::kseq: return loop_says("coin.kseq"_t);
    case RuleKind::token: break;
    }
    return loop_says("coin.token"_t);
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
        if (plain > 0 && spec > plain && apart > 0) return loop_says("saving.later"_t, "ms"_v = model.ms(apart));
        return loop_says("saving.drafting"_t, "ms"_v = model.ms(model.round->draft_ms));
    }
    if (plain <= 0) return {};
    if (!model.doubt.empty()) return {}; // no figure
    return loop_says("saving.told"_t, "ms"_v = model.ms(apart), "saved"_v = spec <= plain, "times"_v = ui::speed_up(plain / spec));
}

namespace {

// In the middle of the verdicts.
std::string judging_title(const LoopModel& model) {
    if (model.tree) {
        const bool kept = model.newest >= 0 && model.columns[static_cast<std::size_t>(model.newest)].check->accepted;
        return loop_says("title.judged:tree"_t, "guess"_v = model.newest + 1, "kept"_v = kept,
                         "child"_v = kept && has_child(model, model.newest), "sibling"_v = !kept && has_sibling(model, model.newest));
    }
    if (model.drafted == 1) return loop_says("title.judged:one"_t, "kept"_v = model.rejected < 0);
    if (model.rejected >= 0) return loop_says("title.judged:rejected"_t, "guess"_v = model.rejected + 1, "before"_v = model.accepted);
    return loop_says("title.judged:so_far"_t, "kept"_v = model.accepted, "guesses"_v = model.drafted);
}

} // namespace

std::string loop_title(const LoopModel& model) {
    if (!model.header) return loop_says("title.any"_t);
    if (model.phase == Phase::failed) return loop_says("title.failed"_t);
    if (!model.round) return loop_says("title.before"_t);
    if (model.round->complete() || model.own) return finished_title(model);
    if (model.judged > 0) return judging_title(model);
    if (!model.round->verify) return loop_says("title.drafted"_t, "guesses"_v = model.drafted);
    if (model.no_room) return loop_says("title.reads:no_room"_t);
    if (model.drafted == 0) return loop_says("title.reads:nothing"_t);
    return loop_says("title.reads:guesses"_t, "all"_v = all_guesses(model.drafted));
}

std::string place_words(const LoopModel& model) {
    const int at = model.selected + 1;
    if (!model.tree) return loop_says("place.chain"_t, "at"_v = at);
    return model.selected < model.drafted ? loop_says("place.tree"_t, "at"_v = at) : loop_says("place.bonus"_t);
}

std::string loop_subtitle(const SceneInput& input, const LoopModel& model) {
    if (!model.header) return input.status && !input.status->job.empty() ? input.status->job : loop_says("subtitle.waiting"_t);
    const Header& h = *model.header;
    const bool other = model.phase == Phase::resample && model.own && model.own->from != TargetToken::From::residual;
    const std::string phase = !other                                        ? phase_name(model.phase)
                              : model.own->from == TargetToken::From::bonus ? loop_says("phase.bonus"_t)
                                                                            : loop_says("phase.own"_t);
    return loop_says("subtitle.run"_t, "round"_v = model.round ? model.round->round + 1 : 0, "phase"_v = phase, "plain"_v = model.plain(),
                     "drafter"_v = model.plain() ? "" : h.drafter, "rule"_v = h.rule, "k"_v = h.k,
                     "temperature"_v = temperature_words(h.sampling.temperature), "greedy"_v = model.greedy,
                     "drafts"_v = model.greedy ? "" : draft_words(h.sampling.temperature, h.draft_sampling.temperature),
                     "top_k"_v = std::max(0, h.sampling.top_k), "top_p"_v = h.sampling.top_p < 1 ? probability(h.sampling.top_p) : "",
                     "settings"_v = setting_words(h), "seed"_v = h.seed, "fast"_v = model.fast);
}

std::string loop_description(const SceneInput& input, const LoopModel& model) {
    std::ostringstream out;
    out << loop_title(model) << "\n" << loop_subtitle(input, model) << "\n";
    out << "Data: " << tier_name(shown_tier(input, tier_of(model.header))) << "\n\n";
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
                << (*c.check->u < c.check->threshold ? " < " : " ≥ ") << compared_probability(std::min(1.0, c.check->threshold));
        if (c.draft->forced()) out << ", put here by you";
        if (model.rule == RuleKind::certain) out << ", counts as certain";
        if (c.check && c.check->mixture) out << ", mixture " << probability(std::exp(*c.check->mixture));
        if (c.check && c.check->prefix_coefficient) out << ", prefix " << fine_probability(std::exp(*c.check->prefix_coefficient));
        if (c.check && c.check->typical_threshold) out << ", limit " << fine_probability(*c.check->typical_threshold);
        switch (c.fate) {
        case Fate::accepted: out << (c.rescued() ? ": accepted by a later coin" : ": accepted"); break;
        case Fate::rejected: out << ": rejected"; break;
        case Fate::discarded: out << ": discarded unread"; break;
        case Fate::drafted: out << ": not judged yet"; break;
        case Fate::empty: break;
        }
        if (static_cast<int>(i) == model.selected) out << " (selected)";
        out << "\n";
    }
    if (model.round && model.round->verify) {
        out << "Verify: " << counted(model.round->verify->rows, "row");
        if (model.timed()) out << ", " << model.ms(model.round->verify_ms) << " ms";
        out << "\n";
    }
    if (model.own) {
        const char* from = "The target's own token: ";
        if (model.own_dropped)
            from = "Not used, the text ended before it: ";
        else if (model.own->from == TargetToken::From::residual)
            from = "Resampled from the residual: ";
        else if (model.own->from == TargetToken::From::bonus)
            from = "Bonus token: ";
        out << from << quoted(*input.trace, model.own->token) << ", probability " << probability(std::exp(model.own->p));
        if (model.own->u) out << ", coin " << probability(*model.own->u);
        out << "\n" << strip_words(input, *model.own);
    }
    if (model.round && model.timed()) {
        out << "Clock: " << clock_words(model);
        if (model.plain_ms > 0) out << "; plain decoding " << model.ms(model.plain_ms) << " ms per token";
        const std::string saving = saving_words(model);
        if (!saving.empty()) out << "; " << saving;
        out << "\n";
        if (!model.run_speed.empty()) out << "Speed-up of the run: " << model.run_speed << "\n";
    }
    const DistributionTable table = [&] {
        const ColumnDistributions distributions = column_distributions(model, model.selected);
        return distributions.target.empty() && distributions.draft.empty()
                   ? DistributionTable{}
                   : distribution_table(distributions.target, distributions.draft, 10);
    }();
    if (!table.rows.empty()) {
        out << "\n" << place_words(model) << ", target and draft:\n";
        for (const DistributionRow& row : table.rows) {
            out << "  " << (row.id < 0 ? std::string("other") : quoted(*input.trace, row.id)) << ": target "
                << distribution_number(row.target) << ", draft " << distribution_number(row.draft) << "\n";
        }
    }
    out << "\n" << describe_story(input, loop_story(input, model));
    return out.str();
}

Story loop_story(const SceneInput& input, const LoopModel& model) {
    Story story;
    story.on_back = {Go{Move::back}};
    story.on_next = {Go{Move::step}};
    if (input.cursor <= 1) story.no_back = loop_says("caption.first"_t);
    if (input.view->stopped || input.view->failed) story.no_next = loop_says("caption.over"_t);
    if (model.round) {
        story.step = static_cast<int>(model.round->end_event - model.round->first_event);
        for (const RoundSummary& round : input.whole->round_list)
            if (round.round == model.round->round && round.complete()) {
                story.steps = static_cast<int>(round.end_event - round.first_event);
                for (int i = 1; i <= story.steps; ++i) story.segments.push_back(SetCursor{round.first_event + static_cast<std::size_t>(i)});
            }
        story.caption = loop_says("caption.step"_t, "round"_v = model.round->round + 1, "step"_v = story.step, "of"_v = story.steps);
    } else {
        story.caption = model.header ? loop_says("caption.before"_t) : loop_says("caption.none"_t);
    }
    // A file from elsewhere may judge what it never drafted: then there is nothing to tell of the step.
    const bool hollow =
        !model.header || (model.phase == Phase::draft && model.drafted == 0) || (model.phase == Phase::accept && model.judged == 0);
    switch (hollow ? Phase::none : model.phase) {
    case Phase::none:
    case Phase::prefill: tell_start(input, model, story); break;
    case Phase::draft: tell_draft(input, model, story); break;
    case Phase::verify: tell_verify(input, model, story); break;
    case Phase::accept: tell_check(input, model, story); break;
    case Phase::resample: tell_own(input, model, story); break;
    case Phase::commit: tell_commit(input, model, story); break;
    case Phase::stopped:
    case Phase::failed: tell_end(input, story); break;
    }
    return story;
}

} // namespace speclens
