// Tokens per round over drafting time. Lines of equal speed-up: tokens = s × (draft + verify + rest) ÷ plain
// pass, with the lanes' mean verify time, so that they are exact where all lanes verify as many rows.
// Published points have a panel, a scale and lines of their own: another machine, another target.
#include <algorithm>
#include <cmath>

#include "scenes/race/race_draw.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/point_labels.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

using ui::Align;
using ui::Font;
using ui::Rect;

constexpr float kLabelRoom = 116; // right of the last mark, for its name and speed-up

struct Point {
    std::string title, label;
    ui::Icon mark;
    double x = 0, y = 0, low = 0, high = 0;
    bool chosen = false;
    int lane = -1; // that a click chooses; -1: none
};

struct Panel {
    Rect area; // of the axes
    double x_max = 1, y_min = 1, y_max = 2;
    double fixed = 0, plain = 1; // ms: what a round costs besides drafting; a plain pass
    bool published = false;
};

void draw_panel(const RaceDraw& d, const Panel& p, const std::vector<Point>& points,
                const std::string& caption, std::vector<SceneCommand>& out) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const ui::Scale x{.lo = 0, .hi = p.x_max, .a = p.area.x, .b = p.area.right()};
    const ui::Scale y{.lo = p.y_min, .hi = p.y_max, .a = p.area.bottom(), .b = p.area.y};
    c.fill(p.area, t.bg);
    ui::axis_x(c, t, x, p.area.bottom(), ui::ticks(0, p.x_max, p.area.w > 240 ? 5 : 3), {.label_offset = 18});
    ui::axis_y(c, t, y, p.area.x, ui::ticks(p.y_min, p.y_max, p.area.h > 140 ? 5 : 3),
               {.grid_to = p.area.right(), .grid = true, .base_line = true});
    ui::fitted_text(c, {p.area.x, p.area.bottom() + 36}, caption, Font::text, 14, t.muted, p.area.w);

    std::vector<ui::Vec2> marks;
    for (const Point& point : points) marks.push_back({x(point.x), y(point.y)});
    // Marks that lie over each other share one name, a line each.
    const auto groups = coinciding(marks, 12);
    for (const std::vector<std::size_t>& group : groups)
        for (const std::size_t i : group) marks[i] = marks[group[0]];
    PointLabels labels(c, {p.area.x + 2, p.area.y + 2, p.area.w - 4, p.area.h - 4}, marks);
    for (const Point& point : points)
        if (point.high > point.low)
            labels.block({x(point.x) - 6, y(point.high) - 2, 12, y(point.low) - y(point.high) + 4});

    c.push_clip(p.area);
    std::vector<std::pair<ui::Vec2, std::string>> names;
    if (p.plain > 0) {
        const double top = p.y_max * p.plain / std::max(1e-9, p.fixed);
        const double step = top > 24 ? std::ceil(top / 12) : top > 6 ? 1 : 0.5;
        for (double s = step; s <= top + 1e-9; s += step) {
            const double left = s * p.fixed / p.plain, right = s * (p.fixed + p.x_max) / p.plain;
            if (right < p.y_min || left > p.y_max) continue;
            const bool whole = std::abs(s - std::round(s)) < 1e-6;
            c.line({x(0), y(left)}, {x(p.x_max), y(right)},
                   whole ? ui::Stroke{t.muted.alpha(0.7F), 1} : ui::Stroke{t.muted.alpha(0.5F), 1, 2, 3});
            // The name stands where the line leaves the panel.
            const double end_x = right <= p.y_max ? p.x_max : (p.y_max * p.plain / s) - p.fixed;
            const double end_y = std::min(right, p.y_max);
            names.push_back({{x(end_x), y(end_y)}, ui::number(s, whole ? 0 : 1) + "×"});
        }
    }
    c.pop_clip();
    const ui::Color ground = t.bg.alpha(0.85F);
    std::vector<std::size_t> apart;
    for (const std::vector<std::size_t>& group : groups) {
        std::string full, titles;
        Font font = Font::text;
        for (const std::size_t i : group) {
            const Point& point = points[i];
            const std::string next = full.empty() ? "" : "\n";
            full += next + point.title + (point.label.empty() ? "" : " " + point.label);
            titles += next + point.title;
            if (point.chosen) font = Font::text_bold;
        }
        if (!labels.name(marks[group[0]], full, font, t.ink, ground) &&
            !labels.name(marks[group[0]], titles, font, t.ink, ground))
            apart.insert(apart.end(), group.begin(), group.end());
    }
    for (const std::size_t i : apart) // no room for a group together: one by one, as far as they go
        labels.name(marks[i], points[i].title, points[i].chosen ? Font::text_bold : Font::text, t.ink,
                    ground);
    for (const auto& [at, words] : names) {
        const float w = c.text_width(words, Font::text, 14);
        labels.place({std::min(at.x, p.area.right() - 4) + (at.y > p.area.y + 12 ? 0 : -w),
                      std::max(at.y, p.area.y + 12)},
                     words, t.muted, t.bg.alpha(0.7F));
    }
    for (const Point& point : points) {
        const float px = x(point.x), py = y(point.y);
        if (p.published) {
            ui::hollow_icon(c, point.mark, {px, py}, 15, t.ink);
        } else {
            if (point.high > point.low) ui::whisker(c, t, px, y(point.low), y(point.high));
            c.disc({px, py}, 8, t.bg);
            ui::icon(c, point.mark, {px, py}, 14, t.ink);
        }
        if (point.lane < 0) continue;
        const Rect mark{px - 14, py - 14, 28, 28};
        if (ui::touch(d.ui, d.ui.id("mark " + std::to_string(point.lane)), mark, {.focusable = false})
                .clicked)
            out.push_back(FocusLane{point.lane});
        ui::tooltip(d.ui, mark, "click: choose this lane");
    }
}

double nice_top(double value) {
    const double step = value > 20 ? 5 : value > 5 ? 1 : value > 1 ? 0.5 : value > 0.2 ? 0.1 : 0.02;
    return std::ceil(value / step) * step;
}

} // namespace

void draw_race_scatter(const RaceDraw& d, Rect card, std::vector<SceneCommand>& out) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const PublishedRace paper = published_race(d.input.figures);
    const bool lined = d.model.plain >= 0 &&
                       d.model.lanes[static_cast<std::size_t>(d.model.plain)].lane->average.has_value();
    const std::string over = averages_words(d.model), lines = lined ? " · lines: equal speed-up"
                                                              : paper.points.empty()
                                                                  ? ""
                                                                  : " · lines of PUBLISHED: equal speed-up";
    const Rect in = race_card(
        d, card, scatter_title(d.model),
        {over + " · tokens per round, draft ms" + lines, over + " · tokens per round, draft ms", over});
    std::vector<Point> live;
    Panel left;
    double verify = 0, plain = 0;
    for (std::size_t i = 0; i < d.model.lanes.size(); ++i) {
        const RaceLaneModel& lane = d.model.lanes[i];
        if (!lane.lane->average) continue;
        const LaneAverage& a = *lane.lane->average;
        if (lane.plain()) {
            plain = a.totals.round_ms();
            continue;
        }
        live.push_back({.title = lane.title,
                        .label = a.speed_up.value > 0 ? ui::speed_up(a.speed_up.value) : "",
                        .mark = lane.mark,
                        .x = a.totals.draft_ms,
                        .y = a.tokens_per_round.value,
                        .low = a.tokens_per_round.low,
                        .high = a.tokens_per_round.high,
                        .chosen = static_cast<int>(i) == d.model.focus,
                        .lane = static_cast<int>(i)});
        verify += a.totals.verify_ms + a.totals.other_ms;
    }
    const bool with_paper = !paper.points.empty();
    const float foot = 44, gap = 52;
    const float width = with_paper ? (in.w - gap - 34) * 0.56F : in.w - 34;
    const Rect area{in.x + 30, in.y + 8, width, in.h - 8 - foot};
    if (live.empty()) {
        ui::slot(c, t, {area.x, area.y, area.w, std::min(32.0F, area.h)}, no_averages_words(d.model));
    } else {
        double x_max = 0, y_max = 0, y_min = 1e9;
        for (const Point& p : live) {
            x_max = std::max(x_max, p.x);
            y_max = std::max(y_max, std::max(p.y, p.high));
            y_min = std::min(y_min, std::min(p.y, p.low));
        }
        left = {.area = area,
                .x_max = nice_top(x_max * static_cast<double>(area.w / std::max(80.0F, area.w - kLabelRoom))),
                .y_min = std::max(0.0, std::floor(y_min - 0.7)),
                .y_max = std::ceil(y_max + 0.5),
                .fixed = verify / static_cast<double>(live.size()),
                .plain = plain};
        draw_panel(d, left, live, "drafting, ms · " + std::string(tier_name(d.model.tier)), out);
    }
    if (!with_paper) return;
    std::vector<Point> known;
    Panel right{.area = {area.right() + gap, area.y, in.right() - area.right() - gap, area.h},
                .published = true};
    double y_max = 0, y_min = 1e9;
    for (const PublishedPoint& p : paper.points) {
        known.push_back({.title = method_title(p.method),
                         .label = ui::speed_up(p.speed_up),
                         .mark = method_mark(p.method),
                         .x = p.draft + p.head,
                         .y = p.tokens});
        right.x_max = std::max(right.x_max, p.draft + p.head);
        y_max = std::max(y_max, p.tokens);
        y_min = std::min(y_min, p.tokens);
        right.fixed = p.verify;
        right.plain = p.target;
    }
    right.x_max = nice_top(right.x_max * 1.2);
    right.y_min = std::floor(y_min - 0.5);
    right.y_max = std::ceil(y_max + 0.2);
    c.line({area.right() + 12.5F, area.y}, {area.right() + 12.5F, in.bottom()}, t.hairline());
    draw_panel(d, right, known, "ms · PUBLISHED, " + paper.hardware, out);
    std::string derived;
    for (const PublishedPoint& p : paper.points)
        if (p.derived) derived += "; drafting time of " + method_title(p.method) + " derived, not reported";
    ui::tooltip(d.ui, right.area, paper.conditions + derived + "; source: " + paper.source);
}

} // namespace speclens
