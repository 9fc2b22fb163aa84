// The score of a stepped race: one column per step, one row per lane, and in each cell the phases that the
// lane went through in that step. Columns are steps, not time.
#include <algorithm>
#include <array>
#include <cmath>

#include "app/ui/format.h"
#include "app/ui/plot.h"
#include "app/ui/tokens.h"
#include "scenes/race_draw.h"
#include "scenes/words.h"

namespace speclens {
namespace {

using ui::Font;
using ui::Rect;
using ui::Role;

constexpr float kAfter = 0.38F;
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

void draw_legend(const RaceDraw& d, float x, float y) {
    constexpr std::array kShown = {Role::draft,    Role::target,   Role::accepted,
                                   Role::rejected, Role::residual, Role::bonus};
    constexpr std::array kWords = {"guesses",
                                   "target pass; its own token",
                                   "a guess stays",
                                   "a guess is refused",
                                   "drawn from what was left over",
                                   "bonus after a full round"};
    ui::Canvas& c = d.ui.canvas;
    for (std::size_t i = 0; i < kShown.size(); ++i) {
        ui::role_swatch(c, d.ui.theme, {x, y, 18, 18}, kShown[i]);
        c.text({x + 25, y + 14}, kWords[i], Font::text, 14, d.ui.theme.muted);
        x += 25 + c.text_width(kWords[i], Font::text, 14) + 24;
    }
}

} // namespace

void draw_race_steps(const RaceDraw& d, std::vector<SceneCommand>& out) {
    const Rect r = d.grid.clock;
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    c.fill(r, t.panel);
    c.line({r.x, r.y + 0.5F}, {r.right(), r.y + 0.5F}, t.hairline());
    const float pitch = d.grid.roomy ? 32.0F : 26.0F, h = d.grid.roomy ? 24.0F : 20.0F;
    const float x0 = r.x + 140, y0 = r.y + 16;
    const auto& steps = d.model.race->steps;
    const int count = static_cast<int>(d.model.lanes.size());
    const float axis = y0 + pitch * static_cast<float>(std::max(1, count)) + 2;
    if (steps.empty()) {
        ui::fitted_text(c, {r.x + 24, y0 + 17}, "the lanes are reading the prompt", Font::text, 14, t.muted,
                        r.w - 48);
        return;
    }
    const double last = std::max(kFewest, static_cast<double>(steps.size() - 1));
    const ui::Scale x{.lo = 0, .hi = last, .a = x0, .b = r.right() - 110};
    ui::axis_x(c, t, x, axis, ui::ticks(0, last, d.grid.roomy ? 8 : 6, true),
               {.tick_marks = true, .label_offset = 18});
    c.text({x.b + 12, axis + 18}, "steps", Font::text, 14, t.muted);
    const auto now = static_cast<std::size_t>(d.model.clock + 0.5);
    for (int i = 0; i < count; ++i) {
        const RaceLaneModel& lane = d.model.lanes[static_cast<std::size_t>(i)];
        const auto at = static_cast<std::size_t>(i);
        const float y = y0 + pitch * static_cast<float>(i);
        const bool chosen = i == d.model.focus;
        ui::icon(c, lane.mark, {r.x + 23, y + h / 2}, 12, chosen ? t.ink : t.muted);
        ui::fitted_text(c, {r.x + 38, y + h / 2 + 5}, lane.title, chosen ? Font::text_bold : Font::text, 14,
                        chosen ? t.ink : t.muted, x0 - r.x - 46);
        if (!lane.trace) {
            ui::fitted_text(c, {x0, y + h / 2 + 5}, "cannot run", Font::text, 14, t.muted, 200);
            continue;
        }
        for (std::size_t s = 1; s < steps.size(); ++s)
            draw_cell(d, lane, steps[s - 1][at], steps[s][at],
                      {x(static_cast<double>(s - 1)), y, x.length(1), h}, s <= now ? 1.0F : kAfter);
        const std::string words = counted(lane.shown.rounds, "round");
        c.text({r.right() - 12, y + h / 2 + 5}, words, Font::mono, 14, lane.done ? t.ink : t.muted,
               ui::Align::right);
    }
    ui::playhead(c, t, x(static_cast<double>(now)), y0 - 6,
                 y0 + pitch * static_cast<float>(count - 1) + h + 2);
    if (d.grid.roomy) draw_legend(d, x0, axis + 28);

    const Rect area{x0 - 6, r.y + 2, x.b - x0 + 12, axis - r.y + 6};
    const ui::Touch touched = ui::touch(d.ui, d.ui.id("steps"), area, {.focusable = false, .grow = false});
    if (touched.held || touched.clicked || touched.began)
        out.push_back(SetRaceClock{std::clamp(std::round(x.inverse(d.ui.input.mouse.x)), 0.0,
                                              static_cast<double>(steps.size() - 1))});
}

} // namespace speclens
