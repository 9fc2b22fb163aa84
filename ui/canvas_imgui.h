// The canvas on an ImGui draw list: the window and the PNG. Rectangles and straight hairlines are put on
// whole device pixels, text on whole baselines and quarter pixels, so everything is sharp at every zoom.
#pragma once

#include "ui/canvas.h"
#include "ui/glyph_cache.h"

struct ImDrawList;

namespace speclens::ui {

class ImGuiCanvas final : public Canvas {
  public:
    // scale: device pixels per logical pixel; the list itself is in device pixels (io.DisplaySize =
    // framebuffer, io.DisplayFramebufferScale = 1). The list must belong to a context whose atlas the cache
    // uses.
    ImGuiCanvas(ImDrawList& list, GlyphCache& glyphs, float scale);

    void fill(Rect rect, Color color, float radius = 0) override;
    void outline(Rect rect, const Stroke& stroke, float radius = 0) override;
    void line(Vec2 a, Vec2 b, const Stroke& stroke) override;
    void polyline(std::span<const Vec2> points, const Stroke& stroke, bool closed = false) override;
    void fill_convex(std::span<const Vec2> points, Color color) override;
    void disc(Vec2 center, float radius, Color color) override;
    void ring(Vec2 center, float radius, const Stroke& stroke) override;
    void hatch(Rect rect, Color color, float spacing = 6, float width = 1) override;
    void print(Vec2 at, std::string_view utf8, Font font, float size, Color color, Align align = Align::left) override;
    [[nodiscard]] float printed_width(std::string_view utf8, Font font, float size) const override;
    void push_clip(Rect rect) override;
    void pop_clip() override;

  private:
    [[nodiscard]] Rect snapped(Rect rect) const; // device px, whole
    [[nodiscard]] float thickness(float width) const;
    void stroke_path(std::span<const Vec2> device, const Stroke& stroke, bool closed);
    void stroke_piece(std::span<const Vec2> device, float width, Color color, bool closed);
    void quad(Vec2 a, Vec2 b, float width, Color color);

    ImDrawList& list_;
    GlyphCache& glyphs_;
    float scale_;
};

} // namespace speclens::ui
