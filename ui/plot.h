// Charts in two halves: pure layout (ticks, scales) and thin draw functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ui/canvas.h"
#include "ui/theme.h"

namespace speclens::ui {

// ---- layout ----
struct Ticks {
    std::vector<double> values{}; // inside [lo, hi], ascending
    double step = 1;
    int decimals = 0; // enough to tell neighbours apart
};
// About n ticks with a step of 1, 2 or 5 × 10^k (1, 2, 4, 8, 16 … when `binary`: milliseconds and tokens).
[[nodiscard]] Ticks ticks(double lo, double hi, int n, bool binary = false);
[[nodiscard]] std::string tick_label(double value, int decimals); // .4 for 0.4, true minus

struct Scale { // value -> pixel; a > b for axes that point up
    double lo = 0, hi = 1;
    float a = 0, b = 1;
    [[nodiscard]] float operator()(double value) const;
    [[nodiscard]] double inverse(float pixel) const;
    [[nodiscard]] float length(double amount) const; // pixels of a difference, positive
};

// ---- axes ----
struct AxisStyle {
    Message unit{};    // after the last label, muted
    float grid_to = 0; // other end of the grid lines (y for axis_x, x for axis_y); equal to the axis: none
    bool grid = false;
    bool base_line = true;
    bool tick_marks = false;
    float label_offset = 20; // baseline below the axis (x) or gap to the left of it (y)
};
void axis_x(Canvas& canvas, const Theme& theme, const Scale& x, float y, const Ticks& marks, const AxisStyle& style);
void axis_y(Canvas& canvas, const Theme& theme, const Scale& y, float x, const Ticks& marks, const AxisStyle& style);

// ---- Gantt ----
struct Segment {
    double start = 0, length = 0; // in the units of the scale
    Role role = Role::target;
    Message label{};        // inside if it fits with 10 px pad
    std::string value{};    // right end, mono; dropped before the label is
    float strength = 1;     // 0.55 for the head, 0.38 after the playhead
    bool published = false; // hollow + hatch
    bool mono = false;      // label in mono, centred (d1, +3)
};
// Segments of one lane. The gap comes off the right end, so starts stay exact. Returns the segment under
// `mouse` or -1.
int gantt_lane(Canvas& canvas, const Theme& theme, const Scale& x, float y, float h, std::span<const Segment> segments, float gap = 2,
               std::optional<Vec2> mouse = {});
void playhead(Canvas& canvas, const Theme& theme, float x, float top, float bottom);
// |-----| in ink.
void bracket(Canvas& canvas, const Theme& theme, float x0, float x1, float y);

// ---- bars and gauges ----
// Target bar h 8 over draft bar h 6 (the pair is 15 high), same scale, from rect.x. Fractions 0…1 of rect.w.
// A negative value draws nothing.
void bar_pair(Canvas& canvas, const Theme& theme, Rect rect, double target, double draft);
// Bar on a faint track; value 0…1.
void bar(Canvas& canvas, const Theme& theme, Rect rect, double value, Role role, float strength = 1);

struct Gauge {
    double accept = 1;            // threshold, 0…1
    std::optional<double> coin{}; // second knob position; absent: no marker yet
    bool judged = true;           // false: outline + hatch, no marker
    bool large = false;           // the sandbox: hatched reject part, tick at the threshold
};
void gauge(Canvas& canvas, const Theme& theme, Rect rect, const Gauge& gauge);
// 2 px ink line with a ground halo and a knob on top.
void coin_marker(Canvas& canvas, const Theme& theme, float x, float top, float bottom);

// Segments side by side that fill rect: residual (dotted) or rejected (hatched) shares of one choice.
void share_strip(Canvas& canvas, const Theme& theme, Rect rect, std::span<const double> shares, Role role);
// Cells of equal width; signed values diverging, gates 0…1 towards target.
enum class HeatKind : std::uint8_t { signed_values, gate };
void heat_strip(Canvas& canvas, const Theme& theme, Rect rect, std::span<const float> cells, HeatKind kind);
// Diamond-free 95 % whisker: vertical line with caps.
void whisker(Canvas& canvas, const Theme& theme, float x, float y_low, float y_high);
// Band between two curves of the same xs, at `alpha` of the colour.
void band(Canvas& canvas, std::span<const Vec2> upper, std::span<const Vec2> lower, Color color);

// ---- numbers ----
// Says what is drawn there as numbers, beside the drawing call: `datum` makes a PlotDatum of each item. Work only where somebody
// collects them (`render --data`).
template <class Items, class Make>
void plotted(Canvas& canvas, Rect plot, PlotMark mark, std::string_view name, const Items& items, Make datum) {
    if (!canvas.collects()) return;
    PlotSeries series{.plot = plot, .mark = mark, .name = std::string(name)};
    for (const auto& item : items) series.data.push_back(datum(item));
    canvas.collect(std::move(series));
}
// The same of values whose place is their number, from 1.
inline void plotted_by_place(Canvas& canvas, Rect plot, PlotMark mark, std::string_view name, std::span<const double> values) {
    plotted(canvas, plot, mark, name, values, [place = 0.0](double y) mutable { return PlotDatum{.x = ++place, .y = y}; });
}

// Whether a label lies within the bounds and over nothing that is taken.
[[nodiscard]] bool has_room(const Rect& box, const Rect& bounds, std::span<const Rect> taken);

} // namespace speclens::ui
