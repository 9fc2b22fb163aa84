// The drawing surface of every scene: rectangles, lines, paths, text, clip, hatch. Three back ends draw the
// same calls: the ImGui draw list (window and PNG), SVG, and a recorder whose text is what tests compare.
// Coordinates are logical pixels at 100 % zoom, y down; the back end scales. Knows ImGui in canvas_imgui.cpp
// only.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/stories/message.h"

namespace speclens::ui {

struct Vec2 {
    float x = 0, y = 0;
};

struct Rect {
    float x = 0, y = 0, w = 0, h = 0;
    [[nodiscard]] float right() const { return x + w; }
    [[nodiscard]] float bottom() const { return y + h; }
    [[nodiscard]] Vec2 center() const { return {x + w / 2, y + h / 2}; }
    [[nodiscard]] bool contains(Vec2 p) const { return p.x >= x && p.x < x + w && p.y >= y && p.y < y + h; }
    [[nodiscard]] Rect inset(float dx, float dy) const { return {x + dx, y + dy, w - 2 * dx, h - 2 * dy}; }
};

struct Color {
    std::uint8_t r = 0, g = 0, b = 0, a = 255;
    [[nodiscard]] Color alpha(float factor) const; // factor 0…1 multiplies a
    bool operator==(const Color&) const = default;
};
[[nodiscard]] Color mix(Color over, Color under, float amount); // opaque: amount of `over` on `under`

enum class Font : std::uint8_t { text, text_bold, mono, mono_medium }; // Inter 400/600, JetBrains Mono 400/500
enum class Align : std::uint8_t { left, center, right };

struct Stroke {
    Color color;
    float width = 1;
    float dash = 0, gap = 0; // 0: solid. Dots: dash <= width
};

// What is drawn in a plot as numbers, in their own units. `spans` lie from low to high along x, a series for each lane; `rows` are bars
// along x, one for each label. NaN: there is none.
struct PlotDatum {
    double x = kNone, y = kNone, low = kNone, high = kNone; // low and high: the interval around y, of rows around x
    std::string label{};
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
};
enum class PlotMark : std::uint8_t { line, points, bars, spans, rows };
struct PlotSeries {
    Rect plot{}; // where its axes are: series of one place are one plot
    PlotMark mark = PlotMark::line;
    std::string name{}; // as the legend says; empty: there is one series
    std::vector<PlotDatum> data{};
};

class Canvas {
  public:
    virtual ~Canvas() = default;
    virtual void fill(Rect rect, Color color, float radius = 0) = 0;
    // The stroke lies inside the rectangle.
    virtual void outline(Rect rect, const Stroke& stroke, float radius = 0) = 0;
    virtual void line(Vec2 a, Vec2 b, const Stroke& stroke) = 0;
    virtual void polyline(std::span<const Vec2> points, const Stroke& stroke, bool closed = false) = 0;
    virtual void fill_convex(std::span<const Vec2> points, Color color) = 0;
    virtual void disc(Vec2 center, float radius, Color color) = 0;
    virtual void ring(Vec2 center, float radius, const Stroke& stroke) = 0;
    // 45° lines every `spacing` px, clipped to the rectangle.
    virtual void hatch(Rect rect, Color color, float spacing = 6, float width = 1) = 0;
    // `at` is on the baseline; x is the left end, the middle or the right end of the text. A message is drawn and told.
    void text(Vec2 at, const Message& message, Font font, float size, Color color, Align align = Align::left);
    [[nodiscard]] float text_width(const Message& message, Font font, float size) const { return printed_width(message, font, size); }
    // The same of what is no message, or a line of one: a number, a token, what somebody typed.
    virtual void print(Vec2 at, std::string_view utf8, Font font, float size, Color color, Align align = Align::left) = 0;
    [[nodiscard]] virtual float printed_width(std::string_view utf8, Font font, float size) const = 0;
    virtual void push_clip(Rect rect) = 0; // intersects with the clip in force
    virtual void pop_clip() = 0;
    // A message and its place, for whoever puts the frame into words: one that is drawn there, or one about what is drawn there and not
    // written: a bar, a curve, a colour. What has no id is nothing to tell.
    enum class Told : std::uint8_t { drawn, of_a_thing };
    virtual void tell(const Message& /*message*/, Rect /*place*/, Told /*how*/ = Told::of_a_thing) {}

    // The numbers of a plot, for whoever collects them (ui::plotted).
    [[nodiscard]] virtual bool collects() const { return false; }
    virtual void collect(PlotSeries /*series*/) {}
};

} // namespace speclens::ui
