// The score of a stepped race: one column per step, one row per lane, and in each cell the phases that the
// lane went through in that step. Columns are steps, not time.
#include <algorithm>
#include <cmath>

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
        } else if (const auto* own = std::get_if<Resampled>(&e)) {
            parts.push_back({own->from == Resampled::From::residual ? Role::residual
                             : own->from == Resampled::From::bonus  ? Role::bonus
                                                                    : Role::target});
        } else if (const auto* commit = std::get_if<Committed>(&e)) {
            parts.push_back({Role::target, true, static_cast<int>(commit->tokens.size())});
        }
    }
    return parts;
}

void draw_cell(const RaceDraw& d, const RaceLaneModel& lane, std::size_t from, std::size_t to, Rect cell,
               float strength) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const std::vector<Part> parts = parts_between(*lane.trace, from, to);
    if (parts.empty()) return;
    const float w = cell.w / static_cast<float>(parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Part& part = parts[i];
        const Rect box{cell.x + w * static_cast<float>(i), cell.y, std::max(0.6F, w - (w > 4 ? 1.0F : 0.2F)),
                       cell.h};
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

void draw_race_steps(const RaceDraw& d, std::vector<SceneCommand>& out) {
    const Rect r = d.grid.clock;
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const RaceRows rows = race_rows(d);
    const float h = rows.h, axis = rows.axis();
    const auto& steps = d.model.race->steps;
    if (steps.empty()) {
        ui::fitted_text(c, {r.x + 24, rows.y0 + 17}, "the lanes are reading the prompt", Font::text, 14,
                        t.muted, r.w - 48);
        return;
    }
    const double last = std::max(kFewest, static_cast<double>(steps.size() - 1));
    const ui::Scale x{.lo = 0, .hi = last, .a = rows.x0, .b = rows.x1};
    ui::axis_x(c, t, x, axis, ui::ticks(0, last, d.grid.roomy ? 8 : 6, true),
               {.tick_marks = true, .label_offset = 18});
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
            draw_cell(d, lane, steps[s - 1][at], steps[s][at],
                      {x(static_cast<double>(s - 1)), y, x.length(1), h}, s <= now ? 1.0F : kLater);
        const std::string words = counted(lane.shown.rounds, "round");
        c.text({r.right() - 12, y + h / 2 + 5}, words, Font::mono, 14, lane.done ? t.ink : t.muted,
               ui::Align::right);
    }
    ui::playhead(c, t, x(static_cast<double>(now)), rows.y0 - 6, rows.bottom());
    constexpr RaceLegend kLegend[] = {
        {Role::draft, "guesses", "guesses"},
        {Role::target, "target pass; its own token", "target pass; its own token"},
        {Role::accepted, "a guess stays", "stays"},
        {Role::rejected, "a guess is refused", "refused"},
        {Role::residual, "drawn from what was left over", "drawn from what was left over"},
        {Role::bonus, "bonus after a full round", "bonus"}};
    draw_race_legend(d, {rows.x0, axis + 28}, r.right() - 12, kLegend);

    const Rect area{rows.x0 - 6, r.y + 2, x.b - rows.x0 + 12, axis - r.y + 6};
    const ui::Touch touched = ui::touch(d.ui, d.ui.id("steps"), area, {.focusable = false, .grow = false});
    if (touched.held || touched.clicked || touched.began)
        out.push_back(SetRaceClock{std::clamp(std::round(x.inverse(d.ui.input.mouse.x)), 0.0,
                                              static_cast<double>(steps.size() - 1))});
}

} // namespace speclens
