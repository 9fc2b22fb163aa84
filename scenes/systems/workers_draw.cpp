#include "scenes/systems/workers_draw.h"

#include <algorithm>
#include <cmath>

#include "scenes/shared/words.h"
#include "scenes/systems/block_tables.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;

constexpr float kName = 108; // width

void workers_head(const SystemsDraw& d, Rect r, const std::string& title, const std::vector<std::string>& ways) {
    ui::fitted_text(d.ui.canvas, {r.x, r.y + 14}, title, Font::text_bold, 15, d.ui.theme.ink, r.w);
    ui::fitted_text(d.ui.canvas, {r.x, r.y + 34}, ui::fitting(d.ui.canvas, ways, Font::text, 14, r.w), Font::text, 14, d.ui.theme.muted,
                    r.w);
}

std::string worker_name(const PoolFilm& film, std::size_t worker) {
    return text_letter(static_cast<int>(worker)) + " " + film.workers[worker].drafter;
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
    const bool failed = worker.state == PoolWorker::State::failed;
    const float base = narrow ? r.y + r.h / 2 + 5 : r.y + 14;
    ui::fitted_text(c, {r.x, base}, worker_name(film, number), Font::text_bold, 14, t.ink, kName - 8);
    if (failed || !narrow)
        ui::fitted_text(c, {r.x + kName, base}, failed ? "failed: " + worker.error : worker_words(worker), Font::text, 14,
                        failed ? t.role(Role::rejected) : t.muted, r.w - kName);
    if (failed && narrow) return;
    const float top = narrow ? r.y + 2 : r.y + 22, height = narrow ? r.h - 4 : std::clamp(r.h - 40, std::min(26.0F, r.h - 26), 48.0F);
    const std::vector<ui::Segment> segments = segments_of(worker, span);
    ui::gantt_lane(c, t, x, top, height, segments, 1);
    for (const WorkerRound& round : worker.rounds) {
        if (round.judged_ms < span.from || round.from_ms > span.to) continue;
        const float left = x(std::max(round.from_ms, span.from)), right = x(std::min(round.answered_ms, span.to));
        std::string words = std::to_string(round.drafted) + " drafted, " + std::to_string(round.accepted) + " kept; " +
                            bytes_words(static_cast<double>(round.wire.sent)) + " sent, " +
                            bytes_words(static_cast<double>(round.wire.received)) + " received, " + ui::number(round.wire.ms, 1) +
                            " ms away";
        if (round.wire.retries > 0) words += "; asked again";
        ui::tooltip(d.ui, {left, top, std::max(1.0F, right - left), height}, words);
    }
}

void draw_passes(const SystemsDraw& d, Rect area, const PoolFilm& film, const PoolSpan& span, const ui::Scale& x) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    c.line({area.x, area.y - 9.5F}, {area.right(), area.y - 9.5F}, t.hairline());
    workers_head(d, area, "Passes that the target has at once",
                 {"the mean is " + ui::number(film.at_once(), 1) + " of " + counted(static_cast<int>(film.workers.size()), "worker")});
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

std::string worker_words(const PoolWorker& worker) {
    const WireTotals wire = worker.wire();
    std::string words = counted(static_cast<int>(worker.rounds.size()), "round") + ", " + std::to_string(worker.accepted()) + " of " +
                        std::to_string(worker.drafted()) + " kept, " + bytes_words(static_cast<double>(wire.sent + wire.received));
    if (wire.ahead > 0) words += "; " + std::to_string(wire.wasted()) + " of " + std::to_string(wire.ahead) + " ahead wasted";
    if (worker.state == PoolWorker::State::waiting) words += "; waits";
    return words;
}

void draw_workers(const SystemsDraw& d, Rect area) {
    const PoolFilm& film = d.model.workers();
    const float lower = area.h > 300 ? std::max(118.0F, area.h * 0.26F) : 0, upper = area.h - (lower > 0 ? lower + 20 : 0);
    workers_head(d, {area.x, area.y, area.w, 40}, "Draft workers here, their target elsewhere",
                 {"amber: drafts, with their number; light: on the way; blue: the target's own time, with what it kept",
                  "amber: drafts; light: on the way; blue: the target's own time"});
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

std::string describe_workers(const PoolFilm& film) {
    std::string out = counted(static_cast<int>(film.workers.size()), "draft worker") + " on " +
                      (film.target.empty() ? "a target, simulated" : film.target) + ": " + std::to_string(film.tokens()) + " tokens, " +
                      ui::number(film.tokens_per_second(), 1) + " a second; passes at once " + ui::number(film.at_once(), 2) + "\n";
    for (std::size_t i = 0; i < film.workers.size(); ++i) {
        const PoolWorker& worker = film.workers[i];
        const WireTotals wire = worker.wire();
        out += "  " + worker_name(film, i) + ", K = " + std::to_string(worker.k) + ": " + worker_words(worker) + "; " +
               std::to_string(worker.tokens()) + " tokens; a round away " + ui::number(wire.per_round(wire.ms), 1) + " ms" +
               (wire.knows_server() ? ", the server's own " + ui::number(wire.per_round(wire.server_ms), 1) + " ms" : "") +
               (wire.retries > 0 ? ", asked again " + std::to_string(wire.retries) + " times" : "") +
               (worker.state == PoolWorker::State::failed ? "; failed: " + worker.error : "") + "\n";
    }
    return out;
}

} // namespace speclens
