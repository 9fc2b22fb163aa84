#include "scenes/systems/workers_draw.h"

#include <algorithm>

#include "scenes/shared/panel.h"
#include "scenes/systems/block_tables.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

constexpr float kName = 108; // width

Message worker_name(const PoolFilm& film, std::size_t worker) {
    return systems_says("worker.name"_t, "letter"_v = text_letter(static_cast<int>(worker)), "drafter"_v = film.workers[worker].drafter);
}

Message worker_error(const PoolWorker& worker) {
    return worker.state == PoolWorker::State::failed ? systems_says("worker.failed"_t, "why"_v = worker.error) : Message();
}

// What of a round lies in the span: drafting, the way, the target's own part, and the wait for its turn here.
std::vector<ui::Segment> segments_of(const PoolWorker& worker, const PoolSpan& span) {
    std::vector<ui::Segment> segments;
    const auto add = [&](double from, double to, Role role, std::string label) {
        from = std::max(from, span.from), to = std::min(to, span.to);
        if (to > from) segments.push_back({.start = from, .length = to - from, .role = role, .label = std::move(label)});
    };
    for (const WorkerRound& round : worker.rounds) {
        add(round.from_ms, round.asked_ms, Role::draft, std::to_string(round.drafted));
        const double server = round.wire.answered > 0 ? std::min(round.wire.server_ms, round.answered_ms - round.asked_ms) : 0;
        const double way = (round.answered_ms - round.asked_ms - server) / 2;
        add(round.asked_ms, round.asked_ms + (server > 0 ? way : 2 * way), Role::residual, "");
        add(round.asked_ms + way, round.asked_ms + way + server, Role::target, std::to_string(round.accepted));
        if (server > 0) add(round.answered_ms - way, round.answered_ms, Role::residual, "");
    }
    if (worker.state == PoolWorker::State::waiting) add(worker.since_ms, span.to, Role::residual, "");
    return segments;
}

// Two lines, words above the lane, or `narrow`: one, with the name beside it.
void draw_worker(const SystemsDraw& d, const PoolFilm& film, std::size_t number, const PoolSpan& span, const ui::Scale& x, Rect r,
                 bool narrow) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const PoolWorker& worker = film.workers[number];
    const Message error = worker_error(worker);
    const bool failed = !error.empty();
    const float base = narrow ? r.y + r.h / 2 + 5 : r.y + 14;
    cell(d.ui, {r.x, base}, worker_name(film, number), kName - 8, {t.ink, 14, Font::text_bold});
    if (failed || !narrow)
        cell(d.ui, {r.x + kName, base}, failed ? error : worker_words(worker), r.w - kName, {failed ? t.role(Role::rejected) : t.muted});
    if (failed && narrow) return;
    const float top = narrow ? r.y + 2 : r.y + 22, height = narrow ? r.h - 4 : std::clamp(r.h - 40, std::min(26.0F, r.h - 26), 48.0F);
    const std::vector<ui::Segment> segments = segments_of(worker, span);
    ui::gantt_lane(c, t, x, top, height, segments, 1);
    for (const WorkerRound& round : worker.rounds) {
        if (round.judged_ms < span.from || round.from_ms > span.to) continue;
        const float left = x(std::max(round.from_ms, span.from)), right = x(std::min(round.answered_ms, span.to));
        const Rect box{left, top, std::max(1.0F, right - left), height};
        if (!d.ui.mouse_in(box)) continue;
        ui::tooltip(d.ui, box,
                    systems_says("worker.round"_t, "drafted"_v = round.drafted, "kept"_v = round.accepted,
                                 "sent"_v = bytes_words(static_cast<double>(round.wire.sent)),
                                 "received"_v = bytes_words(static_cast<double>(round.wire.received)), "ms"_v = round.wire.ms,
                                 "again"_v = round.wire.retries > 0));
    }
}

void draw_passes(const SystemsDraw& d, Rect area, const PoolFilm& film, const PoolSpan& span, const ui::Scale& x) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    c.line({area.x, area.y - 9.5F}, {area.right(), area.y - 9.5F}, t.hairline());
    part_head(d.ui, area, systems_says("passes.title"_t),
              {systems_says("passes.under"_t, "mean"_v = film.at_once(), "workers"_v = film.workers.size())});
    const Rect plot{x(span.from), area.y + 50, x(span.to) - x(span.from), area.h - 50 - 24};
    if (plot.h < 20) return;
    const auto most = static_cast<double>(film.workers.size());
    const ui::Scale y{0, most, plot.bottom(), plot.y};
    ui::Ticks marks;
    marks.values = {0, most};
    ui::axis_y(c, t, y, plot.x, marks, {.grid_to = plot.right(), .grid = true, .label_offset = 8});
    ui::axis_x(c, t, x, plot.bottom(), ui::ticks(span.from, span.to, 5), {.unit = "ms"});
    const std::vector<PoolStep> steps = passes_at_once(film);
    ui::plotted(c, plot, ui::PlotMark::points, "", steps,
                [](const PoolStep& step) { return ui::PlotDatum{.x = step.ms, .y = static_cast<double>(step.passes)}; });
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const double from = std::max(span.from, steps[i].ms), to = std::min(span.to, i + 1 < steps.size() ? steps[i + 1].ms : film.ms);
        if (to <= from || steps[i].passes == 0) continue;
        c.fill({x(from), y(steps[i].passes), x(to) - x(from), plot.bottom() - y(steps[i].passes)}, t.role(Role::target).alpha(0.55F), 0);
    }
}

} // namespace

PoolSpan pool_span(const PoolFilm& film, float width) {
    constexpr float kRound = 48; // pixels of a round, at least
    std::size_t rounds = 0;
    for (const PoolWorker& worker : film.workers) rounds = std::max(rounds, worker.rounds.size());
    const double end = std::max(film.ms, 1e-3), fits = std::max(1.0F, width / kRound);
    if (static_cast<double>(rounds) <= fits) return {0, end};
    return {end - end * fits / static_cast<double>(rounds), end};
}

std::vector<PoolStep> passes_at_once(const PoolFilm& film) {
    std::vector<std::pair<double, int>> changes;
    for (const PoolWorker& worker : film.workers) {
        for (const WorkerRound& round : worker.rounds) {
            changes.emplace_back(round.asked_ms, 1);
            changes.emplace_back(round.answered_ms, -1);
        }
        if (worker.state == PoolWorker::State::waiting) changes.emplace_back(worker.since_ms, 1);
    }
    std::ranges::sort(changes); // at the same time: an answer before a question
    std::vector<PoolStep> steps{{0, 0}};
    for (const auto& [ms, change] : changes) {
        const int passes = steps.back().passes + change;
        if (steps.back().ms == ms)
            steps.back().passes = passes;
        else
            steps.push_back({ms, passes});
    }
    return steps;
}

Message worker_words(const PoolWorker& worker) {
    const WireTotals wire = worker.wire();
    return systems_says("worker.did"_t, "rounds"_v = worker.rounds.size(), "kept"_v = worker.accepted(), "drafted"_v = worker.drafted(),
                        "bytes"_v = bytes_words(static_cast<double>(wire.sent + wire.received)), "ahead"_v = wire.ahead,
                        "wasted"_v = wire.wasted(), "waits"_v = worker.state == PoolWorker::State::waiting);
}

void draw_workers(const SystemsDraw& d, Rect area) {
    const PoolFilm& film = d.model.workers();
    const float lower = area.h > 300 ? std::max(118.0F, area.h * 0.26F) : 0, upper = area.h - (lower > 0 ? lower + 20 : 0);
    part_head(d.ui, {area.x, area.y, area.w, 40}, systems_says("worker.title"_t),
              {systems_says("worker.under:long"_t), systems_says("worker.under:short"_t)});
    constexpr float kTwoLines = 44, kOneLine = 15;
    const float room = (upper - 50) / static_cast<float>(film.workers.size());
    const bool narrow = room < kTwoLines;
    const float left = area.x + (narrow ? kName : 30), top = area.y + 50, line = std::clamp(room, kOneLine, 104.0F);
    constexpr float kUnit = 44; // "ms", behind the last number
    const float right = area.right() - kUnit;
    const PoolSpan span = pool_span(film, right - left);
    const ui::Scale x{span.from, span.to, left, right};
    const auto fits = static_cast<std::size_t>(std::max(1.0F, (upper - 50) / line));
    for (std::size_t i = 0; i < std::min(fits, film.workers.size()); ++i)
        draw_worker(d, film, i, span, x, {area.x, top + line * static_cast<float>(i), area.w, line}, narrow);
    if (lower > 0) draw_passes(d, {area.x, area.bottom() - lower, area.w, lower}, film, span, x);
}

void tell_workers(const SystemsDraw& d) {
    const PoolFilm& film = d.model.workers();
    const auto tell = [&](const Message& message) { d.ui.canvas.tell(message, d.input.stage); };
    tell(systems_says("worker.pool"_t, "workers"_v = film.workers.size(), "target"_v = film.target, "tokens"_v = film.tokens(),
                      "rate"_v = film.tokens_per_second(), "passes"_v = film.at_once()));
    for (std::size_t i = 0; i < film.workers.size(); ++i) {
        const PoolWorker& worker = film.workers[i];
        const WireTotals wire = worker.wire();
        tell(systems_says("worker.row"_t, "worker"_v = worker_name(film, i), "k"_v = worker.k, "did"_v = worker_words(worker),
                          "tokens"_v = worker.tokens(), "away"_v = wire.per_round(wire.ms),
                          "server"_v = wire.knows_server() ? std::optional(wire.per_round(wire.server_ms)) : std::nullopt,
                          "again"_v = wire.retries, "failed"_v = worker_error(worker)));
    }
    const std::vector<PoolStep> steps = passes_at_once(film);
    double idle = 0;
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (steps[i].passes == 0) idle += (i + 1 < steps.size() ? steps[i + 1].ms : film.ms) - steps[i].ms;
    tell(systems_says("passes.told"_t, "most"_v = std::ranges::max(steps, {}, &PoolStep::passes).passes,
                      "idle"_v = film.ms > 0 ? idle / film.ms : 1.0));
}

} // namespace speclens
