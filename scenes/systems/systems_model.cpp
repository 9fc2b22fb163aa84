#include "scenes/systems/systems_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/quantile.h"
#include "engine/base/rng.h"
#include "engine/batch/sweep.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/plain_time.h"
#include "scenes/shared/speedup_model.h"
#include "scenes/systems/simulated_pool.h"

namespace speclens {
namespace {

double round_ms(const SimulatedWire& wire, int k) { return k * wire.draft_ms + wire.verify_ms + wire.round_trip_ms; }

} // namespace

int draw_accepted(double alpha, int k, std::uint64_t seed, std::uint32_t round) {
    int accepted = 0;
    while (accepted < k &&
           uniform({.seed = seed, .position = round, .purpose = Purpose::accept, .lane = static_cast<std::uint32_t>(accepted)}) < alpha)
        ++accepted;
    return accepted;
}

double wire_bytes(const SimulatedWire& wire, Payload payload) {
    const double ids = 4.0 * wire.k;
    switch (payload) {
    case Payload::ids: return ids;
    case Payload::scalars: return 2 * ids + (1 - std::pow(wire.alpha, wire.k)) * 4.0 * wire.vocabulary;
    case Payload::rows: break;
    }
    return ids + 4.0 * wire.k * wire.vocabulary;
}

double wire_ms(const SimulatedWire& wire, Payload payload) {
    return wire.round_trip_ms + wire_bytes(wire, payload) * 8 / (wire.gigabits * 1e9) * 1e3;
}

double wire_speedup(const SimulatedWire& wire, Payload payload) {
    return expected_tokens(wire.alpha, wire.k) * wire.verify_ms / (wire.k * wire.draft_ms + wire.verify_ms + wire_ms(wire, payload));
}

double longest_round_trip(const SimulatedWire& wire, Payload payload) {
    return (expected_tokens(wire.alpha, wire.k) - 1) * wire.verify_ms - wire.k * wire.draft_ms -
           (wire_ms(wire, payload) - wire.round_trip_ms);
}

ControllerRun run_controllers(const SimulatedWire& costs, int rounds, std::uint64_t seed) {
    ControllerRun run;
    ArticleController article;
    FormulaController formula;
    double tokens[2] = {0, 0}, ms[2] = {0, 0};
    for (int round = 0; round < rounds; ++round) {
        const double alpha = round < rounds / 3 ? 0.9 : round < 2 * rounds / 3 ? 0.6 : 0.8;
        run.alpha.push_back(alpha);
        run.article.push_back(article.k());
        run.formula.push_back(formula.k());
        const auto one = [&](int k, int i) {
            const int accepted = draw_accepted(alpha, k, seed, static_cast<std::uint32_t>(round));
            tokens[i] += accepted + 1;
            ms[i] += round_ms(costs, k);
            return accepted;
        };
        (void)article.update(one(article.k(), 0), run.article.back());
        formula.saw(one(formula.k(), 1), run.formula.back());
        (void)formula.decide([&](int k) { return round_ms(costs, k); });
    }
    run.article_speedup = ms[0] > 0 ? tokens[0] * costs.verify_ms / ms[0] : 0;
    run.formula_speedup = ms[1] > 0 ? tokens[1] * costs.verify_ms / ms[1] : 0;
    return run;
}

Pages pages_of(const CacheRound& round, int size) {
    const auto pages = [&](int rows) { return (rows + size - 1) / size; };
    const int after = round.before + round.kept;
    return {size, pages(round.before), pages(round.before + round.written), pages(after), pages(after) * size - after};
}

namespace {

std::size_t film_round(const BlockFilm& film, int asked) {
    const int last = static_cast<int>(film.rounds.size()) - 1;
    if (asked >= 0) return static_cast<std::size_t>(std::min(asked, last));
    for (std::size_t i = 0; i < film.rounds.size(); ++i)
        if (film.rounds[i].preempted() > 0) return i;
    return static_cast<std::size_t>(last / 2);
}

} // namespace

namespace {

// A model that somebody brought: what its run takes, where there is a round to tell it. The built-in one stays in a cache, and over any
// wire there would be nothing to gain, so in its place stands a model of the usual size.
void take_own_times(SystemsModel& m, const SceneInput& input, const SystemsState& state) {
    const Header* header = input.whole->header;
    if (!header || header->fingerprint.empty() || is_elsewhere(input)) return;
    std::vector<double> guesses, passes;
    for (const RoundSummary& round : input.whole->round_list) {
        if (!round.complete() || round.drafts.empty()) continue;
        guesses.push_back(round.draft_ms / static_cast<double>(round.drafts.size()));
        passes.push_back(round.verify_ms);
    }
    const double guess = median(std::move(guesses)), pass = plain_ms(input) > 0 ? plain_ms(input) : median(std::move(passes));
    if (guess <= 0 || pass <= 0) return;
    m.own_times = true;
    m.wire.verify_ms = pass;
    m.wire.vocabulary = header->vocab;
    if (!state.draft_by_hand) m.wire.draft_ms = guess;
}

} // namespace

SystemsModel systems_model(const SceneInput& input, const SystemsState& state) {
    SystemsModel m;
    m.wire = state.wire;
    if (input.whole->header) m.tier = input.whole->header->tier;
    take_own_times(m, input, state);
    for (const RoundSummary& summary : input.whole->round_list) {
        if (!summary.commit) continue;
        const Committed& e = *summary.commit;
        const CacheRound round{summary.round, e.kv_before, std::max(0, e.kv_verify - e.kv_before), std::max(0, e.kv_after - e.kv_before),
                               summary.first_event < input.cursor};
        m.written += round.written;
        m.kept += round.kept;
        if (round.seen) m.shown = m.rounds.size();
        m.given_back += pages_of(round, state.page).given_back();
        m.rounds.push_back(round);
    }
    m.measured = wire_totals(*input.whole);
    for (const RoundSummary& summary : input.whole->round_list)
        if (summary.complete() && summary.verify && summary.verify->wire) m.measured_draft_ms += m.measured.per_round(summary.draft_ms);
    m.page = state.page;
    m.controllers = run_controllers(m.wire, 600, input.settings ? input.settings->seed : 7);
    if (input.load && input.load->film && !input.load->film->rounds.empty()) {
        m.film = input.load->film.get();
        m.film_round = film_round(*m.film, state.film_round);
    }
    if (input.load && input.load->adaptive && !input.load->adaptive->ways.front().rates.empty()) m.adaptive = input.load->adaptive.get();
    if (input.load && input.load->pool)
        m.pool = input.load->pool.get();
    else if (input.beat == kWorkersBeat)
        m.simulated = simulated_pool(m.wire, state.workers, input.settings ? input.settings->seed : 7);
    return m;
}

bool is_elsewhere(const SceneInput& input) { return input.whole->header && input.whole->header->tier == "REMOTE"; }

MeasureLoad batch_asked(const SceneInput& input, const SystemsState& state) {
    MeasureLoad ask = batch_to_decode(input);
    if (is_elsewhere(input)) ask.texts = {state.workers};
    return ask;
}

Message batch_refused(const SceneInput& input) {
    if (input.beat == kWorkersBeat && !is_elsewhere(input)) return systems_says("controls.here"_t);
    return batch_problem(input);
}

RoundWindow rounds_around(std::size_t shown, std::size_t rounds, std::size_t fits) {
    if (rounds <= fits) return {0, rounds};
    const std::size_t first = std::min(shown - std::min(shown, fits / 2), rounds - fits);
    return {first, first + fits};
}

} // namespace speclens
