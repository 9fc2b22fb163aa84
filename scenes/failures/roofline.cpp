#include "scenes/failures/roofline.h"

#include <cmath>

#include "engine/lab/pass_times.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;
using ui::Role;
using ui::Vec2;

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

std::string side_words(const Roofline& roofline, const RooflinePoint& at) {
    return roofline.bound_by_memory(at) ? "memory decides" : "arithmetic decides";
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
    ui::fitted_text(c, {area.x, area.y + 14}, "From bytes to arithmetic", Font::text_bold, 15, t.ink, area.w);
    const std::vector<std::string> key =
        r.measured ? std::vector<std::string>{"ring: without guesses; full: this batch", "ring: plain; full: this batch"}
                   : std::vector<std::string>{"ring: without guesses; full: this cell, simulated",
                                              "ring: plain; full: this cell, simulated", "ring: plain; full: simulated"};
    ui::fitted_text(c, {area.x, area.y + 34}, ui::fitting(c, key, Font::text, 14, area.w), Font::text, 14, t.muted, area.w);
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
    c.text({plot.x - 6, knee.y + 5}, ui::number(r.peak, 0), Font::mono, 14, t.muted, Align::right);
    const int from = static_cast<int>(std::ceil(x.lo)), to = static_cast<int>(std::floor(x.hi));
    const int step = std::max(1, (to - from + 3) / 4);
    for (int power = from; power <= to; power += step)
        c.text({x(power), plot.bottom() + 18}, ui::number(std::exp2(power), power < 0 ? 1 : 0), Font::mono, 14, t.muted, Align::center);
    const std::vector<std::string> axes{"multiply-adds per byte of weights; up: 1e9 a second", "multiply-adds per byte; up: 1e9 a second",
                                        "per byte of weights; up: 1e9/s", "per byte; up: 1e9/s"};
    ui::fitted_text(c, {area.x, plot.bottom() + 38}, ui::fitting(c, axes, Font::text, 14, area.w), Font::text, 14, t.muted, area.w);
    const std::string memory = ui::number(r.bandwidth, 0) + " GB/s";
    if (knee.x - plot.x > 130) c.text({plot.x + 4, plot.y + 14}, memory, Font::text, 14, t.muted);
    if (r.marked) ui::tooltip(d.ui, plot, counted(static_cast<int>(std::lround(r.marked->rows)), "row") + ": " + side_words(r, *r.marked));
}

std::string describe_roofline(const Roofline& r) {
    std::string text = "From bytes to arithmetic: memory brings " + ui::number(r.bandwidth, 0) + "e9 bytes a second, products reach " +
                       ui::number(r.peak, 0) + "e9 multiply-adds a second; they meet at " + ui::number(r.knee(), 1) +
                       " multiply-adds per byte of weights.\n";
    const auto say = [&](const char* what, const RooflinePoint& at) {
        text += std::string("  ") + what + ": " + ui::number(at.rows, 1) + " rows a pass, " + ui::number(at.intensity, 1) + " per byte, " +
                ui::number(at.rate, 0) + "e9 a second: " + side_words(r, at) + (r.measured ? "" : " (simulated)") + "\n";
    };
    if (r.plain) say("without guesses", *r.plain);
    if (r.marked) say("with them", *r.marked);
    return text;
}

} // namespace speclens
