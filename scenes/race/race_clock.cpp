// The panel below the lanes. One clock for all of them: every pass of every lane where it was measured, and where we
// are. Of a stepped race its score instead.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

#include "engine/run/run_clock.h"
#include "scenes/race/race_draw.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/words.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

struct RaceLegend {
    ui::Role role;
    Message words, brief;
};
RaceLegend hue(Role role, auto id) { return {role, race_says(id, "brief"_v = false), race_says(id, "brief"_v = true)}; }

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
        const Message words = race_says("clock.brought"_t, "tokens"_v = round.commit->tokens.size());
        if (c.printed_width(words, Font::mono, 14) + 8 < verify.w)
            c.print({verify.center().x, y + h / 2 + 5}, words, Font::mono, 14, t.on(Role::target), ui::Align::center);
    }
}

// What of a lane is over at the clock: its rounds, what they brought, and where their time went.
Message clock_words(const RaceDraw& d, const RaceLaneModel& lane) {
    std::vector<Said> tokens;
    double draft = 0, verify = 0, rest = 0;
    for (const RoundSummary& round : lane.shown.round_list) {
        if (!round.complete()) continue;
        draft += round.draft_ms, verify += round.verify_ms, rest += round.other_ms;
        if (!lane.plain()) tokens.push_back(race_said("clock.brought"_t, "tokens"_v = round.commit->tokens.size()));
    }
    const bool timed = !d.model.table;
    return race_says("clock.row"_t, "drafter"_v = lane.title, "rounds"_v = lane.shown.rounds, "tokens"_v = tokens,
                     "draft"_v = if_measured(timed ? draft : 0), "verify"_v = if_measured(timed ? verify : 0),
                     "rest"_v = if_measured(timed ? rest : 0));
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
    lane_name(d, {x + 38, middle + 5}, i, rows.x0 - x - 46);
}

// Where the hand is dragged to on the rows.
std::optional<double> dragged_to(const RaceDraw& d, const RaceRows& rows, const ui::Scale& x, const char* id) {
    const float top = d.grid.clock.y;
    const Rect area{rows.x0 - 6, top + 2, x.b - rows.x0 + 12, rows.axis() - top + 6};
    const ui::Touch touch = ui::touch(d.ui, d.ui.id(id), area, {.focusable = false, .grow = false});
    return touch.held || touch.clicked || touch.began ? std::optional(x.inverse(d.ui.input.mouse.x)) : std::nullopt;
}

// One row that ends at `right` at the latest: what the hues mean, in brief where it has to be, and without
// the last ones where there is no room for all. Returns where it ends, with the gap behind it.
float draw_race_legend(const RaceDraw& d, ui::Vec2 at, float right, std::span<const RaceLegend> entries) {
    const KeyStyle style{.mark = 18, .rise = 14, .word = 25, .gap = d.grid.roomy ? 26.0F : 18.0F};
    float whole = at.x - style.gap;
    for (const RaceLegend& entry : entries) whole += style.word + d.ui.canvas.text_width(entry.words, Font::text, 14) + style.gap;
    const auto words = whole <= right ? &RaceLegend::words : &RaceLegend::brief;
    const auto named = std::views::transform(entries, [&](const RaceLegend& entry) { return std::pair(entry.*words, entry.role); });
    const auto swatch = [&](Rect box, Role role) { ui::role_swatch(d.ui.canvas, d.ui.theme, box, role); };
    return marks_key(d.ui, {at.x, at.y + 14}, right, named, swatch, style);
}

// The score of a stepped race: one column per step, one row per lane, and in each cell the phases that the
// lane went through in that step. Columns are steps, not time.

constexpr float kLater = 0.38F;
constexpr double kFewest = 24; // columns that there is always room for

struct Part {
    Role role = Role::draft;
    bool own = false; // the target's own token, no pass
    bool commit = false;
    int tokens = 0; // of a commit
};

// Phases between two events, drafts of one round as one.
std::vector<Part> parts_between(const Trace& trace, std::size_t from, std::size_t to) {
    std::vector<Part> parts;
    for (std::size_t i = from; i < to; ++i) {
        const Event& e = trace[i];
        if (std::holds_alternative<Drafted>(e)) {
            if (i == from || !std::holds_alternative<Drafted>(trace[i - 1])) parts.push_back({.role = Role::draft});
        } else if (std::holds_alternative<Verified>(e)) {
            parts.push_back({.role = Role::target});
        } else if (const auto* check = std::get_if<Checked>(&e)) {
            parts.push_back({.role = check->accepted ? Role::accepted : Role::rejected});
        } else if (const auto* own = std::get_if<TargetToken>(&e)) {
            parts.push_back({.role = role_of(own->from), .own = true});
        } else if (const auto* commit = std::get_if<Committed>(&e)) {
            parts.push_back({.role = Role::target, .commit = true, .tokens = static_cast<int>(commit->tokens.size())});
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
        const Message words = race_says("clock.brought"_t, "tokens"_v = part.tokens);
        if (c.printed_width(words, Font::mono, 14) + 4 < box.w)
            c.print({box.center().x, box.center().y + 5}, words, Font::mono, 14, t.ink, ui::Align::center);
    }
}

// How often a lane went through each phase up to a step.
Message steps_words(const RaceDraw& d, int index, std::size_t now) {
    const RaceLaneModel& lane = d.model.lanes[static_cast<std::size_t>(index)];
    const auto& steps = d.model.race->steps;
    const auto at = static_cast<std::size_t>(index);
    int tokens = 0;
    std::map<std::pair<Role, bool>, int> times; // of a role, and whether it is an own token
    for (const Part& part : parts_between(*lane.trace, steps[0][at], steps[now][at])) {
        tokens += part.tokens;
        if (!part.commit) ++times[{part.role, part.own}];
    }
    return race_says("steps.row"_t, "drafter"_v = lane.title, "step"_v = now, "drafting"_v = times[{Role::draft, false}],
                     "passes"_v = times[{Role::target, false}], "kept"_v = times[{Role::accepted, false}],
                     "refused"_v = times[{Role::rejected, false}], "residual"_v = times[{Role::residual, true}],
                     "bonus"_v = times[{Role::bonus, true}], "own"_v = times[{Role::target, true}], "tokens"_v = tokens);
}

} // namespace

void draw_race_clock(const RaceDraw& d, std::vector<SceneCommand>& out) {
    const Rect r = d.grid.clock;
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const RaceRows rows = race_rows(d);
    const float h = rows.h, axis = rows.axis();
    if (d.model.longest <= 0) {
        ui::fitted_text(c, {r.x + 24, rows.y0 + 17}, race_says("clock.empty"_t), Font::text, 14, t.muted, r.w - 48);
        return;
    }
    const ui::Scale x{.lo = 0, .hi = d.model.longest, .a = rows.x0, .b = rows.x1};
    const ui::Ticks marks = ui::ticks(0, d.model.longest, d.grid.roomy ? 8 : 6, true);
    ui::axis_x(c, t, x, axis, marks, {.tick_marks = true, .label_offset = 18});
    struct Note {
        float x, y;
        Message words;
        bool strong;
    };
    std::vector<Note> notes;
    for (int i = 0; i < rows.count; ++i) {
        const RaceLaneModel& lane = d.model.lanes[static_cast<std::size_t>(i)];
        const float y = rows.y(i);
        draw_race_row_name(d, rows, i);
        if (!lane.trace || lane.whole.round_list.empty()) {
            ui::fitted_text(c, {rows.x0, y + h / 2 + 5}, race_says("clock.waits"_t, "problem"_v = !lane.lane->problem.empty()), Font::text,
                            14, t.muted, 200);
            continue;
        }
        c.tell(clock_words(d, lane), {x.a, y, x.b - x.a, h});
        draw_lane(d, lane, x, y, h);
        if (d.model.undecided) continue; // where it ends is the question
        notes.push_back({x(lane.end) + 10, y + h / 2 + 5,
                         race_says("clock.end"_t, "rounds"_v = d.model.rounds ? lane.whole.rounds : 0,
                                   "ms"_v = d.model.rounds ? std::nullopt : std::optional(lane.total_ms)),
                         lane.done});
    }
    ui::playhead(c, t, x(std::min(d.model.clock, d.model.longest)), rows.y0 - 6, rows.bottom());
    for (const Note& note : notes) {
        const float w = c.printed_width(note.words, Font::mono, 14);
        c.fill({note.x - 3, note.y - 14, w + 6, 18}, t.panel.alpha(0.85F), 2);
        c.print({note.x, note.y}, note.words, Font::mono, 14, note.strong ? t.ink : t.muted);
    }
    if (ui::button(d.ui, "unit", {x.b + 10, axis + 2, 96, 26}, race_says("clock.unit"_t, "rounds"_v = d.model.rounds),
                   {.kind = ui::ButtonKind::quiet, .shortcut = "S", .tooltip = race_says("clock.unit_about"_t)}))
        out.push_back(ToggleRaceClock{});
    const RaceLegend legend[] = {hue(Role::draft, "key.drafting"_t), hue(Role::target, "key.target"_t), hue(Role::accepted, "key.kept"_t),
                                 hue(Role::residual, "key.residual"_t), hue(Role::bonus, "key.bonus"_t)};
    const RaceLegend others = hue(Role::target, "key.rest"_t);
    const float end = draw_race_legend(d, {rows.x0, axis + 28}, r.right() - 120, legend), room = r.right() - 12 - end - 25;
    const Message& rest = c.text_width(others.words, Font::text, 14) <= room ? others.words : others.brief;
    if (c.text_width(rest, Font::text, 14) < room) {
        c.fill({end, axis + 28, 18, 18}, t.muted.alpha(0.45F), 2);
        c.text({end + 25, axis + 42}, rest, Font::text, 14, t.muted);
    }

    if (const auto at = dragged_to(d, rows, x, "clock")) out.push_back(SetRaceClock{std::clamp(*at, 0.0, d.model.longest)});
}

void draw_race_steps(const RaceDraw& d, std::vector<SceneCommand>& out) {
    const Rect r = d.grid.clock;
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const RaceRows rows = race_rows(d);
    const float h = rows.h, axis = rows.axis();
    const auto& steps = d.model.race->steps;
    if (steps.empty()) {
        ui::fitted_text(c, {r.x + 24, rows.y0 + 17}, race_says("steps.empty"_t), Font::text, 14, t.muted, r.w - 48);
        return;
    }
    const double last = std::max(kFewest, static_cast<double>(steps.size() - 1));
    const ui::Scale x{.lo = 0, .hi = last, .a = rows.x0, .b = rows.x1};
    ui::axis_x(c, t, x, axis, ui::ticks(0, last, d.grid.roomy ? 8 : 6, true), {.tick_marks = true, .label_offset = 18});
    c.text({x.b + 12, axis + 18}, race_says("steps.axis"_t), Font::text, 14, t.muted);
    const auto now = static_cast<std::size_t>(d.model.clock + 0.5);
    for (int i = 0; i < rows.count; ++i) {
        const RaceLaneModel& lane = d.model.lanes[static_cast<std::size_t>(i)];
        const auto at = static_cast<std::size_t>(i);
        const float y = rows.y(i);
        draw_race_row_name(d, rows, i);
        if (!lane.trace) {
            ui::fitted_text(c, {rows.x0, y + h / 2 + 5}, race_says("clock.waits"_t, "problem"_v = true), Font::text, 14, t.muted, 200);
            continue;
        }
        c.tell(steps_words(d, i, now), {x.a, y, x.b - x.a, h});
        for (std::size_t s = 1; s < steps.size(); ++s)
            draw_cell(d, lane, steps[s - 1][at], steps[s][at], {x(static_cast<double>(s - 1)), y, x.length(1), h},
                      s <= now ? 1.0F : kLater);
        c.print({r.right() - 12, y + h / 2 + 5}, race_says("steps.rounds"_t, "rounds"_v = lane.shown.rounds), Font::mono, 14,
                lane.done ? t.ink : t.muted, ui::Align::right);
    }
    ui::playhead(c, t, x(static_cast<double>(now)), rows.y0 - 6, rows.bottom());
    const RaceLegend legend[] = {hue(Role::draft, "key.guesses"_t),      hue(Role::target, "key.target"_t),
                                 hue(Role::accepted, "key.stays"_t),     hue(Role::rejected, "key.refused"_t),
                                 hue(Role::residual, "key.left_over"_t), hue(Role::bonus, "key.bonus"_t)};
    draw_race_legend(d, {rows.x0, axis + 28}, r.right() - 12, legend);

    if (const auto at = dragged_to(d, rows, x, "steps"))
        out.push_back(SetRaceClock{std::clamp(std::round(*at), 0.0, static_cast<double>(steps.size() - 1))});
}

} // namespace speclens
