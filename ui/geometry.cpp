#include "ui/geometry.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace speclens::ui {

namespace {

int arc_steps(float radius, float sweep, float tolerance) {
    if (radius <= tolerance) return 1;
    const float step = 2 * std::acos(1 - tolerance / radius);
    return std::max(2, static_cast<int>(std::ceil(std::abs(sweep) / step)));
}

} // namespace

std::vector<Vec2> arc(Vec2 center, float radius, float from, float to, float tolerance) {
    const int steps = arc_steps(radius, to - from, tolerance);
    std::vector<Vec2> out;
    for (int i = 0; i <= steps; ++i) {
        const float angle = from + (to - from) * static_cast<float>(i) / static_cast<float>(steps);
        out.push_back({center.x + radius * std::cos(angle), center.y + radius * std::sin(angle)});
    }
    return out;
}

std::vector<Vec2> circle(Vec2 center, float radius, float tolerance) {
    std::vector<Vec2> out = arc(center, radius, 0, 2 * kPi, std::min(tolerance, radius * 0.04F));
    out.pop_back();
    return out;
}

std::vector<Vec2> rounded_outline(Rect r, float radius, float tolerance) {
    const float q = std::min({radius, r.w / 2, r.h / 2});
    if (q <= 0) return {{r.x, r.y}, {r.right(), r.y}, {r.right(), r.bottom()}, {r.x, r.bottom()}};
    std::vector<Vec2> out;
    const auto corner = [&](float x, float y, float from) {
        const std::vector<Vec2> points = arc({x, y}, q, from, from + kPi / 2, tolerance);
        out.insert(out.end(), points.begin(), points.end());
    };
    out.push_back({r.x + q, r.y});
    corner(r.right() - q, r.y + q, -kPi / 2);
    corner(r.right() - q, r.bottom() - q, 0);
    corner(r.x + q, r.bottom() - q, kPi / 2);
    corner(r.x + q, r.y + q, kPi);
    out.pop_back(); // equals the first point
    return out;
}

float path_length(std::span<const Vec2> p, bool closed) {
    float sum = 0;
    for (std::size_t i = 1; i < p.size(); ++i) sum += std::hypot(p[i].x - p[i - 1].x, p[i].y - p[i - 1].y);
    if (closed && p.size() > 1) sum += std::hypot(p[0].x - p.back().x, p[0].y - p.back().y);
    return sum;
}

std::pair<float, float> fitted_dash(float length, float dash, float gap) {
    const float period = dash + gap;
    if (period <= 0 || length <= 0) return {dash, gap};
    const float stretch = length / period / std::max(1.0F, std::round(length / period));
    return {dash * stretch, gap * stretch};
}

std::vector<std::vector<Vec2>> dashes(std::span<const Vec2> points, bool closed, float dash, float gap) {
    std::vector<std::vector<Vec2>> out;
    if (points.size() < 2 || dash <= 0 || gap <= 0) return out;
    if (closed) std::tie(dash, gap) = fitted_dash(path_length(points, true), dash, gap);
    float left = dash; // of the present dash or gap
    bool on = true;
    out.push_back({points[0]});
    const std::size_t count = points.size() + (closed ? 1 : 0);
    for (std::size_t i = 1; i < count; ++i) {
        Vec2 from = points[i - 1];
        const Vec2 to = points[i % points.size()];
        float length = std::hypot(to.x - from.x, to.y - from.y);
        while (length > left) {
            const float t = left / length;
            from = {from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t};
            length -= left;
            if (on) out.back().push_back(from);
            on = !on;
            if (on) out.push_back({from});
            left = on ? dash : gap;
        }
        left -= length;
        if (on && length > 0) out.back().push_back(to);
    }
    std::erase_if(out, [](const std::vector<Vec2>& piece) { return path_length(piece, false) < 0.05F; });
    return out;
}

std::vector<Line> hatch_lines(Rect r, float spacing) {
    std::vector<Line> out;
    if (spacing <= 0 || r.w <= 0 || r.h <= 0) return out;
    const float last = r.right() + r.bottom();
    for (float n = std::ceil((r.x + r.y) / spacing); n * spacing < last; n += 1) {
        const float sum = n * spacing;
        const Vec2 low{std::max(r.x, sum - r.bottom()), std::min(r.bottom(), sum - r.x)};
        const Vec2 high{std::min(r.right(), sum - r.y), std::max(r.y, sum - r.right())};
        if (high.x - low.x > 0.5F) out.emplace_back(low, high);
    }
    return out;
}

float signed_area(std::span<const Vec2> p) {
    float sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const Vec2 a = p[i], b = p[(i + 1) % p.size()];
        sum += a.x * b.y - b.x * a.y;
    }
    return sum / 2;
}

} // namespace speclens::ui
