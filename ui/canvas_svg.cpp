#include "ui/canvas_svg.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "ui/fonts.h"
#include "ui/geometry.h"

namespace speclens::ui {

namespace {

std::string num(float value) { // two decimals, no trailing zeros, locale-free
    const long hundredths = std::lround(static_cast<double>(value) * 100);
    const long whole = std::abs(hundredths) / 100, rest = std::abs(hundredths) % 100;
    std::string out = hundredths < 0 ? "-" : "";
    out += std::to_string(whole);
    if (rest != 0) {
        out += rest < 10 ? ".0" : ".";
        out += std::to_string(rest % 10 == 0 ? rest / 10 : rest);
    }
    return out;
}

std::string attribute(const char* name, float value) { return " " + std::string(name) + "=\"" + num(value) + "\""; }

std::string paint(const char* name, Color c) {
    char hex[8];
    std::snprintf(hex, sizeof hex, "#%02X%02X%02X", c.r, c.g, c.b);
    std::string out = " " + std::string(name) + "=\"" + hex + "\"";
    if (c.a != 255) out += " " + std::string(name) + "-opacity=\"" + num(static_cast<float>(c.a) / 255) + "\"";
    return out;
}

std::string stroke_attributes(const Stroke& s, float length) {
    std::string out = " fill=\"none\"" + paint("stroke", s.color) + attribute("stroke-width", s.width);
    if (s.dash > 0 && s.gap > 0) {
        const auto [dash, gap] = length > 0 ? fitted_dash(length, s.dash, s.gap) : std::pair(s.dash, s.gap);
        out += " stroke-dasharray=\"" + num(dash) + " " + num(gap) + "\"";
    }
    return out;
}

std::string rectangle(Rect r, float radius) {
    std::string out = "<rect" + attribute("x", r.x) + attribute("y", r.y) + attribute("width", r.w) + attribute("height", r.h);
    if (radius > 0) out += attribute("rx", std::min({radius, r.w / 2, r.h / 2}));
    return out;
}

std::string path(std::span<const Vec2> points, bool closed) {
    std::string out = "<path d=\"";
    for (std::size_t i = 0; i < points.size(); ++i) out += (i == 0 ? "M" : "L") + num(points[i].x) + " " + num(points[i].y);
    return out + (closed ? "Z\"" : "\"");
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += c;
        }
    }
    return out;
}

// 1 px lines on half pixels, as in the window.
float sharp(float value, float width) { return std::round(value - width / 2) + width / 2; }

} // namespace

SvgCanvas::SvgCanvas(const FontSet& fonts, float width, float height, Color background)
    : fonts_(fonts), width_(width), height_(height), background_(background) {}

void SvgCanvas::fill(Rect rect, Color color, float radius) {
    if (rect.w <= 0 || rect.h <= 0 || color.a == 0) return;
    body_ += rectangle(rect, radius) + paint("fill", color) + "/>\n";
}

void SvgCanvas::outline(Rect rect, const Stroke& s, float radius) {
    if (rect.w <= 0 || rect.h <= 0) return;
    const Rect inner = rect.inset(s.width / 2, s.width / 2);
    const float corner = std::min({radius, inner.w / 2, inner.h / 2});
    const float length = 2 * (inner.w + inner.h) - corner * (8 - 2 * std::numbers::pi_v<float>);
    body_ += rectangle(inner, radius) + stroke_attributes(s, length) + "/>\n";
}

void SvgCanvas::line(Vec2 a, Vec2 b, const Stroke& s) {
    if (a.x == b.x) a.x = b.x = sharp(a.x, s.width);
    if (a.y == b.y) a.y = b.y = sharp(a.y, s.width);
    body_ += "<line" + attribute("x1", a.x) + attribute("y1", a.y) + attribute("x2", b.x) + attribute("y2", b.y) + stroke_attributes(s, 0) +
             "/>\n";
}

void SvgCanvas::polyline(std::span<const Vec2> points, const Stroke& s, bool closed) {
    if (points.size() < 2) return;
    body_ += path(points, closed) + stroke_attributes(s, closed ? path_length(points, true) : 0) + " stroke-linejoin=\"round\"/>\n";
}

void SvgCanvas::fill_convex(std::span<const Vec2> points, Color color) {
    if (points.size() < 3) return;
    body_ += path(points, true) + paint("fill", color) + "/>\n";
}

void SvgCanvas::disc(Vec2 c, float radius, Color color) {
    body_ += "<circle" + attribute("cx", c.x) + attribute("cy", c.y) + attribute("r", radius) + paint("fill", color) + "/>\n";
}

void SvgCanvas::ring(Vec2 c, float radius, const Stroke& s) {
    body_ += "<circle" + attribute("cx", c.x) + attribute("cy", c.y) + attribute("r", radius) +
             stroke_attributes(s, 2 * std::numbers::pi_v<float> * radius) + "/>\n";
}

void SvgCanvas::hatch(Rect rect, Color color, float spacing, float width) {
    std::string d;
    for (const Line& l : hatch_lines(rect, spacing))
        d += "M" + num(l.first.x) + " " + num(l.first.y) + "L" + num(l.second.x) + " " + num(l.second.y);
    if (!d.empty()) body_ += "<path d=\"" + d + "\"" + stroke_attributes({color, width}, 0) + "/>\n";
}

void SvgCanvas::print(Vec2 at, std::string_view utf8, Font font, float size, Color color, Align align) {
    if (utf8.empty() || color.a == 0) return;
    body_ += "<text" + attribute("x", at.x) + attribute("y", at.y) + " font-family=\"" + FontSet::family(font) + "\"";
    if (FontSet::weight(font) != 400) body_ += " font-weight=\"" + std::to_string(FontSet::weight(font)) + "\"";
    body_ += attribute("font-size", size) + paint("fill", color);
    if (align != Align::left) body_ += align == Align::center ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
    body_ += ">" + escaped(fonts_.shown(utf8, font)) + "</text>\n";
}

float SvgCanvas::printed_width(std::string_view utf8, Font font, float size) const { return fonts_.width(utf8, font, size); }

void SvgCanvas::push_clip(Rect rect) {
    const std::string name = "clip" + std::to_string(++clip_count_);
    rect.w = std::max(0.0F, rect.w);
    rect.h = std::max(0.0F, rect.h);
    body_ += "<clipPath id=\"" + name + "\">" + rectangle(rect, 0) + "/></clipPath><g clip-path=\"url(#" + name + ")\">\n";
    ++open_;
}

void SvgCanvas::pop_clip() {
    if (open_ == 0) return;
    --open_;
    body_ += "</g>\n";
}

std::string SvgCanvas::finish() const {
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", width_) +
                      attribute("height", height_) + " viewBox=\"0 0 " + num(width_) + " " + num(height_) +
                      "\">\n<style>text{font-kerning:none;font-variant-ligatures:none;"
                      "font-feature-settings:'calt' 0;white-space:pre}</style>\n";
    out += rectangle({0, 0, width_, height_}, 0) + paint("fill", background_) + "/>\n" + body_;
    for (int i = 0; i < open_; ++i) out += "</g>\n";
    return out + "</svg>\n";
}

} // namespace speclens::ui
