// Words of S15: a title for each of its beats, and the beats.
#include <algorithm>
#include <cmath>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/words.h"
#include "scenes/systems/adaptive_draw.h"
#include "scenes/systems/audits_draw.h"
#include "scenes/systems/systems_draw.h"

namespace speclens {
namespace {

Words waste_beat(const SystemsModel& m) {
    if (m.rounds.empty()) return systems_says.beat("waste:no_rounds"_t);
    const auto written = "written"_v = m.written;
    const auto kept = "kept"_v = m.kept;
    if (m.tier == "REMOTE") return systems_says.beat("waste:server"_t, written, kept);
    if (m.tier == "TABLE") return systems_says.beat("waste:table"_t, written, kept);
    if (m.written == m.kept) return systems_says.beat("waste:nothing"_t, written, kept);
    return systems_says.beat("waste:rows"_t, written, kept);
}

Words wire_beat(const SystemsModel& m) {
    const WireTotals& t = m.measured;
    if (!t.any()) return systems_says.beat("wire:simulated"_t);
    return systems_says.beat("wire:measured"_t, "draft"_v = m.measured_draft_ms, "ms"_v = t.per_round(t.ms),
                             "server"_v = t.knows_server() ? if_measured(t.per_round(t.server_ms)) : std::nullopt, "ahead"_v = t.ahead,
                             "wasted"_v = t.wasted());
}

Words beat_words(const SystemsModel& m, int beat) {
    switch (beat) {
    case 0: return systems_says.beat("slots"_t);
    case 1: return waste_beat(m);
    case kWireBeat: return wire_beat(m);
    case 3: return systems_says.beat("round_trip"_t);
    case kTablesBeat: return m.film ? systems_says.beat("tables:batch"_t) : systems_says.beat("tables:no_batch"_t);
    case kWorkersBeat: return m.pool ? systems_says.beat("workers:pool"_t) : systems_says.beat("workers:no_pool"_t);
    case kChoosersBeat: return m.adaptive ? systems_says.beat("choosers:batches"_t) : systems_says.beat("choosers:no_batches"_t);
    case kAuditsBeat: return systems_says.beat("audits"_t);
    default:
        return systems_says.beat("controller"_t, "formula"_v = m.controllers.formula_speedup, "article"_v = m.controllers.article_speedup);
    }
}

// Of the round that is marked.
Message round_words(const SystemsModel& m) {
    if (m.rounds.empty()) return systems_says("slots.title:no_rounds"_t);
    const auto round = "round"_v = m.rounds[m.shown].round + 1;
    const auto written = "written"_v = m.rounds[m.shown].written;
    const auto kept = "kept"_v = m.rounds[m.shown].kept;
    if (m.tier == "TABLE") return systems_says("slots.title:table"_t, round, written, kept);
    if (m.tier == "REMOTE") return systems_says("slots.title:server"_t, round, written, kept);
    return systems_says("slots.title:rows"_t, round, written, kept);
}

// Of all rounds.
Message waste_words(const SystemsModel& m) {
    if (m.rounds.empty()) return systems_says("waste.title:no_rounds"_t);
    const auto lost = "lost"_v = m.written - m.kept;
    const auto written = "written"_v = m.written;
    if (m.tier == "TABLE") return systems_says("waste.title:table"_t, lost, written);
    if (m.tier == "REMOTE") return systems_says("waste.title:server"_t, lost, written);
    return systems_says("waste.title:rows"_t, lost, written);
}

void name_wire(StageTitle& title, const SystemsModel& m) {
    const WireTotals& t = m.measured;
    if (t.any()) {
        const auto sent = "sent"_v = bytes_words(t.per_round(static_cast<double>(t.sent)));
        const auto received = "received"_v = bytes_words(t.per_round(static_cast<double>(t.received)));
        const auto ms = "ms"_v = t.per_round(t.ms);
        title.tier = ui::Tier::remote;
        title.title = systems_says("wire.title:measured"_t, sent, received, ms);
        title.short_title = systems_says("wire.short_title:measured"_t, sent, received, ms);
        title.subtitle = systems_says("subtitle.measured"_t, "rounds"_v = t.rounds);
        return;
    }
    const auto ids = "ids"_v = wire_speedup(m.wire, Payload::ids);
    const auto token = "token"_v = wire_speedup(m.wire, Payload::scalars);
    const auto blocks = "blocks"_v = wire_speedup(m.wire, Payload::rows);
    title.title = systems_says("wire.title:simulated"_t, ids, token, blocks);
    title.short_title = systems_says("wire.short_title:simulated"_t, ids, token, blocks);
}

// Behind what stands in for a batch: when there will be one.
Message batch_to_come(const SceneInput& input) {
    if (Message problem = batch_problem(input); !problem.empty()) return problem;
    if (input.status && !input.status->timed_model.empty()) return systems_says("subtitle.decoding"_t, "done"_v = input.status->timed);
    return systems_says("subtitle.ask"_t);
}
Message batch_here_to_come(const SceneInput& input) {
    return is_elsewhere(input) ? systems_says("subtitle.elsewhere"_t) : batch_to_come(input);
}

// Of the batch that was decoded here.
void name_tables(StageTitle& title, const SceneInput& input, const SystemsModel& m) {
    if (!m.film) {
        title.tier = tier_of(input.whole->header);
        title.title = systems_says("tables.title:no_batch"_t);
        title.subtitle = systems_says("subtitle.one_text"_t, "to_come"_v = batch_here_to_come(input));
        return;
    }
    const BlockFilm& film = *m.film;
    const FilmRound& round = film.rounds[m.film_round];
    title.tier = ui::Tier::live;
    title.title = systems_says("tables.title:batch"_t, "round"_v = m.film_round + 1, "used"_v = round.used(true), "blocks"_v = film.blocks,
                               "drafts"_v = round.for_drafts(), "gave_up"_v = round.preempted());
    const Header* const run = input.whole->header;
    title.subtitle = systems_says("subtitle.batch"_t, "texts"_v = film.texts, "drafter"_v = film.drafter, "k"_v = film.k,
                                  "own"_v = run && run->drafter == film.drafter && run->k != film.k ? std::optional(run->k) : std::nullopt,
                                  "kilobytes"_v = film.block_bytes / 1000);
}

// Of the batches that were decoded here.
void name_choosers(StageTitle& title, const SceneInput& input, const SystemsModel& m) {
    if (!m.adaptive) {
        title.title = systems_says("choosers.title:no_batches"_t);
        title.subtitle = systems_says("subtitle.no_batches"_t, "to_come"_v = batch_here_to_come(input));
        return;
    }
    const AdaptiveResult& result = *m.adaptive;
    const AdaptiveWay* const fixed = result.best_fixed();
    const auto times = [&](const AdaptiveWay* way) { return way ? std::optional(result.speed_up(*way).value) : std::nullopt; };
    const Message doubt = adaptive_doubt(result);
    title.tier = ui::Tier::live;
    title.title = systems_says("choosers.title:no_batches"_t);
    if (result.complete && doubt.empty() && fixed)
        title.title = systems_says("choosers.title:batches"_t, "gain"_v = times(result.way(Chooser::gain)),
                                   "article"_v = times(result.way(Chooser::article)), "k"_v = fixed->k, "fixed"_v = times(fixed));
    title.subtitle = systems_says("subtitle.batches"_t, "texts"_v = result.texts, "seats"_v = result.seats, "drafter"_v = result.drafter,
                                  "doubt"_v = doubt);
}

// Of the draft workers that ran here, or of the simulated ones.
void name_workers(StageTitle& title, const SceneInput& input, const SystemsModel& m) {
    const PoolFilm& pool = m.workers();
    title.title = systems_says("workers.title"_t, "workers"_v = pool.workers.size(), "rate"_v = pool.tokens_per_second(),
                               "passes"_v = pool.at_once());
    title.subtitle =
        systems_says("subtitle.no_pool"_t, "to_come"_v = is_elsewhere(input) ? batch_to_come(input) : systems_says("subtitle.here"_t));
    if (!m.pool) return;
    title.tier = ui::Tier::remote;
    title.subtitle = systems_says("subtitle.pool"_t, "target"_v = pool.target);
}

void name_audits(StageTitle& title, const SceneInput& input) {
    title.tier = ui::Tier::published;
    title.subtitle = systems_says("audits.subtitle"_t);
    const std::vector<Audit> all = audits(input.figures);
    if (all.empty()) {
        title.title = systems_says("audits.title:no_figures"_t);
        return;
    }
    const AuditEnds ends = ends_of(all.front());
    title.title = systems_says("audits.title:figures"_t, "few"_v = std::lround(ends.first_at), "slower"_v = ends.first,
                               "many"_v = std::lround(ends.last_at), "faster"_v = ends.last);
}

void name_controllers(StageTitle& title, const SystemsModel& m) {
    const ControllerRun& run = m.controllers;
    const auto formula = "formula"_v = run.formula_speedup;
    const auto article = "article"_v = run.article_speedup;
    title.title =
        systems_says("controller.title"_t, "formula_k"_v = run.formula.back(), "article_k"_v = run.article.back(), formula, article);
    title.short_title = systems_says("controller.short_title"_t, formula, article);
}

} // namespace

StageTitle systems_title(const SceneInput& input, const SystemsModel& m) {
    StageTitle title;
    title.tier = ui::Tier::sim;
    switch (std::clamp(input.beat, 0, kSystemsBeats - 1)) {
    case 0: title.title = round_words(m); break;
    case 1: title.title = waste_words(m); break;
    case kWireBeat:
        name_wire(title, m);
        if (m.measured.any()) return title;
        break;
    case 3: title.title = systems_says("round_trip.title"_t, "most"_v = if_measured(longest_round_trip(m.wire, Payload::ids))); break;
    case kTablesBeat: name_tables(title, input, m); return title;
    case kChoosersBeat: name_choosers(title, input, m); return title;
    case kAuditsBeat: name_audits(title, input); return title;
    case kWorkersBeat: name_workers(title, input, m); return title;
    default: name_controllers(title, m);
    }
    title.subtitle =
        systems_says("subtitle.simulated"_t, "k"_v = m.wire.k, "guess"_v = m.wire.draft_ms, "pass"_v = m.wire.verify_ms,
                     "ids"_v = m.wire.vocabulary, "own"_v = m.own_times, "own_cache"_v = m.tier != "REMOTE" && m.tier != "TABLE");
    return title;
}

Story systems_story(const SceneInput& input, const SystemsModel& m) {
    Story story = story_at_beat(input, kSystemsBeats);
    take(story, beat_words(m, story.step - 1));
    return story;
}

} // namespace speclens
