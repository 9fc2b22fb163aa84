#include "scenes/failures/roofline.h"

#include <array>
#include <cmath>
#include <span>

#include "engine/lab/pass_times.h"
#include "scenes/shared/panel.h"
#include "ui/format.h"
#include "ui/plot.h"

namespace speclens {
namespace {

RooflinePoint point(const PassTimes& times, double rows, double ms) {
    const double adds = rows * times.multiply_adds;
    return {rows, adds / times.weight_bytes, adds / ms / 1e6};
}

// The mean pass of what was kept of a batch; none: nothing was.
std::optional<RooflinePoint> mean_pass(const PassTimes& times, const SweepCell* cell) {
    if (!cell) return {};
    double rows = 0, ms = 0;
    int passes = 0;
    for (const BatchRound& round : cell->rounds)
        if (round.read_rows == 0) rows += round.rows, ms += round.pass_ms, passes += round.passes; // prompts are wide for another reason
    if (passes == 0 || !(ms > 0)) return {};
    return point(times, rows / passes, ms / passes);
}

// Plain decoding of as many texts, of the same sweep.
const SweepCell* plain_cell(const SceneInput& input, int texts) {
    if (!input.load) return nullptr;
    const auto found =
        std::ranges::find_if(input.load->cells, [&](const SweepCell& cell) { return cell.concurrency == texts && cell.method.k == 0; });
    return found == input.load->cells.end() ? nullptr : &*found;
}

void plot_roofline(const FailuresDraw& d, const Roofline& r, Rect plot, double left, double right) {
    const auto points = [&](const Message& name, std::span<const RooflinePoint> of) {
        ui::plotted(d.ui.canvas, plot, ui::PlotMark::points, name, of,
                    [](const RooflinePoint& at) { return ui::PlotDatum{.x = at.intensity, .y = at.rate}; });
    };
    ui::plotted(d.ui.canvas, plot, ui::PlotMark::line, failures_says("roofline.roof"_t), std::array{left, r.knee(), right},
                [&](double intensity) { return ui::PlotDatum{.x = intensity, .y = r.roof(intensity)}; });
    points(failures_says("roofline.one_text"_t), r.passes);
    if (r.plain) points(failures_says("roofline.here"_t, "guesses"_v = false), std::span(&*r.plain, 1));
    if (r.marked) points(failures_says("roofline.here"_t, "guesses"_v = true), std::span(&*r.marked, 1));
}

void tell_roofline(const FailuresDraw& d, const Roofline& r, Rect plot) {
    d.ui.canvas.tell(failures_says("roofline.roofs"_t, "bandwidth"_v = r.bandwidth, "peak"_v = r.peak, "knee"_v = r.knee()), plot);
    const auto pass = [](const RooflinePoint& at) {
        return failures_says("roofline.pass"_t, "rows"_v = at.rows, "intensity"_v = at.intensity, "rate"_v = at.rate);
    };
    d.ui.canvas.tell(failures_says("roofline.passes"_t, "passes"_v = each_said(r.passes, pass)), plot);
    const auto point = [&](const RooflinePoint& at, bool guesses) {
        return failures_says("roofline.at"_t, "guesses"_v = guesses, "rows"_v = at.rows, "intensity"_v = at.intensity, "rate"_v = at.rate,
                             "memory"_v = r.bound_by_memory(at), "simulated"_v = !r.measured);
    };
    if (r.plain) d.ui.canvas.tell(point(*r.plain, false), plot);
    if (r.marked) ui::thing(d.ui, plot, point(*r.marked, true));
}

} // namespace

std::optional<Roofline> roofline(const SceneInput& input, const FailuresModel& m) {
    if (!m.times || !(m.times->bandwidth_gbs > 0) || !(m.times->product_rate > 0) || !(m.times->weight_bytes > 0)) return {};
    const PassTimes& times = *m.times;
    Roofline found{.bandwidth = times.bandwidth_gbs, .peak = times.product_rate, .passes = {}, .plain = {}, .marked = {}};
    for (const PassTime& pass : times.passes) found.passes.push_back(point(times, pass.rows, pass.ms));
    const LoadCell& cell = m.marked();
    found.marked = mean_pass(times, cell.measured);
    found.plain = mean_pass(times, plain_cell(input, cell.requests));
    found.measured = found.marked.has_value();
    if (!found.measured) {
        const double rows = verify_rows(m.levers, cell.requests, cell.k);
        found.marked = point(times, rows, pass_ms(times, rows));
        found.plain = point(times, cell.requests, pass_ms(times, cell.requests));
    }
    return found;
}

void draw_roofline(const FailuresDraw& d, const Roofline& r, Rect area) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const auto measured = "measured"_v = r.measured;
    part_head(d.ui, area, failures_says("roofline.title"_t),
              {failures_says("roofline.key:whole"_t, measured), failures_says("roofline.key:short"_t, measured),
               failures_says("roofline.key:least"_t, measured)});
    const Rect plot{area.x + 44, area.y + 48, area.w - 52, area.h - 48 - 42};
    double most = r.knee() * 2, least = r.passes.front().intensity, lowest = r.passes.front().rate;
    for (const RooflinePoint& pass : r.passes) most = std::max(most, pass.intensity), lowest = std::min(lowest, pass.rate);
    for (const auto& at : {r.plain, r.marked})
        if (at) most = std::max(most, at->intensity), least = std::min(least, at->intensity), lowest = std::min(lowest, at->rate);
    const ui::Scale x{std::log2(least) - 0.5, std::log2(most) + 0.5, plot.x, plot.right()};
    const ui::Scale y{std::log2(lowest) - 0.5, std::log2(r.peak) + 1, plot.bottom(), plot.y};
    const auto at = [&](double intensity, double rate) { return Vec2{x(std::log2(intensity)), y(std::log2(rate))}; };
    c.push_clip(plot);
    const double left = std::exp2(x.lo), right = std::exp2(x.hi);
    const Vec2 knee = at(r.knee(), r.peak);
    c.fill({knee.x, plot.y, plot.right() - knee.x, plot.h}, t.raised.alpha(0.5F));
    c.line(at(left, r.roof(left)), knee, {t.muted, 1.5F});
    c.line(knee, at(right, r.peak), {t.muted, 1.5F});
    for (const RooflinePoint& pass : r.passes) c.disc(at(pass.intensity, pass.rate), 2.5F, t.muted);
    if (r.plain) c.ring(at(r.plain->intensity, r.plain->rate), 6, {t.role(Role::target), 2});
    if (r.plain && r.marked) {
        const Vec2 from = at(r.plain->intensity, r.plain->rate), to = at(r.marked->intensity, r.marked->rate);
        if (to.x - from.x > 24) c.line({from.x + 8, from.y}, {to.x - 8, to.y}, {t.role(Role::target), 1.5F, 4, 3});
    }
    if (r.marked) c.disc(at(r.marked->intensity, r.marked->rate), 6, t.role(Role::target));
    c.pop_clip();
    c.line({plot.x, plot.bottom() + 0.5F}, {plot.right(), plot.bottom() + 0.5F}, t.hairline());
    c.print({plot.x - 6, knee.y + 5}, ui::number(r.peak, 0), Font::mono, 14, t.muted, Align::right);
    const int from = static_cast<int>(std::ceil(x.lo)), to = static_cast<int>(std::floor(x.hi));
    const int step = std::max(1, (to - from + 3) / 4);
    for (int power = from; power <= to; power += step)
        c.print({x(power), plot.bottom() + 18}, ui::number(std::exp2(power), power < 0 ? 1 : 0), Font::mono, 14, t.muted, Align::center);
    one_of(d.ui, {area.x, plot.bottom() + 38}, area.w,
           {failures_says("roofline.axes:whole"_t), failures_says("roofline.axes:short"_t), failures_says("roofline.axes:unit"_t),
            failures_says("roofline.axes:least"_t)},
           t.muted);
    if (knee.x - plot.x > 130)
        c.text({plot.x + 4, plot.y + 14}, failures_says("roofline.memory"_t, "bandwidth"_v = r.bandwidth), Font::text, 14, t.muted);
    tell_roofline(d, r, plot);
    plot_roofline(d, r, plot, left, right);
}

} // namespace speclens
