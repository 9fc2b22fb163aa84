// The cards of the race: what the lanes came to on average, over the prompts.
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <ranges>

#include "engine/drafters/drafter_info.h"
#include "scenes/race/race_draw.h"
#include "scenes/shared/measure_charts.h"
#include "scenes/shared/methods.h"
#include "scenes/shared/panel.h"
#include "scenes/shared/point_labels.h"
#include "scenes/shared/published_round.h"
#include "scenes/shared/words.h"
#include "ui/format.h"
#include "ui/plot.h"
#include "ui/text_layout.h"
#include "ui/tokens.h"

namespace speclens {
namespace {

// Why there are no averages, in as many words as fit.
Message why_empty(const RaceDraw& d, float room) {
    return ui::fitting(d.ui.canvas, std::array{no_averages_words(d.model), no_averages_words(d.model, true)}, Font::text, 14, room - 16);
}

// Three digits behind the point for a fraction of a millisecond; none that the column has no room for.
std::string cost_number(double ms) { return ui::number(ms, ms >= 100 ? 1 : ms >= 10 ? 2 : 3); }

// Heading of a card: a finding and its conditions, the first of several wordings that fits beside what is
// `taken` at the right. Returns the rectangle that is left for the figure.
Rect race_card(const RaceDraw& d, Rect card, const Message& heading, const std::vector<Message>& conditions, float taken = 0) {
    ui::card(d.ui.canvas, d.ui.theme, card);
    ui::fitted_text(d.ui.canvas, {card.x + 16, card.y + 24}, heading, ui::Font::text_bold, 15, d.ui.theme.ink, card.w - 32);
    one_of(d.ui, {card.x + 16, card.y + 45}, card.w - 32 - taken, conditions, d.ui.theme.muted);
    return {card.x + 16, card.y + 56, card.w - 32, card.h - 56 - 10};
}

// Tokens per round over drafting time. Lines of equal speed-up: tokens = s × (draft + verify + rest) ÷ plain
// pass, with the lanes' mean verify time, so that they are exact where all lanes verify as many rows.
// Published points have a panel, a scale and lines of their own: another machine, another target.

constexpr float kLabelRoom = 116; // right of the last mark, for its name and speed-up

struct Point {
    std::string title;
    Message speed, told; // speed: behind the title; empty: not known
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

void draw_panel(const RaceDraw& d, const Panel& p, const std::vector<Point>& points, const Message& caption,
                std::vector<SceneCommand>& out) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const ui::Scale x{.lo = 0, .hi = p.x_max, .a = p.area.x, .b = p.area.right()};
    const ui::Scale y{.lo = p.y_min, .hi = p.y_max, .a = p.area.bottom(), .b = p.area.y};
    c.fill(p.area, t.bg);
    ui::axis_x(c, t, x, p.area.bottom(), ui::ticks(0, p.x_max, p.area.w > 240 ? 5 : 3), {.label_offset = 18});
    ui::axis_y(c, t, y, p.area.x, ui::ticks(p.y_min, p.y_max, p.area.h > 140 ? 5 : 3),
               {.grid_to = p.area.right(), .grid = true, .base_line = true});
    ui::fitted_text(c, {p.area.x, p.area.bottom() + 36}, caption, Font::text, 14, t.muted, p.area.w);

    for (const Point& point : points) // one each: they are told apart by their names
        ui::plotted(c, p.area, ui::PlotMark::points, point.title, std::span(&point, 1), [](const Point& at) {
            const bool interval = at.high > at.low;
            return ui::PlotDatum{
                .x = at.x, .y = at.y, .low = interval ? at.low : ui::PlotDatum::kNone, .high = interval ? at.high : ui::PlotDatum::kNone};
        });
    std::vector<ui::Vec2> marks;
    for (const Point& point : points) marks.push_back({x(point.x), y(point.y)});
    // Marks that lie over each other share one name, a line each.
    const auto groups = coinciding(marks, 12);
    for (const std::vector<std::size_t>& group : groups)
        for (const std::size_t i : group) marks[i] = marks[group[0]];
    PointLabels labels(c, {p.area.x + 2, p.area.y + 2, p.area.w - 4, p.area.h - 4}, marks);
    for (const Point& point : points)
        if (point.high > point.low) labels.block({x(point.x) - 6, y(point.high) - 2, 12, y(point.low) - y(point.high) + 4});

    c.push_clip(p.area);
    std::vector<std::pair<ui::Vec2, std::string>> names;
    if (p.plain > 0) {
        c.tell(race_says("scatter.lines"_t, "fixed"_v = p.fixed, "plain"_v = p.plain), p.area);
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
            names.push_back({{x(end_x), y(end_y)}, race_says("scatter.line"_t, "times"_v = s)});
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
            full += next + race_says("scatter.name"_t, "lane"_v = point.title, "times"_v = point.speed);
            titles += next + point.title;
            if (point.chosen) font = Font::text_bold;
        }
        if (!labels.name(marks[group[0]], full, font, t.ink, ground) && !labels.name(marks[group[0]], titles, font, t.ink, ground))
            apart.insert(apart.end(), group.begin(), group.end());
    }
    for (const std::size_t i : apart) // no room for a group together: one by one, as far as they go
        labels.name(marks[i], points[i].title, points[i].chosen ? Font::text_bold : Font::text, t.ink, ground);
    for (const auto& [at, words] : names) {
        const float w = c.printed_width(words, Font::text, 14);
        labels.place({std::min(at.x, p.area.right() - 4) + (at.y > p.area.y + 12 ? 0 : -w), std::max(at.y, p.area.y + 12)}, words, t.muted,
                     t.bg.alpha(0.7F));
    }
    for (const Point& point : points) {
        const float px = x(point.x), py = y(point.y);
        c.tell(point.told, {px - 14, py - 14, 28, 28});
        if (p.published) {
            ui::hollow_icon(c, point.mark, {px, py}, 15, t.ink);
        } else {
            if (point.high > point.low) ui::whisker(c, t, px, y(point.low), y(point.high));
            c.disc({px, py}, 8, t.bg);
            ui::icon(c, point.mark, {px, py}, 14, t.ink);
        }
        if (point.lane < 0) continue;
        const Rect mark{px - 14, py - 14, 28, 28};
        if (ui::touch(d.ui, d.ui.id("mark " + std::to_string(point.lane)), mark, {.focusable = false}).clicked)
            out.push_back(FocusLane{point.lane});
        ui::tooltip(d.ui, mark, race_says("lane.choose"_t));
    }
}

double nice_top(double value) {
    const double step = value > 20 ? 5 : value > 5 ? 1 : value > 1 ? 0.5 : value > 0.2 ? 0.1 : 0.02;
    return std::ceil(value / step) * step;
}

// Axes that hold all points, `wider` times as long as they need, with room below and above them.
void fit_axes(Panel& p, const std::vector<Point>& points, double wider, double below, double above) {
    double x = 0, low = 1e9, high = 0;
    for (const Point& point : points) {
        x = std::max(x, point.x);
        high = std::max({high, point.y, point.high});
        low = std::min(low, point.high > 0 ? std::min(point.y, point.low) : point.y);
    }
    p.x_max = nice_top(x * wider);
    p.y_min = std::max(0.0, std::floor(low - below));
    p.y_max = std::ceil(high + above);
}

// A click on a mark chooses.
void draw_race_scatter(const RaceDraw& d, Rect card, std::vector<SceneCommand>& out) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const PublishedRace paper = published_beside(d.input, d.model);
    const bool lined = d.model.plain >= 0 && d.model.lanes[static_cast<std::size_t>(d.model.plain)].lane->average.has_value();
    const auto over = "over"_v = averages_words(d.model);
    const auto under = [&](bool axes, bool lines) {
        return race_says("scatter.under"_t, over, "axes"_v = axes, "lines"_v = lines && lined,
                         "published"_v = lines && !lined && !paper.points.empty());
    };
    const Rect in = race_card(d, card, scatter_title(d.model), {under(true, true), under(true, false), under(false, false)});
    std::vector<Point> live;
    double verify = 0, plain = 0;
    for (std::size_t i = 0; i < d.model.lanes.size(); ++i) {
        const RaceLaneModel& lane = d.model.lanes[i];
        if (!lane.lane->average) continue;
        const LaneAverage& a = *lane.lane->average;
        if (lane.plain()) {
            plain = a.totals.round_ms();
            continue;
        }
        const Message speed = average_speed(d.model, a);
        const Estimate& tokens = a.tokens_per_round;
        live.push_back(
            {.title = lane.title,
             .speed = speed,
             .told = race_says("scatter.point"_t, "lane"_v = lane.title, "tokens"_v = tokens.value, "interval"_v = tokens.interval,
                               "low"_v = tokens.low, "high"_v = tokens.high, "draft"_v = a.totals.draft_ms, "times"_v = speed),
             .mark = lane.mark,
             .x = a.totals.draft_ms,
             .y = tokens.value,
             .low = tokens.low,
             .high = tokens.high,
             .chosen = static_cast<int>(i) == d.model.focus,
             .lane = static_cast<int>(i)});
        verify += a.totals.verify_ms + a.totals.other_ms;
    }
    const bool with_paper = !paper.points.empty();
    const float foot = 44, gap = 52;
    const float width = with_paper ? (in.w - gap - 34) * 0.56F : in.w - 34;
    const Rect area{in.x + 30, in.y + 8, width, in.h - 8 - foot};
    if (live.empty()) {
        ui::slot(c, t, {area.x, area.y, area.w, std::min(32.0F, area.h)}, why_empty(d, area.w));
    } else {
        Panel left{.area = area, .fixed = verify / static_cast<double>(live.size()), .plain = plain};
        fit_axes(left, live, static_cast<double>(area.w / std::max(80.0F, area.w - kLabelRoom)), 0.7, 0.5);
        draw_panel(d, left, live, race_says("scatter.axis"_t, "tier"_v = tier_name(shown_tier(d.input, d.model.tier))), out);
    }
    if (!with_paper) return;
    std::vector<Point> known;
    Panel right{.area = {area.right() + gap, area.y, in.right() - area.right() - gap, area.h}, .published = true};
    for (const PublishedPoint& p : paper.points) {
        known.push_back(
            {.title = method_title(p.method),
             .speed = race_says("words.times"_t, "doubt"_v = false, "times"_v = p.speed_up),
             .told = race_says("scatter.published"_t, "conditions"_v = paper.conditions, "method"_v = method_title(p.method).words(),
                               "round"_v = published_round_words(p), "source"_v = paper.source),
             .mark = method_mark(p.method),
             .x = p.draft + p.head,
             .y = p.tokens});
        right.fixed = p.verify;
        right.plain = p.target;
    }
    fit_axes(right, known, 1.2, 0.5, 0.2);
    c.line({area.right() + 12.5F, area.y}, {area.right() + 12.5F, in.bottom()}, t.hairline());
    draw_panel(d, right, known, race_says("scatter.published_axis"_t, "hardware"_v = paper.hardware), out);
    std::vector<Said> derived;
    for (const PublishedPoint& p : paper.points)
        if (p.derived) derived.push_back(race_said("words.name"_t, "name"_v = method_title(p.method).words()));
    ui::tooltip(d.ui, right.area,
                race_says("scatter.about"_t, "conditions"_v = paper.conditions, "derived"_v = derived, "source"_v = paper.source));
}

// Conditional acceptance by draft position: the chance that guess i stays once all before it did, that of the chosen lane
// with 95 % score intervals. A line ends where fewer than thirty rounds arrive. Where the first guess is the hardest, a
// line of words says after what.

struct Line {
    const RaceLaneModel* lane;
    std::vector<double> value, low, high;
};

// At every place, also where too few rounds arrive for the line to go on: there without an interval.
Message line_words(const Line& line) {
    const Totals& totals = line.lane->lane->average->totals;
    std::vector<Said> places;
    for (std::size_t i = 0; i < totals.conditional.size(); ++i) {
        const bool interval = i < line.value.size();
        places.push_back(race_said("positions.place"_t, "kept"_v = totals.conditional[i], "judged"_v = totals.judged_at[i],
                                   "interval"_v = interval, "low"_v = interval ? line.low[i] : 0.0,
                                   "high"_v = interval ? line.high[i] : 1.0));
    }
    return race_says("positions.line"_t, "drafter"_v = line.lane->title, "places"_v = places);
}

void draw_race_positions(const RaceDraw& d, Rect card) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    std::vector<Message> conditions{skipped_words(d.model)};
    if (conditions[0].empty()) {
        const auto under = [&](bool brief, bool axes) {
            return race_says("positions.under"_t, "over"_v = averages_words(d.model, brief), "axes"_v = axes);
        };
        conditions = {under(false, true), under(true, true), under(false, false)};
    }
    const Rect in = race_card(d, card, positions_title(d.model), conditions);
    std::vector<Line> lines;
    std::size_t longest = 1;
    for (const RaceLaneModel& lane : d.model.lanes) {
        if (lane.plain() || !lane.lane->average) continue;
        const Totals& totals = lane.lane->average->totals;
        Line line{&lane, {}, {}, {}};
        for (std::size_t i = 0; i < totals.judged_at.size() && totals.judged_at[i] >= kEnoughRounds; ++i) {
            const Interval interval = wilson(totals.accepted_at[i], totals.judged_at[i]);
            line.value.push_back(totals.conditional[i]);
            line.low.push_back(interval.low);
            line.high.push_back(interval.high);
        }
        if (!totals.conditional.empty()) c.tell(line_words(line), in);
        if (line.value.empty()) continue;
        longest = std::max(longest, line.value.size());
        lines.push_back(std::move(line));
    }
    const RaceLaneModel* first = in.h > 170 && !lines.empty() ? first_guess_lane(d.model) : nullptr;
    for (const RaceLaneModel& lane : d.model.lanes)
        if (!lane.plain() && lane.lane->average && &lane != first) c.tell(first_guess_words(lane), in);
    if (lines.empty()) {
        ui::slot(c, t, {in.x, in.y + 8, in.w, 32}, why_empty(d, in.w));
        return;
    }
    if (first) ui::fitted_text(c, {in.x, in.bottom() - 2}, first_guess_words(*first), Font::text, 14, t.muted, in.w);
    const ui::Scale x{.lo = 1, .hi = static_cast<double>(std::max<std::size_t>(2, longest)), .a = in.x + 44, .b = in.right() - 100};
    // From 0 to 1, as acceptance is drawn in every other scene.
    const ui::Scale y{.lo = 0, .hi = 1, .a = in.bottom() - (first ? 50 : 26), .b = in.y + 12};
    ui::axis_y(c, t, y, in.x + 30, ui::ticks(0, 1, in.h > 180 ? 5 : 3), {.grid_to = x.b, .grid = true, .base_line = false});
    ui::Ticks positions;
    const std::size_t step = longest > 8 ? 2 : 1;
    for (std::size_t i = 1; i <= longest; i += step) positions.values.push_back(static_cast<double>(i));
    ui::axis_x(c, t, x, y.a, positions, {.unit = "", .label_offset = 18});
    c.text({x.b + 12, y.a + 18}, race_says("positions.axis"_t), Font::text, 14, t.muted);

    struct Label {
        float y;
        const RaceLaneModel* lane;
    };
    std::vector<Label> labels;
    for (const Line& line : lines) {
        const bool chosen = &d.model.lanes[static_cast<std::size_t>(d.model.focus)] == line.lane;
        const ui::Color ink = chosen ? t.ink : ui::mix(t.ink, t.panel, 0.6F);
        ui::plotted(c, {x.a, y.b, x.b - x.a, y.a - y.b}, ui::PlotMark::line, line.lane->title,
                    std::views::iota(std::size_t{0}, line.value.size()), [&](std::size_t i) {
                        return ui::PlotDatum{.x = static_cast<double>(i + 1), .y = line.value[i], .low = line.low[i], .high = line.high[i]};
                    });
        std::vector<ui::Vec2> middle, upper, lower;
        for (std::size_t i = 0; i < line.value.size(); ++i) {
            const float at = x(static_cast<double>(i + 1));
            middle.push_back({at, y(line.value[i])});
            upper.push_back({at, y(line.high[i])});
            lower.push_back({at, y(line.low[i])});
        }
        if (chosen) ui::band(c, upper, lower, t.ink.alpha(0.16F)); // bands of all would hide each other
        if (middle.size() > 1) c.polyline(middle, {ink, chosen ? 2.5F : 1.5F});
        for (const ui::Vec2 p : middle) {
            c.disc(p, 6, t.panel);
            ui::icon(c, line.lane->mark, p, 9, ink);
        }
        labels.push_back({middle.back().y, line.lane});
    }
    // Names at the ends of the lines, pushed apart.
    std::ranges::sort(labels, {}, &Label::y);
    for (std::size_t i = 1; i < labels.size(); ++i) labels[i].y = std::max(labels[i].y, labels[i - 1].y + 18);
    const float beyond = labels.back().y - (y.a - 4);
    if (beyond > 0)
        for (Label& label : labels) label.y -= beyond;
    for (const Label& label : labels) lane_name(d, {x.b + 12, label.y + 5}, label.lane - d.model.lanes.data(), in.right() - x.b - 12);
}

// Where a round's time goes, divided by what it brings: stacked bars of measured phases, and a published one
// beside them on a scale of its own.

struct Bar {
    const RaceLaneModel* lane;
    MeanRound round;
    [[nodiscard]] double each() const { return round.tokens > 0 ? round.all() / round.tokens : 0; } // ms a token
};

// Averages over the prompts; before there are any, this prompt's rounds.
std::optional<Bar> bar_of(const RaceLaneModel& lane) {
    if (!lane.lane->average) return lane.trace && lane.whole.rounds > 0 ? std::optional(Bar{&lane, mean_round(lane.whole)}) : std::nullopt;
    const Totals& t = lane.lane->average->totals;
    return Bar{&lane,
               {.draft = t.draft_ms - t.head_ms,
                .head = t.head_ms,
                .verify = t.verify_ms,
                .rest = t.other_ms,
                .accept = t.accept_ms,
                .tokens = t.tokens_per_round(),
                .rounds = t.rounds}};
}

// Number inside its segment when it fits.
void segment(const RaceDraw& d, float from, float to, float y, float h, ui::Color fill, ui::Color ink, double ms) {
    if (to - from < 0.6F) return;
    ui::Canvas& c = d.ui.canvas;
    c.fill({from, y, std::max(1.0F, to - from - 1), h}, fill, 2);
    const std::string words = ui::number(ms, 2);
    if (c.printed_width(words, Font::mono, 14) + 8 < to - from)
        c.print({(from + to) / 2, y + h / 2 + 5}, words, Font::mono, 14, ink, Align::center);
}

// The phases, and the speed-up that follows from them beside the measured one. What a drafter does behind its pass is a search where it
// makes a tree of what one pass gave, else a head.
Message cost_words(const RaceDraw& d, const Bar& b) {
    const DrafterInfo* info = find_drafter(b.lane->drafter);
    const MeanRound& r = b.round;
    return race_says("costs.bar"_t, "drafter"_v = b.lane->title, "draft"_v = r.draft, "search"_v = info && info->tree && info->at_once(),
                     "head"_v = r.head, "verify"_v = r.verify, "accept"_v = r.accept, "rest"_v = r.rest - r.accept, "round"_v = r.all(),
                     "tokens"_v = r.tokens, "each"_v = b.each(), "formula"_v = formula_words(d.model, *b.lane));
}

void draw_race_costs(const RaceDraw& d, Rect card) {
    ui::Canvas& c = d.ui.canvas;
    const ui::Theme& t = d.ui.theme;
    const Message unit = race_says("costs.unit"_t);
    const auto under = [over = averages_words(d.model)](bool full, bool brief) {
        return race_says("costs.under"_t, "over"_v = over, "long"_v = full, "short"_v = brief);
    };
    const Rect in = race_card(d, card, costs_title(d.model), {under(true, false), under(false, true), under(false, false)},
                              c.text_width(unit, Font::text, 14) + 16);
    std::vector<Bar> bars;
    double longest = 0;
    for (const RaceLaneModel& lane : d.model.lanes)
        if (const auto bar = bar_of(lane)) {
            bars.push_back(*bar);
            longest = std::max(longest, bar->round.all());
        }
    if (bars.empty()) {
        ui::slot(c, t, {in.x, in.y + 8, in.w, 32}, race_says("costs.none"_t));
        return;
    }
    const PublishedRace paper = published_beside(d.input, d.model);
    constexpr float kPitch = 24, kPaper = 62; // the measured lanes come first
    const bool with_paper = !paper.points.empty() && in.h >= kPitch * static_cast<float>(bars.size()) + kPaper;
    const float below = with_paper ? (in.h >= 230 ? 94.0F : kPaper) : 0;
    const float pitch = std::clamp((in.h - below) / static_cast<float>(bars.size()), kPitch, 42.0F);
    const float h = pitch >= 36 ? 22.0F : 18.0F;
    float wide = 50; // of the numbers
    for (const Bar& b : bars) wide = std::max(wide, c.printed_width(cost_number(b.each()), Font::mono, 14));
    const float name = 92, x0 = in.x + name, x1 = in.right() - wide - 78;
    const ui::Scale x{.lo = 0, .hi = longest, .a = x0, .b = x1};
    c.text({in.right(), card.y + 45}, unit, Font::text, 14, t.muted, Align::right);
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const Bar& b = bars[i];
        const float y = in.y + 6 + pitch * static_cast<float>(i), base = y + h / 2 + 5;
        const MeanRound& m = b.round;
        const Message told = cost_words(d, b);
        c.tell(told, {x0, y, x1 - x0, h});
        if (base > in.bottom() - below) continue;
        lane_name(d, {in.x, base}, b.lane - d.model.lanes.data(), name - 8);
        const std::pair<Message, double> phases[] = {{race_says("costs.part:draft"_t), m.draft},
                                                     {race_says("costs.part:head"_t), m.head},
                                                     {race_says("costs.part:verify"_t), m.verify},
                                                     {race_says("costs.part:accept"_t), m.accept},
                                                     {race_says("costs.part:rest"_t), m.rest - m.accept}};
        ui::plotted(c, {x0, in.y, x1 - x0, in.h}, ui::PlotMark::rows, b.lane->title, phases,
                    [&](const auto& phase) { return ui::PlotDatum{.x = phase.second, .label = phase.first}; });
        double at = 0;
        const auto part = [&](double ms, ui::Color fill, ui::Color ink) {
            segment(d, x(at), x(at + ms), y, h, fill, ink, ms);
            at += ms;
        };
        part(m.draft, t.role(Role::draft), t.on(Role::draft));
        part(m.head, ui::mix(t.role(Role::draft), t.panel, 0.55F), t.ink);
        part(m.verify, t.role(Role::target), t.on(Role::target));
        part(m.accept, ui::mix(t.muted, t.panel, 0.7F), t.ink);
        part(m.rest - m.accept, ui::mix(t.muted, t.panel, 0.45F), t.ink);
        ui::tooltip(d.ui, {x0, y, x1 - x0, h}, told);
        c.print({in.right() - wide - 12, base}, "÷ " + ui::per_round(m.tokens), Font::mono, 14, t.muted, Align::right);
        c.print({in.right(), base}, cost_number(b.each()), Font::mono, 14, t.ink, Align::right);
    }
    if (!with_paper) return;
    const PublishedPoint* p = &paper.points.front();
    for (const PublishedPoint& point : paper.points)
        if (point.head > 0) p = &point;
    const float top = in.bottom() - below + 6;
    const float y = draw_published_bar(d.ui, {in.x, top, in.w, below}, paper, *p, name) - 20;
    if (below < 90) return;
    ui::fitted_text(c, {x0, y + 40}, published_parts_words(*p), Font::text, 14, t.muted, in.right() - x0);
    ui::tooltip(d.ui, {in.x, top, in.w, below - 6}, race_says("costs.source"_t, "source"_v = paper.source));
}

} // namespace

void draw_race_cards(const RaceDraw& d, std::vector<SceneCommand>& out) {
    const Rect r = d.grid.cards;
    const float pad = d.grid.pad, w = r.w - 4 * pad;
    const Rect scatter{r.x + pad, r.y, w * 0.405F, r.h};
    const Rect positions{scatter.right() + pad, r.y, w * 0.30F, r.h};
    const Rect costs{positions.right() + pad, r.y, r.right() - pad - positions.right() - pad, r.h};
    draw_race_scatter(d, scatter, out);
    draw_race_positions(d, positions);
    draw_race_costs(d, costs);
}

} // namespace speclens
