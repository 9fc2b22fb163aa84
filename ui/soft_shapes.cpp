#include "ui/soft_shapes.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ui/geometry.h"

namespace speclens::ui {

std::uint32_t packed(Color color) { return IM_COL32(color.r, color.g, color.b, color.a); }

namespace {

// Unit normal of a -> b, to its left on the screen; zero for equal points.
Vec2 normal(Vec2 a, Vec2 b) {
    const float dx = b.x - a.x, dy = b.y - a.y, length = std::sqrt(dx * dx + dy * dy);
    return length > 0 ? Vec2{dy / length, -dx / length} : Vec2{};
}

// Offset of a corner between two edges so that both edges move by one: the miter, at most 3 long.
Vec2 miter(Vec2 n, Vec2 m) {
    const Vec2 half{(n.x + m.x) / 2, (n.y + m.y) / 2};
    const float square = std::max(half.x * half.x + half.y * half.y, 1.0F / 9);
    return {half.x / square, half.y / square};
}

std::vector<Vec2> without_repeats(std::span<const Vec2> points, bool closed) {
    std::vector<Vec2> out;
    out.reserve(points.size());
    const auto same = [](Vec2 a, Vec2 b) { return std::abs(a.x - b.x) < 1e-3F && std::abs(a.y - b.y) < 1e-3F; };
    for (const Vec2 p : points)
        if (out.empty() || !same(out.back(), p)) out.push_back(p);
    while (closed && out.size() > 1 && same(out.front(), out.back())) out.pop_back();
    return out;
}

// Writes vertices and triangles of one shape; all refer to ImGui's white pixel.
class Mesh {
  public:
    Mesh(ImDrawList& list, std::size_t triangles, std::size_t vertices) : list_(list), white_(ImGui::GetFontTexUvWhitePixel()) {
        list_.PrimReserve(static_cast<int>(triangles * 3), static_cast<int>(vertices));
        first_ = list_._VtxCurrentIdx;
    }
    void vertex(Vec2 p, ImU32 color) { list_.PrimWriteVtx(ImVec2(p.x, p.y), white_, color); }
    void triangle(std::size_t a, std::size_t b, std::size_t c) {
        for (const std::size_t i : {a, b, c}) list_.PrimWriteIdx(static_cast<ImDrawIdx>(first_ + i));
    }

  private:
    ImDrawList& list_;
    ImVec2 white_;
    unsigned first_ = 0;
};

} // namespace

void soft_fill(ImDrawList& list, std::span<const Vec2> points, Color color) {
    std::vector<Vec2> p = without_repeats(points, true);
    const std::size_t n = p.size();
    if (n < 3 || color.a == 0) return;
    if (signed_area(p) < 0) std::reverse(p.begin(), p.end()); // normals point outwards
    Mesh mesh(list, n - 2 + 2 * n, 2 * n);
    const ImU32 full = packed(color), clear = packed(color.alpha(0));
    for (std::size_t i = 0; i < n; ++i) {
        const Vec2 d = miter(normal(p[(i + n - 1) % n], p[i]), normal(p[i], p[(i + 1) % n]));
        mesh.vertex({p[i].x - d.x / 2, p[i].y - d.y / 2}, full);
        mesh.vertex({p[i].x + d.x / 2, p[i].y + d.y / 2}, clear);
    }
    for (std::size_t i = 2; i < n; ++i) mesh.triangle(0, 2 * (i - 1), 2 * i);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t a = 2 * i, b = 2 * ((i + 1) % n);
        mesh.triangle(a, b, b + 1);
        mesh.triangle(b + 1, a + 1, a);
    }
}

void soft_stroke(ImDrawList& list, std::span<const Vec2> points, float width, Color color, bool closed) {
    const std::vector<Vec2> p = without_repeats(points, closed);
    const std::size_t n = p.size();
    if (n < 2 || color.a == 0) return;
    closed = closed && n > 2;
    if (width < 1) color = color.alpha(width);
    const float core = std::max(0.0F, (width - 1) / 2), edge = core + 1;
    const std::size_t pieces = closed ? n : n - 1;
    Mesh mesh(list, pieces * 6, n * 4);
    const ImU32 full = packed(color), clear = packed(color.alpha(0));
    for (std::size_t i = 0; i < n; ++i) {
        const bool first = i == 0 && !closed, last = i + 1 == n && !closed;
        const Vec2 in = first ? Vec2{} : normal(p[(i + n - 1) % n], p[i]);
        const Vec2 out = last ? Vec2{} : normal(p[i], p[(i + 1) % n]);
        const Vec2 d = first ? out : last ? in : miter(in, out);
        for (const float s : {-edge, -core, core, edge})
            mesh.vertex({p[i].x + d.x * s, p[i].y + d.y * s}, std::abs(s) == edge ? clear : full);
    }
    for (std::size_t i = 0; i < pieces; ++i) {
        const std::size_t a = 4 * i, b = 4 * ((i + 1) % n);
        for (const std::size_t strip : {0U, 1U, 2U}) {
            mesh.triangle(a + strip, b + strip, b + strip + 1);
            mesh.triangle(b + strip + 1, a + strip + 1, a + strip);
        }
    }
}

} // namespace speclens::ui
