// One clock for all lanes: every pass of every lane where it was measured, and where we are.
#include <algorithm>

#include "engine/run/run_clock.h"
#include "scenes/race/race_draw.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Font;
using ui::Rect;
using ui::Role;

constexpr float kAfter = 0.38F, kHead = 0.55F;

void draw_lane(const RaceDraw& d, const RaceLaneModel& lane, const ui::Scale& x, float y, float h) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const RunClock clock(*lane.trace, lane.whole,
                         d.model.rounds ? RunClock::Unit::rounds : RunClock::Unit::ms);
    const double now = d.model.clock;
    for (const CycleSummary& cycle : lane.whole.cycles) {
        const RunClock::Span span = clock.span(cycle);
        const auto strength = [&](double start) { return start < now - 1e-9 ? 1.0F : kAfter; };
        const float from = x(span.start), end = x(span.end());
        const float gap = end - from > 8 ? 2.0F : end - from > 4 ? 1.0F : 0.4F;
        const double unit = cycle.total_ms() > 0 ? (span.end() - span.start) / cycle.total_ms() : 1;
        double at = span.start;
        // A pass for each guess shows as a bar each where there is room for them.
        const bool passes =
            !cycle.drafts.empty() && x.length(span.draft) > 3.0F * static_cast<float>(cycle.drafts.size());
        double body = cycle.drafts.empty() ? span.draft : 0; // it proposed nothing
        for (const DraftSlot& slot : cycle.drafts) {
            if (passes && slot.draft->ms > 0) {
                const float a = x(at + body), b = x(at + body + slot.draft->ms * unit);
                c.fill({a, y, std::max(0.5F, b - a - 1), h}, t.role(Role::draft).alpha(strength(at + body)),
                       1);
            }
            body += slot.draft->ms * unit;
        }
        if (!passes && body > 0)
            c.fill({x(at), y, std::max(0.5F, x.length(body) - 0.5F), h},
                   t.role(Role::draft).alpha(strength(at)), 1);
        if (cycle.head_ms > 0)
            c.fill({x(at + body), y, std::max(0.5F, x.length(cycle.head_ms * unit) - 0.5F), h},
                   t.role(Role::draft).alpha(kHead * strength(at + body)), 1);
        at = span.start + span.draft;
        const float verify_end = x(at + span.verify);
        const Rect verify{x(at), y, std::max(0.5F, verify_end - x(at) - gap), h};
        c.fill(verify, t.role(Role::target).alpha(strength(at)), gap > 1 ? 2.0F : 0);
        if (end - verify_end > 1.5F)
            c.fill({verify_end - gap + 1, y, end - verify_end - 1, h}, t.muted.alpha(0.45F * strength(at)),
                   1);
        if (!cycle.commit || lane.plain()) continue;
        const std::string words = "+" + std::to_string(cycle.commit->tokens.size());
        if (c.text_width(words, Font::mono, 14) + 8 < verify.w)
            c.text({verify.center().x, y + h / 2 + 5}, words, Font::mono, 14,
                   strength(at) > 0.9F ? t.on(Role::target) : t.ink, ui::Align::center);
    }
}

} // namespace

RaceRows race_rows(const RaceDraw& d) {
    const Rect r = d.grid.clock;
    d.ui.canvas.fill(r, d.ui.theme.panel);
    d.ui.canvas.line({r.x, r.y + 0.5F}, {r.right(), r.y + 0.5F}, d.ui.theme.hairline());
    return {.x0 = r.x + 140,
            .x1 = r.right() - 110,
            .y0 = r.y + 16,
            .pitch = d.grid.roomy ? 32.0F : 26.0F,
            .h = d.grid.roomy ? 24.0F : 20.0F,
            .count = static_cast<int>(d.model.lanes.size())};
}

void draw_race_row_name(const RaceDraw& d, const RaceRows& rows, int i) {
    const RaceLaneModel& lane = d.model.lanes[static_cast<std::size_t>(i)];
    const bool chosen = i == d.model.focus;
    const ui::Color ink = chosen ? d.ui.theme.ink : d.ui.theme.muted;
    const float x = d.grid.clock.x, middle = rows.y(i) + rows.h / 2;
    ui::icon(d.ui.canvas, lane.mark, {x + 23, middle}, 12, ink);
    ui::fitted_text(d.ui.canvas, {x + 38, middle + 5}, lane.title, chosen ? Font::text_bold : Font::text, 14,
                    ink, rows.x0 - x - 46);
}

float draw_race_legend(const RaceDraw& d, ui::Vec2 at, float right, std::span<const RaceLegend> entries) {
    ui::Canvas& c = d.ui.canvas;
    const float gap = d.grid.roomy ? 26 : 18;
    const auto width = [&](const char* RaceLegend::*words) {
        float sum = 0;
        for (const RaceLegend& entry : entries) sum += 25 + c.text_width(entry.*words, Font::text, 14) + gap;
        return sum - gap;
    };
    const auto words = width(&RaceLegend::words) <= right - at.x ? &RaceLegend::words : &RaceLegend::brief;
    while (!entries.empty() && width(words) > right - at.x) entries = entries.first(entries.size() - 1);
    for (const RaceLegend& entry : entries) {
        ui::role_swatch(c, d.ui.theme, {at.x, at.y, 18, 18}, entry.role);
        c.text({at.x + 25, at.y + 14}, entry.*words, Font::text, 14, d.ui.theme.muted);
        at.x += 25 + c.text_width(entry.*words, Font::text, 14) + gap;
    }
    return at.x;
}

void draw_race_clock(const RaceDraw& d, std::vector<SceneCommand>& out) {
    const Rect r = d.grid.clock;
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const RaceRows rows = race_rows(d);
    const float h = rows.h, axis = rows.axis();
    if (d.model.longest <= 0) {
        ui::fitted_text(c, {r.x + 24, rows.y0 + 17}, "every pass of every lane will appear here on one clock",
                        Font::text, 14, t.muted, r.w - 48);
        return;
    }
    const ui::Scale x{.lo = 0, .hi = d.model.longest, .a = rows.x0, .b = rows.x1};
    const ui::Ticks marks = ui::ticks(0, d.model.longest, d.grid.roomy ? 8 : 6, true);
    ui::axis_x(c, t, x, axis, marks, {.tick_marks = true, .label_offset = 18});
    struct Note {
        float x, y;
        std::string words;
        bool strong;
    };
    std::vector<Note> notes;
    for (int i = 0; i < rows.count; ++i) {
        const RaceLaneModel& lane = d.model.lanes[static_cast<std::size_t>(i)];
        const float y = rows.y(i);
        draw_race_row_name(d, rows, i);
        if (!lane.trace || lane.whole.cycles.empty()) {
            ui::fitted_text(c, {rows.x0, y + h / 2 + 5}, lane.lane->problem.empty() ? "waits" : "cannot run",
                            Font::text, 14, t.muted, 200);
            continue;
        }
        draw_lane(d, lane, x, y, h);
        notes.push_back(
            {x(lane.end) + 10, y + h / 2 + 5,
             d.model.rounds ? counted(lane.whole.rounds, "round") : ui::milliseconds(lane.total_ms) + " ms",
             lane.done});
    }
    ui::playhead(c, t, x(std::min(d.model.clock, d.model.longest)), rows.y0 - 6, rows.bottom());
    for (const Note& note : notes) {
        const float w = c.text_width(note.words, Font::mono, 14);
        c.fill({note.x - 3, note.y - 14, w + 6, 18}, t.panel.alpha(0.85F), 2);
        c.text({note.x, note.y}, note.words, Font::mono, 14, note.strong ? t.ink : t.muted);
    }
    if (ui::button(d.ui, "unit", {x.b + 10, axis + 2, 88, 26}, d.model.rounds ? "rounds" : "ms",
                   {.kind = ui::ButtonKind::quiet,
                    .shortcut = "S",
                    .tooltip = "measured time, or rounds of every lane"}))
        out.push_back(ToggleRaceClock{});
    constexpr RaceLegend kLegend[] = {
        {Role::draft, "drafting", "drafting"},
        {Role::target, "target pass; its own token", "target pass; its own token"},
        {Role::accepted, "guess that stayed", "guess that stayed"},
        {Role::residual, "drawn from what a rejected guess left over", "drawn from what was left over"},
        {Role::bonus, "bonus after a full round", "bonus"}};
    const float end = draw_race_legend(d, {rows.x0, axis + 28}, r.right() - 120, kLegend);
    if (end + 25 + c.text_width("the rest", Font::text, 14) < r.right() - 12) {
        c.fill({end, axis + 28, 18, 18}, t.muted.alpha(0.45F), 2);
        const std::string rest = "laws, verdicts, the rest";
        const bool fits = c.text_width(rest, Font::text, 14) <= r.right() - 12 - end - 25;
        c.text({end + 25, axis + 42}, fits ? rest : "the rest", Font::text, 14, t.muted);
    }

    const Rect area{rows.x0 - 6, r.y + 2, x.b - rows.x0 + 12, axis - r.y + 6};
    const ui::Touch touched = ui::touch(d.ui, d.ui.id("clock"), area, {.focusable = false, .grow = false});
    if (touched.held || touched.clicked || touched.began)
        out.push_back(SetRaceClock{std::clamp(x.inverse(d.ui.input.mouse.x), 0.0, d.model.longest)});
}

} // namespace speclens
