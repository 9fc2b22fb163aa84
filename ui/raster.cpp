#include "ui/raster.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace speclens::ui {

namespace {

constexpr int kSub = 256; // vertex positions per pixel

struct Target {
    std::uint8_t* rgba;
    int width;
    int y0, y1; // rows of this thread
    const std::uint8_t* atlas;
    int atlas_w, atlas_h;
};

struct Clip {
    int x0, y0, x1, y1;
};

void blend(std::uint8_t* pixel, unsigned r, unsigned g, unsigned b, unsigned a) {
    if (a == 0) return;
    const auto channel = [a](std::uint8_t under, unsigned over) {
        const unsigned sum = over * a + under * (255 - a) + 127;
        return static_cast<std::uint8_t>(sum / 255);
    };
    pixel[0] = channel(pixel[0], r);
    pixel[1] = channel(pixel[1], g);
    pixel[2] = channel(pixel[2], b);
}

unsigned part(ImU32 color, unsigned shift) { return (color >> shift) & 0xFFU; }

float texel(const Target& t, int x, int y) {
    x = std::clamp(x, 0, t.atlas_w - 1);
    y = std::clamp(y, 0, t.atlas_h - 1);
    return static_cast<float>(t.atlas[static_cast<std::ptrdiff_t>(y) * t.atlas_w + x]) / 255.0F;
}

// Coverage at texture coordinates in texels, bilinear.
float sample(const Target& t, float u, float v) {
    u -= 0.5F;
    v -= 0.5F;
    const float fu = std::floor(u), fv = std::floor(v), du = u - fu, dv = v - fv;
    const int x = static_cast<int>(fu), y = static_cast<int>(fv);
    if (du < 1e-3F && dv < 1e-3F) return texel(t, x, y);
    const float top = texel(t, x, y) * (1 - du) + texel(t, x + 1, y) * du;
    const float low = texel(t, x, y + 1) * (1 - du) + texel(t, x + 1, y + 1) * du;
    return top * (1 - dv) + low * dv;
}

// First pixel whose centre is at or right of `edge`, on the same grid of positions as the triangles.
int first_center(float edge) {
    const long long sub = std::llround(static_cast<double>(edge) * kSub);
    return static_cast<int>((sub + kSub / 2 - 1) >> 8);
}

void rectangle(const Target& t, const Clip& clip, const ImDrawVert& low, const ImDrawVert& high) {
    const int x0 = std::max(clip.x0, first_center(low.pos.x)), x1 = std::min(clip.x1, first_center(high.pos.x));
    const int y0 = std::max({clip.y0, t.y0, first_center(low.pos.y)});
    const int y1 = std::min({clip.y1, t.y1, first_center(high.pos.y)});
    if (x0 >= x1 || y0 >= y1) return;
    const unsigned r = part(low.col, IM_COL32_R_SHIFT), g = part(low.col, IM_COL32_G_SHIFT), b = part(low.col, IM_COL32_B_SHIFT),
                   a = part(low.col, IM_COL32_A_SHIFT);
    const auto w = static_cast<float>(t.atlas_w), h = static_cast<float>(t.atlas_h);
    const bool flat = low.uv.x == high.uv.x && low.uv.y == high.uv.y;
    const float du = flat ? 0 : (high.uv.x - low.uv.x) * w / (high.pos.x - low.pos.x);
    const float dv = flat ? 0 : (high.uv.y - low.uv.y) * h / (high.pos.y - low.pos.y);
    for (int y = y0; y < y1; ++y) {
        std::uint8_t* pixel = t.rgba + (static_cast<std::ptrdiff_t>(y) * t.width + x0) * 4;
        if (flat) {
            for (int x = x0; x < x1; ++x, pixel += 4) blend(pixel, r, g, b, a);
            continue;
        }
        const float v = low.uv.y * h + (static_cast<float>(y) + 0.5F - low.pos.y) * dv;
        for (int x = x0; x < x1; ++x, pixel += 4) {
            const float u = low.uv.x * w + (static_cast<float>(x) + 0.5F - low.pos.x) * du;
            const float coverage = sample(t, u, v);
            blend(pixel, r, g, b, static_cast<unsigned>(std::lround(static_cast<float>(a) * coverage)));
        }
    }
}

struct Point {
    std::int64_t x, y; // 1/256 px
};

std::int64_t edge(Point a, Point b, Point p) { return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x); }

// A pixel centre exactly on an edge belongs to the triangle whose top or left edge it is.
bool top_left(Point a, Point b) { return (a.y == b.y && b.x > a.x) || b.y < a.y; }

void triangle(const Target& t, const Clip& clip, const ImDrawVert& v0, const ImDrawVert& v1, const ImDrawVert& v2) {
    const auto fixed = [](ImVec2 p) {
        return Point{std::llround(static_cast<double>(p.x) * kSub), std::llround(static_cast<double>(p.y) * kSub)};
    };
    const ImDrawVert* v[3] = {&v0, &v1, &v2};
    Point p[3] = {fixed(v0.pos), fixed(v1.pos), fixed(v2.pos)};
    std::int64_t area = edge(p[0], p[1], p[2]);
    if (area == 0) return;
    if (area < 0) {
        std::swap(p[1], p[2]);
        std::swap(v[1], v[2]);
        area = -area;
    }
    const auto pixel_of = [](std::int64_t sub) { return static_cast<int>(sub >> 8); };
    const int x0 = std::max(clip.x0, pixel_of(std::min({p[0].x, p[1].x, p[2].x})));
    const int x1 = std::min(clip.x1, pixel_of(std::max({p[0].x, p[1].x, p[2].x})) + 1);
    const int y0 = std::max({clip.y0, t.y0, pixel_of(std::min({p[0].y, p[1].y, p[2].y}))});
    const int y1 = std::min({clip.y1, t.y1, pixel_of(std::max({p[0].y, p[1].y, p[2].y})) + 1});
    if (x0 >= x1 || y0 >= y1) return;
    std::int64_t bias[3], step[3], row[3];
    const Point start{static_cast<std::int64_t>(x0) * kSub + kSub / 2, static_cast<std::int64_t>(y0) * kSub + kSub / 2};
    for (int i = 0; i < 3; ++i) {
        const Point a = p[(i + 1) % 3], b = p[(i + 2) % 3];
        bias[i] = top_left(a, b) ? 0 : -1;
        step[i] = -(b.y - a.y) * kSub;
        row[i] = edge(a, b, start);
    }
    const bool one_color = v[0]->col == v[1]->col && v[1]->col == v[2]->col;
    const bool flat = v[0]->uv.x == v[1]->uv.x && v[1]->uv.x == v[2]->uv.x && v[0]->uv.y == v[1]->uv.y && v[1]->uv.y == v[2]->uv.y;
    const double scale = 1.0 / static_cast<double>(area);
    for (int y = y0; y < y1; ++y) {
        std::int64_t w[3] = {row[0], row[1], row[2]};
        std::uint8_t* pixel = t.rgba + (static_cast<std::ptrdiff_t>(y) * t.width + x0) * 4;
        for (int x = x0; x < x1; ++x, pixel += 4) {
            if (((w[0] + bias[0]) | (w[1] + bias[1]) | (w[2] + bias[2])) >= 0) {
                const double f[3] = {static_cast<double>(w[0]) * scale, static_cast<double>(w[1]) * scale,
                                     static_cast<double>(w[2]) * scale};
                const auto mixed = [&](unsigned shift) {
                    if (one_color) return static_cast<double>(part(v[0]->col, shift));
                    return f[0] * part(v[0]->col, shift) + f[1] * part(v[1]->col, shift) + f[2] * part(v[2]->col, shift);
                };
                double alpha = mixed(IM_COL32_A_SHIFT);
                if (!flat) {
                    const auto uv = [&](float ImVec2::*axis) {
                        return static_cast<float>(f[0] * static_cast<double>(v[0]->uv.*axis) + f[1] * static_cast<double>(v[1]->uv.*axis) +
                                                  f[2] * static_cast<double>(v[2]->uv.*axis));
                    };
                    alpha *= static_cast<double>(
                        sample(t, uv(&ImVec2::x) * static_cast<float>(t.atlas_w), uv(&ImVec2::y) * static_cast<float>(t.atlas_h)));
                }
                const auto whole = [](double value) { return static_cast<unsigned>(std::lround(value)); };
                blend(pixel, whole(mixed(IM_COL32_R_SHIFT)), whole(mixed(IM_COL32_G_SHIFT)), whole(mixed(IM_COL32_B_SHIFT)), whole(alpha));
            }
            for (int i = 0; i < 3; ++i) w[i] += step[i];
        }
        for (int i = 0; i < 3; ++i) row[i] += (p[(i + 2) % 3].x - p[(i + 1) % 3].x) * kSub;
    }
}

// Two triangles a b c, a c d that are one upright rectangle of one colour: fills and glyphs.
bool is_rectangle(const ImDrawIdx* i, const ImDrawVert* v) {
    if (i[0] != i[3] || i[2] != i[4]) return false;
    const ImDrawVert &a = v[i[0]], &b = v[i[1]], &c = v[i[2]], &d = v[i[5]];
    return a.pos.y == b.pos.y && b.pos.x == c.pos.x && c.pos.y == d.pos.y && d.pos.x == a.pos.x && a.pos.x <= c.pos.x &&
           a.pos.y <= c.pos.y && a.col == b.col && a.col == c.col && a.col == d.col;
}

void draw(const Target& target, const ImDrawData& data) {
    for (int n = 0; n < data.CmdListsCount; ++n) {
        const ImDrawList& list = *data.CmdLists[n];
        for (const ImDrawCmd& command : list.CmdBuffer) {
            if (command.UserCallback != nullptr) continue;
            const ImVec4 c = command.ClipRect;
            const auto bound = [](float value, int most) { return std::clamp(static_cast<int>(std::lround(value)), 0, most); };
            const Clip clip{bound(c.x, target.width), bound(c.y, target.y1), bound(c.z, target.width), bound(c.w, target.y1)};
            const ImDrawVert* v = list.VtxBuffer.Data + command.VtxOffset;
            const ImDrawIdx* i = list.IdxBuffer.Data + command.IdxOffset;
            const ImDrawIdx* end = i + command.ElemCount;
            while (i + 2 < end) {
                if (i + 5 < end && is_rectangle(i, v)) {
                    rectangle(target, clip, v[i[0]], v[i[2]]);
                    i += 6;
                } else {
                    triangle(target, clip, v[i[0]], v[i[1]], v[i[2]]);
                    i += 3;
                }
            }
        }
    }
}

} // namespace

Image rasterize(const ImDrawData& data, const ImFontAtlas& atlas, int width, int height, Color clear) {
    Image image{width, height, {}};
    image.rgba.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
    for (std::size_t i = 0; i < image.rgba.size(); i += 4) {
        image.rgba[i] = clear.r;
        image.rgba[i + 1] = clear.g;
        image.rgba[i + 2] = clear.b;
        image.rgba[i + 3] = 255;
    }
    // Bands of rows share nothing but the draw data, so their number does not change the picture.
#if defined(__EMSCRIPTEN__) // a page's own thread must not wait for others
    const int bands = 1;
#else
    const int bands = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 8);
#endif
    std::vector<std::thread> threads;
    for (int band = 0; band < bands; ++band) {
        const Target target{image.rgba.data(),     width,          height * band / bands, height * (band + 1) / bands,
                            atlas.TexPixelsAlpha8, atlas.TexWidth, atlas.TexHeight};
        if (band + 1 == bands) {
            draw(target, data);
        } else {
            threads.emplace_back([target, &data] { draw(target, data); });
        }
    }
    for (std::thread& thread : threads) thread.join();
    return image;
}

} // namespace speclens::ui
