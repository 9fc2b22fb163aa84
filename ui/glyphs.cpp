#include "ui/glyphs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ui/geometry.h"

namespace speclens::ui {

namespace {

// A pen in units of the half size around the centre, with round ends and joints.
struct Pen {
    Canvas& canvas;
    Vec2 center;
    float r; // half of the icon's size
    Color color;
    float width;

    [[nodiscard]] Vec2 at(float x, float y) const { return {center.x + x * r, center.y + y * r}; }
    void path(std::initializer_list<Vec2> points) const {
        std::vector<Vec2> out;
        for (const Vec2 p : points) out.push_back(at(p.x, p.y));
        canvas.polyline(out, {color, width});
        if (width < 1.3F) return;
        canvas.disc(out.front(), width / 2, color);
        canvas.disc(out.back(), width / 2, color);
    }
    void shape(std::initializer_list<Vec2> points) const {
        std::vector<Vec2> out;
        for (const Vec2 p : points) out.push_back(at(p.x, p.y));
        canvas.fill_convex(out, color);
    }
    void bar(float x, float y, float w, float h) const { shape({{x, y}, {x + w, y}, {x + w, y + h}, {x, y + h}}); }
};

void star(const Pen& pen) {
    // Five kites that overlap in the middle: no seams between soft edges.
    const float outer = 1.1F, inner = outer * 0.437F;
    const auto point = [](float radius, float tenths) {
        const float angle = -kPi / 2 + tenths * kPi / 5;
        return Vec2{radius * std::cos(angle), radius * std::sin(angle)};
    };
    for (int i = 0; i < 5; ++i) {
        const auto k = static_cast<float>(2 * i);
        pen.shape({point(outer, k), point(inner, k + 1), point(inner, k + 5), point(inner, k - 1)});
    }
}

void redo(const Pen& pen, float width) {
    const Vec2 c = pen.center;
    pen.canvas.polyline(arc(c, 0.8F * pen.r, -kPi * 50 / 180, kPi * 230 / 180), {pen.color, width});
    pen.canvas.disc({c.x + 0.514F * pen.r, c.y - 0.613F * pen.r}, width / 2, pen.color);
    pen.shape({{0.205F, -0.853F}, {-0.682F, -1.165F}, {-0.682F, -0.253F}}); // turns with the clock: ↻
}

std::vector<Vec2> method_outline(Icon which, Vec2 c, float r) {
    const auto at = [&](float x, float y) { return Vec2{c.x + x * r, c.y + y * r}; };
    switch (which) {
    case Icon::square: return {at(-0.8F, -0.8F), at(0.8F, -0.8F), at(0.8F, 0.8F), at(-0.8F, 0.8F)};
    case Icon::diamond:
    case Icon::diamond_solid: return {at(0, -1), at(1, 0), at(0, 1), at(-1, 0)};
    case Icon::triangle_up: return {at(0, -0.95F), at(1, 0.8F), at(-1, 0.8F)};
    case Icon::triangle_down: return {at(-1, -0.8F), at(1, -0.8F), at(0, 0.95F)};
    case Icon::triangle_right: return {at(-0.8F, -1), at(0.95F, 0), at(-0.8F, 1)};
    case Icon::pentagon: return {at(0, -1), at(0.95F, -0.31F), at(0.59F, 0.81F), at(-0.59F, 0.81F), at(-0.95F, -0.31F)};
    case Icon::hexagon: return {at(-0.5F, -0.87F), at(0.5F, -0.87F), at(1, 0), at(0.5F, 0.87F), at(-0.5F, 0.87F), at(-1, 0)};
    case Icon::trapezoid: return {at(-0.4F, -0.75F), at(0.4F, -0.75F), at(1, 0.75F), at(-1, 0.75F)};
    case Icon::half_disc: return arc(c, 0.9F * r, -kPi / 2, kPi / 2);
    default: return circle(c, 0.9F * r);
    }
}

} // namespace

Icon icon_called(std::string_view name) {
    // clang-format off
    static constexpr std::pair<std::string_view, Icon> kMarks[] = {
        {"circle", Icon::circle},        {"triangle_up", Icon::triangle_up},     {"triangle_down", Icon::triangle_down},
        {"square", Icon::square},        {"cross_fat", Icon::cross_fat},         {"diamond_solid", Icon::diamond_solid},
        {"half_disc", Icon::half_disc},  {"triangle_right", Icon::triangle_right}, {"pentagon", Icon::pentagon},
        {"hexagon", Icon::hexagon},      {"trapezoid", Icon::trapezoid},         {"fork", Icon::fork}};
    // clang-format on
    for (const auto& [word, mark] : kMarks)
        if (word == name) return mark;
    return Icon::diamond;
}

Icon role_icon(Role role) {
    constexpr std::array<Icon, 7> kIcons = {Icon::diamond, Icon::square, Icon::check, Icon::cross, Icon::redo, Icon::star, Icon::dot};
    return kIcons[static_cast<std::size_t>(role)];
}

void icon(Canvas& canvas, Icon which, Vec2 center, float size, Color color) {
    const float thin = std::max(1.5F, size / 7), thick = thin + 0.4F;
    const Pen pen{canvas, center, size / 2, color, thin};
    const Pen bold{canvas, center, size / 2, color, thick};
    const Pen fine{canvas, center, size / 2, color, 1.5F};
    switch (which) {
    case Icon::none: break;
    case Icon::diamond: canvas.polyline(method_outline(which, center, size / 2), {color, thin}, true); break;
    case Icon::square: { // whole pixels: a blurred square looks like a mistake
        const float side = std::round(0.8F * size);
        canvas.fill({center.x - side / 2, center.y - side / 2, side, side}, color);
        break;
    }
    case Icon::check: bold.path({{-0.9F, 0.05F}, {-0.25F, 0.7F}, {0.95F, -0.7F}}); break;
    case Icon::cross:
        bold.path({{-0.7F, -0.7F}, {0.7F, 0.7F}});
        bold.path({{0.7F, -0.7F}, {-0.7F, 0.7F}});
        break;
    case Icon::redo: redo(pen, thin); break;
    case Icon::star: star(pen); break;
    case Icon::dot: canvas.disc(center, 0.32F * size / 2, color); break;
    case Icon::play:
    case Icon::step: pen.shape({{-0.55F, -0.8F}, {0.95F, 0}, {-0.55F, 0.8F}}); break;
    case Icon::back:
    case Icon::step_back: pen.shape({{0.55F, -0.8F}, {0.55F, 0.8F}, {-0.95F, 0}}); break;
    case Icon::pause:
        pen.bar(-0.65F, -0.75F, 0.42F, 1.5F);
        pen.bar(0.23F, -0.75F, 0.42F, 1.5F);
        break;
    case Icon::first:
        pen.shape({{0.7F, -0.75F}, {0.7F, 0.75F}, {-0.4F, 0}});
        pen.bar(-0.81F, -0.75F, 0.31F, 1.5F);
        break;
    case Icon::last:
        pen.shape({{-0.7F, -0.75F}, {0.4F, 0}, {-0.7F, 0.75F}});
        pen.bar(0.5F, -0.75F, 0.31F, 1.5F);
        break;
    case Icon::chevron_down: fine.path({{-0.6F, -0.3F}, {0, 0.35F}, {0.6F, -0.3F}}); break;
    case Icon::chevron_up: fine.path({{-0.6F, 0.3F}, {0, -0.35F}, {0.6F, 0.3F}}); break;
    case Icon::chevron_right: fine.path({{-0.3F, -0.6F}, {0.35F, 0}, {-0.3F, 0.6F}}); break;
    case Icon::search:
        canvas.ring({center.x - 0.15F * size / 2, center.y - 0.15F * size / 2}, 0.55F * size / 2, {color, 1.5F});
        fine.path({{0.3F, 0.3F}, {0.85F, 0.85F}});
        break;
    case Icon::plus: pen.bar(-0.1F, -0.7F, 0.2F, 1.4F); [[fallthrough]];
    case Icon::minus: pen.bar(-0.7F, -0.1F, 1.4F, 0.2F); break;
    case Icon::menu:
        for (const float y : {-0.65F, -0.08F, 0.49F}) pen.bar(-0.8F, y, 1.6F, 0.16F);
        break;
    case Icon::close:
        fine.path({{-0.6F, -0.6F}, {0.6F, 0.6F}});
        fine.path({{0.6F, -0.6F}, {-0.6F, 0.6F}});
        break;
    case Icon::warning:
        canvas.polyline(std::array{pen.at(0, -0.9F), pen.at(0.95F, 0.8F), pen.at(-0.95F, 0.8F)}, {color, 1.5F}, true);
        pen.bar(-0.1F, -0.35F, 0.2F, 0.6F);
        canvas.disc(pen.at(0, 0.5F), 0.13F * size / 2, color);
        break;
    case Icon::cross_fat:
        pen.bar(-0.33F, -0.9F, 0.66F, 1.8F);
        pen.bar(-0.9F, -0.33F, 1.8F, 0.66F);
        break;
    case Icon::fork:
        fine.path({{-0.6F, -0.8F}, {-0.6F, -0.2F}, {0, 0.2F}, {0, 0.9F}});
        fine.path({{0.6F, -0.8F}, {0.6F, -0.2F}, {0, 0.2F}});
        break;
    case Icon::newline: {
        const Pen line{canvas, center, size / 2, color, std::max(1.3F, size / 11)};
        line.path({{0.48F, -0.6F}, {0.48F, 0}, {-0.48F, 0}});
        line.path({{-0.18F, -0.3F}, {-0.48F, 0}, {-0.18F, 0.3F}});
        break;
    }
    case Icon::tab: {
        const Pen line{canvas, center, size / 2, color, std::max(1.3F, size / 11)};
        line.path({{-0.6F, 0}, {0.45F, 0}});
        line.path({{0.15F, -0.3F}, {0.45F, 0}, {0.15F, 0.3F}});
        line.path({{0.65F, -0.4F}, {0.65F, 0.4F}});
        break;
    }
    default: canvas.fill_convex(method_outline(which, center, size / 2), color);
    }
}

void hollow_icon(Canvas& canvas, Icon which, Vec2 center, float size, Color color) {
    const std::vector<Vec2> outline = method_outline(which, center, size / 2);
    // Hatch lines of the bounding box, cut by the (convex) outline.
    const Rect box{center.x - size / 2, center.y - size / 2, size, size};
    for (const auto& [from, to] : hatch_lines(box, 4)) {
        float enter = 0, leave = 1;
        for (std::size_t i = 0; i < outline.size(); ++i) {
            const Vec2 a = outline[i], b = outline[(i + 1) % outline.size()];
            const auto side = [&](Vec2 p) { return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x); };
            const float f = side(from), t = side(to); // >= 0: inside of a clockwise outline
            if (f < 0 && t < 0) enter = 2;
            if ((f < 0) == (t < 0)) continue;
            if (f < 0)
                enter = std::max(enter, f / (f - t));
            else
                leave = std::min(leave, f / (f - t));
        }
        // named again: clang before 16 does not let a lambda see a structured binding
        const auto along = [start = from, end = to](float s) {
            return Vec2{start.x + (end.x - start.x) * s, start.y + (end.y - start.y) * s};
        };
        if (enter < leave) canvas.line(along(enter), along(leave), {color.alpha(0.6F), 1});
    }
    canvas.polyline(outline, {color, 1.5F}, true);
}

void arrow(Canvas& canvas, Vec2 from, Vec2 to, const Stroke& stroke, float head) {
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    if (length <= 0) return;
    head = std::min(head, length);
    const Vec2 d{(to.x - from.x) / length, (to.y - from.y) / length};
    const Vec2 base{to.x - d.x * head, to.y - d.y * head};
    if (length > head) canvas.line(from, base, stroke);
    const float half = head * 0.55F;
    canvas.fill_convex(std::array{to, Vec2{base.x - d.y * half, base.y + d.x * half}, Vec2{base.x + d.y * half, base.y - d.x * half}},
                       stroke.color);
}

void space_mark(Canvas& canvas, Vec2 at, float mono_size, Color color) {
    const float cell = 0.6F * mono_size, left = at.x + 0.12F * cell, right = at.x + 0.8F * cell;
    const float top = at.y - 0.07F * mono_size, bottom = at.y + 0.11F * mono_size;
    canvas.line({left, top}, {left, bottom + 0.5F}, {color, 1});
    canvas.line({left, bottom}, {right, bottom}, {color, 1});
    canvas.line({right, top}, {right, bottom + 0.5F}, {color, 1});
}

} // namespace speclens::ui
