// A canvas that draws nothing and remembers the text: what golden files compare, and where layout tests look.
// Of everything else it keeps one number that tells two pictures apart.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "ui/canvas.h"

namespace speclens::ui {

class FontSet;

struct RecordedText {
    std::string text{};
    Rect box{};  // logical px: width as measured, height from ascender to descender
    Rect clip{}; // in force when it was drawn
    Font font = Font::text;
    float size = 0;
    Color color{};
    float baseline = 0;
    Rect seen{}; // what of the letters' middle is left by the clip and by what was painted over it later
};

// A message that was drawn, or told of something that was.
struct ToldMessage {
    Message message{};
    Rect place{}; // logical px
    Canvas::Told how = Canvas::Told::drawn;
};

// Lines in reading order: top to bottom, left to right, words of a line joined with one space. Of the texts that a clip
// lets through, at least in part.
[[nodiscard]] std::string lines_of(const std::vector<RecordedText>& texts);
// Those texts that belong to an area: the middle of what the clip lets through lies there.
[[nodiscard]] std::vector<RecordedText> texts_in(const std::vector<RecordedText>& texts, Rect area);

class RecordCanvas : public Canvas {
  public:
    RecordCanvas(const FontSet& fonts, Rect screen);

    void fill(Rect area, Color color, float) override; // an opaque one hides the text below it
    void outline(Rect area, const Stroke& stroke, float) override { shape(area, stroke.color, stroke.width); }
    void line(Vec2 a, Vec2 b, const Stroke& stroke) override;
    void polyline(std::span<const Vec2> points, const Stroke& stroke, bool) override;
    void fill_convex(std::span<const Vec2> points, Color color) override;
    void disc(Vec2 center, float radius, Color color) override;
    void ring(Vec2 center, float radius, const Stroke& stroke) override;
    void hatch(Rect area, Color color, float, float) override { shape(area, color); }
    void print(Vec2 at, std::string_view utf8, Font font, float size, Color color, Align align = Align::left) override;
    [[nodiscard]] float printed_width(std::string_view utf8, Font font, float size) const override;
    void push_clip(Rect rect) override;
    void pop_clip() override;

    [[nodiscard]] const std::vector<RecordedText>& texts() const { return texts_; }
    void tell(const Message& message, Rect place, Told how) override {
        if (message.finished()) told_.push_back({message, place, how});
    }

    [[nodiscard]] const std::vector<ToldMessage>& told() const { return told_; } // in the order of drawing
    [[nodiscard]] bool collects() const override { return true; }
    void collect(PlotSeries series) override { series_.push_back(std::move(series)); }
    [[nodiscard]] const std::vector<PlotSeries>& series() const { return series_; } // in the order of drawing
    [[nodiscard]] int shapes() const { return shapes_; }
    // Equal for two frames that look alike: of all texts and shapes that the clips let through.
    [[nodiscard]] std::uint64_t picture() const { return picture_; }
    [[nodiscard]] int open_clips() const { return static_cast<int>(clips_.size()) - 1; } // 0 after a good frame
    [[nodiscard]] std::string visible_text() const;                                      // lines_of() all of it
    // Items that are cut off by their clip or by the screen; items wholly outside (scrolled away) are not
    // listed.
    [[nodiscard]] std::vector<RecordedText> clipped_texts() const;

  private:
    void shape(Rect box, Color color, float width = 0);
    void mark(Rect box, std::initializer_list<float> numbers, Color color, std::string_view words = {});

    const FontSet& fonts_;
    std::vector<RecordedText> texts_{};
    std::vector<ToldMessage> told_{};
    std::vector<PlotSeries> series_{};
    std::vector<Rect> clips_{};
    int shapes_ = 0;
    std::uint64_t picture_ = 0xCBF29CE484222325U;
};

} // namespace speclens::ui
