#include "ui/canvas_imgui.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ui/geometry.h"
#include "ui/soft_shapes.h"

namespace speclens::ui {

ImGuiCanvas::ImGuiCanvas(ImDrawList& list, GlyphCache& glyphs, float scale) : list_(list), glyphs_(glyphs), scale_(scale) {}

Rect ImGuiCanvas::snapped(Rect r) const {
    const float x0 = std::round(r.x * scale_), y0 = std::round(r.y * scale_);
    return {x0, y0, std::round(r.right() * scale_) - x0, std::round(r.bottom() * scale_) - y0};
}

// Whole pixels when that is nearly what was asked for: sharp hairlines at 125 % too.
float ImGuiCanvas::thickness(float width) const {
    const float t = std::max(1.0F, width * scale_), whole = std::round(t);
    return std::abs(t - whole) <= 0.3F ? whole : t;
}

void ImGuiCanvas::fill(Rect rect, Color color, float radius) {
    if (rect.w <= 0 || rect.h <= 0 || color.a == 0) return;
    Rect r = snapped(rect);
    if (r.w < 1) { // thinner than a pixel: a fainter pixel
        color = color.alpha(std::max(0.25F, rect.w * scale_));
        r.w = 1;
    }
    if (r.h < 1) {
        color = color.alpha(std::max(0.25F, rect.h * scale_));
        r.h = 1;
    }
    if (radius <= 0 || r.w < 2 || r.h < 2) {
        list_.AddRectFilled(ImVec2(r.x, r.y), ImVec2(r.right(), r.bottom()), packed(color));
        return;
    }
    soft_fill(list_, rounded_outline(r, radius * scale_), color);
}

void ImGuiCanvas::outline(Rect rect, const Stroke& stroke, float radius) {
    if (rect.w <= 0 || rect.h <= 0) return;
    const Rect r = snapped(rect);
    const float t = std::min({thickness(stroke.width), r.w, r.h});
    if (stroke.dash <= 0 && radius <= 0 && t == std::round(t)) {
        const ImU32 color = packed(stroke.color);
        const auto part = [&](float x, float y, float w, float h) {
            if (w > 0 && h > 0) list_.AddRectFilled(ImVec2(x, y), ImVec2(x + w, y + h), color);
        };
        part(r.x, r.y, r.w, t);
        part(r.x, r.bottom() - t, r.w, t);
        part(r.x, r.y + t, t, r.h - 2 * t);
        part(r.right() - t, r.y + t, t, r.h - 2 * t);
        return;
    }
    Stroke device = stroke;
    device.width = t;
    stroke_path(rounded_outline(r.inset(t / 2, t / 2), radius * scale_), device, true);
}

void ImGuiCanvas::line(Vec2 a, Vec2 b, const Stroke& stroke) {
    const float t = thickness(stroke.width);
    Vec2 p{a.x * scale_, a.y * scale_}, q{b.x * scale_, b.y * scale_};
    const bool upright = std::abs(p.x - q.x) < 0.01F, level = std::abs(p.y - q.y) < 0.01F;
    if (upright || level) {
        // Edges on whole pixels; a 1 px line thus lies on half pixels.
        float& across = upright ? p.x : p.y;
        across = std::round(across - t / 2) + t / 2;
        (upright ? q.x : q.y) = across;
        if (stroke.dash <= 0 && t == std::round(t)) {
            const float x0 = std::min(p.x, q.x) - (upright ? t / 2 : 0), y0 = std::min(p.y, q.y) - (upright ? 0 : t / 2);
            const float x1 = std::max(p.x, q.x) + (upright ? t / 2 : 0), y1 = std::max(p.y, q.y) + (upright ? 0 : t / 2);
            list_.AddRectFilled(ImVec2(std::round(x0), std::round(y0)), ImVec2(std::round(x1), std::round(y1)), packed(stroke.color));
            return;
        }
    }
    Stroke device = stroke;
    device.width = t;
    const std::array<Vec2, 2> points{p, q};
    stroke_path(points, device, false);
}

void ImGuiCanvas::polyline(std::span<const Vec2> points, const Stroke& stroke, bool closed) {
    std::vector<Vec2> device;
    device.reserve(points.size());
    for (const Vec2 p : points) device.push_back({p.x * scale_, p.y * scale_});
    Stroke s = stroke;
    s.width = std::max(1.0F, stroke.width * scale_);
    stroke_path(device, s, closed);
}

// `stroke.width` is in device px already, dash and gap are not.
void ImGuiCanvas::stroke_path(std::span<const Vec2> device, const Stroke& stroke, bool closed) {
    if (stroke.color.a == 0) return;
    if (stroke.dash > 0 && stroke.gap > 0) {
        for (const auto& piece : dashes(device, closed, stroke.dash * scale_, stroke.gap * scale_))
            stroke_piece(piece, stroke.width, stroke.color, false);
        return;
    }
    stroke_piece(device, stroke.width, stroke.color, closed);
}

void ImGuiCanvas::stroke_piece(std::span<const Vec2> p, float width, Color color, bool closed) {
    if (p.size() < 2) return;
    if (p.size() == 2 && !closed) {
        quad(p[0], p[1], width, color);
        return;
    }
    // Sharp turns would grow spikes: cut there and close the joint with a disc.
    std::vector<Vec2> run;
    const auto flush = [&](bool close) {
        soft_stroke(list_, run, width, color, close);
        run.clear();
    };
    for (std::size_t i = 0; i < p.size(); ++i) {
        run.push_back(p[i]);
        if (i == 0 || i + 1 >= p.size() || closed) continue;
        const Vec2 in{p[i].x - p[i - 1].x, p[i].y - p[i - 1].y}, out{p[i + 1].x - p[i].x, p[i + 1].y - p[i].y};
        const float turn = in.x * out.x + in.y * out.y;
        if (turn >= -0.2F * std::hypot(in.x, in.y) * std::hypot(out.x, out.y)) continue;
        flush(false);
        if (width > 1.2F) soft_fill(list_, circle(p[i], width / 2), color);
        run.push_back(p[i]);
    }
    flush(closed);
}

// A straight piece with soft edges on all four sides.
void ImGuiCanvas::quad(Vec2 a, Vec2 b, float width, Color color) {
    const float length = std::hypot(b.x - a.x, b.y - a.y);
    if (length <= 0) return;
    if (width <= 1) { // a filled shape would have no inside
        soft_stroke(list_, std::array{a, b}, width, color, false);
        return;
    }
    const Vec2 n{-(b.y - a.y) / length * width / 2, (b.x - a.x) / length * width / 2};
    const std::array<Vec2, 4> corners{{{a.x - n.x, a.y - n.y}, {b.x - n.x, b.y - n.y}, {b.x + n.x, b.y + n.y}, {a.x + n.x, a.y + n.y}}};
    soft_fill(list_, corners, color);
}

void ImGuiCanvas::fill_convex(std::span<const Vec2> points, Color color) {
    std::vector<Vec2> device;
    device.reserve(points.size());
    for (const Vec2 p : points) device.push_back({p.x * scale_, p.y * scale_});
    soft_fill(list_, device, color);
}

void ImGuiCanvas::disc(Vec2 c, float radius, Color color) {
    soft_fill(list_, circle({c.x * scale_, c.y * scale_}, radius * scale_), color);
}

void ImGuiCanvas::ring(Vec2 c, float radius, const Stroke& stroke) {
    Stroke device = stroke;
    device.width = thickness(stroke.width);
    stroke_path(circle({c.x * scale_, c.y * scale_}, radius * scale_), device, true);
}

void ImGuiCanvas::hatch(Rect rect, Color color, float spacing, float width) {
    const Rect r = snapped(rect);
    for (const Line& l : hatch_lines(r, spacing * scale_)) quad(l.first, l.second, width * scale_, color);
}

void ImGuiCanvas::print(Vec2 at, std::string_view utf8, Font font, float size, Color color, Align align) {
    if (utf8.empty() || color.a == 0) return;
    const float pixels = size * scale_;
    const float y = std::round(at.y * scale_);
    const ImVec2 low = list_.GetClipRectMin(), high = list_.GetClipRectMax();
    if (y + pixels < low.y || y - pixels * 1.5F > high.y) return;
    float x = at.x * scale_;
    if (align != Align::left) x -= glyphs_.fonts().width(utf8, font, pixels) * (align == Align::center ? 0.5F : 1.0F);
    const auto steps = static_cast<float>(GlyphCache::phases(pixels));
    const ImU32 ink = packed(color);
    glyphs_.fonts().each_glyph(utf8, font, [&](char32_t, const FontSet::Glyph& g) {
        const float place = std::round(x * steps) / steps, left = std::floor(place);
        x += g.advance * pixels;
        if (left > high.x || x + pixels < low.x) return;
        const CachedGlyph& c = glyphs_.find(g, pixels, static_cast<int>(std::lround((place - left) * 4)));
        if (c.w == 0) return;
        const ImVec2 a(left + static_cast<float>(c.x), y + static_cast<float>(c.y));
        list_.PrimReserve(6, 4);
        list_.PrimRectUV(a, ImVec2(a.x + static_cast<float>(c.w), a.y + static_cast<float>(c.h)), ImVec2(c.u0, c.v0), ImVec2(c.u1, c.v1),
                         ink);
    });
}

float ImGuiCanvas::printed_width(std::string_view utf8, Font font, float size) const { return glyphs_.fonts().width(utf8, font, size); }

void ImGuiCanvas::push_clip(Rect rect) {
    const Rect r = snapped(rect);
    list_.PushClipRect(ImVec2(r.x, r.y), ImVec2(r.right(), r.bottom()), true);
}

void ImGuiCanvas::pop_clip() { list_.PopClipRect(); }

} // namespace speclens::ui
