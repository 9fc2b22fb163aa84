// Measured text: wrap, ellipsis, line heights, baselines. UTF-8 in, UTF-8 out; never cuts a code point.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ui/canvas.h"

namespace speclens::ui {

// Baseline of text centred in a control: y + h/2 + 5 (14, 15 px), + 6 (17 px), + 9 (26 px).
[[nodiscard]] float baseline(float y, float h, float size);
// 24 for body (15 px), 20 for captions (14 px), 1.4 × for the rest.
[[nodiscard]] float line_height(float size);

// Where a line of text stands: as wide as it is drawn, from its ascenders to its descenders.
[[nodiscard]] Rect text_box(const Canvas& canvas, Vec2 at, std::string_view printed, Font font, float size, Align align);
// Lines no wider than `width`; breaks at spaces, at '\n', and inside words only when one word is too wide.
// The spaces of "K = 4" are no place to break. The views point into `text`; the spaces at a break belong to
// no line.
[[nodiscard]] std::vector<std::string_view> wrap(const Canvas& canvas, std::string_view text, Font font, float size, float width);
// The text itself when it fits, else its longest beginning followed by "…".
[[nodiscard]] std::string fit(const Canvas& canvas, const Message& text, Font font, float size, float width);
// The same of a text as it is: what somebody typed.
[[nodiscard]] std::string fit_printed(const Canvas& canvas, std::string_view text, Font font, float size, float width);

// Of texts that begin alike: the text itself when it fits, else its last two words behind as many first ones as fit, with "…" between.
[[nodiscard]] std::string fit_between(const Canvas& canvas, std::string_view text, Font font, float size, float width);

struct ParagraphStyle {
    Font font = Font::text;
    float size = 15;
    Color color{};
    float leading = 0; // 0: line_height(size)
    int max_lines = 0; // 0: no limit; the last line gets an ellipsis when text is left over
    Align align = Align::left;
};
// Wraps and draws; `at` is the first baseline (left end). Returns the baseline after the last line.
float paragraph(Canvas& canvas, Vec2 at, float width, const Message& text, const ParagraphStyle& style);
// The same from below: `at` is the last baseline. Returns the first.
float paragraph_above(Canvas& canvas, Vec2 at, float width, const Message& text, const ParagraphStyle& style);
// The same without drawing: number of lines.
[[nodiscard]] int paragraph_lines(const Canvas& canvas, float width, const Message& text, const ParagraphStyle& style);

// The first of several ways to say something, the longest first, that `fits`; else the last. There is at least one.
[[nodiscard]] std::string first_fitting(const std::vector<std::string>& ways, const std::function<bool(const std::string&)>& fits);
// The same, where it fits that is not wider than `width`.
[[nodiscard]] std::string fitting(const Canvas& canvas, const std::vector<std::string>& ways, Font font, float size, float width);
[[nodiscard]] Message fitting(const Canvas& canvas, std::span<const Message> ways, Font font, float size, float width);
// One line, shortened with an ellipsis when it is wider than `width`.
void fitted_text(Canvas& canvas, Vec2 at, const Message& text, Font font, float size, Color color, float width, Align align = Align::left);

} // namespace speclens::ui
