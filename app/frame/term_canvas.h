// Draws on another canvas and notes which text lies under the mouse: a word of the field is explained wherever it stands, in a
// label, a legend, a badge or a story, without anybody's doing.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/views/glossary.h"
#include "ui/canvas.h"

namespace speclens {

class TermCanvas final : public ui::Canvas {
  public:
    TermCanvas(ui::Canvas& on, ui::Vec2 mouse) : on_(on), mouse_(mouse) {}

    struct Found {
        std::string words; // "draft length: Guesses per round. …"
        ui::Rect at;       // of the word
    };
    // Of the word under the mouse; empty words: there is none. With `captions` also of the caption above the control under it.
    [[nodiscard]] Found found(const std::vector<GlossaryEntry>& glossary, bool captions = false) const;

    void fill(ui::Rect rect, ui::Color color, float radius) override;
    void outline(ui::Rect rect, const ui::Stroke& stroke, float radius) override { on_.outline(rect, stroke, radius); }
    void line(ui::Vec2 a, ui::Vec2 b, const ui::Stroke& stroke) override { on_.line(a, b, stroke); }
    void polyline(std::span<const ui::Vec2> points, const ui::Stroke& stroke, bool closed) override {
        on_.polyline(points, stroke, closed);
    }
    void fill_convex(std::span<const ui::Vec2> points, ui::Color color) override { on_.fill_convex(points, color); }
    void disc(ui::Vec2 center, float radius, ui::Color color) override { on_.disc(center, radius, color); }
    void ring(ui::Vec2 center, float radius, const ui::Stroke& stroke) override { on_.ring(center, radius, stroke); }
    void hatch(ui::Rect rect, ui::Color color, float spacing, float width) override { on_.hatch(rect, color, spacing, width); }
    void print(ui::Vec2 at, std::string_view utf8, ui::Font font, float size, ui::Color color, ui::Align align) override;
    [[nodiscard]] float printed_width(std::string_view utf8, ui::Font font, float size) const override {
        return on_.printed_width(utf8, font, size);
    }
    void tell(const Message& message, ui::Rect place, Told how) override { on_.tell(message, place, how); }
    [[nodiscard]] bool collects() const override { return on_.collects(); }
    void collect(ui::PlotSeries series) override { on_.collect(std::move(series)); }
    void push_clip(ui::Rect rect) override;
    void pop_clip() override;

  private:
    [[nodiscard]] bool seen() const { return clips_.empty() || clips_.back().contains(mouse_); }

    ui::Canvas& on_;
    ui::Vec2 mouse_;
    std::vector<ui::Rect> clips_;
    // The text under the mouse that nothing was painted over since.
    std::string text_;
    ui::Rect box_{};
    ui::Font font_ = ui::Font::text;
    float size_ = 0;
    std::string caption_; // above the mouse, the nearest one that begins left of it
    float caption_x_ = 0;
};

} // namespace speclens
