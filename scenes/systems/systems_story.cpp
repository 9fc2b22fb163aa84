// Words of S15: a title for each of its beats, the beats, and the frame as text.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/words.h"
#include "scenes/systems/adaptive_draw.h"
#include "scenes/systems/audits_draw.h"
#include "scenes/systems/block_tables.h"
#include "scenes/systems/systems_draw.h"
#include "scenes/systems/workers_draw.h"
#include "ui/format.h"

namespace speclens {
namespace {

Words waste_beat(const SystemsModel& m) {
    if (m.rounds.empty()) return systems_says.beat("waste:no_rounds"_t);
    const std::string written = ui::integer(m.written), kept = ui::integer(m.kept);
    if (m.tier == "REMOTE") return systems_says.beat("waste:server"_t, "written"_v = written, "kept"_v = kept);
    if (m.tier == "TABLE") return systems_says.beat("waste:table"_t, "written"_v = written, "kept"_v = kept);
    if (m.written == m.kept) return systems_says.beat("waste:nothing"_t, "written"_v = written, "kept"_v = kept);
    return systems_says.beat("waste:rows"_t, "written"_v = written, "kept"_v = kept);
}

// Of a mean round of this run, as the picture has it.
struct MeasuredRound {
    std::string sent, received, ms, draft, server; // bytes and ms; the server's own: empty where it does not say
};
MeasuredRound measured_round(const SystemsModel& m) {
    const WireTotals& t = m.measured;
    return {bytes_words(t.per_round(static_cast<double>(t.sent))), bytes_words(t.per_round(static_cast<double>(t.received))),
            ui::number(t.per_round(t.ms), 1), ui::number(m.measured_draft_ms, 1),
            t.knows_server() && t.server_ms > 0 ? ui::number(t.per_round(t.server_ms), 1) : ""};
}

Words wire_beat(const SystemsModel& m) {
    if (!m.measured.any()) return systems_says.beat("wire:simulated"_t);
    const MeasuredRound round = measured_round(m);
    return systems_says.beat("wire:measured"_t, "draft"_v = round.draft, "ms"_v = round.ms, "server"_v = round.server,
                             "ahead"_v = m.measured.ahead, "wasted"_v = m.measured.wasted());
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
        return systems_says.beat("controller"_t, "formula"_v = ui::speed_up(m.controllers.formula_speedup),
                                 "article"_v = ui::speed_up(m.controllers.article_speedup));
    }
}

// Of the round that is marked.
std::string round_words(const SystemsModel& m) {
    if (m.rounds.empty()) return systems_says("slots.title:no_rounds"_t);
    const CacheRound& round = m.rounds[m.shown];
    const int number = round.round + 1;
    if (m.tier == "TABLE")
        return systems_says("slots.title:table"_t, "round"_v = number, "written"_v = round.written, "kept"_v = round.kept);
    if (m.tier == "REMOTE")
        return systems_says("slots.title:server"_t, "round"_v = number, "written"_v = round.written, "kept"_v = round.kept);
    return systems_says("slots.title:rows"_t, "round"_v = number, "written"_v = round.written, "kept"_v = round.kept);
}

// Of all rounds.
std::string waste_words(const SystemsModel& m) {
    if (m.rounds.empty()) return systems_says("waste.title:no_rounds"_t);
    const std::string lost = m.written == m.kept ? "" : ui::integer(m.written - m.kept), written = ui::integer(m.written);
    if (m.tier == "TABLE") return systems_says("waste.title:table"_t, "lost"_v = lost, "written"_v = written);
    if (m.tier == "REMOTE") return systems_says("waste.title:server"_t, "lost"_v = lost, "written"_v = written);
    return systems_says("waste.title:rows"_t, "lost"_v = lost, "written"_v = written);
}

std::string round_trip_words(const SystemsModel& m) {
    const double most = longest_round_trip(m.wire, Payload::ids);
    return systems_says("round_trip.title"_t, "most"_v = most > 0 ? ui::number(most, 1) : "");
}

void name_wire(StageTitle& title, const SystemsModel& m) {
    if (m.measured.any()) {
        const MeasuredRound round = measured_round(m);
        title.tier = ui::Tier::remote;
        title.title = systems_says("wire.title:measured"_t, "sent"_v = round.sent, "received"_v = round.received, "ms"_v = round.ms);
        title.short_title =
            systems_says("wire.short_title:measured"_t, "sent"_v = round.sent, "received"_v = round.received, "ms"_v = round.ms);
        title.subtitle = systems_says("subtitle.measured"_t, "rounds"_v = m.measured.rounds);
        return;
    }
    const std::string ids = ui::speed_up(wire_speedup(m.wire, Payload::ids)), token = ui::speed_up(wire_speedup(m.wire, Payload::scalars)),
                      blocks = ui::speed_up(wire_speedup(m.wire, Payload::rows));
    title.title = systems_says("wire.title:simulated"_t, "ids"_v = ids, "token"_v = token, "blocks"_v = blocks);
    title.short_title = systems_says("wire.short_title:simulated"_t, "ids"_v = ids, "token"_v = token, "blocks"_v = blocks);
}

// Behind what stands in for a batch: when there will be one.
std::string batch_to_come(const SceneInput& input) {
    if (const std::string problem = batch_problem(input); !problem.empty()) return problem;
    if (input.status && !input.status->timed_model.empty())
        return systems_says("subtitle.decoding"_t, "done"_v = ui::percent(input.status->timed));
    return systems_says("subtitle.ask"_t);
}

// Of the batch that was decoded here.
void name_tables(StageTitle& title, const SceneInput& input, const SystemsModel& m) {
    if (!m.film) {
        title.tier = tier_of(input.whole->header);
        title.title = systems_says("tables.title:no_batch"_t);
        title.subtitle = systems_says("subtitle.one_text"_t,
                                      "to_come"_v = m.tier == "REMOTE" ? systems_says("subtitle.elsewhere"_t) : batch_to_come(input));
        return;
    }
    const BlockFilm& film = *m.film;
    const FilmRound& round = film.rounds[m.film_round];
    title.tier = ui::Tier::live;
    title.title = systems_says("tables.title:batch"_t, "round"_v = static_cast<int>(m.film_round) + 1, "used"_v = round.used(true),
                               "blocks"_v = film.blocks, "drafts"_v = round.for_drafts(), "gave_up"_v = round.preempted());
    const Header* const run = input.whole->header;
    title.subtitle = systems_says("subtitle.batch"_t, "texts"_v = film.texts, "drafter"_v = film.drafter, "k"_v = film.k,
                                  "own"_v = run && run->drafter == film.drafter && run->k != film.k ? std::to_string(run->k) : "",
                                  "kilobytes"_v = ui::integer(static_cast<long>(film.block_bytes / 1000)));
}

// Of the batches that were decoded here.
void name_choosers(StageTitle& title, const SceneInput& input, const SystemsModel& m) {
    if (!m.adaptive) {
        title.title = systems_says("choosers.title:no_batches"_t);
        title.subtitle = systems_says("subtitle.no_batches"_t,
                                      "to_come"_v = m.tier == "REMOTE" ? systems_says("subtitle.elsewhere"_t) : batch_to_come(input));
        return;
    }
    const AdaptiveResult& result = *m.adaptive;
    const AdaptiveWay* const fixed = result.best_fixed();
    const auto times = [&](const AdaptiveWay* way) { return way ? ui::speed_up(result.speed_up(*way).value) : std::string("…"); };
    const std::string doubt = adaptive_doubt(result);
    title.tier = ui::Tier::live;
    title.title = systems_says("choosers.title:no_batches"_t);
    if (result.complete && doubt.empty())
        title.title = systems_says("choosers.title:batches"_t, "gain"_v = times(result.way(Chooser::gain)),
                                   "article"_v = times(result.way(Chooser::article)), "k"_v = fixed->k, "fixed"_v = times(fixed));
    title.subtitle = systems_says("subtitle.batches"_t, "texts"_v = result.texts, "seats"_v = result.seats, "drafter"_v = result.drafter,
                                  "doubt"_v = doubt);
}

// Of the draft workers that ran here.
void name_workers(StageTitle& title, const SceneInput& input, const SystemsModel& m) {
    if (!m.pool) {
        const PoolFilm& pool = m.simulated;
        title.title = systems_says("workers.title:no_pool"_t, "workers"_v = static_cast<int>(pool.workers.size()),
                                   "rate"_v = ui::number(pool.tokens_per_second(), 0), "passes"_v = ui::number(pool.at_once(), 1));
        title.subtitle =
            systems_says("subtitle.no_pool"_t, "to_come"_v = m.tier == "REMOTE" ? batch_to_come(input) : systems_says("subtitle.here"_t));
        return;
    }
    const PoolFilm& pool = *m.pool;
    title.tier = ui::Tier::remote;
    title.title = systems_says("workers.title:pool"_t, "workers"_v = static_cast<int>(pool.workers.size()),
                               "rate"_v = ui::number(pool.tokens_per_second(), 0), "passes"_v = ui::number(pool.at_once(), 1));
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
    title.title =
        systems_says("audits.title:figures"_t, "few"_v = ui::integer(std::lround(ends.first_at)), "slower"_v = ui::speed_up(ends.first),
                     "many"_v = ui::integer(std::lround(ends.last_at)), "faster"_v = ui::speed_up(ends.last));
}

void name_controllers(StageTitle& title, const SystemsModel& m) {
    const ControllerRun& run = m.controllers;
    const std::string formula = ui::speed_up(run.formula_speedup), article = ui::speed_up(run.article_speedup);
    title.title = systems_says("controller.title"_t, "formula_k"_v = run.formula.back(), "article_k"_v = run.article.back(),
                               "formula"_v = formula, "article"_v = article);
    title.short_title = systems_says("controller.short_title"_t, "formula"_v = formula, "article"_v = article);
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
    case 3: title.title = round_trip_words(m); break;
    case kTablesBeat: name_tables(title, input, m); return title;
    case kChoosersBeat: name_choosers(title, input, m); return title;
    case kAuditsBeat: name_audits(title, input); return title;
    case kWorkersBeat: name_workers(title, input, m); return title;
    default: name_controllers(title, m);
    }
    title.subtitle = systems_says("subtitle.simulated"_t, "k"_v = m.wire.k, "guess"_v = ui::number(m.wire.draft_ms, 1),
                                  "pass"_v = ui::number(m.wire.verify_ms, 0), "ids"_v = ui::integer(m.wire.vocabulary),
                                  "own"_v = m.own_times, "own_cache"_v = m.tier != "REMOTE" && m.tier != "TABLE");
    return title;
}

Story systems_story(const SceneInput& input, const SystemsModel& m) {
    Story story = story_at_beat(input, kSystemsBeats);
    const Words words = beat_words(m, story.step - 1);
    story.heading = words.heading;
    story.text = words.text;
    return story;
}

std::string systems_description(const SceneInput& input, const SystemsModel& m) {
    std::ostringstream out;
    const StageTitle title = systems_title(input, m);
    out << title.title << "\n" << title.subtitle << "\nData: " << tier_name(shown_tier(input, title.tier)) << "\n\n";
    out << "If every guess stays with " << ui::probability(m.wire.alpha) << " whatever is sent:\n";
    for (const Payload payload : kPayloads)
        out << payload_words(payload) << ": " << std::lround(wire_bytes(m.wire, payload)) << " bytes, wire "
            << ui::number(wire_ms(m.wire, payload), 3) << " ms, " << ui::speed_up(wire_speedup(m.wire, payload)) << "\n";
    if (m.measured.any())
        out << "This run, a round, measured [REMOTE]: sent " << std::lround(m.measured.per_round(static_cast<double>(m.measured.sent)))
            << " bytes, received " << std::lround(m.measured.per_round(static_cast<double>(m.measured.received))) << ", away "
            << ui::number(m.measured.per_round(m.measured.ms), 3) << " ms; drafted ahead " << m.measured.ahead << ", wasted "
            << m.measured.wasted() << "\n";
    out << "Controllers: article " << ui::speed_up(m.controllers.article_speedup) << ", ends at K = " << m.controllers.article.back()
        << "; formula " << ui::speed_up(m.controllers.formula_speedup) << ", ends at K = " << m.controllers.formula.back() << "\n";
    for (const CacheRound& round : m.rounds)
        out << "Round " << round.round + 1 << (&round == &m.rounds[m.shown] ? " (marked): " : ": ") << round.before << " rows before, "
            << round.written << " written, " << round.kept << " kept, " << round.rewound() << " rewound; pages of " << m.page << ": "
            << pages_of(round, m.page).during << " held, " << pages_of(round, m.page).given_back() << " given back\n";
    if (m.film) out << describe_block_tables(*m.film, m.film_round);
    if (m.adaptive) out << describe_adaptive(*m.adaptive);
    if (m.pool || input.beat == kWorkersBeat) out << describe_workers(m.workers());
    if (input.beat == kAuditsBeat) out << describe_audits(input.figures);
    out << "\n" << describe_story(input, systems_story(input, m));
    return out.str();
}

} // namespace speclens
