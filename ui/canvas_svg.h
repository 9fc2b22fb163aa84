// The canvas as SVG 1.1: text stays text, clips are clip paths, dashes are dash arrays. For export.
#pragma once

#include <string>

#include "ui/canvas.h"

namespace speclens::ui {

class FontSet;

class SvgCanvas final : public Canvas {
  public:
    SvgCanvas(const FontSet& fonts, float width, float height, Color background);

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

    [[nodiscard]] std::string finish() const; // the whole document

  private:
    const FontSet& fonts_;
    float width_, height_;
    Color background_;
    std::string body_;
    int clip_count_ = 0, open_ = 0;
};

} // namespace speclens::ui
