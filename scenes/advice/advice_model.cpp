#include "scenes/advice/advice_model.h"

#include <algorithm>
#include <cmath>

#include "engine/run/speed_up.h"
#include "scenes/shared/cycle_pick.h"
#include "scenes/shared/head_scene.h"
#include "scenes/shared/plain_time.h"
#include "scenes/shared/run_controls.h"

namespace speclens {
namespace {

constexpr double kSeconds = 40, kStillSeconds = 6; // in the window; for a picture

Message why_impossible(const SceneInput& input) {
    if (Message why = no_models(input); !why.empty()) return why;
    return untimed_passes(input);
}

// What the server that is attached counted, and how fast it answered what it was asked from here. Our own engine behind an address
// decodes plainly as fast as was measured here.
std::optional<ServedAdvice> on_server(const SceneInput& input, const AdviceState& state) {
    if (!input.server || input.server->state != ServerView::State::attached) return {};
    const ServerView& view = *input.server;
    SpecCounts counts = view.watch.whole().counts; // since it is watched, else since its start, else of the last answer
    if (counts.empty() && !view.watch.empty()) counts = view.watch.last().counts.value_or(SpecCounts());
    if (counts.empty() && view.served) counts = view.served->counts.value_or(SpecCounts());
    if (counts.empty()) return {};
    ServedEvidence evidence;
    evidence.rounds = counts.rounds.value_or(0);
    evidence.drafted = counts.drafted;
    evidence.accepted = counts.accepted;
    evidence.accepted_at = all_places(counts);
    evidence.shape = draft_shape(counts);
    evidence.text = text_totals(counts);
    for (const double ms : view.token_ms) evidence.prompts.push_back({ms, {}});
    if (state.plain_rate > 0)
        evidence.reported_plain_rate = state.plain_rate;
    else if (view.own && input.advice && input.advice->plain_ms > 0)
        evidence.reported_plain_rate = 1000 / input.advice->plain_ms;
    return advise_on(evidence);
}

} // namespace

AdviceModel advice_model(const SceneInput& input, const AdviceState& state) {
    AdviceModel m;
    m.impossible = why_impossible(input);
    m.served = on_server(input, state);
    m.advice = input.advice.get();
    if (!m.advice) return m;
    m.under_way = !m.advice->complete;
    m.done = input.status ? input.status->timed : 0;
    m.verdict = verdict_of(*m.advice);
    m.best = best_of_each(*m.advice);
    m.in_doubt = m.advice->busy_cores > kMostBusyCores;
    if (m.best.empty()) return m;
    const auto marked = std::ranges::find_if(m.best, [&](const AdviceCell* cell) { return cell->drafter == state.marked; });
    m.marked = marked != m.best.end() ? *marked : m.best.front();
    for (const AdviceCell& cell : m.advice->cells)
        if (cell.drafter == m.marked->drafter) m.lengths.push_back(&cell);
    return m;
}

std::vector<PlainRatePoint> by_plain_rate(const AdviceCell& cell, double plain_ms) {
    std::vector<PlainRatePoint> points;
    if (plain_ms <= 0) return points;
    const double passes = cell.verify_ms / plain_ms, own = cell.draft_ms + cell.other_ms;
    for (int step = -24; step <= 24; ++step) { // a factor of eight either way
        const double ms = plain_ms * std::pow(2.0, -step / 8.0);
        points.push_back({1000 / ms, cell.tokens_per_round * ms / (own + passes * ms)});
    }
    return points;
}

Command ask_advice(const SceneInput& input) {
    AskAdvice ask;
    if (input.settings) ask.base = *input.settings;
    ask.base.max_tokens = std::min(ask.base.max_tokens, 64);
    ask.seconds = input.still ? kStillSeconds : kSeconds;
    return ask;
}

Command run_marked(const SceneInput& input, const AdviceModel& model) {
    RunSettings settings = with_drafter(*input.settings, model.marked->drafter);
    settings = with_draft_length(settings, model.marked->k);
    return Restart{settings, kUnlimitedPhases};
}

} // namespace speclens
