// The panel below the lanes. One clock for all of them: every pass of every lane where it was measured, and where we
// are. Of a stepped race its score instead.
#include <algorithm>
#include <cmath>
#include <span>

#include "engine/run/run_clock.h"
#include "scenes/race/race_draw.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Font;
using ui::Rect;
using ui::Role;

struct RaceLegend {
    ui::Role role;
    const char *words, *brief;
};

// The panel below the lanes: a row for each, with its name at the left and room at the right.
struct RaceRows {
    float x0 = 0, x1 = 0, y0 = 0, pitch = 32, h = 24; // bars from x0 to x1
    int count = 0;
    [[nodiscard]] float y(int i) const { return y0 + pitch * static_cast<float>(i); }
    [[nodiscard]] float axis() const { return y(count > 0 ? count : 1) + 2; }
    [[nodiscard]] float bottom() const { return y(count - 1) + h + 2; }
};

constexpr float kAfter = 0.38F, kHead = 0.55F;

// All passes of a lane, in one strength. `now`: what a round brought is told once its check is over by then.
void draw_passes(const RaceDraw& d, const RaceLaneModel& lane, const ui::Scale& x, float y, float h, float strength, double now) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const RunClock clock(*lane.trace, lane.whole, d.model.rounds ? RunClock::Unit::rounds : RunClock::Unit::ms);
    for (const RoundSummary& round : lane.whole.round_list) {
        const RunClock::Span span = clock.span(round);
        const float from = x(span.start), end = x(span.end());
        const float gap = end - from > 8 ? 2.0F : end - from > 4 ? 1.0F : 0.4F;
        const double unit = round.total_ms() > 0 ? (span.end() - span.start) / round.total_ms() : 1;
        double at = span.start;
        // A pass for each guess shows as a bar each where there is room for them.
        const bool passes = !round.drafts.empty() && x.length(span.draft) > 3.0F * static_cast<float>(round.drafts.size());
        double body = round.drafts.empty() ? span.draft : 0; // it proposed nothing
        for (const DraftSlot& slot : round.drafts) {
            if (passes && slot.ms > 0) {
                const float a = x(at + body), b = x(at + body + slot.ms * unit);
                c.fill({a, y, std::max(0.5F, b - a - 1), h}, t.role(Role::draft).alpha(strength), 1);
            }
            body += slot.ms * unit;
        }
        if (!passes && body > 0) c.fill({x(at), y, std::max(0.5F, x.length(body) - 0.5F), h}, t.role(Role::draft).alpha(strength), 1);
        if (round.head_ms > 0)
            c.fill({x(at + body), y, std::max(0.5F, x.length(round.head_ms * unit) - 0.5F), h}, t.role(Role::draft).alpha(kHead * strength),
                   1);
        at = span.start + span.draft;
        const float verify_end = x(at + span.verify);
        const Rect verify{x(at), y, std::max(0.5F, verify_end - x(at) - gap), h};
        c.fill(verify, t.role(Role::target).alpha(strength), gap > 1 ? 2.0F : 0);
        if (end - verify_end > 1.5F) c.fill({verify_end - gap + 1, y, end - verify_end - 1, h}, t.muted.alpha(0.45F * strength), 1);
        if (!round.commit || lane.plain() || at + span.verify > now + 1e-9) continue;
        const std::string words = "+" + std::to_string(round.commit->tokens.size());
        if (c.text_width(words, Font::mono, 14) + 8 < verify.w)
            c.text({verify.center().x, y + h / 2 + 5}, words, Font::mono, 14, t.on(Role::target), ui::Align::center);
    }
}

// Lit as far as the clock has come, also within a pass; what is to come is pale, and hidden while it is asked who is first.
void draw_lane(const RaceDraw& d, const RaceLaneModel& lane, const ui::Scale& x, float y, float h) {
    const float now = x(std::min(d.model.clock, d.model.longest));
    d.ui.push_clip({x.a, y, now - x.a, h});
    draw_passes(d, lane, x, y, h, 1, d.model.clock);
    d.ui.pop_clip();
    if (d.model.undecided) return;
    d.ui.push_clip({now, y, x.b - now, h});
    draw_passes(d, lane, x, y, h, kAfter, -1);
    d.ui.pop_clip();
}

// Draws the panel's ground.
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
    ui::fitted_text(d.ui.canvas, {x + 38, middle + 5}, lane.title, chosen ? Font::text_bold : Font::text, 14, ink, rows.x0 - x - 46);
}

// One row that ends at `right` at the latest: what the hues mean, in brief where it has to be, and without
// the last ones where there is no room for all. Returns where it ends, with the gap behind it.
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

// The score of a stepped race: one column per step, one row per lane, and in each cell the phases that the
// lane went through in that step. Columns are steps, not time.

constexpr float kLater = 0.38F;
constexpr double kFewest = 24; // columns that there is always room for

struct Part {
    Role role = Role::draft;
    bool commit = false;
    int tokens = 0; // of a commit
};

// Phases between two events, drafts of one round as one.
std::vector<Part> parts_between(const Trace& trace, std::size_t from, std::size_t to) {
    std::vector<Part> parts;
    for (std::size_t i = from; i < to; ++i) {
        const Event& e = trace[i];
        if (std::holds_alternative<Drafted>(e)) {
            if (i == from || !std::holds_alternative<Drafted>(trace[i - 1])) parts.push_back({Role::draft});
        } else if (std::holds_alternative<Verified>(e)) {
            parts.push_back({Role::target});
        } else if (const auto* check = std::get_if<Checked>(&e)) {
            parts.push_back({check->accepted ? Role::accepted : Role::rejected});
        } else if (const auto* own = std::get_if<TargetToken>(&e)) {
            parts.push_back({own->from == TargetToken::From::residual ? Role::residual
                             : own->from == TargetToken::From::bonus  ? Role::bonus
                                                                      : Role::target});
        } else if (const auto* commit = std::get_if<Committed>(&e)) {
            parts.push_back({Role::target, true, static_cast<int>(commit->tokens.size())});
        }
    }
    return parts;
}

void draw_cell(const RaceDraw& d, const RaceLaneModel& lane, std::size_t from, std::size_t to, Rect cell, float strength) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const std::vector<Part> parts = parts_between(*lane.trace, from, to);
    if (parts.empty()) return;
    const float w = cell.w / static_cast<float>(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Part& part = parts[i];
        const Rect box{cell.x + w * static_cast<float>(i), cell.y, std::max(0.6F, w - (w > 4 ? 1.0F : 0.2F)), cell.h};
        if (!part.commit) {
            c.fill(box, t.role(part.role).alpha(strength), w > 6 ? 2.0F : 0);
            continue;
        }
        c.fill(box, t.muted.alpha(0.35F * strength), w > 6 ? 2.0F : 0);
        const std::string words = "+" + std::to_string(part.tokens);
        if (c.text_width(words, Font::mono, 14) + 4 < box.w)
            c.text({box.center().x, box.center().y + 5}, words, Font::mono, 14, t.ink, ui::Align::center);
    }
}

} // namespace

void draw_race_clock(const RaceDraw& d, std::vector<SceneCommand>& out) {
    const Rect r = d.grid.clock;
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const RaceRows rows = race_rows(d);
    const float h = rows.h, axis = rows.axis();
    if (d.model.longest <= 0) {
        ui::fitted_text(c, {r.x + 24, rows.y0 + 17}, "every pass of every lane will appear here on one clock", Font::text, 14, t.muted,
                        r.w - 48);
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
        if (!lane.trace || lane.whole.round_list.empty()) {
            ui::fitted_text(c, {rows.x0, y + h / 2 + 5}, lane.lane->problem.empty() ? "waits" : "cannot run", Font::text, 14, t.muted, 200);
            continue;
        }
        draw_lane(d, lane, x, y, h);
        if (d.model.undecided) continue; // where it ends is the question
        notes.push_back({x(lane.end) + 10, y + h / 2 + 5,
                         d.model.rounds ? counted(lane.whole.rounds, "round") : ui::milliseconds(lane.total_ms) + " ms", lane.done});
    }
    ui::playhead(c, t, x(std::min(d.model.clock, d.model.longest)), rows.y0 - 6, rows.bottom());
    for (const Note& note : notes) {
        const float w = c.text_width(note.words, Font::mono, 14);
        c.fill({note.x - 3, note.y - 14, w + 6, 18}, t.panel.alpha(0.85F), 2);
        c.text({note.x, note.y}, note.words, Font::mono, 14, note.strong ? t.ink : t.muted);
    }
    if (ui::button(d.ui, "unit", {x.b + 10, axis + 2, 96, 26}, d.model.rounds ? "rounds" : "ms",
                   {.kind = ui::ButtonKind::quiet, .shortcut = "S", .tooltip = "measured time, or rounds of every lane"}))
        out.push_back(ToggleRaceClock{});
    constexpr RaceLegend kLegend[] = {{Role::draft, "drafting", "drafting"},
                                      {Role::target, "target pass; its own token", "target pass; its own token"},
                                      {Role::accepted, "guess that stayed", "guess that stayed"},
                                      {Role::residual, "drawn from what a rejected guess left over", "drawn from what was left over"},
                                      {Role::bonus, "bonus after a full round", "bonus"}};
    const float end = draw_race_legend(d, {rows.x0, axis + 28}, r.right() - 120, kLegend);
    if (end + 25 + c.text_width("the rest", Font::text, 14) < r.right() - 12) {
        c.fill({end, axis + 28, 18, 18}, t.muted.alpha(0.45F), 2);
        const std::string rest = "distributions, verdicts, the rest";
        const bool fits = c.text_width(rest, Font::text, 14) <= r.right() - 12 - end - 25;
        c.text({end + 25, axis + 42}, fits ? rest : "the rest", Font::text, 14, t.muted);
    }

    const Rect area{rows.x0 - 6, r.y + 2, x.b - rows.x0 + 12, axis - r.y + 6};
    const ui::Touch touched = ui::touch(d.ui, d.ui.id("clock"), area, {.focusable = false, .grow = false});
    if (touched.held || touched.clicked || touched.began)
        out.push_back(SetRaceClock{std::clamp(x.inverse(d.ui.input.mouse.x), 0.0, d.model.longest)});
}

void draw_race_steps(const RaceDraw& d, std::vector<SceneCommand>& out) {
    const Rect r = d.grid.clock;
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const RaceRows rows = race_rows(d);
    const float h = rows.h, axis = rows.axis();
    const auto& steps = d.model.race->steps;
    if (steps.empty()) {
        ui::fitted_text(c, {r.x + 24, rows.y0 + 17}, "the lanes are reading the prompt", Font::text, 14, t.muted, r.w - 48);
        return;
    }
    const double last = std::max(kFewest, static_cast<double>(steps.size() - 1));
    const ui::Scale x{.lo = 0, .hi = last, .a = rows.x0, .b = rows.x1};
    ui::axis_x(c, t, x, axis, ui::ticks(0, last, d.grid.roomy ? 8 : 6, true), {.tick_marks = true, .label_offset = 18});
    c.text({x.b + 12, axis + 18}, "steps", Font::text, 14, t.muted);
    const auto now = static_cast<std::size_t>(d.model.clock + 0.5);
    for (int i = 0; i < rows.count; ++i) {
        const RaceLaneModel& lane = d.model.lanes[static_cast<std::size_t>(i)];
        const auto at = static_cast<std::size_t>(i);
        const float y = rows.y(i);
        draw_race_row_name(d, rows, i);
        if (!lane.trace) {
            ui::fitted_text(c, {rows.x0, y + h / 2 + 5}, "cannot run", Font::text, 14, t.muted, 200);
            continue;
        }
        for (std::size_t s = 1; s < steps.size(); ++s)
            draw_cell(d, lane, steps[s - 1][at], steps[s][at], {x(static_cast<double>(s - 1)), y, x.length(1), h},
                      s <= now ? 1.0F : kLater);
        const std::string words = counted(lane.shown.rounds, "round");
        c.text({r.right() - 12, y + h / 2 + 5}, words, Font::mono, 14, lane.done ? t.ink : t.muted, ui::Align::right);
    }
    ui::playhead(c, t, x(static_cast<double>(now)), rows.y0 - 6, rows.bottom());
    constexpr RaceLegend kLegend[] = {{Role::draft, "guesses", "guesses"},
                                      {Role::target, "target pass; its own token", "target pass; its own token"},
                                      {Role::accepted, "a guess stays", "stays"},
                                      {Role::rejected, "a guess is refused", "refused"},
                                      {Role::residual, "drawn from what was left over", "drawn from what was left over"},
                                      {Role::bonus, "bonus after a full round", "bonus"}};
    draw_race_legend(d, {rows.x0, axis + 28}, r.right() - 12, kLegend);

    const Rect area{rows.x0 - 6, r.y + 2, x.b - rows.x0 + 12, axis - r.y + 6};
    const ui::Touch touched = ui::touch(d.ui, d.ui.id("steps"), area, {.focusable = false, .grow = false});
    if (touched.held || touched.clicked || touched.began)
        out.push_back(SetRaceClock{std::clamp(std::round(x.inverse(d.ui.input.mouse.x)), 0.0, static_cast<double>(steps.size() - 1))});
}

} // namespace speclens
