#include "scenes/loop/loop_story.h"

#include <cmath>
#include <optional>

#include "engine/drafters/drafter_info.h"
#include "engine/run/engine_status.h"
#include "scenes/loop/loop_draw.h"
#include "scenes/loop/loop_rules.h"
#include "scenes/shared/shown_work.h"
#include "scenes/shared/token_said.h"
#include "scenes/shared/typical_time.h"
#include "scenes/shared/words.h"

namespace speclens {
namespace {

// Of a trace, whose words are for every program; those that nobody here knows stand as they are.
Message stop_words(const std::string& reason) {
    if (reason == Stopped::kEndOfText) return loop_says("stop.reason:text"_t);
    if (reason == Stopped::kLength) return loop_says("stop.reason:length"_t);
    if (reason == Stopped::kContextFull) return loop_says("stop.reason:context"_t);
    return reason == Stopped::kCancelled ? loop_says("stop.reason:cancelled"_t) : Message(reason);
}

// Where a copied token came from, as its drafter wrote it down.
Message source_words(const std::string& extra) {
    const std::optional<CopiedFrom> from = copied_from(extra);
    if (!from) return extra;
    const auto tokens = "tokens"_v = from->match;
    if (from->token >= 0) return loop_says("source.copied"_t, tokens, "at"_v = from->at, "from"_v = from->token);
    if (from->at >= 0) return loop_says("source.counted"_t, tokens, "at"_v = from->at, "times"_v = from->times, "p"_v = from->p);
    return loop_says("source.earlier"_t, tokens, "times"_v = from->times, "p"_v = from->p);
}

Message phase_name(const LoopModel& model) {
    using From = TargetToken::From;
    switch (model.phase) {
    case Phase::none: return loop_says("phase.none"_t);
    case Phase::prefill: return loop_says("phase.prefill"_t);
    case Phase::draft: return loop_says("phase.draft"_t);
    case Phase::verify: return loop_says("phase.verify"_t);
    case Phase::accept: return loop_says("phase.check"_t);
    case Phase::resample:
        if (model.own && model.own->from == From::bonus) return loop_says("phase.bonus"_t);
        return model.own && model.own->from == From::target ? loop_says("phase.own"_t) : loop_says("phase.resample"_t);
    case Phase::commit: return loop_says("phase.commit"_t);
    case Phase::stopped: return loop_says("phase.stopped"_t);
    case Phase::failed: return loop_says("phase.failed"_t);
    }
    return {};
}

Message finished_title(const LoopModel& model) {
    const int drafted = model.drafted;
    const auto say = [&](auto id) {
        return loop_says(id, "guesses"_v = drafted, "all"_v = all_guesses(drafted), "tokens"_v = model.produced);
    };
    if (model.no_room) return loop_says("title.no_room"_t);
    if (drafted == 0) return loop_says("title.plain"_t, "expensive"_v = !model.table());
    if (model.tree) return say("title.tree"_t);
    if (model.accepted == drafted && model.rejected < 0) return say("title.all_kept"_t);
    if (model.accepted == 0)
        return loop_says("title.none_kept"_t,
                         "lost"_v = model.timed() && model.doubt.empty() && model.plain_ms > 0 && model.spec_ms() > model.plain_total());
    if (model.table()) return say("title.some:table"_t);
    const bool cheap = !model.timed() || model.round->draft_ms < model.round->verify_ms;
    return cheap ? say("title.some:cheap"_t) : say("title.some:dear"_t);
}

// What was set of the drafter: " · head off".
std::vector<Said> setting_words(const Header& run) {
    DrafterOptions options = run.options;
    if (options.small_ids == 0) options.fr_spec = run.draft_ids;
    return words_of(options);
}

// One guess: who proposed it, what that had seen, and how the token came out of its distribution.

std::string drafter_noun(const LoopModel& model) { return message(model.drafter ? model.drafter->noun : drafter_said("words.noun"_t)); }

// Who proposes the newest guess, and what it has seen.
Message how_guessed(const SceneInput& input, const LoopModel& model, const LoopColumn& c) {
    const DrafterInfo* info = model.drafter;
    const bool states = (input.settings ? input.settings->options : DrafterOptions{}).conditioning; // what the pass of a block goes by
    if (info && info->block && !info->causal_head) return loop_says("how.block"_t, "states"_v = states);
    if (info && info->causal_head) {
        const bool first = model.drafted == 1;
        // The row before the correction is recorded with the other rows.
        const bool corrected = c.draft->top.empty() ? model.head && (info->corrects_first || !first) : !c.draft->base_top.empty();
        if (!corrected && model.head && !info->corrects_first) return loop_says("how.before_head"_t, "states"_v = states);
        if (!corrected) return loop_says("how.no_head"_t, "states"_v = states);
        if (first) return loop_says("how.head_first"_t, "states"_v = states);
        return loop_says("how.head"_t, "states"_v = states, "reads"_v = message(info->head_reads).words());
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
                          "how"_v = how_guessed(input, model, c), "token"_v = token_said(*input.trace, draft.token),
                          "p"_v = own.p ? own.p : c.q, "coin"_v = draft.u, "best"_v = own.rank == 1, "rank"_v = own.rank > 1 ? own.rank : 0,
                          "took"_v = took ? loop_says("time.step"_t, "typical"_v = model.typical, "ms"_v = model.ms(c.ms)) : Message());
}

void tell_draft(const SceneInput& input, const LoopModel& model, Story& story) {
    const LoopColumn& c = model.columns[static_cast<std::size_t>(model.drafted - 1)];
    const Message token = token_said(*input.trace, c.draft->token);
    const Header& run = *model.header;
    if (model.drafter && model.drafter->copies())
        take(story, loop_says.beat("draft:copied"_t, "guess"_v = model.drafted, "of"_v = model.tree ? 0 : model.columns.size(),
                                   "token"_v = token, "from"_v = source_words(c.draft->extra)));
    else if (begins_the_run(model))
        take(story, loop_says.beat("draft:roles"_t, "drafter"_v = run.drafter, "asked"_v = model.asked, "model"_v = run.model,
                                   "token"_v = token, "p"_v = c.q));
    else
        take(story, computed_words(input, model, c));
    story.task = loop_says("draft.task"_t);
    story.on_task = {Go{Move::verify}};
    story.task_done = (input.deeds & deed_bit(Deed::stepped)) != 0;
}

Message time_words(const SceneInput& input, const LoopModel& model, PhaseTime time) {
    const double usual = typical_ms(*input.whole, *model.round, time);
    return loop_says("time.pass"_t, "typical"_v = model.typical, "ms"_v = model.ms(time(*model.round)),
                     "usual"_v = usual > 0 ? model.ms(usual) : Message());
}

// Why no guess was asked for.
Message room_words(const SceneInput& input) {
    const Stopped* end = input.whole->stopped;
    return loop_says("words.room"_t, "context"_v = end && end->reason == Stopped::kContextFull);
}

void tell_verify(const SceneInput& input, const LoopModel& model, Story& story) {
    const int rows = model.round->verify ? model.round->verify->rows : model.drafted + 1;
    const Message took = model.timed() ? time_words(input, model, verify_time) : Message();
    if (model.drafted == 0) {
        const Header& h = *input.view->header;
        take(story, loop_says.beat("verify:nothing"_t, "room"_v = model.no_room ? room_words(input) : Message(), "took"_v = took,
                                   "reason"_v = h.drafter == kNoDrafter && !h.notice.empty() ? message(h.notice_said()) : Message()));
        return;
    }
    const auto say = [&](auto id) {
        return loop_says.beat(id, "rows"_v = rows, "all"_v = all_guesses(model.drafted), "took"_v = took,
                              "plain"_v = !took.empty() && model.plain_ms > 0 ? model.ms(model.plain_ms) : Message());
    };
    take(story, model.tree ? say("verify:tree"_t) : model.drafted == 1 ? say("verify:one"_t) : say("verify:chain"_t));
    story.task = loop_says("verify.task"_t);
    story.task_done = (input.deeds & deed_bit(Deed::selected)) != 0;
}

bool last_guess(const LoopModel& model) { return model.newest + 1 >= model.drafted; }

void tell_match_check(const SceneInput& input, const LoopModel& model, const LoopColumn& c, Story& story) {
    const Message token = token_said(*input.trace, c.draft->token);
    const bool greedy = model.rule == RuleKind::greedy;
    if (c.check->accepted)
        return take(story, greedy ? loop_says.beat("check:same_favourite"_t, "token"_v = token)
                                  : loop_says.beat("check:same_draw"_t, "token"_v = token));
    const Message own = model.own ? token_said(*input.trace, model.own->token) : loop_says("words.another_token"_t);
    const bool last = last_guess(model);
    take(story, greedy ? loop_says.beat("check:other_favourite"_t, "token"_v = token, "own"_v = own, "last"_v = last)
                       : loop_says.beat("check:other_draw"_t, "token"_v = token, "own"_v = own, "last"_v = last));
    const TopEntries& distribution = c.check->raw_top.empty() ? c.check->top : c.check->raw_top;
    if (distribution.empty() || !c.p) return;
    if (greedy)
        story.what_if =
            loop_says("check.aside:favourite"_t, "token"_v = token, "p"_v = *c.p,
                      "best"_v = token_said(*input.trace, distribution.entries[0].id), "best_p"_v = std::exp(distribution.entries[0].logp));
    else
        story.what_if = loop_says("check.aside:draw"_t, "token"_v = token, "p"_v = *c.p);
}

void tell_token_check(const SceneInput& input, const LoopModel& model, const LoopColumn& c, Story& story) {
    const auto token = "token"_v = token_said(*input.trace, c.draft->token);
    const auto target = "target"_v = std::exp(c.check->p);
    const auto draft = "draft"_v = std::exp(c.check->q);
    const auto threshold = "threshold"_v = c.check->threshold;
    const auto coin = "coin"_v = c.check->u;
    const auto last = "last"_v = last_guess(model);
    if (c.check->accepted && c.check->threshold >= 1) return take(story, loop_says.beat("check:always"_t, token, target, draft));
    if (c.check->accepted) {
        take(story, loop_says.beat("check:kept"_t, token, target, draft, threshold, coin));
        story.what_if = loop_says("check.aside:kept"_t, threshold, last);
        return;
    }
    take(story, loop_says.beat("check:rejected"_t, token, target, draft, threshold, coin, last));
    if (!c.check->u) return;
    const double likely = 1 - c.check->threshold;
    story.what_if = loop_says("check.aside:rejected"_t, "enough"_v = *c.check->u * std::exp(c.check->q), "likely"_v = likely,
                              "nearly_all"_v = likely >= 0.995 && likely < 1);
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
    const auto token = "token"_v = token_said(*input.trace, model.own->token);
    const auto coin = "coin"_v = model.own->u;
    story.task = loop_says("own.task"_t);
    story.task_done = (input.deeds & deed_bit(Deed::forked)) != 0;
    if (model.own_dropped) return take(story, loop_says.beat("own:ended"_t, token));
    if (model.tree && model.drafted > 0) return tell_tree_own(input, model, story);
    if (model.drafted > 0 && tell_rule_own(input, model, story)) return;
    switch (model.own->from) {
    case TargetToken::From::residual: return take(story, loop_says.beat("own:residual"_t, token, coin));
    case TargetToken::From::bonus:
        return take(story, loop_says.beat("own:bonus"_t, token, coin, "guesses"_v = model.drafted, "tokens"_v = model.drafted + 1));
    case TargetToken::From::target: break;
    }
    if (model.rejected < 0) return take(story, loop_says.beat("own:plain"_t, token, coin));
    take(story, loop_says.beat("own:instead"_t, token, "greedy"_v = model.rule == RuleKind::greedy));
}

// What follows the kept guesses into the text.
Message own_words(const LoopModel& model, const Committed& e) {
    const bool mixed = model.own && (model.own->from == TargetToken::From::residual || !model.own->target_top.empty());
    const Message own = model.rule != RuleKind::cascade ? loop_says("own_token.target"_t)
                        : mixed                         ? loop_says("own_token.mixture"_t)
                        : model.fast                    ? loop_says("own_token.any"_t)
                                                        : loop_says("own_token.target"_t);
    if (static_cast<int>(e.tokens.size()) <= e.accepted_drafts) return loop_says("commit.then:ends"_t);
    if (e.accepted_drafts > 0) return loop_says("commit.then:plus"_t, "own"_v = own);
    return loop_says("commit.then:own"_t, "own"_v = own, "guesses"_v = model.drafted);
}

Message kept_words(int kept, int drafted) {
    if (kept == 0) return loop_says("commit.kept:none"_t, "guesses"_v = drafted);
    if (kept == drafted) return loop_says("commit.kept:all"_t, "all"_v = all_guesses(drafted), "guesses"_v = drafted);
    return loop_says("commit.kept:some"_t, "kept"_v = kept, "guesses"_v = drafted);
}

// A table has no cache, and a server's is not ours to tell of.
Message cache_words(const Committed& e, const std::string& tier) {
    if (tier == "TABLE") return {};
    if (tier == "REMOTE") return loop_says("commit.cache:server"_t);
    if (e.kv_verify == e.kv_after) return loop_says("commit.cache:all"_t, "rows"_v = e.kv_after);
    return loop_says("commit.cache:cut"_t, "grown"_v = e.kv_verify, "rows"_v = e.kv_after, "gone"_v = e.kv_verify - e.kv_after);
}

Message commit_times(const SceneInput& input, const LoopModel& model) {
    const Message saved = saving_words(model);
    if (saved.empty()) return {};
    // A round that something else on the machine held up is no cost of speculating.
    const double held_up = model.settled ? typical_ms(*input.whole, *model.round, round_time) : 0;
    const auto took = "took"_v = loop_says("time.round"_t, "typical"_v = model.typical, "ms"_v = model.ms(model.spec_ms()),
                                           "usual"_v = held_up > 0 ? model.ms(held_up) : Message());
    const auto saving = "saving"_v = saved;
    if (model.produced < 2)
        return loop_says("commit.times:one"_t, took, saving,
                         "lost"_v = model.doubt.empty() && model.plain_ms > 0 && model.spec_ms() > model.plain_ms);
    return loop_says("commit.times:more"_t, took, "plain"_v = model.ms(model.plain_total()), saving);
}

void tell_commit(const SceneInput& input, const LoopModel& model, Story& story) {
    const Committed& e = *model.round->commit;
    const auto n = e.tokens.size();
    const Message times = commit_times(input, model);
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
        story.text = loop_says("end.problem"_t, "what"_v = view.failed->what);
        story.what_if = loop_says("end.remedy"_t, "remedy"_v = view.failed->remedy);
        return;
    }
    take(story,
         {shared_says("run.over"_t),
          loop_says("end.text"_t, "reason"_v = stop_words(view.stopped->reason), "tokens"_v = view.output_tokens, "rounds"_v = view.rounds,
                    "rate"_v = view.tokens_per_round(), "nothing"_v = view.drafted == 0, "kept"_v = view.accepted_drafts,
                    "guesses"_v = view.drafted > 1 ? view.drafted : 0, "one_kept"_v = view.drafted == 1 && view.accepted_drafts == 1,
                    "one_lost"_v = view.drafted == 1 && view.accepted_drafts != 1)});
    story.task = loop_says("end.task"_t);
    story.task_done = (input.deeds & deed_bit(Deed::scrubbed)) != 0;
}

void tell_start(const SceneInput& input, const LoopModel& model, Story& story) {
    if (!model.header) {
        if (input.status && input.status->state == EngineStatus::State::failed) {
            story.heading = loop_says("start.failed"_t);
            story.text = loop_says("end.problem"_t, "what"_v = input.status->error);
            story.what_if = loop_says("end.remedy"_t, "remedy"_v = input.status->remedy);
        } else if (input.status && input.status->state == EngineStatus::State::running)
            take(story, loop_says.beat("start:costs"_t));
        else
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

Message coin_caption(const LoopModel& model) {
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

Message saving_words(const LoopModel& model) {
    if (!model.settled || !model.timed() || model.drafted == 0) return {};
    const bool sure = model.doubt.empty(); // else there is no figure
    const double spec = model.spec_ms(), plain = model.plain_total();
    // Of the two as they are printed, so that whoever takes one from the other gets this.
    const double digit = std::pow(10, model.ms_decimals());
    const double apart = std::abs(std::round(plain * digit) - std::round(spec * digit)) / digit;
    // One token takes a pass either way: drafting and the rows of the guesses came on top of it. Where that
    // was no longer than a plain pass, it was so by chance.
    if (model.produced < 2) {
        if (sure && plain > 0 && spec > plain && apart > 0) return loop_says("saving.later"_t, "ms"_v = model.ms(apart));
        return loop_says("saving.drafting"_t, "ms"_v = model.ms(model.round->draft_ms));
    }
    if (plain <= 0 || !sure) return {};
    return loop_says("saving.told"_t, "ms"_v = model.ms(apart), "saved"_v = spec <= plain, "times"_v = plain / spec);
}

namespace {

// In the middle of the verdicts.
Message judging_title(const LoopModel& model) {
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

Message loop_title(const LoopModel& model) {
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

Message place_words(const LoopModel& model) {
    const int at = model.selected + 1;
    if (!model.tree) return loop_says("place.chain"_t, "at"_v = at);
    return model.selected < model.drafted ? loop_says("place.tree"_t, "at"_v = at) : loop_says("place.bonus"_t);
}

Message loop_subtitle(const SceneInput& input, const LoopModel& model, const Message& saving) {
    if (!model.header) {
        const Message job = input.status ? job_words(input.status->job) : Message();
        return job.empty() ? loop_says("subtitle.waiting"_t) : loop_says("subtitle.job"_t, "job"_v = job);
    }
    const Header& h = *model.header;
    const double drafts = h.draft_sampling.temperature;
    const bool other = !model.greedy && drafts != h.sampling.temperature;
    return loop_says("subtitle.run"_t, "round"_v = model.round ? model.round->round + 1 : 0, "phase"_v = phase_name(model),
                     "plain"_v = model.plain(), "drafter"_v = model.plain() ? "" : h.drafter, "rule"_v = h.rule,
                     "k"_v = h.k_auto ? loop_says("subtitle.k:auto"_t) : loop_says("subtitle.k:fixed"_t, "k"_v = h.k),
                     "temperature"_v = h.sampling.temperature, "greedy"_v = model.greedy, "likeliest"_v = other && drafts == 0,
                     "drafts"_v = other && drafts > 0 ? std::optional(drafts) : std::nullopt, "top_k"_v = std::max(0, h.sampling.top_k),
                     "top_p"_v = h.sampling.top_p < 1 ? std::optional<double>(h.sampling.top_p) : std::nullopt,
                     "settings"_v = setting_words(h), "seed"_v = h.seed, "fast"_v = model.fast, "saving"_v = saving);
}

Message beside_a_sign(double p) {
    const bool nearly = (p > 0 && p < 1e-5) || (p > 0.99999 && p < 1);
    return loop_says("words.beside_a_sign"_t, "p"_v = p, "nearly"_v = nearly, "printed"_v = compared_probability(p));
}

namespace {

Message fate_words(const LoopColumn& c) {
    if (c.fate == Fate::accepted) return c.rescued() ? loop_says("fate.rescued"_t) : loop_says("fate.accepted"_t);
    if (c.fate == Fate::rejected) return loop_says("fate.rejected"_t);
    return c.fate == Fate::discarded ? loop_says("fate.discarded"_t) : shared_says("guess.fate:open"_t);
}

} // namespace

namespace {

std::string part_name(const LoopModel& model, const LoopColumn& c) { // of two chained drafters
    const DrafterInfo* who = part_of(model.header->drafter, c.draft->by);
    return who ? who->name : "";
}

} // namespace

Message guess_words(const SceneInput& input, const LoopModel& model, int column) {
    const LoopColumn& c = model.columns[static_cast<std::size_t>(column)];
    const Checked none, &check = c.check ? *c.check : none;
    Message coin;
    if (check.u && throws_coins(model.rule))
        coin = loop_says("guess.coin"_t, "coin"_v = beside_a_sign(*check.u), "set"_v = check.set, "under"_v = *check.u < check.threshold,
                         "threshold"_v = beside_a_sign(std::min(1.0, check.threshold)));
    return loop_says("guess.told"_t, "guess"_v = column + 1, "parent"_v = model.tree ? c.parent + 1 : 0,
                     "token"_v = token_said(*input.trace, c.draft->token), "id"_v = c.draft->token, "draft"_v = c.q, "target"_v = c.p,
                     "coin"_v = coin, "drawn"_v = c.draft->u, "forced"_v = c.draft->forced(), "by"_v = part_name(model, c),
                     "extra"_v = c.draft->forced() ? Message() : source_words(c.draft->extra),
                     "certain"_v = model.rule == RuleKind::certain, "mixture"_v = chance_of(check.mixture),
                     "prefix"_v = chance_of(check.prefix_coefficient), "limit"_v = check.typical_threshold,
                     "took"_v = model.timed() && c.ms > 0 ? model.ms(c.ms) : Message(), "fate"_v = fate_words(c),
                     "selected"_v = column == model.selected);
}

Message own_token_words(const SceneInput& input, const LoopModel& model) {
    const TargetToken& own = *model.own;
    const auto say = [&](auto id) {
        return loop_says(id, "token"_v = token_said(*input.trace, own.token), "p"_v = std::exp(own.p), "coin"_v = own.u);
    };
    if (model.own_dropped) return say("own_row.told:dropped"_t);
    if (own.from == TargetToken::From::residual) return say("own_row.told:residual"_t);
    return own.from == TargetToken::From::bonus ? say("own_row.told:bonus"_t) : say("own_row.told:target"_t);
}

Message strip_shares(const SceneInput& input, const TargetToken& own) {
    std::vector<Said> shares;
    double others = 0;
    const auto skip = [&] {
        if (others >= 0.005) shares.push_back(loop_says("strip.share:others"_t, "p"_v = others).said);
        others = 0;
    };
    for (const Share& share : shares_of(own.top, own.token, own.u)) {
        if (share.id < 0 || (share.p < 0.01 && share.id != own.token)) {
            others += share.p;
            continue;
        }
        skip();
        shares.push_back(loop_says("strip.share:token"_t, "token"_v = token_said(*input.trace, share.id), "p"_v = share.p).said);
    }
    skip();
    return loop_says("strip.told"_t, "shares"_v = shares);
}

Message head_words(const LoopModel& model) {
    const DrafterInfo* info = model.drafter;
    return info && info->tree && info->at_once() ? loop_says("clock.search"_t) : loop_says("clock.head"_t);
}

Message clock_words(const LoopModel& model) {
    std::vector<Said> phases;
    const auto add = [&](auto phase, double ms) { phases.push_back(loop_says(phase, "ms"_v = model.ms(ms)).said); };
    if (model.drafted > 0 || model.ms(model.round->draft_ms) != model.ms(0)) add("clock.phase:draft"_t, model.round->draft_ms);
    if (model.round->verify) add("clock.phase:verify"_t, model.round->verify_ms);
    if (model.settled) add("clock.phase:rest"_t, model.other_ms);
    return loop_says("clock.told"_t, "phases"_v = phases, "plain"_v = model.plain_ms > 0 ? model.ms(model.plain_ms) : Message(),
                     "saving"_v = saving_words(model));
}

Story loop_story(const SceneInput& input, const LoopModel& model) {
    Story story;
    story.on_back = {Go{Move::back}};
    story.on_next = {Go{Move::step}};
    if (input.cursor <= 1) story.no_back = shared_says("run.first_step"_t);
    if (input.view->stopped || input.view->failed) story.no_next = shared_says("run.over"_t);
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
